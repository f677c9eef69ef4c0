/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes, strides and further words of tensors, work arrays and bytes. */
#include "wrap/spec_reader.h"

#include <string.h>

#include "base/text.h"

/* ---- Extents and strides ---- */

/* Adds the dimensions between two brackets. */
static bool take_dims(spec_reader *r, spec_param *out) {
  do {
    spec_dim *dim;
    out->dims = tool_realloc(out->dims, (out->num_dims + 1) * sizeof *out->dims);
    dim = &out->dims[out->num_dims];
    memset(dim, 0, sizeof *dim);
    ++out->num_dims;
    if (!spec_take_extent(r, &dim->extent)) return false;
    if (dim->extent.name == NULL && dim->extent.text == NULL && dim->extent.value == 0) {
      return spec_fail(r->source, dim->extent.column, "an extent of 0 leaves no elements");
    }
    if (spec_take(r, ':')) {
      if (!spec_take_number(r, "a stride: a name or a number", &dim->stride)) return false;
      dim->has_stride = true;
      out->is_flat = true;
    }
    if (spec_peek(r, ',')) out->is_flat = true;
  } while (spec_take(r, ','));
  return spec_take_required(r, ']', "`]`, `,` or `:` and a stride");
}

static bool check_count(const spec_reader *r, const spec_param *param) {
  int64_t count = 1;
  size_t i;
  enum { kMaxElementSize = 16 };
  for (i = 0; i < param->num_dims; ++i) {
    const spec_number *extent = &param->dims[i].extent;
    if (extent->name != NULL || extent->text != NULL) continue;
    if (extent->value > INT64_MAX / kMaxElementSize / count) {
      return spec_fail(r->source, extent->column, "`%s` has too many elements", param->name);
    }
    count *= extent->value;
  }
  return true;
}

/* Reads `align 16` behind a shape. */
static bool take_alignment(spec_reader *r, spec_param *out) {
  enum { kMaxAlignment = 1 << 20 };
  size_t begin;
  spec_skip_space(r);
  begin = spec_column_of(r, r->pos);
  if (!spec_take_value(r, &out->alignment)) return false;
  if (out->alignment > 0 && out->alignment <= kMaxAlignment &&
      (out->alignment & (out->alignment - 1)) == 0) {
    return true;
  }
  return spec_fail(r->source, begin, "an alignment is a power of two up to %d", kMaxAlignment);
}

bool spec_is_strided(const spec_param *param) {
  size_t i;
  for (i = 0; i < param->num_dims; ++i) {
    if (param->dims[i].has_stride) return true;
  }
  return false;
}

/* Reads the word of `strides any`. */
static bool take_strides(spec_reader *r, spec_param *out) {
  static const char *const kWords[] = {
      [kStridesPositive] = "positive", [kStridesAny] = "any", [kStridesBlas] = "blas"};
  size_t i;
  for (i = 0; i < sizeof kWords / sizeof *kWords; ++i) {
    if (!spec_take_word(r, kWords[i])) continue;
    out->strides = (spec_strides)i;
    return spec_is_strided(out) ||
           spec_fail(r->source, out->column, "`%s` has no stride, such as s in `%s[n:s]`",
                     out->name, out->name);
  }
  return spec_fail_expecting(r, "positive, any or blas");
}

bool spec_has_stride_1(const spec_param *param, size_t dim) {
  const spec_dim *entry = &param->dims[dim];
  if (!entry->has_stride) return dim + 1 == param->num_dims;
  return entry->stride.name == NULL && entry->stride.value == 1;
}

/* BLAS has vectors with an increment, and matrices with a leading dimension. */
static bool check_blas(const spec_reader *r, const spec_param *param) {
  if (param->num_dims > 2) {
    return spec_fail(r->source, param->column,
                     "`%s` has %zu dimensions, but BLAS has vectors and matrices", param->name,
                     param->num_dims);
  }
  if (param->num_dims == 2 && !spec_has_stride_1(param, 0) && !spec_has_stride_1(param, 1)) {
    return spec_fail(r->source, param->column,
                     "a matrix of BLAS has a stride of 1 in one dimension: write `%s[n:ld][m:1]` "
                     "or `%s[n:1][m:ld]`",
                     param->name, param->name);
  }
  if (param->num_dims == 1 && param->alignment > 0) {
    return spec_fail(r->source, param->column,
                     "`%s` begins at its last element if its increment is negative: BLAS has no "
                     "alignment",
                     param->name);
  }
  return true;
}

static bool check_strides(const spec_reader *r, const spec_param *param) {
  size_t i;
  /* An expression has no value yet when strides are compared. */
  for (i = 1; i < param->num_dims && spec_is_strided(param); ++i) {
    if (param->dims[i].extent.text == NULL || param->dims[i - 1].has_stride) continue;
    return spec_fail(r->source, param->dims[i].extent.column,
                     "the stride before an extent that is an expression must be written, as in "
                     "`x[n:s][m+1]`");
  }
  for (i = 0; i < param->num_dims; ++i) {
    const spec_dim *dim = &param->dims[i];
    if (!dim->has_stride || dim->stride.name != NULL || dim->stride.value > 0) continue;
    if (param->is_const && param->strides == kStridesAny) continue;
    return spec_fail(
        r->source, dim->stride.column,
        !param->is_const ? "a stride of 0 repeats an element, which an output cannot"
        : param->strides == kStridesBlas
            ? "BLAS takes no stride of 0: write `strides any` in its place"
            : "a stride of 0 repeats an element: it needs `strides any` after the shape");
  }
  return param->strides != kStridesBlas || check_blas(r, param);
}

/* Reads the name of `inplace x`. */
static bool take_in_place(spec_reader *r, spec_param *out) {
  spec_skip_space(r);
  out->in_place_column = spec_column_of(r, r->pos);
  out->in_place = spec_take_name(r, "the name of a tensor");
  return out->in_place != NULL;
}

/* Reads `bytes`: no tensor. */
static bool take_bytes(spec_reader *r, spec_param *out) {
  (void)r;
  out->is_bytes = true;
  return true;
}

/* Reads the type of elements behind `dtype`, if it is not that of C. */
bool spec_take_dtype(spec_reader *r, spec_param *out) {
  static const struct {
    const char *name, *dtype;
  } kDtypes[] = {{"bfloat16", "tvm_ffi_dtype_make(kDLBfloat, 16, 1)"},
                 {"float16", "tvm_ffi_dtype_make(kDLFloat, 16, 1)"},
                 {"float32", "TVM_FFI_C_FLOAT32"},
                 {"float64", "TVM_FFI_C_FLOAT64"},
                 {"complex64", "tvm_ffi_dtype_make(kDLComplex, 64, 1)"},
                 {"complex128", "tvm_ffi_dtype_make(kDLComplex, 128, 1)"}};
  spec_word w;
  size_t i;
  if (!spec_take_required(r, '=', "`=`")) return false;
  w = spec_peek_word(r);
  for (i = 0; i < sizeof kDtypes / sizeof *kDtypes; ++i) {
    if (!spec_word_is(w, kDtypes[i].name)) continue;
    r->pos += w.size;
    out->dtype = kDtypes[i].dtype;
    out->dtype_name = tool_format("%s", kDtypes[i].name);
    return true;
  }
  return spec_fail_expecting(r, "float16, bfloat16, float32, float64, complex64 or complex128");
}

/* Reads where the size of a buffer is behind `size`: return, text, or a parameter. */
static bool take_size(spec_reader *r, spec_param *out) {
  if (!spec_take_required(r, '=', "`=`")) return false;
  spec_skip_space(r);
  out->size_column = spec_column_of(r, r->pos);
  if (spec_take_word(r, "return")) {
    out->size = kSizeResult;
    return true;
  }
  if (spec_take_word(r, "text")) {
    out->size = kSizeText;
    return true;
  }
  out->size = kSizeParam;
  out->size_name = spec_take_name(r, "return, text or the name of a parameter");
  return out->size_name != NULL;
}

/* Reads what may stand after a shape: each once, in any order. */
static bool take_promises(spec_reader *r, spec_param *out) {
  static const struct {
    const char *name;
    bool (*take)(spec_reader *r, spec_param *out);
  } kPromises[] = {{"align", take_alignment},  {"strides", take_strides},
                   {"inplace", take_in_place}, {"bytes", take_bytes},
                   {"dtype", spec_take_dtype}, {"size", take_size}};
  enum { kNumPromises = sizeof kPromises / sizeof *kPromises };
  bool is_taken[kNumPromises] = {false};
  while (true) {
    const spec_word w = spec_peek_word(r);
    size_t i = 0;
    while (i < kNumPromises && !spec_word_is(w, kPromises[i].name)) ++i;
    if (i == kNumPromises) return true;
    if (is_taken[i]) {
      return spec_fail(r->source, spec_column_of(r, w.begin), "`%s` is given twice",
                       kPromises[i].name);
    }
    is_taken[i] = true;
    r->pos += w.size;
    if (!kPromises[i].take(r, out)) return false;
  }
}

/* ---- Shapes ---- */

/* Reads the words that C has before the first extent: `static`, that the array is not NULL, const
 * and restrict of the pointer. */
static bool take_qualifiers(spec_reader *r, bool *is_static, spec_param *out) {
  *is_static = false;
  while (true) {
    if (spec_take_restrict(r)) {
      out->is_restrict = true;
    } else if (!*is_static && spec_take_word(r, "static")) {
      *is_static = true;
    } else if (!spec_take_word(r, "const")) {
      return spec_check_word(r);
    }
  }
}

/* Reads the brackets. */
static bool take_brackets(spec_reader *r, spec_param *out) {
  const size_t begin = spec_column_of(r, r->pos);
  bool is_static = false;
  while (spec_take(r, '[')) {
    if (out->num_dims == 0 && !take_qualifiers(r, &is_static, out)) return false;
    if (out->num_dims == 0 && !is_static && spec_take(r, ']')) break; /* [] has no dimensions */
    if (!take_dims(r, out)) return false;
  }
  return !spec_peek(r, '[') ||
         spec_fail(r->source, begin, "a tensor without dimensions has only one []");
}

/* Whether the type is one of bytes. */
static bool is_byte(const spec_type *type) {
  static const char *const kNames[] = {"void",        "char",          "int8_t", "uint8_t",
                                       "signed char", "unsigned char", NULL};
  return text_find(type->name, kNames) != NULL;
}

/* Text or bytes with their length, or a buffer. */
static bool check_bytes(const spec_reader *r, spec_param *out) {
  if (!is_byte(out->type)) {
    return spec_fail(r->source, out->column, "`%s` has elements of `%s`, which are not bytes",
                     out->name, out->type->name);
  }
  if (out->num_dims != 1 || spec_is_strided(out) || out->alignment > 0 || out->in_place != NULL ||
      out->dtype_name != NULL) {
    return spec_fail(r->source, out->column, "`%s` has bytes: it has one extent, and nothing else",
                     out->name);
  }
  if (!out->is_const && out->direction != kOut) {
    return spec_fail(r->source, out->column,
                     "`%s` has bytes: write `const %s %s[n]` for those that the function reads, "
                     "`out %s %s[n]` for those that it writes",
                     out->name, out->type->name, out->name, out->type->name, out->name);
  }
  if (out->is_const && (out->direction == kOut || out->size != kSizeAll)) {
    return spec_fail(r->source, out->column, "`%s` is const: the function does not write it",
                     out->name);
  }
  out->form = out->is_const ? kParamBytes : kParamBuffer;
  out->direction = out->is_const ? kByValue : kOut;
  return true;
}

/* A tensor or a work array. */
static bool check_elements(const spec_reader *r, bool is_pointer, const spec_param *out) {
  if (out->direction == kIn && !out->is_const) {
    return spec_fail(r->source, out->column, "`%s` is `in`: write const for a tensor that is read",
                     out->name);
  }
  if (out->direction == kOut && (is_pointer || out->is_const)) {
    return spec_fail(r->source, out->column,
                     "`out` with a shape is a tensor that the kernel makes: write `out %s %s[n]`",
                     out->type->name, out->name);
  }
  if (is_pointer && out->is_const) {
    return spec_fail(r->source, out->column, "`%s` is a work array, which cannot be const",
                     out->name);
  }
  return out->size == kSizeAll ||
         spec_fail(r->source, out->column, "`%s` is a tensor: a size is for `out` bytes",
                   out->name);
}

bool spec_take_shape(spec_reader *r, bool is_pointer, spec_param *out) {
  const size_t begin = spec_column_of(r, r->pos);
  const spec_kind kind = out->type->kind;
  const char *end;
  if (kind == kTypePointer) {
    out->type = spec_find_type("void");
    is_pointer = !out->is_const;
  } else if (out->type->dtype == NULL && kind != kTypeChar && kind != kTypeVoid) {
    return spec_fail(r->source, begin, "there are no tensors of `%s`", out->type->name);
  }
  if (out->c_type.fields == NULL && (out->c_type.name != NULL || out->c_type.num_choices > 0)) {
    return spec_fail(r->source, begin, "there are no tensors of enumerations: write int");
  }
  out->dtype = out->type->dtype;
  if (!take_brackets(r, out)) return false;
  end = r->pos;
  if (!take_promises(r, out) || !check_strides(r, out)) return false;
  if (out->is_bytes || out->dtype == NULL) {
    if (!check_bytes(r, out)) return false;
  } else if (!check_elements(r, is_pointer, out)) {
    return false;
  } else {
    out->form = is_pointer ? kParamWork : kParamTensor;
  }
  if (out->form == kParamWork && r->pos != end) {
    r->pos = end;
    return spec_fail_expecting(r, "`,` or `)`");
  }
  if (spec_take_word(r, "as") && !spec_take_c_name(r, &out->c_type)) return false;
  return spec_check_word(r) && check_count(r, out);
}
