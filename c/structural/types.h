/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of structural functions: docs/abi/types.md. */
#ifndef TVMFFI_STRUCTURAL_TYPES_H_
#define TVMFFI_STRUCTURAL_TYPES_H_

#include <tvm/ffi/c_api.h>

#include "structural/structural.h"

typedef struct {
  TVMFFIObject header;
  TVMFFIAny value;
} tvmffi_visit_interrupt;

typedef struct {
  TVMFFIObject header;
  TVMFFIObject *reverse_visit_pattern; /* List, innermost first */
  TVMFFIObject *prev_error_context;    /* or NULL */
} tvmffi_visit_error_context;

typedef struct {
  TVMFFIObject header;
  TVMFFIAny key;
  int64_t hash_i64;
} tvmffi_structural_key;

/*
 * Made by clients and by the functions that walk; docs/abi/structural.md#visits and
 * docs/abi/structural.md#mutators describe their tables.
 */
typedef struct {
  TVMFFIObject header;
  const void *vtable;
  int32_t def_region_kind;
} tvmffi_structural_visitor;
typedef tvmffi_structural_visitor tvmffi_structural_mutator;

#endif /* TVMFFI_STRUCTURAL_TYPES_H_ */
