/* SPDX-License-Identifier: Apache-2.0 */
/* A device plugin for OpenCL: with it, `tvm-ffi run --device=opencl:0` has tensors in buffers of
 * the first device of all platforms, opencl:1 of the next, and kernels a queue on it. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/device_plugin.h>
#include <tvm/ffi/c/opencl.h>

enum { kMaxPlatforms = 16, kMaxDevices = 64, kNoPlatform = -1001 /* CL_PLATFORM_NOT_FOUND_KHR */ };

/* Of the device that was opened: the tool opens one. */
static cl_command_queue queue;

/* Finds the device; 0, or an error raised. */
static int find_device(int32_t device_id, cl_device_id *out) {
  cl_platform_id platforms[kMaxPlatforms];
  cl_device_id devices[kMaxDevices];
  cl_uint num_platforms = 0, num_devices, i, before = 0;
  cl_int status;
  status = clGetPlatformIDs(kMaxPlatforms, platforms, &num_platforms);
  if (status != kNoPlatform) TVM_FFI_C_OPENCL_TRY(status);
  if (num_platforms > kMaxPlatforms) num_platforms = kMaxPlatforms;
  for (i = 0; i < num_platforms; ++i) {
    status = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, kMaxDevices, devices, &num_devices);
    if (status == CL_DEVICE_NOT_FOUND) continue;
    TVM_FFI_C_OPENCL_TRY(status);
    if (num_devices > kMaxDevices) num_devices = kMaxDevices;
    if (device_id >= 0 && (cl_uint)device_id - before < num_devices) {
      *out = devices[(cl_uint)device_id - before];
      return 0;
    }
    before += num_devices;
  }
  return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "there is no device %d: OpenCL has %u",
                             (int)device_id, (unsigned)before);
}

static int open_stream(int32_t device_id, TVMFFIStreamHandle *out) {
  cl_context context;
  cl_device_id device;
  cl_int status;
  if (queue == NULL) {
    TVM_FFI_C_TRY(find_device(device_id, &device));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    TVM_FFI_C_OPENCL_TRY(status);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    TVM_FFI_C_OPENCL_TRY(status);
  }
  *out = queue;
  return 0;
}

static int allocate(int32_t device_id, TVMFFIStreamHandle stream, size_t size, void **out) {
  cl_context context;
  cl_int status;
  (void)device_id;
  TVM_FFI_C_OPENCL_TRY(
      clGetCommandQueueInfo(stream, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
  *out = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &status);
  TVM_FFI_C_OPENCL_TRY(status);
  return 0;
}

static void release(int32_t device_id, TVMFFIStreamHandle stream, void *data) {
  (void)device_id;
  (void)stream;
  (void)clReleaseMemObject(data);
}

static int copy_in(int32_t device_id, TVMFFIStreamHandle stream, void *data, uint64_t offset,
                   const void *source, size_t size) {
  (void)device_id;
  TVM_FFI_C_OPENCL_TRY(
      clEnqueueWriteBuffer(stream, data, CL_TRUE, (size_t)offset, size, source, 0, NULL, NULL));
  return 0;
}

/* OpenCL's buffers are not const, also where they are only read. */
static int copy_out(int32_t device_id, TVMFFIStreamHandle stream, const void *data, uint64_t offset,
                    void *dest, size_t size) {
  const cl_mem buffer = (cl_mem)(uintptr_t)data;
  (void)device_id;
  TVM_FFI_C_OPENCL_TRY(
      clEnqueueReadBuffer(stream, buffer, CL_TRUE, (size_t)offset, size, dest, 0, NULL, NULL));
  return 0;
}

static int wait_for(int32_t device_id, TVMFFIStreamHandle stream) {
  (void)device_id;
  TVM_FFI_C_OPENCL_TRY(clFinish(stream));
  return 0;
}

static const tvm_ffi_device_plugin plugin = {TVM_FFI_C_DEVICE_PLUGIN_VERSION,
                                             kDLOpenCL,
                                             open_stream,
                                             allocate,
                                             release,
                                             copy_in,
                                             copy_out,
                                             wait_for};
TVM_FFI_C_DEVICE_PLUGIN(plugin)
