/* SPDX-License-Identifier: Apache-2.0 */
/* The behaviour of the fake driver that the tests of launchers rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "include/cuda.h"

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.visible .entry add_one(\n\t.param .u64 add_one_param_0,\n"
    "\t.param .u64 add_one_param_1\n)\n{ ret; }\n";
static const char cubin[] =
    "\x7f"
    "ELF and so on";

static void add_one(const fake_launch *launch, void **params) {
  float *data = *(float **)params[0];
  const int64_t size = *(int64_t *)params[1];
  int64_t i;
  const unsigned threads = launch->grid[0] * launch->block[0];
  for (i = 0; i < size && i < (int64_t)threads; ++i) data[i] += 1;
}

static int set_up(void **state) {
  const fake_kernel kernel = {"add_one", add_one, 1024};
  (void)state;
  fake_reset();
  fake_add_kernel(&kernel);
  return 0;
}

/* Makes the primary context of device 0 current. */
static CUcontext begin(void) {
  CUcontext context = NULL;
  assert_int_equal(cuInit(0), CUDA_SUCCESS);
  assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  assert_int_equal(cuCtxPushCurrent(context), CUDA_SUCCESS);
  return context;
}

static void end(void) {
  CUcontext context;
  assert_int_equal(cuCtxPopCurrent(&context), CUDA_SUCCESS);
  assert_int_equal(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  assert_int_equal(fake_get_live_count(), 0);
}

static void test_a_module_runs(void **state) {
  float host[3] = {1, 2, 3};
  CUdeviceptr data;
  int64_t size = 3;
  void *params[2];
  CUmodule module;
  CUfunction function;
  (void)state;
  begin();
  assert_int_equal(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
  assert_int_equal(cuModuleGetFunction(&function, module, "add_one"), CUDA_SUCCESS);
  assert_int_equal(cuMemAlloc(&data, sizeof host), CUDA_SUCCESS);
  assert_int_equal(cuMemcpyHtoD(data, host, sizeof host), CUDA_SUCCESS);
  params[0] = &data;
  params[1] = &size;
  fake_clear_log();
  assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 16, NULL, params, NULL),
                   CUDA_SUCCESS);
  assert_string_equal(fake_get_log(),
                      "cuLaunchKernel add_one grid 1 1 1 block 2 1 1 shared 16 stream 0\n");
  assert_int_equal(cuMemcpyDtoH(host, data, sizeof host), CUDA_SUCCESS);
  assert_true(host[0] == 2 && host[1] == 3 && host[2] == 3);
  assert_int_equal(cuMemcpyDtoH(host, data + 4, sizeof host), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(fake_get_live_count(), 3);
  assert_int_equal(cuMemFree(data), CUDA_SUCCESS);
  assert_int_equal(cuMemFree(data), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(cuModuleUnload(module), CUDA_SUCCESS);
  assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, NULL, params, NULL),
                   CUDA_ERROR_INVALID_HANDLE);
  end();
}

static void test_functions_belong_to_a_context(void **state) {
  CUmodule module;
  CUfunction function, by_kernel;
  CUlibrary library;
  CUkernel kernel;
  CUcontext other;
  float value = 0, *data = &value;
  int64_t size = 1;
  void *params[2];
  (void)state;
  params[0] = &data;
  params[1] = &size;
  fake_set_device_count(2);
  begin();
  assert_int_equal(cuModuleLoadDataEx(&module, cubin, 0, NULL, NULL), CUDA_SUCCESS);
  assert_int_equal(cuModuleGetFunction(&function, module, "add_one"), CUDA_SUCCESS);
  assert_int_equal(cuLibraryLoadData(&library, cubin, NULL, NULL, 0, NULL, NULL, 0), CUDA_SUCCESS);
  assert_int_equal(cuLibraryGetKernel(&kernel, library, "add_one"), CUDA_SUCCESS);
  other = (CUcontext)fake_make_context(1);
  assert_int_equal(cuCtxSetCurrent(other), CUDA_SUCCESS);
  assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
                   CUDA_ERROR_INVALID_HANDLE);
  assert_int_equal(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
                   CUDA_SUCCESS);
  assert_int_equal(cuKernelGetFunction(&by_kernel, kernel), CUDA_SUCCESS);
  assert_int_equal(cuLaunchKernel(by_kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
                   CUDA_SUCCESS);
  assert_true(value == 2);
  assert_int_equal(cuLibraryUnload(library), CUDA_SUCCESS);
  assert_int_equal(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
                   CUDA_ERROR_INVALID_HANDLE);
  assert_int_equal(cuModuleUnload(module), CUDA_SUCCESS);
  end();
}

static void test_shared_memory_is_limited(void **state) {
  CUlaunchAttribute attribute;
  CUlaunchConfig config;
  CUlibrary library;
  CUkernel kernel;
  float *data = NULL;
  int64_t size = 0;
  void *params[2];
  int bytes = 0;
  (void)state;
  params[0] = &data;
  params[1] = &size;
  memset(&config, 0, sizeof config);
  memset(&attribute, 0, sizeof attribute);
  begin();
  assert_int_equal(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), CUDA_SUCCESS);
  assert_int_equal(cuLibraryGetKernel(&kernel, library, "add_one"), CUDA_SUCCESS);
  assert_int_equal(cuKernelGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, 0),
                   CUDA_SUCCESS);
  assert_int_equal(bytes, 1024);
  config.gridDimX = 4;
  config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = 65536;
  config.attrs = &attribute;
  config.numAttrs = 1;
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = 2;
  attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  assert_int_equal(cuLaunchKernelEx(&config, (CUfunction)kernel, params, NULL),
                   CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(
      cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536, kernel, 0),
      CUDA_SUCCESS);
  fake_clear_log();
  assert_int_equal(cuLaunchKernelEx(&config, (CUfunction)kernel, params, NULL), CUDA_SUCCESS);
  assert_string_equal(fake_get_log(),
                      "cuLaunchKernelEx add_one grid 4 1 1 block 1 1 1 cluster 2 1 1 "
                      "shared 65536 stream 0\n");
  attribute.value.clusterDim.x = 3;
  assert_int_equal(cuLaunchKernelEx(&config, (CUfunction)kernel, params, NULL),
                   CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(
      cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448, kernel, 0),
      CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(cuLibraryUnload(library), CUDA_SUCCESS);
  end();
}

static void test_a_graph_runs_what_was_captured(void **state) {
  float values[2] = {1, 2}, *data = values;
  int64_t size = 2;
  CUlibrary library;
  CUkernel kernel;
  CUstream stream;
  CUgraph graph;
  CUgraphExec executable;
  void *params[2];
  (void)state;
  params[0] = &data;
  params[1] = &size;
  begin();
  assert_int_equal(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), CUDA_SUCCESS);
  assert_int_equal(cuLibraryGetKernel(&kernel, library, "add_one"), CUDA_SUCCESS);
  assert_int_equal(cuStreamBeginCapture(NULL, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  assert_int_equal(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  assert_int_equal(cuStreamBeginCapture(stream, 0), CUDA_SUCCESS);
  assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  assert_int_equal(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 2, 1, 1, 0, stream, params, NULL),
                   CUDA_SUCCESS);
  assert_true(values[0] == 1);
  /* The values of parameters are those of the launch. */
  size = 1;
  assert_int_equal(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 2, 1, 1, 0, stream, params, NULL),
                   CUDA_SUCCESS);
  data = NULL;
  assert_int_equal(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  assert_int_equal(cuStreamEndCapture(stream, &graph), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(cuGraphInstantiate(&executable, graph, 0), CUDA_SUCCESS);
  assert_int_equal(cuGraphDestroy(graph), CUDA_SUCCESS);
  assert_int_equal(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
  assert_true(values[0] == 3 && values[1] == 3);
  assert_int_equal(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
  assert_true(values[0] == 5 && values[1] == 4);
  assert_int_equal(cuStreamSynchronize(stream), CUDA_SUCCESS);
  assert_int_equal(cuLibraryUnload(library), CUDA_SUCCESS);
  assert_int_equal(cuGraphLaunch(executable, stream), CUDA_ERROR_LAUNCH_FAILED);
  assert_int_equal(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  assert_int_equal(cuGraphLaunch(executable, stream), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(cuStreamDestroy(stream), CUDA_SUCCESS);
  end();
}

static void test_failures(void **state) {
  CUcontext context = NULL;
  CUmodule module = NULL;
  CUfunction function = NULL;
  const char *text;
  int count = 0;
  (void)state;
  assert_int_equal(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  fake_fail_after(1, CUDA_ERROR_OUT_OF_MEMORY);
  assert_int_equal(cuInit(0), CUDA_SUCCESS);
  assert_int_equal(cuDeviceGetCount(&count), CUDA_ERROR_OUT_OF_MEMORY);
  assert_int_equal(cuDeviceGetCount(&count), CUDA_SUCCESS);
  assert_int_equal(count, 1);
  fake_fail("cuDeviceGetCount", CUDA_ERROR_NO_DEVICE);
  assert_int_equal(cuDeviceGetCount(&count), CUDA_ERROR_NO_DEVICE);
  fake_fail("cuDeviceGetCount", 0);
  assert_int_equal(cuDeviceGetCount(&count), CUDA_SUCCESS);
  assert_int_equal(fake_get_call_count(), 6);
  assert_string_equal(fake_get_log(),
                      "cuDeviceGetCount -> 3\ncuInit 0\ncuDeviceGetCount -> 2\ncuDeviceGetCount\n"
                      "cuDeviceGetCount -> 100\ncuDeviceGetCount\n");
  assert_int_equal(cuModuleLoadData(&module, ptx), CUDA_ERROR_INVALID_CONTEXT);
  assert_int_equal(cuDevicePrimaryCtxRetain(&context, 1), CUDA_ERROR_INVALID_DEVICE);
  begin();
  assert_int_equal(cuModuleLoadData(&module, "no image"), CUDA_ERROR_INVALID_IMAGE);
  assert_int_equal(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
  assert_int_equal(cuModuleGetFunction(&function, module, "add"), CUDA_ERROR_NOT_FOUND);
  assert_int_equal(cuModuleUnload(module), CUDA_SUCCESS);
  end();
  assert_int_equal(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
  assert_int_equal(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &text), CUDA_SUCCESS);
  assert_string_equal(text, "CUDA_ERROR_NOT_FOUND");
  assert_int_equal(cuGetErrorString(CUDA_ERROR_NOT_FOUND, &text), CUDA_SUCCESS);
  assert_string_equal(text, "named symbol not found");
  assert_int_equal(cuGetErrorName(12345, &text), CUDA_ERROR_INVALID_VALUE);
  assert_null(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_a_module_runs, set_up),
      cmocka_unit_test_setup(test_functions_belong_to_a_context, set_up),
      cmocka_unit_test_setup(test_shared_memory_is_limited, set_up),
      cmocka_unit_test_setup(test_a_graph_runs_what_was_captured, set_up),
      cmocka_unit_test_setup(test_failures, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
