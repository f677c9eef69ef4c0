/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of built-in functions, types and attributes. Each layer declares its own in
 * <layer>/builtin_tables.h; runtime/builtin_tables.c, above all layers, lists them for the core,
 * which knows no other layer. Nothing runs at load time: the core reads the tables when they are
 * first needed.
 */
#ifndef TVMFFI_CORE_BUILTIN_TABLES_H_
#define TVMFFI_CORE_BUILTIN_TABLES_H_

#include "core/builtin_types.h"
#include "core/builtins.h"
#include "core/type_attr.h"

typedef struct {
  const tvmffi_builtin_group *const *functions;
  size_t num_functions;
  const tvmffi_builtin_type_group *const *types;
  size_t num_types;
  const tvmffi_builtin_attr_group *const *attrs;
  size_t num_attrs;
  const char *attr_names; /* of the numbered attributes, each NUL-terminated */
} tvmffi_builtin_tables;

/* runtime/builtin_tables.c */
extern const tvmffi_builtin_tables tvmffi_all_builtins;

/* ---- The tables of the core ---- */

extern const tvmffi_builtin_group tvmffi_core_builtins;
extern const tvmffi_builtin_type_group tvmffi_core_types;
extern const tvmffi_builtin_attr_group tvmffi_bigint_attrs;

#endif /* TVMFFI_CORE_BUILTIN_TABLES_H_ */
