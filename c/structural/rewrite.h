/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces children of one object: in a copy, or in the object itself where that is allowed. A
 * container is copied when its first child changes; other objects are copied at the start, because
 * their fields are read from the copy. The caller keeps a container alive meanwhile, and other
 * objects until tvmffi_rewrite_begin returns.
 */
#ifndef TVMFFI_STRUCTURAL_REWRITE_H_
#define TVMFFI_STRUCTURAL_REWRITE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "reflect/walk.h"

typedef struct {
  TVMFFIObject *copy;         /* owned, or NULL */
  tvmffi_child_cursor cursor; /* in the object or its copy, whichever holds the children */
  /*
   * The current child, if there is one. Children of containers are borrowed from their place; but
   * in place they are taken out meanwhile and owned, as values of fields are.
   */
  tvmffi_child child;
  uint64_t position;
  bool has_child;
  bool is_child_owned;
  bool is_in_place; /* of containers only */
  bool is_changed;
} tvmffi_rewrite;

/* After success call tvmffi_rewrite_end or _abandon. A failure raises and needs neither. */
int tvmffi_rewrite_begin(tvmffi_rewrite *rewrite, TVMFFIObject *obj, bool is_in_place);

/* The next child: 1, 0 after the last, or -1. */
int tvmffi_rewrite_next(tvmffi_rewrite *rewrite);

/* Stores an owned value, or Unchanged, in the child's place. */
int tvmffi_rewrite_put(tvmffi_rewrite *rewrite, TVMFFIAny value);

/* Ends with the owned replacement of the object, or Unchanged. */
TVMFFIAny tvmffi_rewrite_end(tvmffi_rewrite *rewrite);

/* Ends without a result: the current child returns to its place, changes made before stay. */
void tvmffi_rewrite_abandon(tvmffi_rewrite *rewrite);

#endif /* TVMFFI_STRUCTURAL_REWRITE_H_ */
