/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/structural.h"

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
#include "reflect/walk.h"

/* ---- Values that hold no others ---- */

static uint64_t hash_dims(uint64_t hash, const int64_t *dims, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) hash = tvmffi_hash_combine(hash, (uint64_t)dims[i]);
  return hash;
}

static uint64_t hash_beginning(int32_t type_index, uint64_t size) {
  return tvmffi_hash_combine(tvmffi_type_find(type_index)->info.type_key_hash, size);
}

static int hash_tensor(const DLTensor *tensor, const tvmffi_structural_options *options,
                       uint64_t *out) {
  TVMFFIByteArray content;
  uint32_t dtype;
  memcpy(&dtype, &tensor->dtype, sizeof dtype);
  *out = hash_beginning(kTVMFFITensor, (uint64_t)tensor->ndim);
  *out = tvmffi_hash_combine(hash_dims(*out, tensor->shape, (size_t)tensor->ndim), dtype);
  if (options->skip_tensor_content) return 1;
  TVMFFI_TRY(tvmffi_plain_get_tensor_content(tensor, "hash", &content));
  *out = tvmffi_hash_combine(*out, tvmffi_hash_content(content.data, content.size));
  return 1;
}

/* The result is as that of plain_equal in equal.c. */
static int plain_hash(const TVMFFIAny *value, const tvmffi_structural_options *options,
                      uint64_t *out) {
  TVMFFIByteArray content;
  int32_t type_index = value->type_index;
  switch (type_index) {
    case kTVMFFIFloat: /* by its bits, so that -0.0 and 0.0 differ; but all NaNs are equal */
      *out = tvmffi_hash_combine(kTVMFFIFloat, tvmffi_plain_is_nan(value)
                                                   ? UINT64_C(0x7ff8000000000000)
                                                   : value->v_uint64);
      return 1;
    case kTVMFFIShape: {
      const TVMFFIShapeCell *shape = TVMFFIShapeGetCellPtr(value->v_obj);
      *out = hash_dims(hash_beginning(kTVMFFIShape, shape->size), shape->data, shape->size);
      return 1;
    }
    case kTVMFFITensor:
      return hash_tensor(TVMFFITensorGetDLTensorPtr(value->v_obj), options, out);
    default:
      /*
       * Small texts hash like those on the heap. Small bytes do not, although they may equal bytes
       * on the heap: the package hashes them like this, and clients store its hashes.
       */
      if (type_index != kTVMFFISmallBytes && tvmffi_any_key_get_content(value, &content)) {
        if (type_index == kTVMFFISmallStr) type_index = kTVMFFIStr;
        *out = tvmffi_hash_combine((uint64_t)type_index,
                                   tvmffi_hash_content(content.data, content.size));
        return 1;
      }
      *out = tvmffi_hash_combine((uint64_t)type_index, value->v_uint64);
      return type_index < kTVMFFIStaticObjectBegin;
  }
}

/* ---- All values ---- */

static const char kStructureHook[] =
    "(0: ffi.Object, 1: int, 2: (0: AnyView, 1: int, 2: int) -> int) -> int";

/* An entry of a map, if the hash of its key does not depend on the order of entries. */
typedef struct {
  uint64_t key_hash;
  TVMFFIAny value;
} hashed_entry;

/* An object that is being hashed. */
typedef struct {
  tvmffi_child_cursor cursor;
  uint64_t hash; /* of the children so far */
  TVMFFISEqHashKind kind;
  int32_t region;       /* the region around the object */
  int32_t child_region; /* the region for its content */
  bool may_recur;       /* it may be met again, so its hash is kept */
  size_t first_entry;   /* of a map: index of its first entry in the walk's entries */
  size_t next_entry;
  uint64_t num_ignored; /* the walk's counts before the object */
  size_t num_done;
} structure_frame;

/* The hash of a container with entries that were left out; see finish. */
typedef struct {
  uint64_t hash;
  size_t num_done; /* it is out of date when more objects are done */
} passing_hash;

/* Objects are borrowed and owned as in equal.c. */
typedef struct {
  tvmffi_structural_options options;
  tvmffi_stack frames;
  tvmffi_stack entries;
  size_t num_owned, num_owned_entries; /* how many of the lowest own their objects */
  tvmffi_pointer_map done;             /* from objects, owned, to their hashes */
  tvmffi_pointer_map passing;          /* from containers, owned, to indices in passing_hashes */
  tvmffi_stack passing_hashes;
  uint64_t num_variables, num_nodes;
  uint64_t num_ignored;           /* number of map entries left out so far; see finish */
  tvmffi_walk_function *function; /* passed to hooks; made on first use */
} structure_walk;

static structure_frame *top_structure(const structure_walk *w) {
  return tvmffi_stack_top(&w->frames);
}

static void own_structure_frames(structure_walk *w) {
  for (; w->num_owned < w->frames.size; ++w->num_owned) {
    tvmffi_object_retain(
        ((const structure_frame *)tvmffi_stack_at(&w->frames, w->num_owned))->cursor.obj);
  }
  for (; w->num_owned_entries < w->entries.size; ++w->num_owned_entries) {
    (void)tvmffi_any_copy(
        &((const hashed_entry *)tvmffi_stack_at(&w->entries, w->num_owned_entries))->value);
  }
}

/* ---- Finished objects ---- */

static int add_done(structure_walk *w, TVMFFIObject *obj, uint64_t hash) {
  size_t old_size = w->done.size;
  tvmffi_pointer_entry *made = tvmffi_pointer_map_ensure(&w->done, obj);
  if (made == NULL) return tvmffi_fail_memory();
  if (w->done.size != old_size) tvmffi_object_retain(obj);
  made->value.number = hash;
  return 0;
}

/* Adds an entry without a hash. Pushes first, so that the map never refers to a missing entry. */
static passing_hash *push_passing(structure_walk *w, TVMFFIObject *container) {
  passing_hash *made = tvmffi_stack_push(&w->passing_hashes);
  tvmffi_pointer_entry *added;
  if (made == NULL) return NULL;
  added = tvmffi_pointer_map_ensure(&w->passing, container);
  if (added == NULL) {
    tvmffi_stack_pop(&w->passing_hashes);
    return NULL;
  }
  tvmffi_object_retain(container);
  added->value.number = w->passing_hashes.size - 1;
  return made;
}

/* Keeps a hash of a container that holds as long as no other object is done. */
static int add_passing(structure_walk *w, TVMFFIObject *container, uint64_t hash) {
  const tvmffi_pointer_entry *found = tvmffi_pointer_map_find(&w->passing, container);
  passing_hash *kept = found != NULL
                           ? tvmffi_stack_at(&w->passing_hashes, (size_t)found->value.number)
                           : push_passing(w, container);
  if (kept == NULL) return tvmffi_fail_memory();
  kept->hash = hash;
  kept->num_done = w->done.size;
  return 0;
}

/* Finds the hash of an object that was met before, unless it may have changed. */
static bool find_kept(structure_walk *w, const TVMFFIObject *obj, uint64_t *out) {
  const tvmffi_pointer_entry *found = tvmffi_pointer_map_find(&w->done, obj);
  const passing_hash *kept;
  if (found != NULL) {
    *out = found->value.number;
    return true;
  }
  found = tvmffi_pointer_map_find(&w->passing, obj);
  kept = found != NULL ? tvmffi_stack_at(&w->passing_hashes, (size_t)found->value.number) : NULL;
  if (kept == NULL || kept->num_done != w->done.size) return false;
  ++w->num_ignored; /* entries in it are left out of the objects around it as well */
  *out = kept->hash;
  return true;
}

/* ---- Hooks ---- */

static int hash_structure(structure_walk *w, TVMFFIAny value, int32_t region, uint64_t *out);

/* Arguments: value, hash so far, kind of region. */
TVMFFI_COLD static int hash_structure_for_hook(void *self, const TVMFFIAny *args,
                                               TVMFFIAny *result) {
  structure_walk *w = self;
  int32_t region = tvmffi_region_enter(top_structure(w)->child_region, (int32_t)args[2].v_int64);
  TVMFFIAny value;
  uint64_t made;
  int rc;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[0], &value));
  rc = hash_structure(w, value, region, &made);
  tvmffi_any_release(&value);
  if (rc == 0) *result = tvmffi_any_int((int64_t)tvmffi_hash_combine(args[1].v_uint64, made));
  return rc;
}

/* Replaces the hash so far by what the hook makes of it. */
TVMFFI_COLD static int call_structure_hook(structure_walk *w, TVMFFIObject *hook) {
  TVMFFIAny args[3];
  int64_t answer;
  TVMFFI_TRY(tvmffi_walk_function_ensure(&w->function, "(0: AnyView, 1: int, 2: int) -> int", "aii",
                                         hash_structure_for_hook, w));
  args[0] = tvmffi_any_object(top_structure(w)->cursor.obj);
  args[1] = tvmffi_any_int((int64_t)top_structure(w)->hash);
  args[2] = tvmffi_any_object(w->function);
  own_structure_frames(w);
  TVMFFI_TRY(tvmffi_walk_ask("ffi.StructuralHash", hook, w->function, args, 3, "int", &answer));
  top_structure(w)->hash = (uint64_t)answer;
  return 0;
}

/* ---- Maps ---- */

/* 1 and the hash of a key, 0 if that would depend on what is hashed before it, or -1. */
static int hash_key(const structure_walk *w, const TVMFFIAny *key, uint64_t *out) {
  const tvmffi_pointer_entry *found;
  if (key->type_index == kTVMFFIFloat) { /* by its bits: different NaNs are different keys */
    *out = tvmffi_any_key_hash(key);
    return 1;
  }
  if (tvmffi_plain_is_key(key)) return plain_hash(key, &w->options, out);
  found =
      tvmffi_is_container(key->type_index) ? NULL : tvmffi_pointer_map_find(&w->done, key->v_obj);
  if (found == NULL) return 0;
  *out = found->value.number;
  return 1;
}

static int compare_entries(const void *a, const void *b) {
  uint64_t x = ((const hashed_entry *)a)->key_hash, y = ((const hashed_entry *)b)->key_hash;
  return x < y ? -1 : x > y;
}

/* Pushes the entries that count to the walk's entries, sorted by the hashes of their keys. */
static int collect_entries(structure_walk *w, TVMFFIObject *map) {
  size_t first = w->entries.size;
  uint64_t position;
  for (position = tvmffi_map_first(map); position != TVMFFI_MAP_NONE;
       position = tvmffi_map_next(map, position)) {
    const tvmffi_map_pair *pair = tvmffi_map_at(map, position);
    uint64_t key_hash;
    int counts = hash_key(w, &pair->key, &key_hash);
    if (counts < 0) return -1;
    if (counts == 1) {
      hashed_entry *made = tvmffi_stack_push(&w->entries);
      if (made == NULL) return tvmffi_fail_memory();
      made->key_hash = key_hash;
      made->value = pair->value;
    } else {
      ++w->num_ignored;
    }
  }
  if (w->entries.size > first) {
    qsort(tvmffi_stack_at(&w->entries, first), w->entries.size - first, sizeof(hashed_entry),
          compare_entries);
  }
  return 0;
}

static void drop_entries(structure_walk *w, size_t first) {
  while (w->entries.size > first) {
    TVMFFIAny value = ((const hashed_entry *)tvmffi_stack_top(&w->entries))->value;
    tvmffi_stack_pop(&w->entries);
    if (w->num_owned_entries <= w->entries.size) continue;
    --w->num_owned_entries;
    tvmffi_any_release(&value);
  }
}

/* ---- The walk ---- */

/* Takes the object if it is owned; all frames below own theirs then. */
static int push_structure(structure_walk *w, TVMFFIAny *value, bool is_owned,
                          TVMFFISEqHashKind kind, int32_t region, bool may_recur) {
  TVMFFIObject *obj = value->v_obj;
  structure_frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("ffi.StructuralHash", w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  *value = tvmffi_any_none();
  if (is_owned) ++w->num_owned;
  tvmffi_child_first(&top->cursor, obj);
  top->hash = tvmffi_type_find(obj->type_index)->info.type_key_hash;
  top->kind = kind;
  top->region = region;
  top->child_region = tvmffi_region_inside(region, kind);
  top->may_recur = may_recur;
  top->first_entry = top->next_entry = w->entries.size;
  top->num_ignored = w->num_ignored;
  top->num_done = w->done.size;
  if (tvmffi_is_sequence(obj->type_index)) {
    top->hash = tvmffi_hash_combine(top->hash, (uint64_t)tvmffi_array_size(obj));
  } else if (tvmffi_is_map(obj->type_index)) {
    top->hash = tvmffi_hash_combine(top->hash, tvmffi_map_size(obj));
    return collect_entries(w, obj);
  }
  return 0;
}

static void pop_structure(structure_walk *w) {
  const structure_frame *top = top_structure(w);
  TVMFFIObject *obj = top->cursor.obj;
  size_t first_entry = top->first_entry;
  tvmffi_stack_pop(&w->frames);
  drop_entries(w, first_entry);
  if (w->num_owned <= w->frames.size) return;
  --w->num_owned;
  tvmffi_object_release(obj);
}

/* Computes the hash of an object whose content has been hashed, and pops it. */
static int finish_structure(structure_walk *w, uint64_t *out) {
  const structure_frame *top = top_structure(w);
  TVMFFIObject *obj = top->cursor.obj;
  bool has_ignored;
  *out = top->hash;
  if (top->kind == kTVMFFISEqHashKindFreeVar) {
    /* A variable counts by its number where it is defined, and elsewhere by its address. */
    *out = top->region != kTVMFFIDefRegionKindNone
               ? tvmffi_hash_combine(top->hash, w->num_variables++)
               : (uint64_t)(uintptr_t)obj;
  } else if (top->kind == kTVMFFISEqHashKindDAGNode) {
    *out = tvmffi_hash_combine(top->hash, w->num_nodes++);
  }
  /*
   * The hash of a container is not final if entries in it were left out: an equal container that is
   * met later may have more entries that count by then, and this one must hash the same there. The
   * objects in it are met again then, so their hashes are kept even if nothing else refers to them.
   */
  has_ignored = w->num_ignored != top->num_ignored;
  if (tvmffi_is_container(obj->type_index) ? top->may_recur && !has_ignored
                                           : top->may_recur || has_ignored) {
    TVMFFI_TRY(add_done(w, obj, *out));
  } else if (top->may_recur && top->num_done == w->done.size) {
    TVMFFI_TRY(add_passing(w, obj, *out));
  }
  pop_structure(w);
  return 0;
}

/*
 * 1 and the hash, 0 after pushing the object to be hashed first, which is taken if it is owned, or
 * -1. An object with a single reference is not met again, so its hash is not kept; except for
 * variables and graph nodes, whose numbers are final, and where hooks are called. The result of a
 * foreign getter need not be owned by the object, so any reference besides the walk's counts.
 */
static int begin_structure(structure_walk *w, TVMFFIAny *value, bool is_owned, int32_t region,
                           uint64_t *out) {
  TVMFFISEqHashKind kind = kTVMFFISEqHashKindTreeNode;
  TVMFFIObject *obj = value->v_obj, *hook = NULL;
  bool may_recur;
  int rc = plain_hash(value, &w->options, out);
  if (rc != 0) return rc;
  if (!tvmffi_is_container(value->type_index)) {
    TVMFFI_TRY(tvmffi_structural_kind(value->type_index, &kind));
    TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrSHash, value->type_index, kStructureHook, &hook));
  }
  may_recur = tvmffi_object_use_count(obj) > 1 || w->function != NULL ||
              kind == kTVMFFISEqHashKindFreeVar || kind == kTVMFFISEqHashKindDAGNode;
  if (may_recur && find_kept(w, obj, out)) return 1;
  TVMFFI_TRY(push_structure(w, value, is_owned, kind, region, may_recur));
  if (hook == NULL) return 0;
  TVMFFI_TRY(call_structure_hook(w, hook));
  return finish_structure(w, out) == 0 ? 1 : -1;
}

/* 1 and the next value in a map, or 0. Keys with the same hash count once, their values do not. */
static int next_structure_entry(const structure_walk *w, structure_frame *top, TVMFFIAny *out) {
  const hashed_entry *entries;
  if (w->entries.size == 0) return 0; /* the stack may have no memory yet */
  entries = tvmffi_stack_at(&w->entries, 0);
  while (top->next_entry < w->entries.size) {
    size_t i = top->next_entry;
    uint64_t key_hash = entries[i].key_hash;
    top->hash = tvmffi_hash_combine(top->hash, key_hash);
    while (top->next_entry < w->entries.size && entries[top->next_entry].key_hash == key_hash) {
      ++top->next_entry;
    }
    if (top->next_entry == i + 1) {
      *out = entries[i].value;
      return 1;
    }
  }
  return 0;
}

/* The next value to be hashed, borrowed or owned, and its region: 1, 0 at the end, or -1. */
static int next_structure_value(structure_walk *w, TVMFFIAny *out, bool *is_owned,
                                int32_t *out_region) {
  structure_frame *top = top_structure(w);
  TVMFFIObject *obj = top->cursor.obj;
  const TVMFFIFieldInfo *field;
  *is_owned = false;
  *out_region = top->child_region;
  if (tvmffi_is_map(obj->type_index)) return next_structure_entry(w, top, out);
  if (tvmffi_is_sequence(obj->type_index)) {
    if ((int64_t)top->cursor.position >= tvmffi_array_size(obj)) return 0;
    *out = tvmffi_array_items(obj)[top->cursor.position++];
    return 1;
  }
  field = tvmffi_field_next_without(&top->cursor.fields, kTVMFFIFieldFlagBitMaskSEqHashIgnore);
  if (field == NULL) return 0;
  *out_region = tvmffi_region_of_field(*out_region, field);
  if (tvmffi_field_lend(field, obj, out)) return 1;
  own_structure_frames(w);
  *is_owned = true;
  return tvmffi_field_get(field, obj, out) == 0 ? 1 : -1;
}

/* Hashes the next child of the top frame, or finishes it. */
static int hash_next_structure(structure_walk *w, size_t base, uint64_t *out) {
  TVMFFIAny value;
  int32_t region;
  uint64_t made;
  bool is_owned;
  int rc = next_structure_value(w, &value, &is_owned, &region);
  if (rc < 0) return -1;
  if (rc == 1) {
    rc = begin_structure(w, &value, is_owned, region, &made);
    if (is_owned) tvmffi_any_release(&value);
    if (rc != 1) return rc;
  } else {
    TVMFFI_TRY(finish_structure(w, &made));
    *out = made;
    if (w->frames.size == base) return 0;
  }
  top_structure(w)->hash = tvmffi_hash_combine(top_structure(w)->hash, made);
  return 0;
}

/* Hashes a borrowed value. */
static int hash_structure(structure_walk *w, TVMFFIAny value, int32_t region, uint64_t *out) {
  size_t base = w->frames.size;
  int rc = begin_structure(w, &value, false, region, out);
  if (rc == 1) return 0;
  while (rc == 0 && w->frames.size > base) rc = hash_next_structure(w, base, out);
  while (w->frames.size > base) pop_structure(w);
  return rc;
}

int tvmffi_structural_hash(const TVMFFIAny *value, tvmffi_structural_options options,
                           uint64_t *out) {
  int32_t region = options.map_free_vars ? kTVMFFIDefRegionKindPattern : kTVMFFIDefRegionKindNone;
  TVMFFIAny owned;
  structure_walk w;
  int rc;
  memset(&w, 0, sizeof w);
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(value, &owned));
  w.options = options;
  tvmffi_stack_init(&w.frames, sizeof(structure_frame));
  tvmffi_stack_init(&w.entries, sizeof(hashed_entry));
  tvmffi_stack_init(&w.passing_hashes, sizeof(passing_hash));
  rc = hash_structure(&w, owned, region, out);
  tvmffi_object_release(w.function);
  tvmffi_walk_release_keys(&w.done);
  tvmffi_walk_release_keys(&w.passing);
  tvmffi_stack_fini(&w.frames);
  tvmffi_stack_fini(&w.entries);
  tvmffi_stack_fini(&w.passing_hashes);
  tvmffi_any_release(&owned);
  return rc;
}
