/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/outcome.h"

#include "container/list.h"
#include "core/type.h"
#include "reflect/objects.h"

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
  cell->extra_context = context;
  return context;
}

void tvmffi_outcome_note(const TVMFFIAny *error, const TVMFFIAny *value) {
  tvmffi_visit_error_context *context;
  if (value->type_index < kTVMFFIStaticObjectBegin || tvmffi_error_is_shared(error->v_obj)) return;
  context = ensure_context(TVMFFIErrorGetCellPtr(error->v_obj));
  if (context != NULL && context->reverse_visit_pattern != NULL) {
    TVMFFIAny owned = tvmffi_any_copy(value);
    if (tvmffi_list_append(context->reverse_visit_pattern, &owned) == 0) return;
    tvmffi_any_release(&owned);
  }
  TVMFFIErrorSetRaised(NULL);
}
