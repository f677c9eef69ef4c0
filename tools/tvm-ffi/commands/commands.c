/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. */
#include <string.h>

#include "base/report.h"
#include "commands/commands.h"
#include "file/module_tree.h"
#include "system/system.h"

const option kCommonOptions[] = {
    {kOptionJson, "json", 0, NULL, false, "print JSON"},
    {kOptionColor, "color", 0, "auto|always|never", false,
     "when to colour (default auto: on a terminal)"},
    {kOptionHelp, "help", 'h', NULL, false, "say what the command does"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const option kNoOptions[] = {{kOptionNone, NULL, 0, NULL, false, NULL}};

/* The help of --timeout in commands that load libraries. */
static const char kLoadTimeout[] =
    "how long a library may take to load, and to answer (default 60)";

static const option kConfigOptions[] = {
    {kOptionIncludedir, "includedir", 0, NULL, false, "the folder of the headers"},
    {kOptionDlpackIncludedir, "dlpack-includedir", 0, NULL, false, "the folder of DLPack's header"},
    {kOptionCmakedir, "cmakedir", 0, NULL, false, "the folder of the package for CMake"},
    {kOptionSourcedir, "sourcedir", 0, NULL, false, "not here: no sources are installed"},
    {kOptionLibfiles, "libfiles", 0, NULL, false, "the file of the library"},
    {kOptionLibdir, "libdir", 0, NULL, false, "the folder of the library"},
    {kOptionCxxLibdir, "cxx-libdir", 0, NULL, false,
     "the folder of the libtvm_ffi.so with the C++ functions"},
    {kOptionLibs, "libs", 0, NULL, false, "flags for a linker: -ltvm_ffi"},
    {kOptionCythonLibPath, "cython-lib-path", 0, NULL, false,
     "not here: no Python extension is installed"},
    {kOptionCxxflags, "cxxflags", 0, NULL, false, "flags for a C++ compiler, nvcc included"},
    {kOptionCflags, "cflags", 0, NULL, false, "flags for a C compiler"},
    {kOptionLdflags, "ldflags", 0, NULL, false,
     "flags for a linker before these: -L and the folder"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

/* Of commands that take a source for a library. */
#define COMPILE_OPTION                                                   \
  {                                                                      \
    kOptionCflags, "cflags", 0, "FLAGS", true,                           \
        "more flags for the compiler, such as -lm, if a LIB is a source" \
  }

/* ---- Library files: list, check, embed, unpack ---- */

static const option kListOptions[] = {
    {kOptionLoad, "load", 0, NULL, false,
     "load each library in a process of its own, and ask it too"},
    {kOptionTimeout, "timeout", 0, "SECONDS", false, kLoadTimeout},
    {kOptionUndefined, "undefined", 'u', NULL, false,
     "show imports of a runtime, and whether this one has them"},
    {kOptionBin, "bin", 'b', NULL, false, "show each of the embedded modules"},
    {kOptionSort, "sort", 0, "name|size", false,
     "by what (default name); by size the largest comes first"},
    {kOptionMatch, "match", 'm', "GLOB", true,
     "only functions with such names: * is any text, ? any character"},
    {kOptionNames, "names", 0, NULL, false, "print the names of functions, one in a line"},
    COMPILE_OPTION,
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kListText[] =
    "Files are read, and none of their code is run: libraries and object files of any machine, of\n"
    "Linux (ELF), Windows (PE, COFF) and macOS (Mach-O). Types and documentation come from the\n"
    "data that the headers of this project put beside a function. Other libraries have functions\n"
    "that give them, which --load calls. A LIB that is - comes from standard input; a source (.c,\n"
    ".cc, .cpp, .cxx, .cu) or an archive is compiled, as run does.\n\n"
    "  tvm-ffi list libscale.so\n"
    "  tvm-ffi list --load --match 's*' libscale.so\n"
    "  tvm-ffi list --names libscale.so";

static const option kCheckOptions[] = {
    {kOptionManylinux, "manylinux", 0, "2_N", false,
     "fail what needs newer system libraries than manylinux_2_N has"},
    {kOptionRuntime, "runtime", 0, "c|cxx", false,
     "fail what the default libtvm_ffi.so lacks (c), or that with C++ functions (cxx)"},
    COMPILE_OPTION,
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kCheckText[] =
    "Files are read, and none of their code is run: libraries and object files of any machine, of\n"
    "Linux (ELF), Windows (PE, COFF) and macOS (Mach-O). A verdict is ok, note or FAIL and names\n"
    "the symbol or section that says so. One FAIL makes the exit code 5, a note does not. A LIB\n"
    "that is - comes from stdin; a source or an archive is compiled, as run does. The checks, and\n"
    "what they fail for:\n\n"
    "  file       the kind of file. FAIL: a program, which cannot be loaded\n"
    "  names      exported functions, __tvm_ffi_NAME. FAIL: a name that is reserved, not valid, "
    "or\n"
    "             there twice; data where a function belongs, or the other way round; a\n"
    "             __tvm_ffi__library_ctx that cannot be written\n"
    "  embedded   the modules in __tvm_ffi__library_bin. FAIL: no bytes, or malformed ones\n"
    "  exports    functions of a runtime, and C++ code of tvm::ffi\n"
    "  clashes    symbols that an earlier file for the same machine has too. FAIL: object files\n"
    "             that both define a __tvm_ffi_ symbol: no linker accepts both\n"
    "  imports    functions of a runtime. FAIL: one that no libtvm_ffi.so of this runtime has\n"
    "  runtime    the oldest release that has all of these\n"
    "  library    which libtvm_ffi.so has all of these. FAIL: with --runtime=c, C++ functions "
    "that\n"
    "             the default library lacks\n"
    "  registers  imports that register functions or types\n"
    "  dlpack     imports that exchange managed tensors of DLPack\n"
    "  system     versions of glibc, libstdc++ and libgcc. FAIL: newer ones than --manylinux\n"
    "             allows; a file that is not of Linux, with --manylinux\n"
    "  needed     names of libraries, and where they are looked for. FAIL: another C library than\n"
    "             glibc, with --manylinux\n"
    "  undefined  other imports, in the libraries that are needed: as the loader finds them on "
    "this\n"
    "             machine, for which the file must be\n"
    "  kind       whether it is also an extension of Python or PyTorch\n"
    "  stack      whether the stack is data only. FAIL: it can be executed\n"
    "  code       whether code is read-only. FAIL: text relocations; a segment that can be "
    "written\n"
    "             and executed\n"
    "  relro      whether relocated data becomes read-only\n"
    "  binding    whether all functions are bound when the library is loaded\n"
    "  unloading  unique symbols, for which glibc never unloads a library\n"
    "  address    on Windows, whether the library is loaded at a random address\n"
    "  signature  on macOS, whether the code is signed. FAIL: it is not, in a file for arm64:\n"
    "             macOS does not load it\n\n"
    "A file does not say which names a library registers functions and types under, so two\n"
    "libraries that register the same name are not found: registry and types load them with\n"
    "--lib.";

static const option kEmbedOptions[] = {
    {kOptionOutput, "output", 'o', "FILE", false, "what to write (default: standard output)"},
    {kOptionHeader, "header", 'H', "FILE", false, "also write a header with the declarations"},
    {kOptionFormat, "format", 0, "c|string|c23|incbin|obj|elf|coff|macho|raw", false,
     "numbers, string literals, #embed, the GNU assembler's .incbin for ELF, an object file of "
     "this "
     "system, or for Linux, Windows, macOS, the bytes of --library-bin alone "
     "(default: obj for an output that ends in .o, coff for .obj, else c)"},
    {kOptionName, "name", 0, "NAME", false,
     "what symbols begin with (default: the name of the output); with --library-bin the symbol"},
    {kOptionLibraryBin, "library-bin", 0, NULL, false,
     "FILE is a list of modules, to be " LIBRARY_BIN_SYMBOL},
    {kOptionCubin, "cubin", 0, NULL, false,
     "for TVM_FFI_EMBED_CUBIN(NAME): __tvm_ffi__cubin_NAME and its _end, followed by a NUL"},
    {kOptionMachine, "machine", 0, "MACHINE", false,
     "of an object file: x86-64, aarch64, i386, arm, riscv64, riscv32, ppc64le, ppc64, powerpc, "
     "s390x, loongarch64, or e_machine as NUMBER:BITS:le or NUMBER:BITS:be; coff has the first "
     "three, "
     "macho the first two (default: this machine)"},
    {kOptionAlign, "align", 0, "BYTES", false, "where each file begins (default 64)"},
    {kOptionSection, "section", 0, "NAME", false,
     "where the bytes are, such as .lrodata for more than 2 GiB; letters, digits and . _ $ + / -, "
     "in an object file anything; in macho SEGMENT,SECTION"},
    {kOptionExport, "export", 0, NULL, false, "make the symbols visible to other libraries"},
    {kOptionDepfile, "depfile", 0, "FILE", false,
     "write a rule of Make with all files that were read"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kEmbedText[] =
    "Each file becomes an array NAME_<file> with a number NAME_<file>_size, where <file> is its\n"
    "name with _ for everything but letters and digits. NAME_files is a table of them, {name,\n"
    "data, size}, and ends with a NULL name. The same files make the same bytes; only c23 and\n"
    "incbin contain full paths. Outputs are written all or not at all, and never over what is\n"
    "embedded; --json then prints what was written, for which --output must be a file.\n\n"
    "A list of modules has a line for each, the root first: KIND [FILE] [-> NUMBER...]. KIND _lib\n"
    "is the library itself and has no FILE; the others have one, in the folder of the list. The\n"
    "numbers are those of imported modules, the first line is 0. A word may be in double quotes,\n"
    "in which \\\", \\\\ and \\xNN stand for bytes; # begins a comment.";

static const option kUnpackOptions[] = {
    {kOptionExtract, "extract", 'x', "WHAT", false,
     "the bytes of one module, KIND[I] or [I], or of a symbol"},
    {kOptionOutput, "output", 'o', "PATH", false,
     "the folder to write to (default: unpacked); a file for --extract (default: standard output)"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kUnpackText[] =
    "Takes a library, an object file, or a file with the bytes of the modules alone. The folder\n"
    "gets a file for each module and modules.txt, of which embed --library-bin makes the same\n"
    "bytes again. --json prints what was written; with --extract, --output must be a file for\n"
    "that. A LIB that is - comes from stdin.";

/* ---- Registered names and wrappers: registry, types, stub ---- */

static const option kRegisteredOptions[] = {
    {kOptionLib, "lib", 'l', "FILE", true, "load that library first; - is standard input"},
    {kOptionMatch, "match", 'm', "GLOB", true, "only such names: * is any text, ? any character"},
    {kOptionTimeout, "timeout", 0, "SECONDS", false, kLoadTimeout},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kRegistryText[] =
    "Those of the runtime, and those that libraries named with --lib register. A function that\n"
    "was registered without its types is followed by a ?.\n\n"
    "  tvm-ffi registry --match 'ffi.json.*'\n"
    "  tvm-ffi registry --lib libscale.so --match 'my.*'";
static const char kTypesText[] =
    "Those of the runtime, and those that libraries named with --lib register: index, key and\n"
    "parent, size, how structural equality sees them; fields with type, offset and size;\n"
    "methods; documentation.\n\n"
    "  tvm-ffi types --match 'ffi.Module*'";

static const option kStubOptions[] = {
    {kOptionLang, "lang", 0, "c|c++|python|rust", false,
     "the language of the wrappers (default c)"},
    {kOptionPrefix, "prefix", 0, "NAME", false,
     "what the wrappers are named after (default: the name of the file)"},
    {kOptionNoLoad, "no-load", 0, NULL, false, "read the file alone, without asking the library"},
    {kOptionTimeout, "timeout", 0, "SECONDS", false, kLoadTimeout},
    {kOptionOutput, "output", 'o', "FILE", false, "where to write (default: standard output)"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kStubText[] =
    "Types come from the library's metadata about its functions, which is data or is returned by\n"
    "functions of the library; these are called in a separate process. A function without\n"
    "metadata gets a wrapper that takes any arguments, and is listed in a comment. A LIB that is\n"
    "- comes from stdin, and is called kernels.so.\n\n"
    "c: a header of static inline callers over tvm/ffi/c.h. c++: a class over the C++ layer.\n"
    "python: a module over the package tvm_ffi. rust: a module that needs nothing else, for a\n"
    "program that is linked with the library.\n\n"
    "  tvm-ffi stub libscale.so -o scale.h\n"
    "  tvm-ffi stub --lang=python libscale.so -o scale.py";

/* ---- Kernels from prototypes: wrap ---- */

static const option kWrapOptions[] = {
    {kOptionInclude, "include", 0, "FILE", true,
     "include that header or source of the functions, for the compiler to compare; <FILE> is one "
     "that the compiler finds in its include path"},
    {kOptionInclude, "include", 'I', "FILE", true, NULL},
    {kOptionAbi, "abi", 0, "plain|casadi|memref|halide", false,
     "how the functions are called: as written, or as a code generator does it (default plain)"},
    {kOptionOutputs, "outputs", 0, "arguments|return", false,
     "who allocates tensors that are not const: the caller, or the kernel, which returns them "
     "(default arguments)"},
    {kOptionErrors, "errors", 0, "nonzero", false,
     "the functions return an error code: one that is not 0 is raised"},
    {kOptionLean, "lean", 0, NULL, false,
     "without headers of ours: the kernel has the declarations that it uses"},
    {kOptionDoc, "doc", 0, "TEXT", false, "what the kernel does, for list, stub and Python"},
    {kOptionOutput, "output", 'o', "FILE", false, "where to write (default: standard output)"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kWrapText[] =
    "A SPEC is the prototype of a C function, with the shapes of its tensors:\n\n"
    "  tvm-ffi wrap 'void softmax(float y[n][m], const float x[n][m], int n, int m)'\n"
    "  tvm-ffi wrap 'sort = int sort_i32(int y[n], const int x[n], int n)' --errors=nonzero\n"
    "  tvm-ffi wrap 'void half(int n, const float x[n:s] strides blas, int s, float y[n])'\n\n"
    "TYPE NAME[n][4] is a tensor that the CPU can read: an input if it is const, else an\n"
    "output. Extents of the same name must be equal. An integer parameter of such a name is read\n"
    "from the tensor, and not passed by the caller. [n, m] is [n][m] for a function that takes a\n"
    "pointer to the elements; [] is a tensor without dimensions. Tensors are contiguous, unless\n"
    "[n:s][m:1] gives the strides: a name, which may be that of an integer parameter, or a\n"
    "number; a dimension without one has the stride of a contiguous tensor. Strides are above 0\n"
    "unless NAME[n:s] strides any takes all, with the address of the first element, or strides\n"
    "blas those of BLAS: of a vector any but 0, with the lowest address; of a matrix "
    "NAME[n:s][m:1]\n"
    "or NAME[n:1][m:s] at least the other extent. NAME[n] align 16 begins at a multiple of 16\n"
    "bytes. TYPE restrict NAME[n] must not share memory with another tensor if one of them is\n"
    "written; NAME[n] inplace x may be exactly x.\n\n"
    "TYPE *NAME[n][4] is a work array, which the kernel allocates; a small one of constant\n"
    "extents is on the stack. Other parameters are numbers, which have to fit, const char * (text\n"
    "without a NUL) and void *. A name and = before the prototype is the name of the kernel, and\n"
    "text after // its description. An operand @FILE is a file with a SPEC in each line, in which\n"
    "# begins a comment line; @- is standard input.\n\n"
    "With --abi the SPEC has the arguments of a generated function, and the kernel makes of them\n"
    "what it takes. casadi: inputs (double NAME is one too) and outputs in CasADi's order, with\n"
    "its names and its numbers of rows and columns. memref: arguments of a function that MLIR\n"
    "compiles with the attribute llvm.emit_c_interface. halide: arguments of a function that\n"
    "Halide compiles ahead of time. The int of CasADi and Halide is an error code.\n\n"
    "  tvm-ffi wrap --abi=casadi 'int f(const double x[2][3], double a, double y[2])'\n"
    "  tvm-ffi wrap --abi=memref 'void f(const float x[n][m], float a, float y[n][m])'\n"
    "  tvm-ffi wrap --abi=halide 'int f(const float x[n][m], float a, float y[n][m])'";

/* ---- Recordings: show, replay ---- */

static const option kShowOptions[] = {
    {kOptionCall, "call", 0, "N", false, "show that call whole"},
    {kOptionCalls, "calls", 0, NULL, false, "list the calls, one in a line"},
    {kOptionHtml, "html", 0, "FILE", false,
     "write a page for browsers: a timeline, the functions, calls with pictures of their tensors"},
    {kOptionMatch, "match", 'm', "GLOB", true,
     "only functions with such names: * is any text, ? any character"},
    {kOptionFull, "full", 0, NULL, false,
     "print all elements, also of a tensor with more than 1000"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kShowText[] =
    "DIR is what record has written. The table has a line for each function, with how many of its\n"
    "calls were recorded, how many there were, how many of the recorded ones raised an error, and\n"
    "how many never returned; the bytes are those of the tensors before each call. Below it are\n"
    "the signatures, each with its number of calls. Tensors are written as for run: with their\n"
    "data type, shape, and how they lie in memory.\n\n"
    "A recording that is damaged is refused, with the file and line. A last line that was not\n"
    "finished, as a crash leaves it, is left out with a note. --call with --json prints the two\n"
    "events of the call, with the keys of the one that it repeats.\n\n"
    "The page of --html is one file that needs no other and no network. It shows all calls, those\n"
    "that --match chooses, or the one of --call, and says what it leaves out: it has a timeline "
    "of\n"
    "each thread, the functions with their times, and at most 300 calls with arguments, results\n"
    "and errors. Texts of the recording cannot become part of its markup.\n\n"
    "  tvm-ffi show seen --calls --match 'c*'\n"
    "  tvm-ffi show seen --call 1\n"
    "  tvm-ffi show seen --html seen.html";

static const option kReplayOptions[] = {
    {kOptionLib, "lib", 'l', "LIB", false,
     "the library to call, instead of the recorded one of that file name; of all, if none has it"},
    {kOptionAgainst, "against", 0, "LIB", false,
     "compare with what that library does, instead of with what was recorded"},
    {kOptionHtml, "html", 0, "FILE", false,
     "write a page for browsers, as show does, with what differs side by side"},
    {kOptionMatch, "match", 'm', "GLOB", true,
     "only functions with such names: * is any text, ? any character"},
    {kOptionRtol, "rtol", 0, "X", false,
     "allowed error relative to what is expected (default: by data type; 0 with --atol)"},
    {kOptionAtol, "atol", 0, "X", false,
     "allowed absolute error (default: by data type; 0 with --rtol)"},
    {kOptionDevice, "device", 0, "DEVICE", false,
     "where tensors are made that were on a device: cuda:N (default: such calls are left out)"},
    {kOptionBench, "bench", 0, NULL, false,
     "measure the calls, as bench does, beside those of --against, instead of comparing them"},
    {kOptionEmit, "emit", 0, "c|python", false,
     "write a program that makes one call without this one, instead of making it"},
    {kOptionOutput, "output", 'o', "FILE", false,
     "where --emit writes it (default: standard output)"},
    {kOptionRedact, "redact", 0, NULL, false,
     "with --emit: random numbers in tensors, from the least to the greatest of each"},
    {kOptionTimeout, "timeout", 0, "SECONDS", false,
     "how long loading and a call may take (default 60, a call as long as it likes)"},
    {kOptionNoFork, "no-fork", 0, NULL, false, "load and call in this process, for a debugger"},
    COMPILE_OPTION,
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kReplayText[] =
    "Each call is made in a process of its own, with tensors that lie in memory as they did: with\n"
    "the same strides, byte_offset, alignment, flags, and the same memory for those that shared "
    "it.\n"
    "CALLS are numbers, as 3,7-9 (default: all). A line says of each call whether its outputs, or\n"
    "its error, are the recorded ones, or the first difference, and the largest with its place.\n"
    "Of an error, kind and message are compared.\n\n"
    "What cannot be repeated is said and counted: functions and opaque pointers among the\n"
    "arguments, objects of types that the library does not register, data that was left out. A\n"
    "call that never returned is made again, and fails if it crashes again.\n\n"
    "The exit code is that of the first call that is not as expected: 3 for other outputs, 1 for "
    "an\n"
    "error or a crash. It is 3 as well if no call could be repeated.\n\n"
    "The page of --html is that of show, for the calls that were made again. It lists those that\n"
    "differ, and shows each tensor that differs three times, side by side: what was expected,\n"
    "what it is now, and the distance between the two.\n\n"
    "  tvm-ffi replay seen\n"
    "  tvm-ffi replay seen 1 --lib libscale.so --atol=1e-6\n"
    "  tvm-ffi replay seen --lib libscale.so --against old/libscale.so\n"
    "  tvm-ffi replay seen --html seen.html\n"
    "  tvm-ffi replay seen 1 --bench\n"
    "  tvm-ffi replay seen 1 --emit=c -o report.c";

/* ---- Calls: run, bench ---- */

/* The options that describe a call, of `run`, `bench` and `probe`. */
/* clang-format off */
#define LIBRARY_OPTIONS(modules)                                                          \
  {kOptionModule, "module", 0, "LIB", modules,                                            \
   "the library, instead of an operand; - is standard input"},                            \
  {kOptionFunction, "function", 'f', "NAME", false,                                       \
   "the function (default: the only one there is)"},                                      \
  {kOptionInput, "input", 'i', "SPEC", true, "an argument (default: none)"},              \
  {kOptionSeed, "seed", 0, "N", false, "where the numbers of =rand begin (default 0)"},   \
  {kOptionDevice, "device", 0, "DEVICE", false,                                           \
   "where tensors are that are arguments: cpu or cuda:N (default cpu)"},                  \
  COMPILE_OPTION
/* Those of `run` and `bench`. */
#define CALL_OPTIONS(modules)                                                             \
  LIBRARY_OPTIONS(modules),                                                               \
  {kOptionGuard, "guard", 0, "end|start", false,                                          \
   "what reaches beyond that side of a tensor crashes (default: nothing does)"},          \
  {kOptionTimeout, "timeout", 0, "SECONDS", false,                                        \
   "how long loading, asking and a call may take (default 60, a call as long as it likes)"},\
  {kOptionNoFork, "no-fork", 0, NULL, false, "load and call in this process, for a debugger"},  \
  {kOptionIsolated, "isolated", 0, "[=OPTIONS]", false,                                   \
   "load and call as a host does that names it isolated,OPTIONS:LIB; OPTIONS are such as " \
   "timeout=2,memory=1000000000,forbids=network+files"}
/* clang-format on */

static const option kRunOptions[] = {
    CALL_OPTIONS(false),
    {kOptionOutput, "output", 'o', "SPEC", true,
     "where an output goes: - (printed), @FILE (.npy, or raw bytes), +FILE (append), empty: "
     "nowhere (default: all are printed)"},
    {kOptionExpectedOutput, "expected_output", 'e', "SPEC", true,
     "what an output must be, as an input is written; (ignored) skips one"},
    {kOptionRtol, "rtol", 0, "X", false,
     "allowed error relative to what is expected (default: by data type; 0 with --atol)"},
    {kOptionAtol, "atol", 0, "X", false,
     "allowed absolute error (default: by data type; 0 with --rtol)"},
    {kOptionOutputMaxElementCount, "output_max_element_count", 0, "N", false,
     "print the first N elements of each tensor"},
    {kOptionFull, "full", 0, NULL, false,
     "print all elements, also of a tensor with more than 1000 (default: the first and last three "
     "of each dimension)"},
    {kOptionPrintStatistics, "print_statistics", 0, NULL, false,
     "say how long loading and the call took"},
    {kOptionLeakCheck, "leak-check", 0, NULL, false,
     "call twice; fail if the second leaves objects alive"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kRunDescription[] =
    "An argument is a number (3, 2.5), true, false, none, a tensor, or one of\n"
    "  i:3  f:3  b:true  s:\"text\"  x:@FILE (bytes)  dtype:float32  dev:cuda:0  shape:[2,3]\n"
    "  [1, 2.5, \"a\"]  {k: \"v\"}  fn:echo (or any global function).\n"
    "A tensor is\n"
    "  2x2xf32=1 2 3 4  2x2xi32=[[1 2][3 4]]  4xbf16=0.5 (all the same)  4xf32=rand\n"
    "  4xf32=@FILE (raw bytes)  4xf32=+FILE (the bytes that follow)\n"
    "  @FILE.npy  +FILE.npy (the next array in it)  *FILE.npy (all the rest)\n"
    "  &4xf32, 4xf32 (zeros, for the function to fill).\n"
    "Behind the type, @FILE.npy or +FILE.npy may stand how it lies in memory:\n"
    "  4x4xf32[::2, 1:]=1 (a part, as in NumPy)  4x4xf32.T  @x.npy.order(F)  .strides(0, 1)\n"
    "  .byte_offset(8)  .misaligned(1)  .guard(end)  .guard(start)  .fill(0x7f) (gaps)\n"
    "  .readonly  .reserved (no memory)  .device(cuda:1) (says so)  .dltensor (not a Tensor)\n"
    "  arg[0], arg[0][1:], arg[0].base[1:] (the memory of an argument before it).\n"
    "If the function changes a byte of such a tensor's gaps, the exit code is 5.\n\n"
    "If the library has the types of its functions, a plain 3 becomes a float, and a plain word a\n"
    "string, where the function takes one.\n\n"
    "A LIB may be a source (.c, .cc, .cpp, .cxx, .cu), an object file or an archive. It is\n"
    "compiled by $CC, $CXX or $NVCC (default cc, c++, nvcc), with the headers of this project,\n"
    "-O2 and the flags of --cflags. The library is kept in $XDG_CACHE_HOME/tvm-ffi, or in\n"
    "~/.cache/tvm-ffi, and used again as long as the command and all files that it reads are the\n"
    "same.\n\n"
    "With --isolated the library is an isolated module: it is loaded and called in a helper\n"
    "process, to which arguments are copied. What ends the helper is an error of the call, such\n"
    "as HelperCrashError, with exit code 1, or 4 while it was loaded. A LIB named isolated:LIB or\n"
    "isolated,OPTIONS:LIB is the same. What the library prints goes to standard error, unless\n"
    "OPTIONS have shows_output=0. On Linux, with libtvm_ffi_isolated; for macOS that is compiled,\n"
    "but was never run.\n\n"
    "The outputs are the result, then the tensors given to be filled, and those that the call\n"
    "changed. They are printed, unless --output or --expected_output says something else. --json\n"
    "prints all elements, whether to a terminal or not.\n\n"
    "A number is as expected when it differs by no more than ATOL + RTOL * |expected|. By data\n"
    "type these are 1e-6 and 1e-5 for f32, 1e-12 and 1e-9 for f64, 1e-6 and two units in the last\n"
    "place for narrower floats, 0 for integers.\n\n"
    "  tvm-ffi run libscale.so 'scale(@x.npy, 2.5, &4xf32)' --output=@y.npy\n"
    "  tvm-ffi run libscale.so -f scale -i 4xf32=1 -i 2.5 -i 4xf32 -e '4xf32=2.5'\n"
    "  tvm-ffi run scale.c 'scale(4xf32=1, 2.5, &4xf32)'\n"
    "  tvm-ffi run --isolated=timeout=2 libscale.so 'scale(4xf32=1, 2.5, &4xf32)'\n"
    "  tvm-ffi run libscale.so 'scale(8xf32[2:6]=1, 2.5, &4xf32.guard(end))'";

static const option kBenchOptions[] = {
    CALL_OPTIONS(true),
    {kOptionMinTime, "min_time", 0, "SECONDS", false, "how long to measure (default 0.5)"},
    {kOptionWarmup, "warmup", 0, "SECONDS", false, "how long to call before that (default 0.1)"},
    {kOptionRepeat, "repeat", 0, "N", false,
     "how many samples to take (default: as many as --min_time allows, 7 at least)"},
    {kOptionCompare, "compare", 0, "FILE", false,
     "compare with what --json has printed to that file before"},
    {kOptionFull, "full", 0, NULL, false, "show all percentiles and the number of samples"},
    {kOptionHistogram, "histogram", 0, NULL, false, "draw how often each time was measured"},
    {kOptionSvg, "svg", 0, "FILE", false, "write that drawing as SVG"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const option kProbeOptions[] = {
    LIBRARY_OPTIONS(false),
    {kOptionTimeout, "timeout", 0, "SECONDS", false,
     "how long loading, asking and each call may take (default 20)"},
    {kOptionRtol, "rtol", 0, "X", false,
     "allowed error relative to the result of the call (default: by data type; 0 with --atol)"},
    {kOptionAtol, "atol", 0, "X", false,
     "allowed absolute error (default: by data type; 0 with --rtol)"},
    {kOptionOnly, "only", 0, "ROW", true,
     "only these rows, groups or calls, as misaligned, layouts, misaligned:0:byte; * is any text"},
    {kOptionSkip, "skip", 0, "ROW", true, "all but these"},
    {kOptionNondeterministic, "nondeterministic", 0, NULL, false,
     "the same call may give other bits, within the allowed error"},
    {kOptionLib, "lib", 'l', "LIB", false,
     "the library to call, instead of the one of the recorded call"},
    {kOptionRuntime, "runtime", 0, "LIB", false,
     "the libtvm_ffi.so to run on, of any origin (default: the one of this program); on Linux"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kProbeText[] =
    "From one call that works, every related call is made, each in a process of its own. The call\n"
    "is written as for run, with &4xf32 for what the function fills; a tensor that it changes is\n"
    "an output, too, and all others are inputs. Tensors are given without a layout and arg[N]:\n"
    "probe makes the layouts itself. A verdict is passed, refused (the function raised an\n"
    "error) or FAIL; one FAIL makes the exit code 5. These are a FAIL anywhere: a crash, a\n"
    "call that takes longer than --timeout, a write outside of the outputs, a changed input, and\n"
    "-1 without an error. The rows, and what else they fail for:\n\n"
    "layouts: the same values otherwise in memory. FAIL: other numbers\n"
    "  offset       data begins behind byte_offset\n"
    "  misaligned   data begins one element off its alignment, and one byte\n"
    "  strided      every stride is doubled\n"
    "  transposed   elements are in column-major order\n"
    "  negative     strides are negative\n"
    "  broadcast    a dimension of an input has stride 0\n"
    "  unit         dimensions of extent 1 have arbitrary strides\n"
    "  page-end     there is no memory behind the elements, page-begin: before them\n"
    "  read-only    inputs are in memory that cannot be written\n"
    "  pinned       host memory says that it is on device cuda_host, managed: cuda_managed\n"
    "  view         a DLTensor is passed in place of the Tensor\n"
    "shapes: what a function may take or refuse\n"
    "  extent-0     an extent is 0, extent-1: it is 1, wherever the call has it\n"
    "  unequal      an extent that another tensor has as well is one more, and one less\n"
    "  more-dims    there is one more dimension, of extent 1. FAIL: other numbers\n"
    "  fewer-dims   two dimensions are one. FAIL: other numbers\n"
    "  huge         extents are above 2^31 and 2^32. FAIL: it returns without using them\n"
    "state: what should not depend on other calls, nor stay behind\n"
    "  repeat       the same call again. FAIL: other bits\n"
    "  threads      the same call in two threads at once. FAIL: other bits\n"
    "  allocator    allocations of tensors, and of the runtime, fail\n"
    "  objects      objects stay alive, or an argument has more references\n"
    "  descriptors  files stay open, mappings: memory stays mapped\n"
    "  rounding     how floating-point numbers are rounded, locale, signals: their handlers\n"
    "calls: what has to be refused. FAIL: the call returns\n"
    "  missing      an argument is left out, extra: there is one too many\n"
    "  none         None is passed in place of an argument, type: a value of another type\n"
    "  dtype        elements have another type. FAIL: they are taken for those of the old one\n"
    "  device       a tensor is on another device, null: its data is NULL\n"
    "  named        FAIL: the error of such a call does not say which argument is wrong\n\n"
    "The call may be one of a recording: DIR is its folder, CALL the number (default: the first "
    "one\n"
    "that returned). Each tensor then has memory of its own.\n\n"
    "What the library prints is shown with --only. The page docs/guide/probe.md has the usual\n"
    "causes and cures.\n\n"
    "  tvm-ffi probe libscale.so 'scale(4x3xf32=rand, 2.5, &4x3xf32)' --only=layouts\n"
    "  tvm-ffi probe scale.c 'count(4x3xf32=rand)' --skip=calls --nondeterministic";

#if !PROCESSES_ARE_COPIED
/* Each call needs a copy of the process that has read the arguments. */
int command_probe(const arguments *args) {
  (void)args;
  return report_fail(kExitUsage,
                     "probe does not run on Windows, which cannot copy processes; probe "
                     "a library made of the same sources on Linux or macOS");
}
#endif

/* ---- Recordings: record ---- */

static const option kRecordOptions[] = {
    {kOptionOutput, "output", 'o', "DIR", false,
     "the folder to write, without a recording in it yet (default recording)"},
    {kOptionFirst, "first", 0, "N", false,
     "the first N calls of each signature (default 3, without another option that chooses "
     "calls)"},
    {kOptionEvery, "every", 0, "N", false, "every Nth call of each signature, from its first on"},
    {kOptionAll, "all", 0, NULL, false, "every call"},
    {kOptionOnError, "on-error", 0, NULL, false,
     "only calls that fail; the inputs of each call are kept in memory until it has ended"},
    {kOptionMatch, "match", 'm', "GLOB", true,
     "only functions with such names: * is any text, ? any character"},
    {kOptionSkip, "skip", 0, "GLOB", true, "all functions but these"},
    {kOptionLib, "lib", 'l', "GLOB", true,
     "only functions of libraries with such a path or file name"},
    {kOptionMaxBytes, "max-bytes", 0, "BYTES", false,
     "leave out the memory of tensors that take more (default 1 GiB)"},
    {kOptionMaxTotal, "max-total", 0, "BYTES", false,
     "leave out memory once a process has written so much (default 16 GiB)"},
    {kOptionNoData, "no-data", 0, NULL, false, "leave out the memory of all tensors"},
    {kOptionTrace, "trace", 0, "FILE", false,
     "instead of a recording, write a trace of all calls for Perfetto or chrome://tracing to FILE, "
     "and at the end a table of the time they took to stderr"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};
static const char kRecordText[] =
    "COMMAND is any program that loads kernel libraries, by this runtime or the reference's: "
    "Python\n"
    "with apache-tvm-ffi, TVM, a program in C. It runs with a library preloaded, and its results,\n"
    "messages and exit code are its own. Without an option that chooses calls, the first three of\n"
    "each signature (name, types, shapes, layouts) are recorded, and each that fails. The inputs "
    "of\n"
    "a call are on disk before the function starts, so that the last call before a crash is "
    "there.\n"
    "A full disk ends the recording with a message, and the program goes on. Processes that "
    "COMMAND\n"
    "starts are recorded as well.\n\n"
    "The page docs/guide/record.md says what is seen and what is not. For Linux; for macOS it is\n"
    "compiled, but was never run.\n\n"
    "  tvm-ffi record -o seen -- tvm-ffi run libscale.so 'count(4xf32=1)'\n"
    "  tvm-ffi record --all --match 's*' -o all -- sh -c 'exec python3 --version'";

const command kCommands[] = {
    {"list", "LIB...", "Show the functions and modules in libraries", kListText, kListOptions, 1,
     -1, command_list},
    {"run", "LIB ['FUNCTION(ARGUMENT, ...)']", "Call a function of a library", kRunDescription,
     kRunOptions, 0, 2, command_run},
    {"bench", "LIB [OTHER-LIB] ['FUNCTION(ARGUMENT, ...)']",
     "Measure a function of a library, or of two side by side",
     "Arguments are written as for run. A sample is as many calls as the clock measures to a\n"
     "thousandth; libraries are sampled in turn. The runtime's share is what a function that does\n"
     "nothing takes with the same arguments. Bytes per second count each tensor argument once, in\n"
     "the time of the median. A difference is significant when the 95 % confidence interval of "
     "the\n"
     "ratio of the medians is beyond 1 %. Each sample ends when work on the device is finished. A\n"
     "last operand that is not a file, and is not named like a library, is the function.\n"
     "isolated:LIB beside LIB shows what a helper process costs.\n\n"
     "  tvm-ffi bench libscale.so 'scale(1024xf32=rand, 2.5, &1024xf32)'\n"
     "  tvm-ffi bench libscale.so isolated:libscale.so 'scale(1024xf32=rand, 2.5, &1024xf32)'\n"
     "  tvm-ffi bench libscale.so old/libscale.so -f count -i 4xf32 --histogram",
     kBenchOptions, 0, 3, command_bench},
    {"probe", "LIB ['FUNCTION(ARGUMENT, ...)'] | DIR [CALL]",
     "Make every call related to one that works, and say which go wrong", kProbeText, kProbeOptions,
     0, 2, command_probe},
    {"record", "-- COMMAND...", "Run a program, and record its calls of kernels", kRecordText,
     kRecordOptions, 1, -1, command_record},
    {"show", "DIR", "Show what is in a recording", kShowText, kShowOptions, 1, 1, command_show},
    {"replay", "DIR [CALLS]", "Make recorded calls again, and compare what they do", kReplayText,
     kReplayOptions, 1, 2, command_replay},
    {"check", "LIB...", "Say which runtimes and systems libraries need, and what is wrong",
     kCheckText, kCheckOptions, 1, -1, command_check},
    {"embed", "FILE...", "Make C or an object file of files, or of modules for a library",
     kEmbedText, kEmbedOptions, 1, -1, command_embed},
    {"unpack", "LIB", "Take modules out of a library", kUnpackText, kUnpackOptions, 1, 1,
     command_unpack},
    {"stub", "LIB", "Write typed wrappers of a library's functions", kStubText, kStubOptions, 1, 1,
     command_stub},
    {"wrap", "SPEC...|@FILE", "Write kernels that check their arguments and call functions of C",
     kWrapText, kWrapOptions, 1, -1, command_wrap},
    {"registry", "", "List global functions with their signatures", kRegistryText,
     kRegisteredOptions, 0, 0, command_registry},
    {"types", "", "List object types with their fields and methods", kTypesText, kRegisteredOptions,
     0, 0, command_types},
    {"info", "", "Say what library this is, to paste into a report", "", kNoOptions, 0, 0,
     command_info},
    {"config", "", "Print the flags for compiling with this library",
     "Each flag prints a line, in a fixed order; --json without a flag prints all of them, with\n"
     "null for what is not installed. The folders are relative to the program, so an installation\n"
     "may be moved as a whole. Under the name tvm-ffi-config, the program is this command, with\n"
     "the flags of the reference's program of that name:\n\n"
     "  nvcc -shared -O3 k.cu -o k.so -Xcompiler -fPIC,-fvisibility=hidden \\\n"
     "    $(tvm-ffi-config --cxxflags) $(tvm-ffi-config --ldflags) $(tvm-ffi-config --libs)",
     kConfigOptions, 0, 0, command_config},
};
const size_t kNumCommands = sizeof kCommands / sizeof *kCommands;

const command *command_find(const char *name) {
  size_t i;
  for (i = 0; i < kNumCommands; ++i) {
    if (strcmp(kCommands[i].name, name) == 0) return &kCommands[i];
  }
  return NULL;
}
