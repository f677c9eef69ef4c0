/* SPDX-License-Identifier: Apache-2.0 */
/* The table of ABIs, and what several of them do. */
#include "wrap/abi.h"

#include <string.h>

const wrap_abi *wrap_abi_at(size_t i) {
  static const wrap_abi *const kAbis[] = {&kWrapPlain, &kWrapCasadi, &kWrapMemref, &kWrapHalide};
  return i < sizeof kAbis / sizeof *kAbis ? kAbis[i] : NULL;
}

bool wrap_check_error_code(const spec_source *source, const wrap_abi *abi, const spec *target) {
  if (strcmp(target->result->name, "int") == 0) return true;
  return spec_fail(source, target->column,
                   "with --abi=%s `%s` must return int, its error code, not `%s`", abi->name,
                   target->name, target->result->name);
}

bool wrap_check_no_work(const spec_source *source, const wrap_abi *abi, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form != kParamWork) continue;
    return spec_fail(source, param->column, "`%s` is a work array, and --abi=%s has none",
                     param->name, abi->name);
  }
  return true;
}

void wrap_write_value_parameter(wrap_list *list, const spec_param *param) {
  wrap_add_item(list, "%s%s%s", param->type->name, spec_type_space(param->type), param->local);
}

void wrap_write_result(text *out, const spec_type *type) {
  text_add(out, "%s%s", type->name, spec_type_space(type));
}

void wrap_write_returned(text *out, const spec *target) {
  if (target->result->kind == kTypeVoid) return;
  text_add(out, "  ");
  wrap_write_result(out, target->result);
  text_add(out, "returned;\n");
}

void wrap_begin_failure(text *out, const spec *target) {
  text_add(out, "  if (returned != 0) {\n    %s ", wrap_is_owner(target) ? "code =" : "return");
}

void wrap_end_failure(text *out, const spec *target) {
  text_add(out, ";\n%s  }\n", wrap_is_owner(target) ? "    goto done;\n" : "");
}

void wrap_write_failure(text *out, const spec *target) {
  wrap_list list;
  wrap_begin_failure(out, target);
  text_add(out, "tvm_ffi_error_raise(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "TVM_FFI_C_RUNTIME_ERROR");
  wrap_add_item(&list, "\"`%s` failed: expected it to return 0 but got %%lld\"", target->name);
  wrap_add_item(&list, "(long long)returned");
  text_add(out, ")");
  wrap_end_failure(out, target);
}
