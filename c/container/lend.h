/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that a walk lends to foreign code, without a reference of its own: a hook or a callback
 * may ask whether its value has one owner, so the walk must not hold a reference.
 *
 * The foreign code may remove the value from its container, which may destroy it. So after a call
 * the walk checks that the value is still there before it touches it. A value that loses its place
 * in a function of this library is kept alive until the walk is done with it, by a reference that
 * the walk's record then owns (guards, below). Inline code of clients that changes a List or a Dict
 * in memory destroys the value at once.
 */
#ifndef TVMFFI_CONTAINER_LEND_H_
#define TVMFFI_CONTAINER_LEND_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "container/array.h"
#include "core/any.h"
#include "core/thread_state.h"

typedef struct tvmffi_lend tvmffi_lend;

/* Keeps alive what a walk lends while a function of this library runs. */
typedef struct {
  tvmffi_lend *lend; /* NULL: nothing to keep */
  uint32_t use_count;
} tvmffi_lend_guard;

/* The record of a walk: the one value that it lends, if any. */
struct tvmffi_lend {
  tvmffi_lend *outer;      /* of the walk whose foreign code started this one (same thread) */
  tvmffi_lend_guard guard; /* for the value that the outer walk lends */
  TVMFFIObject *obj;       /* the value, or NULL */
  TVMFFIObject *parent;    /* the container it is in, which the walk owns; NULL: it is the root */
  uint64_t position;       /* index, or position in a map */
  uint32_t root_count;     /* use count of the root when the walk began */
  bool is_kept;            /* this record owns a reference to obj */
};

/* ---- Walks ---- */

/*
 * Begins a walk, which first lends its root. The caller has to keep the root alive during the walk.
 * If out of memory, the record is not in the thread's list, and nothing is kept.
 */
void tvmffi_lend_begin(tvmffi_lend *lend, const TVMFFIAny *root);
void tvmffi_lend_end(tvmffi_lend *lend);

/* Lends an element of a sequence or a value of a map; nothing may be lent before. */
static inline void tvmffi_lend_child(tvmffi_lend *lend, const TVMFFIAny *value,
                                     TVMFFIObject *parent, uint64_t position) {
  if (value->type_index < kTVMFFIStaticObjectBegin) return;
  lend->obj = value->v_obj;
  lend->parent = parent;
  lend->position = position;
}

void tvmffi_lend_release_kept(tvmffi_lend *lend);

/* Ends the loan. A reference that kept the value goes to the outer walk if that lends it too. */
static inline void tvmffi_lend_drop(tvmffi_lend *lend) {
  if (TVMFFI_UNLIKELY(lend->is_kept)) tvmffi_lend_release_kept(lend);
  lend->obj = NULL;
}

/* Ends the loan and gives the caller a reference to the value, which must still be there. */
static inline void tvmffi_lend_hold(tvmffi_lend *lend) {
  if (!lend->is_kept) tvmffi_object_retain(lend->obj);
  lend->obj = NULL;
  lend->is_kept = false;
}

/* Takes over that reference and lends the value again, in the place where it was. */
void tvmffi_lend_again(tvmffi_lend *lend, TVMFFIObject *obj, TVMFFIObject *parent,
                       uint64_t position);

/* Keeps what the outer walk lends from here on; for when this walk goes on from its root. */
void tvmffi_lend_guard_outer(tvmffi_lend *lend);

bool tvmffi_lend_is_in_map(const tvmffi_lend *lend);

/* Whether the value, which was lent from a container, is still in its place. */
static inline bool tvmffi_lend_is_in_place(const tvmffi_lend *lend) {
  int32_t type_index = lend->parent->type_index;
  const TVMFFIAny *value;
  if (type_index != kTVMFFIArray && type_index != kTVMFFIList) return tvmffi_lend_is_in_map(lend);
  if ((int64_t)lend->position >= tvmffi_array_size(lend->parent)) return false;
  value = &tvmffi_array_items(lend->parent)[lend->position];
  return value->type_index >= kTVMFFIStaticObjectBegin && value->v_obj == lend->obj;
}

/* Whether the value may be touched; true if none is lent, because the walk then owns its value. */
static inline bool tvmffi_lend_is_there(const tvmffi_lend *lend) {
  return lend->obj == NULL || lend->is_kept || lend->parent == NULL ||
         tvmffi_lend_is_in_place(lend);
}

/* ---- Guards ---- */

/*
 * For code that removes values from their places: between begin_guard and end_guard the value that
 * the innermost walk lends is kept alive, and longer if it lost its place.
 */

tvmffi_lend_guard tvmffi_lend_keep(tvmffi_lend *lend);
void tvmffi_lend_release_guard(tvmffi_lend_guard guard);

static inline tvmffi_lend_guard tvmffi_lend_begin_guard(void) {
  const tvmffi_thread_record *record = tvmffi_thread.record;
  const tvmffi_lend_guard no_guard = {NULL, 0};
  return TVMFFI_LIKELY(record == NULL || record->lent == NULL) ? no_guard
                                                               : tvmffi_lend_keep(record->lent);
}

/* A change of a List or a Dict, or of a copy of an Array or a Map, which nobody sees. */
typedef struct {
  TVMFFIObject *obj;
  tvmffi_lend_guard guard;
} tvmffi_lend_change;

/* copy: tvmffi_list_copy or tvmffi_map_copy_to_dict. */
int tvmffi_lend_begin_change(const TVMFFIAny *arg, TVMFFIObject *(*copy)(TVMFFIObject *source),
                             tvmffi_lend_change *out);
void tvmffi_lend_end_change(const TVMFFIAny *arg, const tvmffi_lend_change *made);

static inline void tvmffi_lend_end_guard(tvmffi_lend_guard guard) {
  if (TVMFFI_UNLIKELY(guard.lend != NULL)) tvmffi_lend_release_guard(guard);
}

#endif /* TVMFFI_CONTAINER_LEND_H_ */
