/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The global functions of maps and dicts. Those that change a Dict also accept a Map, as the
 * reference's do: they then change a copy of it, which nobody sees.
 */
#include <string.h>

#include "container/any_key.h"
#include "container/array.h"
#include "container/builtin_tables.h"
#include "container/container.h"
#include "container/lend.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"

/* Turns the result of a failed map operation into -1 with the error raised. */
static int fail(int rc) {
  return rc == kTvmffiRaised ? -1 : tvmffi_fail_memory();
}

/* ---- Making ---- */

/* Inserts owned copies of two arguments. */
static int insert(TVMFFIObject **map, const TVMFFIAny *args) {
  TVMFFIAny key, value = tvmffi_any_none();
  int rc;
  TVMFFI_TRY(tvmffi_array_own(&args[0], &key));
  rc = tvmffi_array_own(&args[1], &value);
  if (rc == 0) {
    rc = tvmffi_map_insert(map, &key, &value);
    if (rc == 0) return 0;
    rc = fail(rc);
  }
  tvmffi_any_release(&key);
  tvmffi_any_release(&value);
  return rc;
}

/*
 * Inserts all arguments into a new map. at_once: the table has room for all of them from the start.
 * If a key is repeated then, *out is NULL with nothing raised, because the entries would be in
 * other slots than in a map that grew.
 */
static int fill(int32_t type_index, const TVMFFIAny *args, int32_t num_args, bool at_once,
                TVMFFIObject **out) {
  TVMFFIObject *map = tvmffi_map_new_for(type_index, at_once ? (uint64_t)num_args / 2 : 0);
  int32_t i;
  *out = NULL;
  if (map == NULL) return tvmffi_fail_memory();
  for (i = 0; i < num_args; i += 2) {
    int rc = insert(&map, &args[i]);
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
  if (can_repeat) TVMFFI_TRY(fill(type_index, args, num_args, true, &map));
  if (map == NULL) TVMFFI_TRY(fill(type_index, args, num_args, false, &map));
  *result = tvmffi_any_object(map);
  return 0;
}

static int make_map(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return make(kTVMFFIMap, args, num_args, result);
}

static int make_dict(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return make(kTVMFFIDict, args, num_args, result);
}

/* ---- Reading ---- */

static int get_size(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  *result = tvmffi_any_int((int64_t)tvmffi_map_size(args[0].v_obj));
  return 0;
}

/*
 * Looks up an argument: 1 with a copy of the value in *out, 0 if it is not a key, or -1. Raw text
 * is looked up without making a String.
 */
static int find(const TVMFFIAny *args, TVMFFIAny *out) {
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
  return rc == 0 ? value != NULL : fail(rc);
}

static int get_item(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int found = find(args, result);
  (void)num_args;
  if (found == 0) return tvmffi_fail("KeyError", "key is not in Map");
  return found < 0 ? -1 : 0;
}

static int get_item_or_missing(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int found = find(args, result);
  (void)num_args;
  if (found == 0) {
    tvmffi_object_retain(&tvmffi_invalid_object);
    *result = tvmffi_any_object(&tvmffi_invalid_object);
  }
  return found < 0 ? -1 : 0;
}

static int count(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny value = tvmffi_any_none();
  int found = find(args, &value);
  (void)num_args;
  if (found < 0) return -1;
  if (found) tvmffi_any_release(&value);
  *result = tvmffi_any_int(found);
  return 0;
}

/* ---- Changing ---- */

typedef struct {
  TVMFFIObject *dict;
  tvmffi_lend_guard guard; /* for a value that a walk lends */
} change;

/* Begins a change of a dict, or of the copy of a map. */
static int begin(const TVMFFIAny *arg, change *out) {
  out->dict = arg->type_index == kTVMFFIDict ? arg->v_obj : tvmffi_map_copy_to_dict(arg->v_obj);
  if (out->dict == NULL) return tvmffi_fail_memory();
  out->guard = tvmffi_lend_begin_guard();
  return 0;
}

static void end(const TVMFFIAny *arg, const change *made) {
  if (made->dict != arg->v_obj) tvmffi_object_release(made->dict);
  tvmffi_lend_end_guard(made->guard);
}

static int set_item(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  change made;
  int rc;
  (void)num_args;
  (void)result;
  TVMFFI_TRY(begin(&args[0], &made));
  rc = insert(&made.dict, &args[1]);
  end(&args[0], &made);
  return rc;
}

static int erase(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny key;
  change made;
  int rc;
  (void)num_args;
  (void)result;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[1], &key));
  rc = begin(&args[0], &made);
  if (rc == 0) {
    rc = tvmffi_map_erase(made.dict, &key);
    if (rc != 0) rc = fail(rc);
    end(&args[0], &made);
  }
  tvmffi_any_release(&key);
  return rc;
}

static int clear(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_lend_guard guard;
  (void)num_args;
  (void)result;
  if (args[0].type_index != kTVMFFIDict) return 0;
  guard = tvmffi_lend_begin_guard();
  tvmffi_map_clear(args[0].v_obj);
  tvmffi_lend_end_guard(guard);
  return 0;
}

#define FUNCTIONS(F)                                               \
  F("ffi.Map", "*", make_map)                                      \
  F("ffi.MapSize", "H>i", get_size)                                \
  F("ffi.MapGetItem", "Ha>a", get_item)                            \
  F("ffi.MapCount", "Ha>i", count)                                 \
  F("ffi.MapForwardIterFunctor", "H>F", tvmffi_map_make_iterator)  \
  F("ffi.MapGetItemOrMissing", "Ha>a", get_item_or_missing)        \
  F("ffi.Dict", "*", make_dict)                                    \
  F("ffi.DictSize", "D>i", get_size)                               \
  F("ffi.DictGetItem", "Da>a", get_item)                           \
  F("ffi.DictSetItem", "daa>v", set_item)                          \
  F("ffi.DictCount", "Da>i", count)                                \
  F("ffi.DictErase", "da>v", erase)                                \
  F("ffi.DictClear", "d>v", clear)                                 \
  F("ffi.DictForwardIterFunctor", "D>F", tvmffi_map_make_iterator) \
  F("ffi.DictGetItemOrMissing", "Da>a", get_item_or_missing)       \
  F("ffi.ContainerFindFirstNonCPUDevice", "a>V", tvmffi_container_find_device)

TVMFFI_BUILTIN_GROUP(tvmffi_map_builtins, FUNCTIONS);
