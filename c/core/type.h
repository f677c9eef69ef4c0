/* SPDX-License-Identifier: Apache-2.0 */
/* The type table. The records of built-in types are static data; no record ever moves. */
#ifndef TVMFFI_CORE_TYPE_H_
#define TVMFFI_CORE_TYPE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/table.h"
#include "platform/platform.h"

typedef struct {
  TVMFFITypeInfo info; /* first: clients hold pointers to it */
  tvmffi_table_key key;
  int32_t num_slots;       /* indices reserved for it and its descendants */
  int32_t allocated_slots; /* how many of these are given out */
  /* Capacities of the arrays info.fields and info.methods. */
  int32_t field_capacity;
  int32_t method_capacity;
  /* Bytes of an object, as far as registered or built in; of the smallest object of the type and
     its descendants, in which the type's fields lie. 0: not known. */
  int32_t total_size;
  int32_t least_size;
  const struct tvmffi_builtin_type *builtin; /* what its table says (builtins.h), or NULL */
  bool slots_can_overflow;
  /* The library makes such objects, or those of a descendant: no field lies before the header. */
  bool starts_with_header;
} tvmffi_type_record;

/* The record of a registered index, or NULL with nothing raised. Any thread. */
tvmffi_type_record *tvmffi_type_find(int32_t type_index);

/* The same, but raises InternalError "Cannot find type info for type_index=<i>". */
tvmffi_type_record *tvmffi_type_require(int32_t type_index);

/* One past the largest registered index. */
int32_t tvmffi_type_end(void);

/* The key of a type, NUL-terminated; "unknown type" for other indices. */
const char *tvmffi_type_key(int32_t type_index);

/* Indices are below this. */
enum { kTvmffiMaxTypes = 1 << 22 };

/*
 * The first dynamic indices belong to types of higher layers, which number them one after the other
 * (reflect/builtin_objects.h, structural/structural.h). They exist from the start; clients find
 * them by key.
 */
enum {
#ifdef TVMFFI_PROFILE_FULL
  kTvmffiNumDynamicTypes = 10,
  kTvmffiFirstClientType = kTVMFFIDynObjectBegin + kTvmffiNumDynamicTypes,
  kTvmffiBuiltinTypesEnd = kTvmffiFirstClientType
#else
  kTvmffiNumDynamicTypes = 0,
  kTvmffiFirstClientType = kTVMFFIDynObjectBegin,
  kTvmffiBuiltinTypesEnd = kTVMFFIStaticObjectEnd
#endif
};

/*
 * Whether another copy of the runtime, known by an address in the code that calls this one, is
 * about to describe a type that is built in here. What is there already stays, and that is not an
 * error.
 */
bool tvmffi_type_is_of_other_copy(int32_t type_index, const void *caller);

/* Whether an object of one type is an instance of another. */
bool tvmffi_type_is_instance(int32_t type_index, int32_t target_index);

/* Serialises all writers of types, fields, methods, metadata and attributes. */
extern tvmffi_mutex tvmffi_type_mutex;

/* Resets the table to the built-in types. */
void tvmffi_type_shutdown(void);

#endif /* TVMFFI_CORE_TYPE_H_ */
