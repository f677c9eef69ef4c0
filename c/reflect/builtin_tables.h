/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of this layer, and the numbers of its types. */
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

extern const tvmffi_builtin_group tvmffi_reflect_builtins;
extern const tvmffi_builtin_type_group tvmffi_enum_types;
extern const tvmffi_builtin_type_group tvmffi_access_path_types;
extern const tvmffi_builtin_attr_group tvmffi_object_attrs;
extern const tvmffi_builtin_attr_group tvmffi_enum_attrs;
extern const tvmffi_builtin_attr_group tvmffi_access_path_attrs;
extern const tvmffi_builtin_attr_group tvmffi_access_path_repr_attrs;
extern const tvmffi_builtin_attr_group tvmffi_convert_attrs;

#endif /* TVMFFI_REFLECT_BUILTIN_TABLES_H_ */
