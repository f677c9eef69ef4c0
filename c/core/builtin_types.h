/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of built-in types: metadata, fields, methods. The records that clients see are made in
 * static memory when a type is first looked at, which cannot fail.
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

typedef struct tvmffi_builtin_type {
  int32_t type_index;
  char letter;     /* of the type in signatures, or 0 */
  const char *key; /* of a type with a dynamic index or a letter; type.c has the static ones */
  /* 0: ffi.Object, which is the parent of any other parent. Only types with dynamic indices have
     another. */
  int32_t parent_index;
  /* What its objects own, if reflect/objects.c makes them. */
  uint8_t num_objects;     /* pointers to objects, right after the header */
  uint8_t any_offset;      /* of a value, or 0 */
  int (*fill)(void *self); /* sets members of a new object that are not None, NULL or 0; or NULL */
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
  /* tvmffi_builtin_members_describe; NULL if no type of the group has fields or methods, so that a
     program with only such types is linked without that function and its texts. */
  void (*describe_members)(const tvmffi_builtin_type *type, tvmffi_type_record *record);
} tvmffi_builtin_type_group;

/* A group of types with fields or methods. */
#define TVMFFI_TYPE_GROUP_WITH_MEMBERS(types) \
  { types, sizeof types / sizeof *types, tvmffi_builtin_members_describe }

/* Size of the metadata texts of all fields and methods, in bytes. */
enum { kTvmffiBuiltinMetadata = 4096 };

/* Fills in the field and method records of a type. */
void tvmffi_builtin_members_describe(const tvmffi_builtin_type *type, tvmffi_type_record *record);

#endif /* TVMFFI_CORE_BUILTIN_TYPES_H_ */
