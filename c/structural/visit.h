/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural visits, in which clients take part with callbacks, hooks of types and visitors of
 * their own: abi/04 4.1 and 4.2. Containers and fields take none of the thread's stack for nesting
 * where nothing foreign is in between; foreign code that goes on with the visit does, and is
 * refused when little is left.
 */
#ifndef TVMFFI_STRUCTURAL_VISIT_H_
#define TVMFFI_STRUCTURAL_VISIT_H_

#include <tvm/ffi/c_api.h>

#include "reflect/objects.h"
#include "structural/callbacks.h"

/* What a visitor points to. The value is a view, the result an outcome (outcome.h). */
typedef TVMFFIAny (*tvmffi_visit)(void *visitor, TVMFFIAny value);
typedef struct {
  tvmffi_visit visit;
} tvmffi_visitor_table;

typedef enum {
  kTvmffiWalkPreOrder,
  kTvmffiWalkPostOrder,
  kTvmffiVisit /* callbacks do the rest themselves */
} tvmffi_visit_kind;

/* A visitor that calls back by type. */
typedef struct {
  tvmffi_structural_visitor base;
  tvmffi_visit_kind kind;
  tvmffi_callbacks callbacks;
} tvmffi_visit_engine;

/* The visitor as one, or NULL. */
const tvmffi_visit_engine *tvmffi_visitor_get_engine(const tvmffi_structural_visitor *visitor);

/* Its entry. */
TVMFFIAny tvmffi_visit_engine_visit(void *visitor, TVMFFIAny value);

/* A visit of a value by a visitor; and without its callbacks for the value itself. */
TVMFFIAny tvmffi_visitor_visit(tvmffi_structural_visitor *visitor, const TVMFFIAny *value);
TVMFFIAny tvmffi_visitor_default_visit(tvmffi_structural_visitor *visitor, const TVMFFIAny *value);

/* The attribute __s_visit__ of containers. */
TVMFFIAny tvmffi_visit_container(void *visitor, TVMFFIAny value);

/* ---- Of visitors and of mutators ----------------------------------------------------------------
 */

/* Bodies of functions: the region a visitor is in; a call of a callback inside another. */
int tvmffi_structural_get_region(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int tvmffi_structural_with_region(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/*
 * A copy of what all visitors have. What the class of one has behind that is not known, hence a
 * table that refuses to work.
 */
int tvmffi_structural_copy(const tvmffi_structural_visitor *from, const void *table,
                           TVMFFIAny *result);

#endif /* TVMFFI_STRUCTURAL_VISIT_H_ */
