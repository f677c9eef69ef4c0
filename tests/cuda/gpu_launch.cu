/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What images and launches can be, on a GPU: gpu_launch IMAGE OTHER PTX. IMAGE is
 * gpu_launch_kernels.cu for this GPU, OTHER the same for an architecture that this GPU does not
 * run, PTX is samples/15_ptx_module/kernels.ptx. A line for each check; 77 without a GPU.
 *
 * gpu_launch IMAGE OTHER PTX leaks: that errors leave nothing in the memory of the GPU, which
 * nobody else may use meanwhile.
 */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ffi = tvm::ffi;

static int num_failed;

static void Check(bool condition, const std::string &what, const std::string &detail = "") {
  std::printf("%s %s%s%s\n", condition ? "ok" : "FAILED", what.c_str(), detail.empty() ? "" : ": ",
              detail.c_str());
  std::fflush(stdout);
  if (!condition) ++num_failed;
}

/* The message of the error that a call throws; "" if it throws none. */
template <typename Call>
static std::string Thrown(Call call) {
  try {
    call();
  } catch (const ffi::Error &error) {
    return std::string(error.kind()) + ": " + error.what();
  }
  return "";
}

static bool Begins(const std::string &text, const char *with) {
  return text.compare(0, std::strlen(with), with) == 0;
}

/* ---- Memory of the GPU ---- */

class Numbers {
 public:
  explicit Numbers(int size) : size_(size) {
    TVM_FFI_CHECK_CUDA_ERROR(cudaMalloc(&data_, sizeof(int) * size));
    TVM_FFI_CHECK_CUDA_ERROR(cudaMemset(data_, 0, sizeof(int) * size));
  }
  ~Numbers() { static_cast<void>(cudaFree(data_)); }
  Numbers(const Numbers &) = delete;
  Numbers &operator=(const Numbers &) = delete;

  int *data() { return data_; }
  std::vector<int> Read() {
    std::vector<int> numbers(size_);
    TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize());
    TVM_FFI_CHECK_CUDA_ERROR(
        cudaMemcpy(numbers.data(), data_, sizeof(int) * size_, cudaMemcpyDeviceToHost));
    TVM_FFI_CHECK_CUDA_ERROR(cudaMemset(data_, 0, sizeof(int) * size_));
    return numbers;
  }

 private:
  int size_;
  int *data_ = nullptr;
};

static std::string Print(const std::vector<int> &numbers) {
  std::string text;
  for (int number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

static std::string ReadFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

static int GetAttribute(cudaDeviceAttr attribute) {
  int value = 0;
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceGetAttribute(&value, attribute, 0));
  return value;
}

/* A launch that is to fail: what CUDA calls it. The last error is forgotten. */
static std::string Name(ffi::cuda_api::ResultType result) {
  const char *name, *text;
  ffi::cuda_api::GetErrorString(result, &name, &text);
  static_cast<void>(cudaGetLastError());
  return name;
}

/* ---- The checks ---- */

static void CheckGuard(int num_devices) {
  int current = -1;
  {
    const ffi::CUDADeviceGuard outer(0), inner(num_devices - 1), innermost(0);
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&current));
  }
  Check(current == 0, "guards nest, on " + std::to_string(num_devices) + " GPU");
  const std::string thrown = Thrown([&] { const ffi::CUDADeviceGuard guard(num_devices); });
  Check(Begins(thrown, "RuntimeError: CUDA Runtime Error: cudaErrorInvalidDevice (101)"),
        "a GPU that is not there", thrown);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&current));
  Check(current == 0, "leaves the current one");
  static_cast<void>(cudaGetLastError());
  for (int device = 0; device < num_devices; ++device) {
    const std::string error = Thrown([&] {
      const ffi::CUDADeviceGuard guard(device);
      TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&current));
      TVM_FFI_THROW(ValueError) << "inside";
    });
    Check(current == device && Begins(error, "ValueError: inside"),
          "GPU " + std::to_string(device) + " is current inside, and an error leaves the guard");
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&current));
    Check(current == 0, "the first one afterwards");
  }
}

static void CheckShared(const ffi::CubinModule &module) {
  constexpr unsigned kDefault = 48 * 1024;
  const unsigned most = GetAttribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  Numbers out(1);
  int *data = out.data(), num_words = 0;
  void *args[] = {&data, &num_words};
  const auto launch = [&](const ffi::CubinKernel &kernel, unsigned bytes) {
    num_words = static_cast<int>(bytes / sizeof(int));
    return kernel.Launch(args, ffi::dim3(1), ffi::dim3(256), nullptr, bytes);
  };
  const auto works = [&](const ffi::CubinKernel &kernel, unsigned bytes) {
    return launch(kernel, bytes) == ffi::cuda_api::kSuccess &&
           out.Read()[0] == static_cast<int>(bytes / sizeof(int));
  };
  const ffi::CubinKernel plain = module["use_shared"];
  Check(works(plain, kDefault), "48 KiB of shared memory");
  auto result = launch(plain, kDefault + 4);
  Check(result != ffi::cuda_api::kSuccess, "more are refused by default", Name(result));
  const unsigned allowed = kDefault + (most - kDefault) / 8 * 4;
  const ffi::CubinKernel some = module.GetKernelWithMaxDynamicSharedMemory("use_shared", allowed);
  Check(works(some, allowed), std::to_string(allowed) + " bytes, which the kernel was allowed");
  result = launch(some, allowed + 4);
  Check(result != ffi::cuda_api::kSuccess, "more are refused", Name(result));
  const ffi::CubinKernel all = module.GetKernelWithMaxDynamicSharedMemory("use_shared");
  Check(works(all, most), "all " + std::to_string(most) + " bytes");
  result = launch(all, most + 4);
  Check(result != ffi::cuda_api::kSuccess, "more are refused", Name(result));
  const std::string thrown =
      Thrown([&] { module.GetKernelWithMaxDynamicSharedMemory("use_shared", most + 4); });
  Check(Begins(thrown, "RuntimeError: Failed to set dynamic shared memory attribute"),
        "a kernel cannot be allowed more", thrown);
  Check(works(all, most), "launches go on");
}

static std::vector<int> WantedOfClusters(int num_blocks, int size) {
  std::vector<int> wanted(num_blocks);
  for (int i = 0; i < num_blocks; ++i) wanted[i] = 100 * size + (i % size + 1) % size;
  return wanted;
}

static void CheckClusters(const ffi::CubinModule &module) {
  if (GetAttribute(cudaDevAttrClusterLaunch) == 0) {
    std::printf("skipped clusters: this GPU has none\n");
    return;
  }
  constexpr int kNumBlocks = 16;
  Numbers out(kNumBlocks);
  int *data = out.data();
  void *args[] = {&data};
  ffi::cuda_api::LaunchConfig config;
  ffi::cuda_api::LaunchAttrType attr;
  const ffi::CubinKernel kernel = module["ask_cluster"];
  const auto launch = [&](int num_blocks, int size) {
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(ffi::cuda_api::ConstructLaunchConfig(
        kernel.GetHandle(), nullptr, 0, ffi::dim3(num_blocks), ffi::dim3(64), size, config, attr));
    return kernel.LaunchEx(args, config);
  };
  for (int size : {1, 2, 4, 8}) {
    const auto result = launch(kNumBlocks, size);
    const std::vector<int> got = out.Read();
    Check(result == ffi::cuda_api::kSuccess && got == WantedOfClusters(kNumBlocks, size),
          "clusters of " + std::to_string(size),
          result == ffi::cuda_api::kSuccess ? Print(got) : Name(result));
  }
  auto result = launch(6, 4);
  Check(result != ffi::cuda_api::kSuccess, "6 blocks in clusters of 4 are refused", Name(result));
  result = launch(kNumBlocks, 16);
  Check(result != ffi::cuda_api::kSuccess, "clusters of 16 are refused", Name(result));
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1,
                           kernel.GetHandle(), ffi::cuda_api::GetDeviceHandle(0)));
#else
  TVM_FFI_CHECK_CUDA_ERROR(cudaKernelSetAttributeForDevice(
      kernel.GetHandle(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1, 0));
#endif
  result = launch(kNumBlocks, 16);
  const std::vector<int> got = out.Read();
  Check(result == ffi::cuda_api::kSuccess && got == WantedOfClusters(kNumBlocks, 16),
        "unless the kernel allows them",
        result == ffi::cuda_api::kSuccess ? Print(got) : Name(result));

  // Two attributes of the caller's own.
  launch(kNumBlocks, 2);
  out.Read();
  ffi::cuda_api::LaunchAttrType attributes[2] = {};
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  attributes[0] = attr;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
  attributes[1].value.clusterSchedulingPolicyPreference =
      CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING;
#else
  attributes[0] = attr;
  attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
#endif
  config.attrs = attributes;
  config.numAttrs = 2;
  result = kernel.LaunchEx(args, config);
  const std::vector<int> again = out.Read();
  Check(result == ffi::cuda_api::kSuccess && again == WantedOfClusters(kNumBlocks, 2),
        "a scheduling policy is accepted", Print(again));
}

/* Kernels that begin before the one before them has ended, and wait for it. */
static void CheckDependentLaunches(const ffi::CubinModule &module) {
  constexpr int kSize = 4096, kNumSteps = 12;
  Numbers out(kSize);
  int *data = out.data(), size = kSize;
  void *args[] = {&data, &size};
  cudaStream_t stream = nullptr;
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ffi::cuda_api::LaunchConfig config;
  ffi::cuda_api::LaunchAttrType attr;
  const ffi::CubinKernel kernel = module["step"];
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(ffi::cuda_api::ConstructLaunchConfig(
      kernel.GetHandle(), stream, 0, ffi::dim3(kSize / 128), ffi::dim3(128), 1, config, attr));
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  attr.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attr.value.programmaticStreamSerializationAllowed = 1;
#else
  attr.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attr.val.programmaticStreamSerializationAllowed = 1;
#endif
  config.attrs = &attr;
  config.numAttrs = 1;
  // The memory was set on another stream.
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize());
  for (int i = 0; i < kNumSteps; ++i) {
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(kernel.LaunchEx(args, config));
  }
  const std::vector<int> got = out.Read();
  Check(got == std::vector<int>(kSize, (1 << kNumSteps) - 1),
        "programmatic serialization is accepted, and the order of steps kept",
        std::to_string(got[0]) + " ... " + std::to_string(got[kSize - 1]));
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamDestroy(stream));
}

static std::string UseOther(const std::string &other) {
  return Thrown([&] {
    Numbers out(1 << 18);  // a megabyte, so that a leak is seen in the free memory of the GPU
    int *data = out.data(), size = 16;
    void *args[] = {&data, &size};
    const ffi::CubinModule module(ffi::Bytes(other.data(), other.size()));
    const ffi::CubinKernel kernel = module["step"];
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
        kernel.Launch(args, ffi::dim3(1), ffi::dim3(16), nullptr));
    TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize());
  });
}

static std::string UseBadPTX() {
  return Thrown([] { ffi::CubinModule(".version 6.4\n.target sm_75\nthis is no PTX\n")["step"]; });
}

static void CheckImages(const ffi::CubinModule &module, const std::string &other,
                        const std::string &ptx) {
  std::string thrown = UseOther(other);
  Check(Begins(thrown, "RuntimeError: CUDA Error: ") && thrown.find("(209)") != std::string::npos,
        "an image for another architecture", thrown);
  static_cast<void>(cudaGetLastError());
  thrown = UseBadPTX();
  Check(Begins(thrown, "RuntimeError: CUDA Error: "), "text that is no PTX", thrown);
  thrown = Thrown([&] { module["none"]; });
  Check(Begins(thrown, "RuntimeError: CUDA Error: "), "a kernel that is not there", thrown);
  static_cast<void>(cudaGetLastError());

  constexpr int kSize = 1000;
  Numbers numbers(kSize);
  std::vector<float> values(kSize, 1.5f);
  float *data = reinterpret_cast<float *>(numbers.data()), factor = 3;
  long long size = kSize;
  void *args[] = {&data, &size, &factor};
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaMemcpy(data, values.data(), sizeof(float) * kSize, cudaMemcpyHostToDevice));
  const ffi::CubinModule compiled(ptx.c_str());
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      compiled["scale_kernel"].Launch(args, ffi::dim3(4), ffi::dim3(256), nullptr));
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaMemcpy(values.data(), data, sizeof(float) * kSize, cudaMemcpyDeviceToHost));
  Check(values == std::vector<float>(kSize, 4.5f), "PTX, which the driver compiles");
}

/* A step of four numbers in memory that the current device may use. */
static void CheckMemory(const ffi::CubinModule &module, const char *kind, void *memory) {
  constexpr int kSize = 4;
  int *data = static_cast<int *>(memory), size = kSize;
  void *args[] = {&data, &size};
  std::vector<int> numbers = {1, 2, 3, 4};
  const std::string thrown = Thrown([&] {
    const ffi::CubinKernel kernel = module["step"];
    TVM_FFI_CHECK_CUDA_ERROR(
        cudaMemcpy(memory, numbers.data(), sizeof(int) * kSize, cudaMemcpyDefault));
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
        kernel.Launch(args, ffi::dim3(1), ffi::dim3(kSize), nullptr));
    TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize());
    TVM_FFI_CHECK_CUDA_ERROR(
        cudaMemcpy(numbers.data(), memory, sizeof(int) * kSize, cudaMemcpyDefault));
  });
  Check(thrown.empty() && numbers == std::vector<int>({3, 5, 7, 9}),
        std::string("a launch with ") + kind, thrown.empty() ? Print(numbers) : thrown);
  static_cast<void>(cudaGetLastError());
}

/* Launches that the check of the device must not refuse. That it refuses those on another device
 * than the memory's needs two. */
static void CheckKindsOfMemory(const ffi::CubinModule &module) {
  constexpr size_t kBytes = 64;
#if TVM_FFI_CHECK_LAUNCH_DEVICE
  Check(true, "the device of launches is checked");
#else
  std::printf("skipped the device of launches is checked: this CUDA does not tell parameters\n");
#endif
  void *memory = nullptr, *there = nullptr;
  TVM_FFI_CHECK_CUDA_ERROR(cudaMalloc(&memory, kBytes));
  CheckMemory(module, "memory of cudaMalloc", memory);
  CheckMemory(module, "an address within it", static_cast<int *>(memory) + 4);
  TVM_FFI_CHECK_CUDA_ERROR(cudaFree(memory));
  TVM_FFI_CHECK_CUDA_ERROR(cudaMallocHost(&memory, kBytes));
  CheckMemory(module, "page-locked memory", memory);
  TVM_FFI_CHECK_CUDA_ERROR(cudaFreeHost(memory));
  TVM_FFI_CHECK_CUDA_ERROR(cudaHostAlloc(&memory, kBytes, cudaHostAllocMapped));
  TVM_FFI_CHECK_CUDA_ERROR(cudaHostGetDevicePointer(&there, memory, 0));
  CheckMemory(module, "page-locked memory, mapped", there);
  TVM_FFI_CHECK_CUDA_ERROR(cudaFreeHost(memory));
  TVM_FFI_CHECK_CUDA_ERROR(cudaMallocManaged(&memory, kBytes));
  CheckMemory(module, "managed memory", memory);
  TVM_FFI_CHECK_CUDA_ERROR(cudaFree(memory));
  TVM_FFI_CHECK_CUDA_ERROR(cudaMallocAsync(&memory, kBytes, nullptr));
  CheckMemory(module, "memory of cudaMallocAsync", memory);
  TVM_FFI_CHECK_CUDA_ERROR(cudaFreeAsync(memory, nullptr));
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize());
}

/* While a stream is captured, much must not be called. */
static void CheckCapture(const ffi::CubinModule &module) {
  constexpr int kSize = 256;
  Numbers out(kSize);
  int *data = out.data(), size = kSize;
  void *args[] = {&data, &size};
  const ffi::CubinKernel kernel = module["step"];
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize());
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const std::string thrown = Thrown([&] {
    for (int i = 0; i < 2; ++i) {
      TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
          kernel.Launch(args, ffi::dim3(1), ffi::dim3(kSize), stream));
    }
  });
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  Check(thrown.empty() && ended == cudaSuccess, "launches are captured",
        thrown.empty() ? cudaGetErrorName(ended) : thrown);
  if (ended == cudaSuccess) {
    TVM_FFI_CHECK_CUDA_ERROR(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) TVM_FFI_CHECK_CUDA_ERROR(cudaGraphLaunch(executable, stream));
    const std::vector<int> got = out.Read();
    Check(got == std::vector<int>(kSize, 15), "and computed twice by the graph",
          std::to_string(got[0]));
    TVM_FFI_CHECK_CUDA_ERROR(cudaGraphExecDestroy(executable));
    TVM_FFI_CHECK_CUDA_ERROR(cudaGraphDestroy(graph));
  }
  static_cast<void>(cudaGetLastError());
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamDestroy(stream));
}

static void CheckLeaks(const ffi::CubinModule &module, const std::string &other) {
  size_t before = 0, after = 0, total = 0;
  constexpr int kRounds = 200;
  const auto fail = [&] {
    bool thrown = !UseOther(other).empty() && !UseBadPTX().empty();
    thrown = thrown && !Thrown([&] { module["none"]; }).empty();
    static_cast<void>(cudaGetLastError());
    return thrown;
  };
  int num_thrown = 0;
  for (int i = 0; i < 20; ++i) num_thrown += fail();
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemGetInfo(&before, &total));
  for (int i = 0; i < kRounds; ++i) num_thrown += fail();
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemGetInfo(&after, &total));
  Check(num_thrown == kRounds + 20, "errors are thrown each time");
  Check(before <= after, "errors leave nothing in the memory of the GPU",
        std::to_string(static_cast<long long>(before) - static_cast<long long>(after)) +
            " bytes after " + std::to_string(kRounds) + " rounds");
}

int main(int argc, char **argv) {
  int num_devices = 0;
  if (argc < 4) return 2;
  const cudaError_t status = cudaGetDeviceCount(&num_devices);
  if (status != cudaSuccess || num_devices == 0) {
    std::printf("no GPU: %s\n", cudaGetErrorString(status));
    return 77;
  }
  const std::string image = ReadFile(argv[1]), other = ReadFile(argv[2]), ptx = ReadFile(argv[3]);
  const std::string thrown = Thrown([&] {
    TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(0));
    const ffi::CubinModule module(ffi::Bytes(image.data(), image.size()));
    if (argc > 4) return CheckLeaks(module, other);
    CheckGuard(num_devices);
    CheckShared(module);
    CheckClusters(module);
    CheckDependentLaunches(module);
    CheckKindsOfMemory(module);
    CheckCapture(module);
    CheckImages(module, other, ptx);
    CheckDependentLaunches(module);  // the context is whole
  });
  if (!thrown.empty()) Check(false, "it ran to its end", thrown);
  return num_failed != 0;
}
