/* SPDX-License-Identifier: Apache-2.0 */
#include "c/container_support.h"
#include "core/string_object.h"
#include "support/probe.h"

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

static void test_making(void **state) {
  TVMFFIObjectHandle moved = tvmffi_string_new(kTVMFFIStr, "x", 1), nothing = NULL;
  TVMFFIAny args[3], list, result;
  DLTensor tensor;
  probe p;
  (void)state;
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

static void test_reading(void **state) {
  TVMFFIAny list = list_of(3), result;
  (void)state;
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

static void test_changing(void **state) {
  TVMFFIAny list = list_of(3), result;
  (void)state;
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

static void test_slices(void **state) {
  TVMFFIAny list = list_of(4), other = list_of(2), array;
  static const int64_t numbers[] = {50, 51, 52};
  (void)state;
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
static void test_an_array_in_place_of_a_list(void **state) {
  static const int64_t numbers[] = {5, 6, 7};
  TVMFFIAny array = make_of_ints("ffi.Array", numbers, 3), result;
  (void)state;
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

static void test_refused(void **state) {
  TVMFFIAny list = list_of(2), result;
  (void)state;
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_making),
      cmocka_unit_test(test_reading),
      cmocka_unit_test(test_changing),
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_an_array_in_place_of_a_list),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
