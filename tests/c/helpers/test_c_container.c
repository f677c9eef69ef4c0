/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/container.h>

#include "c/c_support.h"

TEST(test_arrays) {
  TVMFFIObjectHandle array = NULL;
  const TVMFFIAny *item = NULL;
  TVMFFIByteArray text = {NULL, 0};
  TVMFFIAny items[3];
  probe p;
  needs_global("ffi.Array");
  probe_init(&p);
  items[0] = tvm_ffi_any_from_int64(5);
  items[1] = tvm_ffi_any_view_string("a string of some length"); /* F-23: becomes owned text */
  items[2] = tvm_ffi_any_view_object(&p);
  check_ok(tvm_ffi_array_create(items, 3, &array));
  assert_int_equal(TVMFFIObjectGetTypeIndex(array), kTVMFFIArray);
  assert_int_equal(tvm_ffi_array_get_size(array), 3);
  assert_int_equal(check_use_count(&p), 2);
  check_ok(tvm_ffi_array_read_item(array, 0, &item));
  assert_ptr_equal(item, tvm_ffi_array_get_data(array));
  assert_int_equal(item->v_int64, 5);
  check_ok(tvm_ffi_array_read_item(array, 1, &item));
  assert_int_equal(item->type_index, kTVMFFIStr);
  check_ok(tvm_ffi_any_read_string(item, &text));
  assert_string_equal(text.data, "a string of some length");
  check_fails(tvm_ffi_array_read_item(array, 3, &item), "IndexError", "Index 3 out of bounds 3");
  check_fails(tvm_ffi_array_read_item(array, -1, &item), "IndexError", "Index -1 out of bounds 3");
  TVMFFIObjectDecRef(array);
  assert_int_equal(check_use_count(&p), 1);

  check_ok(tvm_ffi_array_create(NULL, 0, &array));
  assert_int_equal(tvm_ffi_array_get_size(array), 0);
  check_fails(tvm_ffi_array_read_item(array, 0, &item), "IndexError", "Index 0 out of bounds 0");
  TVMFFIObjectDecRef(array);
}

TEST(test_lists) {
  TVMFFIObjectHandle list = NULL;
  TVMFFIAny item = tvm_ffi_any_from_int64(1);
  int64_t i, value = 0;
  needs_global("ffi.List");
  check_ok(tvm_ffi_list_create(&item, 1, &list));
  assert_int_equal(TVMFFIObjectGetTypeIndex(list), kTVMFFIList);
  for (i = 2; i <= 10; ++i) check_ok(tvm_ffi_list_append(list, tvm_ffi_any_from_int64(i)));
  assert_int_equal(tvm_ffi_array_get_size(list), 10);
  for (i = 0; i < 10; ++i) {
    check_ok(tvm_ffi_any_read_int64(tvm_ffi_array_get_data(list) + i, &value));
    assert_int_equal(value, i + 1);
  }
  TVMFFIObjectDecRef(list);
}

/* A container owns its elements, so it refuses borrowed tensors. */
TEST(test_borrowed_tensors_are_refused) {
  static const char text[] =
      "DLTensor* cannot be held in Any as it does not retain ownership, use Tensor instead";
  TVMFFIObjectHandle out = NULL;
  DLTensor tensor;
  TVMFFIAny items[2];
  items[0] = tvm_ffi_any_from_int64(5);
  items[1] = tvm_ffi_any_view_tensor(&tensor);
  check_fails(tvm_ffi_array_create(items, 2, &out), "RuntimeError", text);
  check_fails(tvm_ffi_list_create(items, 2, &out), "RuntimeError", text);
  check_fails(tvm_ffi_map_create(items, 1, &out), "RuntimeError", text);
  assert_null(out);
  check_fails(tvm_ffi_list_append(NULL, items[1]), "RuntimeError", text);
}

static void test_map(TVMFFIObjectHandle map) {
  TVMFFIAny value;
  int64_t size = 0;
  bool has = false;
  check_ok(tvm_ffi_map_read_size(map, &size));
  assert_int_equal(size, 2);
  check_ok(tvm_ffi_map_get_item(map, tvm_ffi_any_view_string("axis"), &value));
  assert_int_equal(value.v_int64, 3);
  check_ok(tvm_ffi_map_get_item(map, tvm_ffi_any_from_int64(8), &value));
  assert_int_equal(value.type_index, kTVMFFIStr);
  assert_int_equal(check_use_count(value.v_obj), 2);
  tvm_ffi_any_clear(&value);
  check_ok(tvm_ffi_map_has(map, tvm_ffi_any_from_int64(8), &has));
  assert_true(has);
  check_ok(tvm_ffi_map_has(map, tvm_ffi_any_from_double(8), &has));
  assert_false(has);
  check_fails(tvm_ffi_map_get_item(map, tvm_ffi_any_none(), &value), "KeyError",
              "key is not in Map");
}

TEST(test_maps_and_dicts) {
  TVMFFIObjectHandle map = NULL;
  TVMFFIAny items[6], result;
  int64_t size;
  bool has;
  needs_global("ffi.Map");
  needs_global("ffi.Dict");
  items[0] = tvm_ffi_any_view_string("axis");
  items[1] = tvm_ffi_any_from_int64(2);
  items[2] = tvm_ffi_any_from_int64(8);
  items[3] = tvm_ffi_any_view_string("a longer text");
  items[4] = items[0];
  items[5] = tvm_ffi_any_from_int64(3);
  check_ok(tvm_ffi_map_create(items, 3, &map));
  assert_int_equal(TVMFFIObjectGetTypeIndex(map), kTVMFFIMap);
  test_map(map);
  TVMFFIObjectDecRef(map);
  check_ok(tvm_ffi_function_call_global("ffi.Dict", items, 6, &result));
  test_map(result.v_obj);
  tvm_ffi_any_clear(&result);

  check_ok(tvm_ffi_array_create(NULL, 0, &map));
  check_fails_with(tvm_ffi_map_read_size(map, &size), "TypeError", "but got `ffi.Array`");
  check_fails_with(tvm_ffi_map_has(map, items[0], &has), "TypeError", "but got `ffi.Array`");
  check_fails_with(tvm_ffi_map_get_item(map, items[0], &result), "TypeError", "got `ffi.Array`");
  TVMFFIObjectDecRef(map);
}

RUN_TESTS({
    cmocka_unit_test(test_arrays),
    cmocka_unit_test(test_lists),
    cmocka_unit_test(test_borrowed_tensors_are_refused),
    cmocka_unit_test(test_maps_and_dicts),
})
