/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of gpu_cost.py from C: gpu_cost python_kernels_cuda.so. Measures once for each line of
 * the standard input, and prints nanoseconds per call as JSON.
 */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/cuda/base.h>
#include <tvm/ffi/extra/module.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace ffi = tvm::ffi;

/* Fewer launches than a stream queues. */
constexpr int kNumCalls = 500;

__global__ void Nothing(const float *, const float *, float *, int64_t) {}

/* The best of some measurements: nothing but other work of the machine makes one longer. */
template <typename Call>
static double Measure(Call call) {
  double best = 1e30;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < kNumCalls; ++n) call();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize());
    best = std::min(best, spent.count() / kNumCalls);
  }
  return best;
}

static void Run(const char *path) {
  const ffi::Module module = ffi::Module::LoadFromFile(path);
  const ffi::Function nothing = module->GetFunction("nothing").value();
  const ffi::Function launch = module->GetFunction("launch_nothing").value();
  int64_t one = 1;
  float *data = nullptr;
  DLTensor tensors[3] = {};
  TVMFFIAny args[3] = {}, result = {};
  TVM_FFI_CHECK_CUDA_ERROR(cudaMalloc(&data, sizeof *data * 3));
  for (int i = 0; i < 3; ++i) {
    tensors[i].data = data + i;
    tensors[i].device = {kDLCUDA, 0};
    tensors[i].ndim = 1;
    tensors[i].dtype = {kDLFloat, 32, 1};
    tensors[i].shape = tensors[i].strides = &one;
    args[i].type_index = kTVMFFIDLTensorPtr;
    args[i].v_ptr = &tensors[i];
  }
  const auto call = [&](const ffi::Function &function) {
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCall(
        ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(function), args, 3, &result));
  };
  const auto measure = [&](bool print) {
    const double called = Measure([&] { call(nothing); });
    const double launched = Measure([&] { call(launch); });
    const double bare = Measure([&] { Nothing<<<1, 256>>>(data, data + 1, data + 2, 1); });
    if (print) {
      std::printf("{\"a call\": %.2f, \"a call that launches\": %.2f, \"a launch alone\": %.2f}\n",
                  called, launched, bare);
    }
  };
  measure(false);
  std::printf("ready\n");
  std::fflush(stdout);
  char line[80];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    measure(true);
    std::fflush(stdout);
  }
  TVM_FFI_CHECK_CUDA_ERROR(cudaFree(data));
}

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
