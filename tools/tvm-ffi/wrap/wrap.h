/* SPDX-License-Identifier: Apache-2.0 */
/* Writes exported kernels that check their arguments and call functions of C. */
#ifndef TVM_FFI_TOOL_WRAP_H_
#define TVM_FFI_TOOL_WRAP_H_

#include "wrap/spec.h"

typedef struct wrap_abi wrap_abi;

typedef struct {
  const spec *specs;
  size_t num_specs;
  const wrap_abi *abi;         /* how the functions are called */
  bool is_lean;                /* without headers of ours */
  bool result_is_error;        /* a result other than 0 becomes an error */
  const char *const *includes; /* the user's headers */
  size_t num_includes;
} wrap_request;

void wrap_write(text_buf *out, const wrap_request *request);

/* ---- Shared by wrap.c and the ABIs: wrap_shared.c ---- */

/* A list that begins where the text ends, after a parenthesis. */
typedef struct {
  text_buf *out;
  int indent;
  const char *separator; /* before the next item: ",", or empty */
} wrap_list;
wrap_list wrap_begin_list(text_buf *out);
/* Appends an item; on a new line, below the first one, if the line is full. */
void wrap_add_item(wrap_list *list, const char *format, ...) TOOL_PRINTF(2, 3);
/* Appends a text as it is written in a string literal. */
void wrap_add_escaped(text_buf *out, const char *plain);
/* The value of an extent or a stride in the kernel: "n", "4"; release with free(). */
char *wrap_value(const spec *target, const spec_number *number);
/* The value of a parameter that is passed as it is, converted to its type; release with free(). */
char *wrap_argument(const spec *target, const spec_param *param);
/* The DLTensor * of a tensor: an argument, or a result; release with free(). */
char *wrap_tensor(const spec_param *param);
/* The elements of a tensor or work array whose extents are constants; 0 if one is not. */
size_t wrap_count_elements(const spec_param *param);
/* Whether a work array is large, or of an extent that is not constant: it is not on the stack. */
bool wrap_is_allocated(const spec_param *param);
/* Whether an integer type may have 64 bits: then every int64_t may be within its limits. */
bool wrap_is_wide(const spec_type *type);
/* Whether any dimension has a stride in the spec. */
bool wrap_is_strided(const spec_param *param);
/* The lines of wrap_runtime.h and abi_NAME_runtime.h, and of tvm_ffi_kernel.h and
 * tvm_ffi_kernel_more.h; they end with NULL. */
extern const char *const kWrapRuntime[], *const kKernelHeader[], *const kKernelMore[];
extern const char *const kWrapCasadiRuntime[], *const kWrapMemrefHalideRuntime[];
/* Whether the text has a word: no letter, digit or underscore is before or after it. */
bool wrap_has_word(const char *in, const char *word, size_t size);
/* Appends those parts of a file whose names are among the words of `used`, and those that they use
 * themselves; adds them to `used`. */
void wrap_add_parts(text_buf *out, const char *const *lines, text_buf *used);

/* Whether the function's result is a result of the kernel. */
bool wrap_has_value(const wrap_request *request, const spec *target);
/* The results of a kernel: the function's, then the tensors. */
size_t wrap_count_results(const wrap_request *request, const spec *target);
/* Whether something has to be released at the end: the kernel leaves by `goto done`. */
bool wrap_is_owner(const spec *target);

/* ---- ABIs: how kernels call the functions of code generators ---- */

struct wrap_abi {
  const char *name;           /* of the option --abi */
  bool result_is_error;       /* functions return an int, which is not 0 after an error */
  const char *const *runtime; /* what kernels use, in parts as in wrap_runtime.h; NULL: nothing */
  /* Refuses, with a report, a spec that such functions do not have; NULL: takes all. `earlier` are
   * the specs before it in the same file. */
  bool (*check)(const spec_source *source, const spec *earlier, size_t num_earlier,
                const spec *target);
  /* Appends what stands before the declarations, such as types that they need; NULL: nothing. */
  void (*write_before)(text_buf *out, const wrap_request *request);
  /* Appends the declaration of the function, and what else the kernel uses of the generator. */
  void (*write_prototype)(text_buf *out, const spec *target);
  /* Appends the kernel's variables for the call. */
  void (*write_variables)(text_buf *out, const spec *target);
  /* Appends statements that call the function and raise its error. All arguments are checked, and
   * all results allocated. */
  void (*write_call)(text_buf *out, const wrap_request *request, const spec *target);
};

extern const wrap_abi kWrapPlain, kWrapCasadi, kWrapMemref, kWrapHalide;

/* The ABI of a number, in the order of the words of --abi; NULL: there are no more. In wrap.c. */
const wrap_abi *wrap_abi_at(size_t i);

/* ---- Shared by the ABIs: wrap_shared.c ---- */

/* Reports a result other than an int, the error code. */
bool wrap_check_error_code(const spec_source *source, const wrap_abi *abi, const spec *target);
/* Reports a work array. */
bool wrap_check_no_work(const spec_source *source, const wrap_abi *abi, const spec *target);

/* Appends the type of the function's result, before its name. */
void wrap_write_result(text_buf *out, const spec_type *type);
/* Appends a parameter that is passed as a value. */
void wrap_write_value_parameter(wrap_list *list, const spec_param *param);
/* Appends the variable of the function's result, if it has one. */
void wrap_write_returned(text_buf *out, const spec *target);
/* Appends a statement that leaves the kernel with an error if the function returned an error code.
 */
void wrap_write_failure(text_buf *out, const spec *target);
/* The same in two parts: between them the caller appends an expression that raises the error. */
void wrap_begin_failure(text_buf *out, const spec *target);
void wrap_end_failure(text_buf *out, const spec *target);

#endif /* TVM_FFI_TOOL_WRAP_H_ */
