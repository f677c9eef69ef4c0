/* SPDX-License-Identifier: Apache-2.0 */
/* A device plugin for ROCm: with it, `tvm-ffi run --device=rocm:0` has tensors in the memory of a
 * GPU. Kernels get the default stream, as they do from the tool on CUDA. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/device_plugin.h>
#include <tvm/ffi/c/hip.h>

static int open_stream(int32_t device_id, TVMFFIStreamHandle *out) {
  *out = NULL;
  TVM_FFI_C_HIP_TRY(hipSetDevice(device_id));
  return 0;
}

/* Also called in threads of kernels, where another device may be current. */
static int allocate(int32_t device_id, TVMFFIStreamHandle stream, size_t size, void **out) {
  tvm_ffi_hip_guard guard;
  hipError_t result;
  (void)stream;
  TVM_FFI_C_TRY(tvm_ffi_hip_guard_begin(&guard, device_id));
  result = hipMalloc(out, size);
  return tvm_ffi_hip_guard_end(&guard, result == hipSuccess ? 0 : TVM_FFI_C_HIP_RAISE(result));
}

/* hipFree finds the device of the memory. */
static void release(int32_t device_id, TVMFFIStreamHandle stream, void *data) {
  (void)device_id;
  (void)stream;
  (void)hipFree(data);
}

static int copy_in(int32_t device_id, TVMFFIStreamHandle stream, void *data, uint64_t offset,
                   const void *source, size_t size) {
  (void)device_id;
  TVM_FFI_C_HIP_TRY(
      hipMemcpyAsync((char *)data + offset, source, size, hipMemcpyHostToDevice, stream));
  TVM_FFI_C_HIP_TRY(hipStreamSynchronize(stream));
  return 0;
}

static int copy_from(hipStream_t stream, const void *source, void *dest, size_t size) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  TVM_FFI_C_HIP_TRY(hipStreamIsCapturing(stream, &status));
  if (status != hipStreamCaptureStatusNone) {
    return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "the stream is being captured");
  }
  TVM_FFI_C_HIP_TRY(hipMemcpyAsync(dest, source, size, hipMemcpyDeviceToHost, stream));
  TVM_FFI_C_HIP_TRY(hipStreamSynchronize(stream));
  return 0;
}

/* Also called by the recorder, in threads where another device may be current. */
static int copy_out(int32_t device_id, TVMFFIStreamHandle stream, const void *data, uint64_t offset,
                    void *dest, size_t size) {
  tvm_ffi_hip_guard guard;
  TVM_FFI_C_TRY(tvm_ffi_hip_guard_begin(&guard, device_id));
  return tvm_ffi_hip_guard_end(&guard, copy_from(stream, (const char *)data + offset, dest, size));
}

static int wait_for(int32_t device_id, TVMFFIStreamHandle stream) {
  (void)device_id;
  (void)stream;
  TVM_FFI_C_HIP_TRY(hipDeviceSynchronize());
  return 0;
}

static const tvm_ffi_device_plugin plugin = {TVM_FFI_C_DEVICE_PLUGIN_VERSION,
                                             kDLROCM,
                                             open_stream,
                                             allocate,
                                             release,
                                             copy_in,
                                             copy_out,
                                             wait_for};
TVM_FFI_C_DEVICE_PLUGIN(plugin)
