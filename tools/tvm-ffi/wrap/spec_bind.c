/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where the value of each name comes from. */
#include <stdlib.h>
#include <string.h>

#include "base/identifier.h"
#include "wrap/spec.h"

/* Names that generated kernels use themselves, besides those with the prefixes below. */
static const char *const kUsedNames[] = {
    "args",
    "array",
    "code",
    "done",
    "free",
    "items",
    "malloc",
    "returned",
    "shape",
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
};
static const char *const kUsedPrefixes[] = {"tvm_ffi_", "TVM_FFI_", "TVMFFI", "kDL",
                                            "kTVMFFI",  "wrap_",    "INT",    "_"};

static bool is_used(const char *name) {
  size_t i;
  for (i = 0; i < sizeof kUsedNames / sizeof *kUsedNames; ++i) {
    if (strcmp(kUsedNames[i], name) == 0) return true;
  }
  for (i = 0; i < sizeof kUsedPrefixes / sizeof *kUsedPrefixes; ++i) {
    if (strncmp(kUsedPrefixes[i], name, strlen(kUsedPrefixes[i])) == 0) return true;
  }
  return identifier_is_c_word(name) || spec_is_type_word(name, strlen(name));
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
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (strcmp(target->params[i].name, name) == 0) return true;
  }
  for (i = 0; i < target->num_symbols; ++i) {
    if (strcmp(target->symbols[i].name, name) == 0) return true;
  }
  return find_constant(target, name) != NULL;
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

static spec_symbol *find_symbol(const spec *target, const char *name) {
  size_t i;
  for (i = 0; i < target->num_symbols; ++i) {
    if (strcmp(target->symbols[i].name, name) == 0) return &target->symbols[i];
  }
  return NULL;
}

const spec_symbol *spec_symbol_of(const spec *target, const char *name) {
  return find_symbol(target, name);
}

static size_t find_param(const spec *target, const char *name) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (strcmp(target->params[i].name, name) == 0) break;
  }
  return i;
}

static bool is_integer(const spec_param *param) {
  return param->form == kParamScalar &&
         (param->type->kind == kTypeInt || param->type->kind == kTypeUint);
}

const spec_param *spec_integer_of(const spec *target, const char *name) {
  const size_t i = find_param(target, name);
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
  return param->form == kParamTensor && !param->is_result;
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

/* Takes note of a name in a tensor or work array that the kernel allocates. */
static bool see_allocated(const spec_source *source, spec *target, const spec_param *param,
                          const spec_number *number) {
  spec_symbol *symbol;
  if (number->name == NULL) return true;
  symbol = find_symbol(target, number->name);
  if (symbol == NULL && spec_integer_of(target, number->name) != NULL) {
    symbol = add_symbol(target, number->name, find_param(target, number->name));
    symbol->is_scalar = true;
  }
  if (symbol == NULL) {
    return spec_fail(source, number->column,
                     "nothing that the caller passes tells `%s`, an extent of `%s`", number->name,
                     param->name);
  }
  ++symbol->num_uses;
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
                       "`%s` is an extent or a stride, and must be an integer", param->name);
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

/* An expected stride is computed from those of later dimensions, which must be known by then. */
static void count_implied_strides(spec *target) {
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    bool is_strided = false;
    for (k = 0; k < param->num_dims; ++k) is_strided = is_strided || param->dims[k].has_stride;
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
    return spec_fail(source, number->column, "`%s` is %lld in an earlier place", number->constant,
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
    const bool is_passed =
        param->form == kParamScalar ? symbol == NULL || symbol->is_scalar : is_passed_tensor(param);
    param->arg = is_passed ? target->num_args++ : -1;
    param->local = make_local(target, param->name);
  }
  for (i = 0; i < target->num_symbols; ++i) {
    target->symbols[i].local = make_local(target, target->symbols[i].name);
  }
}

bool spec_bind(const spec_source *source, bool returns_outputs, spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    spec_param *param = &target->params[i];
    param->is_result = returns_outputs && param->form == kParamTensor && !param->is_const;
  }
  if (!bind_passed(source, target) || !bind_allocated(source, target) ||
      !bind_constants(source, target)) {
    return false;
  }
  count_implied_strides(target);
  number_args(target);
  return true;
}
