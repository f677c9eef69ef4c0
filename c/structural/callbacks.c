/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/callbacks.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "container/array.h"
#include "core/error.h"
#include "core/type.h"
#include "reflect/walk.h"
#include "structural/outcome.h"

static void add(tvmffi_callbacks *callbacks, const TVMFFIAny *list, bool want_more) {
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
  size_t count = (size_t)tvmffi_array_size(first->v_obj), bytes;
  if (second != NULL) count += (size_t)tvmffi_array_size(second->v_obj);
  callbacks->items = NULL;
  callbacks->size = 0;
  if (count == 0) return 0;
  if (!tvmffi_checked_mul_size(count, sizeof *callbacks->items, &bytes) ||
      (callbacks->items = tvmffi_alloc(bytes)) == NULL) {
    return tvmffi_fail_memory();
  }
  add(callbacks, first, false);
  if (second != NULL) add(callbacks, second, true);
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
