/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of built-in functions, types and attributes. Each layer declares its own in
 * <layer>/builtin_tables.h; runtime/parts.c, above all layers, makes parts of them, and the program
 * lists the parts that it has (tvm/ffi/extra/c_runtime_parts.h; by default runtime/all_parts.c).
 * The core knows no other layer. Nothing runs at load time: the core reads the tables when they are
 * first needed.
 */
#ifndef TVMFFI_CORE_BUILTIN_TABLES_H_
#define TVMFFI_CORE_BUILTIN_TABLES_H_

#include <tvm/ffi/extra/c_runtime_parts.h>

#include "core/builtin_types.h"
#include "core/builtins.h"
#include "core/type_attr.h"

/* Lists of groups, each with NULL at its end; an empty one may be NULL. */
struct TVMFFIRuntimePart {
  const tvmffi_builtin_group *const *functions;
  const tvmffi_builtin_type_group *const *types;
  const tvmffi_builtin_attr_group *const *attrs;
};

/* The i-th group of all parts of the program; NULL after the last. */
const tvmffi_builtin_group *tvmffi_parts_functions(size_t i);
const tvmffi_builtin_type_group *tvmffi_parts_types(size_t i);
const tvmffi_builtin_attr_group *tvmffi_parts_attrs(size_t i);

/* runtime/parts.c: the names of the numbered attributes of all layers, each NUL-terminated. */
extern const char tvmffi_attr_names[];

/* ---- The tables of the core ---- */

extern const tvmffi_builtin_group tvmffi_core_builtins;
extern const tvmffi_builtin_type_group tvmffi_core_types;
extern const tvmffi_builtin_attr_group tvmffi_bigint_attrs;

#endif /* TVMFFI_CORE_BUILTIN_TABLES_H_ */
