/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of this layer. */
#ifndef TVMFFI_CONTAINER_BUILTIN_TABLES_H_
#define TVMFFI_CONTAINER_BUILTIN_TABLES_H_

#include "core/builtins.h"

extern const tvmffi_builtin_group tvmffi_array_builtins;
extern const tvmffi_builtin_group tvmffi_list_builtins;
extern const tvmffi_builtin_group tvmffi_map_builtins;

#endif /* TVMFFI_CONTAINER_BUILTIN_TABLES_H_ */
