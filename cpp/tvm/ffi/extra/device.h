/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/device.h
 * For kernels on devices without a default stream, or whose data is a handle: what
 * tvm/ffi/c/env.h and tvm/ffi/c/tensor.h have for C. tvm/ffi/c/handle_table.h serves C++ as it is.
 */
#ifndef TVM_FFI_EXTRA_DEVICE_H_
#define TVM_FFI_EXTRA_DEVICE_H_

#include <tvm/ffi/c/env.h>
#include <tvm/ffi/container/tensor.h>

TVM_FFI_NAMESPACE_BEGIN

#if TVM_FFI_HAS_EXCEPTIONS

/**
 * This thread's current stream of the tensor's device: EnvReadStream<cl_command_queue>(x),
 * EnvReadStream<sycl::queue *>(x). NULL only on the CPU, CUDA and ROCm, where it is the default
 * stream; tvm_ffi_env_read_stream is the same in C.
 * @return [lend] As long as its owner keeps it.
 * Errors: RuntimeError `No stream of opencl:0 is set: ...`.
 */
template <typename Stream = TVMFFIStreamHandle>
TVM_FFI_LOCAL Stream EnvReadStream(const TensorView &x) {
  TVMFFIStreamHandle stream = nullptr;
  detail::CheckSafeCall(tvm_ffi_env_read_stream(x.GetDLTensorPtr(), &stream));
  return static_cast<Stream>(stream);
}

/**
 * Refuses a tensor with elements outside a buffer of so many bytes, the one that data_handle() is
 * or that data_ptr() points to; tvm_ffi_tensor_check_within is the same in C.
 * @param name For the error.
 * Errors: ValueError `Mismatched buffer of x. Expected 40 bytes from byte_offset 4000 on but got 48
 * bytes in all`, ...
 */
TVM_FFI_LOCAL inline void TensorCheckWithin(const TensorView &x, uint64_t bytes,
                                            const char *name = "a tensor") {
  detail::CheckSafeCall(tvm_ffi_detail_check_within(x.GetDLTensorPtr(), bytes, name));
}

#else

/** Say in the compiler's message what to use instead. */
template <typename Stream = TVMFFIStreamHandle, typename View>
TVM_FFI_LOCAL Stream EnvReadStream(const View &) {
  static_assert(sizeof(View) == 0,
                "EnvReadStream throws; with -fno-exceptions use "
                "tvm_ffi_env_read_stream");
}
template <typename View>
TVM_FFI_LOCAL void TensorCheckWithin(const View &, uint64_t, const char * = nullptr) {
  static_assert(sizeof(View) == 0,
                "TensorCheckWithin throws; with -fno-exceptions use "
                "tvm_ffi_tensor_check_within");
}

#endif

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_DEVICE_H_
