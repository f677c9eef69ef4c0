/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pointer_map.h"
#include "base/stack.h"
#include "container/any_key.h"
#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/type.h"
#include "dataclass/dataclass.h"
#include "reflect/builtin_objects.h"
#include "reflect/walk.h"

static const char kHashHook[] = "(0: ffi.Object, 1: (0: AnyView) -> int) -> int";

/* An object that is being hashed. */
typedef struct {
  TVMFFIObject *obj; /* lent by the map of objects */
  tvmffi_child_cursor cursor;
  TVMFFIAny value; /* the value of a map's entry whose key has been hashed, or None */
  uint64_t hash;   /* of the children so far */
  uint64_t key_hash;
  int64_t index;      /* of the current child */
  size_t first_entry; /* index in the walk's entries where those of this map begin */
  bool has_key;
} hash_frame;

typedef struct {
  tvmffi_stack frames;
  tvmffi_stack entries;           /* uint64_t: hashes of the entries of maps being hashed */
  tvmffi_pointer_map objects;     /* owned; 0 while being hashed, then 1 + index in done */
  tvmffi_stack done;              /* uint64_t: hashes of finished objects */
  tvmffi_walk_function *function; /* passed to hooks; made on first use */
} hash_walk;

/* ---- Values that hold no others ---- */

static uint64_t hash_float(double value) {
  TVMFFIAny any = tvmffi_any_int(0);
  any.v_float64 = value;
  if (value != value) any.v_uint64 = UINT64_C(0x7ff8000000000000);
  if (value == 0) any.v_uint64 = 0; /* the same for both signs */
  return tvmffi_hash_combine(kTVMFFIFloat, any.v_uint64);
}

static uint64_t hash_shape(const TVMFFIObject *shape) {
  const TVMFFIShapeCell *cell = (const TVMFFIShapeCell *)(const void *)(shape + 1);
  uint64_t hash =
      tvmffi_hash_combine(tvmffi_type_find(kTVMFFIShape)->info.type_key_hash, cell->size);
  size_t i;
  for (i = 0; i < cell->size; ++i) hash = tvmffi_hash_combine(hash, (uint64_t)cell->data[i]);
  return hash;
}

/* Whether a value holds no others; if so, *out is its hash. */
static bool hash_plain(const TVMFFIAny *value, uint64_t *out) {
  TVMFFIByteArray content;
  if (tvmffi_any_get_text(value, &content)) {
    *out = tvmffi_hash_combine(kTVMFFIStr, tvmffi_hash_content(content.data, content.size));
    return true;
  }
  if (tvmffi_any_get_bytes(value, &content)) {
    *out = tvmffi_hash_combine(kTVMFFIBytes, tvmffi_hash_content(content.data, content.size));
    return true;
  }
  switch (value->type_index) {
    case kTVMFFIBigInt:
      content = TVMFFIBigIntGetContentByteArray(value);
      *out = tvmffi_hash_content(content.data, content.size);
      return true;
    case kTVMFFIFloat:
      *out = hash_float(value->v_float64);
      return true;
    case kTVMFFIDataType:
      *out = tvmffi_hash_combine(
          tvmffi_hash_combine(tvmffi_hash_combine(kTVMFFIDataType, value->v_dtype.code),
                              value->v_dtype.bits),
          value->v_dtype.lanes);
      return true;
    case kTVMFFIDevice:
      *out = tvmffi_hash_combine(
          tvmffi_hash_combine(kTVMFFIDevice, (uint64_t)(int64_t)value->v_device.device_type),
          (uint64_t)(int64_t)value->v_device.device_id);
      return true;
    case kTVMFFIShape:
      *out = hash_shape(value->v_obj);
      return true;
    default:
      *out = tvmffi_hash_combine((uint64_t)value->type_index, value->v_uint64);
      return value->type_index < kTVMFFIStaticObjectBegin;
  }
}

static uint64_t key_hash_of(const TVMFFIObject *obj) {
  return tvmffi_type_find(obj->type_index)->info.type_key_hash;
}

/* ---- Hooks ---- */

static int hash_value(hash_walk *w, const TVMFFIAny *value, uint64_t *out);

static int hash_value_for_hook(void *self, const TVMFFIAny *args, TVMFFIAny *result) {
  uint64_t made;
  TVMFFI_TRY(hash_value(self, &args[0], &made));
  *result = tvmffi_any_int((int64_t)made);
  return 0;
}

static int call_hash_hook(hash_walk *w, TVMFFIObject *hook, TVMFFIObject *obj, uint64_t *out) {
  TVMFFIAny args[2];
  int64_t answer;
  TVMFFI_TRY(tvmffi_walk_function_ensure(&w->function, "(0: AnyView) -> int", "a",
                                         hash_value_for_hook, w));
  args[0] = tvmffi_any_object(obj);
  args[1] = tvmffi_any_object(w->function);
  TVMFFI_TRY(tvmffi_walk_ask("RecursiveHash", hook, w->function, args, 2, "int", &answer));
  *out = (uint64_t)answer;
  return 0;
}

/* A type with an equality of its own needs a hash of its own, which agrees with it. */
static int check_has_no_equality(int32_t type_index) {
  if (tvmffi_type_find_attr(kTvmffiAttrEq, type_index) == NULL &&
      tvmffi_type_find_attr(kTvmffiAttrCompare, type_index) == NULL) {
    return 0;
  }
  return tvmffi_fail("ValueError",
                     "RecursiveHash: type '%s' defines __ffi_eq__ or __ffi_compare__ but not "
                     "__ffi_hash__. Objects that compare equal must have the same hash",
                     tvmffi_type_key(type_index));
}

/* ---- The walk ---- */

static int finish_hash(hash_walk *w, const TVMFFIObject *obj, uint64_t made) {
  uint64_t *done = tvmffi_stack_push(&w->done);
  if (done == NULL) return tvmffi_fail_memory();
  *done = made;
  tvmffi_pointer_map_find(&w->objects, obj)->value.number = w->done.size;
  return 0;
}

static int push_hash(hash_walk *w, TVMFFIObject *obj) {
  hash_frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("RecursiveHash", w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  top->obj = obj;
  top->hash = key_hash_of(obj);
  if (tvmffi_is_sequence(obj->type_index))
    top->hash = tvmffi_hash_combine(top->hash, (uint64_t)tvmffi_array_size(obj));
  if (tvmffi_is_map(obj->type_index))
    top->hash = tvmffi_hash_combine(top->hash, tvmffi_map_size(obj));
  top->first_entry = w->entries.size;
  tvmffi_child_first(&top->cursor, obj);
  return 0;
}

/* 1 and the hash, 0 after pushing the object to be hashed first, or -1. */
static int begin_hash(hash_walk *w, const TVMFFIAny *value, uint64_t *out) {
  tvmffi_pointer_entry *entry;
  TVMFFIObject *hook;
  if (hash_plain(value, out)) return 1;
  entry = tvmffi_pointer_map_find(&w->objects, value->v_obj);
  if (entry != NULL) { /* in a cycle, an object being hashed counts as its type */
    *out = entry->value.number == 0
               ? key_hash_of(value->v_obj)
               : *(uint64_t *)tvmffi_stack_at(&w->done, (size_t)entry->value.number - 1);
    return 1;
  }
  if (tvmffi_pointer_map_ensure(&w->objects, value->v_obj) == NULL) return tvmffi_fail_memory();
  tvmffi_object_retain(value->v_obj);
  TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrHash, value->type_index, kHashHook, &hook));
  if (hook == NULL) {
    TVMFFI_TRY(check_has_no_equality(value->type_index));
    return push_hash(w, value->v_obj);
  }
  TVMFFI_TRY(call_hash_hook(w, hook, value->v_obj, out));
  return finish_hash(w, value->v_obj, *out) == 0 ? 1 : -1;
}

static int compare_hashes(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Sorts the hashes of entries, so that their order does not matter. */
static void combine_entries(hash_walk *w, hash_frame *top) {
  size_t i, count = w->entries.size - top->first_entry;
  uint64_t *entries;
  if (count == 0) return;
  entries = tvmffi_stack_at(&w->entries, top->first_entry);
  qsort(entries, count, sizeof *entries, compare_hashes);
  for (i = 0; i < count; ++i) top->hash = tvmffi_hash_combine(top->hash, entries[i]);
  w->entries.size = top->first_entry;
}

/* Adds the hash of the child that the top frame waited for. */
static int take_hash(hash_walk *w, uint64_t made) {
  hash_frame *top = tvmffi_stack_top(&w->frames);
  uint64_t *entry;
  if (tvmffi_is_sequence(top->obj->type_index)) {
    top->hash = tvmffi_hash_combine(top->hash, tvmffi_hash_combine(made, (uint64_t)top->index));
  } else if (!tvmffi_is_map(top->obj->type_index)) {
    top->hash = tvmffi_hash_combine(top->hash, made);
  } else if (!top->has_key) {
    top->key_hash = made;
    top->has_key = true;
  } else {
    top->has_key = false;
    entry = tvmffi_stack_push(&w->entries);
    if (entry == NULL) return tvmffi_fail_memory();
    *entry = tvmffi_hash_combine(top->key_hash, made);
  }
  return 0;
}

/* Hashes the next child of the top frame: 1, 0 at the end, or -1. */
static int hash_next_value(hash_walk *w) {
  hash_frame *top = tvmffi_stack_top(&w->frames);
  tvmffi_child child;
  uint64_t made;
  int rc;
  if (top->has_key) { /* the value of the key that was hashed last */
    child.key = tvmffi_any_none();
    child.value = top->value;
    top->value = tvmffi_any_none();
  } else {
    rc = tvmffi_child_next(&top->cursor, &child);
    if (rc != 1) return rc;
    top->index = child.index;
    if (child.field != NULL && (child.field->flags & (kTVMFFIFieldFlagBitMaskHashOff |
                                                      kTVMFFIFieldFlagBitMaskCompareOff))) {
      tvmffi_child_release(&child);
      return 1;
    }
    if (tvmffi_is_map(top->obj->type_index)) {
      top->value = child.value;
      child.value = child.key;
      child.key = tvmffi_any_none();
    }
  }
  rc = begin_hash(w, &child.value, &made);
  tvmffi_child_release(&child);
  if (rc == 1) rc = take_hash(w, made) == 0 ? 0 : -1;
  return rc == 0 ? 1 : -1;
}

static int end_hash(hash_walk *w, size_t base, uint64_t *out) {
  hash_frame *top = tvmffi_stack_top(&w->frames);
  combine_entries(w, top);
  *out = top->hash;
  TVMFFI_TRY(finish_hash(w, top->obj, top->hash));
  tvmffi_stack_pop(&w->frames);
  return w->frames.size > base ? take_hash(w, *out) : 0;
}

static int hash_value(hash_walk *w, const TVMFFIAny *value, uint64_t *out) {
  size_t base = w->frames.size, first_entry = w->entries.size;
  int rc = begin_hash(w, value, out);
  if (rc == 1) return 0;
  while (rc == 0 && w->frames.size > base) {
    int more = hash_next_value(w);
    if (more < 0) rc = -1;
    if (more == 0) rc = end_hash(w, base, out);
  }
  while (w->frames.size > base) {
    hash_frame *top = tvmffi_stack_top(&w->frames);
    tvmffi_any_release(&top->value);
    tvmffi_stack_pop(&w->frames);
  }
  w->entries.size = first_entry;
  return rc;
}

int tvmffi_recursive_hash(const TVMFFIAny *value, uint64_t *out) {
  TVMFFIAny owned;
  hash_walk w;
  int rc;
  memset(&w, 0, sizeof w);
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(value, &owned));
  tvmffi_stack_init(&w.frames, sizeof(hash_frame));
  tvmffi_stack_init(&w.entries, sizeof(uint64_t));
  tvmffi_stack_init(&w.done, sizeof(uint64_t));
  rc = hash_value(&w, &owned, out);
  tvmffi_object_release(w.function);
  tvmffi_walk_release_keys(&w.objects);
  tvmffi_stack_fini(&w.frames);
  tvmffi_stack_fini(&w.entries);
  tvmffi_stack_fini(&w.done);
  tvmffi_any_release(&owned);
  return rc;
}
