/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers have built-in functions, lowest first. */
#include "core/builtins.h"

const tvmffi_builtin_group *const tvmffi_builtin_groups[] = {
    &tvmffi_core_builtins,
#ifdef TVMFFI_PROFILE_FULL
    &tvmffi_array_builtins,  &tvmffi_list_builtins, &tvmffi_map_builtins, &tvmffi_json_builtins,
#endif
    &tvmffi_module_builtins,
};

const size_t tvmffi_num_builtin_groups =
    sizeof tvmffi_builtin_groups / sizeof *tvmffi_builtin_groups;
