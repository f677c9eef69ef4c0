/* SPDX-License-Identifier: Apache-2.0 */
#include "system/conventions.h"

const system_conventions kConventions = {
    .path_separators = "/",
    .has_drives = false,
    .runtime_library = "libtvm_ffi.so",
    .library_suffix = ".so",
    .cuda_driver = "libcuda.so.1",
    .caches = {{"XDG_CACHE_HOME", "tvm-ffi"}, {"HOME", ".cache/tvm-ffi"}},
    .c_compiler = "cc",
    .cxx_compiler = "c++",
    .library_flags = "-fPIC -fvisibility=hidden",
    .cuda_library_flags = "-Xcompiler -fPIC,-fvisibility=hidden",
    .archive_flags = {"-Wl,--whole-archive", "-Wl,--no-whole-archive"},
    .links_runtime = false,
};
