/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterates over what any value holds: elements of Array and List, entries of Map and Dict,
 * reflected fields of other objects. tvmffi_child_next returns owned values, because code that is
 * called with a child may change the List or Dict it came from.
 */
#ifndef TVMFFI_REFLECT_CHILDREN_H_
#define TVMFFI_REFLECT_CHILDREN_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "container/container.h"
#include "reflect/fields.h"

typedef struct {
  TVMFFIObject *obj; /* lent */
  uint64_t position; /* index, or position in a map */
  tvmffi_field_cursor fields;
} tvmffi_child_cursor;

typedef struct {
  TVMFFIAny value;
  TVMFFIAny key;                /* the key of an entry, otherwise None */
  int64_t index;                /* the index of an element */
  const TVMFFIFieldInfo *field; /* NULL unless it is a field */
} tvmffi_child;

/* Starts in front of the first child; the object must outlive the cursor. */
void tvmffi_child_first(tvmffi_child_cursor *cursor, TVMFFIObject *obj);

/*
 * 1 and the next child, 0 after the last, -1 with the error raised (a getter may fail). Texts,
 * bytes, shapes, tensors, functions and other types without fields have no children.
 */
int tvmffi_child_next(tvmffi_child_cursor *cursor, tvmffi_child *out);

/*
 * The same, without the fields that structural functions ignore. Values of fields are owned;
 * elements and entries are lent (container/lend.h), at the position that the cursor had. Members of
 * *out that do not apply to the child, such as the key of an element, are not written.
 */
int tvmffi_child_next_lent(tvmffi_child_cursor *cursor, tvmffi_child *out);

void tvmffi_child_release(tvmffi_child *child);

#endif /* TVMFFI_REFLECT_CHILDREN_H_ */
