/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the framework for kernels that allocate: sets an allocator for the call and restores the
 * previous one. */
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>

#include <cstdio>
#include <cstdlib>

namespace ffi = tvm::ffi;

namespace {

constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};
constexpr DLDevice kCPU = {kDLCPU, 0};

int num_live = 0;

/* The framework's tensors: here from malloc, and counted. */
struct FrameworkAlloc {
  void AllocData(DLTensor *tensor) {
    const size_t size = ffi::GetDataSize(*tensor);
    TVM_FFI_CHECK(size <= 1000, MemoryError) << "the pool has no " << size << " bytes";
    tensor->data = std::malloc(size);
    TVM_FFI_CHECK(tensor->data != nullptr || size == 0, MemoryError) << size << " bytes";
    ++num_live;
  }
  void FreeData(DLTensor *tensor) {
    std::free(tensor->data);
    --num_live;
  }
};

/* As DLPack requires: failures are passed to set_error, not thrown. */
int Allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
             void (*set_error)(void *error_ctx, const char *kind, const char *message)) {
  try {
    const ffi::ShapeView shape(prototype->shape, static_cast<size_t>(prototype->ndim));
    *out = ffi::Tensor::FromNDAlloc(FrameworkAlloc(), shape, prototype->dtype, prototype->device)
               .ToDLPackVersioned();
    return 0;
  } catch (const ffi::Error &error) {
    set_error(error_ctx, error.kind().c_str(), error.what());
    return -1;
  }
}

/* For one call and this thread; the destructor runs after an error too. */
class Allocator {
 public:
  explicit Allocator(DLPackManagedTensorAllocator allocate) {
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 0, &old_));
  }
  ~Allocator() { TVMFFIEnvSetDLPackManagedTensorAllocator(old_, 0, nullptr); }
  Allocator(const Allocator &) = delete;
  Allocator &operator=(const Allocator &) = delete;

 private:
  DLPackManagedTensorAllocator old_ = nullptr;
};

template <typename... Args>
ffi::Any CallWithAllocator(const ffi::Function &function, const Args &...args) {
  const Allocator allocator(Allocate);
  return function(args...);
}

void PrintIndices(const ffi::Tensor &indices) {
  const int64_t *data = static_cast<const int64_t *>(indices.data_ptr());
  std::printf("nonzero, strides [%d, %d]:", static_cast<int>(indices.stride(0)),
              static_cast<int>(indices.stride(1)));
  for (int64_t i = 0; i < indices.size(0); ++i) {
    std::printf(" (%d, %d)", static_cast<int>(data[i * indices.stride(0)]),
                static_cast<int>(data[i * indices.stride(0) + indices.stride(1)]));
  }
  std::printf("\n");
}

void UseTheFrameworksMemory(const ffi::Module &module) {
  const ffi::Function nonzero = module->GetFunction("nonzero").value();
  float numbers[2][3] = {{0, 1, 0}, {2, 0, 3}};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  DLTensor memory = {};
  memory.data = numbers;
  memory.device = kCPU;
  memory.ndim = 2;
  memory.dtype = kFloat32;
  memory.shape = shape;
  memory.strides = strides;
  const ffi::TensorView x(&memory);

  try {
    nonzero(x, nullptr);
  } catch (const ffi::Error &error) {
    std::printf("without an allocator: %s\n", error.kind().c_str());
  }
  {
    const ffi::Tensor indices = CallWithAllocator(nonzero, x, nullptr).cast<ffi::Tensor>();
    PrintIndices(indices);
    PrintIndices(CallWithAllocator(nonzero, x, 1.5).cast<ffi::Tensor>());
    std::printf("tensors of the framework: %d\n", num_live);
  }
  std::printf("released: %d\n", num_live);

  // The allocator's error is the kernel's.
  numbers[0][0] = 1;
  shape[0] = 100, strides[0] = 0;
  try {
    CallWithAllocator(nonzero, x, 0.5);
  } catch (const ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.what());
  }
}

void UseTheKernelsMemory(const ffi::Module &module) {
  const ffi::Function aligned = module->GetFunction("aligned").value();
  const ffi::Function symmetric = module->GetFunction("symmetric").value();
  {
    const ffi::Tensor x = aligned(ffi::Shape({3, 5}), kFloat32, 256).cast<ffi::Tensor>();
    std::printf("aligned to 256 bytes: %s\n", x.IsAligned(256) ? "yes" : "no");
  }
  try {
    aligned(ffi::Shape({3, 5}), kFloat32, 24);
  } catch (const ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.what());
  }
  std::printf("symmetric\n");
  ffi::Tensor buffer = symmetric(ffi::Shape({64}), "bfloat16", kCPU).cast<ffi::Tensor>();
  ffi::Tensor copy = buffer;
  buffer = ffi::Tensor();
  std::printf("  one reference less\n");
  copy = ffi::Tensor();
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  try {
    // The deleters of the tensors are code of the library, which lives as long as its module.
    const ffi::Module module = ffi::Module::LoadFromFile(argv[1]);
    UseTheFrameworksMemory(module);
    UseTheKernelsMemory(module);
  } catch (const ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.what());
    return 1;
  }
  return 0;
}
