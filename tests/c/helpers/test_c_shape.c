/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/container.h>
#include <tvm/ffi/c/shape.h>

#include "c/c_support.h"

TEST(test_numbers_of_elements) {
  const int64_t plain[] = {2, 3, 4}, zero[] = {INT64_C(1) << 40, INT64_C(1) << 40, 0};
  const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40}, negative[] = {2, -1};
  const int64_t largest[] = {INT64_MAX, 1};
  assert_int_equal(tvm_ffi_shape_get_numel(plain, 3), 24);
  assert_int_equal(tvm_ffi_shape_get_numel(NULL, 0), 1);
  assert_int_equal(tvm_ffi_shape_get_numel(zero, 3), 0);
  assert_int_equal(tvm_ffi_shape_get_numel(huge, 2), -1);
  assert_int_equal(tvm_ffi_shape_get_numel(negative, 2), -1);
  assert_true(tvm_ffi_shape_get_numel(largest, 2) == INT64_MAX);
}

TEST(test_strides_and_equality) {
  const int64_t shape[] = {2, 3, 4}, other[] = {2, 3, 5};
  int64_t strides[3] = {0, 0, 0};
  tvm_ffi_shape_fill_strides(shape, 3, strides);
  assert_true(strides[0] == 12 && strides[1] == 4 && strides[2] == 1);
  tvm_ffi_shape_fill_strides(NULL, 0, NULL);
  assert_true(tvm_ffi_shape_equal(shape, 2, other, 2));
  assert_false(tvm_ffi_shape_equal(shape, 3, other, 3));
  assert_false(tvm_ffi_shape_equal(shape, 3, shape, 2));
  assert_true(tvm_ffi_shape_equal(NULL, 0, shape, 0));
}

TEST(test_printing) {
  const int64_t shape[] = {2, -3, INT64_MIN};
  char text[64];
  size_t capacity;
  assert_string_equal(tvm_ffi_shape_print(shape, 3, text, sizeof text),
                      "[2, -3, -9223372036854775808]");
  assert_string_equal(tvm_ffi_shape_print(shape, 0, text, sizeof text), "[]");
  assert_string_equal(tvm_ffi_shape_print(shape, 2, text, 16), "[2, -3]");
  assert_string_equal(tvm_ffi_shape_print(shape, 3, text, 16), "[2, -3, ...]");
  assert_string_equal(tvm_ffi_shape_print(shape + 2, 1, text, 16), "[...]");
  for (capacity = 0; capacity < 40; ++capacity) {
    memset(text, '#', sizeof text);
    tvm_ffi_shape_print(shape, 3, text, capacity);
    if (capacity != 0) assert_true(strlen(text) < capacity);
    assert_int_equal(text[capacity], '#');
  }
}

TEST(test_shape_objects) {
  int64_t shape[20];
  const TVMFFIShapeCell *cell;
  TVMFFIObjectHandle object = NULL;
  int32_t ndim, i;
  needs_global("ffi.Shape");
  for (i = 0; i < 20; ++i) shape[i] = i * i;
  for (ndim = 0; ndim <= 20; ndim += 4) {
    check_ok(tvm_ffi_shape_create(ndim != 0 ? shape : NULL, ndim, &object));
    assert_int_equal(TVMFFIObjectGetTypeIndex(object), kTVMFFIShape);
    assert_int_equal(check_use_count(object), 1);
    cell = TVMFFIShapeGetCellPtr(object);
    assert_int_equal(cell->size, ndim);
    assert_true(tvm_ffi_shape_equal(cell->data, ndim, shape, ndim));
    TVMFFIObjectDecRef(object);
  }
}

TEST(test_values_that_are_shapes) {
  int64_t shape[] = {5, 6, 7}, buffer[2] = {-1, -1};
  TVMFFIShapeCell cell = {NULL, 99};
  TVMFFIObjectHandle object = NULL;
  struct {
    TVMFFIObject header;
    TVMFFISeqCell cell;
  } list;
  TVMFFIAny any, items[3];
  needs_global("ffi.Shape");
  needs_global("ffi.Array");
  check_ok(tvm_ffi_shape_create(shape, 3, &object)); /* a Shape object needs no buffer */
  any = tvm_ffi_any_view_object(object);
  check_ok(tvm_ffi_any_read_shape(&any, NULL, 0, &cell));
  assert_ptr_equal(cell.data, TVMFFIShapeGetCellPtr(object)->data);
  assert_int_equal(cell.size, 3);
  TVMFFIObjectDecRef(object);

  items[0] = tvm_ffi_any_from_int64(8);
  items[1] = tvm_ffi_any_from_bool(true);
  items[2] = tvm_ffi_any_from_int64(9);
  check_ok(tvm_ffi_array_create(items, 2, &object));
  any = tvm_ffi_any_view_object(object);
  check_ok(tvm_ffi_any_read_shape(&any, buffer, 2, &cell));
  assert_ptr_equal(cell.data, buffer);
  assert_true(cell.size == 2 && buffer[0] == 8 && buffer[1] == 1);
  TVMFFIObjectDecRef(object);

  items[1] = tvm_ffi_any_from_double(1);
  check_ok(tvm_ffi_array_create(items, 3, &object));
  any = tvm_ffi_any_view_object(object);
  check_fails(tvm_ffi_any_read_shape(&any, buffer, 2, &cell), "TypeError",
              "Cannot convert from type `ffi.Array` to `ffi.Shape`");
  TVMFFIObjectDecRef(object);

  list.header.type_index = kTVMFFIList;
  list.cell.data = items;
  list.cell.size = 1;
  any = tvm_ffi_any_view_object(&list);
  check_ok(tvm_ffi_any_read_shape(&any, buffer, 2, &cell));
  assert_true(cell.size == 1 && buffer[0] == 8);
  check_fails(tvm_ffi_any_read_shape(&any, buffer, 0, &cell), "ValueError",
              "More than 0 extents in a shape");
  any = tvm_ffi_any_from_int64(4);
  check_fails(tvm_ffi_any_read_shape(&any, buffer, 2, &cell), "TypeError",
              "Cannot convert from type `int` to `ffi.Shape`");
}

RUN_TESTS({
    cmocka_unit_test(test_numbers_of_elements),
    cmocka_unit_test(test_strides_and_equality),
    cmocka_unit_test(test_printing),
    cmocka_unit_test(test_shape_objects),
    cmocka_unit_test(test_values_that_are_shapes),
})
