/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that iterate over a map: called with 0 they return the current key, with 1 the current
 * value; with anything else they advance and return whether there is another entry. They keep their
 * map alive. At the end, key and value are an IndexError. If a dict grew meanwhile, or lost the
 * current entry, calls fail with a RuntimeError.
 */
#include "container/map.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"

typedef struct {
  tvmffi_own_function base;
  TVMFFIObject *map;
  uint64_t position;
  tvmffi_map_state state; /* at the start; the size may change */
} iterator_object;

static void destroy_iterator(void *self) {
  tvmffi_object_release_nested(((iterator_object *)self)->map);
}

static void delete_iterator(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_iterator, destroy_iterator, 0);
}

static int check_args(const TVMFFIAny *args, int32_t num_args) {
  static const char signature[] = "(0: int) -> Any";
  if (num_args != 1) return tvmffi_builtin_fail_count(signature, 1, num_args);
  if (args[0].type_index != kTVMFFIInt && args[0].type_index != kTVMFFIBool) {
    return tvmffi_builtin_fail_type(signature, 0, "int", &args[0]);
  }
  return 0;
}

enum { kKey = 0, kValue = 1 };

static int call_iterator(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  iterator_object *iterator = self;
  TVMFFIObject *map = iterator->map;
  tvmffi_map_state now = tvmffi_map_note((const tvmffi_map *)(void *)map);
  bool is_at_end = iterator->position == TVMFFI_MAP_NONE, wants_item;
  TVMFFI_TRY(check_args(args, num_args));
  wants_item = args[0].v_int64 == kKey || args[0].v_int64 == kValue;
  if (is_at_end) {
    if (wants_item) return tvmffi_fail("IndexError", "The iterator is at the end");
    *result = tvmffi_any_bool(0);
    return 0;
  }
  if (now.data != iterator->state.data || now.slots != iterator->state.slots ||
      !tvmffi_map_has_at(map, iterator->position)) {
    return tvmffi_fail("RuntimeError", "The container was changed during iteration");
  }
  if (wants_item) {
    const tvmffi_map_pair *pair = tvmffi_map_at(map, iterator->position);
    *result = tvmffi_any_copy(args[0].v_int64 == kKey ? &pair->key : &pair->value);
  } else {
    iterator->position = tvmffi_map_next(map, iterator->position);
    *result = tvmffi_any_bool(iterator->position != TVMFFI_MAP_NONE);
  }
  return 0;
}

int tvmffi_map_make_iterator(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  iterator_object *iterator = tvmffi_object_new(sizeof *iterator, kTVMFFIFunction, delete_iterator);
  (void)num_args;
  if (iterator == NULL) return -1;
  tvmffi_object_retain(args[0].v_obj);
  tvmffi_own_function_init(&iterator->base, call_iterator);
  iterator->map = args[0].v_obj;
  iterator->position = tvmffi_map_first(iterator->map);
  iterator->state = tvmffi_map_note((const tvmffi_map *)(void *)iterator->map);
  *result = tvmffi_any_object(iterator);
  return 0;
}
