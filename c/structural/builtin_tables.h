/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of this layer, and the numbers of its types. */
#ifndef TVMFFI_STRUCTURAL_BUILTIN_TABLES_H_
#define TVMFFI_STRUCTURAL_BUILTIN_TABLES_H_

#include "json/json.h"

enum {
  kTvmffiStructuralVisitor = kTvmffiReflectTypesEnd,
  kTvmffiVisitErrorContext,
  kTvmffiStructuralMutator,
  kTvmffiStructuralKey,
  kTvmffiStructuralTypesEnd
};

extern const tvmffi_builtin_group tvmffi_structural_builtins;
extern const tvmffi_builtin_group tvmffi_visit_builtins;
extern const tvmffi_builtin_group tvmffi_mutate_builtins;
extern const tvmffi_builtin_group tvmffi_find_paths_builtins;
extern const tvmffi_builtin_type_group tvmffi_structural_types;
extern const tvmffi_builtin_type_group tvmffi_structural_key_types;
extern const tvmffi_builtin_attr_group tvmffi_structural_type_attrs;
extern const tvmffi_builtin_attr_group tvmffi_structural_key_attrs;
extern const tvmffi_builtin_attr_group tvmffi_visit_attrs;
extern const tvmffi_builtin_attr_group tvmffi_mutate_attrs;

#endif /* TVMFFI_STRUCTURAL_BUILTIN_TABLES_H_ */
