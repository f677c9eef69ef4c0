/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of built-in functions, types and type attributes of all layers, lowest first. */
#include "container/builtin_tables.h"
#include "core/builtin_tables.h"
#include "dataclass/builtin_tables.h"
#include "json/builtin_tables.h"
#include "module/builtin_tables.h"
#include "reflect/builtin_tables.h"
#include "structural/builtin_tables.h"

/* A division by zero here: a layer has other numbers of types or attributes than core/ has room
 * for. */
enum {
#ifdef TVMFFI_PROFILE_FULL
  kTypesAreCounted = 1 / ((int)kTvmffiStructuralTypesEnd == (int)kTvmffiFirstClientType),
#endif
  kAttrsAreCounted = 1 / ((int)kTvmffiStructuralAttrsEnd == (int)kTvmffiNumFirstAttrs)
};

static const tvmffi_builtin_group *const kFunctions[] = {
    &tvmffi_core_builtins,
#ifdef TVMFFI_PROFILE_FULL
    &tvmffi_array_builtins,      &tvmffi_list_builtins,       &tvmffi_map_builtins,
    &tvmffi_json_builtins,       &tvmffi_reflect_builtins,    &tvmffi_dataclass_builtins,
    &tvmffi_json_graph_builtins, &tvmffi_structural_builtins, &tvmffi_visit_builtins,
    &tvmffi_mutate_builtins,     &tvmffi_find_paths_builtins,
#endif
    &tvmffi_module_builtins,
};

static const tvmffi_builtin_type_group *const kTypes[] = {
    &tvmffi_core_types,
#ifdef TVMFFI_PROFILE_FULL
    &tvmffi_enum_types,           &tvmffi_access_path_types, &tvmffi_structural_types,
    &tvmffi_structural_key_types, &tvmffi_module_types,
#endif
};

static const tvmffi_builtin_attr_group *const kAttrs[] = {
    &tvmffi_bigint_attrs,
#ifdef TVMFFI_PROFILE_FULL
    &tvmffi_object_attrs,         &tvmffi_enum_attrs,
    &tvmffi_access_path_attrs,    &tvmffi_access_path_repr_attrs,
    &tvmffi_convert_attrs,        &tvmffi_dataclass_attrs,
    &tvmffi_json_graph_attrs,     &tvmffi_structural_type_attrs,
    &tvmffi_structural_key_attrs, &tvmffi_visit_attrs,
    &tvmffi_mutate_attrs,
#endif
};

const tvmffi_builtin_tables tvmffi_all_builtins = {
    kFunctions,
    sizeof kFunctions / sizeof *kFunctions,
    kTypes,
    sizeof kTypes / sizeof *kTypes,
    kAttrs,
    sizeof kAttrs / sizeof *kAttrs,
    TVMFFI_CORE_ATTR_NAMES TVMFFI_REFLECT_ATTR_NAMES TVMFFI_JSON_ATTR_NAMES
        TVMFFI_STRUCTURAL_ATTR_NAMES};
