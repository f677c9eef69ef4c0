/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outcomes: owned values that say how a visit or a mutation went, as hooks and tables of visitors
 * give them. An Error is a failure, and nothing is raised while one travels; of visits None says to
 * go on and a VisitInterrupt to stop; of mutations Unchanged keeps a value and all else replaces
 * it.
 */
#ifndef TVMFFI_STRUCTURAL_OUTCOME_H_
#define TVMFFI_STRUCTURAL_OUTCOME_H_

#include <stdbool.h>

#include "core/any.h"
#include "core/error.h"

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

/* The error that was raised, no longer so. */
TVMFFIAny tvmffi_outcome_raised(void);

/* Of a new error. */
#define tvmffi_outcome_fail(...) (tvmffi_error_raisef(__VA_ARGS__), tvmffi_outcome_raised())

/* Moves it to a result, or raises it. */
int tvmffi_outcome_give(TVMFFIAny outcome, TVMFFIAny *result);

/*
 * What a foreign visit gave, or the TypeError that it is none of what it may be; expected is how
 * the error shows that.
 */
TVMFFIAny tvmffi_outcome_check_visit(TVMFFIAny outcome);
TVMFFIAny tvmffi_outcome_refuse(TVMFFIAny outcome, const char *expected);

/*
 * Adds the value, if it is an object, to those that an Error says it went through: to the
 * ffi.VisitErrorContext in its extra_context, which is made if need be. Without memory the error
 * stays as it is; and so does the one that says so, which is everybody's.
 */
void tvmffi_outcome_note(const TVMFFIAny *error, const TVMFFIAny *value);

#endif /* TVMFFI_STRUCTURAL_OUTCOME_H_ */
