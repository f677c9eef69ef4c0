/* SPDX-License-Identifier: Apache-2.0 */
#include "container/list.h"

#include "c/container_support.h"
#include "container/array.h"
#include "core/any.h"
#include "core/object.h"
#include "core/string_object.h"
#include "support/thread.h"

static TVMFFISeqCell *cell_of(TVMFFIObject *list) {
  return TVMFFISeqGetCellPtr(list);
}

static void append_int(TVMFFIObject *list, int64_t value) {
  TVMFFIAny any = tvmffi_any_int(value);
  check_ok(tvmffi_list_append(list, &any));
}

static TVMFFIObject *new_of(int64_t num) {
  TVMFFIObject *list = tvmffi_list_new(0);
  int64_t i;
  for (i = 0; i < num; ++i) append_int(list, i);
  return list;
}

/* Checks the elements against numbers in text form: "0 1 2". */
static void check_list(TVMFFIObject *list, const char *expected) {
  char text[4096] = "";
  int64_t i;
  for (i = 0; i < tvmffi_array_size(list); ++i) {
    assert_true(strlen(text) + 32 < sizeof text);
    (void)snprintf(text + strlen(text), 32, i == 0 ? "%d" : " %d",
                   (int)tvmffi_array_items(list)[i].v_int64);
  }
  assert_string_equal(text, expected);
}

TEST(test_the_layout) {
  TVMFFIObject *list = tvmffi_list_new(0);
  assert_int_equal(list->type_index, kTVMFFIList);
  assert_null(cell_of(list)->data);
  assert_int_equal(cell_of(list)->capacity, 0);
  assert_non_null(cell_of(list)->data_deleter); /* set even without data: clients call it */
  cell_of(list)->data_deleter(NULL);
  TVMFFIObjectDecRef(list);
  list = tvmffi_list_new(7);
  assert_int_equal(cell_of(list)->capacity, 7);
  assert_non_null(cell_of(list)->data);
  TVMFFIObjectDecRef(list);
}

TEST(test_growth) {
  static const int64_t capacities[] = {1, 2, 4, 4, 8, 8, 8, 8, 16};
  TVMFFIObject *list = tvmffi_list_new(0);
  size_t i;
  for (i = 0; i < sizeof capacities / sizeof *capacities; ++i) {
    append_int(list, (int64_t)i);
    assert_int_equal(cell_of(list)->capacity, capacities[i]);
  }
  check_list(list, "0 1 2 3 4 5 6 7 8");
  check_ok(tvmffi_list_reserve(list, 3));
  check_ok(tvmffi_list_reserve(list, INT64_MIN));
  assert_int_equal(cell_of(list)->capacity, 16);
  check_ok(tvmffi_list_reserve(list, 100));
  assert_int_equal(cell_of(list)->capacity, 100);
  check_list(list, "0 1 2 3 4 5 6 7 8");
  TVMFFIObjectDecRef(list);
}

/* As client code does it, whose operator new is malloc. */
TEST(test_a_client_replaces_the_block) {
  TVMFFIObject *list = new_of(3);
  TVMFFISeqCell *cell = cell_of(list);
  TVMFFIAny *block = malloc(50 * sizeof *block);
  assert_non_null(block);
  memcpy(block, cell->data, 3 * sizeof *block);
  cell->data_deleter(cell->data);
  cell->data = block;
  cell->capacity = 50;
  append_int(list, 3);
  assert_ptr_equal(cell->data, block);
  check_ok(tvmffi_list_reserve(list, 51));
  assert_ptr_not_equal(cell->data, block);
  check_list(list, "0 1 2 3");
  TVMFFIObjectDecRef(list);
}

static int client_freed;

static void client_free(void *data) {
  ++client_freed;
  free(data);
}

/* A list from a client keeps its deleter, which frees the old blocks. */
TEST(test_a_list_of_a_client) {
  TVMFFIObject *list = tvmffi_list_new(0);
  TVMFFISeqCell *cell = cell_of(list);
  cell->data_deleter = client_free;
  append_int(list, 1);
  assert_int_equal(client_freed, 1); /* called with NULL */
  append_int(list, 2);
  assert_int_equal(client_freed, 2);
  assert_true(cell->data_deleter == client_free);
  TVMFFIObjectDecRef(list);
  assert_int_equal(client_freed, 3);
}

TEST(test_splice_and_erase) {
  TVMFFIAny added[3];
  TVMFFIObject *list = new_of(6);
  int i;
  for (i = 0; i < 3; ++i) added[i] = tvmffi_any_int(10 + i);
  check_ok(tvmffi_list_splice(list, 1, 3, added, 3));
  check_list(list, "0 10 11 12 3 4 5");
  check_ok(tvmffi_list_splice(list, 0, 0, added, 1));
  check_list(list, "10 0 10 11 12 3 4 5");
  check_ok(tvmffi_list_splice(list, 8, 8, added, 2));
  check_list(list, "10 0 10 11 12 3 4 5 10 11");
  check_ok(tvmffi_list_splice(list, 2, 9, added, 1));
  check_list(list, "10 0 10 11");
  check_ok(tvmffi_list_erase(list, 1, 3));
  check_list(list, "10 11");
  check_ok(tvmffi_list_erase(list, 0, 0));
  check_ok(tvmffi_list_erase(list, 0, 2));
  check_list(list, "");
  TVMFFIObjectDecRef(list);
}

/* More elements than the local buffer holds, so memory is allocated. */
TEST(test_long_ranges) {
  enum { kElements = 100 };
  TVMFFIObject *list = new_of(kElements);
  probe p;
  int64_t i;
  probe_init(&p);
  for (i = 10; i < 90; ++i) {
    TVMFFIObjectIncRef(&p);
    tvmffi_array_items(list)[i] = tvmffi_any_object(&p);
  }
  assert_int_equal(check_use_count(&p), 81);
  check_ok(tvmffi_list_erase(list, 10, 50));
  assert_int_equal(check_use_count(&p), 41);
  assert_int_equal(tvmffi_array_items(list)[50].v_int64, 90);
  check_ok(tvmffi_list_splice(list, 0, 50, NULL, 0));
  assert_int_equal(check_use_count(&p), 1);
  check_list(list, "90 91 92 93 94 95 96 97 98 99");
  for (i = 0; i < 40; ++i) append_int(list, i);
  check_ok(tvmffi_list_erase(list, 0, 50)); /* up to the end */
  check_list(list, "");
  TVMFFIObjectDecRef(list);
}

TEST(test_refused) {
  TVMFFIObject *list = new_of(3);
  TVMFFIAny out = tvmffi_any_none();
  check_fails(tvmffi_list_pop(list, 3, &out), "IndexError", "Index 3 out of bounds 3");
  check_fails(tvmffi_list_pop(list, -1, &out), "IndexError", "Index -1 out of bounds 3");
  check_fails(tvmffi_list_erase(list, -1, 2), "IndexError", "Erase range [-1, 2) out of bounds 3");
  check_fails(tvmffi_list_erase(list, 2, 1), "IndexError", "Erase range [2, 1) out of bounds 3");
  check_fails(tvmffi_list_erase(list, 0, 4), "IndexError", "Erase range [0, 4) out of bounds 3");
  check_fails(tvmffi_list_reserve(list, INT64_C(1) << 62), "MemoryError", NULL);
  check_fails(tvmffi_list_reserve(list, INT64_MAX), "MemoryError", NULL);
  assert_null(tvmffi_list_new(INT64_MAX));
  check_raised("MemoryError", NULL);
  check_list(list, "0 1 2");
  TVMFFIObjectDecRef(list);
}

/* ---- Elements whose destruction changes the list ---- */

static TVMFFIObject *meddled;
static int num_meddled;

static void meddle(void *self) {
  TVMFFIAny any = tvmffi_any_int((int64_t)(intptr_t)self);
  ++num_meddled;
  check_ok(tvmffi_list_append(meddled, &any));
  if (num_meddled == 1) check_ok(tvmffi_list_erase(meddled, 0, tvmffi_array_size(meddled) / 2));
}

static void fill_with_meddlers(int64_t num) {
  int64_t i;
  meddled = tvmffi_list_new(0);
  num_meddled = 0;
  for (i = 0; i < num; ++i) {
    TVMFFIObjectHandle function;
    TVMFFIAny any;
    check_ok(TVMFFIFunctionCreate((void *)(intptr_t)i, call_nothing, meddle, &function));
    any = tvmffi_any_object(function);
    check_ok(tvmffi_list_append(meddled, &any));
  }
}

TEST(test_elements_that_change_the_list) {
  fill_with_meddlers(40);
  check_ok(tvmffi_list_erase(meddled, 0, 40));
  assert_true(num_meddled >= 20);
  while (tvmffi_array_size(meddled) > 0) { /* until no function is left in the list */
    TVMFFIAny last;
    check_ok(tvmffi_list_pop(meddled, tvmffi_array_size(meddled) - 1, &last));
    check_release(&last);
    if (num_meddled > 1000) break;
  }
  TVMFFIObjectDecRef(meddled);

  fill_with_meddlers(40);
  check_ok(tvmffi_list_erase(meddled, 1, 30));
  check_ok(tvmffi_list_erase(meddled, 0, 1));
  assert_true(num_meddled >= 30);
  while (tvmffi_array_size(meddled) > 0 && num_meddled < 1000) {
    check_ok(tvmffi_list_erase(meddled, 0, 1));
  }
  TVMFFIObjectDecRef(meddled);
}

static void release_deep(void *arg) {
  TVMFFIObject *list = arg;
  TVMFFIObjectDecRef(list);
}

TEST(test_L_21_nested_lists) {
  TVMFFIObject *list = tvmffi_list_new(0);
  int i;
  for (i = 0; i < 1000000; ++i) {
    TVMFFIObject *outer = tvmffi_list_new(1);
    TVMFFIAny any = tvmffi_any_object(list);
    check_ok(tvmffi_list_append(outer, &any));
    list = outer;
  }
  thread_run(release_deep, list, 256 * 1024);
}

/* ---- Functions ---- */

static const TVMFFIAny none; /* {0, 0, 0}: None */

static TVMFFIAny list_of(int32_t num) {
  static const int64_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  return make_of_ints("ffi.List", numbers, num);
}

/* Calls a function that returns None. */
static void change(const char *name, int32_t num_args, TVMFFIAny a, TVMFFIAny b, TVMFFIAny c,
                   TVMFFIAny d) {
  TVMFFIAny result;
  check_ok(call4(name, num_args, a, b, c, d, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
}

#define CHECK(list, ...)                                              \
  do {                                                                \
    static const int64_t expected[] = {__VA_ARGS__};                  \
    check_ints(list, expected, sizeof expected / sizeof expected[0]); \
  } while (0)

TEST(test_making) {
  TVMFFIObjectHandle moved = tvmffi_string_new(kTVMFFIStr, "x", 1), nothing = NULL;
  TVMFFIAny args[3], list, result;
  static DLTensor tensor;
  probe p;
  list = list_of(0);
  assert_int_equal(list.type_index, kTVMFFIList);
  assert_int_equal(TVMFFISeqGetCellPtr(list.v_obj)->capacity, 4);
  check_release(&list);
  list = list_of(6);
  assert_int_equal(TVMFFISeqGetCellPtr(list.v_obj)->capacity, 6);
  CHECK(&list, 0, 1, 2, 3, 4, 5);
  check_release(&list);
  probe_init(&p);
  args[0] = tvmffi_any_object(&p);
  args[1] = tvmffi_any_raw_str("a raw string");
  args[2] = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &moved);
  list = call_ok("ffi.List", args, 3);
  assert_null(moved);
  assert_int_equal(check_use_count(&p), 2);
  check_release(&list);
  assert_int_equal(check_use_count(&p), 1);
  args[2] = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &nothing);
  check_fails_with(call_global("ffi.List", args, 3, &result), "InternalError", "already moved");
  args[2] = tvmffi_any_ptr(kTVMFFIDLTensorPtr, &tensor);
  check_fails_with(call_global("ffi.List", args, 3, &result), "RuntimeError", "use Tensor instead");
  assert_int_equal(check_use_count(&p), 1);
}

TEST(test_reading) {
  TVMFFIAny list = list_of(3), result;
  check_ok(call4("ffi.ListSize", 1, list, none, none, none, &result));
  assert_int_equal(result.v_int64, 3);
  check_ok(call4("ffi.ListGetItem", 2, list, tvmffi_any_int(2), none, none, &result));
  assert_int_equal(result.v_int64, 2);
  check_fails(call4("ffi.ListGetItem", 2, list, tvmffi_any_int(3), none, none, &result),
              "IndexError", "Index 3 out of bounds 3");
  check_ok(call4("ffi.ListContains", 2, list, tvmffi_any_int(2), none, none, &result));
  assert_int_equal(result.v_int64, 1);
  check_ok(call4("ffi.ListContains", 2, list, tvmffi_any_bool(1), none, none, &result));
  assert_int_equal(result.v_int64, 0);
  check_release(&list);
}

TEST(test_changing) {
  TVMFFIAny list = list_of(3), result;
  change("ffi.ListAppend", 2, list, tvmffi_any_int(7), none, none);
  CHECK(&list, 0, 1, 2, 7);
  change("ffi.ListInsert", 3, list, tvmffi_any_int(0), tvmffi_any_int(8), none);
  change("ffi.ListInsert", 3, list, tvmffi_any_int(5), tvmffi_any_int(9), none);
  CHECK(&list, 8, 0, 1, 2, 7, 9);
  change("ffi.ListSetItem", 3, list, tvmffi_any_int(1), tvmffi_any_int(5), none);
  CHECK(&list, 8, 5, 1, 2, 7, 9);
  check_ok(call4("ffi.ListPop", 2, list, tvmffi_any_int(0), none, none, &result));
  assert_int_equal(result.v_int64, 8);
  change("ffi.ListErase", 2, list, tvmffi_any_int(4), none, none);
  CHECK(&list, 5, 1, 2, 7);
  change("ffi.ListReverse", 1, list, none, none, none);
  CHECK(&list, 7, 2, 1, 5);
  change("ffi.ListEraseRange", 3, list, tvmffi_any_int(1), tvmffi_any_int(3), none);
  CHECK(&list, 7, 5);
  change("ffi.ListReserve", 2, list, tvmffi_any_int(77), none, none);
  assert_int_equal(TVMFFISeqGetCellPtr(list.v_obj)->capacity, 77);
  change("ffi.ListClear", 1, list, none, none, none);
  assert_int_equal(TVMFFISeqGetCellPtr(list.v_obj)->size, 0);
  assert_int_equal(TVMFFISeqGetCellPtr(list.v_obj)->capacity, 77);
  check_release(&list);
}

TEST(test_slices) {
  TVMFFIAny list = list_of(4), other = list_of(2), array;
  static const int64_t numbers[] = {50, 51, 52};
  array = make_of_ints("ffi.Array", numbers, 3);
  change("ffi.ListReplaceSlice", 4, list, tvmffi_any_int(1), tvmffi_any_int(3), other);
  CHECK(&list, 0, 0, 1, 3);
  change("ffi.ListReplaceSlice", 4, list, tvmffi_any_int(1), tvmffi_any_int(3), list);
  CHECK(&list, 0, 0, 0, 1, 3, 3);
  change("ffi.ListReplaceSlice", 4, list, tvmffi_any_int(0), tvmffi_any_int(6), array);
  CHECK(&list, 50, 51, 52);
  change("ffi.ListReplaceSlice", 4, list, tvmffi_any_int(3), tvmffi_any_int(3), other);
  CHECK(&list, 50, 51, 52, 0, 1);
  check_release(&list);
  check_release(&other);
  check_release(&array);
}

/* Functions that change a List accept an Array, but leave it unchanged. */
TEST(test_an_array_in_place_of_a_list) {
  static const int64_t numbers[] = {5, 6, 7};
  TVMFFIAny array = make_of_ints("ffi.Array", numbers, 3), result;
  change("ffi.ListAppend", 2, array, tvmffi_any_int(7), none, none);
  change("ffi.ListSetItem", 3, array, tvmffi_any_int(0), tvmffi_any_int(1), none);
  change("ffi.ListInsert", 3, array, tvmffi_any_int(0), tvmffi_any_int(1), none);
  change("ffi.ListErase", 2, array, tvmffi_any_int(0), none, none);
  change("ffi.ListEraseRange", 3, array, tvmffi_any_int(0), tvmffi_any_int(3), none);
  change("ffi.ListReplaceSlice", 4, array, tvmffi_any_int(0), tvmffi_any_int(3), array);
  change("ffi.ListReverse", 1, array, none, none, none);
  change("ffi.ListClear", 1, array, none, none, none);
  change("ffi.ListReserve", 2, array, tvmffi_any_int(100), none, none);
  check_ok(call4("ffi.ListPop", 2, array, tvmffi_any_int(1), none, none, &result));
  assert_int_equal(result.v_int64, 6);
  check_ints(&array, numbers, 3);
  check_fails(call4("ffi.ListPop", 2, array, tvmffi_any_int(3), none, none, &result), "IndexError",
              "Index 3 out of bounds 3");
  check_fails(call4("ffi.ListSize", 1, array, none, none, none, &result), "TypeError",
              "Mismatched type on argument #0 when calling: `ffi.ListSize(0: ffi.List) -> int`. "
              "Expected `ffi.List` but got `ffi.Array`");
  check_release(&array);
}

TEST(test_what_functions_refuse) {
  TVMFFIAny list = list_of(2), result;
  check_fails(
      call4("ffi.ListSetItem", 3, list, tvmffi_any_int(2), tvmffi_any_int(0), none, &result),
      "IndexError", "Index 2 out of bounds 2");
  check_fails(call4("ffi.ListInsert", 3, list, tvmffi_any_int(3), tvmffi_any_int(0), none, &result),
              "IndexError", "Index 3 out of bounds [0, 2]");
  check_fails(
      call4("ffi.ListInsert", 3, list, tvmffi_any_int(-1), tvmffi_any_int(0), none, &result),
      "IndexError", "Index -1 out of bounds [0, 2]");
  check_fails(call4("ffi.ListErase", 2, list, tvmffi_any_int(INT64_MAX), none, none, &result),
              "IndexError", "Index 9223372036854775807 out of bounds 2");
  check_fails(
      call4("ffi.ListReplaceSlice", 4, list, tvmffi_any_int(1), tvmffi_any_int(3), list, &result),
      "IndexError", "Erase range [1, 3) out of bounds 2");
  check_fails(
      call4("ffi.ListReserve", 2, list, tvmffi_any_int(INT64_C(1) << 62), none, none, &result),
      "MemoryError", NULL);
  check_fails(
      call4("ffi.ListAppend", 2, tvmffi_any_ptr(kTVMFFIList, NULL), none, none, none, &result),
      "TypeError",
      "Mismatched type on argument #0 when calling: `ffi.ListAppend(0: List<Any>, 1: Any) "
      "-> void`. Expected `List<Any>` but got `NULL`");
  CHECK(&list, 0, 1);
  check_release(&list);
}

RUN_TESTS({
    cmocka_unit_test(test_the_layout),
    cmocka_unit_test(test_growth),
    cmocka_unit_test(test_a_client_replaces_the_block),
    cmocka_unit_test(test_a_list_of_a_client),
    cmocka_unit_test(test_splice_and_erase),
    cmocka_unit_test(test_long_ranges),
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_elements_that_change_the_list),
    cmocka_unit_test(test_L_21_nested_lists),
    cmocka_unit_test(test_making),
    cmocka_unit_test(test_reading),
    cmocka_unit_test(test_changing),
    cmocka_unit_test(test_slices),
    cmocka_unit_test(test_an_array_in_place_of_a_list),
    cmocka_unit_test(test_what_functions_refuse),
})
