/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural mutations: values rewritten, in copies of what changes, or in place where nobody else
 * sees it. Clients take part as they do in visits (visit.h), and what is said there of the
 * thread's stack holds. abi/04 4.3 and 4.4.
 */
#ifndef TVMFFI_STRUCTURAL_MUTATE_H_
#define TVMFFI_STRUCTURAL_MUTATE_H_

#include <tvm/ffi/c_api.h>

#include "base/pointer_map.h"
#include "base/stack.h"
#include "core/object.h"
#include "reflect/objects.h"
#include "structural/callbacks.h"

/* What a mutator points to. Arguments are views, results outcomes (outcome.h). */
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
  kTvmffiMutate /* callbacks do the rest themselves */
} tvmffi_mutate_kind;

/* A mutator that calls back by type. */
typedef struct {
  tvmffi_structural_mutator base;
  tvmffi_mutate_kind kind;
  tvmffi_callbacks callbacks;
  tvmffi_pointer_map remap; /* from object to index in it: */
  tvmffi_stack remapped;    /* tvmffi_remap_entry */
} tvmffi_mutate_engine;

typedef struct {
  TVMFFIObject *var; /* both owned */
  TVMFFIAny mapped;
} tvmffi_remap_entry;

/* The mutator as one, or NULL. */
const tvmffi_mutate_engine *tvmffi_mutator_get_engine(const tvmffi_structural_mutator *mutator);

/* Its first two entries. */
TVMFFIAny tvmffi_mutate_engine_mutate(void *mutator, TVMFFIAny value);
TVMFFIAny tvmffi_mutate_engine_maybe_inplace(void *mutator, TVMFFIAny value);

/* Whether a value is an object that its owner alone has; a walk that lends it is none. */
static inline bool tvmffi_mutate_is_unique(const TVMFFIAny *value) {
  return value->type_index >= kTVMFFIStaticObjectBegin &&
         tvmffi_object_use_count(value->v_obj) == 1;
}

/*
 * A mutation of a value by a mutator, in place if that is allowed and the value unique; and one
 * without its callbacks for the value itself, and never in place.
 */
TVMFFIAny tvmffi_mutator_mutate(tvmffi_structural_mutator *mutator, const TVMFFIAny *value,
                                bool in_place);
TVMFFIAny tvmffi_mutator_default_mutate(tvmffi_structural_mutator *mutator, const TVMFFIAny *value);

/* The attributes __s_mutate__ and __s_maybe_inplace_mutate__ of containers, and of atoms. */
TVMFFIAny tvmffi_mutate_container(void *mutator, TVMFFIAny value);
TVMFFIAny tvmffi_mutate_container_inplace(void *mutator, TVMFFIAny value);
TVMFFIAny tvmffi_mutate_atom(void *mutator, TVMFFIAny value);

#endif /* TVMFFI_STRUCTURAL_MUTATE_H_ */
