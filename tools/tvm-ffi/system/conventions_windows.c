/* SPDX-License-Identifier: Apache-2.0 */
/* For MinGW, the only compiler of Windows that this project is for. */
#include "system/conventions.h"

const system_conventions kConventions = {
    .path_separators = "/\\",
    .has_drives = true,
    .runtime_library = "tvm_ffi.dll",
    .library_suffix = ".dll",
    .cuda_driver = "nvcuda.dll",
    .caches = {{"XDG_CACHE_HOME", "tvm-ffi"}, {"LOCALAPPDATA", "tvm-ffi"}},
    .c_compiler = "gcc",
    .cxx_compiler = "g++",
    /* Without -static, a library needs DLLs of the compiler beside it. */
    .library_flags = "-fvisibility=hidden -static",
    .cuda_library_flags = "",
    .archive_flags = {"-Wl,--whole-archive", "-Wl,--no-whole-archive"},
    .links_runtime = true,
};
