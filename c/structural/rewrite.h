/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One object, of which some children become others: in a copy, or in the object itself where that
 * is allowed. Containers are copied when a first child is another; other objects at the start, for
 * their fields are read from the copy. Whoever rewrites keeps a container alive meanwhile, and
 * other objects until it has begun.
 */
#ifndef TVMFFI_STRUCTURAL_REWRITE_H_
#define TVMFFI_STRUCTURAL_REWRITE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "reflect/children.h"

typedef struct {
  TVMFFIObject *copy;         /* owned, or NULL */
  tvmffi_child_cursor cursor; /* in what holds the children */
  /*
   * The one at hand, if there is one. It is the container's, in its place there; but what is
   * rewritten in place is taken out of it meanwhile, and owned as values of fields are.
   */
  tvmffi_child child;
  uint64_t at;
  bool has_child;
  bool is_child_owned;
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
