/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer's CUDA headers with the real toolkit: a kernel of this file, and those of a fatbin and
 * a cubin that nvcc made from gpu_kernels.cu. Without a GPU it checks the images and the error of
 * loading them, and exits with 77.
 */
#include <tvm/ffi/container/tensor_accessor.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>

#include <cstdio>

namespace ffi = tvm::ffi;

TVM_FFI_EMBED_CUBIN(fatbin)
TVM_FFI_EMBED_CUBIN(cubin)
TVM_FFI_EMBED_CUBIN_FROM_BYTES(bytes,
                               ffi::Bytes(__tvm_ffi__cubin_fatbin,
                                          __tvm_ffi__cubin_fatbin_end - __tvm_ffi__cubin_fatbin))

#define EXPECT(condition)                                                 \
  do {                                                                    \
    if (!(condition)) {                                                   \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                           \
    }                                                                     \
  } while (0)

/* device_guard.h includes the header of `half`. */
__global__ void Twice(half *data, int64_t size) {
  if (threadIdx.x < size) data[threadIdx.x] = data[threadIdx.x] * __float2half(2.0f);
}

/* An accessor can be a parameter of a kernel. */
__global__ void Transpose(ffi::TensorAccessor<const float, 2, kDLCUDA> x,
                          ffi::ContiguousAccessor<float, 2, kDLCUDA> y) {
  for (int64_t j = threadIdx.x; j < x.size(1); j += blockDim.x) {
    for (int64_t i = 0; i < x.size(0); ++i) y(j, i) = x[i][j];
  }
}

void LaunchTranspose(ffi::TensorAccessor<const float, 2, kDLCUDA> x,
                     ffi::ContiguousAccessor<float, 2, kDLCUDA> y) {
  const ffi::CUDADeviceGuard guard(x.device().device_id);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, x.device().device_id));
  Transpose<<<1, 128, 0, stream>>>(x, y);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

struct CudaAlloc {
  void AllocData(DLTensor *tensor) {
    TVM_FFI_CHECK_CUDA_ERROR(cudaMalloc(&tensor->data, ffi::GetDataSize(*tensor)));
  }
  void FreeData(DLTensor *tensor) { TVM_FFI_CHECK_CUDA_ERROR(cudaFree(tensor->data)); }
};

ffi::Tensor MakeTensor(int64_t size, DLDataType dtype, int device) {
  return ffi::Tensor::FromNDAlloc(CudaAlloc(), {size}, dtype, DLDevice{kDLCUDA, device});
}

void Scale(const ffi::CubinKernel &kernel, ffi::TensorView x, float factor) {
  const ffi::CUDADeviceGuard guard(x.device().device_id);
  void *data = x.data_ptr();
  int64_t size = x.numel();
  void *args[] = {&data, &size, &factor};
  const auto stream =
      static_cast<ffi::cuda_api::StreamHandle>(TVMFFIEnvGetStream(kDLCUDA, x.device().device_id));
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(args, ffi::dim3((size + 255) / 256), ffi::dim3(256), stream));
}

void Reverse(ffi::TensorView x) {
  static auto kernel =
      EmbedCubinModule_bytes::Global()->mod.GetKernelWithMaxDynamicSharedMemory("reverse");
  const ffi::CUDADeviceGuard guard(x.device().device_id);
  void *data = x.data_ptr();
  int64_t size = x.numel(), space_size = 60 * 1024 / sizeof(float);
  void *args[] = {&data, &size, &space_size};
  ffi::cuda_api::LaunchConfig config;
  ffi::cuda_api::LaunchAttrType attr;
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(ffi::cuda_api::ConstructLaunchConfig(
      kernel.GetHandle(), nullptr, static_cast<uint32_t>(space_size * sizeof(float)), ffi::dim3(1),
      ffi::dim3(128), 1, config, attr));
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(kernel.LaunchEx(args, config));
}

int RunOn(int device) {
  constexpr int64_t kSize = 1000;
  static float host[kSize];
  for (int64_t i = 0; i < kSize; ++i) host[i] = static_cast<float>(i);
  const ffi::CUDADeviceGuard guard(device);
  const ffi::Tensor x = MakeTensor(kSize, DLDataType{kDLFloat, 32, 1}, device);
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemcpy(x.data_ptr(), host, sizeof host, cudaMemcpyHostToDevice));
  static auto scale = TVM_FFI_EMBED_CUBIN_GET_KERNEL(fatbin, "scale");
  Scale(scale, x, 3.0f);
  Reverse(x);
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemcpy(host, x.data_ptr(), sizeof host, cudaMemcpyDeviceToHost));
  for (int64_t i = 0; i < kSize; ++i) EXPECT(host[i] == 3.0f * static_cast<float>(kSize - 1 - i));

  const auto transpose = ffi::Function::FromTyped(LaunchTranspose, "transpose");
  const ffi::Tensor z = MakeTensor(kSize, DLDataType{kDLFloat, 32, 1}, device);
  transpose(x.as_strided({10, 100}, {100, 1}), z.as_strided({100, 10}, {10, 1}));
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemcpy(host, z.data_ptr(), sizeof host, cudaMemcpyDeviceToHost));
  for (int64_t i = 0; i < kSize; ++i) {
    EXPECT(host[i] == 3.0f * static_cast<float>(kSize - 1 - (i % 10 * 100 + i / 10)));
  }

  const ffi::Tensor y = MakeTensor(2, DLDataType{kDLFloat, 16, 1}, device);
  half halves[2] = {__float2half(1.5f), __float2half(-4.0f)};
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemcpy(y.data_ptr(), halves, sizeof halves, cudaMemcpyHostToDevice));
  Twice<<<1, 32>>>(static_cast<half *>(y.data_ptr()), 2);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemcpy(halves, y.data_ptr(), sizeof halves, cudaMemcpyDeviceToHost));
  EXPECT(__half2float(halves[0]) == 3.0f && __half2float(halves[1]) == -8.0f);
  return 0;
}

/* What the chosen API says. */
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
const char kNoKernel[] = "CUDA Error: CUDA_ERROR_NOT_FOUND (500): named symbol not found";
#else
const char kNoKernel[] = "CUDA Error: cudaErrorSymbolNotFound (500): named symbol not found";
#endif

int main() {
  int num_devices = 0, before = -1, after = -1;
  EXPECT(std::memcmp(__tvm_ffi__cubin_fatbin, "\x50\xed\x55\xba", 4) == 0);
  EXPECT(std::memcmp(__tvm_ffi__cubin_cubin,
                     "\x7f"
                     "ELF",
                     4) == 0);
  const cudaError_t error = cudaGetDeviceCount(&num_devices);
  if (error != cudaSuccess) {
    ffi::String said = "nothing";
    try {
      TVM_FFI_EMBED_CUBIN_GET_KERNEL(cubin, "scale");
    } catch (const ffi::Error &thrown) {
      said = ffi::String(thrown.what());
    }
    const ffi::String wanted = std::string("CUDA Error: ") + cudaGetErrorName(error) + " (" +
                               std::to_string(error) + "): " + cudaGetErrorString(error);
    EXPECT(said == wanted);
    std::printf("no GPU to run on: %s\n", said.c_str());
    return 77;
  }
  for (int device = num_devices - 1; device >= 0; --device) {
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&before));
    if (RunOn(device) != 0) return 1;
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&after));
    EXPECT(before == after);
  }
  try {
    TVM_FFI_EMBED_CUBIN_GET_KERNEL(fatbin, "none");
    return 1;
  } catch (const ffi::Error &thrown) {
    EXPECT(std::strcmp(thrown.what(), kNoKernel) == 0);
  }
  // Whether the kernel is found depends on the architecture of the device; it must never crash.
  try {
    TVM_FFI_EMBED_CUBIN_GET_KERNEL(cubin, "scale");
  } catch (const ffi::Error &thrown) {
    std::printf("the cubin of the oldest architecture: %s\n", thrown.what());
  }
  std::printf("%d devices\n", num_devices);
  return 0;
}
