/* SPDX-License-Identifier: Apache-2.0 */
#include "c/module_support.h"
#include "container/array.h"
#include "core/string_object.h"
#include "core/type.h"

static TVMFFIAny make(const TVMFFIAny *args, int32_t num_args) {
  TVMFFIAny array;
  check_ok(call_global("ffi.Array", args, num_args, &array));
  assert_int_equal(array.type_index, kTVMFFIArray);
  assert_int_equal(TVMFFISeqGetCellPtr(array.v_obj)->capacity, num_args);
  assert_int_equal(tvmffi_array_size(array.v_obj), num_args);
  return array;
}

TEST(test_arguments_become_owned) {
  TVMFFIByteArray bytes = check_bytes("bytes");
  TVMFFIObjectHandle moved = tvmffi_string_new(kTVMFFIStr, "x", 1);
  TVMFFIAny args[5], array;
  probe p;
  probe_init(&p);
  args[0] = tvmffi_any_raw_str("a raw string");
  args[1] = tvmffi_any_ptr(kTVMFFIByteArrayPtr, &bytes);
  args[2] = tvmffi_any_object(&p);
  args[3] = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &moved);
  args[4] = tvmffi_any_int(5);
  array = make(args, 5);
  assert_null(moved);
  assert_int_equal(tvmffi_array_items(array.v_obj)[0].type_index, kTVMFFIStr);
  assert_int_equal(tvmffi_array_items(array.v_obj)[1].type_index, kTVMFFISmallBytes);
  assert_int_equal(tvmffi_array_items(array.v_obj)[3].type_index, kTVMFFIStr);
  assert_int_equal(check_use_count(&p), 2);
  check_release(&array);
  assert_int_equal(check_use_count(&p), 1);
  array = make(NULL, 0);
  check_release(&array);
}

TEST(test_an_argument_that_cannot_be_owned) {
  TVMFFIObjectHandle nothing = NULL;
  TVMFFIAny args[2], array;
  probe p;
  probe_init(&p);
  args[0] = tvmffi_any_object(&p);
  args[1] = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &nothing);
  check_fails_with(call_global("ffi.Array", args, 2, &array), "InternalError", "already moved");
  assert_int_equal(check_use_count(&p), 1);
}

TEST(test_items_and_size) {
  TVMFFIAny args[2], array, result;
  args[0] = tvmffi_any_raw_str("the first item");
  args[1] = tvmffi_any_int(7);
  array = make(args, 2);
  args[0] = array;
  check_ok(call_global("ffi.ArraySize", args, 1, &result));
  assert_int_equal(result.v_int64, 2);
  args[1] = tvmffi_any_int(0);
  check_ok(call_global("ffi.ArrayGetItem", args, 2, &result));
  assert_int_equal(check_use_count(result.v_obj), 2);
  check_release(&result);
  args[1] = tvmffi_any_int(1);
  check_ok(call_global("ffi.ArrayGetItem", args, 2, &result));
  assert_int_equal(result.v_int64, 7);
  args[1] = tvmffi_any_int(2);
  check_fails(call_global("ffi.ArrayGetItem", args, 2, &result), "IndexError",
              "Index 2 out of bounds 2");
  args[1] = tvmffi_any_int(-1);
  check_fails(call_global("ffi.ArrayGetItem", args, 2, &result), "IndexError",
              "Index -1 out of bounds 2");
  args[1] = tvmffi_any_none();
  check_fails(call_global("ffi.ArrayGetItem", args, 2, &result), "TypeError",
              "Mismatched type on argument #1 when calling: `ffi.ArrayGetItem(0: ffi.Array, 1: "
              "int) -> Any`. Expected `int` but got `None`");
  check_release(&array);
}

TEST(test_contains) {
  TVMFFIByteArray bytes = check_bytes("a text of some length");
  TVMFFIAny args[2], array, result;
  args[0] = tvmffi_any_int(1);
  args[1] = tvmffi_any_raw_str(bytes.data);
  array = make(args, 2);
  args[0] = array;
  check_ok(call_global("ffi.ArrayContains", args, 2, &result));
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 1);
  args[1] = tvmffi_any_ptr(kTVMFFIByteArrayPtr, &bytes);
  check_ok(call_global("ffi.ArrayContains", args, 2, &result));
  assert_int_equal(result.v_int64, 0);
  args[1] = tvmffi_any_bool(1);
  check_ok(call_global("ffi.ArrayContains", args, 2, &result));
  assert_int_equal(result.v_int64, 0);
  args[1] = tvmffi_any_int(1);
  check_ok(call_global("ffi.ArrayContains", args, 2, &result));
  assert_int_equal(result.v_int64, 1);
  check_release(&array);
}

TEST(test_type_keys) {
  TVMFFIAny result;
  TVMFFIByteArray key;
  int64_t i, size;
  int32_t index, last = -1;
  check_ok(call_global("ffi.GetRegisteredTypeKeys", NULL, 0, &result));
  size = tvmffi_array_size(result.v_obj);
  assert_true(size >= 14 + 15);
  for (i = 0; i < size; ++i) { /* keys are listed in order of type index */
    assert_true(tvmffi_any_get_text(&tvmffi_array_items(result.v_obj)[i], &key));
    check_ok(TVMFFITypeKeyToIndex(&key, &index));
    assert_true(index > last);
    last = index;
  }
  assert_int_equal(last, tvmffi_type_end() - 1);
  check_release(&result);
}

RUN_TESTS({
    cmocka_unit_test(test_arguments_become_owned),
    cmocka_unit_test(test_an_argument_that_cannot_be_owned),
    cmocka_unit_test(test_items_and_size),
    cmocka_unit_test(test_contains),
    cmocka_unit_test(test_type_keys),
})
