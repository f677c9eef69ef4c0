/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a kernel of an image, as gpu_triton.py asks for, by CubinModule; image_kernels.c does so
 * from C. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

/* out = x * factor + y. After its parameters the kernel has some of the compiler's, which are null.
 */
static void Launch(ffi::Bytes image, ffi::String name, int64_t blocks, int64_t threads,
                   int64_t shared_bytes, int64_t num_hidden, ffi::TensorView x, ffi::TensorView y,
                   ffi::TensorView out, double factor) {
  void *addresses[] = {x.data_ptr(), y.data_ptr(), out.data_ptr()}, *hidden = nullptr;
  int32_t size = static_cast<int32_t>(x.numel());
  float factor32 = static_cast<float>(factor);
  void *args[16] = {&addresses[0], &addresses[1], &addresses[2], &size, &factor32};
  TVM_FFI_CHECK(num_hidden >= 0 && num_hidden <= 11, ValueError) << num_hidden << " parameters";
  for (int64_t i = 0; i < num_hidden; ++i) args[5 + i] = &hidden;
  const ffi::CUDADeviceGuard guard(x.device().device_id);
  const ffi::CubinModule module(image);
  const ffi::CubinKernel kernel =
      module.GetKernelWithMaxDynamicSharedMemory(name.c_str(), shared_bytes);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(kernel.Launch(
      args, ffi::dim3(static_cast<unsigned>(blocks)), ffi::dim3(static_cast<unsigned>(threads)),
      static_cast<ffi::cuda_api::StreamHandle>(TVMFFIEnvGetStream(kDLCUDA, x.device().device_id)),
      static_cast<uint32_t>(shared_bytes)));
  // The image is unloaded at the end of the call, and must not be in use then.
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch, Launch);
