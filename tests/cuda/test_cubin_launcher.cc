/* SPDX-License-Identifier: Apache-2.0 */
/* cuda/cubin_launcher.h with the runtime API; test_cubin_launcher_driver.cc has the driver API. */
#include <tvm/ffi/extra/cuda/cubin_launcher.h>

#include <memory>
#include <vector>

#include "cuda_support.h"

namespace ffi = tvm::ffi;
namespace cuda_api = ffi::cuda_api;
using ffi::CubinKernel;
using ffi::CubinModule;

TVM_FFI_EMBED_CUBIN(first);
TVM_FFI_EMBED_CUBIN(second)
TVM_FFI_EMBED_CUBIN(broken)

namespace {

constexpr unsigned char bytes_image[] = {0x7f, 'E', 'L', 'F', 0};
constexpr char ptx_image[] =
    ".version 7.0\n.visible .entry scale(\n"
    ".param .u64 data, .param .u64 size, .param .f64 factor\n)\n{ ret; }\n";
const ffi::Bytes fatbin_image("\x50\xed\x55\xba of some kernels", 20);

}  // namespace

TVM_FFI_EMBED_CUBIN_FROM_BYTES(from_array, bytes_image)
TVM_FFI_EMBED_CUBIN_FROM_BYTES(from_text, ptx_image);
namespace {
namespace inner {
TVM_FFI_EMBED_CUBIN_FROM_BYTES(from_bytes, fatbin_image)
CubinModule &Get() {
  return EmbedCubinModule_from_bytes::Global()->mod;
}
}  // namespace inner

/* The names that differ between the two APIs. */
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#define SUITE DriverApi
#define LIBRARY "cuLibrary"
#define LAUNCH "cuLaunchKernel"
#define LAUNCH_EX "cuLaunchKernelEx"
#define COUNT "cuDeviceGetCount"
#define SET_ATTRIBUTE "cuKernelSetAttribute"
#define ATTRIBUTE "cuDeviceGetAttribute"
std::string FindDevice(int device) {
  return "cuDeviceGet " + std::to_string(device) + "\n";
}
std::string AskShared(int device) {
  return "cuKernelGetAttribute 1 scale device " + std::to_string(device) + "\n";
}
constexpr cuda_api::ResultType kInvalidValue = CUDA_ERROR_INVALID_VALUE;
constexpr cuda_api::ResultType kNoDevice = CUDA_ERROR_NO_DEVICE;
constexpr cuda_api::ResultType kInvalidHandle = CUDA_ERROR_INVALID_HANDLE;
const char kBadImage[] =
    "RuntimeError: CUDA Error: CUDA_ERROR_INVALID_IMAGE (200): device kernel image is invalid";
const char kNoKernel[] =
    "RuntimeError: CUDA Error: CUDA_ERROR_NOT_FOUND (500): named symbol not found";
const char kBadValue[] = "RuntimeError: CUDA Error: CUDA_ERROR_INVALID_VALUE (1): invalid argument";
#else
#define SUITE RuntimeApi
#define LIBRARY "cudaLibrary"
#define LAUNCH "cudaLaunchKernel"
#define LAUNCH_EX "cudaLaunchKernelExC"
#define COUNT "cudaGetDeviceCount"
#define SET_ATTRIBUTE "cudaKernelSetAttributeForDevice"
#define ATTRIBUTE "cudaDeviceGetAttribute"
std::string FindDevice(int) {
  return "";
}
std::string AskShared(int) {
  return "cudaFuncGetAttributes scale\n";
}
constexpr cuda_api::ResultType kInvalidValue = cudaErrorInvalidValue;
constexpr cuda_api::ResultType kNoDevice = cudaErrorNoDevice;
constexpr cuda_api::ResultType kInvalidHandle = cudaErrorInvalidResourceHandle;
const char kBadImage[] =
    "RuntimeError: CUDA Error: cudaErrorInvalidKernelImage (200): device kernel image is invalid";
const char kNoKernel[] =
    "RuntimeError: CUDA Error: cudaErrorSymbolNotFound (500): named symbol not found";
const char kBadValue[] = "RuntimeError: CUDA Error: cudaErrorInvalidValue (1): invalid argument";
#endif

const char kLoad[] = LIBRARY "LoadData options 0 0\n";
const char kFind[] = LIBRARY "GetKernel library 1 scale\n";
const char kUnload[] = LIBRARY "Unload library 1\n";
const char kAllFailed[] =
    "RuntimeError: Failed to set dynamic shared memory attribute for any device";

std::string SetShared(int bytes, int device) {
  return SET_ATTRIBUTE " 8 " + std::to_string(bytes) + " scale device " + std::to_string(device);
}
/* The calls that set the largest possible shared memory for one device. */
std::string SetMostShared(int device) {
  return FindDevice(device) + ATTRIBUTE " 97 device " + std::to_string(device) + "\n" +
         AskShared(device) + SetShared(232448 - 1024, device) + "\n";
}

fake_launch last_launch;

/* data[i] *= factor, of two elements at most */
void Scale(const fake_launch *launch, void **params) {
  double *data = *static_cast<double **>(params[0]);
  const int64_t size = *static_cast<int64_t *>(params[1]);
  for (int64_t i = 0; i < size && i < 2; ++i) data[i] *= *static_cast<double *>(params[2]);
  last_launch = *launch;
}

class SUITE : public testing::Test {
 protected:
  void SetUp() override {
    fake_reset();
    const fake_kernel scale{"scale", Scale, 1024}, other{"other", Scale, 300000};
    fake_add_kernel(&scale);
    fake_add_kernel(&other);
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(static_cast<CUcontext>(fake_make_context(0))), CUDA_SUCCESS);
#endif
    fake_clear_log();
  }

  double data_[2] = {1, 2};
  double *pointer_ = data_;
  int64_t size_ = 2;
  double factor_ = 3;
  void *args_[3] = {&pointer_, &size_, &factor_};
  cuda_api::StreamHandle stream_ = reinterpret_cast<cuda_api::StreamHandle>(uintptr_t{0x5e});
};

/* ---- Loading ---- */

TEST_F(SUITE, LoadsFindsLaunchesUnloads) {
  {
    CubinModule module(ptx_image);
    EXPECT_NE(module.GetHandle(), nullptr);
    EXPECT_EQ(TakeLog(), kLoad);
    CubinKernel kernel = module["scale"];
    EXPECT_NE(kernel.GetHandle(), nullptr);
    EXPECT_EQ(TakeLog(), kFind);
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
        kernel.Launch(args_, ffi::dim3(4, 5, 6), ffi::dim3(7, 8, 9), stream_, 48));
    EXPECT_EQ(TakeLog(), LAUNCH " scale grid 4 5 6 block 7 8 9 shared 48 stream 5e\n");
    EXPECT_TRUE(data_[0] == 3 && data_[1] == 6);
    EXPECT_EQ(last_launch.stream, reinterpret_cast<void *>(stream_));
    EXPECT_EQ(kernel.Launch(args_, ffi::dim3(2), ffi::dim3(32), nullptr), cuda_api::kSuccess);
    EXPECT_EQ(TakeLog(), LAUNCH " scale grid 2 1 1 block 32 1 1 shared 0 stream 0\n");
    EXPECT_EQ(fake_get_live_count(), 1);
  }
  EXPECT_EQ(TakeLog(), kUnload);
  EXPECT_EQ(fake_get_live_count(), 0);
}

TEST_F(SUITE, LoadsBytesAndPointers) {
  CubinModule bytes(fatbin_image), unsigned_chars(bytes_image), chars(ptx_image);
  const std::string text = ptx_image;
  CubinModule string(text.c_str());
  CubinKernel kernel(bytes.GetHandle(), "scale");
  EXPECT_NE(bytes.GetKernel("scale").GetHandle(), nullptr);
  EXPECT_NE(unsigned_chars["scale"].GetHandle(), nullptr);
  EXPECT_NE(string["scale"].GetHandle(), nullptr);
  EXPECT_EQ(fake_get_live_count(), 4);
}

TEST_F(SUITE, ThrowsWhatItCannotLoad) {
  EXPECT_EQ(Caught([] { CubinModule module("no image"); }), kBadImage);
  EXPECT_EQ(Caught([] { CubinModule module(ffi::Bytes("", 0)); }), kBadImage);
  EXPECT_EQ(TakeLog(),
            LIBRARY "LoadData options 0 0 -> 200\n" LIBRARY "LoadData options 0 0 -> 200\n");
  EXPECT_EQ(fake_get_live_count(), 0);
}

TEST_F(SUITE, ThrowsWhatItCannotFind) {
  CubinModule module(ptx_image);
  EXPECT_EQ(Caught([&] { module["other"]; }), kNoKernel);
  EXPECT_EQ(Caught([&] { module.GetKernel("scal"); }), kNoKernel);
  EXPECT_EQ(Caught([&] { module.GetKernelWithMaxDynamicSharedMemory("other"); }), kNoKernel);
  EXPECT_NE(module["scale"].GetHandle(), nullptr);
}

/* Each call that may fail is made to fail once: everything loaded before it is unloaded. */
TEST_F(SUITE, LeaksNothing) {
  const auto run = [&] {
    CubinModule module(bytes_image);
    CubinKernel kernel = module["scale"], other = module["other"];
    EXPECT_NE(other.GetHandle(), kernel.GetHandle());
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
        kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), stream_));
  };
  for (long n = 0; n < 4; ++n) {
    fake_fail_after(n, kInvalidValue);
    EXPECT_EQ(Caught(run), kBadValue) << n;
    EXPECT_EQ(fake_get_live_count(), 0) << n;
  }
  EXPECT_EQ(Caught(run), "nothing");
  EXPECT_EQ(fake_get_live_count(), 0);
}

/* ---- Launching ---- */

TEST_F(SUITE, ReturnsWhatALaunchReturns) {
  CubinModule module(ptx_image);
  CubinKernel kernel = module["scale"];
  EXPECT_EQ(kernel.Launch(args_, ffi::dim3(0), ffi::dim3(1), nullptr), kInvalidValue);
  EXPECT_EQ(kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr, 49152 - 1024),
            cuda_api::kSuccess);
  EXPECT_EQ(Caught([&] {
              TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
                  kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr, 49152));
            }),
            kBadValue);
  fake_fail_after(0, 998);
  EXPECT_EQ(Caught([&] {
              TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
                  kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr));
            }),
            "RuntimeError: CUDA Error: unrecognized error code (998): unrecognized error code");
  EXPECT_EQ(data_[0], 3);
}

TEST_F(SUITE, LaunchesByAConfiguration) {
  CubinModule module(ptx_image);
  CubinKernel kernel = module["scale"];
  for (const int cluster_dim : {-1, 0, 1, 2}) {
    cuda_api::LaunchConfig config;
    cuda_api::LaunchAttrType attr;
    std::memset(static_cast<void *>(&config), 0xff, sizeof config);
    std::memset(static_cast<void *>(&attr), 0xff, sizeof attr);
    ASSERT_EQ(cuda_api::ConstructLaunchConfig(kernel.GetHandle(), stream_, 64, ffi::dim3(4, 5, 6),
                                              ffi::dim3(7, 8, 9), cluster_dim, config, attr),
              cuda_api::kSuccess);
    EXPECT_EQ(config.numAttrs, cluster_dim > 1 ? 1u : 0u);
    EXPECT_EQ(config.attrs, cluster_dim > 1 ? &attr : nullptr);
    fake_clear_log();
    EXPECT_EQ(kernel.LaunchEx(args_, config), cuda_api::kSuccess);
    EXPECT_EQ(TakeLog(), LAUNCH_EX " scale grid 4 5 6 block 7 8 9 cluster " +
                             std::to_string(cluster_dim > 1 ? cluster_dim : 1) +
                             " 1 1 shared 64 stream 5e\n");
  }
  EXPECT_EQ(data_[1], 2 * 3 * 3 * 3 * 3);
  cuda_api::LaunchConfig config;
  cuda_api::LaunchAttrType attr;
  cuda_api::ConstructLaunchConfig(kernel.GetHandle(), nullptr, 0, ffi::dim3(4), ffi::dim3(1), 3,
                                  config, attr);
  EXPECT_EQ(kernel.LaunchEx(args_, config), kInvalidValue);
}

/* ---- The device of a launch ---- */

void MakeCurrent(int device) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  ASSERT_EQ(cuCtxSetCurrent(static_cast<CUcontext>(fake_make_context(device))), CUDA_SUCCESS);
#else
  ASSERT_EQ(cudaSetDevice(device), cudaSuccess);
#endif
}

double *Allocate(int device) {
  MakeCurrent(device);
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  CUdeviceptr memory;
  EXPECT_EQ(cuMemAlloc(&memory, 64), CUDA_SUCCESS);
  return reinterpret_cast<double *>(memory);
#else
  void *memory;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  return static_cast<double *>(memory);
#endif
}

TEST_F(SUITE, ChecksTheDevice) {
  fake_set_device_count(2);
  CubinModule module(ptx_image);
  CubinKernel kernel = module["scale"];
  double *const on_0 = Allocate(0), *const on_1 = Allocate(1);
  cuda_api::LaunchConfig config;
  cuda_api::LaunchAttrType attr;
  static_cast<void>(cuda_api::ConstructLaunchConfig(kernel.GetHandle(), nullptr, 0, ffi::dim3(1),
                                                    ffi::dim3(1), 1, config, attr));
  const auto launch = [&](int device, double *data, bool by_configuration) {
    MakeCurrent(device);
    pointer_ = data;
    size_ = 1;
    *data = 5;
    return Caught([&] {
      EXPECT_EQ(by_configuration ? kernel.LaunchEx(args_, config)
                                 : kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr),
                cuda_api::kSuccess);
    });
  };
  for (const bool by_configuration : {false, true}) {
    for (const int device : {0, 1}) {
      EXPECT_EQ(launch(device, device == 0 ? on_0 : on_1, by_configuration), "nothing");
      EXPECT_EQ(*pointer_, 15);
      EXPECT_EQ(launch(device, data_, by_configuration), "nothing");  // memory of the host
      const std::string wrong = launch(device, device == 0 ? on_1 : on_0, by_configuration);
#if TVM_FFI_CHECK_LAUNCH_DEVICE
      EXPECT_EQ(wrong, "RuntimeError: The kernel is launched on device " + std::to_string(device) +
                           ", but its memory is on device " + std::to_string(1 - device) +
                           ": make that the current one with CUDADeviceGuard");
      EXPECT_EQ(*pointer_, 5);
#else
      EXPECT_EQ(wrong, "nothing");
#endif
    }
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  // Memory of the current device is enough: the size is the address of other memory.
  MakeCurrent(0);
  pointer_ = on_0;
  size_ = static_cast<int64_t>(reinterpret_cast<intptr_t>(on_1));
  EXPECT_EQ(kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr), cuda_api::kSuccess);
}

/* ---- More shared memory ---- */

TEST_F(SUITE, AllowsSomeSharedMemoryOnEachDevice) {
  fake_set_device_count(3);
  CubinModule module(ptx_image);
  fake_clear_log();
  CubinKernel kernel = module.GetKernelWithMaxDynamicSharedMemory("scale", 65536);
  std::string calls = kFind + std::string(COUNT "\n");
  for (int i = 0; i < 3; ++i) calls += FindDevice(i) + SetShared(65536, i) + "\n";
  EXPECT_EQ(TakeLog(), calls);
  EXPECT_EQ(kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr, 65536), cuda_api::kSuccess);
  EXPECT_EQ(kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr, 65537), kInvalidValue);
}

TEST_F(SUITE, AllowsAllTheSharedMemoryThereIs) {
  fake_set_device_count(2);
  CubinModule module(ptx_image);
  fake_clear_log();
  CubinKernel kernel = module.GetKernelWithMaxDynamicSharedMemory("scale");
  EXPECT_EQ(TakeLog(), std::string(kFind) + COUNT "\n" + SetMostShared(0) + SetMostShared(1));
  EXPECT_EQ(kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr, 232448 - 1024),
            cuda_api::kSuccess);
  CubinKernel same = module.GetKernelWithMaxDynamicSharedMemory("scale", -1);
  EXPECT_EQ(same.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr, 232448 - 1024),
            cuda_api::kSuccess);
}

/* If any call for the first device fails, the other devices are still set, and no error remains. */
TEST_F(SUITE, SomeDevicesMayRefuse) {
  CubinModule module(ptx_image);
  fake_set_device_count(3);
  const long num_calls = TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API ? 4 : 3;
  for (long n = 0; n < num_calls; ++n) {
    fake_clear_log();
    fake_fail_after(2 + n, kInvalidValue);
    CubinKernel kernel = module.GetKernelWithMaxDynamicSharedMemory("scale");
    EXPECT_NE(kernel.GetHandle(), nullptr);
    const std::string log = TakeLog(), others = SetMostShared(1) + SetMostShared(2);
    ASSERT_GT(log.size(), others.size());
    EXPECT_EQ(log.substr(log.size() - others.size()), others) << n;
    EXPECT_EQ(log.find(" -> 1\n"), log.size() - others.size() - 6) << n;
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
}

TEST_F(SUITE, NotAllDevicesMayRefuse) {
  CubinModule module(bytes_image);
  fake_set_device_count(2);
  fake_clear_log();
  for (const int64_t bytes : {int64_t{232448}, int64_t{-2}, int64_t{1} << 32, INT64_MIN}) {
    EXPECT_EQ(Caught([&] { module.GetKernelWithMaxDynamicSharedMemory("scale", bytes); }),
              kAllFailed)
        << bytes;
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  const std::string refused = " -> 1\n", begin = kFind + std::string(COUNT "\n");
  std::string calls;
  for (const int bytes : {232448, -1, INT32_MAX, -1}) {
    calls += begin + FindDevice(0) + SetShared(bytes, 0) + refused + FindDevice(1) +
             SetShared(bytes, 1) + refused;
  }
  EXPECT_EQ(TakeLog(), calls);
  // A kernel whose static shared memory is already more than the limit.
  EXPECT_EQ(Caught([&] { module.GetKernelWithMaxDynamicSharedMemory("other"); }), kAllFailed);
  EXPECT_NE(TakeLog().find(SET_ATTRIBUTE " 8 0 other device 1"), std::string::npos);
  fake_fail(ATTRIBUTE, kNoDevice);
  EXPECT_EQ(Caught([&] { module.GetKernelWithMaxDynamicSharedMemory("scale"); }), kAllFailed);
}

/* Without devices there is nothing to set; only a launch reports the error. */
TEST_F(SUITE, GivesAKernelWhereThereAreNoDevices) {
  CubinModule module(ptx_image);
  fake_set_device_count(0);
  EXPECT_NE(module.GetKernelWithMaxDynamicSharedMemory("scale").GetHandle(), nullptr);
  fake_set_device_count(2);
  fake_fail(COUNT, kInvalidValue);
  fake_clear_log();
  EXPECT_NE(module.GetKernelWithMaxDynamicSharedMemory("scale").GetHandle(), nullptr);
  EXPECT_EQ(TakeLog(), std::string(kFind) + COUNT " -> 1\n");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

/* ---- Moves ---- */

static_assert(!std::is_copy_constructible_v<CubinModule> &&
              !std::is_copy_assignable_v<CubinModule> &&
              std::is_nothrow_move_constructible_v<CubinModule> &&
              std::is_nothrow_move_assignable_v<CubinModule> &&
              !std::is_convertible_v<const char *, CubinModule>);
static_assert(!std::is_copy_constructible_v<CubinKernel> &&
              !std::is_copy_assignable_v<CubinKernel> &&
              std::is_nothrow_move_constructible_v<CubinKernel> &&
              std::is_nothrow_move_assignable_v<CubinKernel>);

TEST_F(SUITE, ModulesMove) {
  CubinModule module(ptx_image), other(ptx_image);
  const auto handle = module.GetHandle();
  CubinKernel kernel = module["scale"];
  fake_clear_log();
  {
    CubinModule moved(std::move(module));
    EXPECT_EQ(module.GetHandle(), nullptr);
    EXPECT_EQ(moved.GetHandle(), handle);
    EXPECT_EQ(TakeLog(), "");
    CubinModule &same = moved;
    moved = std::move(same);
    EXPECT_EQ(moved.GetHandle(), handle);
    EXPECT_EQ(TakeLog(), "");
    other = std::move(moved);
    EXPECT_EQ(TakeLog(), LIBRARY "Unload library 2\n");
    EXPECT_EQ(moved.GetHandle(), nullptr);
  }
  // Modules that were moved from unload nothing; kernels stay valid.
  EXPECT_EQ(TakeLog(), "");
  EXPECT_EQ(other.GetHandle(), handle);
  EXPECT_EQ(kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr), cuda_api::kSuccess);
  module = std::move(other);
  auto held = std::make_unique<CubinModule>(std::move(module));
  EXPECT_EQ(fake_get_live_count(), 1);
  fake_clear_log();
  held.reset();
  EXPECT_EQ(TakeLog(), kUnload);
  EXPECT_EQ(kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr), kInvalidHandle);
}

TEST_F(SUITE, KernelsMove) {
  CubinModule module(bytes_image);
  CubinKernel kernel = module["scale"], other = module["other"];
  const auto handle = kernel.GetHandle();
  auto held = std::make_unique<CubinKernel>(std::move(kernel));
  EXPECT_EQ(kernel.GetHandle(), nullptr);
  EXPECT_EQ(kernel.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr), kInvalidHandle);
  other = std::move(*held);
  EXPECT_EQ(held->GetHandle(), nullptr);
  CubinKernel &same = other;
  other = std::move(same);
  EXPECT_EQ(other.GetHandle(), handle);
  EXPECT_EQ(other.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr), cuda_api::kSuccess);
  std::vector<CubinKernel> kernels;
  for (int i = 0; i < 3; ++i) kernels.push_back(module.GetKernel("scale"));
  EXPECT_EQ(kernels[0].Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr), cuda_api::kSuccess);
}

/* ---- Embedded images ---- */

/* Finds the kernel at the first call, like a kernel library. */
cuda_api::ResultType LaunchFirst(void **args) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(first, "scale");
  return kernel.Launch(args, ffi::dim3(1), ffi::dim3(1), nullptr);
}

TEST_F(SUITE, EmbeddedImages) {
  // A failure is not kept.
  fake_fail_after(0, kInvalidValue);
  EXPECT_EQ(Caught([&] { LaunchFirst(args_); }), kBadValue);
  fake_fail_after(1, kInvalidValue);
  EXPECT_EQ(Caught([&] { LaunchFirst(args_); }), kBadValue);
  fake_clear_log();
  EXPECT_EQ(LaunchFirst(args_), cuda_api::kSuccess);
  EXPECT_EQ(LaunchFirst(args_), cuda_api::kSuccess);
  const std::string launch = LAUNCH " scale grid 1 1 1 block 1 1 1 shared 0 stream 0\n";
  EXPECT_EQ(TakeLog(), kFind + launch + launch);
  EXPECT_EQ(data_[0], 9);

  static auto second =
      EmbedCubinModule_second::Global()->mod.GetKernelWithMaxDynamicSharedMemory("scale", 50000);
  EXPECT_EQ(second.Launch(args_, ffi::dim3(1), ffi::dim3(1), nullptr, 50000), cuda_api::kSuccess);
  EXPECT_EQ(std::string(__tvm_ffi__cubin_second, __tvm_ffi__cubin_second_end),
            "\x7f"
            "ELF the second");
  EXPECT_EQ(Caught([] { TVM_FFI_EMBED_CUBIN_GET_KERNEL(broken, "scale"); }), kBadImage);
  EXPECT_EQ(Caught([] { TVM_FFI_EMBED_CUBIN_GET_KERNEL(from_array, "none"); }), kNoKernel);
  for (auto *kernel : {&second}) EXPECT_NE(kernel->GetHandle(), nullptr);
  EXPECT_NE(TVM_FFI_EMBED_CUBIN_GET_KERNEL(from_array, "scale").GetHandle(), nullptr);
  EXPECT_NE(TVM_FFI_EMBED_CUBIN_GET_KERNEL(from_text, "scale").GetHandle(), nullptr);
  EXPECT_NE(inner::Get()["scale"].GetHandle(), nullptr);
  EXPECT_EQ(EmbedCubinModule_from_text::Global(), EmbedCubinModule_from_text::Global());
  EXPECT_EQ(fake_get_live_count(), 5);
}

/* ---- The functions of cuda_api ---- */

TEST_F(SUITE, Functions) {
  fake_set_device_count(2);
  const char *name = nullptr, *text = nullptr;
  cuda_api::GetErrorString(kNoDevice, &name, &text);
  EXPECT_STREQ(text, "no CUDA-capable device is detected");
  cuda_api::GetErrorString(static_cast<cuda_api::ResultType>(998), &name, &text);
  EXPECT_STREQ(name, "unrecognized error code");
  EXPECT_STREQ(text, name);

  int count = 0, value = 0;
  EXPECT_EQ(cuda_api::GetDeviceCount(&count), cuda_api::kSuccess);
  EXPECT_EQ(count, 2);
  const cuda_api::DeviceHandle device = cuda_api::GetDeviceHandle(1);
  EXPECT_EQ(cuda_api::GetDeviceAttribute(&value, static_cast<cuda_api::DeviceAttrType>(8), device),
            cuda_api::kSuccess);
  EXPECT_EQ(value, 49152);

#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  EXPECT_EQ(Caught([] { cuda_api::GetDeviceHandle(2); }),
            "RuntimeError: CUDA Error: CUDA_ERROR_INVALID_DEVICE (101): invalid device ordinal");
#endif

  cuda_api::LibraryHandle library = nullptr;
  cuda_api::KernelHandle kernel = nullptr;
  EXPECT_NE(cuda_api::LoadLibrary(&library, "no image"), cuda_api::kSuccess);
  ASSERT_EQ(cuda_api::LoadLibrary(&library, ptx_image), cuda_api::kSuccess);
  ASSERT_EQ(cuda_api::GetKernel(&kernel, library, "scale"), cuda_api::kSuccess);
  EXPECT_EQ(cuda_api::GetKernelSharedMem(kernel, value, device), cuda_api::kSuccess);
  EXPECT_EQ(value, 1024);
  EXPECT_EQ(cuda_api::SetKernelMaxDynamicSharedMem(kernel, 60000, device), cuda_api::kSuccess);
  EXPECT_EQ(cuda_api::LaunchKernel(kernel, args_, ffi::dim3(1), ffi::dim3(1), stream_),
            cuda_api::kSuccess);
  EXPECT_EQ(cuda_api::UnloadLibrary(library), cuda_api::kSuccess);
  EXPECT_EQ(cuda_api::GetKernelSharedMem(kernel, value, device), kInvalidHandle);
  EXPECT_EQ(value, 1024);
}

}  // namespace
