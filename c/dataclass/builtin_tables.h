/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of this layer. */
#ifndef TVMFFI_DATACLASS_BUILTIN_TABLES_H_
#define TVMFFI_DATACLASS_BUILTIN_TABLES_H_

#include "reflect/builtin_tables.h"

extern const tvmffi_builtin_group tvmffi_dataclass_builtins;
extern const tvmffi_builtin_attr_group tvmffi_dataclass_attrs;

#endif /* TVMFFI_DATACLASS_BUILTIN_TABLES_H_ */
