/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tensor.h"

#include "c/tensor_source.h"
#include "core/any.h"
#include "support/check.h"

#define LARGE (INT64_C(1) << 40)

static const struct {
  int32_t ndim;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];
  bool contiguous;
} kLayouts[] = {
    {0, {0}, {0}, true},
    {1, {5}, {1}, true},
    {1, {5}, {2}, false},
    {1, {5}, {0}, false},
    {1, {1}, {0}, true},
    {2, {2, 3}, {3, 1}, true},
    {2, {2, 3}, {1, 2}, false},
    {2, {2, 3}, {4, 1}, false},
    {2, {1, 3}, {99, 1}, true},
    {3, {2, 1, 3}, {3, 77, 1}, true},
    {2, {1, 1}, {0, 0}, true},
    {2, {0, 3}, {7, 9}, true}, /* F-6: this and the next cases */
    {3, {3, 0, 2}, {5, 5, 5}, true},
    {3, {0, LARGE, LARGE}, {1, 2, 3}, true},
    {2, {LARGE, LARGE}, {LARGE, 1}, true},
    {3, {1, LARGE, LARGE}, {9, LARGE, 1}, true}, /* the product overflows, but is no stride */
    {3, {2, LARGE, LARGE}, {0, LARGE, 1}, false},
    {2, {2, -3}, {-3, 1}, false},
};

static void check_contiguity_is_required(int rc, TVMFFIObjectHandle tensor, bool contiguous) {
  assert_int_equal(rc, contiguous ? 0 : -1);
  if (rc == 0) {
    TVMFFIObjectDecRef(tensor);
  } else {
    check_raised("RuntimeError", "FromDLPack: Tensor is not contiguous.");
  }
}

TEST(test_F_6_contiguity) {
  size_t i;
  for (i = 0; i < sizeof kLayouts / sizeof kLayouts[0]; ++i) {
    tensor_source source;
    TVMFFIObjectHandle tensor = NULL;
    int rc;
    init_source(&source, kLayouts[i].ndim, kLayouts[i].shape, kLayouts[i].strides);
    assert_int_equal(tvmffi_tensor_is_contiguous(&source.plain.dl_tensor), kLayouts[i].contiguous);
    rc = TVMFFITensorFromDLPack(&source.plain, 0, 1, &tensor);
    check_contiguity_is_required(rc, tensor, kLayouts[i].contiguous);
    rc = TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 1, &tensor);
    check_contiguity_is_required(rc, tensor, kLayouts[i].contiguous);
    source.plain.dl_tensor.strides = NULL;
    assert_true(tvmffi_tensor_is_contiguous(&source.plain.dl_tensor));
  }
}

TEST(test_F_8_strides_are_kept_as_they_are) {
  const int64_t shape[] = {2, 1, 3}, strides[] = {3, 77, 1};
  tensor_source source;
  TVMFFIObjectHandle tensor;
  init_source(&source, 3, shape, strides);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 1, &tensor));
  assert_ptr_equal(TVMFFITensorGetDLTensorPtr(tensor)->strides, source.strides);
  assert_memory_equal(source.strides, strides, sizeof strides);
  TVMFFIObjectDecRef(tensor);
}

static void check_filled(int32_t ndim, const int64_t *shape, const int64_t *expected) {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  init_source(&source, ndim, shape, NULL);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor));
  assert_ptr_equal(TVMFFITensorGetDLTensorPtr(tensor)->shape, source.shape);
  assert_memory_equal(TVMFFITensorGetDLTensorPtr(tensor)->strides, expected,
                      (size_t)ndim * sizeof *expected);
  TVMFFIObjectDecRef(tensor);
  check_ok(tvmffi_tensor_wrap_versioned(&source.versioned, &tensor));
  assert_memory_equal(TVMFFITensorGetDLTensorPtr(tensor)->strides, expected,
                      (size_t)ndim * sizeof *expected);
  TVMFFIObjectDecRef(tensor);
}

TEST(test_missing_strides_are_filled_in) {
  const int64_t one[] = {7}, three[] = {2, 3, 4}, empty[] = {2, 0, 3};
  const int64_t large[] = {LARGE, LARGE}, largest[] = {2, INT64_MAX};
  const int64_t empty_large[] = {3, 0, LARGE, LARGE};
  const int64_t strides_of_one[] = {1}, strides_of_three[] = {12, 4, 1};
  const int64_t strides_of_empty[] = {0, 3, 1}, strides_of_large[] = {LARGE, 1};
  const int64_t strides_of_largest[] = {INT64_MAX, 1};
  const int64_t strides_of_empty_large[] = {0, 0, LARGE, 1};
  check_filled(1, one, strides_of_one);
  check_filled(3, three, strides_of_three);
  check_filled(3, empty, strides_of_empty);
  check_filled(2, large, strides_of_large);
  check_filled(2, largest, strides_of_largest);
  check_filled(4, empty_large, strides_of_empty_large);
}

static void check_not_filled(int32_t ndim, const int64_t *shape, const char *message) {
  tensor_source source;
  TVMFFIObjectHandle tensor = NULL;
  init_source(&source, ndim, shape, NULL);
  check_fails_with(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor), "ValueError", message);
  check_fails_with(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 0, &tensor), "ValueError",
                   message);
  assert_null(tensor);
  assert_int_equal(source.num_deleted, 0);
}

TEST(test_F_5_strides_do_not_overflow) {
  const int64_t large[] = {2, LARGE, LARGE}, bits32[] = {2, 65536, 65536};
  const int64_t negative[] = {2, -3}, strides_of_bits32[] = {INT64_C(1) << 32, 65536, 1};
  check_not_filled(3, large, "FromDLPack: the strides overflow int64_t");
  check_not_filled(2, negative, "FromDLPack: shape[1] is -3");
  check_filled(3, bits32, strides_of_bits32);
}

TEST(test_shapes_that_make_no_sense) {
  tensor_source source;
  TVMFFIObjectHandle tensor = NULL;
  probe p;
  probe_init(&p);
  init_source_2x3(&source);
  source.plain.dl_tensor.ndim = source.versioned.dl_tensor.ndim = -1;
  check_not_filled(-1, NULL, "FromDLPack: ndim is -1");
  check_fails(tvmffi_tensor_wrap_versioned(&source.versioned, &tensor), "ValueError", NULL);
  check_fails(TVMFFITensorCreateUnsafeView(&p, &source.plain.dl_tensor, &tensor), "ValueError",
              "TVMFFITensorCreateUnsafeView: ndim is -1");
  init_source_2x3(&source);
  source.plain.dl_tensor.shape = source.versioned.dl_tensor.shape = NULL;
  check_fails(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor), "ValueError",
              "FromDLPack: shape is NULL though ndim is 2");
  check_fails(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 1, &tensor), "ValueError",
              NULL);
  check_fails_with(TVMFFITensorCreateUnsafeView(&p, &source.plain.dl_tensor, &tensor), "ValueError",
                   "shape is NULL");
  assert_null(tensor);
}

static int import_at(uintptr_t data, int32_t device_type, uint64_t byte_offset, int32_t alignment) {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  int rc;
  init_source_2x3(&source);
  source.plain.dl_tensor.data = (void *)data;
  source.plain.dl_tensor.device = TVMFFIDLDeviceFromIntPair(device_type, 0);
  source.plain.dl_tensor.byte_offset = byte_offset;
  source.versioned.dl_tensor = source.plain.dl_tensor;
  rc = TVMFFITensorFromDLPack(&source.plain, alignment, 0, &tensor);
  if (rc == 0) TVMFFIObjectDecRef(tensor);
  assert_int_equal(TVMFFITensorFromDLPackVersioned(&source.versioned, alignment, 0, &tensor), rc);
  if (rc == 0) TVMFFIObjectDecRef(tensor);
  return rc;
}

TEST(test_alignment) {
  static const int kAddressable[] = {kDLCPU,  kDLCUDA,     kDLCUDAHost,
                                     kDLROCM, kDLROCMHost, kDLCUDAManaged};
  static const int kOthers[] = {kDLOpenCL, kDLVulkan, kDLMetal,   kDLVPI,  kDLExtDev,
                                kDLOneAPI, kDLWebGPU, kDLHexagon, kDLMAIA, kDLTrn};
  size_t i;
  for (i = 0; i < sizeof kAddressable / sizeof kAddressable[0]; ++i) {
    check_ok(import_at(4, kAddressable[i], 4, 8));
    check_fails(import_at(4, kAddressable[i], 8, 8), "RuntimeError",
                "FromDLPack: Data is not aligned to 8 bytes.");
  }
  for (i = 0; i < sizeof kOthers / sizeof kOthers[0]; ++i) { /* here data is not an address */
    check_ok(import_at(4, kOthers[i], 8, 8));
    check_fails(import_at(4, kOthers[i], 4, 8), "RuntimeError", NULL);
  }
  check_ok(import_at(0, kDLCPU, 0, 64));
  check_fails(import_at(0, kDLCPU, 1, 64), "RuntimeError", NULL);
  check_ok(import_at(1, kDLCPU, 1, 0));
  check_ok(import_at(12, kDLCPU, 12, 24));
  check_fails(import_at(12, kDLCPU, 0, 24), "RuntimeError", NULL);
  check_fails(import_at(8, kDLCPU, 0, -8), "ValueError", "FromDLPack: require_alignment is -8");
}

TEST(test_bytes_of_all_elements) {
  int64_t shape[3] = {2, 3, 5};
  DLTensor tensor;
  size_t size;
  memset(&tensor, 0, sizeof tensor);
  tensor.shape = shape;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 2;
  check_ok(tvmffi_tensor_data_size(&tensor, &size));
  assert_int_equal(size, 8);
  tensor.ndim = 3;
  check_ok(tvmffi_tensor_data_size(&tensor, &size));
  assert_int_equal(size, 240);
  tensor.dtype.bits = 4;
  tensor.dtype.lanes = 1;
  tensor.ndim = 2;
  check_ok(tvmffi_tensor_data_size(&tensor, &size));
  assert_int_equal(size, 3);
  shape[1] = 1;
  tensor.dtype.bits = 3;
  check_ok(tvmffi_tensor_data_size(&tensor, &size));
  assert_int_equal(size, 1);
  shape[0] = 0;
  check_ok(tvmffi_tensor_data_size(&tensor, &size));
  assert_int_equal(size, 0);
  shape[0] = INT64_MAX;
  check_fails(tvmffi_tensor_data_size(&tensor, &size), "ValueError",
              "The tensor has more elements than memory can hold");
  shape[0] = -1;
  check_fails(tvmffi_tensor_data_size(&tensor, &size), "ValueError",
              "The tensor has more elements than memory can hold");
}

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

RUN_TESTS({
    cmocka_unit_test(test_F_6_contiguity),
    cmocka_unit_test(test_F_8_strides_are_kept_as_they_are),
    cmocka_unit_test(test_missing_strides_are_filled_in),
    cmocka_unit_test(test_F_5_strides_do_not_overflow),
    cmocka_unit_test(test_shapes_that_make_no_sense),
    cmocka_unit_test(test_alignment),
    cmocka_unit_test(test_bytes_of_all_elements),
    cmocka_unit_test(test_dimensions_are_copied),
    cmocka_unit_test(test_F_19_no_data_when_size_is_zero),
    cmocka_unit_test(test_from_args),
    cmocka_unit_test(test_from_other_args),
})
