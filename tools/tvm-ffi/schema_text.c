/* SPDX-License-Identifier: Apache-2.0 */
/* Types and signatures to read, as Python writes them. */
#include <stdlib.h>
#include <string.h>

#include "schema.h"

/* NULL: as it was written. */
static const char *get_word(const schema_type *type) {
  switch (type->kind) {
    case kSchemaAny:
      return "Any";
    case kSchemaNone:
      return "None";
    case kSchemaBool:
      return "bool";
    case kSchemaInt:
      return "int";
    case kSchemaFloat:
      return "float";
    case kSchemaPointer:
      return "void*";
    case kSchemaDataType:
      return "dtype";
    case kSchemaDevice:
      return "Device";
    case kSchemaStr:
      return "str";
    case kSchemaBytes:
      return "bytes";
    case kSchemaTensorView:
    case kSchemaTensor:
      return "Tensor";
    case kSchemaShape:
      return "Shape";
    case kSchemaModule:
      return "Module";
    case kSchemaFunction:
      return "Callable";
    case kSchemaArray:
      return "Array";
    case kSchemaList:
      return "List";
    case kSchemaMap:
      return "Map";
    case kSchemaDict:
      return "Dict";
    case kSchemaTuple:
      return "Tuple";
    case kSchemaOptional:
      return "Optional";
    case kSchemaUnion:
      return "Union";
    case kSchemaObject:
      break;
  }
  return NULL;
}

static void write_list(text *to, const schema_type *types, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    if (i > 0) text_add(to, ", ");
    schema_write_type(to, &types[i]);
  }
}

void schema_write_type(text *to, const schema_type *type) {
  const char *word = get_word(type);
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
