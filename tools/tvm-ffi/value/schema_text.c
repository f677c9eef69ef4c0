/* SPDX-License-Identifier: Apache-2.0 */
/* Types and signatures to read, as Python writes them. */
#include <stdlib.h>

#include "value/schema.h"

/* Of each schema_kind; NULL: as it was written. */
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

static void write_list(text *to, const schema_type *types, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    if (i > 0) text_add(to, ", ");
    schema_write_type(to, &types[i]);
  }
}

void schema_write_type(text *to, const schema_type *type) {
  const char *word = kWords[type->kind];
  text_add(to, "%s", word != NULL ? word : type->name);
  if (type->num_args == 0) return;
  text_add(to, "[");
  if (type->kind == kSchemaFunction) {
    text_add(to, "[");
    write_list(to, type->args + 1, type->num_args - 1);
    text_add(to, "], ");
    schema_write_type(to, &type->args[0]);
  } else {
    write_list(to, type->args, type->num_args);
  }
  text_add(to, "]");
}

void schema_write_signature(text *to, const schema_type *function) {
  size_t i;
  if (!schema_is_typed(function)) {
    text_add(to, "(...) -> Any");
    return;
  }
  text_add(to, "(");
  for (i = 0; i < schema_num_params(function); ++i) {
    const schema_type *param = schema_param(function, i);
    if (i > 0) text_add(to, ", ");
    if (param->parameter != NULL) {
      text_add(to, "%s: ", param->parameter);
    } else {
      text_add(to, "_%zu: ", i);
    }
    schema_write_type(to, param);
  }
  text_add(to, ") -> ");
  schema_write_type(to, schema_result(function));
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
