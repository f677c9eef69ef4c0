/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural visits, in which clients take part with callbacks, hooks of types and visitors of
 * their own: docs/abi/structural.md#visits. Nested containers and fields do not use the thread's
 * stack, unless foreign code lies in between. Foreign code that continues the visit does use it,
 * and is refused when little is left.
 */
#ifndef TVMFFI_STRUCTURAL_VISIT_H_
#define TVMFFI_STRUCTURAL_VISIT_H_

#include <tvm/ffi/c_api.h>

#include "structural/outcome.h"
#include "structural/types.h"

/* The table of a visitor. The value is a view, the result an outcome (outcome.h). */
typedef TVMFFIAny (*tvmffi_visit)(void *visitor, TVMFFIAny value);
typedef struct {
  tvmffi_visit visit;
} tvmffi_visitor_table;

typedef enum {
  kTvmffiWalkPreOrder,
  kTvmffiWalkPostOrder,
  kTvmffiVisit /* callbacks visit the rest themselves */
} tvmffi_visit_kind;

/* A visitor that calls back by the type of values. */
typedef struct {
  tvmffi_structural_visitor base;
  tvmffi_visit_kind kind;
  tvmffi_callbacks callbacks;
} tvmffi_visit_engine;

/* Visits a value; default_visit skips the visitor's callbacks for the value itself. */
TVMFFIAny tvmffi_visitor_visit(tvmffi_structural_visitor *visitor, const TVMFFIAny *value);
TVMFFIAny tvmffi_visitor_default_visit(tvmffi_structural_visitor *visitor, const TVMFFIAny *value);

/* ---- Shared by visitors and mutators ---- */

/* Bodies of built-in functions: get the region of a visitor; call a callback in another region. */
int tvmffi_structural_get_region(const TVMFFIAny *args, TVMFFIAny *result);
int tvmffi_structural_with_region(const TVMFFIAny *args, TVMFFIAny *result);

/*
 * Copies the part that all visitors have. The data of a client's class is not known, hence a table
 * whose functions fail.
 */
int tvmffi_structural_copy(const tvmffi_structural_visitor *source, const void *table,
                           TVMFFIAny *result);

#endif /* TVMFFI_STRUCTURAL_VISIT_H_ */
