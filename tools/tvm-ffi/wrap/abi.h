/* SPDX-License-Identifier: Apache-2.0 */
/* How kernels call the functions of code generators. Each way to call has a file abi_NAME.c. */
#ifndef TVM_FFI_TOOL_ABI_H_
#define TVM_FFI_TOOL_ABI_H_

#include "wrap/wrap.h"

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

/* ---- Shared by several ---- */

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

/* How tensors are described, if the function takes a pointer to a description of each. */
typedef struct {
  const char *prefix;                          /* of the function's name */
  const char *suffix;                          /* of the kernel's variables */
  char *(*make_type)(const spec_param *param); /* of a description; release with free() */
} wrap_description;

/* Appends the declaration of such a function, the kernel's variables, and the call. */
void wrap_write_described_prototype(text_buf *out, const spec *target,
                                    const wrap_description *kind);
void wrap_write_described_variables(text_buf *out, const spec *target,
                                    const wrap_description *kind);
void wrap_write_described_call(text_buf *out, const spec *target, const wrap_description *kind);

#endif /* TVM_FFI_TOOL_ABI_H_ */
