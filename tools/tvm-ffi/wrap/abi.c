/* SPDX-License-Identifier: Apache-2.0 */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

/* ---- Shared by several ---- */

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

void wrap_write_result(text_buf *out, const spec_type *type) {
  text_add(out, "%s%s", type->name, spec_type_space(type));
}

void wrap_write_returned(text_buf *out, const spec *target) {
  if (target->result->kind == kTypeVoid) return;
  text_add(out, "  ");
  wrap_write_result(out, target->result);
  text_add(out, "returned;\n");
}

void wrap_begin_failure(text_buf *out, const spec *target) {
  text_add(out, "  if (returned != 0) {\n    %s ", wrap_is_owner(target) ? "code =" : "return");
}

void wrap_end_failure(text_buf *out, const spec *target) {
  text_add(out, ";\n%s  }\n", wrap_is_owner(target) ? "    goto done;\n" : "");
}

void wrap_write_failure(text_buf *out, const spec *target) {
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

/* ---- Plain functions ---- */

/* A plain function of C takes pointers to the elements of tensors, and values. */

/* Whether `[n][m]` stands in the prototype as it is written: C has it for constants, and for names
 * of earlier parameters. */
static bool is_array(const spec *target, const spec_param *param) {
  bool is_valid = !param->is_flat && param->num_dims > 0;
  size_t i, k;
  for (i = 0; is_valid && i < param->num_dims; ++i) {
    const char *name = param->dims[i].extent.name;
    if (name == NULL) continue;
    is_valid = false;
    for (k = 0; &target->params[k] != param; ++k) {
      if (spec_integer_of(target, name) == &target->params[k]) is_valid = true;
    }
    /* The first extent is not part of the type. */
    if (!is_valid && i == 0 && param->num_dims > 1) is_valid = true;
  }
  return is_valid;
}

/* A tensor or a work array. */
static void write_array(wrap_list *list, const spec *target, const spec_param *param) {
  text_buf line = {NULL, 0, 0};
  const char *type = param->type->name;
  size_t i;
  if (param->form == kParamWork || !is_array(target, param)) {
    text_add(&line, "%s%s *%s", param->is_const ? "const " : "", type, param->local);
  } else {
    text_add(&line, "%s%s %s", param->is_const ? "const " : "", type, param->local);
    for (i = 0; i < param->num_dims; ++i) {
      const spec_number *extent = &param->dims[i].extent;
      const spec_param *integer =
          extent->name != NULL ? spec_integer_of(target, extent->name) : NULL;
      if (extent->name == NULL) {
        text_add(&line, "[%lld]", (long long)extent->value);
      } else {
        text_add(&line, "[%s]", integer != NULL && integer < param ? integer->local : "");
      }
    }
  }
  wrap_add_item(list, "%s", line.data);
  text_free(&line);
}

/* A header without the function would leave the declaration below unchecked. */
static void write_declared(text_buf *out, const wrap_request *request) {
  size_t i;
  if (request->num_includes == 0) return;
  text_add(out, "/* An error here: the headers do not declare the function. */\n");
  for (i = 0; i < request->num_specs; ++i) {
    const char *name = request->specs[i].name;
    text_add(out, "extern char wrap_size_of_%s[sizeof &%s];\n", name, name);
  }
  text_add(out, "\n");
}

static void write_prototype(text_buf *out, const spec *target) {
  wrap_list list;
  size_t i;
  wrap_write_result(out, target->result);
  text_add(out, "%s(", target->name);
  list = wrap_begin_list(out);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamScalar) {
      wrap_write_value_parameter(&list, param);
    } else {
      write_array(&list, target, param);
    }
  }
  text_add(out, "%s);\n", target->num_params == 0 ? "void" : "");
}

static void write_call(text_buf *out, const wrap_request *request, const spec *target) {
  wrap_list list;
  size_t i;
  text_add(out, "  %s%s(", target->result->kind != kTypeVoid ? "returned = " : "", target->name);
  list = wrap_begin_list(out);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamScalar) {
      char *value = wrap_argument(target, param);
      wrap_add_item(&list, "%s", value);
      free(value);
    } else if (param->form == kParamWork) {
      wrap_add_item(&list, "%s", param->local);
    } else {
      char *tensor = wrap_tensor(param);
      wrap_add_item(&list, "tvm_ffi_tensor_get_data(%s)", tensor);
      free(tensor);
    }
  }
  text_add(out, ");\n");
  if (request->result_is_error) wrap_write_failure(out, target);
}

const wrap_abi kWrapPlain = {
    "plain", false, NULL, NULL, write_declared, write_prototype, wrap_write_returned, write_call};
