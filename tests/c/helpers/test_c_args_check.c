/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of shape, dtype and device of tensor arguments, and dispatch over their dtype. */
#include <tvm/ffi/c/args.h>

#include "support/check.h"

#define WHEN_CALLING(problem, i) \
  "Mismatched " problem " on argument #" i " when calling: `f(...)`. "

static int64_t shape[2][2], strides[2][2];
static DLTensor tensors[2];
static TVMFFIAny arguments[3], result;
static tvm_ffi_args args = {NULL, arguments, 3, &result, "f(...)"};

/* Argument 0 is float32 [2, 3], argument 1 int8 [2, 3], both on the CPU; argument 2 is a number. */
FIXTURE(setup) {
  int i;
  for (i = 0; i < 2; ++i) {
    shape[i][0] = 2, shape[i][1] = 3;
    tvm_ffi_tensor_init(&tensors[i], NULL, tvm_ffi_device_make(kDLCPU, 0),
                        i == 0 ? TVM_FFI_C_FLOAT32 : TVM_FFI_C_INT8, 2, shape[i], strides[i]);
    arguments[i] = tvm_ffi_any_view_tensor(&tensors[i]);
  }
  arguments[2] = tvm_ffi_any_from_int64(3);
  return 0;
}

TEST(test_ndim_and_shape) {
  const int64_t same[2] = {2, 3}, any[2] = {-1, 3}, other[2] = {-1, 4};
  check_ok(tvm_ffi_args_check_ndim(&args, 0, 2));
  check_fails(tvm_ffi_args_check_ndim(&args, 1, 3), "ValueError",
              WHEN_CALLING("ndim", "1") "Expected 3 but got 2");
  check_ok(tvm_ffi_args_check_shape(&args, 0, 2, same));
  check_ok(tvm_ffi_args_check_shape(&args, 0, 2, any));
  check_fails(tvm_ffi_args_check_shape(&args, 0, 2, other), "ValueError",
              WHEN_CALLING("shape", "0") "Expected [*, 4] but got [2, 3]");
  check_fails(tvm_ffi_args_check_shape(&args, 0, 1, same), "ValueError",
              WHEN_CALLING("shape", "0") "Expected [2] but got [2, 3]");
  check_fails(tvm_ffi_args_check_shape(&args, 0, 0, NULL), "ValueError",
              WHEN_CALLING("shape", "0") "Expected [] but got [2, 3]");
  check_ok(tvm_ffi_args_check_size(&args, 0, 1, 3));
  check_ok(tvm_ffi_args_check_size(&args, 0, -2, 2));
  check_fails(tvm_ffi_args_check_size(&args, 0, -1, 4), "ValueError",
              WHEN_CALLING("shape", "0") "Expected size 4 in dimension -1 but got [2, 3]");
  check_fails(tvm_ffi_args_check_size(&args, 0, 2, 1), "ValueError",
              WHEN_CALLING("shape", "0") "Expected size 1 in dimension 2 but got [2, 3]");
  check_fails(tvm_ffi_args_check_size(&args, 0, -3, 1), "ValueError", NULL);
}

TEST(test_dtype) {
  check_ok(tvm_ffi_args_check_dtype(&args, 0, TVM_FFI_C_FLOAT32));
  check_fails(tvm_ffi_args_check_dtype(&args, 0, TVM_FFI_C_FLOAT64), "TypeError",
              WHEN_CALLING("dtype", "0") "Expected `float64` but got `float32`");
  check_fails(tvm_ffi_args_check_same_dtype(&args, 0, 1), "TypeError",
              WHEN_CALLING("dtype", "0") "Expected `int8` of argument #1 but got `float32`");
  check_ok(tvm_ffi_args_check_same_dtype(&args, 1, 1));
}

TEST(test_device) {
  tensors[1].device = tvm_ffi_device_make(kDLCUDA, 1);
  check_ok(tvm_ffi_args_check_device(&args, 0, kDLCPU));
  check_ok(tvm_ffi_args_check_device(&args, 1, kDLCUDA));
  check_fails(tvm_ffi_args_check_device(&args, 1, kDLCPU), "ValueError",
              WHEN_CALLING("device", "1") "Expected `cpu` but got `cuda:1`");
  check_fails(tvm_ffi_args_check_device(&args, 1, 77), "ValueError",
              WHEN_CALLING("device", "1") "Expected `device(77)` but got `cuda:1`");
  tensors[0].device = tvm_ffi_device_make(kDLCUDA, 0);
  check_fails(tvm_ffi_args_check_same_device(&args, 0, 1), "ValueError",
              WHEN_CALLING("device", "0") "Expected `cuda:1` of argument #1 but got `cuda:0`");
  tensors[0].device.device_id = 1;
  check_ok(tvm_ffi_args_check_same_device(&args, 0, 1));
}

/* Code that runs on the CPU, or with CUDA, reads more kinds of memory than its own. */
TEST(test_L_25_readable_by) {
  static const struct {
    int memory;
    bool cpu, cuda, rocm;
  } rows[] = {{kDLCPU, true, false, false},      {kDLCUDA, false, true, false},
              {kDLCUDAHost, true, false, false}, {kDLCUDAManaged, true, true, false},
              {kDLROCM, false, false, true},     {kDLROCMHost, true, false, false},
              {kDLOneAPI, false, false, false},  {kDLVulkan, false, false, false}};
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    tensors[0].device = tvm_ffi_device_make(rows[i].memory, 1);
    assert_int_equal(tvm_ffi_args_check_readable_by(&args, 0, kDLCPU), rows[i].cpu ? 0 : -1);
    assert_int_equal(tvm_ffi_args_check_readable_by(&args, 0, kDLCUDA), rows[i].cuda ? 0 : -1);
    assert_int_equal(tvm_ffi_args_check_readable_by(&args, 0, kDLROCM), rows[i].rocm ? 0 : -1);
    tvm_ffi_object_release(tvm_ffi_error_take());
    check_ok(tvm_ffi_args_check_device(&args, 0, rows[i].memory));
  }
  tensors[0].device = tvm_ffi_device_make(kDLCUDAHost, 0);
  check_fails(tvm_ffi_args_check_device(&args, 0, kDLCPU), "ValueError", /* exact */
              WHEN_CALLING("device", "0") "Expected `cpu` but got `cuda_host:0`");
  check_fails(tvm_ffi_args_check_readable_by(&args, 0, kDLCUDA), "ValueError",
              WHEN_CALLING("device", "0") "Expected `cuda` but got `cuda_host:0`");
}

TEST(test_L_24_alignment) {
  tensors[0].data = (void *)(uintptr_t)0x1008;
  check_ok(tvm_ffi_args_check_aligned(&args, 0, 8));
  check_fails(tvm_ffi_args_check_aligned(&args, 0, 16), "ValueError",
              WHEN_CALLING("alignment", "0") "Expected a first element at a multiple of 16 bytes "
                                             "but got one 8 bytes behind it");
  tensors[0].byte_offset = 8;
  check_ok(tvm_ffi_args_check_aligned(&args, 0, 16));
  tensors[0].byte_offset = 9;
  check_fails_with(tvm_ffi_args_check_aligned(&args, 0, 16), "ValueError", "one 1 bytes behind it");
  shape[0][1] = 0; /* nothing to load */
  check_ok(tvm_ffi_args_check_aligned(&args, 0, 16));
  shape[0][1] = 3;
  tensors[0].device.device_type = kDLOneAPI; /* pointers, as of the CPU */
  check_fails_with(tvm_ffi_args_check_aligned(&args, 0, 16), "ValueError", "one 1 bytes behind it");
  tensors[0].device.device_type = kDLOpenCL; /* a handle, so only the offset counts */
  check_fails_with(tvm_ffi_args_check_aligned(&args, 0, 16), "ValueError", "one 9 bytes behind it");
}

TEST(test_buffers) {
  tensors[0].device.device_type = kDLOpenCL;
  tensors[0].byte_offset = 8;
  check_ok(tvm_ffi_args_check_within(&args, 0, 32));
  check_fails(tvm_ffi_args_check_within(&args, 0, 31), "ValueError",
              WHEN_CALLING("buffer", "0") "Expected 24 bytes from byte_offset 8 on but got 31 "
                                          "bytes in all");
  check_fails(tvm_ffi_args_check_within(&args, 2, 31), "TypeError", NULL);
}

TEST(test_L_27_invalid_tensors) {
  static float element;
  check_fails(tvm_ffi_args_check_valid(&args, 0), "ValueError",
              WHEN_CALLING("data", "0") "Expected the address of elements but got NULL and shape "
                                        "[2, 3]");
  tensors[0].device.device_type = kDLWebGPU; /* a handle may be 0 */
  check_ok(tvm_ffi_args_check_valid(&args, 0));
  tensors[0].device.device_type = kDLCPU;
  tensors[0].data = &element;
  check_ok(tvm_ffi_args_check_valid(&args, 0));
  tensors[0].strides = NULL; /* row-major */
  check_ok(tvm_ffi_args_check_valid(&args, 0));
  shape[0][0] = -2;
  check_fails(tvm_ffi_args_check_valid(&args, 0), "ValueError",
              WHEN_CALLING("shape", "0") "Expected extents of 0 or more whose product fits int64 "
                                         "but got [-2, 3]");
  shape[0][1] = 0;
  check_fails_with(tvm_ffi_args_check_valid(&args, 0), "ValueError", "but got [-2, 0]");
  shape[0][0] = INT64_MAX;
  check_ok(tvm_ffi_args_check_valid(&args, 0));
  tensors[0].data = NULL; /* without elements, any address and offset will do */
  tensors[0].byte_offset = 3;
  check_ok(tvm_ffi_args_check_valid(&args, 0));
  shape[0][1] = 2;
  check_fails_with(tvm_ffi_args_check_valid(&args, 0), "ValueError",
                   "but got [9223372036854775807, 2]");
  tensors[0].shape = NULL;
  check_fails(tvm_ffi_args_check_valid(&args, 0), "ValueError",
              WHEN_CALLING("shape", "0") "Expected the address of extents but got NULL and ndim 2");
  tensors[0].ndim = -1;
  check_fails(tvm_ffi_args_check_valid(&args, 0), "ValueError",
              WHEN_CALLING("ndim", "0") "Expected 0 or more but got -1");
  tensors[0].ndim = 0;
  tensors[0].data = &element;
  check_ok(tvm_ffi_args_check_valid(&args, 0));
}

TEST(test_L_26_read_only_tensors) {
  static DLManagedTensorVersioned shared;
  TVMFFIObjectHandle tensor = NULL, view = NULL;
  uint64_t flags = 99;
  check_ok(tvm_ffi_args_check_writable(&args, 0)); /* nothing is known of a DLTensor */
  shared.version.major = DLPACK_MAJOR_VERSION;
  shared.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  shared.dl_tensor = tensors[0];
  check_ok(TVMFFITensorFromDLPackVersioned(&shared, 0, 0, &tensor));
  check_ok(tvm_ffi_tensor_read_flags(tensor, &flags));
  assert_int_equal(flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  check_ok(tvm_ffi_tensor_create_view(tensor, 2, shape[0], strides[0], 0, &view));
  arguments[0] = tvm_ffi_any_view_object(tensor);
  arguments[1] = tvm_ffi_any_view_object(view);
  check_fails(tvm_ffi_args_check_writable(&args, 0), "ValueError",
              "Argument #0 of `f(...)` must be writable, but is read-only");
  check_fails(tvm_ffi_args_check_writable(&args, 1), "ValueError", NULL);
  tvm_ffi_object_release(view);
  tvm_ffi_object_release(tensor);
  shared.flags = 0;
  check_ok(TVMFFITensorFromDLPackVersioned(&shared, 0, 0, &tensor));
  arguments[0] = tvm_ffi_any_view_object(tensor);
  check_ok(tvm_ffi_args_check_writable(&args, 0));
  tvm_ffi_object_release(tensor);
  check_fails(tvm_ffi_tensor_read_flags(NULL, &flags), "TypeError",
              "Cannot convert from type `None` to `ffi.Tensor`");
}

TEST(test_contiguity) {
  check_ok(tvm_ffi_args_check_contiguous(&args, 0));
  strides[0][0] = 1, strides[0][1] = 2;
  check_fails(
      tvm_ffi_args_check_contiguous(&args, 0), "ValueError",
      WHEN_CALLING("strides",
                   "0") "Expected a contiguous tensor but got strides [1, 2] of shape [2, 3]");
  shape[0][1] = 0;
  check_ok(tvm_ffi_args_check_contiguous(&args, 0));
}

TEST(test_the_same_as_another) {
  tensors[1].dtype = TVM_FFI_C_FLOAT32;
  check_ok(tvm_ffi_args_check_same(&args, 0, 1));
  shape[1][0] = 9;
  check_fails(tvm_ffi_args_check_same(&args, 1, 0), "ValueError",
              WHEN_CALLING("shape", "1") "Expected [2, 3] of argument #0 but got [9, 3]");
  shape[1][0] = 2;
  tensors[1].dtype = TVM_FFI_C_INT8;
  check_fails(tvm_ffi_args_check_same(&args, 1, 0), "TypeError", NULL);
  tensors[1].dtype = TVM_FFI_C_FLOAT32;
  tensors[1].device.device_id = 1;
  check_fails(tvm_ffi_args_check_same(&args, 1, 0), "ValueError",
              WHEN_CALLING("device", "1") "Expected `cpu:0` of argument #0 but got `cpu:1`");
}

/* Each check refuses an argument that is no tensor, as a read does. */
TEST(test_what_is_no_tensor) {
  static const char text[] =
      "Mismatched type on argument #2 when calling: `f(...)`. Expected `DLTensor*` but got `int`";
  check_fails(tvm_ffi_args_check_ndim(&args, 2, 1), "TypeError", text);
  check_fails(tvm_ffi_args_check_shape(&args, 2, 0, NULL), "TypeError", text);
  check_fails(tvm_ffi_args_check_size(&args, 2, 0, 1), "TypeError", text);
  check_fails(tvm_ffi_args_check_dtype(&args, 2, TVM_FFI_C_INT8), "TypeError", text);
  check_fails(tvm_ffi_args_check_device(&args, 2, kDLCPU), "TypeError", text);
  check_fails(tvm_ffi_args_check_contiguous(&args, 2), "TypeError", text);
  check_fails(tvm_ffi_args_check_valid(&args, 2), "TypeError", text);
  check_fails(tvm_ffi_args_check_readable_by(&args, 2, kDLCPU), "TypeError", text);
  check_fails(tvm_ffi_args_check_aligned(&args, 2, 16), "TypeError", text);
  check_fails(tvm_ffi_args_check_writable(&args, 2), "TypeError", text);
  check_fails(tvm_ffi_args_check_same(&args, 0, 2), "TypeError", text);
  check_fails(tvm_ffi_args_check_same_dtype(&args, 2, 0), "TypeError", text);
  check_fails(tvm_ffi_args_check_same_device(&args, 0, 2), "TypeError", text);
}

static int size_of(int32_t i, int *out) {
#define SIZE(type) *out = (int)sizeof(type)
  TVM_FFI_C_ARGS_DISPATCH(&args, i, TVM_FFI_C_CASES_FLOAT, SIZE);
  return 0;
}

TEST(test_dispatch) {
  int size = 0;
  check_ok(size_of(0, &size));
  assert_int_equal(size, 4);
  check_fails(size_of(1, &size), "TypeError",
              "Unsupported dtype `int8` of argument #1 when calling: `f(...)`");
  check_fails(size_of(2, &size), "TypeError",
              "Mismatched type on argument #2 when calling: `f(...)`. Expected `DLTensor*` but got "
              "`int`");
  check_fails(size_of(3, &size), "TypeError",
              "Mismatched number of arguments when calling: `f(...)`. Expected at least 4 but got "
              "3 arguments");
}

RUN_TESTS({
    cmocka_unit_test_setup(test_ndim_and_shape, setup),
    cmocka_unit_test_setup(test_dtype, setup),
    cmocka_unit_test_setup(test_device, setup),
    cmocka_unit_test_setup(test_L_25_readable_by, setup),
    cmocka_unit_test_setup(test_L_24_alignment, setup),
    cmocka_unit_test_setup(test_buffers, setup),
    cmocka_unit_test_setup(test_L_27_invalid_tensors, setup),
    cmocka_unit_test_setup(test_L_26_read_only_tensors, setup),
    cmocka_unit_test_setup(test_contiguity, setup),
    cmocka_unit_test_setup(test_the_same_as_another, setup),
    cmocka_unit_test_setup(test_what_is_no_tensor, setup),
    cmocka_unit_test_setup(test_dispatch, setup),
})
