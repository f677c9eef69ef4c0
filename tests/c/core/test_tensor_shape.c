/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tensor.h"

#include "core/any.h"
#include "support/check.h"

TEST(test_dimensions_are_copied) {
  static const int64_t kDims[] = {2, 0, -1, INT64_MAX};
  TVMFFIAny args[4], result = tvmffi_any_none();
  const TVMFFIShapeCell *cell;
  int i;
  for (i = 0; i < 4; ++i) args[i] = tvmffi_any_int(kDims[i]);
  check_ok(tvmffi_shape_from_args(args, 4, &result));
  memset(args, 0, sizeof args);
  assert_int_equal(result.type_index, kTVMFFIShape);
  assert_int_equal(check_use_count(result.v_obj), 1);
  cell = TVMFFIShapeGetCellPtr(result.v_obj);
  assert_int_equal(cell->size, 4);
  assert_memory_equal(cell->data, kDims, sizeof kDims);
  assert_ptr_equal(cell->data, cell + 1);
  check_release(&result);
}

TEST(test_F_19_no_data_when_size_is_zero) {
  TVMFFIAny result = tvmffi_any_none();
  check_ok(tvmffi_shape_from_args(NULL, 0, &result));
  assert_int_equal(TVMFFIShapeGetCellPtr(result.v_obj)->size, 0);
  check_release(&result);
}

TEST(test_from_args) {
  TVMFFIAny args[3], result = tvmffi_any_none();
  args[0] = tvmffi_any_int(7);
  args[1] = tvmffi_any_bool(1);
  args[2] = tvmffi_any_int(-3);
  check_ok(tvmffi_shape_from_args(args, 3, &result));
  assert_int_equal(result.type_index, kTVMFFIShape);
  assert_int_equal(TVMFFIShapeGetCellPtr(result.v_obj)->size, 3);
  assert_int_equal(TVMFFIShapeGetCellPtr(result.v_obj)->data[0], 7);
  assert_int_equal(TVMFFIShapeGetCellPtr(result.v_obj)->data[1], 1);
  assert_int_equal(TVMFFIShapeGetCellPtr(result.v_obj)->data[2], -3);
  check_release(&result);
}

TEST(test_from_other_args) {
  static const int32_t kRefused[] = {kTVMFFINone, kTVMFFIFloat, kTVMFFIRawStr, kTVMFFISmallStr};
  TVMFFIAny args[2], result = tvmffi_any_none(), before = result;
  size_t i;
  for (i = 0; i < sizeof kRefused / sizeof kRefused[0]; ++i) {
    args[0] = tvmffi_any_int(1);
    args[1] = tvmffi_any_none();
    args[1].type_index = kRefused[i];
    check_fails(tvmffi_shape_from_args(args, 2, &result), "ValueError",
                "Expect shape to take list of int arguments");
    assert_memory_equal(&result, &before, sizeof result);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dimensions_are_copied),
      cmocka_unit_test(test_F_19_no_data_when_size_is_zero),
      cmocka_unit_test(test_from_args),
      cmocka_unit_test(test_from_other_args),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
