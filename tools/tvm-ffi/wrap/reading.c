/* SPDX-License-Identifier: Apache-2.0 */
/* Writes how a kernel reads its arguments and checks them. */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

/* ---- Kinds of scalars ---- */

/* Variables in the order of their declarations. */
typedef enum {
  kTensors,
  kIntegers,
  kUnsigned,
  kNumbers,
  kFlags,
  kChars,
  kTexts,
  kPointers,
  kHandles,
  kSingles,
  kDoubles,
  kFunctions,
  kNumVariables
} variables;
static const char *const kVariableTypes[kNumVariables] = {
    "DLTensor *",    "int64_t ",        "uint64_t ",        "double ",
    "bool ",         "char ",           "TVMFFIByteArray ", "void *",
    "wrap_handle *", "float _Complex ", "double _Complex ", "TVMFFIObjectHandle "};

static const struct {
  const char *metadata; /* its type there */
  const char *reader;   /* the function that reads it */
  variables variable;   /* that it is read into */
  const char *value;    /* a function that makes a TVMFFIAny of it */
} kKinds[] = {
    [kTypeVoid] = {"int", "tvm_ffi_args_read_int64", kIntegers, NULL},
    [kTypeBool] = {"bool", "tvm_ffi_args_read_bool", kFlags, "tvm_ffi_any_from_bool(%s)"},
    [kTypeInt] = {"int", "tvm_ffi_args_read_int64", kIntegers,
                  "tvm_ffi_any_from_int64((int64_t)%s)"},
    [kTypeUint] = {"int", "tvm_ffi_args_read_int64", kIntegers,
                   "tvm_ffi_any_from_int64((int64_t)%s)"},
    [kTypeWide] = {"int", "wrap_read_unsigned", kUnsigned, NULL},
    [kTypeFloat] = {"float", "tvm_ffi_args_read_double", kNumbers, "tvm_ffi_any_from_double(%s)"},
    [kTypeChar] = {"ffi.String", "wrap_read_char", kChars,
                   "tvm_ffi_any_view_string((const char[]){%s, 0})"},
    [kTypeText] = {"ffi.String", "wrap_read_text", kTexts, "wrap_view_text((const char *)%s)"},
    [kTypePointer] = {"void*", "tvm_ffi_args_read_pointer", kPointers,
                      "tvm_ffi_any_from_pointer((void *)%s)"},
    [kTypeComplex] = {"ffi.Array", "wrap_read_complex", kDoubles, NULL},
    [kTypeStruct] = {"ffi.Map", NULL, kNumVariables, NULL},
    [kTypeFunction] = {"ffi.Function", "tvm_ffi_args_read_function", kFunctions, NULL},
    [kTypeHandle] = {"ffi.Object", "wrap_read_handle", kHandles, NULL},
};

void wrap_write_view(text_buf *out, const spec_type *type, const char *value) {
  text_add(out, kKinds[type->kind].value, value);
}

const char *wrap_metadata_type(const spec_type *type) {
  return kKinds[type->kind].metadata;
}

/* Whether an integer type may have 64 bits: then every int64_t may be within its limits. */
static bool is_wide(const spec_type *type) {
  static const char *const kLimits[] = {"INT64_MAX", "LONG_MAX", "PTRDIFF_MAX", "INTPTR_MAX", NULL};
  return type->high == NULL || text_begins(type->high, "WRAP_MAX(") ||
         text_find(type->high, kLimits) != NULL;
}

/* ---- The beginning of a kernel ---- */

/* Adds a name to the declaration of its type. */
static void declare(text_buf *lines, variables kind, const char *name) {
  const char *type = kVariableTypes[kind], *star = strchr(type, '*');
  if (lines[kind].size == 0) {
    text_add(&lines[kind], "  %s", type);
  } else {
    text_add(&lines[kind], ", %s", star != NULL ? star : "");
  }
  text_add(&lines[kind], "%s", name);
}

static bool is_among(const spec_c_type *type, const spec_param *param) {
  size_t i;
  for (i = 0; i < type->num_owners; ++i) {
    if (strcmp(type->owners[i].name, param->name) == 0) return true;
  }
  return false;
}

/* Whether it is text that a handle keeps. */
static bool is_kept_text(const spec *target, const spec_param *param) {
  size_t i;
  if (!spec_is_text(param)) return false;
  for (i = 0; i < target->num_params; ++i) {
    if (is_among(&target->params[i].c_type, param)) return true;
  }
  return is_among(&target->result_c_type, param);
}

/* The constants of an enumeration, and what the function writes to. */
static void write_place(text_buf *out, const spec *target, const spec_param *param) {
  char *place;
  size_t i;
  if (param->form == kParamCallback) {
    place = spec_make_local(target, param, "context");
    text_add(out, "  wrap_context %s = {NULL, NULL, NULL, NULL, NULL, false};\n", place);
    free(place);
  }
  if (is_kept_text(target, param)) {
    place = spec_make_local(target, param, "copy");
    text_add(out, "  TVMFFIObjectHandle %s = NULL;\n", place);
    free(place);
  }
  if (param->form != kParamScalar) return;
  if (param->arg >= 0 && param->c_type.num_choices > 0) {
    wrap_list list;
    place = spec_make_local(target, param, "choices");
    text_add(out, "  static const wrap_choice %s[] = {", place);
    list = wrap_begin_list(out);
    for (i = 0; i < param->c_type.num_choices; ++i) {
      wrap_add_item(&list, "{\"%s\", %lld}", param->c_type.choices[i].name,
                    (long long)param->c_type.choices[i].value);
    }
    wrap_add_item(&list, "{NULL, 0}");
    text_add(out, "};\n");
    free(place);
  }
  if (param->type->kind == kTypeHandle) {
    place = wrap_type_index(target, param);
    text_add(out, "  static int32_t %s;\n", place);
    free(place);
    place = wrap_pointer(target, param);
    if (param->arg >= 0) text_add(out, "  void *%s;\n", place);
    free(place);
  }
  if (param->type->kind == kTypeStruct) {
    text_add(out, "  %s %s = {0};\n", param->c_type.name, param->local);
    return;
  }
  if (wrap_has_keeper(target, param)) {
    place = wrap_keeper(target, param);
    text_add(out, "  wrap_handle *%s = NULL;\n", place);
    free(place);
  }
  if (param->is_closed) {
    place = wrap_ended(target, param);
    text_add(out, "  bool %s = false;\n", place);
    free(place);
  }
  for (i = 0; i < param->c_type.num_owners; ++i) {
    if (!param->c_type.owners[i].is_instead) continue;
    place = wrap_change(target, param, i);
    text_add(out, "  static char %s_slot;\n", place);
    text_add(out, "  wrap_change %s = {NULL, NULL, false, false};\n", place);
    free(place);
  }
  if (!spec_is_written(param) && !param->is_closed) return;
  place = wrap_place(target, param);
  text_add(out, "  %s%s%s = 0;\n", spec_c_name(param), spec_type_space(param->type), place);
  free(place);
}

void wrap_write_variables(text_buf *out, const spec *target) {
  text_buf lines[kNumVariables];
  size_t i;
  memset(lines, 0, sizeof lines);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->arg < 0 || (param->form == kParamScalar && param->type->kind == kTypeStruct)) {
      continue;
    }
    declare(lines,
            param->form == kParamTensor  ? kTensors
            : param->form == kParamBytes ? kTexts
            : strcmp(param->type->name, "float _Complex") == 0
                ? kSingles
                : kKinds[spec_kind_of(target, param)].variable,
            param->local);
  }
  for (i = 0; i < target->num_symbols; ++i) {
    const spec_symbol *symbol = &target->symbols[i];
    if (!symbol->is_scalar && symbol->num_uses > 0) declare(lines, kIntegers, symbol->local);
  }
  for (i = 0; i < kNumVariables; ++i) {
    if (lines[i].size > 0) text_add(out, "%s;\n", lines[i].data);
    text_free(&lines[i]);
  }
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->is_result) {
      text_add(out, "  TVMFFIObjectHandle %s = NULL;\n", param->local);
    } else if (param->form == kParamBuffer) {
      text_add(out, "  char *%s = NULL;\n", param->local);
    } else if (param->form == kParamWork && wrap_is_allocated(param)) {
      text_add(out, "  %s *%s = NULL;\n", param->type->name, param->local);
    } else if (param->form == kParamWork) {
      text_add(out, "  %s %s[%zu];\n", param->type->name, param->local, wrap_count_elements(param));
    }
  }
  for (i = 0; i < target->num_params; ++i) write_place(out, target, &target->params[i]);
  if (target->result->kind == kTypeHandle) text_add(out, "  static int32_t handle_type;\n");
  if (wrap_has_keeper(target, NULL)) text_add(out, "  wrap_handle *handle_needs = NULL;\n");
}

/* ---- Reading and checking arguments ---- */

static void write_handle(text_buf *out, const spec *target, const spec_param *param) {
  char *index = wrap_type_index(target, param), *pointer = wrap_pointer(target, param);
  wrap_list list;
  text_add(out, "  TVM_FFI_C_TRY(%s(",
           param->is_optional ? "wrap_read_optional_handle" : "wrap_read_handle");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "args, %d, \"%s.%s\"", param->arg, target->types, param->c_type.handle);
  wrap_add_item(&list, "&%s, &%s", index, param->local);
  wrap_add_item(&list, "&%s", pointer);
  text_add(out, "));\n");
  free(pointer);
  if (param->is_closed || param->is_alone) {
    text_add(out, "  TVM_FFI_C_TRY(wrap_check_alone(args, %d, %s));\n", param->arg, param->local);
  }
  if (param->is_alone) {
    text_add(out, "  TVM_FFI_C_TRY(wrap_check_only(args, %d, %s));\n", param->arg, param->local);
  }
  free(index);
}

static void write_scalar(text_buf *out, const spec *target, const spec_param *param) {
  const spec_type *type = param->type;
  const spec_kind kind = spec_kind_of(target, param);
  const bool is_float = strcmp(type->name, "float") == 0;
  if (kind == kTypeStruct) {
    char *name = wrap_structure_name(target, param, "read");
    text_add(out, "  TVM_FFI_C_TRY(%s(args, %d, &%s));\n", name, param->arg, param->local);
    free(name);
  } else if (kind == kTypeComplex) {
    text_add(out, "  TVM_FFI_C_TRY(wrap_read_complex(args, %d, &%s, sizeof %s));\n", param->arg,
             param->local, param->local);
  } else if (param->c_type.num_choices > 0) {
    char *choices = spec_make_local(target, param, "choices");
    text_add(out, "  TVM_FFI_C_TRY(wrap_read_choice(args, %d, %s, &%s));\n", param->arg, choices,
             param->local);
    free(choices);
  } else if (kind == kTypeHandle) {
    write_handle(out, target, param);
  } else if (kind == kTypeText && param->is_optional) {
    text_add(out, "  TVM_FFI_C_TRY(wrap_read_optional_text(args, %d, &%s));\n", param->arg,
             param->local);
  } else if (kind == kTypeWide) {
    text_add(out, "  TVM_FFI_C_TRY(wrap_read_unsigned(args, %d, (%s)-1, &%s));\n", param->arg,
             type->name, param->local);
  } else if (type->high != NULL) {
    text_add(out, "  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, %d, %s, %s, &%s));\n",
             param->arg, type->low, type->high, param->local);
  } else {
    text_add(out, "  TVM_FFI_C_TRY(%s(args, %d, &%s));\n",
             is_float ? "wrap_read_float" : kKinds[kind].reader, param->arg, param->local);
  }
}

/* The symbol that is read from this extent or stride; NULL: it is to be checked. */
static const spec_symbol *find_read(const spec *target, const spec_param *param, size_t dim,
                                    bool is_stride) {
  const spec_dim *entry = &param->dims[dim];
  const char *name = is_stride ? entry->stride.name : entry->extent.name;
  const spec_symbol *symbol = name != NULL ? spec_symbol_of(target, name) : NULL;
  const bool is_read = symbol != NULL && &target->params[symbol->param] == param &&
                       symbol->dim == dim && symbol->is_stride == is_stride && !symbol->is_scalar;
  return is_read ? symbol : NULL;
}

/* Takes the product, NULL for 1, and returns it with one more factor. */
static char *multiply(const spec *target, char *product, const spec_number *number) {
  char *factor = wrap_extent(target, number), *longer;
  if (product == NULL) return factor;
  longer = tool_format("wrap_multiply(%s, %s)", product, factor);
  free(product);
  free(factor);
  return longer;
}

/* The stride that follows from later dimensions, such as m times s; release with free(). */
static char *make_stride(const spec *target, const spec_param *param, size_t dim) {
  char *product = NULL;
  size_t k;
  for (k = dim; k + 1 < param->num_dims && !param->dims[k].has_stride; ++k) {
    product = multiply(target, product, &param->dims[k + 1].extent);
  }
  if (param->dims[k].has_stride) product = multiply(target, product, &param->dims[k].stride);
  return product != NULL ? product : tool_format("1");
}

/* Extents that are expressions are compared when all names have values: `is_last`. */
static void write_extents(text_buf *out, const spec *target, const spec_param *param,
                          bool is_last) {
  size_t k;
  for (k = 0; k < param->num_dims; ++k) {
    const spec_symbol *symbol = find_read(target, param, k, false);
    if (is_last != (param->dims[k].extent.text != NULL)) continue;
    if (symbol == NULL) {
      char *value = wrap_extent(target, &param->dims[k].extent);
      text_add(out,
               "  if (%s->shape[%zu] != %s) return tvm_ffi_args_check_size(args, %d, %zu, %s);\n",
               param->local, k, value, param->arg, k, value);
      free(value);
    } else if (symbol->num_uses > 0) {
      text_add(out, "  %s = %s->shape[%zu];\n", symbol->local, param->local, k);
    }
  }
}

/* Whether the spec has the elements column by column, as Fortran does: x[n:1][m:s]. */
static bool is_by_columns(const spec_param *param) {
  const spec_dim *first = param->dims, *last = param->dims + param->num_dims - 1;
  return param->num_dims > 1 && first->has_stride && first->stride.name == NULL &&
         first->stride.value == 1 && last->has_stride && last->stride.name != NULL;
}

/* The statements that check which strides the function takes. */
static void write_stride_limits(text_buf *out, const spec_param *param) {
  static const char kCheck[] = "  TVM_FFI_C_TRY(%s(args, %d, %s));\n";
  if (param->strides == kStridesPositive) {
    text_add(out, kCheck, "wrap_check_positive", param->arg, param->local);
  } else if (param->strides == kStridesBlas && param->num_dims == 1) {
    text_add(out, kCheck, "wrap_check_increment", param->arg, param->local);
  } else if (param->strides == kStridesBlas) {
    text_add(out, "  TVM_FFI_C_TRY(wrap_check_leading(args, %d, %s, %d));\n", param->arg,
             param->local, spec_has_stride_1(param, 1) ? 0 : 1);
  }
  /* The elements of other tensors are apart with such strides. */
  if (!param->is_const && (param->strides == kStridesAny ||
                           (param->strides == kStridesPositive && param->num_dims > 1))) {
    text_add(out, kCheck, "wrap_check_distinct", param->arg, param->local);
  }
}

static void write_strides(text_buf *out, const spec *target, const spec_param *param) {
  size_t k;
  if (!spec_is_strided(param)) return;
  for (k = 0; k < param->num_dims; ++k) {
    const spec_symbol *symbol = find_read(target, param, k, true);
    if (symbol == NULL || symbol->num_uses == 0) continue;
    text_add(out, "  %s = %s(%s, %zu);\n", symbol->local,
             is_by_columns(param) ? "wrap_get_column_stride" : "wrap_get_stride", param->local, k);
  }
  for (k = 0; k < param->num_dims; ++k) {
    char *value;
    if (find_read(target, param, k, true) != NULL) continue;
    value = make_stride(target, param, k);
    text_add(out, "  TVM_FFI_C_TRY(wrap_check_stride(args, %d, %s, %zu, %s));\n", param->arg,
             param->local, k, value);
    free(value);
  }
  write_stride_limits(out, param);
}

static void write_length(text_buf *out, const spec *target, const spec_param *param) {
  char *value = wrap_extent(target, &param->dims[0].extent);
  text_add(out, "  TVM_FFI_C_TRY(wrap_check_length(args, %d, %s, %s));\n", param->arg, param->local,
           value);
  free(value);
}

static void write_bytes(text_buf *out, const spec *target, const spec_param *param) {
  const spec_symbol *symbol = find_read(target, param, 0, false);
  text_add(out, "  TVM_FFI_C_TRY(wrap_read_bytes(args, %d, &%s));\n", param->arg, param->local);
  if (symbol == NULL) {
    if (param->dims[0].extent.text == NULL) write_length(out, target, param);
  } else if (symbol->num_uses > 0) {
    text_add(out, "  %s = (int64_t)%s.size;\n", symbol->local, param->local);
  }
}

static void write_tensor(text_buf *out, const spec *target, const spec_param *param) {
  wrap_list list;
  text_add(out, "  TVM_FFI_C_TRY(%s(",
           spec_is_strided(param) ? "wrap_read_strided" : "wrap_read_tensor");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "args, %d, %s", param->arg, param->dtype);
  wrap_add_item(&list, "%zu, &%s", param->num_dims, param->local);
  text_add(out, "));\n");
  write_extents(out, target, param, false);
  write_strides(out, target, param);
  if (param->alignment > 0) {
    text_add(out, "  TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, %d, %lld));\n", param->arg,
             (long long)param->alignment);
  }
  if (!param->is_const) {
    text_add(out, "  TVM_FFI_C_TRY(tvm_ffi_args_check_writable(args, %d));\n", param->arg);
  }
}

/* Whether one of two tensors may be in the place of the other. */
static bool is_in_place(const spec_param *param, const spec_param *other) {
  return param->in_place != NULL && strcmp(param->in_place, other->name) == 0;
}

/* Tensors whose memory must not be the same: one of them is written, and the prototype says
 * restrict of one. */
static void write_apart(text_buf *out, const spec *target) {
  wrap_list list;
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    for (k = i + 1; k < target->num_params; ++k) {
      const spec_param *first = &target->params[i], *second = &target->params[k];
      const bool same = is_in_place(first, second) || is_in_place(second, first);
      if (first->form != kParamTensor || second->form != kParamTensor || first->arg < 0 ||
          second->arg < 0 || (first->is_const && second->is_const) ||
          !(first->is_restrict || second->is_restrict || same)) {
        continue;
      }
      text_add(out, "  TVM_FFI_C_TRY(wrap_check_apart(");
      list = wrap_begin_list(out);
      wrap_add_item(&list, "args, %d, %s", first->arg, first->local);
      wrap_add_item(&list, "%d, %s", second->arg, second->local);
      wrap_add_item(&list, same ? "true" : "false");
      text_add(out, "));\n");
    }
  }
}

/* A handle that the call ends is none of the others. */
static void write_once(text_buf *out, const spec *target) {
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    for (k = 0; k < target->num_params; ++k) {
      const spec_param *ended = &target->params[i], *other = &target->params[k];
      if (k == i || !ended->is_closed || other->type->kind != kTypeHandle || other->arg < 0 ||
          (other->is_closed && k < i) || strcmp(ended->c_type.handle, other->c_type.handle) != 0) {
        continue;
      }
      text_add(out, "  TVM_FFI_C_TRY(wrap_check_once(args, %d, %s, %d, %s));\n", ended->arg,
               ended->local, other->arg, other->local);
    }
  }
}

/* What was read from tensors must fit the integers that are passed on. */
static void write_ranges(text_buf *out, const spec *target) {
  wrap_list list;
  size_t i;
  for (i = 0; i < target->num_symbols; ++i) {
    const spec_symbol *symbol = &target->symbols[i];
    const spec_param *param = spec_integer_of(target, symbol->name);
    bool is_compared; /* here; compilers warn that this is never true of a wide type */
    if (symbol->is_scalar || param == NULL || param->type->high == NULL) continue;
    is_compared = !symbol->is_stride && !is_wide(param->type);
    if (is_compared) {
      text_add(out, "  if (%s > %s) return wrap_check_extent(", symbol->local, param->type->high);
    } else {
      text_add(out, "  TVM_FFI_C_TRY(%s(",
               symbol->is_stride ? "wrap_check_range" : "wrap_check_extent");
    }
    list = wrap_begin_list(out);
    wrap_add_item(&list, "args, %d, \"%s\"", target->params[symbol->param].arg, symbol->name);
    wrap_add_item(&list, "%s", symbol->local);
    if (symbol->is_stride) wrap_add_item(&list, "%s", param->type->low);
    wrap_add_item(&list, "%s", param->type->high);
    text_add(out, is_compared ? ");\n" : "));\n");
  }
}

/* What could not be compared before all arguments were read. */
static void write_expressions(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->arg < 0) continue;
    if (param->form == kParamTensor) {
      write_extents(out, target, param, true);
    } else if (param->form == kParamBytes && param->dims[0].extent.text != NULL) {
      write_length(out, target, param);
    }
  }
}

void wrap_write_arguments(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->arg < 0) continue;
    if (param->form == kParamTensor) {
      write_tensor(out, target, param);
    } else if (param->form == kParamBytes) {
      write_bytes(out, target, param);
    } else {
      write_scalar(out, target, param);
    }
  }
  write_ranges(out, target);
  write_expressions(out, target);
  write_apart(out, target);
  write_once(out, target);
}

void wrap_write_reading(text_buf *out, const spec *target) {
  text_buf lines[kNumVariables];
  size_t i;
  memset(lines, 0, sizeof lines);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    declare(lines, kKinds[param->type->kind].variable, param->local);
  }
  for (i = 0; i < kNumVariables; ++i) {
    if (lines[i].size > 0) text_add(out, "%s;\n", lines[i].data);
    text_free(&lines[i]);
  }
  for (i = 0; i < target->num_params; ++i) write_place(out, target, &target->params[i]);
  for (i = 0; i < target->num_params; ++i) write_scalar(out, target, &target->params[i]);
}

/* ---- Before the call ---- */

static bool has_callback(const spec *target) {
  size_t i = 0;
  while (i < target->num_params && target->params[i].form != kParamCallback) ++i;
  return i < target->num_params;
}

/* A handle that is in use while the caller's function is called: that must not close it. */
static void write_use(text_buf *out, const spec *target, const spec_param *param, int number) {
  if (param->arg < 0 || param->type->kind != kTypeHandle || param->is_closed ||
      !has_callback(target)) {
    return;
  }
  text_add(out, "  %s%s%s(void)WRAP_ADD(&%s->num_dependents, %d);\n",
           param->is_optional ? "if (" : "", param->is_optional ? param->local : "",
           param->is_optional ? " != NULL) " : "", param->local, number);
}

/* What the function of C finds the caller's function by. */
static void write_context(text_buf *out, const spec *target, const spec_param *param) {
  char *place;
  if (param->form != kParamCallback) return;
  place = spec_make_local(target, param, "context");
  text_add(out, "  wrap_begin(&%s, %s);\n", place, param->local);
  free(place);
}

/* Whether the call has ended a handle: one that it ends or takes if it succeeds is still the
 * caller's otherwise. */
static void write_ended(text_buf *out, const spec *target, const spec_param *param) {
  char *ended;
  if (!param->is_closed) return;
  ended = wrap_ended(target, param);
  if (param->is_on_success && target->failure != kErrorNone) {
    text_add(out, "  %s = !(%s);\n", ended, wrap_failed(target));
  } else {
    text_add(out, "  %s = true;\n", ended);
  }
  free(ended);
}

/* Writes a statement for each change of what a handle keeps, which has the variable's name once. */
static void write_changes(text_buf *out, const spec *target, const spec_param *param,
                          const char *statement) {
  size_t i;
  for (i = 0; i < param->c_type.num_owners; ++i) {
    char *change;
    if (!param->c_type.owners[i].is_instead) continue;
    change = wrap_change(target, param, i);
    text_add(out, statement, change);
    free(change);
  }
}

void wrap_write_settling(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    write_changes(out, target, &target->params[i], "  wrap_settle(&%s);\n");
    if (is_kept_text(target, &target->params[i])) {
      char *copy = spec_make_local(target, &target->params[i], "copy");
      text_add(out, "  tvm_ffi_object_release(%s);\n", copy);
      free(copy);
    }
  }
}

void wrap_write_end(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    write_changes(out, target, &target->params[i], "  %s.is_called = true;\n");
    if (target->failure != kErrorNone) {
      char *failed = tool_format("  %%s.has_failed = %s;\n", wrap_failed(target));
      write_changes(out, target, &target->params[i], failed);
      free(failed);
    }
  }
  for (i = 0; i < target->num_params; ++i) write_ended(out, target, &target->params[i]);
  for (i = target->num_params; i-- > 0;) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamCallback) {
      char *place = spec_make_local(target, param, "context");
      text_add(out, "  wrap_end(&%s);\n", place);
      free(place);
    }
    write_use(out, target, param, -1);
  }
}

/* A handle that the call ends is closed for others from now on. Another thread may have closed it
 * meanwhile. */
static void write_closing(text_buf *out, const spec *target, const spec_param *param) {
  char *place;
  if (!param->is_closed) return;
  place = wrap_place(target, param);
  text_add(out,
           "  %s = (%s)wrap_close(%s);\n"
           "  if (%s == NULL%s%s%s) {\n    code = wrap_raise_closed(args, %d);\n"
           "    goto done;\n  }\n",
           place, param->c_type.name, param->local, place, param->is_optional ? " && " : "",
           param->is_optional ? param->local : "", param->is_optional ? " != NULL" : "",
           param->arg);
  text_add(out, "  code = wrap_check_whole(args, %d, %s);\n  if (code != 0) goto done;\n",
           param->arg, param->local);
  free(place);
}

/* The handle needs this in place of what an earlier call of the kernel gave it. */
static void write_replacing(text_buf *out, const spec *target, const spec_param *param,
                            size_t number) {
  const spec_param *owner = spec_param_of(target, param->c_type.owners[number].name);
  char *change = wrap_change(target, param, number);
  wrap_list list;
  text_add(out, "  code = wrap_replace_%s(",
           spec_is_text(owner)           ? "text"
           : owner->form == kParamTensor ? "tensor"
                                         : "handle");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "args, %d, %s", owner->arg, param->local);
  if (owner->form != kParamTensor) {
    wrap_add_item(&list, "%s%s", spec_is_text(owner) ? "&" : "", owner->local);
  }
  if (spec_is_text(owner)) {
    char *copy = spec_make_local(target, owner, "copy");
    wrap_add_item(&list, "&%s", copy);
    free(copy);
  }
  wrap_add_item(&list, "&%s_slot", change);
  wrap_add_item(&list, "&%s", change);
  text_add(out, ");\n");
  free(change);
}

/* What a handle needs from now on; `param` is NULL for the result. A handle that is passed keeps it
 * even if the call fails. */
static void write_keeping(text_buf *out, const spec *target, const spec_param *param) {
  const spec_c_type *type = param != NULL ? &param->c_type : &target->result_c_type;
  const bool is_new = wrap_has_keeper(target, param);
  char *place;
  size_t i;
  if (!is_new && (param == NULL || param->direction != kByValue)) return;
  place = is_new ? wrap_keeper(target, param) : tool_format("%s", param->local);
  for (i = 0; i < type->num_owners; ++i) {
    const spec_param *owner = spec_param_of(target, type->owners[i].name);
    const bool is_tensor = owner->form == kParamTensor;
    if (type->owners[i].is_instead) {
      write_replacing(out, target, param, i);
    } else if (spec_is_text(owner)) {
      char *copy = spec_make_local(target, owner, "copy");
      text_add(out,
               is_new ? "  code = wrap_keep_text(&%s, &%s, &%s);\n"
                      : "  code = wrap_keep_text_with(%s, &%s, &%s);\n",
               place, owner->local, copy);
      free(copy);
    } else if (is_tensor && is_new) {
      text_add(out, "  code = wrap_keep_tensor(args, %d, &%s);\n", owner->arg, place);
    } else if (is_tensor) {
      text_add(out, "  code = wrap_keep_tensor_with(args, %d, %s);\n", owner->arg, place);
    } else if (is_new) {
      text_add(out, "  code = wrap_keep(&%s, %s, true, false);\n", place, owner->local);
    } else {
      text_add(out, "  code = wrap_keep_handle(args, %d, %s, %s);\n", owner->arg, place,
               owner->local);
    }
    text_add(out, "  if (code != 0) goto done;\n");
  }
  free(place);
}

/* The value at an address before the function changes it. */
static void write_start(text_buf *out, const spec *target, const spec_param *param) {
  char *place, *value;
  if (param->form != kParamScalar || param->direction != kInOut ||
      param->type->kind == kTypeStruct) {
    return;
  }
  place = wrap_place(target, param);
  value = wrap_value(target, param);
  text_add(out, "  %s = %s;\n", place, value);
  free(value);
  free(place);
}

void wrap_write_start(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) write_keeping(out, target, &target->params[i]);
  write_keeping(out, target, NULL);
  for (i = 0; i < target->num_params; ++i) write_start(out, target, &target->params[i]);
  for (i = 0; i < target->num_params; ++i) write_closing(out, target, &target->params[i]);
  for (i = 0; i < target->num_params; ++i) write_use(out, target, &target->params[i], 1);
  for (i = 0; i < target->num_params; ++i) write_context(out, target, &target->params[i]);
}
