/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One object, of which some children become others: in a copy, or in the object itself where that
 * is allowed. Containers are copied when a first child is another; other objects at the start, for
 * their fields are read from the copy.
 */
#ifndef TVMFFI_STRUCTURAL_REWRITE_H_
#define TVMFFI_STRUCTURAL_REWRITE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "reflect/children.h"

typedef struct {
  TVMFFIObject *obj;  /* lent */
  TVMFFIObject *copy; /* owned, or NULL */
  tvmffi_child_cursor cursor;
  /*
   * The one at hand, if there is one. In place it is taken out of the container meanwhile, so that
   * a reference that nobody shares stays one.
   */
  tvmffi_child child;
  uint64_t at;         /* of an entry */
  uint64_t num_passed; /* children before it */
  bool has_child;
  bool is_in_place; /* of containers only */
  bool is_changed;
} tvmffi_rewrite;

/* Whoever begins ends; a failure raises and leaves nothing to end. */
int tvmffi_rewrite_begin(tvmffi_rewrite *rewrite, TVMFFIObject *obj, bool is_in_place);

/* The next child: 1, 0 after the last, -1. */
int tvmffi_rewrite_next(tvmffi_rewrite *rewrite);

/* Puts an owned value, or an Unchanged, in the child's place. */
int tvmffi_rewrite_put(tvmffi_rewrite *rewrite, TVMFFIAny value);

/* The owned replacement of the object, or Unchanged. */
TVMFFIAny tvmffi_rewrite_end(tvmffi_rewrite *rewrite);

/* Instead: the child at hand goes back where it was, what was put stays. */
void tvmffi_rewrite_abandon(tvmffi_rewrite *rewrite);

#endif /* TVMFFI_STRUCTURAL_REWRITE_H_ */
