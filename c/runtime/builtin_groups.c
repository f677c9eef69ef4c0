/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of built-in functions, types and type attributes of all layers, lowest first. */
#include "core/builtin_types.h"
#include "core/type_attr.h"
#include "module/module.h"
#include "reflect/objects.h"

const tvmffi_builtin_group *const tvmffi_builtin_groups[] = {
    &tvmffi_core_builtins,
#ifdef TVMFFI_PROFILE_FULL
    &tvmffi_array_builtins,      &tvmffi_list_builtins,       &tvmffi_map_builtins,
    &tvmffi_json_builtins,       &tvmffi_reflect_builtins,    &tvmffi_dataclass_builtins,
    &tvmffi_json_graph_builtins, &tvmffi_structural_builtins, &tvmffi_visit_builtins,
    &tvmffi_mutate_builtins,     &tvmffi_find_paths_builtins,
#endif
    &tvmffi_module_builtins,
};

const size_t tvmffi_num_builtin_groups =
    sizeof tvmffi_builtin_groups / sizeof *tvmffi_builtin_groups;

const tvmffi_builtin_type_group *const tvmffi_builtin_type_groups[] = {
    &tvmffi_core_types,
#ifdef TVMFFI_PROFILE_FULL
    &tvmffi_enum_types,           &tvmffi_access_path_types, &tvmffi_structural_types,
    &tvmffi_structural_key_types, &tvmffi_module_types,
#endif
};

const size_t tvmffi_num_builtin_type_groups =
    sizeof tvmffi_builtin_type_groups / sizeof *tvmffi_builtin_type_groups;

const tvmffi_builtin_attr_group *const tvmffi_builtin_attr_groups[] = {
    &tvmffi_bigint_attrs,
#ifdef TVMFFI_PROFILE_FULL
    &tvmffi_object_attrs,     &tvmffi_access_path_attrs,    &tvmffi_convert_attrs,
    &tvmffi_json_graph_attrs, &tvmffi_structural_key_attrs, &tvmffi_dataclass_attrs,
    &tvmffi_visit_attrs,      &tvmffi_mutate_attrs,
#endif
};

const size_t tvmffi_num_builtin_attr_groups =
    sizeof tvmffi_builtin_attr_groups / sizeof *tvmffi_builtin_attr_groups;
