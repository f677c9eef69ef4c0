/* SPDX-License-Identifier: Apache-2.0 */
#include "container/container.h"

#include <string.h>

#include "base/pointer_map.h"
#include "base/stack.h"
#include "container/array.h"
#include "container/lend.h"
#include "container/map.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"

/* ---- The device of what a container holds ---- */

/*
 * ffi.ContainerFindFirstNonCPUDevice: a depth-first search of nested containers, without recursion.
 * It enters each container once, so that it ends for a list that holds itself.
 */

/* A container being searched, and the position in it (of a sequence or of a map). */
typedef struct {
  TVMFFIObject *obj;
  uint64_t position;
} search_level;

typedef struct {
  tvmffi_stack levels;     /* the containers being searched */
  tvmffi_pointer_map seen; /* containers entered: 1 */
} device_search;

/* Enters a container unless it was entered before. -1 if out of memory. */
static int enter_searched(device_search *s, TVMFFIObject *obj) {
  tvmffi_pointer_entry *entry = tvmffi_pointer_map_ensure(&s->seen, obj);
  search_level *top;
  if (entry == NULL) return -1;
  if (entry->value.number != 0) return 0;
  entry->value.number = 1;
  top = tvmffi_stack_push(&s->levels);
  if (top == NULL) return -1;
  top->obj = obj;
  top->position = tvmffi_is_sequence(obj->type_index) ? 0 : tvmffi_map_first(obj);
  return 0;
}

/* The next value of the innermost container, or NULL. */
static const TVMFFIAny *next_searched(search_level *top) {
  uint64_t position = top->position;
  if (tvmffi_is_sequence(top->obj->type_index)) {
    if (position >= (uint64_t)tvmffi_array_size(top->obj)) return NULL;
    top->position = position + 1;
    return &tvmffi_array_items(top->obj)[position];
  }
  if (position == TVMFFI_MAP_NONE) return NULL;
  top->position = tvmffi_map_next(top->obj, position);
  return &tvmffi_map_at(top->obj, position)->value;
}

/* 1 if the value ends the search, else 0; -1 if out of memory. */
static int visit_searched(device_search *s, const TVMFFIAny *value, DLDevice *device) {
  if (value->type_index < kTVMFFIStaticObjectBegin || value->v_obj == NULL) return 0;
  if (value->type_index == kTVMFFITensor) {
    const DLTensor *tensor = TVMFFITensorGetDLTensorPtr(value->v_obj);
    if (tensor->device.device_type == kDLCPU) return 0;
    *device = tensor->device;
    return 1;
  }
  return tvmffi_is_container(value->type_index) ? enter_searched(s, value->v_obj) : 0;
}

/* The body of ffi.ContainerFindFirstNonCPUDevice. */
static int container_find_device(const TVMFFIAny *args, TVMFFIAny *result) {
  const TVMFFIAny *value = &args[0];
  DLDevice device = {kDLCPU, 0};
  search_level *top;
  device_search s;
  int rc = 0;
  tvmffi_stack_init(&s.levels, sizeof(search_level));
  memset(&s.seen, 0, sizeof s.seen);
  while (rc == 0) {
    if (value == NULL) {
      tvmffi_stack_pop(&s.levels);
    } else {
      rc = visit_searched(&s, value, &device);
    }
    top = tvmffi_stack_top(&s.levels);
    if (top == NULL) break;
    value = next_searched(top);
  }
  tvmffi_stack_fini(&s.levels);
  tvmffi_pointer_map_fini(&s.seen);
  if (rc < 0) return tvmffi_fail_memory();
  *result = tvmffi_any_device(device);
  return 0;
}

/* ---- Iterators ---- */

/*
 * Functions that iterate over a map: called with 0 they return the current key, with 1 the current
 * value; with anything else they advance and return whether there is another entry. They keep their
 * map alive. At the end, key and value are an IndexError. If a dict grew meanwhile, or lost the
 * current entry, calls fail with a RuntimeError.
 */

typedef struct {
  tvmffi_own_function base;
  TVMFFIObject *map;
  uint64_t position;
  tvmffi_map_state state; /* at the start; the size may change */
} iterator_object;

static void destroy_iterator(void *self) {
  tvmffi_object_release_nested(((iterator_object *)self)->map);
}

TVMFFI_DELETER(delete_iterator, destroy_iterator, 0);

enum { kKey = 0, kValue = 1 };

static int call_iterator(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  iterator_object *iterator = self;
  TVMFFIObject *map = iterator->map;
  tvmffi_map_state now = tvmffi_map_note((const tvmffi_map *)(void *)map);
  bool is_at_end = iterator->position == TVMFFI_MAP_NONE, wants_item;
  TVMFFI_TRY(tvmffi_builtin_check_int(args, num_args));
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

static int make_iterator(const TVMFFIAny *args, TVMFFIAny *result) {
  iterator_object *iterator = tvmffi_object_new(sizeof *iterator, kTVMFFIFunction, delete_iterator);
  if (iterator == NULL) return -1;
  tvmffi_object_retain(args[0].v_obj);
  tvmffi_own_function_init(&iterator->base, call_iterator);
  iterator->map = args[0].v_obj;
  iterator->position = tvmffi_map_first(iterator->map);
  iterator->state = tvmffi_map_note((const tvmffi_map *)(void *)iterator->map);
  *result = tvmffi_any_object(iterator);
  return 0;
}

/* ---- The functions ffi.Map* and ffi.Dict* ---- */

/*
 * The global functions of maps and dicts. Those that change a Dict also accept a Map, as the
 * reference's do: they then change a copy of it, which nobody sees.
 */

/* ---- Making ---- */

/* Inserts owned copies of two arguments. */
static int insert_pair(TVMFFIObject **map, const TVMFFIAny *args) {
  TVMFFIAny key, value;
  TVMFFI_TRY(tvmffi_array_own(&args[0], &key));
  if (tvmffi_array_own(&args[1], &value) == 0) return tvmffi_map_put(map, &key, &value);
  tvmffi_any_release(&key);
  return -1;
}

/*
 * Inserts all arguments into a new map. at_once: the table has room for all of them from the start.
 * If a key is repeated then, *out is NULL with nothing raised, because the entries would be in
 * other slots than in a map that grew.
 */
static int fill_map(int32_t type_index, const TVMFFIAny *args, int32_t num_args, bool at_once,
                    TVMFFIObject **out) {
  TVMFFIObject *map = tvmffi_map_new_for(type_index, at_once ? (uint64_t)num_args / 2 : 0);
  int32_t i;
  *out = NULL;
  if (map == NULL) return tvmffi_fail_memory();
  for (i = 0; i < num_args; i += 2) {
    int rc = insert_pair(&map, &args[i]);
    if (rc == 0 && (!at_once || tvmffi_map_size(map) == (uint64_t)i / 2 + 1)) continue;
    tvmffi_object_release(map);
    return rc;
  }
  *out = map;
  return 0;
}

static int make(int32_t type_index, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *map = NULL;
  bool can_repeat = true;
  int32_t i;
  if (num_args % 2 != 0) {
    return tvmffi_fail("InternalError", "Check failed: args.size() %% 2 == 0 (1 vs. 0) : ");
  }
  for (i = 0; i < num_args && can_repeat; ++i) {
    can_repeat = args[i].type_index != kTVMFFIObjectRValueRef; /* can be moved out only once */
  }
  if (can_repeat) TVMFFI_TRY(fill_map(type_index, args, num_args, true, &map));
  if (map == NULL) TVMFFI_TRY(fill_map(type_index, args, num_args, false, &map));
  *result = tvmffi_any_object(map);
  return 0;
}

static int make_map_of_args(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return make(kTVMFFIMap, args, num_args, result);
}

static int make_dict(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return make(kTVMFFIDict, args, num_args, result);
}

/* ---- Reading ---- */

static int get_size(const TVMFFIAny *args, TVMFFIAny *result) {
  *result = tvmffi_any_int((int64_t)tvmffi_map_size(args[0].v_obj));
  return 0;
}

/*
 * Looks up an argument: 1 with a copy of the value in *out, 0 if it is not a key, or -1. Raw text
 * is looked up without making a String.
 */
static int find_key(const TVMFFIAny *args, TVMFFIAny *out) {
  const TVMFFIAny *key = &args[1], *value = NULL;
  TVMFFIAny owned = tvmffi_any_none();
  int rc = 0;
  switch (key->type_index) {
    case kTVMFFIRawStr:
      TVMFFI_REQUIRE(key->v_c_str);
      value = tvmffi_map_find_text(args[0].v_obj, key->v_c_str, strlen(key->v_c_str));
      break;
    case kTVMFFIByteArrayPtr:
    case kTVMFFIObjectRValueRef:
      TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(key, &owned));
      rc = tvmffi_map_find(args[0].v_obj, &owned, &value);
      break;
    default:
      if (key->type_index >= kTVMFFIStaticObjectBegin) TVMFFI_REQUIRE(key->v_obj);
      rc = tvmffi_map_find(args[0].v_obj, key, &value);
  }
  if (value != NULL) *out = tvmffi_any_copy(value);
  if (owned.type_index != kTVMFFINone) tvmffi_any_release(&owned);
  return rc == 0 ? value != NULL : tvmffi_map_fail(rc);
}

static int get_item(const TVMFFIAny *args, TVMFFIAny *result) {
  int found = find_key(args, result);
  if (found == 0) return tvmffi_map_fail_key();
  return found < 0 ? -1 : 0;
}

static int get_item_or_missing(const TVMFFIAny *args, TVMFFIAny *result) {
  int found = find_key(args, result);
  if (found == 0) {
    tvmffi_object_retain(&tvmffi_invalid_object);
    *result = tvmffi_any_object(&tvmffi_invalid_object);
  }
  return found < 0 ? -1 : 0;
}

static int count(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIAny value = tvmffi_any_none();
  int found = find_key(args, &value);
  if (found < 0) return -1;
  if (found) tvmffi_any_release(&value);
  *result = tvmffi_any_int(found);
  return 0;
}

/* ---- Changing ---- */

static int set_dict_item(const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_lend_change made;
  int rc;
  (void)result;
  TVMFFI_TRY(tvmffi_lend_begin_change(&args[0], tvmffi_map_copy_to_dict, &made));
  rc = insert_pair(&made.obj, &args[1]);
  tvmffi_lend_end_change(&args[0], &made);
  return rc;
}

static int erase_key(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIAny key;
  tvmffi_lend_change made;
  int rc;
  (void)result;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[1], &key));
  rc = tvmffi_lend_begin_change(&args[0], tvmffi_map_copy_to_dict, &made);
  if (rc == 0) {
    rc = tvmffi_map_erase(made.obj, &key);
    if (rc != 0) rc = tvmffi_map_fail(rc);
    tvmffi_lend_end_change(&args[0], &made);
  }
  tvmffi_any_release(&key);
  return rc;
}

static int clear_dict(const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_lend_guard guard;
  (void)result;
  if (args[0].type_index != kTVMFFIDict) return 0;
  guard = tvmffi_lend_begin_guard();
  tvmffi_map_clear(args[0].v_obj);
  tvmffi_lend_end_guard(guard);
  return 0;
}

#define FUNCTIONS(F)                                         \
  F("ffi.Map", "*", .packed = make_map_of_args)              \
  F("ffi.MapSize", "H>i", get_size)                          \
  F("ffi.MapGetItem", "Ha>a", get_item)                      \
  F("ffi.MapCount", "Ha>i", count)                           \
  F("ffi.MapForwardIterFunctor", "H>F", make_iterator)       \
  F("ffi.MapGetItemOrMissing", "Ha>a", get_item_or_missing)  \
  F("ffi.Dict", "*", .packed = make_dict)                    \
  F("ffi.DictSize", "D>i", get_size)                         \
  F("ffi.DictGetItem", "Da>a", get_item)                     \
  F("ffi.DictSetItem", "daa>v", set_dict_item)               \
  F("ffi.DictCount", "Da>i", count)                          \
  F("ffi.DictErase", "da>v", erase_key)                      \
  F("ffi.DictClear", "d>v", clear_dict)                      \
  F("ffi.DictForwardIterFunctor", "D>F", make_iterator)      \
  F("ffi.DictGetItemOrMissing", "Da>a", get_item_or_missing) \
  F("ffi.ContainerFindFirstNonCPUDevice", "a>V", container_find_device)

TVMFFI_BUILTIN_GROUP(tvmffi_map_builtins, FUNCTIONS);
