/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/pointer_map.h"
#include "base/stack.h"
#include "container/any_key.h"
#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/tensor.h"
#include "reflect/access_path.h"
#include "reflect/walk.h"
#include "structural/structural.h"

/* ---- Values that hold no others ---- */

int tvmffi_plain_get_tensor_content(const DLTensor *tensor, const char *verb,
                                    TVMFFIByteArray *out) {
  if (tensor->device.device_type != kDLCPU) {
    return tvmffi_fail("InternalError", "can only %s CPU tensor", verb);
  }
  if (!tvmffi_tensor_is_contiguous(tensor)) {
    return tvmffi_fail("InternalError", "Can only %s contiguous tensor", verb);
  }
  out->data = (const char *)tensor->data + tensor->byte_offset;
  return tvmffi_tensor_data_size(tensor, &out->size);
}

static bool equal_dims(const int64_t *a, size_t size_a, const int64_t *b, size_t size_b) {
  return size_a == size_b && (size_a == 0 || memcmp(a, b, size_a * sizeof *a) == 0);
}

static int equal_tensors(const DLTensor *a, const DLTensor *b,
                         const tvmffi_structural_options *options, bool *out) {
  TVMFFIByteArray in_a, in_b;
  *out = a == b || (equal_dims(a->shape, (size_t)a->ndim, b->shape, (size_t)b->ndim) &&
                    memcmp(&a->dtype, &b->dtype, sizeof a->dtype) == 0);
  if (a == b || !*out || options->skip_tensor_content) return 1;
  TVMFFI_TRY(tvmffi_plain_get_tensor_content(a, "compare", &in_a));
  TVMFFI_TRY(tvmffi_plain_get_tensor_content(b, "compare", &in_b));
  *out = tvmffi_bytes_equal(&in_a, &in_b);
  return 1;
}

/*
 * 1 and the result in *out, 0 for objects (of one type) that may hold others, or -1 with the error
 * raised: the content of a tensor is only accessible if it is on the CPU and contiguous.
 */
static int plain_equal(const TVMFFIAny *a, const TVMFFIAny *b,
                       const tvmffi_structural_options *options, bool *out) {
  TVMFFIByteArray in_a, in_b;
  *out = false;
  if (a->type_index != b->type_index && !tvmffi_any_key_may_equal(a, b)) return 1;
  switch (a->type_index) {
    case kTVMFFIShape: {
      const TVMFFIShapeCell *x = TVMFFIShapeGetCellPtr(a->v_obj),
                            *y = TVMFFIShapeGetCellPtr(b->v_obj);
      *out = equal_dims(x->data, x->size, y->data, y->size);
      return 1;
    }
    case kTVMFFITensor:
      return equal_tensors(TVMFFITensorGetDLTensorPtr(a->v_obj),
                           TVMFFITensorGetDLTensorPtr(b->v_obj), options, out);
    default:
      if (tvmffi_any_key_get_content(a, &in_a) && tvmffi_any_key_get_content(b, &in_b)) {
        *out = tvmffi_bytes_equal(&in_a, &in_b);
        return 1;
      }
      *out = tvmffi_any_key_is_same(a, b) || (tvmffi_plain_is_nan(a) && tvmffi_plain_is_nan(b));
      return a->type_index < kTVMFFIStaticObjectBegin;
  }
}

/* ---- Where two values differ ---- */

/*
 * Records the path of a walk through two values, to tell where they first differ. With NULL instead
 * of a tvmffi_mismatch, nothing is recorded.
 */

typedef struct {
  tvmffi_stack steps; /* for each pair of objects in the walk, the step to the current child */
  TVMFFIObject *path_a, *path_b; /* owned; NULL until a difference is noted */
} tvmffi_mismatch;

enum { kAtNoChild = -1 };

typedef struct {
  int32_t kind_a, kind_b;
  TVMFFIAny key_a, key_b; /* an index, a field's name, or two keys; owned */
} path_step;

/* Enters a pair of objects, without a current child; leaves it. */
static int mismatch_push(tvmffi_mismatch *m) {
  path_step *top;
  if (m == NULL) return 0;
  top = tvmffi_stack_push(&m->steps);
  if (top == NULL) return tvmffi_fail_memory();
  top->kind_a = top->kind_b = kAtNoChild;
  return 0;
}

/* Leaves the current child. */
static void mismatch_step_back(tvmffi_mismatch *m) {
  path_step *top;
  if (m == NULL) return;
  top = tvmffi_stack_top(&m->steps);
  top->kind_a = top->kind_b = kAtNoChild;
  tvmffi_any_release(&top->key_a);
  tvmffi_any_release(&top->key_b);
}

static void mismatch_pop(tvmffi_mismatch *m) {
  if (m == NULL) return;
  mismatch_step_back(m);
  tvmffi_stack_pop(&m->steps);
}

/* Goes to a child of both: kinds and keys of access steps. Keeps references to the keys. */
static void mismatch_step(tvmffi_mismatch *m, int32_t kind_a, const TVMFFIAny *key_a,
                          int32_t kind_b, const TVMFFIAny *key_b) {
  path_step *top;
  if (m == NULL) return;
  mismatch_step_back(m);
  top = tvmffi_stack_top(&m->steps);
  top->kind_a = kind_a;
  top->kind_b = kind_b;
  top->key_a = tvmffi_any_copy(key_a);
  top->key_b = tvmffi_any_copy(key_b);
}

/* The same for a field of both. */
static int mismatch_step_field(tvmffi_mismatch *m, const TVMFFIByteArray *name) {
  TVMFFIAny key;
  TVMFFI_TRY(TVMFFIStringFromByteArray(name, &key));
  mismatch_step(m, kTvmffiStepAttr, &key, kTvmffiStepAttr, &key);
  tvmffi_any_release(&key);
  return 0;
}

static int extend_mismatch(TVMFFIObject **path, int32_t kind, const TVMFFIAny *key) {
  TVMFFIObject *made = tvmffi_access_step_new(kind, key), *longer = NULL;
  if (made == NULL) return -1;
  longer = tvmffi_access_path_extend(*path, made);
  tvmffi_object_release(made);
  if (longer == NULL) return -1;
  tvmffi_object_release(*path);
  *path = longer;
  return 0;
}

/* Records the current path unless a difference was recorded before; _forget drops it. */
static int mismatch_note(tvmffi_mismatch *m) {
  size_t i;
  if (m == NULL || m->path_a != NULL) return 0;
  m->path_a = tvmffi_access_path_root();
  m->path_b = tvmffi_access_path_root();
  if (m->path_a == NULL || m->path_b == NULL) return -1;
  for (i = 0; i < m->steps.size; ++i) {
    const path_step *current = tvmffi_stack_at(&m->steps, i);
    if (current->kind_a == kAtNoChild) continue;
    TVMFFI_TRY(extend_mismatch(&m->path_a, current->kind_a, &current->key_a));
    TVMFFI_TRY(extend_mismatch(&m->path_b, current->kind_b, &current->key_b));
  }
  return 0;
}

static void mismatch_forget(tvmffi_mismatch *m) {
  if (m == NULL) return;
  tvmffi_object_release(m->path_a);
  tvmffi_object_release(m->path_b);
  m->path_a = m->path_b = NULL;
}

/* Moves both paths into an Array. */
static int take_paths(tvmffi_mismatch *m, TVMFFIAny *out) {
  TVMFFIObject *paths = tvmffi_array_new(2);
  if (paths == NULL) return tvmffi_fail_memory();
  tvmffi_array_items(paths)[0] = tvmffi_any_object(m->path_a);
  tvmffi_array_items(paths)[1] = tvmffi_any_object(m->path_b);
  TVMFFISeqGetCellPtr(paths)->size = 2;
  m->path_a = m->path_b = NULL;
  *out = tvmffi_any_object(paths);
  return 0;
}

/* ---- The kind of a type ---- */

TVMFFI_COLD static int refuse_kind(int32_t type_index) {
  const tvmffi_type_record *record = tvmffi_type_require(type_index);
  if (record == NULL) return -1;
  return tvmffi_fail("TypeError",
                     "%s for type `%s`, so StructuralHash is not supported for this type",
                     tvmffi_atomic_load_acquire_ptr(&record->info.metadata) == NULL
                         ? "Type metadata is not set"
                         : "_type_s_eq_hash_kind is not set",
                     record->key.data);
}

int tvmffi_structural_kind(int32_t type_index, TVMFFISEqHashKind *out) {
  *out = tvmffi_structural_find_kind(type_index);
  return *out != kTVMFFISEqHashKindUnsupported ? 0 : refuse_kind(type_index);
}

/* ---- All values ---- */

static const char kEqualHook[] =
    "(0: ffi.Object, 1: ffi.Object, 2: (0: AnyView, 1: AnyView, 2: int, 3: AnyView) -> bool) -> "
    "bool";

/* Two values that are to be compared. */
typedef struct {
  TVMFFIAny a, b;
  TVMFFIAny key_a, key_b;       /* the keys of entries of maps; key_b is always borrowed */
  const TVMFFIFieldInfo *field; /* or NULL */
  bool is_owned;                /* otherwise all is borrowed */
  uint32_t num_known;           /* references to a, and to b, of the walk and of what holds it */
  bool is_shared;               /* a or b may have another one, and may be met again */
} structural_pair;

/* Two objects that are being compared. */
typedef struct {
  tvmffi_child_cursor in_a;
  TVMFFIObject *b;
  TVMFFISEqHashKind kind;
  int32_t region;       /* the region around the objects */
  int32_t child_region; /* the region for their content */
  bool is_hooked;       /* a hook compares them, so their children are not visited here */
  bool is_shared;       /* a or b may be met again */
  /* The walk's counts before the pair. */
  uint64_t num_hook_calls, num_open_keys;
  size_t num_pairs;
} equal_frame;

/*
 * Variables and graph nodes that correspond to each other. Pairs in b_to_a are also in a_to_b,
 * which owns both objects.
 */
typedef struct {
  tvmffi_pointer_map a_to_b, b_to_a;
} pairing;

/*
 * Objects are borrowed from their containers as long as only code of this library runs. Before
 * foreign code can run (hooks, getters, and destructors, which run only when an owner releases),
 * the walk takes references to the objects of all frames. So the lowest frames own their objects.
 */
typedef struct {
  tvmffi_structural_options options;
  tvmffi_stack frames;
  size_t num_owned; /* number of the lowest frames, which own their objects */
  pairing pairs;
  /*
   * Pairs that were found equal and would be again, so that shared objects are compared once. Both
   * objects are owned. Regions do not matter: every variable in them is paired by then. The number
   * is 0, or the stamp of the pairing (stamp_of) for which the result holds.
   */
  tvmffi_pointer_map equal;
  uint64_t num_hook_calls;
  uint64_t num_open_keys;         /* entries whose key was not paired, but may be later */
  tvmffi_mismatch *mismatch;      /* or NULL */
  tvmffi_walk_function *function; /* passed to hooks; made on first use */
} equal_walk;

static equal_frame *top_equal(const equal_walk *w) {
  return tvmffi_stack_top(&w->frames);
}

/* ---- Pairs ---- */

/* Pairs two objects, unless the first one is paired already. */
static int pair_up(pairing *pairs, TVMFFIObject *a, TVMFFIObject *b) {
  tvmffi_pointer_entry *to_a, *to_b;
  if (tvmffi_pointer_map_find(&pairs->a_to_b, a) != NULL) return 0;
  to_a = tvmffi_pointer_map_ensure(&pairs->b_to_a, b);
  if (to_a == NULL) return tvmffi_fail_memory();
  to_b = tvmffi_pointer_map_ensure(&pairs->a_to_b, a);
  if (to_b == NULL) return tvmffi_fail_memory();
  tvmffi_object_retain(a);
  tvmffi_object_retain(b);
  to_a->value.pointer = a;
  to_b->value.pointer = b;
  return 0;
}

/* Both look up in one direction: the partner or NULL; the partner or the value itself. */
static TVMFFIObject *find_partner(const tvmffi_pointer_map *map, const TVMFFIObject *obj) {
  const tvmffi_pointer_entry *entry = tvmffi_pointer_map_find(map, obj);
  return entry != NULL ? entry->value.pointer : NULL;
}

static TVMFFIAny translate(const tvmffi_pointer_map *map, const TVMFFIAny *value) {
  TVMFFIObject *partner =
      value->type_index >= kTVMFFIStaticObjectBegin ? find_partner(map, value->v_obj) : NULL;
  return partner != NULL ? tvmffi_any_object(partner) : *value;
}

/* ---- Ownership ---- */

static void own_equal_frames(equal_walk *w) {
  for (; w->num_owned < w->frames.size; ++w->num_owned) {
    const equal_frame *current = tvmffi_stack_at(&w->frames, w->num_owned);
    tvmffi_object_retain(current->in_a.obj);
    tvmffi_object_retain(current->b);
  }
}

TVMFFI_COLD static void release_structural_pair(structural_pair *p) {
  tvmffi_any_release(&p->a);
  tvmffi_any_release(&p->b);
  tvmffi_any_release(&p->key_a);
}

/* Takes both objects if the pair owns them; all frames below own theirs then. */
static int push_equal(equal_walk *w, structural_pair *p, TVMFFISEqHashKind kind, int32_t region) {
  equal_frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("ffi.StructuralEqual", w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  if (mismatch_push(w->mismatch) != 0) {
    tvmffi_stack_pop(&w->frames);
    return -1;
  }
  tvmffi_child_first(&top->in_a, p->a.v_obj);
  top->b = p->b.v_obj;
  top->is_shared = p->is_shared;
  top->num_hook_calls = w->num_hook_calls;
  top->num_open_keys = w->num_open_keys;
  top->num_pairs = w->pairs.a_to_b.size;
  if (p->is_owned) {
    ++w->num_owned;
    p->a = p->b = tvmffi_any_none();
  }
  top->kind = kind;
  top->region = region;
  top->child_region = tvmffi_region_inside(region, kind);
  return 0;
}

static void pop_equal(equal_walk *w) {
  const equal_frame *top = top_equal(w);
  TVMFFIObject *a = top->in_a.obj, *b = top->b;
  mismatch_pop(w->mismatch);
  tvmffi_stack_pop(&w->frames);
  if (w->num_owned <= w->frames.size) return;
  --w->num_owned;
  tvmffi_object_release(a);
  tvmffi_object_release(b);
}

/* ---- Pairs that were found equal ---- */

/* Changes with every pair that is added; none is ever removed. Not 0. */
static uint64_t stamp_of(const pairing *pairs) {
  return (uint64_t)pairs->a_to_b.size + 1;
}

/*
 * Whether a pair is known to be equal; sets p->is_shared. A pair of objects that nothing else holds
 * is met again only inside of a pair that is remembered, so it need not be.
 */
static bool is_known_equal(equal_walk *w, structural_pair *p) {
  const tvmffi_pointer_entry *known;
  p->is_shared = tvmffi_object_use_count(p->a.v_obj) > p->num_known ||
                 tvmffi_object_use_count(p->b.v_obj) > p->num_known;
  if (!p->is_shared) return false;
  known = tvmffi_pointer_map_find_pair(&w->equal, p->a.v_obj, p->b.v_obj);
  if (known == NULL || known->value.number == 0) return known != NULL;
  if (known->value.number != stamp_of(&w->pairs)) return false;
  ++w->num_open_keys; /* the pair contains one, so those around it do */
  return true;
}

/*
 * Remembers the pair of the top frame, unless a hook had a say, which is asked every time. If a
 * variable was the key of an entry before it was paired with another one, the result holds until
 * the next variable is paired. Variables and graph nodes have their own pairing.
 */
static int remember_equal(equal_walk *w) {
  const equal_frame *top = top_equal(w);
  size_t old_size = w->equal.size;
  bool has_open_keys = top->num_open_keys != w->num_open_keys;
  tvmffi_pointer_entry *entry;
  if (!top->is_shared || top->num_hook_calls != w->num_hook_calls) return 0;
  if (has_open_keys && top->num_pairs != w->pairs.a_to_b.size) return 0;
  entry = tvmffi_pointer_map_ensure_pair(&w->equal, top->in_a.obj, top->b);
  if (entry == NULL) return tvmffi_fail_memory();
  entry->value.number = has_open_keys ? stamp_of(&w->pairs) : 0;
  if (w->equal.size == old_size) return 0;
  tvmffi_object_retain(top->in_a.obj);
  tvmffi_object_retain(top->b);
  return 0;
}

/* ---- Hooks ---- */

/* Makes two views owned values, for callers that lend them to the walk. */
static int own_both(const TVMFFIAny *a, const TVMFFIAny *b, TVMFFIAny out[2]) {
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(a, &out[0]));
  if (TVMFFIAnyViewToOwnedAny(b, &out[1]) == 0) return 0;
  tvmffi_any_release(&out[0]);
  return -1;
}

static void release_both(TVMFFIAny values[2]) {
  tvmffi_any_release(&values[0]);
  tvmffi_any_release(&values[1]);
}

static int compare_structures(equal_walk *w, const TVMFFIAny values[2], int32_t region, bool *out);

/* Arguments: a, b, the kind of region, the name of a field for the path. */
TVMFFI_COLD static int compare_structures_for_hook(void *self, const TVMFFIAny *args,
                                                   TVMFFIAny *result) {
  equal_walk *w = self;
  int32_t region = tvmffi_region_enter(top_equal(w)->child_region, (int32_t)args[2].v_int64);
  TVMFFIAny values[2];
  TVMFFIByteArray text;
  bool is_equal = false;
  int rc;
  if (w->mismatch != NULL) {
    if (!tvmffi_any_get_text(&args[3], &text)) return tvmffi_any_fail_conversion(&args[3], "str");
    TVMFFI_TRY(mismatch_step_field(w->mismatch, &text));
  }
  TVMFFI_TRY(own_both(&args[0], &args[1], values));
  rc = compare_structures(w, values, region, &is_equal);
  release_both(values);
  mismatch_step_back(w->mismatch);
  if (rc == 0) *result = tvmffi_any_bool(is_equal);
  return rc;
}

TVMFFI_COLD static int call_equal_hook(equal_walk *w, TVMFFIObject *hook, bool *out) {
  const equal_frame *top = top_equal(w);
  TVMFFIAny args[3];
  int64_t answer;
  TVMFFI_TRY(tvmffi_walk_function_ensure(&w->function,
                                         "(0: AnyView, 1: AnyView, 2: int, 3: AnyView) -> bool",
                                         "aaia", compare_structures_for_hook, w));
  args[0] = tvmffi_any_object(top->in_a.obj);
  args[1] = tvmffi_any_object(top->b);
  args[2] = tvmffi_any_object(w->function);
  own_equal_frames(w);
  ++w->num_hook_calls;
  TVMFFI_TRY(tvmffi_walk_ask("ffi.StructuralEqual", hook, w->function, args, 3, "bool", &answer));
  *out = answer != 0;
  if (*out) mismatch_forget(w->mismatch); /* the hook overrules the differences */
  return 0;
}

/* ---- Values ---- */

/* Starts comparing two objects with fields, of the same type. */
static int begin_object_pair(equal_walk *w, structural_pair *p, int32_t region, bool *out) {
  TVMFFIObject *a = p->a.v_obj, *b = p->b.v_obj, *hook;
  TVMFFISEqHashKind kind;
  TVMFFI_TRY(tvmffi_structural_kind(a->type_index, &kind));
  switch (kind) {
    case kTVMFFISEqHashKindUniqueInstance:
      *out = a == b;
      return 0;
    case kTVMFFISEqHashKindConstTreeNode:
      if (a == b) return 0;
      break;
    case kTVMFFISEqHashKindDAGNode:
    case kTVMFFISEqHashKindFreeVar:
      if (find_partner(&w->pairs.a_to_b, a) != NULL || find_partner(&w->pairs.b_to_a, b) != NULL) {
        *out = find_partner(&w->pairs.a_to_b, a) == b;
        return 0;
      }
      break;
    default:
      break;
  }
  if (kind == kTVMFFISEqHashKindTreeNode || kind == kTVMFFISEqHashKindConstTreeNode) {
    if (is_known_equal(w, p)) return 0;
  }
  TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrSEqual, a->type_index, kEqualHook, &hook));
  TVMFFI_TRY(push_equal(w, p, kind, region));
  if (hook == NULL) return 0;
  top_equal(w)->is_hooked = true;
  return call_equal_hook(w, hook, out);
}

/* Starts comparing two containers of the same type. */
static int begin_containers(equal_walk *w, structural_pair *p, int32_t region, bool *out) {
  bool is_map = tvmffi_is_map(p->a.type_index);
  int64_t a = is_map ? (int64_t)tvmffi_map_size(p->a.v_obj) : tvmffi_array_size(p->a.v_obj);
  int64_t b = is_map ? (int64_t)tvmffi_map_size(p->b.v_obj) : tvmffi_array_size(p->b.v_obj);
  *out = a == b || w->mismatch != NULL; /* the mismatch needs the exact place */
  return *out && (a | b) != 0 && !is_known_equal(w, p)
             ? push_equal(w, p, kTVMFFISEqHashKindTreeNode, region)
             : 0;
}

/* Compares two values, or pushes them and sets *out to true for the time being. */
static int begin_pair(equal_walk *w, structural_pair *p, int32_t region, bool *out) {
  int rc = plain_equal(&p->a, &p->b, &w->options, out);
  if (rc != 0) return rc == 1 ? 0 : -1;
  *out = true;
  return tvmffi_is_container(p->a.type_index) ? begin_containers(w, p, region, out)
                                              : begin_object_pair(w, p, region, out);
}

/* ---- Children ---- */

/* Whether the key of an entry is not paired, but may be later, which changes the entry of b. */
static bool may_be_paired(const equal_walk *w, const TVMFFIAny *key) {
  TVMFFISEqHashKind kind;
  if (tvmffi_is_container(key->type_index)) return false;
  kind = tvmffi_structural_find_kind(key->type_index);
  return (kind == kTVMFFISEqHashKindFreeVar || kind == kTVMFFISEqHashKindDAGNode) &&
         find_partner(&w->pairs.a_to_b, key->v_obj) == NULL;
}

/*
 * The next child of a and its counterpart in b, if there is one: 1, 0 after the last, or -1. Keys
 * of maps may have hooks, and getters of fields may be foreign code; then the pair is owned.
 */
static int next_entry_pair(equal_walk *w, equal_frame *top, structural_pair *p, bool *found) {
  TVMFFIObject *a = top->in_a.obj, *b = top->b;
  const tvmffi_map_pair *entry;
  const TVMFFIAny *counterpart;
  uint64_t position = top->in_a.position;
  if (position == TVMFFI_MAP_NONE || !tvmffi_map_has_at(a, position)) return 0;
  top->in_a.position = tvmffi_map_next(a, position);
  entry = tvmffi_map_at(a, position);
  p->key_a = entry->key;
  p->key_b = translate(&w->pairs.a_to_b, &p->key_a);
  p->a = entry->value;
  if (!tvmffi_plain_is_key(&p->key_a)) {
    own_equal_frames(w);
    p->is_owned = true;
    p->num_known = 2;
    if (may_be_paired(w, &p->key_a)) ++w->num_open_keys;
    (void)tvmffi_any_copy(&p->key_a);
    (void)tvmffi_any_copy(&p->a);
    p->b = tvmffi_any_none();
  }
  if (tvmffi_map_find(b, &p->key_b, &counterpart) != 0) return -1;
  *found = counterpart != NULL;
  if (*found) p->b = p->is_owned ? tvmffi_any_copy(counterpart) : *counterpart;
  return 1;
}

static int next_field(equal_walk *w, equal_frame *top, structural_pair *p) {
  TVMFFIObject *a = top->in_a.obj, *b = top->b;
  p->field = tvmffi_field_next_without(&top->in_a.fields, kTVMFFIFieldFlagBitMaskSEqHashIgnore);
  if (p->field == NULL) return 0;
  if (tvmffi_field_lend(p->field, a, &p->a)) {
    (void)tvmffi_field_lend(p->field, b, &p->b); /* cannot fail: the field is the same */
    return 1;
  }
  own_equal_frames(w);
  p->is_owned = true;
  p->num_known = 2;
  p->b = p->key_a = tvmffi_any_none();
  TVMFFI_TRY(tvmffi_field_get(p->field, a, &p->a));
  TVMFFI_TRY(tvmffi_field_get(p->field, b, &p->b));
  return 1;
}

static int next_pair(equal_walk *w, structural_pair *p, bool *found) {
  equal_frame *top = top_equal(w);
  TVMFFIObject *a = top->in_a.obj, *b = top->b;
  int64_t i;
  *found = true;
  p->is_owned = p->is_shared = false;
  p->num_known = 1;
  p->field = NULL;
  if (tvmffi_is_map(a->type_index)) return next_entry_pair(w, top, p, found);
  if (!tvmffi_is_sequence(a->type_index)) return next_field(w, top, p);
  i = (int64_t)top->in_a.position;
  if (i >= tvmffi_array_size(a)) return 0;
  ++top->in_a.position;
  p->a = tvmffi_array_items(a)[i];
  *found = i < tvmffi_array_size(b);
  if (*found) p->b = tvmffi_array_items(b)[i];
  return 1;
}

TVMFFI_COLD static int note_step(equal_walk *w, const structural_pair *p, bool found) {
  static const int32_t kMissing = kTvmffiStepArrayItemMissing - kTvmffiStepArrayItem;
  const equal_frame *top = top_equal(w);
  TVMFFIAny key;
  if (p->field != NULL) return mismatch_step_field(w->mismatch, &p->field->name);
  if (tvmffi_is_map(top->b->type_index)) {
    mismatch_step(w->mismatch, kTvmffiStepMapItem, &p->key_a,
                  kTvmffiStepMapItem + (found ? 0 : kMissing), &p->key_b);
  } else {
    key = tvmffi_any_int((int64_t)top->in_a.position - 1);
    mismatch_step(w->mismatch, kTvmffiStepArrayItem, &key,
                  kTvmffiStepArrayItem + (found ? 0 : kMissing), &key);
  }
  return 0;
}

/* Notes an entry of b that has none in a; there is one, because b has more entries. */
TVMFFI_COLD static int find_extra_entry(equal_walk *w) {
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  int rc;
  own_equal_frames(w);
  tvmffi_child_first(&cursor, top_equal(w)->b);
  while ((rc = tvmffi_child_next(&cursor, &child)) == 1) {
    TVMFFIAny key = translate(&w->pairs.b_to_a, &child.key);
    const TVMFFIAny *found;
    rc = tvmffi_map_find(top_equal(w)->in_a.obj, &key, &found) == 0 ? 0 : -1;
    if (rc == 0 && found == NULL) {
      mismatch_step(w->mismatch, kTvmffiStepMapItemMissing, &key, kTvmffiStepMapItem, &child.key);
    }
    tvmffi_child_release(&child);
    if (rc < 0 || found == NULL) return rc;
  }
  return rc;
}

/* Whether b has no more children than a, all of whose children have been compared. */
static int compare_sizes(equal_walk *w, bool *out) {
  const equal_frame *top = top_equal(w);
  *out = true;
  if (tvmffi_is_sequence(top->b->type_index)) {
    TVMFFIAny size = tvmffi_any_int(tvmffi_array_size(top->in_a.obj));
    *out = size.v_int64 == tvmffi_array_size(top->b);
    if (!*out) {
      mismatch_step(w->mismatch, kTvmffiStepArrayItemMissing, &size, kTvmffiStepArrayItem, &size);
    }
  } else if (tvmffi_is_map(top->b->type_index)) {
    *out = tvmffi_map_size(top->in_a.obj) == tvmffi_map_size(top->b);
    if (!*out && w->mismatch != NULL) return find_extra_entry(w);
  }
  return 0;
}

/* Finishes two objects with equal content. Variables must also be the same, or defined here. */
static int accept(equal_walk *w, bool *out) {
  const equal_frame *top = top_equal(w);
  TVMFFIObject *a = top->in_a.obj, *b = top->b;
  if (top->kind == kTVMFFISEqHashKindFreeVar) {
    *out = a == b || top->region != kTVMFFIDefRegionKindNone;
  }
  if (*out && (top->kind == kTVMFFISEqHashKindFreeVar || top->kind == kTVMFFISEqHashKindDAGNode)) {
    TVMFFI_TRY(pair_up(&w->pairs, a, b));
  }
  if (*out) {
    TVMFFI_TRY(remember_equal(w));
    pop_equal(w);
  }
  return 0;
}

/* Compares the next children of the top frame, or finishes it. */
static int compare_next_structures(equal_walk *w, bool *out) {
  int32_t region = top_equal(w)->child_region;
  structural_pair p;
  int rc;
  if (top_equal(w)->is_hooked) return accept(w, out);
  mismatch_step_back(w->mismatch); /* may release a key, so before the pair is borrowed */
  do {
    rc = next_pair(w, &p, out);
  } while (rc == 1 && *out && !p.is_owned && p.a.type_index < kTVMFFIStaticObjectBegin &&
           tvmffi_any_key_is_same(&p.a, &p.b));
  if (rc == 0) {
    TVMFFI_TRY(compare_sizes(w, out));
    return *out ? accept(w, out) : 0;
  }
  if (rc == 1) rc = w->mismatch != NULL ? note_step(w, &p, *out) : 0;
  if (rc == 0 && *out) {
    if (p.field != NULL) region = tvmffi_region_of_field(region, p.field);
    rc = begin_pair(w, &p, region, out);
  }
  if (p.is_owned) release_structural_pair(&p);
  return rc;
}

static int compare_structures(equal_walk *w, const TVMFFIAny values[2], int32_t region, bool *out) {
  size_t base = w->frames.size;
  structural_pair lent = {values[0], values[1], values[0], values[1], NULL, false, 2, false};
  int rc = begin_pair(w, &lent, region, out);
  while (rc == 0 && *out && w->frames.size > base) rc = compare_next_structures(w, out);
  if (rc == 0 && !*out) rc = mismatch_note(w->mismatch);
  while (w->frames.size > base) pop_equal(w);
  return rc;
}

/* tvmffi_structural_equal of equal.c, with a record of the difference. */
static int equal_run(const TVMFFIAny *a, const TVMFFIAny *b, tvmffi_structural_options options,
                     tvmffi_mismatch *mismatch, bool *out) {
  int32_t region = options.map_free_vars ? kTVMFFIDefRegionKindPattern : kTVMFFIDefRegionKindNone;
  TVMFFIAny values[2];
  equal_walk w;
  int rc = -1;
  memset(&w, 0, sizeof w);
  w.options = options;
  w.mismatch = mismatch;
  tvmffi_stack_init(&w.frames, sizeof(equal_frame));
  if (own_both(a, b, values) == 0) {
    rc = compare_structures(&w, values, region, out);
    release_both(values);
  }
  tvmffi_object_release(w.function);
  tvmffi_walk_release_objects(&w.pairs.a_to_b);
  tvmffi_pointer_map_fini(&w.pairs.b_to_a);
  tvmffi_walk_release_keys(&w.equal);
  tvmffi_stack_fini(&w.frames);
  return rc;
}

int tvmffi_structural_equal(const TVMFFIAny *a, const TVMFFIAny *b,
                            tvmffi_structural_options options, bool *out) {
  return equal_run(a, b, options, NULL, out);
}

int tvmffi_structural_mismatch(const TVMFFIAny *a, const TVMFFIAny *b,
                               tvmffi_structural_options options, TVMFFIAny *out) {
  tvmffi_mismatch m = {{NULL, sizeof(path_step), 0, 0}, NULL, NULL};
  bool is_equal;
  int rc = equal_run(a, b, options, &m, &is_equal);
  *out = tvmffi_any_none();
  if (rc == 0 && !is_equal) rc = take_paths(&m, out);
  mismatch_forget(&m);
  tvmffi_stack_fini(&m.steps);
  return rc;
}
