/* SPDX-License-Identifier: Apache-2.0 */
/* A call on the command line: LIB 'f(a, b)', or IREE's --module, --function and --input. */
#ifndef TVM_FFI_TOOL_CALL_H_
#define TVM_FFI_TOOL_CALL_H_

#include "commands/commands.h"
#include "library/library.h"
#include "process/supervise.h"
#include "value/input.h"

enum { kMaxLibraries = 2 };

/* clang-format off */
/* The options that describe a call, of run, bench and probe. */
#define LIBRARY_OPTIONS(modules)                                                          \
  {kOptionModule, "module", 0, "LIB", modules,                                            \
   "the library, instead of an operand; - is standard input"},                            \
  {kOptionFunction, "function", 'f', "NAME", false,                                       \
   "the function (default: the only one)"},                                      \
  {kOptionInput, "input", 'i', "SPEC", true, "an argument (default: none)"},              \
  {kOptionSeed, "seed", 0, "N", false, "the seed of =rand (default 0)"},   \
  {kOptionDevice, "device", 0, "DEVICE", false,                                           \
   "the device of tensor arguments: cpu, cuda:N, or that of a plugin, such as opencl:N (default cpu)"}, \
  COMPILE_OPTION
/* Those of run and bench. */
#define CALL_OPTIONS(modules)                                                             \
  LIBRARY_OPTIONS(modules),                                                               \
  {kOptionGuard, "guard", 0, "end|start", false,                                          \
   "crash at an access beyond that side of a tensor (default: no guard)"},          \
  {kOptionTimeout, "timeout", 0, "SECONDS", false,                                        \
   "how long loading, asking and a call may take (default 60; no limit for a call)"}, \
  NO_FORK_OPTION,                                                                         \
  {kOptionIsolated, "isolated", 0, "[=OPTIONS]", false,                                   \
   "load and call it like a host that names it isolated,OPTIONS:LIB; OPTIONS are, for example, timeout=2,memory=1000000000,forbids=network+files"}
/* clang-format on */

typedef struct {
  text_list inputs; /* of --input */
  const char *device_name;
  supervision settings;
  const char *names[kMaxLibraries]; /* of libraries, as on the command line */
  const char *paths[kMaxLibraries];
  char *isolated[kMaxLibraries]; /* the options of a helper process, empty or behind a comma; NULL:
                                    the library is loaded in this process */
  size_t num_paths;
  char *function;         /* NULL: the library's only one */
  bool is_recorded;       /* the function was named by a recording */
  const char *parameters; /* the text between the parentheses; NULL: --input is used */
  size_t parameters_size;
  input_reader *reader;
  DLDevice device; /* where tensors are copied to */
} call;

/* Reads the options that all calls have, the function and up to max_libraries libraries; false
 * after a report. */
bool call_parse(const arguments *args, size_t max_libraries, call *out);
void call_free(call *request);

/* Whether one of the libraries is loaded in a helper process. */
bool call_is_isolated(const call *request);

/* Runs the body in the process where libraries may be loaded: a child, unless --no-fork was given.
 * Returns the exit code. */
int call_in_child(const call *request, int (*body)(void *context), void *context);

typedef struct {
  loaded_library lib;
  TVMFFIObjectHandle function;
} kernel;

/* Loads the i-th library and finds the function; false after a report, with *exit_code kExitLoad,
 * or kExitUsage if the function is missing or must be named. */
bool call_load(call *request, size_t i, kernel *out, int *exit_code);
void kernel_free(kernel *callee);

/* Reads the arguments of the call; false after a report. */
bool call_read_inputs(call *request, const schema_type *types, input_list *inputs);

/* Raises a result that is an Error; -1 then, and the result is released. */
int call_raise_result(TVMFFIAny *result);

/* bench with its default options, for one call of a recording: loads the libraries of the request,
 * and measures the arguments that `make` makes then: views, of which only the list is released. The
 * libraries stay loaded, since what the arguments are views of may be theirs.
 * Returns the exit code; so does `make`. */
int bench_recorded(call *request, bool as_json,
                   int (*make)(void *context, DLDevice device, input_list *out), void *context);

/* Views of the values; release with free(). */
TVMFFIAny *call_view_inputs(const input_list *inputs);

#endif /* TVM_FFI_TOOL_CALL_H_ */
