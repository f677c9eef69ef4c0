/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records the path of a walk through two values, to tell where they first differ. With NULL instead
 * of a tvmffi_mismatch, nothing is recorded.
 */
#ifndef TVMFFI_STRUCTURAL_MISMATCH_H_
#define TVMFFI_STRUCTURAL_MISMATCH_H_

#include <tvm/ffi/c_api.h>

#include "base/stack.h"
#include "structural/structural.h"

typedef struct {
  tvmffi_stack steps; /* for each pair of objects in the walk, the step to the current child */
  TVMFFIObject *path_a, *path_b; /* owned; NULL until a difference is noted */
} tvmffi_mismatch;

/* Enters a pair of objects, without a current child; leaves it. */
int tvmffi_mismatch_push(tvmffi_mismatch *m);
void tvmffi_mismatch_pop(tvmffi_mismatch *m);

/* Goes to a child of both: kinds and keys of access steps. Keeps references to the keys. */
void tvmffi_mismatch_step(tvmffi_mismatch *m, int32_t kind_a, const TVMFFIAny *key_a,
                          int32_t kind_b, const TVMFFIAny *key_b);
/* Leaves the current child. */
void tvmffi_mismatch_step_back(tvmffi_mismatch *m);

/* Records the current path unless a difference was recorded before; _forget drops it. */
int tvmffi_mismatch_note(tvmffi_mismatch *m);
void tvmffi_mismatch_forget(tvmffi_mismatch *m);

/* tvmffi_structural_equal of equal.c, with a record of the difference. */
int tvmffi_equal_run(const TVMFFIAny *a, const TVMFFIAny *b, tvmffi_structural_options options,
                     tvmffi_mismatch *mismatch, bool *out);

#endif /* TVMFFI_STRUCTURAL_MISMATCH_H_ */
