/* SPDX-License-Identifier: Apache-2.0 */
/* Calls `scale` of scale.cu on its own stream, and captures a call in a graph that is launched
 * again on other data. Exits with 77 without a GPU. */
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/base.h>
#include <tvm/ffi/extra/module.h>

#include <cstdio>

namespace ffi = tvm::ffi;

namespace {

constexpr int kSize = 4;

/* The same four numbers on the GPU as on the CPU, whatever they are to be. */
class Numbers {
 public:
  explicit Numbers(float first) {
    for (int i = 0; i < kSize; ++i) numbers_[i] = first + static_cast<float>(i);
    TVM_FFI_CHECK_CUDA_ERROR(cudaMalloc(&tensor_.data, sizeof numbers_));
    tensor_.device = {kDLCUDA, 0};
    tensor_.ndim = 1;
    tensor_.dtype = {kDLFloat, 32, 1};
    tensor_.shape = &size_;
    tensor_.strides = &stride_;
  }
  ~Numbers() { static_cast<void>(cudaFree(tensor_.data)); }
  Numbers(const Numbers &) = delete;
  Numbers &operator=(const Numbers &) = delete;

  ffi::TensorView view() const { return ffi::TensorView(&tensor_); }

  void Upload(cudaStream_t stream) {
    TVM_FFI_CHECK_CUDA_ERROR(
        cudaMemcpyAsync(tensor_.data, numbers_, sizeof numbers_, cudaMemcpyHostToDevice, stream));
  }
  void Print(const char *label, cudaStream_t stream) {
    TVM_FFI_CHECK_CUDA_ERROR(
        cudaMemcpyAsync(numbers_, tensor_.data, sizeof numbers_, cudaMemcpyDeviceToHost, stream));
    TVM_FFI_CHECK_CUDA_ERROR(cudaStreamSynchronize(stream));
    std::printf("%s: %g %g %g %g\n", label, static_cast<double>(numbers_[0]),
                static_cast<double>(numbers_[1]), static_cast<double>(numbers_[2]),
                static_cast<double>(numbers_[3]));
  }

 private:
  float numbers_[kSize];
  int64_t size_ = kSize, stride_ = 1;
  DLTensor tensor_ = {};
};

/* Calls with a stream set in this thread's environment, as a framework does around each call. */
void CallOn(cudaStream_t stream, const ffi::Function &scale, const Numbers &x, const Numbers &y) {
  TVMFFIStreamHandle old = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetStream(kDLCUDA, 0, stream, &old));
  const ffi::Expected<void> result = scale.CallExpected<void>(x.view(), y.view(), 2.5);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetStream(kDLCUDA, 0, old, nullptr));
  result.value();  // throws the error, now that the old stream is back
}

void Run(const char *path) {
  const ffi::Module module = ffi::Module::LoadFromFile(path);
  const ffi::Function scale = module->GetFunction("scale").value();
  Numbers x(1), y(0);
  cudaStream_t stream = nullptr;
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  x.Upload(stream);
  CallOn(stream, scale, x, y);
  y.Print("called", stream);

  // Capturing runs nothing: the graph has the kernel with its addresses, and runs it when launched.
  // The addresses are why a kernel that is captured must not allocate.
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CallOn(stream, scale, y, x);
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamEndCapture(stream, &graph));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  x.Print("captured", stream);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGraphLaunch(executable, stream));
  x.Print("launched", stream);
  CallOn(stream, scale, x, y);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGraphLaunch(executable, stream));
  x.Print("launched again", stream);

  TVM_FFI_CHECK_CUDA_ERROR(cudaGraphExecDestroy(executable));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGraphDestroy(graph));
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamDestroy(stream));
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
