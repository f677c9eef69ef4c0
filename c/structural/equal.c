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
#include "core/type.h"
#include "platform/atomic.h"
#include "reflect/access_path.h"
#include "reflect/children.h"
#include "structural/structural.h"
#include "value/walk.h"

static const char kHook[] =
    "(0: ffi.Object, 1: ffi.Object, 2: (0: AnyView, 1: AnyView, 2: int, 3: AnyView) -> bool) -> "
    "bool";

/* Two objects that are being compared. */
typedef struct {
  TVMFFIObject *a, *b; /* owned */
  tvmffi_child_cursor in_a, in_b;
  TVMFFISEqHashKind kind;
  int32_t region;       /* around the objects */
  int32_t child_region; /* for what is in them */
  bool is_hooked;       /* a hook compares them, and nothing is done here */
  /* The way to the children at hand: kinds of steps, and an index, a field or two keys. */
  int32_t step_a, step_b;
  TVMFFIAny key_a, key_b;
} frame;

typedef struct {
  tvmffi_structural_options options;
  tvmffi_stack frames;
  tvmffi_pointer_map a_to_b, b_to_a; /* variables and nodes of graphs that are paired; owned */
  bool wants_paths;
  TVMFFIObject *path_a, *path_b;  /* to the first difference, once there is one */
  tvmffi_walk_function *function; /* what hooks get; made when there is one */
} walk;

/* ---- Kinds -------------------------------------------------------------------------------------
 */

TVMFFISEqHashKind tvmffi_structural_find_kind(int32_t type_index) {
  const tvmffi_type_record *record = tvmffi_type_find(type_index);
  const TVMFFITypeMetadata *metadata =
      record != NULL ? tvmffi_atomic_load_acquire_ptr(&record->info.metadata) : NULL;
  return metadata != NULL ? metadata->structural_eq_hash_kind : kTVMFFISEqHashKindUnsupported;
}

int tvmffi_structural_kind(int32_t type_index, TVMFFISEqHashKind *out) {
  const tvmffi_type_record *record = tvmffi_type_require(type_index);
  const TVMFFITypeMetadata *metadata;
  if (record == NULL) return -1;
  metadata = tvmffi_atomic_load_acquire_ptr(&record->info.metadata);
  if (metadata == NULL) {
    return tvmffi_fail("TypeError",
                       "Type metadata is not set for type `%s`, so StructuralHash is not supported "
                       "for this type",
                       record->key.data);
  }
  *out = metadata->structural_eq_hash_kind;
  if (*out != kTVMFFISEqHashKindUnsupported) return 0;
  return tvmffi_fail("TypeError",
                     "_type_s_eq_hash_kind is not set for type `%s`, so StructuralHash is not "
                     "supported for this type",
                     record->key.data);
}

/* ---- Paths -------------------------------------------------------------------------------------
 */

static int extend_path(TVMFFIObject **path, int32_t kind, const TVMFFIAny *key) {
  TVMFFIObject *step = tvmffi_access_step_new(kind, key), *longer = NULL;
  if (step == NULL) return -1;
  longer = tvmffi_access_path_extend(*path, step);
  tvmffi_object_release(step);
  if (longer == NULL) return -1;
  tvmffi_object_release(*path);
  *path = longer;
  return 0;
}

/* Notes where the walk is, unless a difference was noted before. */
static int note_paths(walk *w) {
  size_t i;
  int rc = 0;
  if (!w->wants_paths || w->path_a != NULL) return 0;
  w->path_a = tvmffi_access_path_root();
  w->path_b = tvmffi_access_path_root();
  if (w->path_a == NULL || w->path_b == NULL) return -1;
  for (i = 0; rc == 0 && i < w->frames.size; ++i) {
    const frame *at = tvmffi_stack_at(&w->frames, i);
    if (at->step_a < 0) continue; /* at no child */
    rc = extend_path(&w->path_a, at->step_a, &at->key_a);
    if (rc == 0) rc = extend_path(&w->path_b, at->step_b, &at->key_b);
  }
  return rc;
}

static void forget_paths(walk *w) {
  tvmffi_object_release(w->path_a);
  tvmffi_object_release(w->path_b);
  w->path_a = w->path_b = NULL;
}

static void clear_step(frame *at) {
  tvmffi_any_release(&at->key_a);
  tvmffi_any_release(&at->key_b);
  at->step_a = at->step_b = -1;
}

/* Both keys are taken. */
static void set_step(frame *at, int32_t step_a, TVMFFIAny key_a, int32_t step_b, TVMFFIAny key_b) {
  clear_step(at);
  at->step_a = step_a;
  at->step_b = step_b;
  at->key_a = key_a;
  at->key_b = key_b;
}

/* ---- Values that hold no others ----------------------------------------------------------------
 */

static bool get_content(const TVMFFIAny *value, TVMFFIByteArray *out) {
  switch (value->type_index) {
    case kTVMFFISmallStr:
    case kTVMFFISmallBytes:
      *out = TVMFFISmallBytesGetContentByteArray(value);
      return true;
    case kTVMFFIStr:
    case kTVMFFIBytes:
      *out = *TVMFFIBytesGetByteArrayPtr(value->v_obj);
      return true;
    case kTVMFFIBigInt:
      *out = TVMFFIBigIntGetContentByteArray(value);
      return true;
    default:
      return false;
  }
}

static bool equal_bytes(const void *a, size_t size_a, const void *b, size_t size_b) {
  return size_a == size_b && (size_a == 0 || memcmp(a, b, size_a) == 0);
}

static bool is_same(const TVMFFIAny *a, const TVMFFIAny *b) {
  if (tvmffi_any_key_is_same(a, b)) return true;
  return a->type_index == kTVMFFIFloat && a->v_float64 != a->v_float64 &&
         b->v_float64 != b->v_float64;
}

static int check_tensor(const DLTensor *tensor) {
  if (tensor->device.device_type != kDLCPU) {
    return tvmffi_fail("InternalError", "can only compare CPU tensor");
  }
  if (!tvmffi_tensor_is_contiguous(tensor)) {
    return tvmffi_fail("InternalError", "Can only compare contiguous tensor");
  }
  return 0;
}

static int equal_tensors(const walk *w, const DLTensor *a, const DLTensor *b, bool *out) {
  size_t size;
  *out = a->ndim == b->ndim && memcmp(&a->dtype, &b->dtype, sizeof a->dtype) == 0 &&
         equal_bytes(a->shape, (size_t)a->ndim * sizeof *a->shape, b->shape,
                     (size_t)b->ndim * sizeof *b->shape);
  if (!*out || w->options.skip_tensor_content) return 0;
  TVMFFI_TRY(check_tensor(a));
  TVMFFI_TRY(check_tensor(b));
  TVMFFI_TRY(tvmffi_tensor_data_size(a, &size));
  *out = equal_bytes((const char *)a->data + a->byte_offset, size,
                     (const char *)b->data + b->byte_offset, size);
  return 0;
}

/* ---- Pairs -------------------------------------------------------------------------------------
 */

static TVMFFIObject *find_partner(const tvmffi_pointer_map *map, const TVMFFIObject *obj) {
  const tvmffi_pointer_entry *entry = tvmffi_pointer_map_find(map, obj);
  return entry != NULL ? entry->value.pointer : NULL;
}

static int add_pair(walk *w, TVMFFIObject *a, TVMFFIObject *b) {
  tvmffi_pointer_entry *to_b = tvmffi_pointer_map_ensure(&w->a_to_b, a), *to_a;
  if (to_b == NULL) return tvmffi_fail_memory();
  if (to_b->value.pointer != NULL) return 0;
  to_a = tvmffi_pointer_map_ensure(&w->b_to_a, b);
  if (to_a == NULL) return tvmffi_fail_memory();
  tvmffi_object_retain(a);
  to_a->value.pointer = a;
  tvmffi_object_retain(b);
  to_b->value.pointer = b;
  return 0;
}

/* ---- Hooks -------------------------------------------------------------------------------------
 */

static int compare(walk *w, TVMFFIAny *a, TVMFFIAny *b, int32_t region, bool *out);

/* (a, b, kind of region, name of a field for the path) */
static int compare_for_hook(void *self, const TVMFFIAny *args, TVMFFIAny *result) {
  walk *w = self;
  frame *top = tvmffi_stack_top(&w->frames);
  TVMFFIAny name, values[2];
  TVMFFIByteArray text;
  bool is_equal = false;
  int rc = -1;
  values[0] = values[1] = tvmffi_any_none();
  if (w->wants_paths && !tvmffi_any_get_text(&args[3], &text)) {
    return tvmffi_any_fail_conversion(&args[3], "str");
  }
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[3], &name));
  set_step(top, kTvmffiStepAttr, name, kTvmffiStepAttr, tvmffi_any_copy(&name));
  if (TVMFFIAnyViewToOwnedAny(&args[0], &values[0]) == 0 &&
      TVMFFIAnyViewToOwnedAny(&args[1], &values[1]) == 0) {
    rc = compare(w, &values[0], &values[1],
                 tvmffi_region_enter(top->child_region, (int32_t)args[2].v_int64), &is_equal);
  }
  clear_step(tvmffi_stack_top(&w->frames));
  tvmffi_any_release(&values[0]);
  tvmffi_any_release(&values[1]);
  if (rc == 0) *result = tvmffi_any_bool(is_equal);
  return rc;
}

static int call_hook(walk *w, TVMFFIObject *hook, const frame *at, bool *out) {
  TVMFFIAny args[3], result;
  if (w->function == NULL) {
    w->function = tvmffi_walk_function_new("(0: AnyView, 1: AnyView, 2: int, 3: AnyView) -> bool",
                                           "aaia", compare_for_hook, w);
    if (w->function == NULL) return -1;
  }
  args[0] = tvmffi_any_object(at->a);
  args[1] = tvmffi_any_object(at->b);
  args[2] = tvmffi_any_object(w->function);
  TVMFFI_TRY(tvmffi_walk_call("ffi.StructuralEqual", hook, args, 3, &result));
  if (result.type_index != kTVMFFIBool && result.type_index != kTVMFFIInt) {
    (void)tvmffi_any_fail_conversion(&result, "bool");
    tvmffi_any_release(&result);
    return -1;
  }
  *out = result.v_int64 != 0;
  if (*out) forget_paths(w); /* what it found different does not count */
  return 0;
}

/* ---- Objects -----------------------------------------------------------------------------------
 */

/* Takes both values. */
static int push(walk *w, TVMFFIAny *a, TVMFFIAny *b, TVMFFISEqHashKind kind, int32_t region) {
  frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("ffi.StructuralEqual", w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  top->a = a->v_obj;
  top->b = b->v_obj;
  *a = *b = tvmffi_any_none();
  top->kind = kind;
  top->region = region;
  top->child_region = tvmffi_region_inside(region, kind);
  top->step_a = top->step_b = -1;
  tvmffi_child_first(&top->in_a, top->a);
  tvmffi_child_first(&top->in_b, top->b);
  return 0;
}

static void pop(walk *w) {
  frame *top = tvmffi_stack_top(&w->frames);
  TVMFFIObject *a = top->a, *b = top->b;
  clear_step(top);
  tvmffi_stack_pop(&w->frames);
  tvmffi_object_release(a);
  tvmffi_object_release(b);
}

/* Two different objects of one type with fields. */
static int begin_objects(walk *w, TVMFFIAny *value_a, TVMFFIAny *value_b, int32_t region,
                         bool *out) {
  TVMFFIObject *a = value_a->v_obj, *b = value_b->v_obj;
  TVMFFISEqHashKind kind;
  TVMFFIObject *hook;
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
      if (find_partner(&w->a_to_b, a) != NULL || find_partner(&w->b_to_a, b) != NULL) {
        *out = find_partner(&w->a_to_b, a) == b;
        return 0;
      }
      break;
    default:
      break;
  }
  TVMFFI_TRY(push(w, value_a, value_b, kind, region));
  TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrSEqual, a->type_index, kHook, &hook));
  if (hook == NULL) return 0;
  ((frame *)tvmffi_stack_top(&w->frames))->is_hooked = true;
  return call_hook(w, hook, tvmffi_stack_top(&w->frames), out);
}

/* Compares two owned values, or pushes them, taking them, and says that they are equal so far. */
static int begin(walk *w, TVMFFIAny *a, TVMFFIAny *b, int32_t region, bool *out) {
  TVMFFIByteArray in_a, in_b;
  *out = false;
  if (a->type_index != b->type_index && !tvmffi_any_key_may_equal(a, b)) return 0;
  if (get_content(a, &in_a) && get_content(b, &in_b)) {
    *out = equal_bytes(in_a.data, in_a.size, in_b.data, in_b.size);
    return 0;
  }
  *out = true;
  switch (a->type_index) {
    case kTVMFFIShape: {
      const TVMFFIShapeCell *x = TVMFFIShapeGetCellPtr(a->v_obj),
                            *y = TVMFFIShapeGetCellPtr(b->v_obj);
      *out = equal_bytes(x->data, x->size * sizeof *x->data, y->data, y->size * sizeof *y->data);
      return 0;
    }
    case kTVMFFITensor:
      if (a->v_obj == b->v_obj) return 0;
      return equal_tensors(w, TVMFFITensorGetDLTensorPtr(a->v_obj),
                           TVMFFITensorGetDLTensorPtr(b->v_obj), out);
    case kTVMFFIArray:
    case kTVMFFIList:
      if (!w->wants_paths && tvmffi_array_size(a->v_obj) != tvmffi_array_size(b->v_obj)) {
        *out = false;
        return 0;
      }
      return push(w, a, b, kTVMFFISEqHashKindTreeNode, region);
    case kTVMFFIMap:
    case kTVMFFIDict:
      if (!w->wants_paths && tvmffi_map_size(a->v_obj) != tvmffi_map_size(b->v_obj)) {
        *out = false;
        return 0;
      }
      return push(w, a, b, kTVMFFISEqHashKindTreeNode, region);
    default:
      if (a->type_index >= kTVMFFIStaticObjectBegin) {
        return begin_objects(w, a, b, region, out);
      }
      *out = is_same(a, b);
      return 0;
  }
}

/* ---- Children ----------------------------------------------------------------------------------
 */

static int compare_element(walk *w, frame *top, tvmffi_child *child, bool *out) {
  tvmffi_child other;
  int rc = tvmffi_child_next(&top->in_b, &other);
  TVMFFIAny index = tvmffi_any_int(child->index);
  if (rc < 0) return -1;
  *out = rc == 1;
  if (w->wants_paths) {
    set_step(top, kTvmffiStepArrayItem, index,
             rc == 1 ? kTvmffiStepArrayItem : kTvmffiStepArrayItemMissing, index);
  }
  if (rc == 0) return 0;
  rc = begin(w, &child->value, &other.value, top->child_region, out);
  tvmffi_child_release(&other);
  return rc;
}

static int compare_field(walk *w, frame *top, tvmffi_child *child, bool *out) {
  tvmffi_child other;
  TVMFFIAny name = tvmffi_any_none(), again = tvmffi_any_none();
  int rc = tvmffi_child_next(&top->in_b, &other);
  if (rc != 1) return -1; /* its type has the same fields */
  *out = true;
  if (!(child->field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore)) {
    if (w->wants_paths) {
      rc = TVMFFIStringFromByteArray(&child->field->name, &name) == 0 ? 1 : -1;
      again = tvmffi_any_copy(&name);
      set_step(top, kTvmffiStepAttr, name, kTvmffiStepAttr, again);
    }
    if (rc == 1) {
      rc = begin(w, &child->value, &other.value,
                 tvmffi_region_of_field(top->child_region, child->field), out);
    }
  } else {
    rc = 0;
  }
  tvmffi_child_release(&other);
  return rc;
}

/* The value under the same key, or under the key's partner where keys are variables. */
static int compare_entry(walk *w, frame *top, tvmffi_child *child, bool *out) {
  TVMFFIObject *partner = child->key.type_index >= kTVMFFIStaticObjectBegin
                              ? find_partner(&w->a_to_b, child->key.v_obj)
                              : NULL;
  TVMFFIAny key = partner != NULL ? tvmffi_any_object(partner) : child->key, other;
  const TVMFFIAny *found;
  int rc;
  *out = false;
  if (tvmffi_map_find(top->b, &key, &found) != 0) return -1;
  if (w->wants_paths) {
    set_step(top, kTvmffiStepMapItem, tvmffi_any_copy(&child->key),
             found != NULL ? kTvmffiStepMapItem : kTvmffiStepMapItemMissing, tvmffi_any_copy(&key));
  }
  if (found == NULL) return 0;
  other = tvmffi_any_copy(found);
  rc = begin(w, &child->value, &other, top->child_region, out);
  tvmffi_any_release(&other);
  return rc;
}

/* An entry of b without one in a: there is one when there are more of them. */
static int find_extra_entry(walk *w, frame *top) {
  tvmffi_child child;
  int rc;
  while ((rc = tvmffi_child_next(&top->in_b, &child)) == 1) {
    TVMFFIObject *partner = child.key.type_index >= kTVMFFIStaticObjectBegin
                                ? find_partner(&w->b_to_a, child.key.v_obj)
                                : NULL;
    TVMFFIAny key = partner != NULL ? tvmffi_any_object(partner) : child.key;
    const TVMFFIAny *found;
    rc = tvmffi_map_find(top->a, &key, &found) == 0 ? 0 : -1;
    if (rc == 0 && found == NULL) {
      set_step(top, kTvmffiStepMapItemMissing, tvmffi_any_copy(&key), kTvmffiStepMapItem,
               tvmffi_any_copy(&child.key));
    }
    tvmffi_child_release(&child);
    if (rc < 0 || found == NULL) return rc;
  }
  return rc;
}

/* What is left when all of a's children have been compared. */
static int end_of(walk *w, frame *top, bool *out) {
  *out = true;
  if (top->is_hooked) return 0;
  clear_step(top);
  if (tvmffi_is_sequence(top->a->type_index)) {
    int64_t size = tvmffi_array_size(top->a);
    *out = size == tvmffi_array_size(top->b);
    if (!*out) {
      set_step(top, kTvmffiStepArrayItemMissing, tvmffi_any_int(size), kTvmffiStepArrayItem,
               tvmffi_any_int(size));
    }
  } else if (tvmffi_is_map(top->a->type_index)) {
    *out = tvmffi_map_size(top->a) == tvmffi_map_size(top->b);
    if (!*out) return find_extra_entry(w, top);
  }
  return 0;
}

/* Objects that turned out to be equal: variables must be definitions, or one and the same. */
static int accept(walk *w, const frame *top, bool *out) {
  *out = true;
  switch (top->kind) {
    case kTVMFFISEqHashKindFreeVar:
      *out = top->a == top->b || top->region != kTVMFFIDefRegionKindNone;
      return *out ? add_pair(w, top->a, top->b) : 0;
    case kTVMFFISEqHashKindDAGNode:
      return add_pair(w, top->a, top->b);
    default:
      return 0;
  }
}

static int compare_next(walk *w, bool *out) {
  frame *top = tvmffi_stack_top(&w->frames);
  tvmffi_child child;
  int rc = top->is_hooked ? 0 : tvmffi_child_next(&top->in_a, &child);
  if (rc < 0) return -1;
  if (rc == 0) {
    TVMFFI_TRY(end_of(w, top, out));
    if (!*out) return 0;
    clear_step(top);
    TVMFFI_TRY(accept(w, top, out));
    if (*out) pop(w);
    return 0;
  }
  if (child.field != NULL) {
    rc = compare_field(w, top, &child, out);
  } else {
    rc = tvmffi_is_map(top->a->type_index) ? compare_entry(w, top, &child, out)
                                           : compare_element(w, top, &child, out);
  }
  tvmffi_child_release(&child);
  return rc;
}

static int compare(walk *w, TVMFFIAny *a, TVMFFIAny *b, int32_t region, bool *out) {
  size_t base = w->frames.size;
  int rc = begin(w, a, b, region, out);
  while (rc == 0 && *out && w->frames.size > base) rc = compare_next(w, out);
  if (rc == 0 && !*out) rc = note_paths(w);
  while (w->frames.size > base) pop(w);
  return rc;
}

/* ---- From outside ------------------------------------------------------------------------------
 */

static void release_pairs(tvmffi_pointer_map *map) {
  size_t i;
  for (i = 0; i < map->capacity; ++i) {
    if (map->slots[i].key != NULL) tvmffi_object_release(map->slots[i].value.pointer);
  }
  tvmffi_pointer_map_fini(map);
}

static int run(walk *w, const TVMFFIAny *a, const TVMFFIAny *b, bool *out) {
  TVMFFIAny values[2];
  int rc = -1;
  values[0] = values[1] = tvmffi_any_none();
  tvmffi_stack_init(&w->frames, sizeof(frame));
  if (TVMFFIAnyViewToOwnedAny(a, &values[0]) == 0 && TVMFFIAnyViewToOwnedAny(b, &values[1]) == 0) {
    int32_t region =
        w->options.map_free_vars ? kTVMFFIDefRegionKindPattern : kTVMFFIDefRegionKindNone;
    rc = compare(w, &values[0], &values[1], region, out);
  }
  tvmffi_walk_function_end(w->function);
  release_pairs(&w->a_to_b);
  release_pairs(&w->b_to_a);
  tvmffi_stack_fini(&w->frames);
  tvmffi_any_release(&values[0]);
  tvmffi_any_release(&values[1]);
  return rc;
}

int tvmffi_structural_equal(const TVMFFIAny *a, const TVMFFIAny *b,
                            tvmffi_structural_options options, bool *out) {
  walk w;
  memset(&w, 0, sizeof w);
  w.options = options;
  return run(&w, a, b, out);
}

int tvmffi_structural_mismatch(const TVMFFIAny *a, const TVMFFIAny *b,
                               tvmffi_structural_options options, TVMFFIAny *out) {
  walk w;
  bool is_equal;
  TVMFFIObject *paths = NULL;
  int rc;
  memset(&w, 0, sizeof w);
  w.options = options;
  w.wants_paths = true;
  *out = tvmffi_any_none();
  rc = run(&w, a, b, &is_equal);
  if (rc == 0 && !is_equal) {
    paths = tvmffi_array_new(2);
    if (paths == NULL) {
      rc = tvmffi_fail_memory();
    } else {
      tvmffi_array_items(paths)[0] = tvmffi_any_object(w.path_a);
      tvmffi_array_items(paths)[1] = tvmffi_any_object(w.path_b);
      TVMFFISeqGetCellPtr(paths)->size = 2;
      w.path_a = w.path_b = NULL;
      *out = tvmffi_any_object(paths);
    }
  }
  forget_paths(&w);
  return rc;
}
