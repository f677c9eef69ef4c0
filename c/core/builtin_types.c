/* SPDX-License-Identifier: Apache-2.0 */
/* The types that the core itself makes objects of. */
#include "core/builtin_types.h"

#include "core/builtin_tables.h"

static const tvmffi_builtin_type kTypes[] = {
    {.type_index = kTVMFFIObject, .metadata.total_size = sizeof(TVMFFIObject)},
    {.type_index = kTVMFFIBigInt, .metadata.total_size = sizeof(TVMFFIObject) + 8},
};

const tvmffi_builtin_type_group tvmffi_core_types = {kTypes, sizeof kTypes / sizeof *kTypes, NULL};
