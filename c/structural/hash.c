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
#include "core/tensor.h"
#include "core/type.h"
#include "reflect/children.h"
#include "structural/structural.h"
#include "value/walk.h"

static const char kHook[] =
    "(0: ffi.Object, 1: int, 2: (0: AnyView, 1: int, 2: int) -> int) -> int";

/* An entry of a map whose key has a hash that does not depend on the order of entries. */
typedef struct {
  uint64_t key_hash;
  TVMFFIAny value; /* owned */
} entry;

/* An object that is being hashed. */
typedef struct {
  TVMFFIObject *obj; /* owned */
  tvmffi_child_cursor cursor;
  uint64_t hash; /* so far */
  TVMFFISEqHashKind kind;
  int32_t region;       /* around the object */
  int32_t child_region; /* for what is in it */
  size_t first_entry;   /* of a map: they lie behind it in the walk's entries */
  size_t next_entry;
  uint64_t num_ignored; /* the walk's, before the object */
} frame;

typedef struct {
  tvmffi_structural_options options;
  tvmffi_stack frames;
  tvmffi_stack entries;
  tvmffi_pointer_map objects;    /* with fields, owned: 1 + their number in done */
  tvmffi_pointer_map containers; /* the same */
  tvmffi_stack done;             /* uint64_t: hashes */
  uint64_t num_variables, num_nodes;
  uint64_t num_ignored;           /* entries of maps, whose keys may count later */
  tvmffi_walk_function *function; /* what hooks get; made when there is one */
} walk;

static uint64_t combine(uint64_t a, uint64_t b) {
  return tvmffi_any_key_combine(a, b);
}

static uint64_t key_hash_of(int32_t type_index) {
  return tvmffi_type_find(type_index)->info.type_key_hash;
}

static bool is_container(const TVMFFIObject *obj) {
  return tvmffi_is_map(obj->type_index) || tvmffi_is_sequence(obj->type_index);
}

/* ---- Values that hold no others ----------------------------------------------------------------
 */

static uint64_t hash_content(int32_t type_index, const TVMFFIByteArray *content) {
  return combine((uint64_t)type_index, tvmffi_hash_content(content->data, content->size));
}

static uint64_t hash_shape(uint64_t hash, const int64_t *dims, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) hash = combine(hash, (uint64_t)dims[i]);
  return hash;
}

static int hash_tensor(const walk *w, const DLTensor *tensor, uint64_t *out) {
  uint32_t dtype;
  size_t size;
  memcpy(&dtype, &tensor->dtype, sizeof dtype);
  *out = combine(key_hash_of(kTVMFFITensor), (uint64_t)tensor->ndim);
  *out = hash_shape(*out, tensor->shape, (size_t)tensor->ndim);
  *out = combine(*out, dtype);
  if (w->options.skip_tensor_content) return 0;
  if (tensor->device.device_type != kDLCPU) {
    return tvmffi_fail("InternalError", "can only hash CPU tensor");
  }
  if (!tvmffi_tensor_is_contiguous(tensor)) {
    return tvmffi_fail("InternalError", "Can only hash contiguous tensor");
  }
  TVMFFI_TRY(tvmffi_tensor_data_size(tensor, &size));
  *out = combine(*out, tvmffi_hash_content((const char *)tensor->data + tensor->byte_offset, size));
  return 0;
}

/* 1 and the hash of a value that holds no others, 0 for the others, or -1. */
static int hash_plain(const walk *w, const TVMFFIAny *value, uint64_t *out) {
  TVMFFIByteArray content;
  switch (value->type_index) {
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      (void)tvmffi_any_get_text(value, &content);
      *out = hash_content(kTVMFFIStr, &content);
      return 1;
    case kTVMFFISmallBytes:
      content = TVMFFISmallBytesGetContentByteArray(value);
      *out = hash_content(kTVMFFIBytes, &content);
      return 1;
    case kTVMFFIBytes:
      *out = hash_content(kTVMFFIBytes, TVMFFIBytesGetByteArrayPtr(value->v_obj));
      return 1;
    case kTVMFFIBigInt:
      content = TVMFFIBigIntGetContentByteArray(value);
      *out = hash_content(kTVMFFIBigInt, &content);
      return 1;
    case kTVMFFIFloat: {
      uint64_t nan = UINT64_C(0x7ff8000000000000);
      bool is_nan = value->v_float64 != value->v_float64;
      *out = combine(kTVMFFIFloat, is_nan ? nan : value->v_uint64);
      return 1;
    }
    case kTVMFFIShape: {
      const TVMFFIShapeCell *shape = TVMFFIShapeGetCellPtr(value->v_obj);
      *out = hash_shape(combine(key_hash_of(kTVMFFIShape), shape->size), shape->data, shape->size);
      return 1;
    }
    case kTVMFFITensor:
      return hash_tensor(w, TVMFFITensorGetDLTensorPtr(value->v_obj), out) == 0 ? 1 : -1;
    default:
      *out = combine((uint64_t)value->type_index, value->v_uint64);
      return value->type_index < kTVMFFIStaticObjectBegin;
  }
}

/* ---- What has been hashed ----------------------------------------------------------------------
 */

static const uint64_t *find_done(const walk *w, const TVMFFIObject *obj) {
  const tvmffi_pointer_entry *found =
      tvmffi_pointer_map_find(is_container(obj) ? &w->containers : &w->objects, obj);
  return found == NULL ? NULL : tvmffi_stack_at(&w->done, (size_t)found->value.number - 1);
}

static int add_done(walk *w, TVMFFIObject *obj, uint64_t hash) {
  tvmffi_pointer_map *map = is_container(obj) ? &w->containers : &w->objects;
  uint64_t *done = tvmffi_stack_push(&w->done);
  tvmffi_pointer_entry *made;
  if (done == NULL || (made = tvmffi_pointer_map_ensure(map, obj)) == NULL) {
    return tvmffi_fail_memory();
  }
  if (made->value.number == 0) tvmffi_object_retain(obj);
  *done = hash;
  made->value.number = w->done.size;
  return 0;
}

/* ---- Hooks -------------------------------------------------------------------------------------
 */

static int hash(walk *w, const TVMFFIAny *value, int32_t region, uint64_t *out);

/* (value, hash so far, kind of region) */
static int hash_for_hook(void *self, const TVMFFIAny *args, TVMFFIAny *result) {
  walk *w = self;
  const frame *top = tvmffi_stack_top(&w->frames);
  int32_t region = tvmffi_region_enter(top->child_region, (int32_t)args[2].v_int64);
  TVMFFIAny value;
  uint64_t made;
  int rc;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[0], &value));
  rc = hash(w, &value, region, &made);
  tvmffi_any_release(&value);
  if (rc == 0) *result = tvmffi_any_int((int64_t)combine(args[1].v_uint64, made));
  return rc;
}

static int call_hook(walk *w, TVMFFIObject *hook, TVMFFIObject *obj, uint64_t *out) {
  TVMFFIAny args[3], result;
  if (w->function == NULL) {
    w->function =
        tvmffi_walk_function_new("(0: AnyView, 1: int, 2: int) -> int", "aii", hash_for_hook, w);
    if (w->function == NULL) return -1;
  }
  args[0] = tvmffi_any_object(obj);
  args[1] = tvmffi_any_int((int64_t)*out);
  args[2] = tvmffi_any_object(w->function);
  TVMFFI_TRY(tvmffi_walk_call("ffi.StructuralHash", hook, args, 3, &result));
  if (result.type_index != kTVMFFIInt && result.type_index != kTVMFFIBool) {
    (void)tvmffi_any_fail_conversion(&result, "int");
    tvmffi_any_release(&result);
    return -1;
  }
  *out = result.v_uint64;
  return 0;
}

/* ---- Maps --------------------------------------------------------------------------------------
 */

/* The hash of a key that does not depend on what was hashed before it: 1, 0 if it does, -1. */
static int hash_key(const walk *w, const TVMFFIAny *key, uint64_t *out) {
  const tvmffi_pointer_entry *found;
  switch (key->type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIBigInt:
      return hash_plain(w, key, out);
    default:
      if (key->type_index < kTVMFFIStaticObjectBegin) return hash_plain(w, key, out);
  }
  found = tvmffi_pointer_map_find(&w->objects, key->v_obj);
  if (found == NULL) return 0;
  *out = *(const uint64_t *)tvmffi_stack_at(&w->done, (size_t)found->value.number - 1);
  return 1;
}

static int compare_entries(const void *a, const void *b) {
  uint64_t x = ((const entry *)a)->key_hash, y = ((const entry *)b)->key_hash;
  return x < y ? -1 : x > y;
}

/* Puts the entries that count into the walk's, by the hashes of their keys. */
static int collect_entries(walk *w, TVMFFIObject *map) {
  size_t first = w->entries.size;
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  int rc;
  tvmffi_child_first(&cursor, map);
  while ((rc = tvmffi_child_next(&cursor, &child)) == 1) {
    uint64_t key_hash;
    int counts = hash_key(w, &child.key, &key_hash);
    if (counts == 1) {
      entry *made = tvmffi_stack_push(&w->entries);
      if (made == NULL) {
        tvmffi_child_release(&child);
        return tvmffi_fail_memory();
      }
      made->key_hash = key_hash;
      made->value = child.value;
      child.value = tvmffi_any_none();
    } else {
      ++w->num_ignored;
    }
    tvmffi_child_release(&child);
    if (counts < 0) return -1;
  }
  if (rc == 0 && w->entries.size > first) {
    qsort(tvmffi_stack_at(&w->entries, first), w->entries.size - first, sizeof(entry),
          compare_entries);
  }
  return rc;
}

static void drop_entries(walk *w, size_t first) {
  while (w->entries.size > first) {
    entry *last = tvmffi_stack_top(&w->entries);
    TVMFFIAny value = last->value;
    tvmffi_stack_pop(&w->entries);
    tvmffi_any_release(&value);
  }
}

/* ---- The walk ----------------------------------------------------------------------------------
 */

static int push(walk *w, TVMFFIObject *obj, TVMFFISEqHashKind kind, int32_t region) {
  frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("ffi.StructuralHash", w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  tvmffi_object_retain(obj);
  top->obj = obj;
  top->hash = key_hash_of(obj->type_index);
  if (tvmffi_is_sequence(obj->type_index))
    top->hash = combine(top->hash, (uint64_t)tvmffi_array_size(obj));
  if (tvmffi_is_map(obj->type_index)) top->hash = combine(top->hash, tvmffi_map_size(obj));
  top->kind = kind;
  top->region = region;
  top->child_region = tvmffi_region_inside(region, kind);
  top->first_entry = top->next_entry = w->entries.size;
  top->num_ignored = w->num_ignored;
  if (tvmffi_is_map(obj->type_index)) return collect_entries(w, obj);
  tvmffi_child_first(&top->cursor, obj);
  return 0;
}

static void pop(walk *w) {
  frame *top = tvmffi_stack_top(&w->frames);
  TVMFFIObject *obj = top->obj;
  size_t first_entry = top->first_entry;
  tvmffi_stack_pop(&w->frames);
  drop_entries(w, first_entry);
  tvmffi_object_release(obj);
}

/* What an object's hash is when its content has been hashed. */
static int finish(walk *w, uint64_t *out) {
  frame *top = tvmffi_stack_top(&w->frames);
  *out = top->hash;
  if (top->kind == kTVMFFISEqHashKindFreeVar) {
    /* A variable counts by its number where it is defined, and elsewhere is nothing but itself. */
    *out = top->region != kTVMFFIDefRegionKindNone
               ? combine(top->hash, w->num_variables++)
               : combine((uint64_t)top->obj->type_index, (uint64_t)(uintptr_t)top->obj);
  } else if (top->kind == kTVMFFISEqHashKindDAGNode) {
    *out = combine(top->hash, w->num_nodes++);
  }
  /* An equal container elsewhere may have more entries that count by then. */
  if (!is_container(top->obj) || w->num_ignored == top->num_ignored) {
    TVMFFI_TRY(add_done(w, top->obj, *out));
  }
  pop(w);
  return 0;
}

/* 1 and the hash, 0 after pushing what is to be hashed, or -1. */
static int begin(walk *w, const TVMFFIAny *value, int32_t region, uint64_t *out) {
  int rc = hash_plain(w, value, out);
  TVMFFISEqHashKind kind = kTVMFFISEqHashKindTreeNode;
  const uint64_t *done;
  TVMFFIObject *hook;
  if (rc != 0) return rc;
  done = find_done(w, value->v_obj);
  if (done != NULL) {
    *out = *done;
    return 1;
  }
  if (tvmffi_is_sequence(value->v_obj->type_index) || tvmffi_is_map(value->v_obj->type_index)) {
    return push(w, value->v_obj, kind, region);
  }
  TVMFFI_TRY(tvmffi_structural_kind(value->type_index, &kind));
  TVMFFI_TRY(push(w, value->v_obj, kind, region));
  TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrSHash, value->type_index, kHook, &hook));
  if (hook == NULL) return 0;
  *out = ((const frame *)tvmffi_stack_top(&w->frames))->hash;
  TVMFFI_TRY(call_hook(w, hook, value->v_obj, out));
  ((frame *)tvmffi_stack_top(&w->frames))->hash = *out;
  return finish(w, out) == 0 ? 1 : -1;
}

/* The next value in a map: 1 and a copy, or 0. Keys of the same hash count once, their values not.
 */
static int next_entry(walk *w, frame *top, TVMFFIAny *out) {
  const entry *entries = tvmffi_stack_at(&w->entries, 0);
  while (top->next_entry < w->entries.size) {
    size_t i = top->next_entry;
    uint64_t key_hash = entries[i].key_hash;
    top->hash = combine(top->hash, key_hash);
    while (top->next_entry < w->entries.size && entries[top->next_entry].key_hash == key_hash) {
      ++top->next_entry;
    }
    if (top->next_entry == i + 1) {
      *out = tvmffi_any_copy(&entries[i].value);
      return 1;
    }
  }
  return 0;
}

/* The next value that counts, owned, and its region. 1, 0 at the end, -1. */
static int next_value(walk *w, frame *top, TVMFFIAny *out, int32_t *out_region) {
  tvmffi_child child;
  int rc;
  *out_region = top->child_region;
  if (tvmffi_is_map(top->obj->type_index)) return next_entry(w, top, out);
  while ((rc = tvmffi_child_next(&top->cursor, &child)) == 1) {
    if (child.field == NULL || !(child.field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore)) {
      if (child.field != NULL) *out_region = tvmffi_region_of_field(*out_region, child.field);
      *out = child.value;
      return 1;
    }
    tvmffi_child_release(&child);
  }
  return rc;
}

/* Goes on with the top frame. */
static int hash_next(walk *w, size_t base, uint64_t *out) {
  frame *top = tvmffi_stack_top(&w->frames);
  TVMFFIAny value;
  int32_t region;
  uint64_t made;
  int rc = next_value(w, top, &value, &region);
  if (rc < 0) return -1;
  if (rc == 1) {
    rc = begin(w, &value, region, &made);
    tvmffi_any_release(&value);
    if (rc != 1) return rc;
  } else {
    TVMFFI_TRY(finish(w, &made));
    *out = made;
    if (w->frames.size == base) return 0;
  }
  top = tvmffi_stack_top(&w->frames);
  top->hash = combine(top->hash, made);
  return 0;
}

static int hash(walk *w, const TVMFFIAny *value, int32_t region, uint64_t *out) {
  size_t base = w->frames.size;
  int rc = begin(w, value, region, out);
  if (rc == 1) return 0;
  while (rc == 0 && w->frames.size > base) rc = hash_next(w, base, out);
  while (w->frames.size > base) pop(w);
  return rc;
}

int tvmffi_structural_hash(const TVMFFIAny *value, tvmffi_structural_options options,
                           uint64_t *out) {
  int32_t region = options.map_free_vars ? kTVMFFIDefRegionKindPattern : kTVMFFIDefRegionKindNone;
  TVMFFIAny owned;
  walk w;
  int rc;
  memset(&w, 0, sizeof w);
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(value, &owned));
  w.options = options;
  tvmffi_stack_init(&w.frames, sizeof(frame));
  tvmffi_stack_init(&w.entries, sizeof(entry));
  tvmffi_stack_init(&w.done, sizeof(uint64_t));
  rc = hash(&w, &owned, region, out);
  tvmffi_walk_function_end(w.function);
  tvmffi_walk_release_keys(&w.objects);
  tvmffi_walk_release_keys(&w.containers);
  tvmffi_stack_fini(&w.frames);
  tvmffi_stack_fini(&w.entries);
  tvmffi_stack_fini(&w.done);
  tvmffi_any_release(&owned);
  return rc;
}
