/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of this layer. */
#ifndef TVMFFI_MODULE_BUILTIN_TABLES_H_
#define TVMFFI_MODULE_BUILTIN_TABLES_H_

#include "core/builtins.h"

extern const tvmffi_builtin_group tvmffi_module_builtins;
extern const tvmffi_builtin_group tvmffi_loading_builtins;
extern const tvmffi_builtin_type_group tvmffi_module_types;

#endif /* TVMFFI_MODULE_BUILTIN_TABLES_H_ */
