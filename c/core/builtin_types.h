/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What built-in types have besides their keys: metadata, fields, methods. Every layer lists its own
 * in a static const table, and builtin_groups.c lists the tables. The records that clients see are
 * made in static memory when a type is first looked at, which cannot fail.
 */
#ifndef TVMFFI_CORE_BUILTIN_TYPES_H_
#define TVMFFI_CORE_BUILTIN_TYPES_H_

#include <tvm/ffi/c_api.h>

#include "core/builtins.h"
#include "core/type.h"

/* How a field is stored. */
typedef enum {
  kTvmffiStoredInt32,
  kTvmffiStoredInt64,
  kTvmffiStoredObject, /* a pointer, NULL for None */
  kTvmffiStoredAny
} tvmffi_storage;

/* Getters for the last three. */
int tvmffi_stored_get_int64(void *field, TVMFFIAny *result);
int tvmffi_stored_get_object(void *field, TVMFFIAny *result);
int tvmffi_stored_get_any(void *field, TVMFFIAny *result);

typedef struct {
  const char *texts; /* TVMFFI_FIELD_TEXTS; the type is as in builtins.h */
  int16_t flags;
  uint8_t storage;
  uint8_t offset;
  int32_t static_type_index;
  TVMFFIFieldSetter setter;
  TVMFFIFieldGetter getter; /* NULL: reads the field as stored */
} tvmffi_builtin_field;

#define TVMFFI_FIELD_TEXTS(name, type, doc) name "\0" type "\0" doc

typedef struct {
  const char *texts; /* TVMFFI_METHOD_TEXTS: the name is `<type key>.<method>` */
  tvmffi_builtin_body body;
  int64_t flags;
} tvmffi_builtin_method;

#define TVMFFI_METHOD_TEXTS(name, signature, doc) name "\0" signature "\0" doc

typedef struct {
  int32_t type_index;
  TVMFFITypeMetadata metadata;
  int32_t num_fields;
  int32_t num_methods;
  const tvmffi_builtin_field *fields;
  const tvmffi_builtin_method *methods;
  /* Memory for the records, with num_fields or num_methods elements. */
  TVMFFIFieldInfo *field_records;
  TVMFFIMethodInfo *method_records;
  tvmffi_builtin_function *functions;
} tvmffi_builtin_type;

typedef struct {
  const tvmffi_builtin_type *types;
  size_t count;
} tvmffi_builtin_type_group;

/* runtime/builtin_groups.c */
extern const tvmffi_builtin_type_group *const tvmffi_builtin_type_groups[];
extern const size_t tvmffi_num_builtin_type_groups;

/* The table of this layer. */
extern const tvmffi_builtin_type_group tvmffi_core_types;

/* Size of the metadata texts of all fields and methods, in bytes. */
enum { kTvmffiBuiltinMetadata = 4096 };

/* Fills in the field and method records of a type. */
void tvmffi_builtin_type_describe(const tvmffi_builtin_type *type, tvmffi_type_record *record);

#endif /* TVMFFI_CORE_BUILTIN_TYPES_H_ */
