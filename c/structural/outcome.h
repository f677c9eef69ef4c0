/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outcomes: owned values with the result of a visit or a mutation, returned by hooks and by the
 * tables of visitors. An Error is a failure, and is not raised while it is passed on. In visits,
 * None means to go on and a VisitInterrupt to stop; in mutations, Unchanged keeps a value and
 * everything else replaces it.
 */
#ifndef TVMFFI_STRUCTURAL_OUTCOME_H_
#define TVMFFI_STRUCTURAL_OUTCOME_H_

#include <stdbool.h>

#include "core/any.h"
#include "core/error.h"
#include "platform/platform.h"

static inline TVMFFIAny tvmffi_outcome_unchanged(void) {
  TVMFFIAny outcome = tvmffi_any_none();
  outcome.type_index = kTVMFFIUnchanged;
  return outcome;
}

static inline bool tvmffi_outcome_is_error(const TVMFFIAny *outcome) {
  return outcome->type_index == kTVMFFIError;
}

static inline bool tvmffi_outcome_is_unchanged(const TVMFFIAny *outcome) {
  return outcome->type_index == kTVMFFIUnchanged;
}

/* Takes the raised error out of the slot. */
TVMFFIAny tvmffi_outcome_raised(void);

/* An outcome of a new error. */
#define tvmffi_outcome_fail(...) (tvmffi_error_raisef(__VA_ARGS__), tvmffi_outcome_raised())

/* Moves an outcome to a result, or raises it. */
int tvmffi_outcome_give(TVMFFIAny outcome, TVMFFIAny *result);

/*
 * Returns the outcome of a foreign visit, or a TypeError if that is not a valid one; expected is
 * the valid type, for the message.
 */
TVMFFIAny tvmffi_outcome_check_visit(TVMFFIAny outcome);
TVMFFIAny tvmffi_outcome_refuse(TVMFFIAny outcome, const char *expected);

/*
 * Adds the value, if it is an object, to the path that an Error has passed: to the
 * ffi.VisitErrorContext in its extra_context, which is made if missing. Without memory the error
 * stays as it is. So does the shared MemoryError. Any thread: visits in several threads may pass
 * the same Error, and then share its path.
 */
void tvmffi_outcome_note(const TVMFFIAny *error, const TVMFFIAny *value);

/* Held while such a path is extended or read. */
extern tvmffi_mutex tvmffi_outcome_mutex;

#endif /* TVMFFI_STRUCTURAL_OUTCOME_H_ */
