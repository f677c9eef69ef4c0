/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where the value of each name in a spec comes from: an argument, an extent or stride of one,
 * or a constant. */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

/* ---- Names in the kernel ---- */

/* Names that generated kernels use themselves, besides those with the prefixes below. */
static const char *const kUsedNames[] = {
    "args",
    "array",
    "code",
    "failed",
    "handle_needs",
    "handle_type",
    "done",
    "free",
    "items",
    "malloc",
    "returned",
    "shape",
    "takers",
    "error",
    "any",
    "NULL",
    "DLTensor",
    "DLDataType",
    "TVMFFIAny",
    "int8_t",
    "errno",
    "linux",
    "unix",
    "true",
    "false",
    "bool",
    "stdin",
    "stdout",
    "stderr",
    "TVMFFIByteArray",
    "TVMFFIObjectHandle",
    NULL,
};
static const char *const kUsedPrefixes[] = {"tvm_ffi_", "TVM_FFI_", "TVMFFI", "kDL", "kTVMFFI",
                                            "wrap_",    "INT",      "_",      NULL};

static bool is_used(const char *name) {
  return text_find(name, kUsedNames) != NULL || text_find_prefix(name, kUsedPrefixes) != NULL ||
         identifier_is_c_word(name) || spec_is_type_word(name, strlen(name));
}

static spec_symbol *find_symbol(const spec *target, const char *name) {
  size_t i;
  for (i = 0; i < target->num_symbols; ++i) {
    if (strcmp(target->symbols[i].name, name) == 0) return &target->symbols[i];
  }
  return NULL;
}

static const spec_constant *find_constant(const spec *target, const char *name) {
  size_t i;
  for (i = 0; i < target->num_constants; ++i) {
    if (strcmp(target->constants[i].number->constant, name) == 0) return &target->constants[i];
  }
  return NULL;
}

/* Whether a parameter, an extent, a stride or a constant has this name. */
static bool is_name(const spec *target, const char *name) {
  return spec_find_param(target, name) < target->num_params || find_symbol(target, name) != NULL ||
         find_constant(target, name) != NULL;
}

/* The name of a variable: the given one, unless that would hide another name. */
static char *make_local(const spec *target, const char *name) {
  char *local = tool_format("%s", name);
  bool hides = is_used(local) || strcmp(local, target->name) == 0;
  while (hides) {
    char *longer = tool_format("%s_", local);
    free(local);
    local = longer;
    hides = is_name(target, local);
  }
  return local;
}

char *spec_make_local(const spec *target, const spec_param *param, const char *suffix) {
  char *local = tool_format("%s_%s", param->local, suffix);
  while (is_name(target, local) || strcmp(local, target->name) == 0) {
    char *longer = tool_format("%s_", local);
    free(local);
    local = longer;
  }
  return local;
}

/* ---- Symbols ---- */

const spec_symbol *spec_symbol_of(const spec *target, const char *name) {
  return find_symbol(target, name);
}

/* Whether it is an integer that is known before the call. */
static bool is_integer(const spec_param *param) {
  return param->form == kParamScalar && param->direction != kOut &&
         (param->type->kind == kTypeInt || param->type->kind == kTypeUint ||
          param->type->kind == kTypeWide);
}

const spec_param *spec_param_of(const spec *target, const char *name) {
  const size_t i = spec_find_param(target, name);
  return i < target->num_params ? &target->params[i] : NULL;
}

const spec_param *spec_context_of(const spec *target, const spec_param *callback) {
  size_t i;
  for (i = 0; i < callback->callback->num_params; ++i) {
    const spec_param *param = &callback->callback->params[i];
    const spec_param *own = spec_param_of(target, param->name);
    if (param->type->kind == kTypePointer && own != NULL && own->type->kind == kTypePointer &&
        (own->form == kParamScalar || own->form == kParamContext) && own->direction == kByValue) {
      return param;
    }
  }
  return NULL;
}

spec_kind spec_kind_of(const spec *target, const spec_param *param) {
  const bool is_extent = find_symbol(target, param->name) != NULL;
  return param->type->kind == kTypeWide && is_extent ? kTypeUint : param->type->kind;
}

const char *spec_c_name(const spec_param *param) {
  return param->c_type.name != NULL ? param->c_type.name : param->type->name;
}

bool spec_is_text(const spec_param *param) {
  return param->form == kParamBytes ||
         (param->form == kParamScalar && param->type->kind == kTypeText);
}

bool spec_is_written(const spec_param *param) {
  return param->form == kParamScalar && (param->direction == kOut || param->direction == kInOut);
}

bool spec_has_value(const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (target->params[i].size == kSizeResult) return false;
  }
  return target->result->kind != kTypeVoid && target->failure != kErrorNonzero;
}

size_t spec_find_plain(const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamConstant || param->form == kParamBytes ||
        param->form == kParamCallback || param->form == kParamBuffer ||
        param->c_type.name != NULL || param->dtype_name != NULL || param->c_type.num_choices > 0 ||
        param->is_optional ||
        (param->form == kParamScalar &&
         (param->direction != kByValue || param->type->kind == kTypeChar ||
          param->type->kind == kTypeComplex))) {
      return param->column;
    }
  }
  return target->result_c_type.name != NULL || target->result->kind == kTypeChar ||
                 target->result->kind == kTypeComplex || target->result->kind == kTypeStruct
             ? target->column
             : SIZE_MAX;
}

size_t spec_find_heavy(const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->c_type.handle != NULL || param->form == kParamBytes ||
        param->form == kParamCallback || param->form == kParamBuffer || param->is_optional ||
        (param->form == kParamScalar &&
         (param->type->kind == kTypeComplex || param->type->kind == kTypeStruct))) {
      return param->column;
    }
  }
  return target->result_c_type.handle != NULL || target->result_c_type.release != NULL ||
                 target->result->kind == kTypeComplex || target->result->kind == kTypeStruct
             ? target->column
             : SIZE_MAX;
}

size_t spec_find_declared(const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (target->params[i].c_type.name != NULL) return target->params[i].column;
  }
  if (target->result_c_type.release != NULL) return target->column;
  return target->error_text.function != NULL  ? target->error_text.column
         : target->result_c_type.name != NULL ? target->column
                                              : SIZE_MAX;
}

const spec_param *spec_integer_of(const spec *target, const char *name) {
  const size_t i = spec_find_param(target, name);
  return i < target->num_params && is_integer(&target->params[i]) ? &target->params[i] : NULL;
}

static spec_symbol *add_symbol(spec *target, const char *name, size_t param) {
  spec_symbol *symbol;
  target->symbols =
      tool_realloc(target->symbols, (target->num_symbols + 1) * sizeof *target->symbols);
  symbol = &target->symbols[target->num_symbols++];
  memset(symbol, 0, sizeof *symbol);
  symbol->name = name;
  symbol->param = param;
  return symbol;
}

static bool is_passed_tensor(const spec_param *param) {
  return (param->form == kParamTensor && !param->is_result) || param->form == kParamBytes;
}

/* Takes note of a name in a tensor that the caller passes. */
static void see_passed(spec *target, size_t i, size_t dim, const spec_number *number,
                       bool is_stride) {
  spec_symbol *symbol;
  if (number->name == NULL) return;
  symbol = find_symbol(target, number->name);
  if (symbol != NULL) {
    ++symbol->num_uses;
    return;
  }
  symbol = add_symbol(target, number->name, i);
  symbol->dim = dim;
  symbol->is_stride = is_stride;
}

/* Takes note of a name whose value an argument determines. */
static bool see_known(const spec_source *source, spec *target, const spec_param *param,
                      const char *name, size_t column) {
  spec_symbol *symbol;
  if (name == NULL) return true;
  symbol = find_symbol(target, name);
  if (symbol == NULL && spec_integer_of(target, name) != NULL) {
    symbol = add_symbol(target, name, spec_find_param(target, name));
    symbol->is_scalar = true;
  }
  if (symbol == NULL) {
    return spec_fail(source, column, "no argument determines `%s`, an extent of `%s`", name,
                     param->name);
  }
  ++symbol->num_uses;
  return true;
}

/* Takes note of a name in a tensor or work array that the kernel allocates. */
static bool see_allocated(const spec_source *source, spec *target, const spec_param *param,
                          const spec_number *number) {
  return see_known(source, target, param, number->name, number->column);
}

/* The names in expressions, which determine none. */
static bool bind_expressions(const spec_source *source, spec *target) {
  size_t i, k, n;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    for (k = 0; k < param->num_dims; ++k) {
      const spec_number *number = &param->dims[k].extent;
      for (n = 0; n < number->num_terms; ++n) {
        const spec_term *term = &number->terms[n];
        if (!see_known(source, target, param, term->name, term->column)) return false;
      }
    }
  }
  return true;
}

static bool bind_passed(const spec_source *source, spec *target) {
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (!is_passed_tensor(param)) continue;
    for (k = 0; k < param->num_dims; ++k) {
      see_passed(target, i, k, &param->dims[k].extent, false);
    }
    for (k = 0; k < param->num_dims; ++k) see_passed(target, i, k, &param->dims[k].stride, true);
  }
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    spec_symbol *symbol = find_symbol(target, param->name);
    if (symbol == NULL) continue;
    if (!is_integer(param)) {
      return spec_fail(source, param->column,
                       "`%s` is an extent or a stride, and must be an integer%s", param->name,
                       param->form == kParamConstant ? ", not a constant: write it in the shape"
                       : param->direction == kOut    ? " that is known before the call"
                                                     : "");
    }
    ++symbol->num_uses;
  }
  return true;
}

static bool bind_allocated(const spec_source *source, spec *target) {
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamScalar || is_passed_tensor(param)) continue;
    for (k = 0; k < param->num_dims; ++k) {
      if (param->dims[k].has_stride) {
        return spec_fail(source, param->dims[k].stride.column,
                         "`%s` is allocated by the kernel and contiguous: it has no strides",
                         param->name);
      }
      if (!see_allocated(source, target, param, &param->dims[k].extent)) return false;
    }
  }
  return true;
}

/* The tensor that `inplace` names is another one that the caller passes. */
static bool bind_in_place(const spec_source *source, const spec *target) {
  size_t i, other;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->in_place == NULL) continue;
    if (param->is_result) {
      return spec_fail(source, param->in_place_column,
                       "`%s` is allocated by the kernel, and is never in the place of `%s`",
                       param->name, param->in_place);
    }
    other = spec_find_param(target, param->in_place);
    if (other == i || other == target->num_params || target->params[other].form != kParamTensor ||
        target->params[other].is_result) {
      return spec_fail(source, param->in_place_column, "`%s` is not another tensor that is passed",
                       param->in_place);
    }
    if (param->is_const && target->params[other].is_const) {
      return spec_fail(source, param->in_place_column,
                       "`%s` and `%s` are only read, and may be the same memory anyway",
                       param->name, param->in_place);
    }
  }
  return true;
}

/* An expected stride is computed from those of later dimensions, which must be known by then. */
static void count_implied_strides(spec *target) {
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    const bool is_strided = spec_is_strided(param);
    for (k = 0; is_strided && k + 1 < param->num_dims; ++k) {
      const spec_dim *next = &param->dims[k + 1];
      if (param->dims[k].has_stride) continue;
      if (next->extent.name != NULL) ++find_symbol(target, next->extent.name)->num_uses;
      if (next->has_stride && next->stride.name != NULL) {
        ++find_symbol(target, next->stride.name)->num_uses;
      }
    }
  }
}

/* ---- Constants ---- */

/* Takes note of a constant with a name, if the number is one. */
static bool see_constant(const spec_source *source, spec *target, const spec_param *param,
                         const spec_number *number) {
  const spec_constant *known;
  spec_constant *added;
  if (number->constant == NULL) return true;
  known = find_constant(target, number->constant);
  if (known != NULL && known->number->value != number->value) {
    return spec_fail(source, number->column, "`%s` is %lld earlier", number->constant,
                     (long long)known->number->value);
  }
  if (known != NULL) return true;
  if (is_name(target, number->constant)) {
    return spec_fail(source, number->column,
                     "`%s` is a constant here, and has the name of a parameter, an extent or a "
                     "stride",
                     number->constant);
  }
  target->constants =
      tool_realloc(target->constants, (target->num_constants + 1) * sizeof *target->constants);
  added = &target->constants[target->num_constants++];
  added->number = number;
  added->param = param;
  return true;
}

static bool bind_constants(const spec_source *source, spec *target) {
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    for (k = 0; k < param->num_dims; ++k) {
      if (!see_constant(source, target, param, &param->dims[k].extent) ||
          !see_constant(source, target, param, &param->dims[k].stride)) {
        return false;
      }
    }
  }
  return true;
}

/* ---- Arguments ---- */

static void number_args(spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    spec_param *param = &target->params[i];
    const spec_symbol *symbol = find_symbol(target, param->name);
    const bool is_passed = param->form == kParamCallback ? true
                           : param->form == kParamScalar
                               ? param->direction != kOut && (symbol == NULL || symbol->is_scalar)
                               : is_passed_tensor(param);
    param->arg = is_passed ? target->num_args++ : -1;
    param->local = make_local(target, param->name);
  }
  for (i = 0; i < target->num_symbols; ++i) {
    target->symbols[i].local = make_local(target, target->symbols[i].name);
  }
}

/* Where the size of a buffer is after the call: by default in its extent, if the function writes
 * that. */
static bool bind_size(const spec_source *source, spec *target, spec_param *param) {
  const spec_kind kind = target->result->kind;
  size_t i;
  if (param->size == kSizeAll && param->dims[0].extent.name != NULL) {
    i = spec_find_param(target, param->dims[0].extent.name);
    if (i < target->num_params && target->params[i].direction == kInOut) {
      target->params[i].is_size = true;
      param->size = kSizeParam;
      param->size_name = tool_format("%s", param->dims[0].extent.name);
    }
    return true;
  }
  if (param->size == kSizeResult) {
    return kind == kTypeInt || kind == kTypeUint || kind == kTypeWide ||
           spec_fail(source, param->size_column, "`%s` returns no integer", target->name);
  }
  if (param->size != kSizeParam) return true;
  i = spec_find_param(target, param->size_name);
  if (i < target->num_params && spec_is_written(&target->params[i]) &&
      (target->params[i].type->kind == kTypeInt || target->params[i].type->kind == kTypeUint ||
       target->params[i].type->kind == kTypeWide)) {
    target->params[i].is_size = true;
    return true;
  }
  return spec_fail(source, param->size_column, "`%s` is not an `out` or `inout` integer",
                   param->size_name);
}

static bool bind_sizes(const spec_source *source, spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (target->params[i].form == kParamBuffer && !bind_size(source, target, &target->params[i])) {
      return false;
    }
  }
  return true;
}

/* What a handle keeps alive is another handle, a tensor or a text that the caller passes. `param`
 * is NULL for the result. */
static bool bind_owner(const spec_source *source, const spec *target, const spec_param *param,
                       const spec_owner *owner) {
  const spec_param *found = spec_param_of(target, owner->name);
  if (found == NULL || found == param || found->is_closed ||
      !(found->form == kParamTensor ? !found->is_result
                                    : spec_is_text(found) || (found->c_type.handle != NULL &&
                                                              found->direction == kByValue))) {
    return spec_fail(source, owner->column,
                     found != NULL && found->is_closed
                         ? "`%s` is closed by the call, and cannot be kept"
                         : "`%s` is not another handle, a tensor or a text that is passed",
                     owner->name);
  }
  if (param == NULL || !param->is_closed) return true;
  return spec_fail(source, owner->column, "`%s` is closed by the call, and keeps nothing alive",
                   param->name);
}

/* Whether the function returns or writes a handle. */
static bool has_new_handle(const spec *target) {
  size_t i = 0;
  if (target->result_c_type.handle != NULL) return true;
  while (i < target->num_params &&
         (target->params[i].c_type.handle == NULL || target->params[i].direction != kOut)) {
    ++i;
  }
  return i < target->num_params;
}

static bool bind_owners_of(const spec_source *source, const spec *target, const spec_param *param) {
  const spec_c_type *type = param != NULL ? &param->c_type : &target->result_c_type;
  const bool is_passed = param != NULL && param->direction == kByValue;
  const spec_param *found;
  size_t i, num_handles = 0;
  for (i = 0; i < type->num_owners; ++i) {
    if (type->handle == NULL) {
      return spec_fail(source, type->owners[i].column, "text is copied, and keeps nothing alive");
    }
    if (!bind_owner(source, target, param, &type->owners[i])) return false;
    if (type->owners[i].is_instead && has_new_handle(target)) {
      return spec_fail(source, type->owners[i].column,
                       "`%s` has `instead`, but a new handle may have what is replaced",
                       type->owners[i].name);
    }
    found = spec_param_of(target, type->owners[i].name);
    if (found == NULL || found->c_type.handle == NULL || ++num_handles == 1) continue;
    if (type->release != NULL || is_passed) continue;
    return spec_fail(source, type->owners[i].column,
                     "a new handle without free= is a part of one handle only");
  }
  return true;
}

static bool bind_owners(const spec_source *source, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (!bind_owners_of(source, target, &target->params[i])) return false;
  }
  return bind_owners_of(source, target, NULL);
}

/* A function of the caller's could make the same call with the same handle: which of both calls the
 * library has got the last value from is not known then. */
static bool check_changes(const spec_source *source, const spec *target, const spec_param *called) {
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    const spec_c_type *type = &target->params[i].c_type;
    for (k = 0; k < type->num_owners; ++k) {
      if (!type->owners[k].is_instead) continue;
      return spec_fail(source, type->owners[k].column,
                       "`%s` has `instead`, but `%s` could call the function again with `%s`",
                       type->owners[k].name, called->name, target->params[i].name);
    }
  }
  return true;
}

/* A callback finds the caller's function by its void *, which the kernel passes. */
static bool bind_callbacks(const spec_source *source, spec *target) {
  const spec_param *alone = NULL, *called = NULL;
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i], *context, *own;
    if (param->is_alone) alone = param;
    if (param->form == kParamCallback) called = param;
    if (alone != NULL && called != NULL) {
      return spec_fail(source, alone->column,
                       "`%s` is alone, but `%s` could make a handle that needs it", alone->name,
                       called->name);
    }
    if (param->form != kParamCallback) continue;
    if (!check_changes(source, target, param)) return false;
    context = spec_context_of(target, param);
    if (context == NULL) {
      return spec_fail(source, param->column,
                       "`%s` has no `void *` to tell which function of the caller's it is: one of "
                       "its parameters must have the name of a `void *` of `%s`, such as data in "
                       "`(*%s)(int x, void *data), void *data`",
                       param->name, target->name, param->name);
    }
    k = spec_find_param(target, context->name);
    own = &target->params[k];
    if (own->form == kParamContext) {
      return spec_fail(source, param->column, "`%s` is the data of an earlier function", own->name);
    }
    target->params[k].form = kParamContext;
  }
  return true;
}

/* What the function that has the text of an error gets is a value, and may be other than NULL. */
static bool bind_error_text(const spec_source *source, const spec *target) {
  const spec_error_text *text = &target->error_text;
  size_t i;
  for (i = 0; i < text->num_args; ++i) {
    const spec_param *param = spec_param_of(target, text->args[i]);
    if (param != NULL && (param->form == kParamCallback || param->form == kParamContext)) {
      return spec_fail(source, text->column,
                       "%s(...) cannot get `%s`, which belongs to a function of the caller's",
                       text->function, param->name);
    }
    if (param != NULL && param->is_closed && !param->is_on_success) {
      return spec_fail(source, text->column,
                       "%s(...) would get `%s` after the call has ended it; write `ends` if it "
                       "stays open after an error",
                       text->function, param->name);
    }
    if (param == NULL && target->failure == kErrorNull) {
      return spec_fail(source, text->column,
                       "%s(return) would get NULL, which `%s` returns if it fails", text->function,
                       target->name);
    }
  }
  return true;
}

bool spec_bind(const spec_source *source, bool returns_outputs, spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    spec_param *param = &target->params[i];
    param->is_result =
        param->form == kParamTensor && !param->is_const &&
        (param->direction == kOut || (returns_outputs && param->direction != kInOut));
  }
  if (!bind_callbacks(source, target) || !bind_passed(source, target) ||
      !bind_expressions(source, target) || !bind_allocated(source, target) ||
      !bind_in_place(source, target) || !bind_constants(source, target) ||
      !bind_owners(source, target) || !bind_sizes(source, target) ||
      !bind_error_text(source, target)) {
    return false;
  }
  count_implied_strides(target);
  number_args(target);
  return true;
}
