/* SPDX-License-Identifier: Apache-2.0 */
/* A call as the command line has it: LIB 'f(a, b)', or IREE's --module, --function and --input. */
#ifndef TVM_FFI_TOOL_CALL_H_
#define TVM_FFI_TOOL_CALL_H_

#include "base/command.h"
#include "library/library.h"
#include "value/input.h"

enum { kMaxLibraries = 2 };

typedef struct {
  const arguments *args;
  const char *paths[kMaxLibraries];
  size_t num_paths;
  char *function;         /* NULL: the only one that the library has */
  const char *parameters; /* what stands between the parentheses; NULL: --input says it */
  size_t parameters_size;
  input_reader *reader;
  DLDevice device; /* of tensors */
} call;

/* The libraries and the name, of up to max_libraries; false when reported. */
bool call_parse(const arguments *args, size_t max_libraries, call *out);
void call_free(call *of);

/* Runs the body where the libraries may be loaded, which is a child as the command line has it; the
 * exit code. */
int call_run(const call *of, int (*body)(void *context), void *context);

typedef struct {
  library from;
  TVMFFIObjectHandle function;
} kernel;

/* Loads the i-th library and finds the function; false when reported, a matter of *exit_code:
 * kExitLoad, or kExitUsage where the function is not there or was to be named. */
bool call_load(call *of, size_t i, kernel *out, int *exit_code);
void kernel_free(kernel *of);

/* The values to call it with; false when reported. */
bool call_read_inputs(call *of, const schema_type *types, input_list *to);

/* Views of the values, of free(). */
TVMFFIAny *call_view_inputs(const input_list *inputs);

#endif /* TVM_FFI_TOOL_CALL_H_ */
