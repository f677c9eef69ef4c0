/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel library with an embedded image, built twice; both images have the same name. */
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

TVM_FFI_EMBED_CUBIN(kernels)

static void Run(int device) {
  const ffi::CUDADeviceGuard guard(device);
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "run");
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(nullptr, ffi::dim3(1), ffi::dim3(1), nullptr));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, Run)

static ffi::Bytes GetImage() {
  return ffi::Bytes(__tvm_ffi__cubin_kernels,
                    static_cast<size_t>(__tvm_ffi__cubin_kernels_end - __tvm_ffi__cubin_kernels));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_image, GetImage)
