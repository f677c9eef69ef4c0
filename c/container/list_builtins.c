/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The global functions of lists. Those that change a list also accept an Array, as the reference's
 * do: they then change a copy of it, which nobody sees.
 */
#include "base/alloc.h"
#include "base/checked.h"
#include "container/array.h"
#include "container/builtin_tables.h"
#include "container/lend.h"
#include "container/list.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"

enum { kFirstCapacity = 4 };

typedef struct {
  TVMFFIObject *list;
  tvmffi_lend_guard guard; /* for an element that a walk lends */
} change;

/* Begins a change of a list, or of the copy of an array. */
static int begin(const TVMFFIAny *arg, change *out) {
  out->list = arg->type_index == kTVMFFIList ? arg->v_obj : tvmffi_list_copy(arg->v_obj);
  if (out->list == NULL) return -1;
  out->guard = tvmffi_lend_begin_guard();
  return 0;
}

static void end(const TVMFFIAny *arg, const change *made) {
  if (made->list != arg->v_obj) tvmffi_object_release(made->list);
  tvmffi_lend_end_guard(made->guard);
}

static int make_list(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *list = tvmffi_list_new(num_args > kFirstCapacity ? num_args : kFirstCapacity);
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
static int put(const TVMFFIAny *arg, int64_t start, int64_t stop, const TVMFFIAny *value) {
  change made;
  TVMFFIAny owned;
  int rc;
  TVMFFI_TRY(begin(arg, &made));
  rc = tvmffi_array_own(value, &owned);
  if (rc == 0) {
    rc = tvmffi_list_splice(made.list, start, stop, &owned, 1);
    if (rc != 0) tvmffi_any_release(&owned);
  }
  end(arg, &made);
  return rc;
}

static int set_item(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int64_t i = args[1].v_int64;
  (void)num_args;
  (void)result;
  TVMFFI_TRY(tvmffi_list_check_index(args[0].v_obj, i));
  return put(&args[0], i, i + 1, &args[2]);
}

static int append(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int64_t size = tvmffi_array_size(args[0].v_obj);
  TVMFFIAny owned;
  (void)num_args;
  (void)result;
  if (args[0].type_index != kTVMFFIList) return put(&args[0], size, size, &args[1]);
  TVMFFI_TRY(tvmffi_array_own(&args[1], &owned));
  if (tvmffi_list_append(args[0].v_obj, &owned) == 0) return 0;
  tvmffi_any_release(&owned);
  return -1;
}

static int insert(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int64_t i = args[1].v_int64, size = tvmffi_array_size(args[0].v_obj);
  (void)num_args;
  (void)result;
  if (i < 0 || i > size) {
    return tvmffi_fail("IndexError", "Index %lld out of bounds [0, %lld]", (long long)i,
                       (long long)size);
  }
  return put(&args[0], i, i, &args[2]);
}

static int pop(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  change made;
  int rc;
  (void)num_args;
  TVMFFI_TRY(begin(&args[0], &made));
  rc = tvmffi_list_pop(made.list, args[1].v_int64, result);
  end(&args[0], &made);
  return rc;
}

static int erase_range(const TVMFFIAny *arg, int64_t start, int64_t stop) {
  change made;
  int rc;
  TVMFFI_TRY(begin(arg, &made));
  rc = tvmffi_list_erase(made.list, start, stop);
  end(arg, &made);
  return rc;
}

static int erase(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  (void)result;
  TVMFFI_TRY(tvmffi_list_check_index(args[0].v_obj, args[1].v_int64));
  return erase_range(&args[0], args[1].v_int64, args[1].v_int64 + 1);
}

static int erase_slice(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  (void)result;
  return erase_range(&args[0], args[1].v_int64, args[2].v_int64);
}

static int clear(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  (void)result;
  return erase_range(&args[0], 0, tvmffi_array_size(args[0].v_obj));
}

/* The replacement may be the list itself, so its elements are copied first. */
static int replace_slice(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *source = args[3].v_obj;
  int64_t i, num = tvmffi_array_size(source);
  TVMFFIAny *values;
  change made;
  int rc;
  (void)num_args;
  (void)result;
  TVMFFI_TRY(tvmffi_list_check_range(args[0].v_obj, args[1].v_int64, args[2].v_int64));
  values = tvmffi_alloc((size_t)num * sizeof *values); /* no overflow: the elements take as much */
  if (values == NULL) return tvmffi_fail_memory();
  for (i = 0; i < num; ++i) values[i] = tvmffi_any_copy(&tvmffi_array_items(source)[i]);
  rc = begin(&args[0], &made);
  if (rc == 0) {
    rc = tvmffi_list_splice(made.list, args[1].v_int64, args[2].v_int64, values, num);
    end(&args[0], &made);
  }
  for (i = 0; i < num && rc != 0; ++i) tvmffi_any_release(&values[i]);
  tvmffi_free(values);
  return rc;
}

static int reverse(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny *items;
  change made;
  int64_t i, j;
  (void)num_args;
  (void)result;
  TVMFFI_TRY(begin(&args[0], &made));
  items = tvmffi_array_items(made.list);
  for (i = 0, j = tvmffi_array_size(made.list) - 1; i < j; ++i, --j) {
    TVMFFIAny first = items[i];
    items[i] = items[j];
    items[j] = first;
  }
  end(&args[0], &made);
  return 0;
}

static int reserve(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  change made;
  int rc;
  (void)num_args;
  (void)result;
  TVMFFI_TRY(begin(&args[0], &made));
  rc = tvmffi_list_reserve(made.list, args[1].v_int64);
  end(&args[0], &made);
  return rc;
}

#define FUNCTIONS(F)                                   \
  F("ffi.List", "*", make_list)                        \
  F("ffi.ListGetItem", "Li>a", tvmffi_array_get_item)  \
  F("ffi.ListSetItem", "lia>v", set_item)              \
  F("ffi.ListSize", "L>i", tvmffi_array_get_size)      \
  F("ffi.ListContains", "La>b", tvmffi_array_contains) \
  F("ffi.ListAppend", "la>v", append)                  \
  F("ffi.ListInsert", "lia>v", insert)                 \
  F("ffi.ListPop", "li>a", pop)                        \
  F("ffi.ListErase", "li>v", erase)                    \
  F("ffi.ListEraseRange", "lii>v", erase_slice)        \
  F("ffi.ListReplaceSlice", "liil>v", replace_slice)   \
  F("ffi.ListReverse", "l>v", reverse)                 \
  F("ffi.ListClear", "l>v", clear)                     \
  F("ffi.ListReserve", "li>v", reserve)

TVMFFI_BUILTIN_GROUP(tvmffi_list_builtins, FUNCTIONS);
