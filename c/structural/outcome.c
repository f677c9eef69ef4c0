/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/outcome.h"

#include "container/list.h"
#include "platform/atomic.h"
#include "reflect/objects.h"
#include "structural/types.h"

TVMFFIAny tvmffi_outcome_raised(void) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  return tvmffi_any_object(error);
}

int tvmffi_outcome_give(TVMFFIAny outcome, TVMFFIAny *result) {
  if (tvmffi_outcome_is_error(&outcome)) {
    TVMFFIErrorSetRaised(outcome.v_obj);
    tvmffi_any_release(&outcome);
    return -1;
  }
  *result = outcome;
  return 0;
}

TVMFFIAny tvmffi_outcome_refuse(TVMFFIAny outcome, const char *expected) {
  TVMFFIAny error = tvmffi_outcome_fail(
      "TypeError", "CallExpected: result type mismatch, expected %s, but got %s", expected,
      tvmffi_any_type_name(&outcome));
  tvmffi_any_release(&outcome);
  return error;
}

TVMFFIAny tvmffi_outcome_check_visit(TVMFFIAny outcome) {
  switch (outcome.type_index) {
    case kTVMFFINone:
    case kTVMFFIVisitInterrupt:
    case kTVMFFIError:
      return outcome;
    default:
      return tvmffi_outcome_refuse(outcome, "Optional<ffi.VisitInterrupt>");
  }
}

/* ---- The context of an error ---- */

tvmffi_mutex tvmffi_outcome_mutex = TVMFFI_MUTEX_INIT;

/* The context of an error, made if there is none; NULL without memory. */
static tvmffi_visit_error_context *ensure_context(TVMFFIErrorCell *cell) {
  TVMFFIObject *old = cell->extra_context;
  tvmffi_visit_error_context *context;
  if (old != NULL && old->type_index == kTvmffiVisitErrorContext) {
    return (tvmffi_visit_error_context *)(void *)old;
  }
  context = tvmffi_reflect_new(kTvmffiVisitErrorContext);
  if (context == NULL) return NULL;
  context->prev_error_context = old;
  tvmffi_atomic_store_release_ptr(&cell->extra_context, (TVMFFIObjectHandle)context);
  return context;
}

/* Appends an owned object to the pattern of an error. False without memory. */
static bool append_to_context(TVMFFIErrorCell *cell, const TVMFFIAny *owned) {
  tvmffi_visit_error_context *context = ensure_context(cell);
  return context != NULL && context->reverse_visit_pattern != NULL &&
         tvmffi_list_append(context->reverse_visit_pattern, owned) == 0;
}

void tvmffi_outcome_note(const TVMFFIAny *error, const TVMFFIAny *value) {
  TVMFFIObjectHandle raised;
  TVMFFIAny owned;
  bool is_noted;
  if (value->type_index < kTVMFFIStaticObjectBegin || tvmffi_error_is_shared(error->v_obj)) return;
  owned = tvmffi_any_copy(value);
  /* Running out of memory replaces the raised error: its deleter must not run under the lock. */
  TVMFFIErrorMoveFromRaised(&raised);
  tvmffi_mutex_lock(&tvmffi_outcome_mutex);
  is_noted = append_to_context(TVMFFIErrorGetCellPtr(error->v_obj), &owned);
  tvmffi_mutex_unlock(&tvmffi_outcome_mutex);
  if (!is_noted) tvmffi_any_release(&owned);
  TVMFFIErrorSetRaised(raised); /* a MemoryError of ours goes */
  tvmffi_object_release(raised);
}
