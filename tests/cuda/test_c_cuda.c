/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled once for the driver API and once for the runtime API. */
#include <tvm/ffi/c/cuda.h>
#include <tvm/ffi/c/export.h>

#include "fake.h"
#include "support/check.h"

#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#define NAME(name) "cu" name
#define GUARD_ERROR "CUDA Error: "
#define BY_API(driver, runtime) driver
#else
#define NAME(name) "cuda" name
#define GUARD_ERROR "CUDA Runtime Error: "
#define BY_API(driver, runtime) runtime
#endif

#define INVALID_VALUE BY_API("CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidValue")
#define INVALID_DEVICE BY_API("CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice")
#define INVALID_IMAGE BY_API("CUDA_ERROR_INVALID_IMAGE", "cudaErrorInvalidKernelImage")
#define INVALID_HANDLE BY_API("CUDA_ERROR_INVALID_HANDLE", "cudaErrorInvalidResourceHandle")
#define NOT_FOUND BY_API("CUDA_ERROR_NOT_FOUND", "cudaErrorSymbolNotFound")
#define OUT_OF_MEMORY BY_API("CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation")

static const char image[] =
    ".version 7.0\n.target sm_75\n.visible .entry scale(\n"
    ".param .u64 data, .param .u64 size, .param .f64 factor\n)\n{ ret; }\n";
static int launched_on;

static void scale(const fake_launch *launch, void **params) {
  float *data = *(float **)params[0];
  const int64_t size = *(const int64_t *)params[1];
  const double factor = *(const double *)params[2];
  int64_t i;
  for (i = 0; i < size && i < (int64_t)launch->grid[0] * launch->block[0]; ++i) {
    data[i] = (float)(data[i] * factor);
  }
  launched_on = launch->device;
}

FIXTURE(set_up) {
  const fake_kernel kernel = {"scale", scale, 1024};
  fake_reset();
  fake_add_kernel(&kernel);
  fake_set_device_count(2);
  launched_on = -1;
  return 0;
}

/* Makes the device current for the test itself; in the driver API that retains its context. */
static void make_current(int device) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  CUcontext context;
  assert_int_equal(cuInit(0), CUDA_SUCCESS);
  assert_int_equal(cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
  assert_int_equal(cuCtxSetCurrent(context), CUDA_SUCCESS);
#else
  assert_int_equal(cudaSetDevice(device), cudaSuccess);
#endif
}

/* -1 when the driver has no current context. */
static int get_current(void) {
  int device = -1;
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  CUcontext context = NULL;
  if (cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == NULL) return -1;
  assert_int_equal(cuCtxGetDevice(&device), CUDA_SUCCESS);
#else
  assert_int_equal(cudaGetDevice(&device), cudaSuccess);
#endif
  return device;
}

/* ---- Errors ---- */

static int try_call(int code) {
  TVM_FFI_C_CUDA_TRY((tvm_ffi_cuda_result)code);
  return 0;
}

TEST(test_a_failed_call_raises) {
  TVMFFIObjectHandle error;
  check_ok(try_call(0));
  check_not_raised();
  check_fails(try_call(2), "RuntimeError", GUARD_ERROR "" OUT_OF_MEMORY " (2): out of memory");
  assert_int_equal(try_call(77777), -1);
  check_raised("RuntimeError",
               GUARD_ERROR "unrecognized error code (77777): unrecognized error code");
  assert_int_equal(TVM_FFI_C_CUDA_RAISE((tvm_ffi_cuda_result)101), -1);
  error = tvm_ffi_error_take();
  assert_non_null(strstr(tvm_ffi_error_get_backtrace(error).data, "test_c_cuda.c"));
  tvm_ffi_object_release(error);
}

/* ---- The guard ---- */

TEST(test_a_device_is_current_for_a_while) {
  tvm_ffi_cuda_guard outer, inner;
  long live;
  make_current(0);
  live = fake_get_live_count();
  check_ok(tvm_ffi_cuda_guard_begin(&outer, 1));
  assert_int_equal(get_current(), 1);
  check_ok(tvm_ffi_cuda_guard_begin(&inner, 0));
  assert_int_equal(get_current(), 0);
  check_ok(tvm_ffi_cuda_guard_end(&inner, 0));
  assert_int_equal(get_current(), 1);
  check_ok(tvm_ffi_cuda_guard_begin(&inner, 1));
  check_ok(tvm_ffi_cuda_guard_end(&inner, 0));
  assert_int_equal(get_current(), 1);
  check_ok(tvm_ffi_cuda_guard_end(&outer, 0));
  assert_int_equal(get_current(), 0);
  check_ok(tvm_ffi_cuda_guard_end(&outer, 0)); /* a second end does nothing */
  assert_int_equal(get_current(), 0);
  assert_int_equal(fake_get_live_count(), live);
}

TEST(test_the_current_device_is_left_alone) {
  tvm_ffi_cuda_guard guard;
  make_current(1);
  fake_clear_log();
  check_ok(tvm_ffi_cuda_guard_begin(&guard, 1));
  check_ok(tvm_ffi_cuda_guard_end(&guard, 0));
  assert_string_equal(fake_get_log(), BY_API("cuCtxGetCurrent\ncuDeviceGet 1\ncuCtxGetDevice\n",
                                             "cudaGetDevice\n"));
}

TEST(test_the_first_error_stays) {
  tvm_ffi_cuda_guard guard;
  make_current(0);
  check_ok(tvm_ffi_cuda_guard_begin(&guard, 1));
  tvm_ffi_error_raise("ValueError", "first");
  assert_int_equal(tvm_ffi_cuda_guard_end(&guard, -7), -7);
  check_raised("ValueError", "first");
  assert_int_equal(get_current(), 0);

  check_ok(tvm_ffi_cuda_guard_begin(&guard, 1));
  tvm_ffi_error_raise("ValueError", "first");
  fake_fail_after(0, 1);
  assert_int_equal(tvm_ffi_cuda_guard_end(&guard, -7), -7);
  check_raised("ValueError", "first");
}

TEST(test_an_end_that_fails) {
  tvm_ffi_cuda_guard guard;
  long n;
  for (n = 0; n < BY_API(2, 1); ++n) {
    make_current(0);
    check_ok(tvm_ffi_cuda_guard_begin(&guard, 1));
    fake_fail_after(n, 1);
    assert_int_equal(tvm_ffi_cuda_guard_end(&guard, 0), -1);
    check_raised("RuntimeError", GUARD_ERROR "" INVALID_VALUE " (1): invalid argument");
  }
}

TEST(test_a_begin_that_fails) {
  tvm_ffi_cuda_guard guard;
  long n, live;
  int code;
  make_current(0);
  live = fake_get_live_count();
  for (n = 0;; ++n) {
    fake_fail_after(n, 2);
    code = tvm_ffi_cuda_guard_begin(&guard, 1);
    fake_fail_after(-1, 0);
    if (code == 0) break;
    check_raised("RuntimeError", GUARD_ERROR "" OUT_OF_MEMORY " (2): out of memory");
    assert_int_equal(get_current(), 0);
    assert_int_equal(fake_get_live_count(), live);
    fake_clear_log();
    assert_int_equal(tvm_ffi_cuda_guard_end(&guard, 0), 0);
    assert_string_equal(fake_get_log(), "");
  }
  assert_int_equal(n, BY_API(5, 2));
  check_ok(tvm_ffi_cuda_guard_end(&guard, 0));
  check_fails(tvm_ffi_cuda_guard_begin(&guard, 2), "RuntimeError",
              GUARD_ERROR "" INVALID_DEVICE " (101): invalid device ordinal");
  check_fails(tvm_ffi_cuda_guard_begin(&guard, -1), "RuntimeError",
              GUARD_ERROR "" INVALID_DEVICE " (101): invalid device ordinal");
  assert_int_equal(get_current(), 0);
  assert_int_equal(fake_get_live_count(), live);
}

#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
TEST(test_the_driver_is_initialised_when_needed) {
  tvm_ffi_cuda_guard guard;
  tvm_ffi_cuda_library library;
  fake_fail("cuInit", 100);
  check_fails(tvm_ffi_cuda_guard_begin(&guard, 0), "RuntimeError",
              "CUDA Error: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected");
  check_fails(tvm_ffi_cuda_library_load(image, &library), "RuntimeError",
              "CUDA Error: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected");
  fake_fail("cuInit", 0);
  check_ok(tvm_ffi_cuda_guard_begin(&guard, 0));
  assert_int_equal(get_current(), 0);
  check_ok(tvm_ffi_cuda_guard_end(&guard, 0));
  assert_int_equal(get_current(), -1);
  assert_int_equal(fake_get_live_count(), 0);
}

TEST(test_a_context_of_the_program) {
  CUcontext own, found;
  tvm_ffi_cuda_guard guard;
  assert_int_equal(cuInit(0), CUDA_SUCCESS);
  own = (CUcontext)fake_make_context(1);
  assert_int_equal(cuCtxPushCurrent(own), CUDA_SUCCESS);
  check_ok(tvm_ffi_cuda_guard_begin(&guard, 1));
  assert_int_equal(cuCtxGetCurrent(&found), CUDA_SUCCESS);
  assert_ptr_equal(found, own);
  check_ok(tvm_ffi_cuda_guard_end(&guard, 0));
  check_ok(tvm_ffi_cuda_guard_begin(&guard, 0));
  assert_int_equal(get_current(), 0);
  check_ok(tvm_ffi_cuda_guard_end(&guard, 0));
  assert_int_equal(cuCtxGetCurrent(&found), CUDA_SUCCESS);
  assert_ptr_equal(found, own);
}
#endif

/* ---- Images and kernels ---- */

TEST(test_loading) {
  tvm_ffi_cuda_library library;
  tvm_ffi_cuda_kernel kernel;
  make_current(0);
  check_fails(tvm_ffi_cuda_library_load("no image", &library), "RuntimeError",
              "CUDA Error: " INVALID_IMAGE " (200): device kernel image is invalid");
  check_ok(tvm_ffi_cuda_library_load(image, &library));
  check_ok(tvm_ffi_cuda_library_get_kernel(library, "scale", &kernel));
  check_fails(tvm_ffi_cuda_library_get_kernel(library, "add", &kernel), "RuntimeError",
              "CUDA Error: " NOT_FOUND " (500): named symbol not found");
  tvm_ffi_cuda_library_unload(library);
  assert_int_equal(fake_get_live_count(), BY_API(1, 0));
  check_fails(tvm_ffi_cuda_library_get_kernel(library, "scale", &kernel), "RuntimeError",
              "CUDA Error: " INVALID_HANDLE " (400): invalid resource handle");
  tvm_ffi_cuda_library_unload(library); /* CUDA refuses the second unload */
  fake_clear_log();
  tvm_ffi_cuda_library_unload(NULL);
  assert_string_equal(fake_get_log(), "");
  check_not_raised();
}

static void load(tvm_ffi_cuda_library *library, tvm_ffi_cuda_kernel *kernel) {
  check_ok(tvm_ffi_cuda_library_load(image, library));
  check_ok(tvm_ffi_cuda_library_get_kernel(*library, "scale", kernel));
  fake_clear_log();
}

#define SET_ATTRIBUTE BY_API("cuKernelSetAttribute", "cudaKernelSetAttributeForDevice")

TEST(test_more_shared_memory) {
  tvm_ffi_cuda_library library;
  tvm_ffi_cuda_kernel kernel;
  make_current(0);
  load(&library, &kernel);
  check_ok(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, -1));
  assert_non_null(strstr(fake_get_log(), SET_ATTRIBUTE " 8 231424 scale device 0\n"));
  assert_non_null(strstr(fake_get_log(), SET_ATTRIBUTE " 8 231424 scale device 1\n"));
  fake_clear_log();
  check_ok(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, 65536));
  assert_non_null(strstr(fake_get_log(), SET_ATTRIBUTE " 8 65536 scale device 0\n"));
  assert_non_null(strstr(fake_get_log(), SET_ATTRIBUTE " 8 65536 scale device 1\n"));
  check_fails(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, 65536 << 2), "RuntimeError",
              "Failed to set dynamic shared memory attribute for any device");
  /* CUDA refuses a number that does not fit into an int. */
  check_fails(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, (int64_t)1 << 32),
              "RuntimeError", "Failed to set dynamic shared memory attribute for any device");
  assert_non_null(strstr(fake_get_log(), SET_ATTRIBUTE " 8 2147483647 scale"));
  check_fails(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, -((int64_t)1 << 32)),
              "RuntimeError", "Failed to set dynamic shared memory attribute for any device");
  tvm_ffi_cuda_library_unload(library);
}

TEST(test_devices_that_refuse) {
  tvm_ffi_cuda_library library;
  tvm_ffi_cuda_kernel kernel;
  long n;
  make_current(0);
  load(&library, &kernel);
  /* If one device refuses, the other is still set. */
  for (n = 0; n < BY_API(9, 7); ++n) {
    fake_fail_after(n, 1);
    check_ok(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, -1));
#if !TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
    assert_int_equal(cudaGetLastError(), cudaSuccess); /* no error is left for later checks */
#endif
  }
  fake_fail(BY_API("cuDeviceGetAttribute", "cudaDeviceGetAttribute"), 1);
  check_fails(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, -1), "RuntimeError",
              "Failed to set dynamic shared memory attribute for any device");
  check_ok(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, 1024)); /* asks for no limit */
  fake_fail(NAME("DeviceGetAttribute"), 0);
  /* Without devices there is no refusal, and so no error. */
  fake_set_device_count(0);
  check_ok(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, -1));
  tvm_ffi_cuda_library_unload(library);
}

/* ---- Launching ---- */

TEST(test_launching) {
  tvm_ffi_cuda_library library;
  tvm_ffi_cuda_kernel kernel;
  tvm_ffi_cuda_launch_config config;
  tvm_ffi_cuda_launch_attribute attribute;
  const tvm_ffi_cuda_dim block = tvm_ffi_cuda_dim_make(4, 2, 1);
  float values[3] = {1, 2, 3}, *data = values;
  int64_t size = 3;
  double factor = 2;
  void *args[3];
  args[0] = &data, args[1] = &size, args[2] = &factor;
  make_current(1);
  load(&library, &kernel);
  check_ok(tvm_ffi_cuda_kernel_launch(kernel, args, tvm_ffi_cuda_dim_make(1, 2, 3), block, 64,
                                      (tvm_ffi_cuda_stream)(uintptr_t)5));
  assert_string_equal(fake_get_log(),
                      NAME("LaunchKernel") " scale grid 1 2 3 block 4 2 1 shared 64 stream 5\n");
  assert_int_equal(launched_on, 1);
  assert_true(values[0] == 2 && values[1] == 4 && values[2] == 6);

  fake_clear_log();
  tvm_ffi_cuda_launch_config_init(&config, &attribute, tvm_ffi_cuda_dim_make(4, 2, 1), block, 32, 1,
                                  (tvm_ffi_cuda_stream)(uintptr_t)6);
  check_ok(tvm_ffi_cuda_kernel_launch_ex(kernel, args, &config));
  tvm_ffi_cuda_launch_config_init(&config, &attribute, tvm_ffi_cuda_dim_make(4, 2, 1), block, 0, 2,
                                  NULL);
  check_ok(tvm_ffi_cuda_kernel_launch_ex(kernel, args, &config));
  assert_string_equal(
      fake_get_log(),
      BY_API("cuLaunchKernelEx", "cudaLaunchKernelExC")
      " scale grid 4 2 1 block 4 2 1 cluster 1 1 1 shared 32 stream 6\n" BY_API(
          "cuLaunchKernelEx", "cudaLaunchKernelExC") " scale grid 4 2 1 block 4 2 1 cluster 2 1 1 "
                                                     "shared 0 stream 0\n");
  assert_true(values[0] == 8);

  check_fails(
      tvm_ffi_cuda_kernel_launch(kernel, args, tvm_ffi_cuda_dim_make(0, 1, 1), block, 0, NULL),
      "RuntimeError", "CUDA Error: " INVALID_VALUE " (1): invalid argument");
  tvm_ffi_cuda_launch_config_init(&config, &attribute, block, block, 65536, 1, NULL);
  check_fails(tvm_ffi_cuda_kernel_launch_ex(kernel, args, &config), "RuntimeError",
              "CUDA Error: " INVALID_VALUE " (1): invalid argument");
  check_ok(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, -1));
  check_ok(tvm_ffi_cuda_kernel_launch_ex(kernel, args, &config));
  tvm_ffi_cuda_library_unload(library);
  check_fails(tvm_ffi_cuda_kernel_launch(kernel, args, block, block, 0, NULL), "RuntimeError",
              "CUDA Error: " INVALID_HANDLE " (400): invalid resource handle");
}

/* ---- The device of a launch ---- */

static float *allocate(int device, size_t size) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  CUdeviceptr memory;
  make_current(device);
  assert_int_equal(cuMemAlloc(&memory, size), CUDA_SUCCESS);
  return (float *)(uintptr_t)memory;
#else
  void *memory;
  make_current(device);
  assert_int_equal(cudaMalloc(&memory, size), cudaSuccess);
  return (float *)memory;
#endif
}

static int launch_on(int device, tvm_ffi_cuda_kernel kernel, void **args) {
  const tvm_ffi_cuda_dim dim = tvm_ffi_cuda_dim_make(1, 1, 1);
  make_current(device);
  launched_on = -1;
  return tvm_ffi_cuda_kernel_launch(kernel, args, dim, dim, 0, NULL);
}

#if TVM_FFI_CHECK_LAUNCH_DEVICE
#define WRONG_DEVICE(current, other)                                                   \
  "The kernel is launched on device " #current ", but its memory is on device " #other \
  ": make that the current one with tvm_ffi_cuda_guard_begin"

TEST(test_memory_of_another_device_is_refused) {
  tvm_ffi_cuda_library library;
  tvm_ffi_cuda_kernel kernel;
  tvm_ffi_cuda_launch_config config;
  tvm_ffi_cuda_launch_attribute attribute;
  const tvm_ffi_cuda_dim dim = tvm_ffi_cuda_dim_make(1, 1, 1);
  float *on_0 = allocate(0, 64), *on_1 = allocate(1, 64), value = 3, *data = on_1;
  int64_t size = 1;
  double factor = 2;
  void *args[3];
  if (sizeof(void *) != 8) {
    print_message("the kernel has parameters of 64 bits for addresses\n");
    skip();
  }
  args[0] = &data, args[1] = &size, args[2] = &factor;
  *on_0 = *on_1 = 5;
  load(&library, &kernel);
  check_fails(launch_on(0, kernel, args), "RuntimeError", WRONG_DEVICE(0, 1));
  tvm_ffi_cuda_launch_config_init(&config, &attribute, dim, dim, 0, 1, NULL);
  check_fails(tvm_ffi_cuda_kernel_launch_ex(kernel, args, &config), "RuntimeError",
              WRONG_DEVICE(0, 1));
  assert_int_equal(launched_on, -1);
  check_ok(launch_on(1, kernel, args));
  assert_int_equal(launched_on, 1);
  data = on_0;
  check_fails(launch_on(1, kernel, args), "RuntimeError", WRONG_DEVICE(1, 0));
  check_ok(launch_on(0, kernel, args));
  assert_true(*on_0 == 10 && *on_1 == 10);
  /* Memory of the current device is enough: kernels that exchange data get other memory, too. */
  size = (int64_t)(intptr_t)on_1; /* as a second pointer */
  factor = 1;
  check_ok(launch_on(0, kernel, args));
  /* Memory of the host does not count, nor does what CUDA does not tell. */
  data = &value, size = 1, factor = 2;
  check_ok(launch_on(1, kernel, args));
  assert_true(value == 6);
  data = on_1;
  fake_fail(BY_API("cuKernelGetParamInfo", "cudaFuncGetParamInfo"), 1);
  check_ok(launch_on(0, kernel, args));
  fake_fail(BY_API("cuPointerGetAttributes", "cudaPointerGetAttributes"), 1);
  check_ok(launch_on(0, kernel, args));
#if !TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  assert_int_equal(cudaGetLastError(), cudaSuccess); /* no error of the check is left */
  /* An error that the program has not read stays. */
  fake_fail("cudaFuncGetParamInfo", 0);
  assert_int_equal(cudaSetDevice(7), cudaErrorInvalidDevice);
  check_ok(launch_on(0, kernel, args));
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
#endif
  tvm_ffi_cuda_library_unload(library);
}
#else
TEST(test_nothing_is_asked_without_the_check) {
  tvm_ffi_cuda_library library;
  tvm_ffi_cuda_kernel kernel;
  float *data = allocate(1, 64);
  int64_t size = 1;
  double factor = 2;
  void *args[3];
  args[0] = &data, args[1] = &size, args[2] = &factor;
  *data = 5;
  load(&library, &kernel);
  check_ok(launch_on(0, kernel, args));
  assert_int_equal(launched_on, 0);
  tvm_ffi_cuda_library_unload(library);
}
#endif

/* ---- A kernel of a C library, as in the example of the header ---- */

static void *cached;
static tvm_ffi_cuda_library cached_library;

static int load_scale(void **out) {
  tvm_ffi_cuda_library library;
  tvm_ffi_cuda_kernel kernel;
  TVM_FFI_C_TRY(tvm_ffi_cuda_library_load(image, &library));
  if (tvm_ffi_cuda_library_get_kernel(library, "scale", &kernel) != 0) {
    tvm_ffi_cuda_library_unload(library);
    return -1;
  }
  cached_library = library;
  *out = kernel;
  return 0;
}

static int launch_scale(const DLTensor *x, double factor) {
  int64_t n = tvm_ffi_tensor_get_numel(x);
  void *data = tvm_ffi_tensor_get_data(x), *args[3];
  args[0] = &data, args[1] = &n, args[2] = &factor;
  if (n == 0) return 0;
  TVM_FFI_C_TRY(TVMFFIHandleInitOnce(&cached, load_scale));
  return tvm_ffi_cuda_kernel_launch(
      (tvm_ffi_cuda_kernel)cached, args, tvm_ffi_cuda_dim_make((unsigned)((n + 255) / 256), 1, 1),
      tvm_ffi_cuda_dim_make(256, 1, 1), 0, tvm_ffi_cuda_get_stream(x));
}

TVM_FFI_C_FUNCTION(scale_function, "(0: DLTensor*, 1: float) -> void") {
  tvm_ffi_cuda_guard guard;
  DLTensor *x;
  double factor;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 0, kDLCUDA));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &factor));
  TVM_FFI_C_TRY(tvm_ffi_cuda_guard_begin(&guard, x->device.device_id));
  return tvm_ffi_cuda_guard_end(&guard, launch_scale(x, factor));
}

/* Each call of CUDA is made to fail once. */
TEST(test_a_kernel_of_a_c_library) {
  float values[3] = {1, 2, 3};
  int64_t shape = 3, stride;
  DLTensor tensor;
  TVMFFIAny args[2], result;
  TVMFFIObjectHandle function;
  long n, live;
  int code;
  make_current(0);
  live = fake_get_live_count();
  check_ok(TVMFFIFunctionCreate(NULL, scale_function, NULL, &function));
  tvm_ffi_tensor_init(&tensor, values, tvm_ffi_device_make(kDLCUDA, 1), TVM_FFI_C_FLOAT32, 1,
                      &shape, &stride);
  args[0] = tvm_ffi_any_view_tensor(&tensor);
  args[1] = tvm_ffi_any_from_double(2);
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 1, (TVMFFIStreamHandle)(uintptr_t)9, NULL));
  for (n = 0;; ++n) {
    const int was_loaded = cached != NULL;
    fake_clear_log();
    fake_fail_after(n, 2);
    code = tvm_ffi_function_call(function, args, 2, &result);
    fake_fail_after(-1, 0);
    if (code != 0) {
      check_raised_with("RuntimeError", OUT_OF_MEMORY " (2): out of memory");
      /* A failed release leaves the context retained. */
      if (strstr(fake_get_log(), "cuDevicePrimaryCtxRelease device 1 -> 2") != NULL) ++live;
    }
    if (strstr(fake_get_log(), BY_API("cuCtxPopCurrent -> 2", "cudaSetDevice 0 -> 2")) != NULL) {
      make_current(0);
      live += BY_API(1, 0);
    }
    assert_int_equal(get_current(), 0);
    if (cached != NULL && !was_loaded) ++live;
    assert_int_equal(fake_get_live_count(), live);
    if (code == 0) break;
  }
  assert_true(n > 2);
  assert_int_equal(launched_on, 1);
  assert_true(values[0] >= 2);
  assert_non_null(strstr(fake_get_log(), NAME("LaunchKernel") " scale grid 1 1 1 block 256 1 1 "
                                                              "shared 0 stream 9\n"));
  shape = 0;
  check_ok(tvm_ffi_function_call(function, args, 2, &result));
  tensor.device.device_type = kDLCPU;
  check_fails_with(tvm_ffi_function_call(function, args, 2, &result), "ValueError",
                   "Expected `cuda` but got `cpu:1`");
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 1, NULL, NULL));
  tvm_ffi_object_release(function);
  tvm_ffi_cuda_library_unload(cached_library);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_a_failed_call_raises, set_up),
    cmocka_unit_test_setup(test_a_device_is_current_for_a_while, set_up),
    cmocka_unit_test_setup(test_the_current_device_is_left_alone, set_up),
    cmocka_unit_test_setup(test_the_first_error_stays, set_up),
    cmocka_unit_test_setup(test_an_end_that_fails, set_up),
    cmocka_unit_test_setup(test_a_begin_that_fails, set_up),
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
    cmocka_unit_test_setup(test_the_driver_is_initialised_when_needed, set_up),
    cmocka_unit_test_setup(test_a_context_of_the_program, set_up),
#endif
    cmocka_unit_test_setup(test_loading, set_up),
    cmocka_unit_test_setup(test_more_shared_memory, set_up),
    cmocka_unit_test_setup(test_devices_that_refuse, set_up),
    cmocka_unit_test_setup(test_launching, set_up),
#if TVM_FFI_CHECK_LAUNCH_DEVICE
    cmocka_unit_test_setup(test_memory_of_another_device_is_refused, set_up),
#else
    cmocka_unit_test_setup(test_nothing_is_asked_without_the_check, set_up),
#endif
    cmocka_unit_test_setup(test_a_kernel_of_a_c_library, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
