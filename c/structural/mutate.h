/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural mutations: values are rewritten in copies of what changes, or in place where nobody
 * else can see it. Clients take part as they do in visits (visit.h), with the same limits on the
 * thread's stack. docs/abi/structural.md#mutators.
 */
#ifndef TVMFFI_STRUCTURAL_MUTATE_H_
#define TVMFFI_STRUCTURAL_MUTATE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/pointer_map.h"
#include "base/stack.h"
#include "core/object.h"
#include "reflect/walk.h"
#include "structural/outcome.h"
#include "structural/types.h"

/* The table of a mutator. Arguments are views, results outcomes (outcome.h). */
typedef TVMFFIAny (*tvmffi_mutate)(void *mutator, TVMFFIAny value);
typedef struct {
  tvmffi_mutate mutate;
  tvmffi_mutate maybe_inplace_mutate;
  TVMFFIAny (*var_remap_get)(void *mutator, TVMFFIAny var); /* None: no entry */
  TVMFFIAny (*var_remap_set)(void *mutator, TVMFFIAny var, TVMFFIAny mapped);
} tvmffi_mutator_table;

typedef enum {
  kTvmffiMapPreOrder,
  kTvmffiMapPostOrder,
  kTvmffiMutate /* callbacks mutate the rest themselves */
} tvmffi_mutate_kind;

/* A mutator that calls back by the type of values. */
typedef struct {
  tvmffi_structural_mutator base;
  tvmffi_mutate_kind kind;
  tvmffi_callbacks callbacks;
  tvmffi_pointer_map remap; /* from objects to indices in remapped */
  tvmffi_stack remapped;    /* tvmffi_remap_entry */
} tvmffi_mutate_engine;

typedef struct {
  TVMFFIObject *var; /* both owned */
  TVMFFIAny mapped;
} tvmffi_remap_entry;

/* Whether a value is an object that nobody else refers to; a walk that lends it is not counted. */
static inline bool tvmffi_mutate_is_unique(const TVMFFIAny *value) {
  return value->type_index >= kTVMFFIStaticObjectBegin && tvmffi_object_is_unique(value->v_obj);
}

/*
 * Mutates a value with a mutator, in place if in_place is set and the value unique. default_mutate
 * skips the mutator's callbacks for the value itself, and never mutates in place.
 */
TVMFFIAny tvmffi_mutator_mutate(tvmffi_structural_mutator *mutator, const TVMFFIAny *value,
                                bool in_place);
TVMFFIAny tvmffi_mutator_default_mutate(tvmffi_structural_mutator *mutator, const TVMFFIAny *value);

/* The attribute __s_maybe_inplace_mutate__ of containers. */
TVMFFIAny tvmffi_mutate_container_inplace(void *mutator, TVMFFIAny value);

#endif /* TVMFFI_STRUCTURAL_MUTATE_H_ */
