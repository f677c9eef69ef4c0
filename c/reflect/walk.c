/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/walk.h"

#include <string.h>

#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "platform/platform.h"

/* ---- What a value holds ---- */

void tvmffi_child_first(tvmffi_child_cursor *cursor, TVMFFIObject *obj) {
  const tvmffi_type_record *record;
  cursor->obj = obj;
  cursor->position = 0;
  switch (obj->type_index) {
    case kTVMFFIArray:
    case kTVMFFIList:
      return;
    case kTVMFFIMap:
    case kTVMFFIDict:
      cursor->position = tvmffi_map_first(obj);
      return;
    default:
      record = tvmffi_type_find(obj->type_index);
      tvmffi_field_first(&cursor->fields,
                         record != NULL ? &record->info : TVMFFIGetTypeInfo(kTVMFFIObject));
  }
}

static int next_element(tvmffi_child_cursor *cursor, tvmffi_child *out) {
  if ((int64_t)cursor->position >= tvmffi_array_size(cursor->obj)) return 0;
  out->index = (int64_t)cursor->position++;
  out->value = tvmffi_array_items(cursor->obj)[out->index];
  return 1;
}

static int next_map_child(tvmffi_child_cursor *cursor, tvmffi_child *out) {
  const tvmffi_map_pair *pair;
  if (cursor->position == TVMFFI_MAP_NONE || !tvmffi_map_has_at(cursor->obj, cursor->position)) {
    return 0;
  }
  pair = tvmffi_map_at(cursor->obj, cursor->position);
  out->key = pair->key;
  out->value = pair->value;
  cursor->position = tvmffi_map_next(cursor->obj, cursor->position);
  return 1;
}

/*
 * Skips fields with any of these flags. Values of fields are owned, elements and entries are lent.
 */
static int next(tvmffi_child_cursor *cursor, int64_t flags, tvmffi_child *out) {
  out->field = NULL;
  switch (cursor->obj->type_index) {
    case kTVMFFIArray:
    case kTVMFFIList:
      return next_element(cursor, out);
    case kTVMFFIMap:
    case kTVMFFIDict:
      return next_map_child(cursor, out);
    default:
      out->field = tvmffi_field_next_without(&cursor->fields, flags);
      if (out->field == NULL) return 0;
      return tvmffi_field_get(out->field, cursor->obj, &out->value) == 0 ? 1 : -1;
  }
}

int tvmffi_child_next(tvmffi_child_cursor *cursor, tvmffi_child *out) {
  int rc;
  out->value = out->key = tvmffi_any_none();
  out->index = 0;
  rc = next(cursor, 0, out);
  if (rc == 1 && out->field == NULL) {
    (void)tvmffi_any_copy(&out->key);
    (void)tvmffi_any_copy(&out->value);
  }
  return rc;
}

int tvmffi_child_next_lent(tvmffi_child_cursor *cursor, tvmffi_child *out) {
  return next(cursor, kTVMFFIFieldFlagBitMaskSEqHashIgnore, out);
}

void tvmffi_child_release(tvmffi_child *child) {
  tvmffi_any_release(&child->value);
  tvmffi_any_release(&child->key);
}

/* ---- Walks ---- */

/* The stack that a hook may use before the next check. */
enum { kMinStack = 64 * 1024 };

int tvmffi_walk_check_depth(const char *walk_name, size_t depth) {
  if (depth < kTvmffiMaxWalkDepth) return 0;
  return tvmffi_fail("ValueError", "%s: maximum stack depth (%d) exceeded", walk_name,
                     (int)kTvmffiMaxWalkDepth);
}

int tvmffi_walk_check_stack(const char *walk_name) {
  if (TVMFFI_LIKELY(tvmffi_stack_left() >= kMinStack)) return 0;
  return tvmffi_fail("ValueError", "%s: hooks of types are nested too deep for the stack",
                     walk_name);
}

int tvmffi_walk_call(const char *walk_name, void *func, const TVMFFIAny *args, int32_t num_args,
                     TVMFFIAny *result) {
  *result = tvmffi_any_none();
  TVMFFI_TRY(tvmffi_walk_check_stack(walk_name));
  return tvmffi_function_call_foreign(func, args, num_args, result);
}

int tvmffi_walk_find_hook(int attr, int32_t type_index, const char *signature, TVMFFIObject **out) {
  const TVMFFIAny *hook = tvmffi_type_find_attr(attr, type_index);
  *out = NULL;
  if (hook == NULL) return 0;
  if (hook->type_index != kTVMFFIFunction) {
    return tvmffi_fail("TypeError", "Cannot treat type `%s` as type `%s`",
                       tvmffi_any_type_name(hook), signature);
  }
  *out = hook->v_obj;
  return 0;
}

void tvmffi_walk_release_keys(tvmffi_pointer_map *map) {
  size_t i;
  for (i = 0; i < map->capacity; ++i) {
    tvmffi_object_release((void *)(uintptr_t)map->slots[i].key);
    tvmffi_object_release((void *)(uintptr_t)map->slots[i].partner);
  }
  tvmffi_pointer_map_fini(map);
}

void tvmffi_walk_release_objects(tvmffi_pointer_map *map) {
  size_t i;
  for (i = 0; i < map->capacity; ++i) {
    if (map->slots[i].key != NULL) tvmffi_object_release(map->slots[i].value.pointer);
  }
  tvmffi_walk_release_keys(map);
}

/* ---- Functions that are passed to hooks ---- */

static int call_walk_function(void *self, const TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result) {
  tvmffi_walk_function *function = self;
  int i, rc;
  if (num_args != function->num_args) {
    return tvmffi_builtin_fail_count(function->signature, function->num_args, num_args);
  }
  for (i = 0; i < num_args; ++i) {
    if (function->params[i] == 'i' && args[i].type_index != kTVMFFIInt &&
        args[i].type_index != kTVMFFIBool) {
      return tvmffi_builtin_fail_type(function->signature, i, "int", &args[i]);
    }
  }
  if (!function->is_lent) {
    return tvmffi_fail("RuntimeError", "`%s` was called outside of the hook that it was given to",
                       function->signature);
  }
  function->is_lent = false; /* while the walk goes on */
  rc = function->body(function->walk, args, result);
  function->is_lent = true;
  return rc;
}

int tvmffi_walk_function_ensure(tvmffi_walk_function **function, const char *signature,
                                const char *params,
                                int (*body)(void *walk, const TVMFFIAny *args, TVMFFIAny *result),
                                void *walk) {
  tvmffi_walk_function *made;
  if (*function != NULL) return 0;
  made = tvmffi_object_new(sizeof *made, kTVMFFIFunction, tvmffi_object_delete_plain);
  if (made == NULL) return -1;
  tvmffi_own_function_init(&made->base, call_walk_function);
  made->signature = signature;
  made->params = params;
  made->num_args = (int)strlen(params);
  made->body = body;
  made->walk = walk;
  made->is_lent = false;
  *function = made;
  return 0;
}

int tvmffi_walk_call_with(const char *walk_name, void *hook, tvmffi_walk_function *function,
                          const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int rc;
  function->is_lent = true;
  rc = tvmffi_walk_call(walk_name, hook, args, num_args, result);
  function->is_lent = false;
  return rc;
}

int tvmffi_walk_ask(const char *walk_name, void *hook, tvmffi_walk_function *function,
                    const TVMFFIAny *args, int32_t num_args, const char *expected, int64_t *out) {
  TVMFFIAny result;
  TVMFFI_TRY(tvmffi_walk_call_with(walk_name, hook, function, args, num_args, &result));
  if (result.type_index != kTVMFFIInt && result.type_index != kTVMFFIBool) {
    return tvmffi_any_refuse(&result, expected);
  }
  *out = result.v_int64;
  return 0;
}
