/* SPDX-License-Identifier: Apache-2.0 */
/* The type table. Records of built-in types are static data, later ones never move. */
#ifndef TVMFFI_CORE_TYPE_H_
#define TVMFFI_CORE_TYPE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/table.h"
#include "platform/thread.h"

typedef struct {
  TVMFFITypeInfo info; /* first: clients hold pointers to it */
  tvmffi_table_key key;
  int32_t num_slots;       /* indices from its own on that belong to it and its descendants */
  int32_t allocated_slots; /* of them given out */
  bool slots_can_overflow;
  /* Room in the arrays behind info.fields and info.methods. */
  int32_t field_capacity;
  int32_t method_capacity;
} tvmffi_type_record;

/* The record of a registered index, or NULL with nothing raised. Any thread. */
tvmffi_type_record *tvmffi_type_find(int32_t type_index);

/* The same, raising InternalError "Cannot find type info for type_index=<i>". */
tvmffi_type_record *tvmffi_type_require(int32_t type_index);

/* One past the largest registered index. */
int32_t tvmffi_type_end(void);

/* The key of a type, NUL-terminated; "unknown type" for other indices. */
const char *tvmffi_type_key(int32_t type_index);

/* Indices are below this. */
enum { kTvmffiMaxTypes = 1 << 22 };

/* Serialises all writers of types, fields, methods, metadata and attributes. */
extern tvmffi_mutex tvmffi_type_mutex;

/* Attributes that the library asks for itself. */
enum { kTvmffiAttrAnyHash, kTvmffiAttrAnyEqual, kTvmffiNumOwnAttrs };

/* The value of such an attribute, or NULL; it lives until shutdown. Takes no lock. */
const TVMFFIAny *tvmffi_reflect_find_attr(int attr, int32_t type_index);

/* Functions that are values of those attributes for ffi.BigInt (bigint.c). Static, so not owned. */
TVMFFIObject *tvmffi_bigint_attr(int attr);

/* Back to the built-in types as they were at the start. */
void tvmffi_type_shutdown(void);
/* The part of it that fields, methods, metadata and attributes own (reflect.c); comes first. */
void tvmffi_reflect_shutdown(void);

#endif /* TVMFFI_CORE_TYPE_H_ */
