/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/outcome.h"

#include "base/alloc.h"
#include "container/array.h"
#include "container/list.h"
#include "core/error.h"
#include "core/type.h"
#include "platform/atomic.h"
#include "reflect/builtin_objects.h"
#include "reflect/walk.h"
#include "structural/types.h"

/* ---- Outcomes ---- */

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

TVMFFIAny tvmffi_outcome_of_hook(const char *walk_name, const TVMFFIAny *hook, TVMFFIObject *self,
                                 const TVMFFIAny *value, const char *refusal) {
  TVMFFIAny args[2], result;
  union {
    void *address;
    tvmffi_structural_hook function;
  } native;
  if (tvmffi_walk_check_stack(walk_name) != 0) return tvmffi_outcome_raised();
  if (hook->type_index == kTVMFFIOpaquePtr && hook->v_ptr != NULL) {
    native.address = hook->v_ptr;
    return native.function(self, *value);
  }
  if (hook->type_index != kTVMFFIFunction) return tvmffi_outcome_fail("TypeError", "%s", refusal);
  args[0] = tvmffi_any_object(self);
  args[1] = *value;
  if (tvmffi_walk_call(walk_name, hook->v_obj, args, 2, &result) != 0) {
    return tvmffi_outcome_raised();
  }
  return result;
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

/* ---- Callbacks ---- */

static void add_callbacks(tvmffi_callbacks *callbacks, const TVMFFIAny *list, bool want_more) {
  int64_t i, size = tvmffi_array_size(list->v_obj);
  for (i = 0; i < size; ++i) {
    TVMFFIObject *entry = tvmffi_array_items(list->v_obj)[i].v_obj;
    const TVMFFIAny *items = tvmffi_array_items(entry);
    tvmffi_callback *callback = &callbacks->items[callbacks->size++];
    callback->type_index = (int32_t)items[0].v_int64;
    callback->function = items[1].type_index == kTVMFFIFunction ? items[1].v_obj : NULL;
    callback->wants_more = want_more || (tvmffi_array_size(entry) > 2 && items[2].v_int64 != 0);
    tvmffi_object_retain(callback->function);
  }
}

int tvmffi_callbacks_init(tvmffi_callbacks *callbacks, const TVMFFIAny *first,
                          const TVMFFIAny *second) {
  size_t count = (size_t)tvmffi_array_size(first->v_obj);
  if (second != NULL) count += (size_t)tvmffi_array_size(second->v_obj);
  callbacks->items = NULL;
  callbacks->size = 0;
  if (count == 0) return 0;
  callbacks->items = tvmffi_alloc_zeroed(count, sizeof *callbacks->items);
  if (callbacks->items == NULL) return tvmffi_fail_memory();
  add_callbacks(callbacks, first, false);
  if (second != NULL) add_callbacks(callbacks, second, true);
  return 0;
}

void tvmffi_callbacks_fini(tvmffi_callbacks *callbacks) {
  size_t i;
  for (i = 0; i < callbacks->size; ++i) {
    tvmffi_object_release_nested(callbacks->items[i].function);
  }
  tvmffi_free(callbacks->items);
}

static bool is_for(int32_t type_index, const TVMFFIAny *value) {
  if (type_index == value->type_index) return true;
  switch (type_index) {
    case -1:
      return true;
    case kTVMFFIStr:
      return value->type_index == kTVMFFISmallStr;
    case kTVMFFIBytes:
      return value->type_index == kTVMFFISmallBytes;
    default:
      return type_index >= kTVMFFIStaticObjectBegin &&
             value->type_index >= kTVMFFIStaticObjectBegin &&
             tvmffi_type_is_instance(value->type_index, type_index);
  }
}

const tvmffi_callback *tvmffi_callbacks_find(const tvmffi_callbacks *callbacks,
                                             const TVMFFIAny *value) {
  size_t i;
  for (i = 0; i < callbacks->size; ++i) {
    if (is_for(callbacks->items[i].type_index, value)) return &callbacks->items[i];
  }
  return NULL;
}

TVMFFIAny tvmffi_callback_call(const char *walk_name, const tvmffi_callback *callback,
                               const TVMFFIAny *args, int32_t num_args) {
  TVMFFIAny result;
  if (callback->function == NULL) {
    return tvmffi_outcome_fail("TypeError", "%s: the callback for type index %d is None", walk_name,
                               (int)callback->type_index);
  }
  if (tvmffi_walk_call(walk_name, callback->function, args, num_args, &result) != 0) {
    return tvmffi_outcome_raised();
  }
  return result;
}
