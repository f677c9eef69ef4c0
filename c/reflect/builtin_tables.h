/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of this layer, and its numbers of types and attributes. */
#ifndef TVMFFI_REFLECT_BUILTIN_TABLES_H_
#define TVMFFI_REFLECT_BUILTIN_TABLES_H_

#include "core/builtins.h"

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

/* Attributes by which types say how their objects are made, copied, shown and compared. */
enum {
  kTvmffiAttrNew = kTvmffiCoreAttrsEnd,
  kTvmffiAttrInit,
  kTvmffiAttrShallowCopy,
  kTvmffiAttrConvert,
  kTvmffiAttrTypeFinal,
  kTvmffiAttrRepr,
  kTvmffiAttrHash,
  kTvmffiAttrEq,
  kTvmffiAttrCompare,
  kTvmffiAttrEnum,
  kTvmffiReflectAttrsEnd
};
#define TVMFFI_REFLECT_ATTR_NAMES \
  "__ffi_new__\0"                 \
  "__ffi_init__\0"                \
  "__ffi_shallow_copy__\0"        \
  "__ffi_convert__\0"             \
  "__ffi_type_final__\0"          \
  "__ffi_repr__\0"                \
  "__ffi_hash__\0"                \
  "__ffi_eq__\0"                  \
  "__ffi_compare__\0"             \
  "__ffi_enum__\0"

extern const tvmffi_builtin_group tvmffi_reflect_builtins;
extern const tvmffi_builtin_type_group tvmffi_enum_types;
extern const tvmffi_builtin_type_group tvmffi_access_path_types;
extern const tvmffi_builtin_attr_group tvmffi_object_attrs;
extern const tvmffi_builtin_attr_group tvmffi_enum_attrs;
extern const tvmffi_builtin_attr_group tvmffi_access_path_attrs;
extern const tvmffi_builtin_attr_group tvmffi_access_path_repr_attrs;
extern const tvmffi_builtin_attr_group tvmffi_convert_attrs;

#endif /* TVMFFI_REFLECT_BUILTIN_TABLES_H_ */
