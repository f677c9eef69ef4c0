/* SPDX-License-Identifier: Apache-2.0 */
#include "system/conventions.h"

#include <stddef.h>

const system_conventions kConventions = {
    .path_separators = "/",
    .has_drives = false,
    .runtime_library = "libtvm_ffi.dylib",
    .library_suffix = ".dylib",
    .cuda_driver = "libcuda.dylib",
    .caches = {{"XDG_CACHE_HOME", "tvm-ffi"}, {"HOME", "Library/Caches/tvm-ffi"}},
    .c_compiler = "cc",
    .cxx_compiler = "c++",
    /* The linker must be told that the program has the functions of the runtime. */
    .library_flags = "-fPIC -fvisibility=hidden -Wl,-undefined,dynamic_lookup",
    .cuda_library_flags = "-Xcompiler -fPIC,-fvisibility=hidden",
    .archive_flags = {"-Wl,-all_load", NULL},
    .links_runtime = false,
};
