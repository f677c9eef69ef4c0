/* SPDX-License-Identifier: Apache-2.0 */
#include "container/lend.h"

#include "container/map.h"
#include "core/object.h"

bool tvmffi_lend_is_in_map(const tvmffi_lend *lend) {
  const TVMFFIAny *value;
  if (!tvmffi_map_has_at(lend->parent, lend->position)) return false;
  value = &tvmffi_map_at(lend->parent, lend->position)->value;
  return value->type_index >= kTVMFFIStaticObjectBegin && value->v_obj == lend->obj;
}

/* ---- Guards ---- */

tvmffi_lend_guard tvmffi_lend_keep(tvmffi_lend *lend) {
  tvmffi_lend_guard guard = {NULL, 0};
  if (lend->obj == NULL || lend->is_kept || !tvmffi_lend_is_there(lend)) return guard;
  tvmffi_object_retain(lend->obj);
  lend->is_kept = true;
  guard.lend = lend;
  guard.use_count = tvmffi_object_use_count(lend->obj);
  return guard;
}

/*
 * Releases the value if it is safe without the reference. A value of a container is safe in its
 * place. A root has no known place: it is safe unless its use count fell, which may have been the
 * reference by which the caller kept it alive.
 */
void tvmffi_lend_release_guard(tvmffi_lend_guard guard) {
  tvmffi_lend *lend = guard.lend;
  bool is_safe = lend->parent != NULL ? tvmffi_lend_is_in_place(lend)
                                      : tvmffi_object_use_count(lend->obj) >= guard.use_count;
  if (!is_safe) return;
  lend->is_kept = false;
  tvmffi_object_release(lend->obj);
}

/* ---- Walks ---- */

/*
 * If the root is the value that the outer walk lends, it is lent from the same place, again without
 * a reference.
 */
void tvmffi_lend_begin(tvmffi_lend *lend, const TVMFFIAny *root) {
  tvmffi_thread_record *record = tvmffi_thread_record_ensure();
  tvmffi_lend *outer = record != NULL ? record->lent : NULL;
  lend->outer = outer;
  lend->guard.lend = NULL;
  lend->obj = root->type_index >= kTVMFFIStaticObjectBegin ? root->v_obj : NULL;
  lend->parent = NULL;
  lend->position = 0;
  lend->is_kept = false;
  lend->root_count = lend->obj != NULL ? tvmffi_object_use_count(lend->obj) : 0;
  if (record != NULL) record->lent = lend;
  if (outer == NULL || outer->obj == NULL) return;
  if (outer->obj != lend->obj) {
    lend->guard = tvmffi_lend_keep(outer);
  } else if (!outer->is_kept) {
    lend->parent = outer->parent;
    lend->position = outer->position;
  }
}

void tvmffi_lend_end(tvmffi_lend *lend) {
  if (tvmffi_thread.record != NULL) tvmffi_thread.record->lent = lend->outer;
  tvmffi_lend_drop(lend);
  tvmffi_lend_end_guard(lend->guard);
}

void tvmffi_lend_again(tvmffi_lend *lend, TVMFFIObject *obj, TVMFFIObject *parent,
                       uint64_t position) {
  lend->obj = obj;
  lend->parent = parent;
  lend->position = position;
  lend->is_kept = parent != NULL ? !tvmffi_lend_is_in_place(lend)
                                 : tvmffi_object_use_count(obj) <= lend->root_count;
  if (!lend->is_kept) tvmffi_object_release(obj);
}

void tvmffi_lend_release_kept(tvmffi_lend *lend) {
  tvmffi_lend *outer = lend->outer;
  TVMFFIObject *obj = lend->obj;
  lend->obj = NULL;
  lend->is_kept = false;
  if (outer != NULL && outer->obj == obj && !outer->is_kept) {
    outer->is_kept = true;
  } else {
    tvmffi_object_release(obj);
  }
}

void tvmffi_lend_guard_outer(tvmffi_lend *lend) {
  if (lend->outer == NULL || lend->guard.lend != NULL) return;
  lend->guard = tvmffi_lend_keep(lend->outer);
}

int tvmffi_lend_begin_change(const TVMFFIAny *arg, TVMFFIObject *(*copy)(TVMFFIObject *source),
                             tvmffi_lend_change *out) {
  bool is_copied = arg->type_index == kTVMFFIArray || arg->type_index == kTVMFFIMap;
  out->obj = is_copied ? copy(arg->v_obj) : arg->v_obj;
  if (out->obj == NULL) return -1;
  out->guard = tvmffi_lend_begin_guard();
  return 0;
}

void tvmffi_lend_end_change(const TVMFFIAny *arg, const tvmffi_lend_change *made) {
  if (made->obj != arg->v_obj) tvmffi_object_release(made->obj);
  tvmffi_lend_end_guard(made->guard);
}
