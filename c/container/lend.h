/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that a walk lends to foreign code, without a reference of its own: a hook or a callback
 * may ask whether its value is unique, and must not be refused because of the walk.
 *
 * The code may take the value out of its container, which may be the end of it. After a call the
 * walk therefore asks whether the value is still there before it touches it. One that loses its
 * place in a function of this library is kept until the walk is done with it, by a reference that
 * the walk's record has then (guards, below). Inline code of clients that changes a List or a Dict
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

/* Keeps what a walk lends while a function of this library runs. */
typedef struct {
  tvmffi_lend *lend; /* or NULL: nothing to keep */
  uint32_t use_count;
} tvmffi_lend_guard;

/* What a walk lends: one value at a time, or none. */
struct tvmffi_lend {
  tvmffi_lend *outer;      /* of the walk whose foreign code called this one, in this thread */
  tvmffi_lend_guard guard; /* for what the outer one lends */
  TVMFFIObject *obj;       /* or NULL */
  TVMFFIObject *parent;    /* the container it is in, which the walk owns; NULL: it is the root */
  uint64_t at;             /* index, or position in a map */
  uint32_t root_count;     /* references of the root when the walk began */
  bool is_kept;            /* by a reference that is this record's */
};

/* ---- Walks -------------------------------------------------------------------------------------
 */

/*
 * A new walk, which lends its root at first. The root lives as long as the walk, which is for the
 * caller to see to. Without memory the record is in no list, and nothing is kept.
 */
void tvmffi_lend_begin(tvmffi_lend *lend, const TVMFFIAny *root);
void tvmffi_lend_end(tvmffi_lend *lend);

/* Lends an element or a value of a map; nothing is lent before. */
static inline void tvmffi_lend_child(tvmffi_lend *lend, const TVMFFIAny *value,
                                     TVMFFIObject *parent, uint64_t at) {
  if (value->type_index < kTVMFFIStaticObjectBegin) return;
  lend->obj = value->v_obj;
  lend->parent = parent;
  lend->at = at;
}

void tvmffi_lend_release_kept(tvmffi_lend *lend);

/* Ends it. A reference that kept the value goes to the outer walk if that lends the same value. */
static inline void tvmffi_lend_drop(tvmffi_lend *lend) {
  if (TVMFFI_UNLIKELY(lend->is_kept)) tvmffi_lend_release_kept(lend);
  lend->obj = NULL;
}

/* Ends it with a reference that is the caller's; the value is there. */
static inline void tvmffi_lend_hold(tvmffi_lend *lend) {
  if (!lend->is_kept) tvmffi_object_retain(lend->obj);
  lend->obj = NULL;
  lend->is_kept = false;
}

/* Takes that reference and lends the value again, in the place where it was. */
void tvmffi_lend_again(tvmffi_lend *lend, TVMFFIObject *obj, TVMFFIObject *parent, uint64_t at);

/* Keeps what an outer walk lends from here on: the walk goes on with another value than its root.
 */
void tvmffi_lend_guard_outer(tvmffi_lend *lend);

bool tvmffi_lend_is_in_map(const tvmffi_lend *lend);

/* Whether the value, which is in a container, is where it was found. */
static inline bool tvmffi_lend_is_in_place(const tvmffi_lend *lend) {
  int32_t type_index = lend->parent->type_index;
  const TVMFFIAny *value;
  if (type_index != kTVMFFIArray && type_index != kTVMFFIList) return tvmffi_lend_is_in_map(lend);
  if ((int64_t)lend->at >= tvmffi_array_size(lend->parent)) return false;
  value = &tvmffi_array_items(lend->parent)[lend->at];
  return value->type_index >= kTVMFFIStaticObjectBegin && value->v_obj == lend->obj;
}

/* Whether the value may be touched; true where none is lent, for the walk owns that one. */
static inline bool tvmffi_lend_is_there(const tvmffi_lend *lend) {
  return lend->obj == NULL || lend->is_kept || lend->parent == NULL ||
         tvmffi_lend_is_in_place(lend);
}

/* ---- Guards ------------------------------------------------------------------------------------
 * Around whatever takes values out of places: from the first to the second the value that the
 * innermost walk lends is kept, and longer if it lost its place. */

tvmffi_lend_guard tvmffi_lend_keep(tvmffi_lend *lend);
void tvmffi_lend_release_guard(tvmffi_lend_guard guard);

static inline tvmffi_lend_guard tvmffi_lend_begin_guard(void) {
  const tvmffi_thread_record *record = tvmffi_thread.record;
  const tvmffi_lend_guard none = {NULL, 0};
  return TVMFFI_LIKELY(record == NULL || record->lent == NULL) ? none
                                                               : tvmffi_lend_keep(record->lent);
}

static inline void tvmffi_lend_end_guard(tvmffi_lend_guard guard) {
  if (TVMFFI_UNLIKELY(guard.lend != NULL)) tvmffi_lend_release_guard(guard);
}

#endif /* TVMFFI_CONTAINER_LEND_H_ */
