/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by ABIs in which tensors are passed as pointers to descriptions, and the rest as values.
 */
#include <stdlib.h>

#include "wrap/abi.h"

void wrap_write_described_prototype(text *out, const spec *target, const wrap_description *kind) {
  wrap_list list;
  size_t i;
  wrap_write_result(out, target->result);
  text_add(out, "%s%s(", kind->prefix, target->name);
  list = wrap_begin_list(out);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamTensor) {
      char *type = kind->make_type(param);
      wrap_add_item(&list, "%s *%s", type, param->local);
      free(type);
    } else {
      wrap_write_value_parameter(&list, param);
    }
  }
  text_add(out, "%s);\n", target->num_params == 0 ? "void" : "");
}

void wrap_write_described_variables(text *out, const spec *target, const wrap_description *kind) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    char *type, *local;
    if (param->form != kParamTensor) continue;
    type = kind->make_type(param);
    local = spec_make_local(target, param, kind->suffix);
    text_add(out, "  %s %s;\n", type, local);
    free(local);
    free(type);
  }
  wrap_write_returned(out, target);
}

void wrap_write_described_call(text *out, const spec *target, const wrap_description *kind) {
  wrap_list list;
  size_t i;
  text_add(out, "  %s%s%s(", target->result->kind != kTypeVoid ? "returned = " : "", kind->prefix,
           target->name);
  list = wrap_begin_list(out);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    const bool is_tensor = param->form == kParamTensor;
    char *value =
        is_tensor ? spec_make_local(target, param, kind->suffix) : wrap_argument(target, param);
    wrap_add_item(&list, is_tensor ? "&%s" : "%s", value);
    free(value);
  }
  text_add(out, ");\n");
}
