/* SPDX-License-Identifier: Apache-2.0 */
/* Objects with reflected fields that the library itself makes: docs/abi/types.md. */
#ifndef TVMFFI_REFLECT_BUILTIN_OBJECTS_H_
#define TVMFFI_REFLECT_BUILTIN_OBJECTS_H_

#include <stddef.h>
#include <tvm/ffi/c_api.h>

#include "core/builtins.h"

/* ---- Objects ---- */

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

/*
 * A new object of a built-in type whose table says what its objects own. NULL with the error
 * raised.
 */
void *tvmffi_reflect_new(int32_t type_index);

/* The same for a type whose objects own a value: they get an owned copy of it. */
void *tvmffi_reflect_new_with(int32_t type_index, const TVMFFIAny *value);

/* The same, for creators in tables of types. */
int tvmffi_reflect_make(int32_t type_index, TVMFFIObjectHandle *result);

/* The attributes of such types: how to make and copy an object, whether types may derive from it.
 */
#define TVMFFI_MAKES_AND_COPIES(type)                                           \
  {type, kTvmffiAttrNew, false, tvmffi_reflect_call_new, NULL}, {               \
    type, kTvmffiAttrShallowCopy, false, tvmffi_reflect_call_shallow_copy, NULL \
  }
#define TVMFFI_IS_FINAL(type, value) \
  { type, kTvmffiAttrTypeFinal, value, NULL, NULL }

int tvmffi_reflect_call_new(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int tvmffi_reflect_call_shallow_copy(void *self, const TVMFFIAny *args, int32_t num_args,
                                     TVMFFIAny *result);

/* ---- The tables of this layer, and the numbers of its types ---- */

/* Dynamic indices of types, from the first on. */
enum {
  kTvmffiEnumState = kTVMFFIDynObjectBegin,
  kTvmffiEnum,
  kTvmffiIntEnum,
  kTvmffiStrEnum,
  kTvmffiAccessStep,
  kTvmffiAccessPath,
  kTvmffiReflectTypesEnd
};

extern const tvmffi_builtin_group tvmffi_constructor_builtins;
extern const tvmffi_builtin_group tvmffi_frontend_builtins;
extern const tvmffi_builtin_type_group tvmffi_enum_types;
extern const tvmffi_builtin_type_group tvmffi_access_path_types;
extern const tvmffi_builtin_attr_group tvmffi_object_attrs;
extern const tvmffi_builtin_attr_group tvmffi_enum_attrs;
extern const tvmffi_builtin_attr_group tvmffi_access_path_attrs;
extern const tvmffi_builtin_attr_group tvmffi_access_path_repr_attrs;
extern const tvmffi_builtin_attr_group tvmffi_convert_attrs;

#endif /* TVMFFI_REFLECT_BUILTIN_OBJECTS_H_ */
