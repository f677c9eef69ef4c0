/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/cuda/cubin_launcher.h
 * Kernels of a compiled CUDA image: loaded from memory, found by name, launched.
 *
 *     TVM_FFI_EMBED_CUBIN(my_kernels)
 *
 *     void Scale(ffi::TensorView x, double factor) {
 *       static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(my_kernels, "scale");
 *       void *data = x.data_ptr();
 *       int64_t n = x.numel();
 *       void *args[] = {&data, &n, &factor};
 *       TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
 *           kernel.Launch(args, ffi::dim3((n + 255) / 256), ffi::dim3(256), stream));
 *     }
 *
 * internal/unified_api.h says which API of CUDA is called. Several threads may use the objects at
 * the same time, as long as none of them moves or destroys one.
 */
#ifndef TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_
#define TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_

#include <cuda.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/internal/unified_api.h>
#include <tvm/ffi/string.h>

#include <cstring>

TVM_FFI_NAMESPACE_BEGIN
inline namespace TVM_FFI_DETAIL_CUDA_API {

#if TVM_FFI_HAS_EXCEPTIONS

/** A kernel of a library, which must stay loaded. Null after it was moved from. */
class CubinKernel {
 public:
  /** Errors: RuntimeError (the library has no such kernel). */
  TVM_FFI_LOCAL CubinKernel(cuda_api::LibraryHandle library, const char *name) {
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(cuda_api::GetKernel(&kernel_, library, name));
  }
  TVM_FFI_LOCAL CubinKernel(CubinKernel &&other) noexcept
      : kernel_(std::exchange(other.kernel_, nullptr)) {}
  TVM_FFI_LOCAL CubinKernel &operator=(CubinKernel &&other) noexcept {
    kernel_ = std::exchange(other.kernel_, nullptr);
    return *this;
  }

  /**
   * Launches the kernel on the current device. It may still be running on return, and fail later.
   *
   * @param args            [borrow] The address of the value of each parameter of the kernel;
   *                        the values are copied before this returns.
   * @param dyn_smem_bytes  [in] Shared memory in addition to what the kernel declares.
   * @return the result of CUDA.
   *
   * Errors: none; with TVM_FFI_CHECK_LAUNCH_DEVICE a RuntimeError (memory of other devices than the
   * current one only).
   */
  [[nodiscard]] TVM_FFI_LOCAL cuda_api::ResultType Launch(void **args, dim3 grid, dim3 block,
                                                          cuda_api::StreamHandle stream,
                                                          uint32_t dyn_smem_bytes = 0) const {
    CheckDevice(args);
    return cuda_api::LaunchKernel(kernel_, args, grid, block, stream, dyn_smem_bytes);
  }
  /** The same with a launch configuration, such as cuda_api::ConstructLaunchConfig makes. */
  [[nodiscard]] TVM_FFI_LOCAL cuda_api::ResultType LaunchEx(
      void **args, const cuda_api::LaunchConfig &config) const {
    CheckDevice(args);
    return cuda_api::LaunchKernelEx(kernel_, args, config);
  }
  TVM_FFI_LOCAL_INLINE cuda_api::KernelHandle GetHandle() const { return kernel_; }

 private:
  friend class CubinModule;

  /**
   * Throws if parameters point to memory of devices, and none of it is on the current one. Some
   * kernels read the memory of other devices too, so memory on the current one is enough.
   */
  TVM_FFI_LOCAL_INLINE void CheckDevice([[maybe_unused]] void **args) const {
#if TVM_FFI_CHECK_LAUNCH_DEVICE
    if (args == nullptr) return;       // CUDA refuses it if there are parameters
    if (cuda_api::HasError()) return;  // an error of the program's, which is not to be lost
    int current = -1, other = -1;
    for (size_t i = 0, size; (size = cuda_api::GetParameterSize(kernel_, i)) != 0; ++i) {
      void *address;
      if (size != sizeof address) continue;
      std::memcpy(&address, args[i], sizeof address);
      const int device = cuda_api::FindDeviceOfMemory(address);
      if (device < 0) continue;
      if (current < 0) current = cuda_api::GetCurrentDevice();
      other = device;
      if (device == current) break;
    }
    cuda_api::ForgetError();  // that the last parameter has no successor
    if (other >= 0 && current >= 0 && other != current) {
      TVM_FFI_THROW(RuntimeError) << "The kernel is launched on device " << current
                                  << ", but its memory is on device " << other
                                  << ": make that the current one with CUDADeviceGuard";
    }
#endif
  }

  TVM_FFI_LOCAL bool SetMaxDynamicSharedMemory(int device_id, int64_t bytes) const {
    cuda_api::DeviceHandle device;
    if (cuda_api::FindDevice(&device, device_id) != cuda_api::kSuccess) return false;
    if (bytes == -1) {
      int most = 0, own = 0;
      if (cuda_api::GetDeviceAttribute(&most, cuda_api::kMaxSharedMem, device) !=
              cuda_api::kSuccess ||
          cuda_api::GetKernelSharedMem(kernel_, own, device) != cuda_api::kSuccess) {
        return false;
      }
      bytes = most > own ? most - own : 0;
    }
    // More than an int is more than any device has; CUDA reports that as an error.
    const int limit = bytes > INT32_MAX ? INT32_MAX : bytes < 0 ? -1 : static_cast<int>(bytes);
    return cuda_api::SetKernelMaxDynamicSharedMem(kernel_, limit, device) == cuda_api::kSuccess;
  }

  cuda_api::KernelHandle kernel_ = nullptr;
};

/** A loaded image. Destroying this object unloads it and makes its kernels invalid. */
class CubinModule {
 public:
  /**
   * @param image  [borrow] A cubin, a fatbin, or NUL-terminated PTX: CUDA takes no size.
   *
   * Errors: RuntimeError (any error that CUDA reports for the image).
   */
  TVM_FFI_LOCAL explicit CubinModule(const Bytes &image) { Load(image.data()); }
  TVM_FFI_LOCAL explicit CubinModule(const char *image) { Load(image); }
  TVM_FFI_LOCAL explicit CubinModule(const unsigned char *image) { Load(image); }
  TVM_FFI_LOCAL CubinModule(CubinModule &&other) noexcept
      : library_(std::exchange(other.library_, nullptr)) {}
  TVM_FFI_LOCAL CubinModule &operator=(CubinModule &&other) noexcept {
    CubinModule taken(std::move(other));
    std::swap(library_, taken.library_);
    return *this;
  }
  /** At process exit CUDA may have shut down already; the error that it returns is ignored. */
  TVM_FFI_LOCAL ~CubinModule() {
    if (library_ != nullptr) static_cast<void>(cuda_api::UnloadLibrary(library_));
  }

  /** Errors: RuntimeError (there is no such kernel). */
  TVM_FFI_LOCAL CubinKernel GetKernel(const char *name) const {
    return CubinKernel(library_, name);
  }
  TVM_FFI_LOCAL CubinKernel operator[](const char *name) const { return GetKernel(name); }
  /**
   * The kernel, allowed to be launched with more shared memory than the usual 48 KiB.
   *
   * @param bytes  [in] The most that a launch may ask for; -1: all that the device has besides what
   *               the kernel declares. Set on each device of the process; some may refuse.
   *
   * Errors: RuntimeError (no such kernel; there are devices, and all refuse).
   */
  TVM_FFI_LOCAL CubinKernel GetKernelWithMaxDynamicSharedMemory(const char *name,
                                                                int64_t bytes = -1) const {
    CubinKernel kernel(library_, name);
    int num_devices = 0, num_set = 0;
    const bool counted = cuda_api::GetDeviceCount(&num_devices) == cuda_api::kSuccess;
    if (!counted) num_devices = 0;
    for (int i = 0; i < num_devices; ++i) {
      if (kernel.SetMaxDynamicSharedMemory(i, bytes)) ++num_set;
    }
    if (!counted || num_set < num_devices) cuda_api::ForgetError();
    if (num_devices > 0 && num_set == 0) {
      TVM_FFI_THROW(RuntimeError) << "Failed to set dynamic shared memory attribute for any device";
    }
    return kernel;
  }
  TVM_FFI_LOCAL_INLINE cuda_api::LibraryHandle GetHandle() const { return library_; }

 private:
  TVM_FFI_LOCAL void Load(const void *image) {
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(cuda_api::LoadLibrary(&library_, image));
  }

  cuda_api::LibraryHandle library_ = nullptr;
};

#else

/** Says in the compiler's message what to use instead. */
class CubinModule {
 public:
  template <typename Image>
  TVM_FFI_LOCAL explicit CubinModule(Image) {
    static_assert(sizeof(Image) == 0,
                  "CubinModule and CubinKernel throw; with -fno-exceptions use the functions of "
                  "cuda_api and TVM_FFI_RET_CHECK");
  }
};

#endif

}  // namespace TVM_FFI_DETAIL_CUDA_API
TVM_FFI_NAMESPACE_END

/**
 * Declares an image of this source file, at namespace scope. It is loaded when first used and
 * unloaded with the library. EmbedCubinModule_<name>::Global()->mod is its CubinModule.
 *
 * TVM_FFI_EMBED_CUBIN uses an image that was linked in between the C symbols
 * __tvm_ffi__cubin_<name> and __tvm_ffi__cubin_<name>_end (`tvm-ffi embed --cubin` makes the object
 * file); it hides them, so that other libraries do not bind to them. TVM_FFI_EMBED_CUBIN_FROM_BYTES
 * takes an array of char or unsigned char, or Bytes.
 */
#define TVM_FFI_EMBED_CUBIN(name)                                       \
  extern "C" TVM_FFI_HIDDEN const char __tvm_ffi__cubin_##name[];       \
  extern "C" TVM_FFI_HIDDEN const char __tvm_ffi__cubin_##name##_end[]; \
  TVM_FFI_EMBED_CUBIN_FROM_BYTES(name, __tvm_ffi__cubin_##name)
#define TVM_FFI_EMBED_CUBIN_FROM_BYTES(name, image) \
  namespace {                                       \
  struct EmbedCubinModule_##name {                  \
    ::tvm::ffi::CubinModule mod{image};             \
    static EmbedCubinModule_##name *Global() {      \
      static EmbedCubinModule_##name embedded;      \
      return &embedded;                             \
    }                                               \
  };                                                \
  }

/** A CubinKernel of the image. Errors: RuntimeError (it does not load; it has no such kernel). */
#define TVM_FFI_EMBED_CUBIN_GET_KERNEL(name, kernel_name) \
  (EmbedCubinModule_##name::Global()->mod[kernel_name])

#endif  // TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_
