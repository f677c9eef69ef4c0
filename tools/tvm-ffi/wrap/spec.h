/* SPDX-License-Identifier: Apache-2.0 */
/* A SPEC of `wrap`: the prototype of a C function, with the shapes of its tensors. */
#ifndef TVM_FFI_TOOL_SPEC_H_
#define TVM_FFI_TOOL_SPEC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

typedef enum {
  kTypeVoid,
  kTypeBool,
  kTypeInt,
  kTypeUint,
  kTypeFloat,
  kTypeText,   /* const char * */
  kTypePointer /* void *, const void * */
} spec_kind;

typedef struct {
  const char *name; /* as C spells it: "unsigned int" */
  spec_kind kind;
  const char *dtype;      /* of tensors with such elements, an expression; NULL: there are none */
  const char *low, *high; /* its limits, expressions; NULL: those of int64_t, or not a number */
} spec_type;

/* An extent or a stride. */
typedef struct {
  char *name;     /* NULL: a constant */
  char *constant; /* what the user's headers call the constant; NULL: nothing */
  int64_t value;  /* of a constant */
  size_t column;  /* where it is in the text */
} spec_number;

typedef struct {
  spec_number extent, stride;
  bool has_stride;
} spec_dim;

typedef enum { kParamScalar, kParamTensor, kParamWork } spec_form;

typedef struct {
  spec_form form;
  const spec_type *type; /* of a scalar, or of the elements */
  bool is_const;
  char *name;
  size_t column; /* of the name in the text */
  spec_dim *dims;
  size_t num_dims;
  bool is_flat;      /* [n, m]: a pointer to elements, whatever the extents are */
  bool is_restrict;  /* its memory must not be that of another tensor */
  int64_t alignment; /* in bytes, of the first element; 0: that of the elements */
  char *in_place;    /* the tensor whose memory it may be; NULL: none */
  size_t in_place_column;

  /* Set by spec_bind: */
  bool is_result; /* a tensor that the kernel allocates and returns */
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

typedef struct {
  char *exported; /* the kernel's name */
  char *name;     /* the function's */
  size_t column;
  const spec_type *result;
  spec_param *params;
  size_t num_params;
  char *doc; /* NULL: none */
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
} spec_source;

/* Reports what is wrong at a column (from 0), with the text and a caret below it; returns false. */
bool spec_fail(const spec_source *source, size_t column, const char *format, ...) TOOL_PRINTF(3, 4);

/* Reads a spec; false after a report, with nothing to free. */
bool spec_read(const spec_source *source, spec *out);

/* Decides what the caller passes: names that a tensor argument has as an extent or a stride are
 * read from it. With `returns_outputs`, tensors that are not const are made and returned. False
 * after a report; `target` must be freed in both cases. */
bool spec_bind(const spec_source *source, bool returns_outputs, spec *target);

/* Another name for a parameter in the kernel, such as "x_memref", which is not taken; release with
 * free(). */
char *spec_make_local(const spec *target, const spec_param *param, const char *suffix);

void spec_free(spec *target);

/* The type with this name; NULL if there is none. */
const spec_type *spec_find_type(const char *name);
/* Whether the word begins or continues the name of a type. */
bool spec_is_type_word(const char *word, size_t size);
/* What stands between the type and a name: a space, or nothing after a `*`. */
const char *spec_type_space(const spec_type *type);

/* The symbol of a name, which must be one of the spec. */
const spec_symbol *spec_symbol_of(const spec *target, const char *name);
/* The integer parameter of that name; NULL if there is none. */
const spec_param *spec_integer_of(const spec *target, const char *name);

/* A parameter as it is written: "const float x[n][m]". */
void spec_write_param(text_buf *out, const spec_param *param);

#endif /* TVM_FFI_TOOL_SPEC_H_ */
