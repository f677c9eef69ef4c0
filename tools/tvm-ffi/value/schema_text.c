/* SPDX-License-Identifier: Apache-2.0 */
/* Prints types and signatures for people, in Python's syntax. */
#include <stdlib.h>

#include "value/schema.h"

/* By schema_kind; NULL: the name in the metadata. */
static const char *const kWords[] = {
    [kSchemaAny] = "Any",        [kSchemaNone] = "None",         [kSchemaBool] = "bool",
    [kSchemaInt] = "int",        [kSchemaFloat] = "float",       [kSchemaPointer] = "void*",
    [kSchemaDataType] = "dtype", [kSchemaDevice] = "Device",     [kSchemaStr] = "str",
    [kSchemaBytes] = "bytes",    [kSchemaTensorView] = "Tensor", [kSchemaTensor] = "Tensor",
    [kSchemaShape] = "Shape",    [kSchemaModule] = "Module",     [kSchemaFunction] = "Callable",
    [kSchemaArray] = "Array",    [kSchemaList] = "List",         [kSchemaMap] = "Map",
    [kSchemaDict] = "Dict",      [kSchemaTuple] = "Tuple",       [kSchemaOptional] = "Optional",
    [kSchemaUnion] = "Union",    [kSchemaObject] = NULL,
};

static void write_list(text *out, const schema_type *types, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    if (i > 0) text_add(out, ", ");
    schema_write_type(out, &types[i]);
  }
}

void schema_write_type(text *out, const schema_type *type) {
  const char *word = kWords[type->kind];
  text_add(out, "%s", word != NULL ? word : type->name);
  if (type->num_args == 0) return;
  text_add(out, "[");
  if (type->kind == kSchemaFunction) {
    text_add(out, "[");
    write_list(out, type->args + 1, type->num_args - 1);
    text_add(out, "], ");
    schema_write_type(out, &type->args[0]);
  } else {
    write_list(out, type->args, type->num_args);
  }
  text_add(out, "]");
}

void schema_write_signature(text *out, const schema_type *function) {
  size_t i;
  if (!schema_is_typed(function)) {
    text_add(out, "(...) -> Any");
    return;
  }
  text_add(out, "(");
  for (i = 0; i < schema_num_params(function); ++i) {
    const schema_type *param = schema_param(function, i);
    if (i > 0) text_add(out, ", ");
    if (param->parameter != NULL) {
      text_add(out, "%s: ", param->parameter);
    } else {
      text_add(out, "_%zu: ", i);
    }
    schema_write_type(out, param);
    if (param->may_be_left_out) text_add(out, " = None");
  }
  text_add(out, ") -> ");
  schema_write_type(out, schema_result(function));
}

char *schema_describe(const char *metadata, size_t size) {
  schema_type *function = schema_parse(metadata, size);
  text signature = {NULL, 0, 0};
  if (function != NULL && function->kind == kSchemaFunction) {
    schema_write_signature(&signature, function);
  }
  schema_free(function);
  return signature.data;
}
