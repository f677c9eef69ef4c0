/* SPDX-License-Identifier: Apache-2.0 */
/* Structures, which kernels take and return as Maps of their fields. */
#include "wrap/wrap.h"

#include <stdlib.h>

static const spec_c_type *find_type(const spec *target, const spec_param *param) {
  return param != NULL ? &param->c_type : &target->result_c_type;
}

/* Appends the function that reads the fields, as if they were the arguments of a call, and one that
 * takes them out of a Map. */
static void write_reader(text_buf *out, const spec *target, const spec_param *param) {
  const spec_c_type *type = &param->c_type;
  const spec *fields = type->fields;
  char *name = wrap_structure_name(target, param, "read");
  text_buf shown = {NULL, 0, 0};
  size_t i;
  text_add(out, "static int %s_fields(const tvm_ffi_args *args, %s *out) {\n", name, type->name);
  wrap_write_reading(out, fields);
  for (i = 0; i < fields->num_params; ++i) {
    char *value = wrap_value(fields, &fields->params[i]);
    text_add(out, "  out->%s = %s;\n", fields->params[i].name, value);
    free(value);
  }
  text_add(out, "  return 0;\n}\n\n");
  text_add(&shown, "%s.%s(", target->exported, param->name);
  for (i = 0; i < fields->num_params; ++i) {
    text_add(&shown, "%s%zu: ", i > 0 ? ", " : "", i);
    spec_write_param(&shown, &fields->params[i]);
  }
  text_add(&shown, ")");
  text_add(out,
           "static int %s(const tvm_ffi_args *args, int32_t i, %s *out) {\n"
           "  static const char *const names[] = {",
           name, type->name);
  for (i = 0; i < fields->num_params; ++i) {
    text_add(out, "%s\"%s\"", i > 0 ? ", " : "", fields->params[i].name);
  }
  text_add(out,
           "};\n  TVMFFIAny items[%zu];\n"
           "  tvm_ffi_args fields = *args;\n"
           "  int code = wrap_read_items(args, i, names, %zu, items);\n"
           "  fields.args = items;\n"
           "  fields.num_args = %zu;\n"
           "  fields.signature = \"%s\";\n"
           "  if (code == 0) code = %s_fields(&fields, out);\n"
           "  wrap_clear_items(items, %zu);\n"
           "  return code;\n}\n\n",
           fields->num_params, fields->num_params, fields->num_params, shown.data, name,
           fields->num_params);
  text_free(&shown);
  free(name);
}

/* Appends the function that makes a Map. */
static void write_maker(text_buf *out, const spec *target, const spec_param *param) {
  const spec_c_type *type = find_type(target, param);
  const spec *fields = type->fields;
  char *name = wrap_structure_name(target, param, "make");
  size_t i;
  text_add(out,
           "static int %s(int code, const %s *value, TVMFFIAny *out) {\n"
           "  TVMFFIObjectHandle map = NULL;\n  TVMFFIAny items[%zu];\n"
           "  *out = tvm_ffi_any_none();\n",
           name, type->name, 2 * fields->num_params);
  for (i = 0; i < fields->num_params; ++i) {
    const spec_param *field = &fields->params[i];
    char *value = tool_format("value->%s", field->name);
    text_add(out, "  items[%zu] = tvm_ffi_any_view_string(\"%s\");\n", 2 * i, field->name);
    if (field->type->kind == kTypeWide) {
      text_add(out, "  code = wrap_make_unsigned(code, %s, &items[%zu]);\n", value, 2 * i + 1);
    } else {
      text_add(out, "  items[%zu] = ", 2 * i + 1);
      wrap_write_view(out, field->type, value);
      text_add(out, ";\n");
    }
    free(value);
  }
  text_add(out,
           "  if (code == 0) code = tvm_ffi_map_create(items, %zu, &map);\n"
           "  if (code == 0) *out = tvm_ffi_any_take_object(map);\n",
           fields->num_params);
  for (i = 0; i < fields->num_params; ++i) {
    if (fields->params[i].type->kind == kTypeWide) {
      text_add(out, "  wrap_clear(&items[%zu]);\n", 2 * i + 1);
    }
  }
  text_add(out, "  return code;\n}\n\n");
  free(name);
}

/* The compiler checks that each field has the size of its type in the spec. */
static void write_asserts(text_buf *out, const spec *target, const spec_param *param) {
  const spec_c_type *type = find_type(target, param);
  size_t i;
  for (i = 0; i < type->fields->num_params; ++i) {
    const spec_param *field = &type->fields->params[i];
    wrap_list list;
    text_add(out, "WRAP_ASSERT(");
    list = wrap_begin_list(out);
    wrap_add_item(&list, "sizeof(((%s *)NULL)->%s) == sizeof(%s)", type->name, field->name,
                  spec_c_name(field));
    wrap_add_item(&list, "wrap_%s_%s_%s_has_another_size", target->exported,
                  param != NULL ? param->name : "result", field->name);
    wrap_add_item(&list, "\"the field `%s` does not have the size of the spec\"", field->name);
    text_add(out, ");\n");
  }
  text_add(out, "\n");
}

void wrap_write_structure(text_buf *out, const spec *target, const spec_param *param) {
  if (find_type(target, param)->fields == NULL) return;
  write_asserts(out, target, param);
  if (param != NULL && param->arg >= 0) write_reader(out, target, param);
  if (param == NULL ? spec_has_value(target) : spec_is_written(param)) {
    write_maker(out, target, param);
  }
}
