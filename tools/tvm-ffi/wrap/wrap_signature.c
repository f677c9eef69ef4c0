/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a kernel takes and returns: for errors, and as metadata. */
#include <stdlib.h>

#include "wrap/wrap.h"

/* ---- For errors ---- */

static void write_results(text *out, const wrap_request *request, const spec *target) {
  const size_t count = wrap_count_results(request, target);
  const char *separator = "";
  size_t i;
  text_add(out, ") -> %s", count == 0 ? "void" : count > 1 ? "(" : "");
  if (wrap_has_value(request, target)) {
    text_add(out, "%s", target->result->name);
    separator = ", ";
  }
  for (i = 0; i < target->num_params; ++i) {
    if (!target->params[i].is_result) continue;
    text_add(out, "%s", separator);
    spec_write_param(out, &target->params[i]);
    separator = ", ";
  }
  if (count > 1) text_add(out, ")");
}

void wrap_write_signature(text *out, const wrap_request *request, const spec *target) {
  enum { kLineWidth = 76 };
  text shown = {NULL, 0, 0};
  size_t line = 0, i;
  int left = target->num_args;
  wrap_list list;
  text_add(&shown, "\"(");
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->arg < 0) continue;
    if (shown.size - line > kLineWidth) {
      text_add(&shown, "\"\n                 \"");
      line = shown.size;
    }
    text_add(&shown, "%d: ", param->arg);
    spec_write_param(&shown, param);
    if (--left > 0) text_add(&shown, ", ");
  }
  write_results(&shown, request, target);
  text_add(&shown, "\"");
  text_add(out, "TVM_FFI_C_EXPORT(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "%s", target->exported);
  wrap_add_item(&list, "%s", shown.data);
  text_add(out, ") {\n");
  text_free(&shown);
}

/* ---- Metadata ---- */

static const char *name_type(const spec_param *param) {
  if (param->form == kParamTensor) return "DLTensor*";
  switch (param->type->kind) {
    case kTypeFloat:
      return "float";
    case kTypeBool:
      return "bool";
    case kTypeText:
      return "ffi.String";
    case kTypePointer:
      return "void*";
    default:
      return "int";
  }
}

static const char *name_result(const spec_type *type) {
  switch (type->kind) {
    case kTypeFloat:
      return "TVM_FFI_C_TYPE(\"float\")";
    case kTypeBool:
      return "TVM_FFI_C_TYPE(\"bool\")";
    case kTypePointer:
      return "TVM_FFI_C_TYPE(\"void*\")";
    case kTypeText:
      return "TVM_FFI_C_TYPE_OF(\"Optional\", TVM_FFI_C_TYPE(\"ffi.String\"))";
    default:
      return "TVM_FFI_C_TYPE(\"int\")";
  }
}

/* The type of the results, one argument of the macro; release with free(). */
static char *make_result(const wrap_request *request, const spec *target) {
  const size_t count = wrap_count_results(request, target);
  text type = {NULL, 0, 0};
  const char *separator = "";
  size_t i;
  if (count == 0) return tool_format("TVM_FFI_C_TYPE(\"None\")");
  if (count > 1) text_add(&type, "TVM_FFI_C_TYPE_OF(\"Tuple\", ");
  if (wrap_has_value(request, target)) {
    text_add(&type, "%s", name_result(target->result));
    separator = " \",\" ";
  }
  for (i = 0; i < target->num_params; ++i) {
    if (!target->params[i].is_result) continue;
    text_add(&type, "%sTVM_FFI_C_TYPE(\"ffi.Tensor\")", separator);
    separator = " \",\" ";
  }
  if (count > 1) text_add(&type, ")");
  return type.data;
}

/* The parameters, one argument of the macro. */
static void write_params(wrap_list *list, const spec *target) {
  text params = {NULL, 0, 0};
  size_t line = 0, i;
  int left = target->num_args;
  enum { kLineWidth = 48 };
  if (left == 0) text_add(&params, "\"\"");
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->arg < 0) continue;
    if (params.size - line > kLineWidth) {
      --params.size; /* no space before the line break */
      text_add(&params, "\n%*s", list->indent, "");
      line = params.size;
    }
    text_add(&params, "TVM_FFI_C_PARAM(\"%s\", \"%s\")%s", param->name, name_type(param),
             --left > 0 ? " \",\" " : "");
  }
  wrap_add_item(list, "%s", params.data);
  text_free(&params);
}

void wrap_write_metadata(text *out, const wrap_request *request, const spec *target) {
  char *result = make_result(request, target);
  wrap_list list;
  text_add(out, "TVM_FFI_C_EXPORT_SCHEMA(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "%s", target->exported);
  wrap_add_item(&list, "%s", result);
  write_params(&list, target);
  text_add(out, ");\n");
  free(result);
  if (target->doc == NULL || *target->doc == '\0') return;
  text_add(out, "TVM_FFI_C_EXPORT_DOC(%s, \"", target->exported);
  wrap_add_escaped(out, target->doc);
  text_add(out, "\");\n");
}
