/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a function, or of a field, as its metadata tells them: {"type_schema": "{...}"}. */
#ifndef TVM_FFI_TOOL_SCHEMA_H_
#define TVM_FFI_TOOL_SCHEMA_H_

#include "base/text.h"

/* Those that fit into a value come first, from bool to device; then objects, from tensor to tuple.
 */
typedef enum {
  kSchemaAny,
  kSchemaNone,
  kSchemaBool,
  kSchemaInt,
  kSchemaFloat,
  kSchemaPointer,
  kSchemaDataType,
  kSchemaDevice,
  kSchemaStr,
  kSchemaBytes,
  kSchemaTensorView, /* DLTensor*: takes a DLTensor and a Tensor */
  kSchemaTensor,     /* takes a Tensor only */
  kSchemaShape,
  kSchemaModule,
  kSchemaFunction, /* args: the result, then the parameters; none where they are not told */
  kSchemaArray,
  kSchemaList,
  kSchemaMap,
  kSchemaDict,
  kSchemaTuple,
  kSchemaOptional, /* one arg */
  kSchemaUnion,
  kSchemaObject, /* of the class that `name` says */
  kNumSchemaKinds
} schema_kind;

typedef struct schema_type {
  schema_kind kind;
  char *name;      /* as written: "ffi.Array"; printable, without quotes and slashes */
  char *parameter; /* what a parameter is called, an identifier that no other has; or NULL */
  struct schema_type *args;
  size_t num_args;
} schema_type;

/* NULL where the text is no such metadata, or its types are nested beyond all use; of schema_free.
 * Nothing stays raised. */
schema_type *schema_parse(const char *metadata, size_t size);
void schema_free(schema_type *type);

/* Of a kSchemaFunction. */
bool schema_is_typed(const schema_type *function);
const schema_type *schema_result(const schema_type *function); /* NULL where it is not told */
size_t schema_num_params(const schema_type *function);
/* NULL past the last. */
const schema_type *schema_param(const schema_type *function, size_t i);

/* The T of Optional[T]; another type as it is; NULL of NULL. */
const schema_type *schema_required(const schema_type *type);

/* Whether it is an object of whatever class; other kSchemaObjects are types that are not known. */
bool schema_is_class(const schema_type *type);

/* "Map[str, Tensor]", "Callable[[int], None]" */
void schema_write_type(text *to, const schema_type *type);
/* "(x: Tensor, _1: float) -> None"; "(...) -> Any" where the types are not told */
void schema_write_signature(text *to, const schema_type *function);

/* The signature that the metadata of a function has; NULL where it has none; of free(). */
char *schema_describe(const char *metadata, size_t size);

#endif /* TVM_FFI_TOOL_SCHEMA_H_ */
