/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/rewrite.h"

#include "container/array.h"
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/type.h"
#include "reflect/objects.h"
#include "reflect/walk.h"
#include "structural/outcome.h"

static bool is_same(const TVMFFIAny *a, const TVMFFIAny *b) {
  return a->type_index == b->type_index && a->zero_padding == b->zero_padding &&
         a->v_uint64 == b->v_uint64;
}

/* ---- Copies ---- */

static int copy_object(TVMFFIObject *obj, TVMFFIObject **out) {
  const TVMFFIAny *copy = tvmffi_type_find_attr(kTvmffiAttrShallowCopy, obj->type_index);
  TVMFFIAny self = tvmffi_any_object(obj), result;
  int32_t type_index = obj->type_index; /* the object may be gone after the call */
  if (copy == NULL || copy->type_index != kTVMFFIFunction) {
    return tvmffi_fail("TypeError", "__ffi_shallow_copy__ must be an ffi.Function");
  }
  TVMFFI_TRY(tvmffi_walk_call("__ffi_shallow_copy__", copy->v_obj, &self, 1, &result));
  if (result.type_index != type_index || result.v_obj == obj) {
    tvmffi_any_release(&result);
    return tvmffi_fail("TypeError",
                       "Shallow copy callback must return a distinct object with the same type as "
                       "its input");
  }
  *out = result.v_obj;
  return 0;
}

/* Adds an element, which is taken on success, to the copy of a sequence. */
static int add(tvmffi_rewrite *rewrite, const TVMFFIAny *value) {
  if (rewrite->copy->type_index == kTVMFFIList) return tvmffi_list_append(rewrite->copy, value);
  return tvmffi_array_append(&rewrite->copy, value) == 0 ? 0 : tvmffi_fail_memory();
}

static TVMFFIObject *new_sequence(TVMFFIObject *source) {
  TVMFFIObject *made;
  if (source->type_index == kTVMFFIList) return tvmffi_list_new(tvmffi_array_size(source));
  made = tvmffi_array_new(tvmffi_array_size(source));
  if (made == NULL) tvmffi_error_raise_memory();
  return made;
}

/* Copies a sequence up to the current child. It may have become shorter by foreign code. */
static int copy_passed(tvmffi_rewrite *rewrite) {
  TVMFFIObject *seq = rewrite->cursor.obj;
  int64_t i;
  rewrite->copy = new_sequence(seq);
  if (rewrite->copy == NULL) return -1;
  for (i = 0; i < (int64_t)rewrite->position && i < tvmffi_array_size(seq); ++i) {
    TVMFFIAny value = tvmffi_any_copy(&tvmffi_array_items(seq)[i]);
    if (add(rewrite, &value) == 0) continue;
    tvmffi_any_release(&value);
    return -1;
  }
  return 0;
}

/* Copies a whole map; the remaining children are taken from the copy. */
static int copy_map(tvmffi_rewrite *rewrite) {
  rewrite->copy = tvmffi_map_copy(rewrite->cursor.obj);
  if (rewrite->copy == NULL) return tvmffi_fail_memory();
  rewrite->cursor.obj = rewrite->copy;
  return 0;
}

/* ---- Children ---- */

int tvmffi_rewrite_begin(tvmffi_rewrite *rewrite, TVMFFIObject *obj, bool is_in_place) {
  bool is_container = tvmffi_is_container(obj->type_index);
  rewrite->copy = NULL;
  rewrite->has_child = rewrite->is_changed = false;
  rewrite->is_in_place = is_container && is_in_place;
  if (!is_container) TVMFFI_TRY(copy_object(obj, &rewrite->copy));
  tvmffi_child_first(&rewrite->cursor, is_container ? obj : rewrite->copy);
  return 0;
}

/* The place of the current child in its container, or NULL if it is no longer there. */
static TVMFFIAny *find_place(const tvmffi_rewrite *rewrite) {
  TVMFFIObject *obj = rewrite->cursor.obj;
  if (tvmffi_is_map(obj->type_index)) {
    const tvmffi_map_pair *pair =
        tvmffi_map_has_at(obj, rewrite->position) ? tvmffi_map_at(obj, rewrite->position) : NULL;
    return pair != NULL && is_same(&pair->key, &rewrite->child.key)
               ? tvmffi_map_value_at(obj, rewrite->position)
               : NULL;
  }
  return (int64_t)rewrite->position < tvmffi_array_size(obj)
             ? &tvmffi_array_items(obj)[rewrite->position]
             : NULL;
}

/* Swaps a value with the one in the child's place, if that still exists. */
static void exchange(tvmffi_rewrite *rewrite, TVMFFIAny *value) {
  TVMFFIAny *place = find_place(rewrite), old;
  if (place == NULL) return;
  old = *place;
  *place = *value;
  *value = old;
}

int tvmffi_rewrite_next(tvmffi_rewrite *rewrite) {
  int rc;
  rewrite->position = rewrite->cursor.position;
  rc = tvmffi_child_next_lent(&rewrite->cursor, &rewrite->child);
  rewrite->has_child = rc == 1;
  rewrite->is_child_owned = rc == 1 && (rewrite->is_in_place || rewrite->child.field != NULL);
  if (rc == 1 && rewrite->is_in_place) {
    rewrite->child.value = tvmffi_any_none();
    exchange(rewrite, &rewrite->child.value);
  }
  return rc;
}

static void release_child(tvmffi_rewrite *rewrite) {
  rewrite->has_child = false;
  if (rewrite->is_child_owned) tvmffi_any_release(&rewrite->child.value);
}

static int put_field(tvmffi_rewrite *rewrite, const TVMFFIAny *value) {
  const TVMFFIFieldInfo *field = rewrite->child.field;
  if (field->setter == NULL) {
    return tvmffi_fail("TypeError",
                       "Cannot structurally mutate field `%.*s` of type `%s` because it does not "
                       "define a setter",
                       (int)field->name.size, field->name.data,
                       tvmffi_type_key(rewrite->copy->type_index));
  }
  return tvmffi_field_set(field, rewrite->copy, value);
}

static int put_entry(tvmffi_rewrite *rewrite, TVMFFIAny *value, bool is_same) {
  if (is_same) return 0;
  if (rewrite->copy == NULL) TVMFFI_TRY(copy_map(rewrite));
  exchange(rewrite, value);
  return 0;
}

/* Copies an unchanged child from its place, where foreign code may have put another one. */
static int put_element(tvmffi_rewrite *rewrite, TVMFFIAny *value, bool is_same) {
  const TVMFFIAny *place;
  if (is_same && rewrite->copy == NULL) return 0;
  if (rewrite->copy == NULL) TVMFFI_TRY(copy_passed(rewrite));
  if (tvmffi_outcome_is_unchanged(value) && rewrite->is_child_owned) {
    *value = rewrite->child.value;
    rewrite->child.value = tvmffi_any_none();
  } else if (tvmffi_outcome_is_unchanged(value)) {
    place = find_place(rewrite);
    if (place == NULL) return 0;
    *value = tvmffi_any_copy(place);
  }
  TVMFFI_TRY(add(rewrite, value));
  *value = tvmffi_any_none();
  return 0;
}

static int put(tvmffi_rewrite *rewrite, TVMFFIAny *value, bool is_same) {
  if (rewrite->child.field != NULL) return is_same ? 0 : put_field(rewrite, value);
  return tvmffi_is_map(rewrite->cursor.obj->type_index) ? put_entry(rewrite, value, is_same)
                                                        : put_element(rewrite, value, is_same);
}

int tvmffi_rewrite_put(tvmffi_rewrite *rewrite, TVMFFIAny value) {
  bool is_unchanged = tvmffi_outcome_is_unchanged(&value) || is_same(&value, &rewrite->child.value);
  int rc = 0;
  if (rewrite->is_in_place) {
    if (!is_unchanged) {
      tvmffi_any_release(&rewrite->child.value);
      rewrite->child.value = value;
      value = tvmffi_any_none();
    }
    exchange(rewrite, &rewrite->child.value);
  } else {
    rc = put(rewrite, &value, is_unchanged);
    rewrite->is_changed |= !is_unchanged;
  }
  release_child(rewrite);
  tvmffi_any_release(&value);
  return rc;
}

TVMFFIAny tvmffi_rewrite_end(tvmffi_rewrite *rewrite) {
  if (rewrite->is_changed) return tvmffi_any_object(rewrite->copy);
  tvmffi_object_release(rewrite->copy);
  return tvmffi_outcome_unchanged();
}

void tvmffi_rewrite_abandon(tvmffi_rewrite *rewrite) {
  if (rewrite->has_child && rewrite->is_in_place) exchange(rewrite, &rewrite->child.value);
  if (rewrite->has_child) release_child(rewrite);
  tvmffi_object_release(rewrite->copy);
}
