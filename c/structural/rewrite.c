/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/rewrite.h"

#include <string.h>

#include "container/any_key.h"
#include "container/array.h"
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/type.h"
#include "structural/outcome.h"
#include "value/walk.h"

static bool is_map(const TVMFFIObject *obj) {
  return obj->type_index == kTVMFFIMap || obj->type_index == kTVMFFIDict;
}

/* ---- Copies ------------------------------------------------------------------------------------
 */

static int copy_object(TVMFFIObject *obj, TVMFFIObject **out) {
  const TVMFFIAny *copy = tvmffi_reflect_find_attr(kTvmffiAttrShallowCopy, obj->type_index);
  TVMFFIAny self = tvmffi_any_object(obj), result;
  if (copy == NULL || copy->type_index != kTVMFFIFunction) {
    return tvmffi_fail("TypeError", "__ffi_shallow_copy__ must be an ffi.Function");
  }
  TVMFFI_TRY(tvmffi_walk_call("__ffi_shallow_copy__", copy->v_obj, &self, 1, &result));
  if (result.type_index != obj->type_index || result.v_obj == obj) {
    tvmffi_any_release(&result);
    return tvmffi_fail("TypeError",
                       "Shallow copy callback must return a distinct object with the same type as "
                       "its input");
  }
  *out = result.v_obj;
  return 0;
}

/* Adds a child, which is taken on success, to the copy of a container. */
static int add(tvmffi_rewrite *rewrite, const TVMFFIAny *key, const TVMFFIAny *value) {
  TVMFFIAny owned;
  int rc;
  switch (rewrite->copy->type_index) {
    case kTVMFFIArray:
      return tvmffi_array_append(&rewrite->copy, value) == 0 ? 0 : tvmffi_fail_memory();
    case kTVMFFIList:
      return tvmffi_list_append(rewrite->copy, value);
    default:
      owned = tvmffi_any_copy(key);
      rc = tvmffi_map_insert(&rewrite->copy, &owned, value);
      if (rc == 0) return 0;
      tvmffi_any_release(&owned);
      return rc == kTvmffiRaised ? -1 : tvmffi_fail_memory();
  }
}

static TVMFFIObject *new_container(TVMFFIObject *of) {
  TVMFFIObject *made;
  if (of->type_index == kTVMFFIList) return tvmffi_list_new(tvmffi_array_size(of));
  made = is_map(of) ? tvmffi_map_new_for(of->type_index, tvmffi_map_size(of))
                    : tvmffi_array_new(tvmffi_array_size(of));
  if (made == NULL) tvmffi_error_raise_memory();
  return made;
}

/* A copy of the container as far as the child at hand; there may be fewer, after foreign code. */
static int copy_passed(tvmffi_rewrite *rewrite) {
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  uint64_t i;
  rewrite->copy = new_container(rewrite->obj);
  if (rewrite->copy == NULL) return -1;
  tvmffi_child_first(&cursor, rewrite->obj);
  for (i = 0; i < rewrite->num_passed && tvmffi_child_next(&cursor, &child) == 1; ++i) {
    int rc = add(rewrite, &child.key, &child.value);
    if (rc == 0) child.value = tvmffi_any_none();
    tvmffi_child_release(&child);
    if (rc != 0) return -1;
  }
  return 0;
}

/* ---- Children ----------------------------------------------------------------------------------
 */

int tvmffi_rewrite_begin(tvmffi_rewrite *rewrite, TVMFFIObject *obj, bool is_in_place) {
  bool is_container = tvmffi_is_container(obj->type_index);
  memset(rewrite, 0, sizeof *rewrite);
  rewrite->obj = obj;
  rewrite->is_in_place = is_container && is_in_place;
  if (!is_container) TVMFFI_TRY(copy_object(obj, &rewrite->copy));
  tvmffi_child_first(&rewrite->cursor, is_container ? obj : rewrite->copy);
  return 0;
}

/* Swaps the child and what is in its place in the container, if that place is still there. */
static void exchange(tvmffi_rewrite *rewrite) {
  TVMFFIAny *child = &rewrite->child.value, *place, value;
  if (is_map(rewrite->obj)) {
    if (!tvmffi_map_has_at(rewrite->obj, rewrite->at)) return;
    place = tvmffi_map_value_at(rewrite->obj, rewrite->at);
  } else {
    if (rewrite->child.index >= tvmffi_array_size(rewrite->obj)) return;
    place = &tvmffi_array_items(rewrite->obj)[rewrite->child.index];
  }
  value = *place;
  *place = *child;
  *child = value;
}

int tvmffi_rewrite_next(tvmffi_rewrite *rewrite) {
  int rc;
  rewrite->at = rewrite->cursor.at;
  rc = tvmffi_child_next_structural(&rewrite->cursor, &rewrite->child);
  rewrite->has_child = rc == 1;
  if (rc == 1 && rewrite->is_in_place) {
    tvmffi_any_release(&rewrite->child.value);
    exchange(rewrite);
  }
  return rc;
}

static int put_field(tvmffi_rewrite *rewrite, const TVMFFIAny *value) {
  const TVMFFIFieldInfo *field = rewrite->child.field;
  if (field->setter == NULL) {
    return tvmffi_fail("TypeError",
                       "Cannot structurally mutate field `%.*s` of type `%s` because it does not "
                       "define a setter",
                       (int)field->name.size, field->name.data,
                       tvmffi_type_key(rewrite->obj->type_index));
  }
  return tvmffi_field_set(field, rewrite->copy, value);
}

static int put(tvmffi_rewrite *rewrite, TVMFFIAny *value, bool is_same) {
  TVMFFIAny *taken = is_same ? &rewrite->child.value : value;
  if (rewrite->child.field != NULL) return is_same ? 0 : put_field(rewrite, value);
  if (is_same && rewrite->copy == NULL) return 0;
  if (rewrite->copy == NULL) TVMFFI_TRY(copy_passed(rewrite));
  TVMFFI_TRY(add(rewrite, &rewrite->child.key, taken));
  *taken = tvmffi_any_none();
  return 0;
}

int tvmffi_rewrite_put(tvmffi_rewrite *rewrite, TVMFFIAny value) {
  const TVMFFIAny *old = &rewrite->child.value;
  bool is_same = tvmffi_outcome_is_unchanged(&value) ||
                 (value.type_index == old->type_index && value.zero_padding == old->zero_padding &&
                  value.v_uint64 == old->v_uint64);
  int rc = 0;
  if (rewrite->is_in_place) {
    if (!is_same) {
      tvmffi_any_release(&rewrite->child.value);
      rewrite->child.value = value;
      value = tvmffi_any_none();
    }
    exchange(rewrite);
  } else {
    rc = put(rewrite, &value, is_same);
    rewrite->is_changed |= !is_same;
  }
  rewrite->has_child = false;
  ++rewrite->num_passed;
  tvmffi_child_release(&rewrite->child);
  tvmffi_any_release(&value);
  return rc;
}

TVMFFIAny tvmffi_rewrite_end(tvmffi_rewrite *rewrite) {
  if (rewrite->is_changed) return tvmffi_any_object(rewrite->copy);
  tvmffi_object_release(rewrite->copy);
  return tvmffi_outcome_unchanged();
}

void tvmffi_rewrite_abandon(tvmffi_rewrite *rewrite) {
  if (rewrite->has_child && rewrite->is_in_place) exchange(rewrite);
  if (rewrite->has_child) tvmffi_child_release(&rewrite->child);
  tvmffi_object_release(rewrite->copy);
}
