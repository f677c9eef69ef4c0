/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what the compiler checks of a spec: constants of the user's headers, and the sizes of
 * elements. The types of parameters and of the result are checked by the declaration. */
#include <stdlib.h>
#include <string.h>

#include "wrap/wrap.h"

/* The bits of an element whose type in C may have a different number of them; 0: it cannot. */
static int count_assumed_bits(const spec_type *type) {
  switch (type->kind) {
    case kTypeBool:
      return 8;
    case kTypeFloat:
      return strcmp(type->name, "float") == 0 ? 32 : 64;
    default:
      return 0;
  }
}

/* Whether an earlier tensor has elements of this type. */
static bool is_earlier_type(const spec *target, const spec_param *param) {
  const spec_param *other;
  for (other = target->params; other < param; ++other) {
    if (other->form == kParamTensor && other->type == param->type) return true;
  }
  return false;
}

static void write_size(text *out, const spec *target, const spec_param *param) {
  const int bits = count_assumed_bits(param->type);
  wrap_list list;
  if (param->form != kParamTensor || bits == 0 || is_earlier_type(target, param)) return;
  text_add(out, "WRAP_ASSERT(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "8 * sizeof(%s) == %d", param->type->name, bits);
  wrap_add_item(&list, "wrap_%s_%s_needs_%d_bits", target->exported, param->name, bits);
  wrap_add_item(&list, "\"an element of `%s`, of type %s, does not have %d bits\"", param->name,
                param->type->name, bits);
  text_add(out, ");\n");
}

static void write_constant(text *out, const spec *target, const spec_constant *constant) {
  const char *name = constant->number->constant, *param = constant->param->name;
  char *value = wrap_value(target, constant->number);
  wrap_list list;
  text_add(out, "WRAP_ASSERT(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "(%s) == %s", name, value);
  wrap_add_item(&list, "wrap_%s_%s_needs_%s_%lld", target->exported, param, name,
                (long long)constant->number->value);
  wrap_add_item(&list, "\"`%s` in the shape of `%s` is not %lld as the spec says\"", name, param,
                (long long)constant->number->value);
  text_add(out, ");\n");
  free(value);
}

void wrap_write_asserts(text *out, const spec *target) {
  const size_t before = out->size;
  size_t i;
  for (i = 0; i < target->num_params; ++i) write_size(out, target, &target->params[i]);
  for (i = 0; i < target->num_constants; ++i) write_constant(out, target, &target->constants[i]);
  if (out->size > before) text_add(out, "\n");
}
