/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a parameter as a spec has it. */
#include "wrap/wrap.h"

#include <string.h>

#include "base/text.h"

static void write_number(text_buf *out, const spec_number *number) {
  if (number->name != NULL || number->text != NULL) {
    text_add(out, "%s", number->name != NULL ? number->name : number->text);
  } else {
    text_add(out, "%lld", (long long)number->value);
  }
}

/* The type: an enumeration by its name, or by its constants if it has none. */
static void write_type(text_buf *out, const spec_param *param) {
  const char *type = param->type->name, *name = param->c_type.name;
  const bool is_pointer = type[strlen(type) - 1] == '*';
  const bool is_enum = name != NULL && text_begins(name, "enum ");
  const bool is_struct = name != NULL && text_begins(name, "struct ");
  size_t i;
  text_add(out, "%s", param->is_const && !is_pointer ? "const " : "");
  if (param->is_void) {
    text_add(out, "void ");
    return;
  }
  if (param->c_type.fields != NULL) {
    text_add(out, "%s {", is_struct ? name : "struct");
    for (i = 0; i < param->c_type.fields->num_params; ++i) {
      text_add(out, "%s", i > 0 ? " " : "");
      spec_write_param(out, &param->c_type.fields->params[i]);
      text_add(out, ";");
    }
    text_add(out, "} ");
    return;
  }
  if (name != NULL || param->c_type.num_choices == 0) {
    text_add(out, "%s%s", is_enum || param->c_type.handle != NULL ? name : type,
             spec_type_space(param->type));
    return;
  }
  for (i = 0; i < param->c_type.num_choices; ++i) {
    text_add(out, "%s%s = %lld", i > 0 ? ", " : "enum {", param->c_type.choices[i].name,
             (long long)param->c_type.choices[i].value);
  }
  text_add(out, "} ");
}

static void write_shape(text_buf *out, const spec_param *param) {
  size_t i;
  if (param->num_dims == 0) text_add(out, "[]");
  for (i = 0; i < param->num_dims; ++i) {
    text_add(out, i == 0 ? "[" : param->is_flat ? ", " : "][");
    write_number(out, &param->dims[i].extent);
    if (!param->dims[i].has_stride) continue;
    text_add(out, ":");
    write_number(out, &param->dims[i].stride);
  }
  if (param->num_dims > 0) text_add(out, "]");
}

void spec_write_param(text_buf *out, const spec_param *param) {
  static const char *const kDirections[] = {
      [kByValue] = "", [kIn] = "in ", [kOut] = "out ", [kInOut] = "inout "};
  const bool has_shape = param->form == kParamTensor || param->form == kParamWork ||
                         param->form == kParamBytes || param->form == kParamBuffer;
  const bool has_star = param->form == kParamWork || (!has_shape && param->direction != kByValue);
  if (param->declaration != NULL) {
    text_add(out, "%s = %s", param->declaration, param->constant);
    return;
  }
  if (param->callback != NULL) {
    size_t i;
    text_add(out, "%s (*%s)(", param->callback->result->name, param->name);
    for (i = 0; i < param->callback->num_params; ++i) {
      text_add(out, "%s", i > 0 ? ", " : "");
      spec_write_param(out, &param->callback->params[i]);
    }
    text_add(out, ")");
    return;
  }
  text_add(out, "%s", kDirections[param->direction]);
  write_type(out, param);
  text_add(out, "%s%s%s", param->form == kParamTensor && param->is_restrict ? "restrict " : "",
           has_star ? "*" : "", param->is_unnamed ? "" : param->name);
  if (has_shape) write_shape(out, param);
  if (param->constant != NULL) text_add(out, " = %s", param->constant);
  if (param->alignment > 0) text_add(out, " align %lld", (long long)param->alignment);
  if (param->strides != kStridesPositive) {
    text_add(out, " strides %s", param->strides == kStridesAny ? "any" : "blas");
  }
  if (param->in_place != NULL) text_add(out, " inplace %s", param->in_place);
  if (param->is_bytes) text_add(out, " bytes");
  if (param->dtype_name != NULL) text_add(out, " dtype=%s", param->dtype_name);
  if (param->size != kSizeAll) {
    text_add(out, " size=%s",
             param->size == kSizeResult ? "return"
             : param->size == kSizeText ? "text"
                                        : param->size_name);
  }
  if (param->is_optional) text_add(out, " optional");
  if (param->c_type.name != NULL && param->c_type.handle == NULL &&
      !(param->c_type.fields != NULL && text_begins(param->c_type.name, "struct ")) &&
      !text_begins(param->c_type.name, "enum ")) {
    text_add(out, " as %s", param->c_type.name);
  }
}
