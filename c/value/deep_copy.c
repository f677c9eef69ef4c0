/* SPDX-License-Identifier: Apache-2.0 */
#include "value/deep_copy.h"

#include "base/pointer_map.h"
#include "base/stack.h"
#include "container/any_key.h"
#include "container/array.h"
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/type.h"
#include "reflect/children.h"
#include "value/walk.h"

/* An object that is being copied. Its copy is there from the start, and filled as the walk goes. */
typedef struct {
  TVMFFIObject *from; /* both lent by the map of copies */
  TVMFFIObject *copy;
  tvmffi_child_cursor cursor;
  tvmffi_child child; /* the one at hand */
  TVMFFIAny key;      /* of a map: the copy of the child's key */
  bool has_child, has_key;
} frame;

typedef struct {
  tvmffi_stack frames;
  /* Of each object met, owned; and so is the object: what holds it may be changed meanwhile. */
  tvmffi_pointer_map copies;
} walk;

/* ---- What is copied how ------------------------------------------------------------------------
 */

/* Values that are their own copies. */
static bool is_atom(const TVMFFIAny *value) {
  switch (value->type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIShape:
    case kTVMFFIBigInt:
      return true;
    default:
      return value->type_index < kTVMFFIStaticObjectBegin ||
             tvmffi_type_is_instance(value->type_index, kTvmffiEnum);
  }
}

static int copy_shallowly(TVMFFIObject *from, TVMFFIObject **out) {
  const TVMFFIAny *copy = tvmffi_reflect_find_attr(kTvmffiAttrShallowCopy, from->type_index);
  TVMFFIAny self = tvmffi_any_object(from), result;
  if (copy == NULL || copy->type_index != kTVMFFIFunction) {
    return tvmffi_fail("InternalError",
                       "Check failed: (copy_fn.has_value()) is false: Cannot deep copy object of "
                       "type \"%s\" because it is not copy-constructible",
                       tvmffi_type_key(from->type_index));
  }
  TVMFFI_TRY(tvmffi_function_call(copy->v_obj, &self, 1, &result));
  if (result.type_index != from->type_index) {
    (void)tvmffi_any_fail_conversion(&result, tvmffi_type_key(from->type_index));
    tvmffi_any_release(&result);
    return -1;
  }
  *out = result.v_obj;
  return 0;
}

/* What a copy is before its children are put in: containers are empty, with room for all. */
static int begin_copy(TVMFFIObject *from, TVMFFIObject **out) {
  switch (from->type_index) {
    case kTVMFFIArray:
      *out = tvmffi_array_new(tvmffi_array_size(from));
      break;
    case kTVMFFIList:
      *out = tvmffi_list_new(tvmffi_array_size(from));
      return *out != NULL ? 0 : -1;
    case kTVMFFIMap:
    case kTVMFFIDict:
      *out = tvmffi_map_new_for(from->type_index, tvmffi_map_size(from));
      break;
    default:
      return copy_shallowly(from, out);
  }
  return *out != NULL ? 0 : tvmffi_fail_memory();
}

/* ---- The walk ----------------------------------------------------------------------------------
 */

static int push(walk *w, TVMFFIObject *from) {
  TVMFFIObject *copy;
  tvmffi_pointer_entry *entry;
  frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("ObjectGraphDFS", w->frames.size));
  TVMFFI_TRY(begin_copy(from, &copy));
  entry = tvmffi_pointer_map_ensure(&w->copies, from);
  if (entry == NULL) {
    tvmffi_object_release(copy);
    return tvmffi_fail_memory();
  }
  entry->value.pointer = copy;
  tvmffi_object_retain(from);
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  top->from = from;
  top->copy = copy;
  tvmffi_child_first(&top->cursor, from);
  return 0;
}

/* 1 and an owned copy, or 0 after pushing what is to be copied first, or -1. */
static int resolve(walk *w, const TVMFFIAny *value, TVMFFIAny *out) {
  const tvmffi_pointer_entry *entry;
  if (is_atom(value)) {
    *out = tvmffi_any_copy(value);
    return 1;
  }
  entry = tvmffi_pointer_map_find(&w->copies, value->v_obj);
  if (entry == NULL) return push(w, value->v_obj) == 0 ? 0 : -1;
  tvmffi_object_retain(entry->value.pointer);
  *out = tvmffi_any_object(entry->value.pointer);
  return 1;
}

static int add_to_map(frame *at, TVMFFIAny *value) {
  int rc = tvmffi_map_insert(&at->copy, &at->key, value);
  if (rc == 0) {
    at->key = *value = tvmffi_any_none();
    return 0;
  }
  return rc == kTvmffiRaised ? -1 : tvmffi_fail_memory();
}

/* An Array in the making has no other owner than the walk's, and room: it is never replaced. */
static int add_to_array(frame *at, TVMFFIAny *value) {
  TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(at->copy);
  ((TVMFFIAny *)cell->data)[cell->size++] = *value;
  *value = tvmffi_any_none();
  return 0;
}

/* Puts the copy of a child in its place; *value is None when it was taken. */
static int place(frame *at, TVMFFIAny *value) {
  const TVMFFIAny *old = &at->child.value;
  switch (at->from->type_index) {
    case kTVMFFIArray:
      return add_to_array(at, value);
    case kTVMFFIList:
      TVMFFI_TRY(tvmffi_list_append(at->copy, value));
      *value = tvmffi_any_none();
      return 0;
    case kTVMFFIMap:
    case kTVMFFIDict:
      return add_to_map(at, value);
    default:
      if (value->type_index == old->type_index && value->v_uint64 == old->v_uint64) return 0;
      return tvmffi_field_set(at->child.field, at->copy, value);
  }
}

/* Goes on with the child at hand: 1 when it is done, 0 when something was pushed, -1. */
static int copy_child(walk *w) {
  frame *at = tvmffi_stack_top(&w->frames);
  bool is_map = tvmffi_is_map(at->from->type_index);
  TVMFFIAny value;
  int rc;
  if (is_map && !at->has_key) {
    TVMFFIAny key;
    rc = resolve(w, &at->child.key, &key);
    if (rc != 1) return rc;
    at->key = key;
    at->has_key = true;
  }
  rc = resolve(w, &at->child.value, &value);
  if (rc != 1) return rc;
  rc = place(at, &value);
  tvmffi_any_release(&value);
  if (rc != 0) return -1;
  tvmffi_child_release(&at->child);
  at->has_child = at->has_key = false;
  return 1;
}

static void pop(walk *w) {
  frame *top = tvmffi_stack_top(&w->frames);
  if (top->has_child) tvmffi_child_release(&top->child);
  tvmffi_any_release(&top->key);
  tvmffi_stack_pop(&w->frames);
}

static int run(walk *w) {
  frame *top;
  while ((top = tvmffi_stack_top(&w->frames)) != NULL) {
    if (!top->has_child) {
      int rc = tvmffi_child_next(&top->cursor, &top->child);
      if (rc < 0) return -1;
      if (rc == 0) {
        pop(w);
        continue;
      }
      top->has_child = true;
    }
    if (copy_child(w) < 0) return -1;
  }
  return 0;
}

int tvmffi_deep_copy(const TVMFFIAny *value, TVMFFIAny *out) {
  TVMFFIAny root;
  walk w = {{NULL, sizeof(frame), 0, 0}, {NULL, 0, 0}};
  size_t i;
  int rc;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(value, &root));
  rc = resolve(&w, &root, out);
  if (rc == 0) {
    rc = run(&w);
    if (rc == 0) rc = resolve(&w, &root, out) == 1 ? 0 : -1;
  } else if (rc == 1) {
    rc = 0;
  }
  while (w.frames.size != 0) pop(&w);
  tvmffi_stack_fini(&w.frames);
  for (i = 0; i < w.copies.capacity; ++i) {
    if (w.copies.slots[i].key != NULL) tvmffi_object_release(w.copies.slots[i].value.pointer);
  }
  tvmffi_walk_release_keys(&w.copies);
  tvmffi_any_release(&root);
  return rc;
}
