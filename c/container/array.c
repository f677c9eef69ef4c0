/* SPDX-License-Identifier: Apache-2.0 */
#include "container/array.h"

#include "base/integers.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"

enum { kFirstArrayCapacity = 4 };

typedef struct {
  TVMFFIObject header;
  TVMFFISeqCell cell;
  TVMFFIAny items[];
} array_object;

/* Backwards: the list of waiting objects is a stack, so the first element is destroyed first. */
void tvmffi_array_destroy(void *self) {
  TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(self);
  const TVMFFIAny *items = cell->data;
  int64_t i;
  for (i = cell->size; i > 0; --i) tvmffi_any_release_nested(&items[i - 1]);
  if (cell->data_deleter != NULL) cell->data_deleter(cell->data);
}

TVMFFI_DELETER(delete_array, tvmffi_array_destroy, 0);

TVMFFIObject *tvmffi_array_new(int64_t capacity) {
  array_object *array;
  size_t bytes;
  if (capacity < 0 || (uint64_t)capacity > SIZE_MAX ||
      !tvmffi_checked_array_size(sizeof *array, (size_t)capacity, sizeof array->items[0], &bytes) ||
      bytes > PTRDIFF_MAX) {
    return NULL;
  }
  array = tvmffi_object_alloc(bytes, 0, kTVMFFIArray, delete_array);
  if (array == NULL) return NULL;
  array->cell.data = array->items;
  array->cell.size = 0;
  array->cell.capacity = capacity;
  array->cell.data_deleter = NULL;
  return &array->header;
}

/* A copy with that capacity. If old is unique, and so dies next, its elements are moved over. */
static TVMFFIObject *regrow(TVMFFIObject *old, int64_t capacity, int is_unique) {
  TVMFFIObject *grown = tvmffi_array_new(capacity);
  TVMFFIAny *source = tvmffi_array_items(old), *dest;
  int64_t i, size = tvmffi_array_size(old);
  if (grown == NULL) return NULL;
  dest = tvmffi_array_items(grown);
  for (i = 0; i < size; ++i) dest[i] = is_unique ? source[i] : tvmffi_any_copy(&source[i]);
  TVMFFISeqGetCellPtr(grown)->size = size;
  if (is_unique) TVMFFISeqGetCellPtr(old)->size = 0;
  return grown;
}

TVMFFIObject *tvmffi_array_copy(TVMFFIObject *seq) {
  TVMFFIObject *copy = regrow(seq, tvmffi_array_size(seq), 0);
  if (copy == NULL) tvmffi_error_raise_memory();
  return copy;
}

int tvmffi_array_append(TVMFFIObject **array, const TVMFFIAny *value) {
  TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(*array);
  int is_unique = tvmffi_object_is_unique(*array);
  if (!is_unique || cell->size == cell->capacity) {
    int64_t capacity = cell->capacity;
    TVMFFIObject *grown;
    if (cell->size == capacity) {
      capacity = capacity <= INT64_MAX / 2 ? 2 * capacity : INT64_MAX;
      if (capacity < kFirstArrayCapacity) capacity = kFirstArrayCapacity;
    }
    grown = regrow(*array, capacity, is_unique);
    if (grown == NULL) return -1;
    tvmffi_object_release(*array);
    *array = grown;
    cell = TVMFFISeqGetCellPtr(grown);
  }
  ((TVMFFIAny *)cell->data)[cell->size++] = *value;
  return 0;
}
