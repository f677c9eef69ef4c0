/* SPDX-License-Identifier: Apache-2.0 */
#include "container/list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "container/array.h"
#include "container/container.h"
#include "container/lend.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"

/* ---- Lists ---- */

/* How many elements are set aside without allocating memory. */
enum { kFewElements = 16 };

typedef struct {
  TVMFFIObject header;
  TVMFFISeqCell cell;
} list_object;

TVMFFI_DELETER(delete_list, tvmffi_array_destroy, 0);

/* Allocates a block for that many elements; NULL if out of memory. */
static TVMFFIAny *new_block(int64_t capacity) {
  size_t bytes;
  if ((uint64_t)capacity > SIZE_MAX ||
      !tvmffi_checked_mul_size((size_t)capacity, sizeof(TVMFFIAny), &bytes) ||
      bytes > PTRDIFF_MAX) {
    return NULL;
  }
  return tvmffi_alloc_plain(bytes);
}

/* Replaces the block by a larger one. */
static int move_block(TVMFFISeqCell *cell, int64_t capacity) {
  TVMFFIAny *grown = new_block(capacity);
  if (grown == NULL) return tvmffi_fail_memory();
  if (cell->size != 0) memcpy(grown, cell->data, (size_t)cell->size * sizeof *grown);
  if (cell->data_deleter != NULL) {
    cell->data_deleter(cell->data); /* stays: the client's deleter can free memory of malloc, too */
  } else {
    cell->data_deleter = tvmffi_free_plain;
  }
  cell->data = grown;
  cell->capacity = capacity;
  return 0;
}

/* Makes room for num more elements; at least doubles the capacity. */
static int ensure_list_room(TVMFFISeqCell *cell, int64_t num) {
  int64_t needed, capacity;
  if (num <= cell->capacity - cell->size) return 0;
  if (num > INT64_MAX - cell->size) return tvmffi_fail_memory();
  needed = cell->size + num;
  capacity = cell->capacity <= INT64_MAX / 2 ? 2 * cell->capacity : needed;
  return move_block(cell, capacity > needed ? capacity : needed);
}

TVMFFIObject *tvmffi_list_new(int64_t capacity) {
  list_object *list = tvmffi_object_new(sizeof *list, kTVMFFIList, delete_list);
  if (list == NULL) return NULL;
  list->cell.data = NULL;
  list->cell.size = 0;
  list->cell.capacity = 0;
  list->cell.data_deleter = tvmffi_free_plain;
  if (tvmffi_list_reserve(&list->header, capacity) != 0) {
    tvmffi_object_free(list, 0);
    return NULL;
  }
  return &list->header;
}

TVMFFIObject *tvmffi_list_copy(TVMFFIObject *seq) {
  int64_t i, size = tvmffi_array_size(seq);
  TVMFFIObject *list = tvmffi_list_new(size);
  if (list == NULL) return NULL;
  for (i = 0; i < size; ++i) {
    tvmffi_array_items(list)[i] = tvmffi_any_copy(&tvmffi_array_items(seq)[i]);
  }
  TVMFFISeqGetCellPtr(list)->size = size;
  return list;
}

int tvmffi_list_reserve(TVMFFIObject *list, int64_t capacity) {
  TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(list);
  return capacity <= cell->capacity ? 0 : move_block(cell, capacity);
}

/* IndexError if an index, or a range, is out of bounds. */
static int list_check_index(TVMFFIObject *list, int64_t i) {
  int64_t size = tvmffi_array_size(list);
  if (i >= 0 && i < size) return 0;
  return tvmffi_array_fail_index(i, size);
}

static int list_check_range(TVMFFIObject *list, int64_t start, int64_t stop) {
  int64_t size = tvmffi_array_size(list);
  if (start >= 0 && start <= stop && stop <= size) return 0;
  return tvmffi_fail("IndexError", "Erase range [%lld, %lld) out of bounds %lld", (long long)start,
                     (long long)stop, (long long)size);
}

int tvmffi_list_append(TVMFFIObject *list, const TVMFFIAny *value) {
  TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(list);
  TVMFFI_TRY(ensure_list_room(cell, 1));
  ((TVMFFIAny *)cell->data)[cell->size++] = *value;
  return 0;
}

/* Moves the elements from stop on to the index `dest`, and adjusts the size. */
static void move_tail(TVMFFISeqCell *cell, int64_t stop, int64_t dest) {
  TVMFFIAny *items = cell->data;
  if (stop != cell->size && stop != dest) {
    memmove(&items[dest], &items[stop], (size_t)(cell->size - stop) * sizeof *items);
  }
  cell->size += dest - stop;
}

int tvmffi_list_pop(TVMFFIObject *list, int64_t i, TVMFFIAny *out) {
  TVMFFI_TRY(list_check_index(list, i));
  *out = tvmffi_array_items(list)[i];
  move_tail(TVMFFISeqGetCellPtr(list), i + 1, i);
  return 0;
}

static void release_items(TVMFFIAny *values, int64_t num) {
  int64_t i;
  for (i = 0; i < num; ++i) tvmffi_any_release(&values[i]);
}

/* Copies elements to be released: to few if they fit, else to a new block. NULL: no memory. */
static TVMFFIAny *set_aside(const TVMFFIAny *values, int64_t num, TVMFFIAny *few) {
  TVMFFIAny *aside = num <= kFewElements ? few : tvmffi_alloc((size_t)num * sizeof *aside);
  if (aside != NULL) memcpy(aside, values, (size_t)num * sizeof *aside);
  return aside;
}

int tvmffi_list_splice(TVMFFIObject *list, int64_t start, int64_t stop, const TVMFFIAny *values,
                       int64_t num) {
  TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(list);
  TVMFFIAny few[kFewElements], *old;
  int64_t num_old = stop - start;
  TVMFFI_TRY(list_check_range(list, start, stop));
  if (num > num_old) TVMFFI_TRY(ensure_list_room(cell, num - num_old));
  old = num_old != 0 ? set_aside((TVMFFIAny *)cell->data + start, num_old, few) : few;
  if (old == NULL) return tvmffi_fail_memory();
  move_tail(cell, stop, start + num);
  if (num != 0) memcpy((TVMFFIAny *)cell->data + start, values, (size_t)num * sizeof *values);
  release_items(old, num_old);
  if (old != few) tvmffi_free(old);
  return 0;
}

int tvmffi_list_erase(TVMFFIObject *list, int64_t start, int64_t stop) {
  TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(list);
  TVMFFIAny few[kFewElements], *old = NULL;
  TVMFFI_TRY(list_check_range(list, start, stop));
  if (stop < cell->size) old = set_aside((TVMFFIAny *)cell->data + start, stop - start, few);
  if (old != NULL) {
    move_tail(cell, stop, start);
    release_items(old, stop - start);
    if (old != few) tvmffi_free(old);
    return 0;
  }
  /* At the end of the list, or without memory: a few at a time. Their destructors may change it. */
  while (start < stop && stop <= cell->size) {
    int64_t num = stop - start < kFewElements ? stop - start : kFewElements;
    (void)set_aside((TVMFFIAny *)cell->data + stop - num, num, few);
    move_tail(cell, stop, stop - num);
    stop -= num;
    release_items(few, num);
  }
  return 0;
}

/* ---- The functions ffi.List* ---- */

/*
 * The global functions of lists. Those that change a list also accept an Array, as the reference's
 * do: they then change a copy of it, which nobody sees.
 */

enum { kFirstListCapacity = 4 };

static int make_list(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *list =
      tvmffi_list_new(num_args > kFirstListCapacity ? num_args : kFirstListCapacity);
  int32_t i;
  if (list == NULL) return -1;
  for (i = 0; i < num_args; ++i) {
    TVMFFIAny value;
    if (tvmffi_array_own(&args[i], &value) != 0) {
      tvmffi_object_release(list);
      return -1;
    }
    (void)tvmffi_list_append(list, &value); /* there is room for all of them */
  }
  *result = tvmffi_any_object(list);
  return 0;
}

/* Replaces the elements from start to stop by a value. */
static int put_items(const TVMFFIAny *arg, int64_t start, int64_t stop, const TVMFFIAny *value) {
  tvmffi_lend_change made;
  TVMFFIAny owned;
  int rc;
  TVMFFI_TRY(tvmffi_lend_begin_change(arg, tvmffi_list_copy, &made));
  rc = tvmffi_array_own(value, &owned);
  if (rc == 0) {
    rc = tvmffi_list_splice(made.obj, start, stop, &owned, 1);
    if (rc != 0) tvmffi_any_release(&owned);
  }
  tvmffi_lend_end_change(arg, &made);
  return rc;
}

static int set_list_item(const TVMFFIAny *args, TVMFFIAny *result) {
  int64_t i = args[1].v_int64;
  (void)result;
  TVMFFI_TRY(list_check_index(args[0].v_obj, i));
  return put_items(&args[0], i, i + 1, &args[2]);
}

static int append_item(const TVMFFIAny *args, TVMFFIAny *result) {
  int64_t size = tvmffi_array_size(args[0].v_obj);
  TVMFFIAny owned;
  (void)result;
  if (args[0].type_index != kTVMFFIList) return put_items(&args[0], size, size, &args[1]);
  TVMFFI_TRY(tvmffi_array_own(&args[1], &owned));
  if (tvmffi_list_append(args[0].v_obj, &owned) == 0) return 0;
  tvmffi_any_release(&owned);
  return -1;
}

static int insert_item(const TVMFFIAny *args, TVMFFIAny *result) {
  int64_t i = args[1].v_int64, size = tvmffi_array_size(args[0].v_obj);
  (void)result;
  if (i < 0 || i > size) {
    return tvmffi_fail("IndexError", "Index %lld out of bounds [0, %lld]", (long long)i,
                       (long long)size);
  }
  return put_items(&args[0], i, i, &args[2]);
}

static int pop_item(const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_lend_change made;
  int rc;
  TVMFFI_TRY(tvmffi_lend_begin_change(&args[0], tvmffi_list_copy, &made));
  rc = tvmffi_list_pop(made.obj, args[1].v_int64, result);
  tvmffi_lend_end_change(&args[0], &made);
  return rc;
}

static int erase_range(const TVMFFIAny *arg, int64_t start, int64_t stop) {
  tvmffi_lend_change made;
  int rc;
  TVMFFI_TRY(tvmffi_lend_begin_change(arg, tvmffi_list_copy, &made));
  rc = tvmffi_list_erase(made.obj, start, stop);
  tvmffi_lend_end_change(arg, &made);
  return rc;
}

static int erase_item(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)result;
  TVMFFI_TRY(list_check_index(args[0].v_obj, args[1].v_int64));
  return erase_range(&args[0], args[1].v_int64, args[1].v_int64 + 1);
}

static int erase_slice(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)result;
  return erase_range(&args[0], args[1].v_int64, args[2].v_int64);
}

static int clear_list(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)result;
  return erase_range(&args[0], 0, tvmffi_array_size(args[0].v_obj));
}

/* The replacement may be the list itself, so its elements are copied first. */
static int replace_slice(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIObject *source = args[3].v_obj;
  int64_t i, num = tvmffi_array_size(source);
  TVMFFIAny *values;
  tvmffi_lend_change made;
  int rc;
  (void)result;
  TVMFFI_TRY(list_check_range(args[0].v_obj, args[1].v_int64, args[2].v_int64));
  values = tvmffi_alloc((size_t)num * sizeof *values); /* no overflow: the elements take as much */
  if (values == NULL) return tvmffi_fail_memory();
  for (i = 0; i < num; ++i) values[i] = tvmffi_any_copy(&tvmffi_array_items(source)[i]);
  rc = tvmffi_lend_begin_change(&args[0], tvmffi_list_copy, &made);
  if (rc == 0) {
    rc = tvmffi_list_splice(made.obj, args[1].v_int64, args[2].v_int64, values, num);
    tvmffi_lend_end_change(&args[0], &made);
  }
  for (i = 0; i < num && rc != 0; ++i) tvmffi_any_release(&values[i]);
  tvmffi_free(values);
  return rc;
}

static int reverse(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIAny *items;
  tvmffi_lend_change made;
  int64_t i, j;
  (void)result;
  TVMFFI_TRY(tvmffi_lend_begin_change(&args[0], tvmffi_list_copy, &made));
  items = tvmffi_array_items(made.obj);
  for (i = 0, j = tvmffi_array_size(made.obj) - 1; i < j; ++i, --j) {
    TVMFFIAny first = items[i];
    items[i] = items[j];
    items[j] = first;
  }
  tvmffi_lend_end_change(&args[0], &made);
  return 0;
}

static int reserve(const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_lend_change made;
  int rc;
  (void)result;
  TVMFFI_TRY(tvmffi_lend_begin_change(&args[0], tvmffi_list_copy, &made));
  rc = tvmffi_list_reserve(made.obj, args[1].v_int64);
  tvmffi_lend_end_change(&args[0], &made);
  return rc;
}

#define FUNCTIONS(F)                                   \
  F("ffi.List", "*", .packed = make_list)              \
  F("ffi.ListGetItem", "Li>a", tvmffi_array_get_item)  \
  F("ffi.ListSetItem", "lia>v", set_list_item)         \
  F("ffi.ListSize", "L>i", tvmffi_array_get_size)      \
  F("ffi.ListContains", "La>b", tvmffi_array_contains) \
  F("ffi.ListAppend", "la>v", append_item)             \
  F("ffi.ListInsert", "lia>v", insert_item)            \
  F("ffi.ListPop", "li>a", pop_item)                   \
  F("ffi.ListErase", "li>v", erase_item)               \
  F("ffi.ListEraseRange", "lii>v", erase_slice)        \
  F("ffi.ListReplaceSlice", "liil>v", replace_slice)   \
  F("ffi.ListReverse", "l>v", reverse)                 \
  F("ffi.ListClear", "l>v", clear_list)                \
  F("ffi.ListReserve", "li>v", reserve)

TVMFFI_BUILTIN_GROUP(tvmffi_list_builtins, FUNCTIONS);
