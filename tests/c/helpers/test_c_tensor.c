/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a DLTensor; test_c_tensor_create.c tests Tensor objects. */
#include <tvm/ffi/c/tensor.h>

#include "support/check.h"

static const DLDevice cpu = {kDLCPU, 0};

/* F-9: indices out of range at either end are refused. */
TEST(test_F_9_sizes_and_strides) {
  int64_t shape[2] = {3, 5}, strides[2] = {50, 7}, value = 99;
  DLTensor t;
  tvm_ffi_tensor_init(&t, NULL, cpu, TVM_FFI_C_INT8, 2, shape, strides);
  strides[0] = 50, strides[1] = 7;
  check_ok(tvm_ffi_tensor_read_size(&t, 0, &value));
  assert_int_equal(value, 3);
  check_ok(tvm_ffi_tensor_read_size(&t, -1, &value));
  assert_int_equal(value, 5);
  check_ok(tvm_ffi_tensor_read_size(&t, -2, &value));
  assert_int_equal(value, 3);
  check_ok(tvm_ffi_tensor_read_stride(&t, 0, &value));
  assert_int_equal(value, 50);
  check_ok(tvm_ffi_tensor_read_stride(&t, -1, &value));
  assert_int_equal(value, 7);
  check_fails(tvm_ffi_tensor_read_size(&t, 2, &value), "IndexError",
              "Index 2 out of bounds for tensor with 2 dimensions");
  check_fails(tvm_ffi_tensor_read_size(&t, -3, &value), "IndexError",
              "Index -3 out of bounds for tensor with 2 dimensions");
  check_fails(tvm_ffi_tensor_read_stride(&t, INT32_MIN, &value), "IndexError", NULL);
  assert_int_equal(value, 7);
  t.strides = NULL;
  check_ok(tvm_ffi_tensor_read_stride(&t, 0, &value));
  assert_int_equal(value, 5);
  check_ok(tvm_ffi_tensor_read_stride(&t, 1, &value));
  assert_int_equal(value, 1);
  t.ndim = 0;
  check_fails(tvm_ffi_tensor_read_size(&t, 0, &value), "IndexError",
              "Index 0 out of bounds for tensor with 0 dimensions");
}

static int64_t stride_of(int64_t a, int64_t b, int64_t s, int64_t u, int32_t i) {
  int64_t shape[2], strides[2], value = 99;
  DLTensor t;
  tvm_ffi_tensor_init(&t, NULL, cpu, TVM_FFI_C_INT8, 0, NULL, NULL);
  shape[0] = a, shape[1] = b;
  strides[0] = s, strides[1] = u;
  t.ndim = 2;
  t.shape = shape;
  t.strides = strides;
  check_ok(tvm_ffi_tensor_read_stride(&t, i, &value));
  return value;
}

/* A stride that moves to no other element is what a contiguous tensor has. */
TEST(test_L_23_strides_that_do_not_count) {
  assert_int_equal(stride_of(1, 8, 1, 1, 0), 8);
  assert_int_equal(stride_of(1, 8, -77, 2, 0), 8);
  assert_int_equal(stride_of(1, 8, -77, 2, 1), 2);
  assert_int_equal(stride_of(8, 1, 1, 1, 0), 1);
  assert_int_equal(stride_of(8, 1, 5, 99, 0), 5);
  assert_int_equal(stride_of(8, 1, 5, 99, 1), 1);
  assert_int_equal(stride_of(2, 8, 0, 1, 0), 0); /* a broadcast */
  assert_int_equal(stride_of(0, 8, 5, 5, 0), 8);
  assert_int_equal(stride_of(0, 8, 5, 5, 1), 1);
  assert_int_equal(stride_of(8, 0, 0, 0, 0), 1);
  assert_int_equal(stride_of(8, 0, 5, 5, -1), 1);
}

TEST(test_data_and_numel) {
  float values[4];
  int64_t shape[2] = {2, 2}, strides[2];
  DLTensor t;
  tvm_ffi_tensor_init(&t, values, cpu, TVM_FFI_C_FLOAT32, 2, shape, strides);
  assert_true(strides[0] == 2 && strides[1] == 1 && t.byte_offset == 0);
  assert_ptr_equal(tvm_ffi_tensor_get_data(&t), values);
  t.byte_offset = 8;
  assert_ptr_equal(tvm_ffi_tensor_get_data(&t), values + 2);
  assert_int_equal(tvm_ffi_tensor_get_numel(&t), 4);
  t.data = NULL; /* F-19: no arithmetic on a NULL pointer */
  assert_null(tvm_ffi_tensor_get_data(&t));
  t.ndim = 0;
  assert_int_equal(tvm_ffi_tensor_get_numel(&t), 1);
}

TEST(test_F_5_sizes_in_bytes) {
  int64_t shape[2] = {3, 3}, strides[2];
  size_t size = 99;
  DLTensor t;
  tvm_ffi_tensor_init(&t, NULL, cpu, tvm_ffi_dtype_make(kDLUInt, 1, 1), 2, shape, strides);
  check_ok(tvm_ffi_tensor_compute_size(&t, &size));
  assert_int_equal(size, 2);
  shape[0] = INT64_C(1) << 32, shape[1] = INT64_C(1) << 32;
  check_fails(tvm_ffi_tensor_compute_size(&t, &size), "ValueError",
              "Shape [4294967296, 4294967296] has a negative extent or too many elements");
  shape[0] = 0, shape[1] = INT64_MAX;
  check_ok(tvm_ffi_tensor_compute_size(&t, &size));
  assert_int_equal(size, 0);
  shape[0] = -1;
  check_fails_with(tvm_ffi_tensor_compute_size(&t, &size), "ValueError", "[-1, ");
  shape[0] = 65536, shape[1] = 65536;
  t.dtype = TVM_FFI_C_FLOAT64;
#if SIZE_MAX > 0xffffffffu
  check_ok(tvm_ffi_tensor_compute_size(&t, &size));
  assert_true(size == (size_t)1 << 35);
#else
  check_fails_with(tvm_ffi_tensor_compute_size(&t, &size), "ValueError", "fit in memory");
#endif
}

static bool is_contiguous(int32_t ndim, int64_t a, int64_t b, int64_t c, int64_t s, int64_t u,
                          int64_t v) {
  int64_t shape[3], strides[3];
  DLTensor t;
  tvm_ffi_tensor_init(&t, NULL, cpu, TVM_FFI_C_INT8, 0, shape, strides);
  t.ndim = ndim;
  shape[0] = a, shape[1] = b, shape[2] = c;
  strides[0] = s, strides[1] = u, strides[2] = v;
  return tvm_ffi_tensor_is_contiguous(&t);
}

/* F-6: a tensor without elements is contiguous. */
TEST(test_F_6_contiguity) {
  int64_t shape[1] = {3};
  DLTensor t;
  assert_true(is_contiguous(2, 0, 3, 0, 77, 99, 0));
  assert_true(is_contiguous(3, 3, 0, 2, 5, 5, 5));
  assert_true(is_contiguous(3, 2, 3, 0, 5, 5, 5));
  assert_true(is_contiguous(3, 2, 3, 4, 12, 4, 1));
  assert_true(is_contiguous(3, 2, 1, 4, 4, 99, 1)); /* strides of extents of 1 do not count */
  assert_true(is_contiguous(3, 1, 1, 1, -5, 0, 7));
  assert_true(is_contiguous(0, 0, 0, 0, 0, 0, 0));
  assert_false(is_contiguous(3, 2, 3, 4, 12, 4, 2));
  assert_false(is_contiguous(2, 2, 3, 0, 1, 2, 0));
  assert_false(is_contiguous(2, 2, 3, 0, 4, 1, 0));
  assert_false(is_contiguous(1, 3, 0, 0, -1, 0, 0));
  assert_false(is_contiguous(1, 3, 0, 0, 0, 0, 0));
  shape[0] = 3;
  tvm_ffi_tensor_init(&t, NULL, cpu, TVM_FFI_C_INT8, 1, shape, NULL);
  assert_null(t.strides);
  assert_true(tvm_ffi_tensor_is_contiguous(&t));
}

static const struct {
  DLDataType dtype;
  int32_t ndim;
  int64_t shape[2], strides[2];
  bool is_strided;
  int64_t begin, end; /* 1, 0: none are found */
} kBytes[] = {
    {{kDLFloat, 32, 1}, 0, {0}, {0}, false, 0, 4},
    {{kDLFloat, 32, 1}, 2, {2, 3}, {0}, false, 0, 24},
    {{kDLFloat, 32, 1}, 2, {2, 3}, {5, 1}, true, 0, 32},
    {{kDLFloat, 32, 1}, 2, {2, 3}, {-3, 1}, true, -12, 12},
    {{kDLFloat, 32, 1}, 2, {2, 3}, {-3, -1}, true, -20, 4},
    {{kDLFloat, 32, 1}, 2, {2, INT64_C(1) << 40}, {1, 0}, true, 0, 8}, /* repeated elements */
    {{kDLFloat, 32, 1}, 2, {1, 3}, {INT64_MAX, 1}, true, 0, 12},       /* a stride of nothing */
    {{kDLFloat, 32, 1}, 2, {0, 3}, {INT64_MIN, 1}, true, 0, 0},
    {{kDLFloat, 32, 1}, 2, {0, INT64_MAX}, {0}, false, 0, 0},
    /* Elements below a byte are packed, with all their lanes. */
    {{kDLInt, 4, 3}, 1, {4}, {0}, false, 0, 6},
    {{kDLInt, 4, 3}, 1, {3}, {1}, true, 0, 5},
    {{kDLInt, 4, 2}, 1, {3}, {-1}, true, -2, 1}, /* whole bytes */
    {{kDLUInt, 1, 1}, 2, {3, 3}, {3, 1}, true, 0, 2},
    {{kDLFloat, 32, 1}, 1, {-1}, {0}, false, 1, 0},
    {{kDLFloat, 32, 1}, 2, {INT64_MAX, 2}, {0}, false, 1, 0},
    {{kDLFloat, 0, 1}, 1, {3}, {0}, false, 1, 0},
    {{kDLFloat, 32, 0}, 1, {3}, {0}, false, 1, 0},
    {{kDLFloat, 32, 0xffff}, 1, {3}, {0}, false, 1, 0}, /* scalable */
    {{kDLInt, 4, 1}, 1, {3}, {2}, true, 1, 0},
    {{kDLUInt, 1, 1}, 2, {3, 3}, {1, 3}, true, 1, 0},
    {{kDLInt, 8, 1}, 1, {2}, {INT64_MAX}, true, 1, 0}, /* the end is beyond int64_t */
    {{kDLInt, 16, 1}, 1, {2}, {INT64_MIN / 2 - 1}, true, 1, 0},
    {{kDLInt, 8, 1}, 2, {3, 3}, {INT64_MAX / 2, INT64_MAX / 2}, true, 1, 0},
    {{kDLFloat, 64, 1}, 1, {INT64_MAX}, {0}, false, 1, 0},
    {{kDLInt, 4, 3}, 1, {INT64_MAX}, {0}, false, 1, 0},
};

TEST(test_bytes_of_elements) {
  size_t i;
  for (i = 0; i < sizeof kBytes / sizeof kBytes[0]; ++i) {
    const bool is_found = kBytes[i].begin <= 0;
    int64_t shape[2], strides[2], begin = 99, end = 99;
    DLTensor t;
    memcpy(shape, kBytes[i].shape, sizeof shape);
    memcpy(strides, kBytes[i].strides, sizeof strides);
    tvm_ffi_tensor_init(&t, NULL, cpu, kBytes[i].dtype, 0, shape, NULL);
    t.ndim = kBytes[i].ndim;
    if (kBytes[i].is_strided) t.strides = strides;
    assert_int_equal(tvm_ffi_tensor_find_bytes(&t, &begin, &end), is_found);
    assert_int_equal(begin, is_found ? kBytes[i].begin : 0);
    assert_int_equal(end, is_found ? kBytes[i].end : 0);
  }
}

TEST(test_alignment) {
  int64_t shape[1] = {1}, strides[1];
  DLTensor t;
  tvm_ffi_tensor_init(&t, (void *)(uintptr_t)0x1010, cpu, TVM_FFI_C_INT8, 1, shape, strides);
  assert_true(tvm_ffi_tensor_is_aligned(&t, 16));
  assert_false(tvm_ffi_tensor_is_aligned(&t, 32));
  t.byte_offset = 16;
  assert_true(tvm_ffi_tensor_is_aligned(&t, 32));
  t.device.device_type = kDLVulkan; /* on this device data is a handle, so only the offset counts */
  assert_false(tvm_ffi_tensor_is_aligned(&t, 32));
  t.byte_offset = 32;
  assert_true(tvm_ffi_tensor_is_aligned(&t, 32));
  t.byte_offset = 1;
  shape[0] = 0; /* there is nothing to align */
  assert_true(tvm_ffi_tensor_is_aligned(&t, 32));
}

/* A view 4,000 bytes into a buffer of 48 is refused, and others just behind its end. */
TEST(test_elements_within_a_buffer) {
  int64_t shape[2] = {2, 5}, strides[2], end;
  uint64_t offset = 1;
  DLTensor t;
  tvm_ffi_tensor_init(&t, &t, tvm_ffi_device_make(kDLOpenCL, 0), TVM_FFI_C_FLOAT32, 2, shape,
                      strides);
  t.byte_offset = 4000;
  assert_ptr_equal(tvm_ffi_tensor_get_handle(&t, &offset), &t);
  assert_int_equal(offset, 4000);
  check_fails(tvm_ffi_tensor_check_within(&t, 48), "ValueError",
              "Mismatched buffer of a tensor. Expected 40 bytes from byte_offset 4000 on but got "
              "48 bytes in all");
  check_ok(tvm_ffi_tensor_check_within(&t, 4040));
  check_fails(tvm_ffi_tensor_check_within(&t, 4039), "ValueError", NULL);
  for (t.byte_offset = 0; t.byte_offset <= 8; ++t.byte_offset) {
    check_ok(tvm_ffi_tensor_check_within(&t, 48));
  }
  check_fails(tvm_ffi_tensor_check_within(&t, 48), "ValueError", NULL); /* 9 */
  t.byte_offset = UINT64_MAX - 7; /* the end wraps around to 32 */
  check_fails(tvm_ffi_tensor_check_within(&t, 48), "ValueError", NULL);
  check_fails(tvm_ffi_tensor_check_within(&t, UINT64_MAX), "ValueError", NULL);
  strides[0] = -6; /* the last row is 24 bytes before the first */
  t.byte_offset = 24;
  check_ok(tvm_ffi_tensor_check_within(&t, 44));
  check_fails(tvm_ffi_tensor_check_within(&t, 43), "ValueError",
              "Mismatched buffer of a tensor. Expected 20 bytes from byte_offset 24 on but got 43 "
              "bytes in all");
  t.byte_offset = 20;
  check_fails(tvm_ffi_tensor_check_within(&t, 1000), "ValueError",
              "Mismatched buffer of a tensor. Expected elements from its byte 0 on but got "
              "elements from byte -4 on");
  end = strides[0] = INT64_MAX;
  check_fails(tvm_ffi_tensor_check_within(&t, (uint64_t)end), "ValueError",
              "Mismatched buffer of a tensor. Expected extents, strides and a dtype with a number "
              "of bytes but got others");
  shape[1] = 0;
  t.byte_offset = 4000;
  check_ok(tvm_ffi_tensor_check_within(&t, 0));
  shape[1] = -1;
  check_fails(tvm_ffi_tensor_check_within(&t, 48), "ValueError", NULL);
}

TEST(test_same_shape) {
  int64_t shape[2] = {2, 3}, other[2] = {2, 4}, strides[2];
  DLTensor a, b;
  tvm_ffi_tensor_init(&a, NULL, cpu, TVM_FFI_C_INT8, 2, shape, strides);
  tvm_ffi_tensor_init(&b, NULL, cpu, TVM_FFI_C_INT8, 2, other, strides);
  assert_true(tvm_ffi_tensor_has_same_shape(&a, &a));
  assert_false(tvm_ffi_tensor_has_same_shape(&a, &b));
  b.ndim = 1;
  assert_false(tvm_ffi_tensor_has_same_shape(&a, &b));
}

/* Every element of y becomes 10 times that of x. @return How many runs there were. */
static int multiply(const DLTensor *y, const DLTensor *x, bool *is_contiguous) {
  const DLTensor *tensors[2];
  tvm_ffi_tensor_runs runs;
  int count = 0;
  int64_t i;
  tensors[0] = y;
  tensors[1] = x;
  check_ok(tvm_ffi_tensor_runs_begin(&runs, tensors, 2));
  *is_contiguous = runs.is_contiguous;
  for (; tvm_ffi_tensor_runs_next(&runs); ++count) {
    for (i = 0; i < runs.count; ++i) {
      ((double *)runs.data[0])[i * runs.step[0]] = 10 * ((float *)runs.data[1])[i * runs.step[1]];
    }
  }
  return count;
}

TEST(test_runs_of_contiguous_tensors) {
  float from[24];
  double to[24];
  int64_t shape[4] = {2, 1, 4, 3}, strides[4];
  bool is_contiguous;
  DLTensor x, y;
  int i;
  for (i = 0; i < 24; ++i) from[i] = (float)i;
  tvm_ffi_tensor_init(&x, from, cpu, TVM_FFI_C_FLOAT32, 4, shape, strides);
  tvm_ffi_tensor_init(&y, to, cpu, TVM_FFI_C_FLOAT64, 4, shape, strides);
  strides[1] = -77; /* that of an extent of 1 does not count */
  assert_int_equal(multiply(&y, &x, &is_contiguous), 1);
  assert_true(is_contiguous);
  for (i = 0; i < 24; ++i) assert_true(to[i] == 10 * i);
  y.strides = NULL;
  x.ndim = y.ndim = 0; /* one element */
  from[0] = 7;
  assert_int_equal(multiply(&y, &x, &is_contiguous), 1);
  assert_true(is_contiguous && to[0] == 70);
  x.ndim = y.ndim = 4;
  shape[3] = 0; /* none */
  assert_int_equal(multiply(&y, &x, &is_contiguous), 0);
}

/* What is transposed alike, or joined otherwise, is as few runs as can be. */
TEST(test_runs_of_other_tensors) {
  float from[24];
  double to[24];
  int64_t shape[3] = {2, 4, 3}, x_strides[3] = {1, 2, 8}, y_strides[3] = {1, 2, 8};
  bool is_contiguous;
  DLTensor x, y;
  int i, j, k;
  for (i = 0; i < 24; ++i) from[i] = (float)i;
  tvm_ffi_tensor_init(&x, from, cpu, TVM_FFI_C_FLOAT32, 0, NULL, NULL);
  tvm_ffi_tensor_init(&y, to, cpu, TVM_FFI_C_FLOAT64, 0, NULL, NULL);
  x.ndim = y.ndim = 3;
  x.shape = y.shape = shape;
  x.strides = x_strides;
  y.strides = y_strides;
  assert_int_equal(multiply(&y, &x, &is_contiguous), 1);
  assert_true(is_contiguous);
  for (i = 0; i < 24; ++i) assert_true(to[i] == 10 * i);

  y_strides[0] = 12, y_strides[1] = 3, y_strides[2] = 1; /* y contiguous, x transposed */
  assert_int_equal(multiply(&y, &x, &is_contiguous), 8);
  assert_false(is_contiguous);
  for (i = 0; i < 2; ++i) {
    for (j = 0; j < 4; ++j) {
      for (k = 0; k < 3; ++k) assert_true(to[12 * i + 3 * j + k] == 10 * (i + 2 * j + 8 * k));
    }
  }
  x_strides[0] = -12, x_strides[1] = 0, x_strides[2] = 1; /* from behind; rows repeated */
  x.byte_offset = 12 * sizeof(float);
  assert_int_equal(multiply(&y, &x, &is_contiguous), 8);
  assert_true(is_contiguous);
  for (i = 0; i < 2; ++i) {
    for (j = 0; j < 4; ++j) {
      for (k = 0; k < 3; ++k) assert_true(to[12 * i + 3 * j + k] == 10 * (12 - 12 * i + k));
    }
  }
}

TEST(test_runs_of_what_cannot_be_walked) {
  float values[6];
  int64_t shape[2] = {2, 3}, other[2] = {3, 2}, strides[2], many[33], none[33];
  const DLTensor *tensors[2];
  tvm_ffi_tensor_runs runs;
  DLTensor x, y;
  int i;
  tvm_ffi_tensor_init(&x, values, cpu, TVM_FFI_C_FLOAT32, 2, shape, strides);
  y = x;
  tensors[0] = &x;
  tensors[1] = &y;
  check_fails(tvm_ffi_tensor_runs_begin(&runs, tensors, 0), "ValueError",
              "A walk is over 1 to 8 tensors, not 0");
  check_fails(tvm_ffi_tensor_runs_begin(&runs, tensors, 9), "ValueError", NULL);
  y.shape = other;
  check_fails(tvm_ffi_tensor_runs_begin(&runs, tensors, 2), "ValueError",
              "Tensor 1 of a walk has shape [3, 2], but the first one [2, 3]");
  y = x;
  y.data = NULL;
  check_fails(tvm_ffi_tensor_runs_begin(&runs, tensors, 2), "ValueError",
              "Tensor 1 of a walk is not valid, or its data is not an address");
  y = x;
  y.device.device_type = kDLVulkan;
  check_fails(tvm_ffi_tensor_runs_begin(&runs, tensors, 2), "ValueError", NULL);
  y = x;
  y.dtype = tvm_ffi_dtype_make(kDLInt, 4, 1);
  check_fails(tvm_ffi_tensor_runs_begin(&runs, tensors, 2), "ValueError",
              "The elements of tensor 1 of a walk, `int4`, are no whole bytes");
  for (i = 0; i < 33; ++i) many[i] = 2, none[i] = 0;
  x.ndim = 33;
  x.shape = many;
  x.strides = none;
  check_fails(tvm_ffi_tensor_runs_begin(&runs, tensors, 1), "ValueError",
              "A walk is over at most 32 extents above 1");
}

TEST(test_vectors) {
  float data[4] = {1, 2, 3, 4};
  tvm_ffi_vector vector;
  TVMFFIAny view;
  DLTensor *tensor = NULL;
  memset(&vector, 0xa5, sizeof vector);
  view = tvm_ffi_vector_init(&vector, data, cpu, TVM_FFI_C_FLOAT32, 4);
  check_ok(tvm_ffi_any_read_tensor(&view, &tensor));
  assert_ptr_equal(tensor, &vector.tensor);
  assert_true(tensor->ndim == 1 && tensor->shape[0] == 4 && tensor->strides[0] == 1);
  assert_ptr_equal(tensor->shape, vector.shape);
  assert_ptr_equal(tvm_ffi_tensor_get_data(tensor), data);
  assert_true(tvm_ffi_dtype_equal(tensor->dtype, TVM_FFI_C_FLOAT32));
  assert_true(tvm_ffi_tensor_is_valid(tensor) && tvm_ffi_tensor_is_contiguous(tensor));
  (void)tvm_ffi_vector_init(&vector, NULL, cpu, TVM_FFI_C_INT8, 0);
  assert_true(tvm_ffi_tensor_is_valid(&vector.tensor));
  assert_int_equal(tvm_ffi_tensor_get_numel(&vector.tensor), 0);
}

RUN_TESTS({
    cmocka_unit_test(test_F_9_sizes_and_strides),
    cmocka_unit_test(test_L_23_strides_that_do_not_count),
    cmocka_unit_test(test_data_and_numel),
    cmocka_unit_test(test_F_5_sizes_in_bytes),
    cmocka_unit_test(test_F_6_contiguity),
    cmocka_unit_test(test_bytes_of_elements),
    cmocka_unit_test(test_alignment),
    cmocka_unit_test(test_elements_within_a_buffer),
    cmocka_unit_test(test_same_shape),
    cmocka_unit_test(test_vectors),
    cmocka_unit_test(test_runs_of_contiguous_tensors),
    cmocka_unit_test(test_runs_of_other_tensors),
    cmocka_unit_test(test_runs_of_what_cannot_be_walked),
})
