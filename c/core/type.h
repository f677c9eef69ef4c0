/* SPDX-License-Identifier: Apache-2.0 */
/* The type table. The records of built-in types are static data; no record ever moves. */
#ifndef TVMFFI_CORE_TYPE_H_
#define TVMFFI_CORE_TYPE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/table.h"
#include "core/function.h"
#include "platform/thread.h"

typedef struct {
  TVMFFITypeInfo info; /* first: clients hold pointers to it */
  tvmffi_table_key key;
  int32_t num_slots;       /* indices reserved for it and its descendants */
  int32_t allocated_slots; /* how many of these are given out */
  bool slots_can_overflow;
  /* Capacities of the arrays info.fields and info.methods. */
  int32_t field_capacity;
  int32_t method_capacity;
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

/* Types with dynamic indices that exist from the start; clients find them by key. */
enum {
#ifdef TVMFFI_PROFILE_FULL
  kTvmffiEnumState = kTVMFFIDynObjectBegin,
  kTvmffiEnum,
  kTvmffiIntEnum,
  kTvmffiStrEnum,
  kTvmffiAccessStep,
  kTvmffiAccessPath,
  kTvmffiStructuralVisitor,
  kTvmffiVisitErrorContext,
  kTvmffiStructuralMutator,
  kTvmffiStructuralKey,
  kTvmffiFirstClientType,
  kTvmffiBuiltinTypesEnd = kTvmffiFirstClientType
#else
  kTvmffiFirstClientType = kTVMFFIDynObjectBegin,
  kTvmffiBuiltinTypesEnd = kTVMFFIStaticObjectEnd
#endif
};

/* Whether an object of one type is an instance of another. */
bool tvmffi_type_is_instance(int32_t type_index, int32_t target_index);

/* Serialises all writers of types, fields, methods, metadata and attributes. */
extern tvmffi_mutex tvmffi_type_mutex;

/* ---- Attributes ---- */

/* Attributes whose columns exist from the start, in the order of their names in reflect.c. */
enum {
  kTvmffiAttrAnyHash,
  kTvmffiAttrAnyEqual,
  kTvmffiAttrNew,
  kTvmffiAttrInit,
  kTvmffiAttrShallowCopy,
  kTvmffiAttrConvert,
  kTvmffiAttrTypeFinal,
  kTvmffiAttrRepr,
  kTvmffiAttrHash,
  kTvmffiAttrEq,
  kTvmffiAttrCompare,
  kTvmffiAttrSHash,
  kTvmffiAttrSEqual,
  kTvmffiAttrSVisit,
  kTvmffiAttrSMutate,
  kTvmffiAttrSMaybeInplaceMutate,
  kTvmffiAttrDataToJson,
  kTvmffiAttrDataFromJson,
  kTvmffiAttrEnum,
  kTvmffiNumFirstAttrs
};

/* The value of such an attribute, or NULL; it lives until shutdown. Takes no lock. */
const TVMFFIAny *tvmffi_reflect_find_attr(int attr, int32_t type_index);

/*
 * An attribute of a built-in type: a Function, if there is a body for one; else a pointer to a C
 * function, if there is one; else true or false.
 */
typedef struct {
  int16_t type_index;
  int8_t attr;
  bool value;
  /* self is a tvmffi_attr_function. */
  TVMFFISafeCallType body;
  void (*native)(void);
} tvmffi_builtin_attr;

/* The Function object of such an attribute: static, and never destroyed. */
typedef struct {
  tvmffi_own_function base;
  int32_t type_index;
  int32_t attr;
} tvmffi_attr_function;

typedef struct {
  const tvmffi_builtin_attr *attrs;
  tvmffi_attr_function *functions; /* one per attribute */
  size_t count;
} tvmffi_builtin_attr_group;

/* runtime/builtin_groups.c */
extern const tvmffi_builtin_attr_group *const tvmffi_builtin_attr_groups[];
extern const size_t tvmffi_num_builtin_attr_groups;

/* core/bigint.c */
extern const tvmffi_builtin_attr_group tvmffi_bigint_attrs;

/*
 * For the bodies of attributes: checks that there are `expected` arguments and that the first
 * num_self are of the attribute's type. 0, or -1 with the TypeError of `<type
 * key>.<attribute><signature>`.
 */
int tvmffi_attr_check_args(const void *self, const char *signature, int expected, int num_self,
                           const TVMFFIAny *args, int32_t num_args);

/* Resets the table to the built-in types. */
void tvmffi_type_shutdown(void);
/* Releases what fields, methods, metadata and attributes own (reflect.c); to be called first. */
void tvmffi_reflect_shutdown(void);

#endif /* TVMFFI_CORE_TYPE_H_ */
