/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. */
#include <string.h>

#include "command.h"

const option kCommonOptions[] = {
    {"json", 0, NULL, false, "print JSON"},
    {"color", 0, "WHEN", false, "auto, always or never"},
    {"help", 'h', NULL, false, "say what the command does"},
    {NULL, 0, NULL, false, NULL},
};

static const option kNoOptions[] = {{NULL, 0, NULL, false, NULL}};

static const option kConfigOptions[] = {
    {"includedir", 0, NULL, false, "the folder of the headers"},
    {"dlpack-includedir", 0, NULL, false, "the folder of DLPack's header"},
    {"cmakedir", 0, NULL, false, "the folder of the package for CMake"},
    {"sourcedir", 0, NULL, false, "not here: no sources are installed"},
    {"libfiles", 0, NULL, false, "the file of the library"},
    {"libdir", 0, NULL, false, "the folder of the library"},
    {"libs", 0, NULL, false, "what a linker is told: -ltvm_ffi"},
    {"cython-lib-path", 0, NULL, false, "not here: no Python extension is installed"},
    {"cxxflags", 0, NULL, false, "what a C++ compiler is told, nvcc too"},
    {"cflags", 0, NULL, false, "what a C compiler is told"},
    {"ldflags", 0, NULL, false, "what a linker is told before: -L and the folder"},
    {NULL, 0, NULL, false, NULL},
};

/* ---- Files of libraries: list, check ---------------------------------------------
 */

static const option kListOptions[] = {
    {"load", 0, NULL, false, "load each library in a process of its own, and ask it too"},
    {"timeout", 0, "SECONDS", false, "how long a library may take with --load; 30"},
    {"undefined", 'u', NULL, false, "show imports of a runtime, and whether this one has them"},
    {"bin", 'b', NULL, false, "show each of the embedded modules"},
    {"sort", 0, "ORDER", false, "name, or size with the largest first"},
    {"match", 'm', "GLOB", false, "show only functions with such names"},
    {NULL, 0, NULL, false, NULL},
};
static const char kListText[] =
    "The files are read and no code of them is run: ELF libraries and object files of any\n"
    "machine. Types and documentation come from the data that the headers of this project put\n"
    "beside a function. Other libraries have functions that give them, which --load calls.";

static const option kCheckOptions[] = {
    {"manylinux", 0, "2_N", false, "fail what needs newer system libraries than manylinux_2_N has"},
    {NULL, 0, NULL, false, NULL},
};
static const char kCheckText[] =
    "Every verdict names the symbol or section that says so. Looked at are the names of exports,\n"
    "the oldest runtime that has all imports, symbols that no runtime has, versions of glibc and\n"
    "libstdc++, the embedded modules, and how the library is linked. One FAIL makes the exit code\n"
    "5.";

const command kCommands[] = {
    {"config", "", "Print what a compiler has to be told to use this library",
     "Each flag prints a line, in an order of its own. The folders are those around the program,\n"
     "so that an installation may be moved as a whole. Called by the name tvm-ffi-config the\n"
     "program is this command, with the flags of the reference's program of that name:\n"
     "\n"
     "  nvcc -shared -O3 k.cu -o k.so -Xcompiler -fPIC,-fvisibility=hidden \\\n"
     "    $(tvm-ffi-config --cxxflags) $(tvm-ffi-config --ldflags) $(tvm-ffi-config --libs)",
     kConfigOptions, 0, 0, run_config},
    {"info", "", "Say what library this is, to paste into a report", "", kNoOptions, 0, 0,
     run_info},
    {"list", "LIB...", "Show the functions and modules in libraries", kListText, kListOptions, 1,
     -1, run_list},
    {"check", "LIB...", "Say which runtimes and systems libraries need, and what is wrong",
     kCheckText, kCheckOptions, 1, -1, run_check},
};
const size_t kNumCommands = sizeof kCommands / sizeof *kCommands;

const command *command_find(const char *name) {
  size_t i;
  for (i = 0; i < kNumCommands; ++i) {
    if (strcmp(kCommands[i].name, name) == 0) return &kCommands[i];
  }
  return NULL;
}
