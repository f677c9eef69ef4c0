/* SPDX-License-Identifier: Apache-2.0 */
/* tvm/ffi/c/hip.h, compiled with HIP's own header, on a fake of its library. */
#include <tvm/ffi/c/hip.h>

#include "fake.h"
#include "support/check.h"

static const char image[] =
    "\x7f"
    "ELF of a code object";
static const char no_image[] = "no code object";
static tvm_ffi_hip_program program = TVM_FFI_C_HIP_PROGRAM(image);
static tvm_ffi_hip_program broken = TVM_FFI_C_HIP_PROGRAM(no_image);
static int launched_on;

static void scale(const fake_launch *launch, void **params) {
  float *data = *(float **)params[0];
  const int64_t size = *(const int64_t *)params[1];
  int64_t i;
  for (i = 0; i < size && i < (int64_t)launch->grid[0] * launch->block[0]; ++i) data[i] *= 2;
  launched_on = launch->device;
}

FIXTURE(set_up) {
  const fake_kernel kernel = {"scale", scale, 0};
  tvm_ffi_hip_program_clear(&program);
  fake_reset();
  fake_add_kernel(&kernel);
  fake_set_device_count(2);
  launched_on = -1;
  return 0;
}

static int get_current(void) {
  int device = -1;
  assert_int_equal(hipGetDevice(&device), hipSuccess);
  return device;
}

static int try_call(hipError_t result) {
  TVM_FFI_C_HIP_TRY(result);
  return 0;
}

TEST(test_a_failed_call_raises) {
  check_ok(try_call(hipSuccess));
  check_fails(try_call(hipErrorOutOfMemory), "RuntimeError",
              "HIP Error: hipErrorOutOfMemory (2): out of memory");
}

TEST(test_a_device_is_current_for_a_while) {
  tvm_ffi_hip_guard outer, inner;
  check_ok(tvm_ffi_hip_guard_begin(&outer, 1));
  assert_int_equal(get_current(), 1);
  check_ok(tvm_ffi_hip_guard_begin(&inner, 0));
  assert_int_equal(get_current(), 0);
  check_ok(tvm_ffi_hip_guard_end(&inner, 0));
  assert_int_equal(get_current(), 1);
  check_ok(tvm_ffi_hip_guard_end(&outer, 0));
  check_ok(tvm_ffi_hip_guard_end(&outer, 0)); /* a second end does nothing */
  assert_int_equal(get_current(), 0);
  fake_clear_log();
  check_ok(tvm_ffi_hip_guard_begin(&outer, 0)); /* it is current already */
  check_ok(tvm_ffi_hip_guard_end(&outer, 0));
  assert_string_equal(fake_get_log(), "hipGetDevice\n");
}

TEST(test_a_guard_that_fails) {
  tvm_ffi_hip_guard guard;
  check_fails(tvm_ffi_hip_guard_begin(&guard, 2), "RuntimeError",
              "HIP Error: hipErrorInvalidDevice (101): invalid device ordinal");
  check_ok(tvm_ffi_hip_guard_end(&guard, 0)); /* may be left out */
  check_ok(tvm_ffi_hip_guard_begin(&guard, 1));
  fake_fail_after(0, hipErrorLaunchFailure);
  check_fails(tvm_ffi_hip_guard_end(&guard, 0), "RuntimeError",
              "HIP Error: hipErrorLaunchFailure (719): unspecified launch failure");
  assert_int_equal(hipSetDevice(0), hipSuccess);
  check_ok(tvm_ffi_hip_guard_begin(&guard, 1));
  tvm_ffi_error_raise("ValueError", "first");
  fake_fail_after(0, hipErrorLaunchFailure);
  assert_int_equal(tvm_ffi_hip_guard_end(&guard, -7), -7); /* the first error stays */
  check_raised("ValueError", "first");
}

static int launch(float *data, int64_t n, hipStream_t stream) {
  void *args[2];
  hipFunction_t kernel;
  args[0] = &data, args[1] = &n;
  TVM_FFI_C_TRY(tvm_ffi_hip_program_read_kernel(&program, "scale", &kernel));
  return tvm_ffi_hip_kernel_launch(kernel, args, tvm_ffi_hip_dim_make(1, 1, 1),
                                   tvm_ffi_hip_dim_make(4, 1, 1), 16, stream);
}

TEST(test_a_module_for_each_device) {
  float data[5] = {1, 2, 3, 4, 5};
  tvm_ffi_hip_guard guard;
  int round;
  DLTensor x;
  x.device = tvm_ffi_device_make(kDLROCM, 1);
  check_ok(TVMFFIEnvSetStream(kDLROCM, 1, (TVMFFIStreamHandle)(uintptr_t)7, NULL));
  for (round = 0; round < 2; ++round) {
    check_ok(launch(data, 5, NULL));
    assert_int_equal(launched_on, 0);
    check_ok(tvm_ffi_hip_guard_begin(&guard, 1));
    check_ok(tvm_ffi_hip_guard_end(&guard, launch(data, 5, tvm_ffi_hip_get_stream(&x))));
    assert_int_equal(launched_on, 1);
  }
  check_ok(TVMFFIEnvSetStream(kDLROCM, 1, NULL, NULL));
  assert_true(data[0] == 16 && data[3] == 64 && data[4] == 5);
  assert_int_equal(fake_get_live_count(), 2); /* loaded once for each */
  assert_non_null(strstr(fake_get_log(),
                         "hipModuleLoadData on 1\nhipModuleGetFunction scale\n"
                         "hipModuleLaunchKernel grid 1 1 1 block 4 1 1 shared 16 "
                         "stream 7\n"));
  tvm_ffi_hip_program_clear(&program);
  assert_int_equal(fake_get_live_count(), 0);
}

TEST(test_errors_of_programs) {
  hipFunction_t kernel = NULL;
  float data = 1;
  void *args[2];
  int64_t n = 1;
  check_fails(tvm_ffi_hip_program_read_kernel(&broken, "scale", &kernel), "RuntimeError",
              "HIP Error: hipErrorInvalidImage (200): device kernel image is invalid");
  check_fails(tvm_ffi_hip_program_read_kernel(&program, "scal", &kernel), "RuntimeError",
              "HIP Error: hipErrorNotFound (500): named symbol not found");
  fake_fail("hipModuleLaunchKernel", hipErrorLaunchFailure);
  check_fails(launch(&data, 1, NULL), "RuntimeError",
              "HIP Error: hipErrorLaunchFailure (719): unspecified launch failure");
  fake_fail("hipModuleLaunchKernel", 0);
  check_ok(tvm_ffi_hip_program_read_kernel(&program, "scale", &kernel));
  args[0] = &data, args[1] = &n;
  check_fails(tvm_ffi_hip_kernel_launch(kernel, args, tvm_ffi_hip_dim_make(0, 1, 1),
                                        tvm_ffi_hip_dim_make(4, 1, 1), 0, NULL),
              "RuntimeError", "HIP Error: hipErrorInvalidValue (1): invalid argument");
}

RUN_TESTS({
    cmocka_unit_test_setup(test_a_failed_call_raises, set_up),
    cmocka_unit_test_setup(test_a_device_is_current_for_a_while, set_up),
    cmocka_unit_test_setup(test_a_guard_that_fails, set_up),
    cmocka_unit_test_setup(test_a_module_for_each_device, set_up),
    cmocka_unit_test_setup(test_errors_of_programs, set_up),
})
