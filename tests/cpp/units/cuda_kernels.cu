/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for CUDA: the first one of the quickstart; that of the guide with its checks, device
 * guard and stream; an allocator with CUDA's memory; a module whose functions are kernels of a PTX
 * text. */
#include <cuda.h>
#include <cuda_fp16.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

/* ---- Quickstart ---- */

namespace quickstart {

__global__ void AddOneKernel(const float *x, float *y, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}

void AddOne(ffi::TensorView x, ffi::TensorView y) {
  const int64_t n = x.size(0);
  const int64_t threads = 256;
  cudaStream_t stream =
      static_cast<cudaStream_t>(TVMFFIEnvGetStream(x.device().device_type, x.device().device_id));
  AddOneKernel<<<(n + threads - 1) / threads, threads, 0, stream>>>(
      static_cast<const float *>(x.data_ptr()), static_cast<float *>(y.data_ptr()), n);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one_cuda, quickstart::AddOne);

}  // namespace quickstart

/* ---- Guide ---- */

#define CHECK_CUDA(x) \
  TVM_FFI_CHECK((x).device().device_type == kDLCUDA, ValueError) << #x " must be a CUDA tensor"
#define CHECK_CONTIGUOUS(x) \
  TVM_FFI_CHECK((x).IsContiguous(), ValueError) << #x " must be contiguous"
#define CHECK_INPUT(x)   \
  do {                   \
    CHECK_CUDA(x);       \
    CHECK_CONTIGUOUS(x); \
  } while (0)

constexpr DLDataType kFloat32 = DLDataType{kDLFloat, 32, 1};
constexpr DLDataType kFloat16 = DLDataType{kDLFloat, 16, 1};

inline cudaStream_t get_stream(DLDevice device) {
  return reinterpret_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
}

template <typename T>
__global__ void ScaleKernel(const T *x, T *y, float factor, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = static_cast<T>(static_cast<float>(x[i]) * factor);
}

void Scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  CHECK_INPUT(x);
  CHECK_INPUT(y);
  TVM_FFI_CHECK(x.dtype() == y.dtype(), TypeError) << x.dtype() << " and " << y.dtype();
  ffi::CUDADeviceGuard guard(x.device().device_id);
  const cudaStream_t stream = get_stream(x.device());
  const int64_t n = x.numel();
  const int threads = 256;
  const ::dim3 grid(static_cast<unsigned>((n + threads - 1) / threads));
  if (x.dtype() == kFloat32) {
    ScaleKernel<<<grid, threads, 0, stream>>>(static_cast<const float *>(x.data_ptr()),
                                              static_cast<float *>(y.data_ptr()),
                                              static_cast<float>(factor), n);
  } else if (x.dtype() == kFloat16) {
    ScaleKernel<<<grid, threads, 0, stream>>>(static_cast<const half *>(x.data_ptr()),
                                              static_cast<half *>(y.data_ptr()),
                                              static_cast<float>(factor), n);
  } else {
    TVM_FFI_THROW(TypeError) << "Unsupported dtype: " << x.dtype();
  }
  TVM_FFI_ICHECK_EQ(cudaGetLastError(), cudaSuccess) << "the launch failed";
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale_cuda, Scale);

struct CUDAAllocator {
  void AllocData(DLTensor *tensor) {
    const size_t size = ffi::GetDataSize(*tensor);
    const cudaError_t error = cudaMalloc(&tensor->data, size);
    TVM_FFI_CHECK(error == cudaSuccess, MemoryError) << cudaGetErrorString(error);
    TVM_FFI_ICHECK_NE(tensor->data, nullptr);
  }
  void FreeData(DLTensor *tensor) { TVM_FFI_ICHECK_EQ(cudaFree(tensor->data), cudaSuccess); }
};
ffi::Tensor Empty(ffi::Shape shape, DLDataType dtype, DLDevice device) {
  return ffi::Tensor::FromNDAlloc(CUDAAllocator(), shape, dtype, device);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty_cuda, Empty);

/* The host of the quickstart. */
float load_and_add(ffi::String path) {
  constexpr int ARRAY_SIZE = 4;
  const float x_host[ARRAY_SIZE] = {1, 2, 3, 4};
  float y_host[ARRAY_SIZE] = {};
  ffi::Module mod = ffi::Module::LoadFromFile(path);
  ffi::Function add_one = mod->GetFunction("add_one_cuda").value();
  const DLDevice device{kDLCUDA, 0};
  ffi::Tensor x = Empty({ARRAY_SIZE}, kFloat32, device), y = Empty({ARRAY_SIZE}, kFloat32, device);
  TVM_FFI_ICHECK_EQ(cudaMemcpy(x.data_ptr(), x_host, sizeof x_host, cudaMemcpyHostToDevice),
                    cudaSuccess);
  cudaStream_t stream;
  TVM_FFI_ICHECK_EQ(cudaStreamCreate(&stream), cudaSuccess);
  TVMFFIEnvSetStream(kDLCUDA, 0, stream, nullptr);
  add_one(x, y);
  TVM_FFI_ICHECK_EQ(cudaStreamSynchronize(stream), cudaSuccess) << "the kernel failed";
  TVM_FFI_ICHECK_EQ(cudaMemcpy(y_host, y.data_ptr(), sizeof y_host, cudaMemcpyDeviceToHost),
                    cudaSuccess);
  TVMFFIEnvSetStream(kDLCUDA, 0, nullptr, nullptr);
  TVM_FFI_ICHECK_EQ(cudaStreamDestroy(stream), cudaSuccess);
  return y_host[ARRAY_SIZE - 1];
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_and_add, load_and_add);

/* ---- A module of PTX ---- */

class PTXModule : public ffi::ModuleObj {
 public:
  explicit PTXModule(ffi::Bytes image) : image_(std::move(image)) {
    TVM_FFI_CHECK(cuModuleLoadData(&module_, image_.data()) == CUDA_SUCCESS, RuntimeError)
        << "the image does not load";
  }
  ~PTXModule() { cuModuleUnload(module_); }
  const char *kind() const final { return "units.ptx"; }
  int GetPropertyMask() const final {
    return ffi::Module::kRunnable | ffi::Module::kBinarySerializable;
  }
  ffi::Bytes SaveToBytes() const final { return image_; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &name) final {
    CUfunction kernel;
    if (cuModuleGetFunction(&kernel, module_, name.c_str()) != CUDA_SUCCESS) return std::nullopt;
    return ffi::Function::FromTyped([kernel](ffi::TensorView x, ffi::TensorView y) {
      void *x_data = x.data_ptr(), *y_data = y.data_ptr();
      int64_t n = x.numel();
      void *args[] = {&x_data, &y_data, &n};
      TVM_FFI_ICHECK_EQ(cuLaunchKernel(kernel, static_cast<unsigned>((n + 255) / 256), 1, 1, 256, 1,
                                       1, 0, get_stream(x.device()), args, nullptr),
                        CUDA_SUCCESS);
    });
  }

 private:
  ffi::Bytes image_;
  CUmodule module_;
};
ffi::Module make_ptx_module(const ffi::Bytes &image) {
  return ffi::Module(ffi::make_object<PTXModule>(image));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_ptx_module, make_ptx_module);
TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef().def("ffi.Module.load_from_bytes.units.ptx", make_ptx_module);
}
