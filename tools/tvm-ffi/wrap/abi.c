/* SPDX-License-Identifier: Apache-2.0 */
/* The table of ABIs, and what several of them do. */
#include "wrap/abi.h"

#include <string.h>

const wrap_abi *wrap_abi_at(size_t i) {
  static const wrap_abi *const kAbis[] = {&kWrapPlain, &kWrapCasadi, &kWrapMemref};
  return i < sizeof kAbis / sizeof *kAbis ? kAbis[i] : NULL;
}

bool wrap_check_error_code(const spec_source *source, const wrap_abi *abi, const spec *target) {
  if (strcmp(target->result->name, "int") == 0) return true;
  return spec_fail(source, target->column,
                   "with --abi=%s `%s` must return int, its error code, not `%s`", abi->name,
                   target->name, target->result->name);
}

void wrap_write_value_parameter(wrap_list *list, const spec_param *param) {
  const char *type = param->type->name;
  wrap_add_item(list, "%s%s%s", type, type[strlen(type) - 1] == '*' ? "" : " ", param->local);
}

void wrap_write_returned(text *out, const spec *target) {
  const char *type = target->result->name;
  if (target->result->kind == kTypeVoid) return;
  text_add(out, "  %s%sreturned;\n", type, type[strlen(type) - 1] == '*' ? "" : " ");
}

void wrap_write_failure(text *out, const spec *target) {
  wrap_list list;
  text_add(out, "  if (returned != 0) {\n    %s tvm_ffi_error_raise(",
           wrap_is_owner(target) ? "code =" : "return");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "TVM_FFI_C_RUNTIME_ERROR");
  wrap_add_item(&list, "\"`%s` failed: expected it to return 0 but got %%lld\"", target->name);
  wrap_add_item(&list, "(long long)returned");
  text_add(out, ");\n%s  }\n", wrap_is_owner(target) ? "    goto done;\n" : "");
}
