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
#include <tvm/ffi/c_api.h>

#include "core/any.h"
#include "core/error.h"
#include "platform/platform.h"

/* ---- Outcomes ---- */

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

/*
 * Calls an attribute __s_visit__ or __s_mutate__ for a value: a C function with such a signature,
 * or a Function, else `refusal` is the text of a TypeError. self is the visitor or mutator.
 */
typedef TVMFFIAny (*tvmffi_structural_hook)(void *self, TVMFFIAny value);
TVMFFIAny tvmffi_outcome_of_hook(const char *walk_name, const TVMFFIAny *hook, TVMFFIObject *self,
                                 const TVMFFIAny *value, const char *refusal);

/* ---- Callbacks by type of value, of structural walks, visits, maps and mutations ---- */

typedef struct {
  int32_t type_index; /* -1: any value */
  bool wants_more;    /* takes one more argument: the region, or whether to mutate in place */
  TVMFFIObject *function;
} tvmffi_callback;

typedef struct {
  tvmffi_callback *items;
  size_t size;
} tvmffi_callbacks;

/*
 * Copies the callbacks listed in two arguments (letter c or C of builtins.c), the first list before
 * the second, which may be NULL. Callbacks of the second list, and those whose third element is
 * true, want the additional argument.
 */
int tvmffi_callbacks_init(tvmffi_callbacks *callbacks, const TVMFFIAny *first,
                          const TVMFFIAny *second);
/* For deleters: functions are released as nested objects. */
void tvmffi_callbacks_fini(tvmffi_callbacks *callbacks);

/* The first callback for a value of this type, or NULL. */
const tvmffi_callback *tvmffi_callbacks_find(const tvmffi_callbacks *callbacks,
                                             const TVMFFIAny *value);

/* Calls it. Returns its result or an Error. */
TVMFFIAny tvmffi_callback_call(const char *walk_name, const tvmffi_callback *callback,
                               const TVMFFIAny *args, int32_t num_args);

#endif /* TVMFFI_STRUCTURAL_OUTCOME_H_ */
