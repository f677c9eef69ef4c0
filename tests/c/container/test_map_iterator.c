/* SPDX-License-Identifier: Apache-2.0 */
#include "c/container_support.h"
#include "container/map.h"

static const TVMFFIAny none; /* {0, 0, 0}: None */

static int step(const TVMFFIAny *iterator, int64_t command, TVMFFIAny *result) {
  TVMFFIAny arg = tvmffi_any_int(command);
  *result = tvmffi_any_none();
  return TVMFFIFunctionCall(iterator->v_obj, &arg, 1, result);
}

static TVMFFIAny dict_of(int64_t num) {
  int64_t numbers[64], i;
  for (i = 0; i < 2 * num; ++i) numbers[i] = i % 2 == 0 ? i / 2 : 10 * (i / 2);
  return make_of_ints("ffi.Dict", numbers, (int32_t)(2 * num));
}

static TVMFFIAny iterate(const TVMFFIAny *dict) {
  return call_ok("ffi.DictForwardIterFunctor", dict, 1);
}

static void check_walk(int64_t num) {
  TVMFFIAny dict = dict_of(num), iterator, result;
  int64_t i;
  iterator = iterate(&dict);
  check_release(&dict); /* the iterator keeps it alive */
  for (i = 0; i < num; ++i) {
    check_ok(step(&iterator, 0, &result));
    assert_int_equal(result.v_int64, i);
    check_ok(step(&iterator, 1, &result));
    assert_int_equal(result.v_int64, 10 * i);
    check_ok(step(&iterator, i % 2 == 0 ? 2 : -7, &result));
    assert_int_equal(result.type_index, kTVMFFIBool);
    assert_int_equal(result.v_int64, i + 1 < num);
  }
  check_fails(step(&iterator, 0, &result), "IndexError", "The iterator is at the end");
  check_fails(step(&iterator, 1, &result), "IndexError", "The iterator is at the end");
  check_ok(step(&iterator, 2, &result));
  assert_int_equal(result.v_int64, 0);
  check_release(&iterator);
}

TEST(test_walks) {
  check_walk(0);
  check_walk(1);
  check_walk(4);
  check_walk(5);
  check_walk(32);
}

TEST(test_a_map) {
  int64_t numbers[] = {5, 6};
  TVMFFIAny map = make_of_ints("ffi.Map", numbers, 2), iterator, result;
  iterator = call_ok("ffi.MapForwardIterFunctor", &map, 1);
  check_ok(step(&iterator, 1, &result));
  assert_int_equal(result.v_int64, 6);
  check_release(&map);
  check_release(&iterator);
}

/* An iterator must not read entries that are gone. */
TEST(test_changes_meanwhile) {
  static const char text[] = "The container was changed during iteration";
  TVMFFIAny dict = dict_of(3), iterator = iterate(&dict), result;
  check_ok(step(&iterator, 2, &result));
  check_ok(step(&iterator, 2, &result));
  check_ok(call4("ffi.DictSetItem", 3, dict, tvmffi_any_int(2), none, none, &result));
  check_ok(step(&iterator, 1, &result));
  assert_int_equal(result.type_index, kTVMFFINone); /* a new value of a key is allowed */
  check_ok(call4("ffi.DictErase", 2, dict, tvmffi_any_int(0), none, none, &result));
  check_fails(step(&iterator, 0, &result), "RuntimeError", text);
  check_release(&iterator);
  check_release(&dict);

  dict = dict_of(4);
  iterator = iterate(&dict);
  check_ok(call4("ffi.DictSetItem", 3, dict, tvmffi_any_int(50), none, none, &result)); /* dense */
  check_fails(step(&iterator, 2, &result), "RuntimeError", text);
  check_release(&iterator);
  iterator = iterate(&dict);
  check_ok(call4("ffi.DictClear", 1, dict, none, none, none, &result));
  check_fails(step(&iterator, 1, &result), "RuntimeError", text);
  check_release(&iterator);
  check_release(&dict);
}

TEST(test_arguments) {
  TVMFFIAny dict = dict_of(3), iterator = iterate(&dict), args[2], result = tvmffi_any_none();
  args[0] = args[1] = tvmffi_any_int(0);
  check_fails(
      TVMFFIFunctionCall(iterator.v_obj, args, 2, &result), "TypeError",
      "Mismatched number of arguments when calling: `(0: int) -> Any`. Expected 1 but got 2 "
      "arguments");
  args[0] = tvmffi_any_none();
  check_fails(TVMFFIFunctionCall(iterator.v_obj, args, 1, &result), "TypeError",
              "Mismatched type on argument #0 when calling: `(0: int) -> Any`. Expected `int` but "
              "got `None`");
  args[0] = tvmffi_any_bool(1);
  check_ok(TVMFFIFunctionCall(iterator.v_obj, args, 1, &result));
  assert_int_equal(result.v_int64, 0);
  check_release(&iterator);
  check_release(&dict);
}

RUN_TESTS({
    cmocka_unit_test(test_walks),
    cmocka_unit_test(test_a_map),
    cmocka_unit_test(test_changes_meanwhile),
    cmocka_unit_test(test_arguments),
})
