/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a kernel library from C++ and calls it with its own tensors and with its own memory. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>

#include <cstdio>
#include <cstdlib>

namespace ffi = tvm::ffi;

namespace {

constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};
constexpr DLDevice kCPU = {kDLCPU, 0};

struct CPUAlloc {
  void AllocData(DLTensor *tensor) {
    tensor->data = std::malloc(ffi::GetDataSize(*tensor));
    TVM_FFI_CHECK(tensor->data != nullptr, MemoryError) << "no memory for a tensor";
  }
  void FreeData(DLTensor *tensor) { std::free(tensor->data); }
};

void Run(const char *path) {
  const ffi::Module module = ffi::Module::LoadFromFile(path);
  const ffi::Function add_one = module->GetFunction("add_one").value();

  // Tensors that own their memory.
  const int64_t n = 5;
  const ffi::Tensor x = ffi::Tensor::FromNDAlloc(CPUAlloc(), {n}, kFloat32, kCPU);
  const ffi::Tensor y = ffi::Tensor::FromNDAlloc(CPUAlloc(), {n}, kFloat32, kCPU);
  float *data = static_cast<float *>(x.data_ptr());
  for (int64_t i = 0; i < n; ++i) data[i] = static_cast<float>(i) / 2;
  add_one(x, y);
  std::printf("tensors:");
  for (int64_t i = 0; i < n; ++i) {
    std::printf(" %g", static_cast<double>(static_cast<float *>(y.data_ptr())[i]));
  }

  // A view of existing memory.
  float numbers[3] = {10, 20, 30};
  int64_t shape[1] = {3}, strides[1] = {1};
  DLTensor memory = {};
  memory.data = numbers;
  memory.device = kCPU;
  memory.ndim = 1;
  memory.dtype = kFloat32;
  memory.shape = shape;
  memory.strides = strides;
  const ffi::TensorView view(&memory);
  add_one(view, view);
  std::printf("\nviews: %g %g %g\n", static_cast<double>(numbers[0]),
              static_cast<double>(numbers[1]), static_cast<double>(numbers[2]));

  // The caller catches what the kernel throws.
  try {
    add_one(x, view);
  } catch (const ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.what());
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  try {
    Run(argv[1]);
  } catch (const ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.what());
    return 1;
  }
  return 0;
}
