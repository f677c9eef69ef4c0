/* SPDX-License-Identifier: Apache-2.0 */
/* Writes exported kernels that check their arguments and call functions of C. */
#ifndef TVM_FFI_TOOL_WRAP_H_
#define TVM_FFI_TOOL_WRAP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* ---- A SPEC: the prototype of a C function, with the shapes of its tensors: spec*.c ---- */

typedef enum {
  kTypeVoid,
  kTypeBool,
  kTypeInt,
  kTypeUint,
  kTypeWide, /* an unsigned integer that may have 64 bits */
  kTypeFloat,
  kTypeHalf,    /* floating-point numbers of 16 bits, in tensors only */
  kTypeComplex, /* as two numbers */
  kTypeChar,    /* char, as a text of one character */
  kTypeText,    /* const char * */
  kTypePointer, /* void *, const void * */
  kTypeHandle,  /* a pointer to a type of the user's, as an object */
  kTypeFunction,
  kTypeStruct /* a structure, as a Map */
} spec_kind;

typedef struct {
  const char *name; /* as C spells it: "unsigned int" */
  spec_kind kind;
  const char *dtype;      /* of tensors with such elements, an expression; NULL: there are none */
  const char *low, *high; /* its limits, expressions; NULL: those of int64_t, or not an integer */
} spec_type;

/* A part of an expression: a name, a number (NULL, 0), or an operator of the two values before it.
 */
typedef struct {
  char operator_; /* + - * /, < for min, > for max */
  char *name;
  int64_t value;
  size_t column;
} spec_term;

/* An extent or a stride. */
typedef struct {
  char *name;       /* NULL: a constant, or an expression */
  char *constant;   /* what the user's headers call the constant; NULL: nothing */
  int64_t value;    /* of a constant */
  size_t column;    /* where it is in the text */
  char *text;       /* of an extent that is an expression, such as n/2+1; NULL: it is none */
  spec_term *terms; /* its parts, operators behind what they are of */
  size_t num_terms;
} spec_number;

typedef struct {
  spec_number extent, stride;
  bool has_stride;
} spec_dim;

typedef enum {
  kParamScalar,
  kParamTensor,
  kParamWork,
  kParamBytes,    /* text or bytes with their length */
  kParamBuffer,   /* bytes that the function writes: a result of the kernel */
  kParamConstant, /* the same value in each call */
  kParamCallback, /* a function that the caller passes */
  kParamContext   /* what such a function gets as its void * */
} spec_form;

/* How the function takes a number. */
typedef enum {
  kByValue,
  kIn,   /* the address of one that it reads */
  kOut,  /* the address of one that it writes: a result of the kernel */
  kInOut /* both */
} spec_direction;

/* Where the size of a buffer is after the call. */
typedef enum {
  kSizeAll, /* it is the whole buffer */
  kSizeResult,
  kSizeParam, /* a number that the function writes */
  kSizeText   /* the text ends at a NUL */
} spec_size;

/* A constant of an enumeration. */
typedef struct {
  char *name;
  int64_t value;
} spec_choice;

/* What a handle needs and keeps alive. */
typedef struct {
  char *name; /* of a parameter: a handle, a tensor or a text that is passed */
  size_t column;
  bool is_instead; /* of what an earlier call kept */
} spec_owner;

typedef struct {
  char *name;    /* as the header has it: "enum color"; NULL: that of the spec_type */
  char *handle;  /* of kTypeHandle: the type that it points to, without struct and const */
  char *release; /* the function that ends a new handle; NULL: nothing does */
  spec_owner *owners;
  size_t num_owners;
  struct spec *fields; /* of kTypeStruct: the parameters are its fields */
  spec_choice *choices;
  size_t num_choices;
} spec_c_type;

/* What a function does if it fails. */
typedef enum {
  kErrorNone,     /* it has no error code */
  kErrorNonzero,  /* it returns a number other than 0 */
  kErrorZero,     /* it returns 0 */
  kErrorNegative, /* it returns a number below 0 */
  kErrorNull      /* it returns NULL */
} spec_failure;

/* The function that has the text of an error, and its arguments: parameters, or `return`. */
typedef struct {
  char *function; /* NULL: none */
  char **args;
  size_t num_args;
  size_t column;
} spec_error_text;

/* The strides that the function takes of a tensor whose strides the spec has. */
typedef enum {
  kStridesPositive,
  kStridesAny, /* of an output: those that keep its elements apart */
  kStridesBlas /* an increment other than 0, with the lowest address; a leading dimension */
} spec_strides;

typedef struct spec_param {
  spec_form form;
  const spec_type *type; /* of a scalar, or of the elements */
  spec_c_type c_type;
  spec_direction direction;
  struct spec *callback; /* of kParamCallback: its result and parameters */
  int64_t fail_value;    /* what it returns after an error */
  char *constant;        /* of kParamConstant: the value, as C writes it */
  char *declaration; /* the whole parameter in C, if its type is none that specs know; or NULL */
  bool is_const;
  bool is_optional;   /* None is NULL */
  bool is_closed;     /* the handle is closed by the call */
  bool is_on_success; /* and only if it succeeds */
  bool is_taken;      /* and then the library owns what it had */
  bool is_alone;     /* the handle must have no open ones that need it: the call ends parts of it */
  bool is_unnamed;   /* as a callback may have it */
  bool is_bytes;     /* Bytes, not a tensor */
  bool is_void;      /* a complex number that the function takes as a void * */
  const char *dtype; /* of a tensor: an expression */
  char *dtype_name;  /* if it is not that of the type */
  spec_size size;
  char *size_name; /* of kSizeParam */
  size_t size_column;
  char *name;
  size_t column; /* of the name in the text */
  spec_dim *dims;
  size_t num_dims;
  bool is_flat;      /* [n, m]: a pointer to elements, whatever the extents are */
  bool is_restrict;  /* its memory must not be that of another tensor */
  int64_t alignment; /* in bytes, of the first element; 0: that of the elements */
  spec_strides strides;
  char *in_place; /* the tensor whose memory it may be; NULL: none */
  size_t in_place_column;

  /* Set by spec_bind: */
  bool is_result; /* a tensor that the kernel allocates and returns */
  bool is_size;   /* a number that is the size of a buffer */
  char *local;    /* the name in the kernel */
  int arg;        /* the number of the argument; -1: not passed by the caller */
} spec_param;

/* The name of an extent or a stride, set by spec_bind. */
typedef struct {
  const char *name; /* [borrow] that of a spec_number */
  char *local;
  size_t param, dim; /* the tensor argument that it is read from, or the scalar argument */
  bool is_stride, is_scalar;
  size_t num_uses; /* besides where it is read */
} spec_symbol;

/* A constant of the user's headers, set by spec_bind. */
typedef struct {
  const spec_number *number; /* [borrow] where it is first */
  const spec_param *param;   /* [borrow] */
} spec_constant;

typedef struct spec {
  char *exported; /* the kernel's name */
  char *name;     /* the function's */
  size_t column;
  const spec_type *result;
  spec_c_type result_c_type;
  spec_failure failure;
  bool has_errno; /* after a failure errno has its number */
  spec_error_text error_text;
  spec_param *params;
  size_t num_params;
  char *doc;         /* NULL: none */
  bool is_declared;  /* it follows from a header, which declares the function */
  const char *types; /* [borrow] what the types of handles begin with: "c" */
  /* Set by spec_bind: */
  spec_symbol *symbols;
  size_t num_symbols;
  spec_constant *constants;
  size_t num_constants;
  int num_args;
} spec;

/* Where specs come from: a line of a file, or an operand. */
typedef struct {
  const char *place; /* "kernels.txt:3", "SPEC" */
  const char *begin; /* [borrow] */
  size_t size;
  char **refusal; /* gets what is wrong in place of a report; NULL: it is reported */
} spec_source;

/* Reports what is wrong at a column (from 0), with the text and a caret below it; returns false. */
bool spec_fail(const spec_source *source, size_t column, const char *format, ...) TOOL_PRINTF(3, 4);

/* Reads a spec; false after a report, with nothing to free. */
bool spec_read(const spec_source *source, spec *out);

/* The number of the parameter of that name; num_params if there is none. */
size_t spec_find_param(const spec *target, const char *name);
/* Whether the word begins or continues the name of a type. */
bool spec_is_type_word(const char *word, size_t size);

/* ---- What the names of a spec stand for: spec_bind.c ---- */

/* Decides what the caller passes: names that a tensor argument has as an extent or a stride are
 * read from it. With `returns_outputs`, tensors that are not const are made and returned. False
 * after a report; `target` must be freed in both cases. */
bool spec_bind(const spec_source *source, bool returns_outputs, spec *target);

/* Another name for a parameter in the kernel, such as "x_memref", which is not taken; release with
 * free(). */
char *spec_make_local(const spec *target, const spec_param *param, const char *suffix);

void spec_free(spec *target);

/* What stands between the type and a name: a space, or nothing after a `*`. */
const char *spec_type_space(const spec_type *type);

/* The symbol of a name, which must be one of the spec. */
const spec_symbol *spec_symbol_of(const spec *target, const char *name);
/* The parameter of a callback that gets the caller's function: the void * that has the name of one
 * of the whole function; NULL if there is none. */
const spec_param *spec_context_of(const spec *target, const spec_param *callback);
/* The parameter of that name; NULL if there is none. */
const spec_param *spec_param_of(const spec *target, const char *name);
/* The integer parameter of that name; NULL if there is none. */
const spec_param *spec_integer_of(const spec *target, const char *name);

/* The kind of a number in the kernel: an extent is an int64_t, even if its type is wider. */
spec_kind spec_kind_of(const spec *target, const spec_param *param);
/* The type of a parameter that is not a tensor in C, without the pointer to it. */
const char *spec_c_name(const spec_param *param);
/* Whether it is text or bytes, which a kernel copies if a handle keeps it. */
bool spec_is_text(const spec_param *param);
/* Whether the function writes a number to an address. */
bool spec_is_written(const spec_param *param);
/* The size of a buffer after the call, an expression; release with free(). */
char *wrap_size(const spec *target, const spec_param *param);
/* Whether the function's result is a result of the kernel. */
bool spec_has_value(const spec *target);
/* The column of what plain functions alone have; SIZE_MAX: nothing. */
size_t spec_find_plain(const spec *target);
/* The column of what the headers of --lean do not have; SIZE_MAX: nothing. */
size_t spec_find_heavy(const spec *target);
/* The column of what a header must declare; SIZE_MAX: nothing. */
size_t spec_find_declared(const spec *target);

/* Whether any dimension has a stride in the spec. */
bool spec_is_strided(const spec_param *param);
/* Whether the stride of this dimension is 1: as written, or that of contiguous elements. */
bool spec_has_stride_1(const spec_param *param, size_t dim);

/* A parameter as it is written: "const float x[n][m]". */
void spec_write_param(text_buf *out, const spec_param *param);

/* ---- Kernels: wrap.c ---- */

typedef struct wrap_abi wrap_abi;

typedef struct {
  const spec *specs;
  size_t num_specs;
  const wrap_abi *abi;         /* how the functions are called */
  bool is_lean;                /* without headers of ours */
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
/* The value of a number, text or address, converted to the parameter's type; release with free().
 */
char *wrap_value(const spec *target, const spec_param *param);
/* What the function gets for it: the value, or the address of one; release with free(). */
char *wrap_argument(const spec *target, const spec_param *param);
/* The DLTensor * of a tensor: an argument, or a result; release with free(). */
char *wrap_tensor(const spec_param *param);
/* The address of the elements of a tensor or work array, or of bytes, as the type that the function
 * takes; release with free(). */
char *wrap_address(const spec_param *param);
/* The elements of a tensor or work array whose extents are constants; 0 if one is not. */
size_t wrap_count_elements(const spec_param *param);
/* Whether a work array is large, or of an extent that is not constant: it is not on the stack. */
bool wrap_is_allocated(const spec_param *param);
/* The lines of wrap_runtime.h and abi_NAME_runtime.h, and of tvm_ffi_kernel.h and
 * tvm_ffi_kernel_more.h; they end with NULL. */
extern const char *const kWrapRuntime[], *const kKernelHeader[], *const kKernelMore[];
extern const char *const kWrapCasadiRuntime[], *const kWrapMemrefHalideRuntime[];
/* Whether the text has a word: no letter, digit or underscore is before or after it. */
bool wrap_has_word(const char *in, const char *word, size_t size);

/* Several files that wrap writes may be one source (a unity build), and use different parts. So the
 * names of parts are macros for names of the file alone, from above the parts to below the kernels.
 */
typedef struct {
  const char *kernel; /* [borrow] of this file, and of no other */
  text_buf begin, end;
} wrap_names;

/* Appends those parts of a file whose names are among the words of `used`, and those that they use
 * themselves; adds them to `used`. Their names are added to `names`; if that is NULL, they are
 * shared with other files, by guards. */
void wrap_add_parts(text_buf *out, const char *const *lines, text_buf *used, wrap_names *names);

/* Appends the call that ends a new handle, if its spec says how; `param` is NULL for the result. */
void wrap_write_release(text_buf *out, const spec *target, const spec_param *param);
/* The condition that the function has failed: "returned != 0". Only if the spec says how. */
const char *wrap_failed(const spec *target);
/* Whether a new handle keeps more alive than one handle; `param` is NULL for the result. */
bool wrap_has_keeper(const spec *target, const spec_param *param);
/* The variable of what a call puts in place of what a handle keeps; release with free(). */
char *wrap_change(const spec *target, const spec_param *param, size_t owner);
/* The variable of what keeps that; release with free(). */
char *wrap_keeper(const spec *target, const spec_param *param);
/* The variable that has the pointer of a handle; release with free(). */
char *wrap_pointer(const spec *target, const spec_param *param);
/* The variable that tells whether a call has ended a handle; release with free(). */
char *wrap_ended(const spec *target, const spec_param *param);
/* The variable of a number that the function writes to; release with free(). */
char *wrap_place(const spec *target, const spec_param *param);
/* Whether something has to be released at the end: the kernel leaves by `goto done`. */
bool wrap_is_owner(const spec *target);

/* The value of an extent or a stride in the kernel: "n", "4"; release with free(). */
char *wrap_extent(const spec *target, const spec_number *number);
/* The variable that has the type index of a handle; `param` is NULL for the result; release with
 * free(). */
char *wrap_type_index(const spec *target, const spec_param *param);
/* The function that reads a structure, or makes a Map of it (`verb`); `param` is NULL for the
 * result; release with free(). */
char *wrap_structure_name(const spec *target, const spec_param *param, const char *verb);

/* ---- Reading arguments: reading.c ---- */

/* A type as metadata has it. */
const char *wrap_metadata_type(const spec_type *type);
/* Appends a TVMFFIAny of a number, text or address. */
void wrap_write_view(text_buf *out, const spec_type *type, const char *value);
/* Appends the variables that arguments are read into, and what the function writes to. */
void wrap_write_variables(text_buf *out, const spec *target);
/* Appends the statements that read arguments and check them. */
void wrap_write_arguments(text_buf *out, const spec *target);
/* Appends what is left to do before the call: values that the function changes, the caller's
 * functions, and handles that it ends. */
void wrap_write_start(text_buf *out, const spec *target);
/* Appends what follows the call: it no longer uses handles and the caller's functions. */
void wrap_write_end(text_buf *out, const spec *target);
/* At the end of a kernel: what a handle needed before the call, it needs if that was not made. */
void wrap_write_settling(text_buf *out, const spec *target);
/* Appends the declarations and statements that read the fields of a structure. */
void wrap_write_reading(text_buf *out, const spec *fields);

/* ---- Structures: structure.c ---- */

/* Appends the functions that read and make a structure, as far as used. */
void wrap_write_structure(text_buf *out, const spec *target, const spec_param *param);

/* ---- Functions that a caller passes: callback.c ---- */

/* The function of C for a callback; release with free(). */
char *wrap_callback_name(const spec *target, const spec_param *param);
/* Appends that function, which calls the caller's. */
void wrap_write_callback(text_buf *out, const spec *target, const spec_param *param);
/* Appends the parameter of a prototype. */
void wrap_write_callback_parameter(wrap_list *list, const spec_param *param);
/* Appends a statement that leaves the kernel with the error of a callback. */
void wrap_write_callback_error(text_buf *out, const spec *target, const spec_param *param);

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
  void (*write_call)(text_buf *out, const spec *target);
  /* Ends the macros of write_before; NULL: there are none. */
  void (*write_after)(text_buf *out);
};

extern const wrap_abi kWrapPlain, kWrapCasadi, kWrapMemref, kWrapHalide;

/* The ABI of a number, in the order of the words of --abi; NULL: there are no more. In wrap.c. */
const wrap_abi *wrap_abi_at(size_t i);

/* ---- Shared by the ABIs: wrap_shared.c ---- */

/* Reports a function whose name would mean something else in the kernel. */
bool wrap_check_function(const spec_source *source, const spec *target);
/* Reports a result other than an int, the error code. */
bool wrap_check_error_code(const spec_source *source, const wrap_abi *abi, const spec *target);
/* Reports what only plain functions have: a work array, strides as BLAS takes them. */
bool wrap_check_not_plain(const spec_source *source, const wrap_abi *abi, const spec *target);

/* Appends the type of the function's result, before its name. */
void wrap_write_result(text_buf *out, const spec *target);
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
/* The same after a condition that is not the function's result. */
void wrap_begin_failure_if(text_buf *out, const spec *target, const char *condition);

#endif /* TVM_FFI_TOOL_WRAP_H_ */
