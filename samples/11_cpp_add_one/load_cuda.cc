/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the kernel library of add_one.cu and calls it on tensors of a GPU; ends with 77 without
 * one.
 */
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/cuda/base.h>
#include <tvm/ffi/extra/module.h>

#include <cstdio>

namespace ffi = tvm::ffi;

namespace {

struct CUDAAlloc {
  void AllocData(DLTensor *tensor) {
    TVM_FFI_CHECK_CUDA_ERROR(cudaMalloc(&tensor->data, ffi::GetDataSize(*tensor)));
  }
  // Called by a destructor, maybe when the process ends and the driver is gone: nothing to throw.
  void FreeData(DLTensor *tensor) { static_cast<void>(cudaFree(tensor->data)); }
};

void Run(const char *path) {
  constexpr int kSize = 5;
  constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};
  constexpr DLDevice kGPU = {kDLCUDA, 0};
  const ffi::Module module = ffi::Module::LoadFromFile(path);
  const ffi::Function add_one = module->GetFunction("add_one").value();

  const ffi::Tensor x = ffi::Tensor::FromNDAlloc(CUDAAlloc(), {kSize}, kFloat32, kGPU);
  const ffi::Tensor y = ffi::Tensor::FromNDAlloc(CUDAAlloc(), {kSize}, kFloat32, kGPU);
  float numbers[kSize] = {0, 0.5f, 1, 1.5f, 2};
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaMemcpy(x.data_ptr(), numbers, sizeof numbers, cudaMemcpyHostToDevice));
  add_one(x, y);
  // On the default stream, as the kernel, and so after it.
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaMemcpy(numbers, y.data_ptr(), sizeof numbers, cudaMemcpyDeviceToHost));
  std::printf("on a GPU:");
  for (float number : numbers) std::printf(" %g", static_cast<double>(number));
  std::printf("\n");
}

}  // namespace

int main(int argc, char **argv) {
  int num_devices = 0;
  if (argc != 2) return 2;
  const cudaError_t status = cudaGetDeviceCount(&num_devices);
  if (status != cudaSuccess || num_devices == 0) {
    std::printf("no GPU: %s\n", cudaGetErrorString(status));
    return 77;
  }
  try {
    Run(argv[1]);
  } catch (const ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.what());
    return 1;
  }
  return 0;
}
