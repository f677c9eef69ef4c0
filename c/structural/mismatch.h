/* SPDX-License-Identifier: Apache-2.0 */
/* Where two values first differ: the way of a walk through both. NULL for one keeps no account. */
#ifndef TVMFFI_STRUCTURAL_MISMATCH_H_
#define TVMFFI_STRUCTURAL_MISMATCH_H_

#include <tvm/ffi/c_api.h>

#include "base/stack.h"
#include "structural/structural.h"

typedef struct {
  tvmffi_stack steps; /* of each pair of objects that the walk is in, to the child at hand */
  TVMFFIObject *path_a, *path_b; /* owned; NULL until a difference is noted */
} tvmffi_mismatch;

/* Into a pair of objects, at no child yet, and out of it. */
int tvmffi_mismatch_push(tvmffi_mismatch *m);
void tvmffi_mismatch_pop(tvmffi_mismatch *m);

/* To a child of both: kinds and keys of access steps. The keys are shared. */
void tvmffi_mismatch_step(tvmffi_mismatch *m, int32_t kind_a, const TVMFFIAny *key_a,
                          int32_t kind_b, const TVMFFIAny *key_b);
/* Back to no child. */
void tvmffi_mismatch_step_back(tvmffi_mismatch *m);

/* Notes where the walk is, unless a difference was noted before; and gives that up. */
int tvmffi_mismatch_note(tvmffi_mismatch *m);
void tvmffi_mismatch_forget(tvmffi_mismatch *m);

/* tvmffi_structural_equal, of equal.c, with such an account. */
int tvmffi_equal_run(const TVMFFIAny *a, const TVMFFIAny *b, tvmffi_structural_options options,
                     tvmffi_mismatch *mismatch, bool *out);

#endif /* TVMFFI_STRUCTURAL_MISMATCH_H_ */
