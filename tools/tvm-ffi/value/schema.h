/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a function or a field, as given by its metadata: {"type_schema": "{...}"}. */
#ifndef TVM_FFI_TOOL_SCHEMA_H_
#define TVM_FFI_TOOL_SCHEMA_H_

#include "base/text.h"

/* The order matters: types stored in a value itself from bool to device, objects from tensor to
 * tuple. */
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
  kSchemaFunction, /* args: the result, then the parameters; none if they are not known */
  kSchemaArray,
  kSchemaList,
  kSchemaMap,
  kSchemaDict,
  kSchemaTuple,
  kSchemaOptional, /* one arg */
  kSchemaUnion,
  kSchemaObject, /* of the class `name` */
  kNumSchemaKinds
} schema_kind;

typedef struct schema_type {
  schema_kind kind;
  char *name;           /* as in the metadata: "ffi.Array"; printable, without quotes and slashes */
  char *parameter;      /* a parameter's name, an identifier that is unique in its function; or
                           NULL */
  bool may_be_left_out; /* a parameter that defaults to None, as do all after it */
  struct schema_type *args;
  size_t num_args;
} schema_type;

/* Tells users how a library gets metadata. */
#define SCHEMA_HINT \
  "compile C++ with -DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1; in C write TVM_FFI_C_EXPORT_SCHEMA"

/* Parses metadata; release with schema_free. NULL if it is malformed or nested too deeplyly. Leaves
 * no error raised. */
schema_type *schema_parse(const char *metadata, size_t size);
void schema_free(schema_type *type);

/* These take a kSchemaFunction. */
bool schema_is_typed(const schema_type *function);
const schema_type *schema_result(const schema_type *function); /* NULL if not known */
size_t schema_num_params(const schema_type *function);
/* NULL past the last. */
const schema_type *schema_param(const schema_type *function, size_t i);

/* The T of Optional[T]; any other type unchanged; NULL for NULL. */
const schema_type *schema_required(const schema_type *type);

/* Whether it is an object of some class; any other kSchemaObject is an unknown type. */
bool schema_is_class(const schema_type *type);

/* "Map[str, Tensor]", "Callable[[int], None]" */
void schema_write_type(text_buf *out, const schema_type *type);
/* "(x: Tensor, _1: float) -> None", with " = None" after optional parameters; "(...) -> Any" if the
 * types are not known. */
void schema_write_signature(text_buf *out, const schema_type *function);

/* The signature in a function's metadata; NULL if it has none; release with free(). */
char *schema_describe(const char *metadata, size_t size);

#endif /* TVM_FFI_TOOL_SCHEMA_H_ */
