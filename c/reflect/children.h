/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a value holds, one after the other, whatever it is: elements of Array and List, entries of
 * Map and Dict, reflected fields of other objects. What tvmffi_child_next gives out is owned: lists
 * and dicts may be changed, by the very code that is called with a child.
 */
#ifndef TVMFFI_REFLECT_CHILDREN_H_
#define TVMFFI_REFLECT_CHILDREN_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "reflect/fields.h"

static inline bool tvmffi_is_sequence(int32_t type_index) {
  return type_index == kTVMFFIArray || type_index == kTVMFFIList;
}

static inline bool tvmffi_is_map(int32_t type_index) {
  return type_index == kTVMFFIMap || type_index == kTVMFFIDict;
}

typedef struct {
  TVMFFIObject *obj; /* lent */
  uint64_t at;       /* index, or position in a map */
  tvmffi_field_cursor fields;
} tvmffi_child_cursor;

typedef struct {
  TVMFFIAny value;
  TVMFFIAny key;                /* of an entry; else None */
  int64_t index;                /* of an element */
  const TVMFFIFieldInfo *field; /* or NULL */
} tvmffi_child;

static inline bool tvmffi_is_container(int32_t type_index) {
  return type_index == kTVMFFIArray || type_index == kTVMFFIList || type_index == kTVMFFIMap ||
         type_index == kTVMFFIDict;
}

/* Starts in front of the first child; the object must live until the end. */
void tvmffi_child_first(tvmffi_child_cursor *cursor, TVMFFIObject *obj);

/*
 * 1 and the next child, 0 after the last, -1 with the error raised (a getter may fail). Texts,
 * bytes, shapes, tensors, functions and the like have none; nor have types without fields.
 */
int tvmffi_child_next(tvmffi_child_cursor *cursor, tvmffi_child *out);

/*
 * The same, without the fields that structural functions do not look at. Only values of fields are
 * owned; elements and entries are lent (container/lend.h), in the place that the cursor was at.
 * What a child does not have, a key for instance, is not written.
 */
int tvmffi_child_next_lent(tvmffi_child_cursor *cursor, tvmffi_child *out);

void tvmffi_child_release(tvmffi_child *child);

#endif /* TVMFFI_REFLECT_CHILDREN_H_ */
