/* SPDX-License-Identifier: Apache-2.0 */
/* What the manual says of the whole program. */
#include "base/places.h"
#include "manual/manual.h"

static const manual_entry kExits[] = {
    {"0", "All went well."},
    {"1", "The called function, or the runtime, raised an error, which is on standard error."},
    {"2",
     "The command line, or a file or function named there, is not right; or the output is not "
     "whole."},
    {"3", "A result is not what was expected."},
    {"4", "A library cannot be read or loaded."},
    {"5", "A check failed."},
};
static const manual_entry kEnvironment[] = {
    {"NO_COLOR", "Set and not empty: no colours, unless --color=always asks for them."},
    {"TMPDIR",
     "Where a library from stdin is while it is loaded, on systems without files in memory."},
    {"TVM_TRACEBACK_LIMIT", "The most lines of a backtrace; 512 if it is not set."},
    {"TVM_FFI_REPR_WITH_ADDR", "Set to 1: objects that are shown have their addresses with them."},
};
static const manual_entry kFiles[] = {
    {"libtvm_ffi.so", "The runtime, which this program is linked with; info says where it lies."},
    {"libtvm_ffi_cxx.so",
     "Its helper, without which modules written in C++ cannot be called; looked for beside it."},
    {CXX_LIBRARY,
     "The runtime with the helper and C++ functions inside, where it was built; check says which "
     "libraries need it, config --cxx-libdir where it lies."},
};
static const manual_entry kExamples[] = {
    {"tvm-ffi info", "What library this is, to paste into a report."},
    {"tvm-ffi list --load libscale.so",
     "Its functions with their types, which the library is asked for in a process of its own."},
    {"tvm-ffi check --manylinux=2_28 libscale.so",
     "Whether it runs on the systems that manylinux_2_28 stands for."},
    {"tvm-ffi registry --lib libscale.so --match 'my.*'",
     "The functions that a library registers when it is loaded."},
    {"tvm-ffi types --match ffi.Module --json", "A type with its fields, for a program to read."},
    {"tvm-ffi stub --lang=c libscale.so -o scale.h", "A header with a typed caller per kernel."},
    {"c++ -shared -fPIC $(tvm-ffi-config --cxxflags) scale.cc -o libscale.so",
     "Compile a kernel with the headers of this installation."},
};
#define ENTRIES(entries) entries, sizeof(entries) / sizeof *(entries)

const manual_section kManualSections[] = {
    {"Exit status", ENTRIES(kExits)},
    {"Environment", ENTRIES(kEnvironment)},
    {"Files", ENTRIES(kFiles)},
    {"Examples", ENTRIES(kExamples)},
    {NULL, NULL, 0},
};
