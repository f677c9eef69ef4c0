/* SPDX-License-Identifier: Apache-2.0 */
#include "dataclass/dataclass.h"

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
#include "reflect/builtin_objects.h"
#include "reflect/walk.h"

/*
 * An object that is being copied. Its copy exists from the start and is filled as the walk goes on.
 */
typedef struct {
  tvmffi_child_cursor cursor; /* owns its object, whose container may change meanwhile */
  TVMFFIObject *copy;         /* owned, or lent by the walk's copies */
  bool may_recur;             /* the object may be met again, so the copy is lent */
  bool has_key;
  const TVMFFIFieldInfo *field; /* of the current child, if it is in a field */
  TVMFFIAny key;                /* the copy of the key of a map's entry */
  TVMFFIAny value;              /* the value of that entry, to be copied next */
} copy_frame;

typedef struct {
  tvmffi_stack frames;
  tvmffi_pointer_map copies; /* of objects that may be met again; both are owned */
} copy_walk;

/* ---- How types are copied ---- */

/* Values whose copy is the value itself. */
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

static int copy_shallowly(TVMFFIObject *source, TVMFFIObject **out) {
  const TVMFFIAny *copy = tvmffi_type_find_attr(kTvmffiAttrShallowCopy, source->type_index);
  TVMFFIAny self = tvmffi_any_object(source), result;
  if (copy == NULL || copy->type_index != kTVMFFIFunction) {
    return tvmffi_fail("InternalError",
                       "Check failed: (copy_fn.has_value()) is false: Cannot deep copy object of "
                       "type \"%s\" because it is not copy-constructible",
                       tvmffi_type_key(source->type_index));
  }
  TVMFFI_TRY(tvmffi_function_call_foreign(copy->v_obj, &self, 1, &result));
  if (result.type_index != source->type_index) {
    return tvmffi_any_refuse(&result, tvmffi_type_key(source->type_index));
  }
  *out = result.v_obj;
  return 0;
}

/* Makes a copy without children: containers are empty, with room for all of them. */
static int begin_copy(TVMFFIObject *source, TVMFFIObject **out) {
  switch (source->type_index) {
    case kTVMFFIArray:
      *out = tvmffi_array_new(tvmffi_array_size(source));
      break;
    case kTVMFFIList:
      *out = tvmffi_list_new(tvmffi_array_size(source));
      return *out != NULL ? 0 : -1;
    case kTVMFFIMap:
    case kTVMFFIDict:
      *out = tvmffi_map_new_for(source->type_index, tvmffi_map_size(source));
      break;
    default:
      return copy_shallowly(source, out);
  }
  return *out != NULL ? 0 : tvmffi_fail_memory();
}

/* ---- The walk ---- */

static copy_frame *top_copy(const copy_walk *w) {
  return tvmffi_stack_top(&w->frames);
}

/* Remembers the copy of an object. Takes the copy on success. */
static int keep_copy(copy_walk *w, TVMFFIObject *source, TVMFFIObject *copy) {
  tvmffi_pointer_entry *entry = tvmffi_pointer_map_ensure(&w->copies, source);
  if (entry == NULL) return tvmffi_fail_memory();
  entry->value.pointer = copy;
  tvmffi_object_retain(source);
  return 0;
}

/* Starts copying an object. Takes the value on success. */
static int push_copy(copy_walk *w, TVMFFIAny *value, bool may_recur) {
  TVMFFIObject *source = value->v_obj, *copy = NULL;
  copy_frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("ObjectGraphDFS", w->frames.size));
  TVMFFI_TRY(begin_copy(source, &copy));
  if (may_recur && keep_copy(w, source, copy) != 0) {
    tvmffi_object_release(copy);
    return -1;
  }
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) {
    if (!may_recur) tvmffi_object_release(copy);
    return tvmffi_fail_memory();
  }
  *value = tvmffi_any_none();
  tvmffi_child_first(&top->cursor, source);
  top->copy = copy;
  top->may_recur = may_recur;
  return 0;
}

/* Pops a frame of a walk that failed. */
TVMFFI_COLD static void drop_top(copy_walk *w) {
  copy_frame gone = *top_copy(w);
  tvmffi_stack_pop(&w->frames);
  if (!gone.may_recur) tvmffi_object_release(gone.copy);
  tvmffi_object_release(gone.cursor.obj);
  tvmffi_any_release(&gone.key);
  tvmffi_any_release(&gone.value);
}

/*
 * 1 and an owned copy of an owned value, 0 after pushing the object to be copied first, or -1. An
 * object that has no owners but the known ones cannot be met again.
 */
static int resolve(copy_walk *w, TVMFFIAny *value, uint32_t known_owners, TVMFFIAny *out) {
  const tvmffi_pointer_entry *entry = NULL;
  bool may_recur;
  if (is_atom(value)) {
    *out = tvmffi_any_copy(value);
    return 1;
  }
  may_recur = tvmffi_object_use_count(value->v_obj) > known_owners;
  if (may_recur) entry = tvmffi_pointer_map_find(&w->copies, value->v_obj);
  if (entry == NULL) return push_copy(w, value, may_recur);
  tvmffi_object_retain(entry->value.pointer);
  *out = tvmffi_any_object(entry->value.pointer);
  return 1;
}

/*
 * The next value to be copied, owned; in maps, keys and values alternate. 1, 0 at the end, or -1.
 */
static int next_to_copy(copy_frame *top, TVMFFIAny *out) {
  tvmffi_child child;
  int rc;
  if (top->has_key) {
    *out = top->value;
    top->value = tvmffi_any_none();
    return 1;
  }
  rc = tvmffi_child_next(&top->cursor, &child);
  if (rc != 1) return rc;
  *out = child.value;
  top->field = child.field;
  if (tvmffi_is_map(top->copy->type_index)) {
    *out = child.key;
    top->value = child.value;
  }
  return 1;
}

/*
 * How many references to a child are accounted for: one of the walk, one of the container or object
 * that it was found in, and one of the same field in the shallow copy. A value from a foreign
 * getter need not be owned by the object.
 */
static uint32_t count_known_owners(const copy_frame *top, const TVMFFIAny *value) {
  TVMFFIAny stored, copied;
  if (top->field == NULL) return 2;
  if (!tvmffi_field_lend(top->field, top->cursor.obj, &stored)) return 1;
  return top->copy != top->cursor.obj && tvmffi_field_lend(top->field, top->copy, &copied) &&
                 tvmffi_any_key_is_same(&copied, value)
             ? 3
             : 2;
}

static int add_to_map(copy_frame *top, TVMFFIAny *value) {
  int rc;
  if (!top->has_key) {
    top->key = *value;
    top->has_key = true;
  } else {
    rc = tvmffi_map_insert(&top->copy, &top->key, value);
    if (rc != 0) return tvmffi_map_fail(rc);
    top->key = tvmffi_any_none();
    top->has_key = false;
  }
  *value = tvmffi_any_none();
  return 0;
}

/* The Array is owned only by the walk and has room for all elements, so it is never replaced. */
static int add_to_array(copy_frame *top, TVMFFIAny *value) {
  TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(top->copy);
  ((TVMFFIAny *)cell->data)[cell->size++] = *value;
  *value = tvmffi_any_none();
  return 0;
}

/* Stores the copy of a value; *copied is None if it was taken. */
static int place_copy(copy_frame *top, const TVMFFIAny *value, TVMFFIAny *copied) {
  switch (top->copy->type_index) {
    case kTVMFFIArray:
      return add_to_array(top, copied);
    case kTVMFFIList:
      TVMFFI_TRY(tvmffi_list_append(top->copy, copied));
      *copied = tvmffi_any_none();
      return 0;
    case kTVMFFIMap:
    case kTVMFFIDict:
      return add_to_map(top, copied);
    default:
      if (tvmffi_any_key_is_same(value, copied)) return 0;
      return tvmffi_field_set(top->field, top->copy, copied);
  }
}

/* Pops the top frame and passes on its object and the copy, both owned. */
static void finish_copy(copy_walk *w, TVMFFIAny *value, TVMFFIAny *copied) {
  const copy_frame *top = top_copy(w);
  *value = tvmffi_any_object(top->cursor.obj);
  *copied = tvmffi_any_object(top->copy);
  if (top->may_recur) tvmffi_object_retain(top->copy);
  tvmffi_stack_pop(&w->frames);
}

/* Continues with the top frame: 0, 1 with the finished copy in *out, or -1. */
static int copy_next(copy_walk *w, TVMFFIAny *out) {
  copy_frame *top = top_copy(w);
  TVMFFIAny value, copied;
  int rc = next_to_copy(top, &value);
  if (rc < 0) return -1;
  if (rc == 0) {
    finish_copy(w, &value, &copied);
    if (w->frames.size == 0) {
      tvmffi_any_release(&value);
      *out = copied;
      return 1;
    }
  } else {
    rc = resolve(w, &value, count_known_owners(top, &value), &copied);
    if (rc != 1) {
      tvmffi_any_release(&value);
      return rc;
    }
  }
  rc = place_copy(top_copy(w), &value, &copied);
  tvmffi_any_release(&copied);
  tvmffi_any_release(&value);
  return rc;
}

int tvmffi_deep_copy(const TVMFFIAny *value, TVMFFIAny *out) {
  TVMFFIAny root;
  copy_walk w = {{NULL, sizeof(copy_frame), 0, 0}, {NULL, 0, 0}};
  int rc;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(value, &root));
  rc = resolve(&w, &root, 0, out); /* no known owners: only a cycle may own the root */
  while (rc == 0) rc = copy_next(&w, out);
  while (w.frames.size != 0) drop_top(&w);
  tvmffi_stack_fini(&w.frames);
  tvmffi_walk_release_objects(&w.copies);
  tvmffi_any_release(&root);
  return rc == 1 ? 0 : -1;
}
