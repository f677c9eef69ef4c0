/* SPDX-License-Identifier: Apache-2.0 */
/* The types with reflected fields that the library itself defines: docs/abi/types.md. */
#ifndef TVMFFI_REFLECT_OBJECTS_H_
#define TVMFFI_REFLECT_OBJECTS_H_

#include <stddef.h>
#include <tvm/ffi/c_api.h>

#include "core/builtin_types.h"
#include "core/type_attr.h"

typedef struct {
  TVMFFIObject header;
  TVMFFIObject *entries; /* List of the members */
  TVMFFIObject *indexes; /* Dict from integer and text index to member */
  TVMFFIObject *attrs;   /* Dict from name to Dict from member to value */
} tvmffi_enum_state;

/* Also IntEnum and StrEnum, whose field `value` is another name for an index. */
typedef struct {
  TVMFFIObject header;
  int64_t int_index;
  TVMFFIAny str_index;
} tvmffi_enum;

typedef struct {
  TVMFFIObject header;
  TVMFFIAny value;
} tvmffi_visit_interrupt;

typedef struct {
  TVMFFIObject header;
  TVMFFIObject *reverse_visit_pattern; /* List, innermost first */
  TVMFFIObject *prev_error_context;    /* or NULL */
} tvmffi_visit_error_context;

typedef struct {
  TVMFFIObject header;
  TVMFFIAny key;
  int64_t hash_i64;
} tvmffi_structural_key;

/*
 * Made by clients and by the functions that walk; docs/abi/structural.md#visits and
 * docs/abi/structural.md#mutators describe their tables.
 */
typedef struct {
  TVMFFIObject header;
  const void *vtable;
  int32_t def_region_kind;
} tvmffi_structural_visitor;
typedef tvmffi_structural_visitor tvmffi_structural_mutator;

/* A new object of a type in this file or in access_path.h. NULL with the error raised. */
void *tvmffi_reflect_new(int32_t type_index);

extern const tvmffi_builtin_attr_group tvmffi_object_attrs;
extern const tvmffi_builtin_attr_group tvmffi_access_path_attrs;
extern const tvmffi_builtin_attr_group tvmffi_convert_attrs;
extern const tvmffi_builtin_attr_group tvmffi_json_graph_attrs;
extern const tvmffi_builtin_attr_group tvmffi_dataclass_attrs;
extern const tvmffi_builtin_attr_group tvmffi_structural_key_attrs;
extern const tvmffi_builtin_attr_group tvmffi_visit_attrs;
extern const tvmffi_builtin_attr_group tvmffi_mutate_attrs;
extern const tvmffi_builtin_type_group tvmffi_enum_types;
extern const tvmffi_builtin_type_group tvmffi_access_path_types;
extern const tvmffi_builtin_type_group tvmffi_structural_types;
extern const tvmffi_builtin_type_group tvmffi_structural_key_types;

/* Creators, for the tables of types. */
int tvmffi_create_enum_state(TVMFFIObjectHandle *result);
int tvmffi_create_enum(TVMFFIObjectHandle *result);
int tvmffi_create_int_enum(TVMFFIObjectHandle *result);
int tvmffi_create_str_enum(TVMFFIObjectHandle *result);
int tvmffi_create_access_step(TVMFFIObjectHandle *result);
int tvmffi_create_access_path(TVMFFIObjectHandle *result);
int tvmffi_create_visit_interrupt(TVMFFIObjectHandle *result);
int tvmffi_create_visit_error_context(TVMFFIObjectHandle *result);
int tvmffi_create_structural_key(TVMFFIObjectHandle *result);

#endif /* TVMFFI_REFLECT_OBJECTS_H_ */
