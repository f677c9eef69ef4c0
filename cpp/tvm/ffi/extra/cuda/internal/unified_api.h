/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/cuda/internal/unified_api.h
 * Functions that load and launch kernels, by CUDA's runtime API or by its driver API.
 *
 * TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API chooses: 0, the default from CUDA 12.8 on, uses the
 * runtime API, which could not load images before; 1 uses the driver API, which requires that
 * cuInit has been called and, to launch, that a context is current (cudaSetDevice does both from
 * CUDA 12 on). Files of one program may choose differently. Functions return the result of CUDA,
 * take no ownership, and may be called from any thread.
 *
 * TVM_FFI_CHECK_LAUNCH_DEVICE, which is 1 unless NDEBUG is defined, lets CubinKernel refuse to
 * launch on a wrong device; tvm/ffi/c/cuda.h says when it is 0.
 */
#ifndef TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_
#define TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_

#include <tvm/ffi/extra/cuda/base.h>

#ifndef TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API (CUDART_VERSION < 12080)
#endif
static_assert(TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API || CUDART_VERSION >= 12080,
              "the runtime API can load cubins from CUDA 12.8 on: define "
              "TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API to be 1 for this CUDA");

/* An inline namespace for each API, so that functions of the two are different symbols. */
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#include <cuda.h>
#define TVM_FFI_DETAIL_CUDA_API driver_api
#if !defined(TVM_FFI_CHECK_LAUNCH_DEVICE) && !defined(NDEBUG) && CUDA_VERSION >= 12040
#define TVM_FFI_CHECK_LAUNCH_DEVICE 1
#endif
#else
#define TVM_FFI_DETAIL_CUDA_API runtime_api
#if !defined(TVM_FFI_CHECK_LAUNCH_DEVICE) && !defined(NDEBUG) && CUDART_VERSION >= 13000
#define TVM_FFI_CHECK_LAUNCH_DEVICE 1
#endif
#endif
#ifndef TVM_FFI_CHECK_LAUNCH_DEVICE
#define TVM_FFI_CHECK_LAUNCH_DEVICE 0
#endif

TVM_FFI_NAMESPACE_BEGIN
namespace cuda_api {
inline namespace TVM_FFI_DETAIL_CUDA_API {

#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API

using StreamHandle = CUstream;
using DeviceHandle = CUdevice;
using LibraryHandle = CUlibrary;
using KernelHandle = CUkernel;
using LaunchConfig = CUlaunchConfig;
using ResultType = CUresult;
using LaunchAttrType = CUlaunchAttribute;
using DeviceAttrType = CUdevice_attribute;
TVM_FFI_LOCAL inline constexpr ResultType kSuccess = CUDA_SUCCESS;
/** The maximum of shared memory that a block may ask for. */
TVM_FFI_LOCAL inline constexpr DeviceAttrType kMaxSharedMem =
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;

/** @param name, text  [lend] Static text, never null. */
TVM_FFI_LOCAL inline void GetErrorString(ResultType result, const char **name, const char **text) {
  if (cuGetErrorName(result, name) != CUDA_SUCCESS ||
      cuGetErrorString(result, text) != CUDA_SUCCESS) {
    *name = *text = "unrecognized error code";
  }
}
/** @param image  [borrow] A cubin, a fatbin, or NUL-terminated PTX. CUDA keeps a copy. */
[[nodiscard]] TVM_FFI_LOCAL inline ResultType LoadLibrary(LibraryHandle *library,
                                                          const void *image) {
  return cuLibraryLoadData(library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType UnloadLibrary(LibraryHandle library) {
  return cuLibraryUnload(library);
}
/** @param kernel  [lend] Valid until the library is unloaded. */
[[nodiscard]] TVM_FFI_LOCAL inline ResultType GetKernel(KernelHandle *kernel, LibraryHandle library,
                                                        const char *name) {
  return cuLibraryGetKernel(kernel, library, name);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType FindDevice(DeviceHandle *device, int device_id) {
  return cuDeviceGet(device, device_id);
}
/** @param args  [borrow] The address of the value of each parameter of the kernel. */
[[nodiscard]] TVM_FFI_LOCAL inline ResultType LaunchKernel(KernelHandle kernel, void **args,
                                                           dim3 grid, dim3 block,
                                                           StreamHandle stream,
                                                           uint32_t dyn_smem_bytes = 0) {
  return cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), grid.x, grid.y, grid.z, block.x,
                        block.y, block.z, dyn_smem_bytes, stream, args, nullptr);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType LaunchKernelEx(KernelHandle kernel, void **args,
                                                             const LaunchConfig &config) {
  return cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(kernel), args, nullptr);
}
/** Bytes of shared memory that the kernel declares. */
[[nodiscard]] TVM_FFI_LOCAL inline ResultType GetKernelSharedMem(KernelHandle kernel, int &out,
                                                                 DeviceHandle device) {
  return cuKernelGetAttribute(&out, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, device);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType SetKernelMaxDynamicSharedMem(KernelHandle kernel,
                                                                           int bytes,
                                                                           DeviceHandle device) {
  return cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes, kernel,
                              device);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType GetDeviceCount(int *count) {
  return cuDeviceGetCount(count);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType GetDeviceAttribute(int *value, DeviceAttrType attr,
                                                                 DeviceHandle device) {
  return cuDeviceGetAttribute(value, attr, device);
}
/** Clears CUDA's last error after a failure that is expected; nothing to do in the driver API. */
TVM_FFI_LOCAL inline void ForgetError() {}

#if TVM_FFI_CHECK_LAUNCH_DEVICE
/** Whether CUDA keeps an error that the program has not read. */
TVM_FFI_LOCAL inline bool HasError() {
  return false;
}
/** The bytes of a parameter; 0: there is none of this number. */
TVM_FFI_LOCAL inline size_t GetParameterSize(KernelHandle kernel, size_t i) {
  size_t offset, size = 0;
  return cuKernelGetParamInfo(kernel, i, &offset, &size) == kSuccess ? size : 0;
}
/** The device that the memory belongs to; -1: it is not memory of a device, or is managed. */
TVM_FFI_LOCAL inline int FindDeviceOfMemory(const void *address) {
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  unsigned type = 0, is_managed = 0;
  int device = -1;
  void *values[] = {&type, &is_managed, &device};
  if (cuPointerGetAttributes(3, names, values, reinterpret_cast<CUdeviceptr>(address)) !=
      kSuccess) {
    return -1;
  }
  return type == CU_MEMORYTYPE_DEVICE && is_managed == 0 ? device : -1;
}
/** -1: none. */
TVM_FFI_LOCAL inline int GetCurrentDevice() {
  CUdevice device;
  return cuCtxGetDevice(&device) == kSuccess ? device : -1;
}
#endif

/**
 * Fills a configuration for LaunchKernelEx.
 *
 * @param cluster_dim  [in] Blocks in a cluster, along x; no clusters when 1 or less.
 * @param config       [out] Points to attr if there are clusters.
 */
TVM_FFI_LOCAL inline ResultType ConstructLaunchConfig(KernelHandle, StreamHandle stream,
                                                      uint32_t smem_size, dim3 grid, dim3 block,
                                                      int cluster_dim, LaunchConfig &config,
                                                      LaunchAttrType &attr) {
  config = LaunchConfig{};
  config.gridDimX = grid.x;
  config.gridDimY = grid.y;
  config.gridDimZ = grid.z;
  config.blockDimX = block.x;
  config.blockDimY = block.y;
  config.blockDimZ = block.z;
  config.sharedMemBytes = smem_size;
  config.hStream = stream;
  if (cluster_dim > 1) {
    attr.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attr.value.clusterDim.x = static_cast<unsigned int>(cluster_dim);
    attr.value.clusterDim.y = 1;
    attr.value.clusterDim.z = 1;
    config.attrs = &attr;
    config.numAttrs = 1;
  }
  return kSuccess;
}

#else

/* The same with the runtime API. */
using StreamHandle = cudaStream_t;
using DeviceHandle = int;
using LibraryHandle = cudaLibrary_t;
using KernelHandle = cudaKernel_t;
using LaunchConfig = cudaLaunchConfig_t;
using ResultType = cudaError_t;
using LaunchAttrType = cudaLaunchAttribute;
using DeviceAttrType = cudaDeviceAttr;
TVM_FFI_LOCAL inline constexpr ResultType kSuccess = cudaSuccess;
TVM_FFI_LOCAL inline constexpr DeviceAttrType kMaxSharedMem =
    cudaDevAttrMaxSharedMemoryPerBlockOptin;

TVM_FFI_LOCAL inline void GetErrorString(ResultType result, const char **name, const char **text) {
  *name = cudaGetErrorName(result);
  *text = cudaGetErrorString(result);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType LoadLibrary(LibraryHandle *library,
                                                          const void *image) {
  return cudaLibraryLoadData(library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType UnloadLibrary(LibraryHandle library) {
  return cudaLibraryUnload(library);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType GetKernel(KernelHandle *kernel, LibraryHandle library,
                                                        const char *name) {
  return cudaLibraryGetKernel(kernel, library, name);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType FindDevice(DeviceHandle *device, int device_id) {
  *device = device_id;
  return kSuccess;
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType LaunchKernel(KernelHandle kernel, void **args,
                                                           dim3 grid, dim3 block,
                                                           StreamHandle stream,
                                                           uint32_t dyn_smem_bytes = 0) {
  return cudaLaunchKernel(static_cast<const void *>(kernel), ::dim3(grid.x, grid.y, grid.z),
                          ::dim3(block.x, block.y, block.z), args, dyn_smem_bytes, stream);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType LaunchKernelEx(KernelHandle kernel, void **args,
                                                             const LaunchConfig &config) {
  return cudaLaunchKernelExC(&config, static_cast<const void *>(kernel), args);
}
/** The runtime API takes no device here, so this is the value for the current one. */
[[nodiscard]] TVM_FFI_LOCAL inline ResultType GetKernelSharedMem(KernelHandle kernel, int &out,
                                                                 DeviceHandle) {
  cudaFuncAttributes attributes;
  const ResultType result = cudaFuncGetAttributes(&attributes, static_cast<const void *>(kernel));
  if (result == kSuccess) out = static_cast<int>(attributes.sharedSizeBytes);
  return result;
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType SetKernelMaxDynamicSharedMem(KernelHandle kernel,
                                                                           int bytes,
                                                                           DeviceHandle device) {
  return cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes,
                                         device);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType GetDeviceCount(int *count) {
  return cudaGetDeviceCount(count);
}
[[nodiscard]] TVM_FFI_LOCAL inline ResultType GetDeviceAttribute(int *value, DeviceAttrType attr,
                                                                 DeviceHandle device) {
  return cudaDeviceGetAttribute(value, attr, device);
}
TVM_FFI_LOCAL inline void ForgetError() {
  static_cast<void>(cudaGetLastError());
}

#if TVM_FFI_CHECK_LAUNCH_DEVICE
TVM_FFI_LOCAL inline bool HasError() {
  return cudaPeekAtLastError() != kSuccess;
}
TVM_FFI_LOCAL inline size_t GetParameterSize(KernelHandle kernel, size_t i) {
  size_t offset, size = 0;
  return cudaFuncGetParamInfo(static_cast<const void *>(kernel), i, &offset, &size) == kSuccess
             ? size
             : 0;
}
TVM_FFI_LOCAL inline int FindDeviceOfMemory(const void *address) {
  cudaPointerAttributes found;
  if (cudaPointerGetAttributes(&found, address) != kSuccess) return -1;
  return found.type == cudaMemoryTypeDevice ? found.device : -1;
}
TVM_FFI_LOCAL inline int GetCurrentDevice() {
  int device;
  return cudaGetDevice(&device) == kSuccess ? device : -1;
}
#endif

TVM_FFI_LOCAL inline ResultType ConstructLaunchConfig(KernelHandle, StreamHandle stream,
                                                      uint32_t smem_size, dim3 grid, dim3 block,
                                                      int cluster_dim, LaunchConfig &config,
                                                      LaunchAttrType &attr) {
  config = LaunchConfig{};
  config.gridDim = ::dim3(grid.x, grid.y, grid.z);
  config.blockDim = ::dim3(block.x, block.y, block.z);
  config.dynamicSmemBytes = smem_size;
  config.stream = stream;
  if (cluster_dim > 1) {
    attr.id = cudaLaunchAttributeClusterDimension;
    attr.val.clusterDim.x = static_cast<unsigned int>(cluster_dim);
    attr.val.clusterDim.y = 1;
    attr.val.clusterDim.z = 1;
    config.attrs = &attr;
    config.numAttrs = 1;
  }
  return kSuccess;
}

#endif

}  // namespace TVM_FFI_DETAIL_CUDA_API
}  // namespace cuda_api
TVM_FFI_NAMESPACE_END

/** Throws a RuntimeError unless stmt returns cuda_api::kSuccess. */
#define TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(stmt)                                   \
  do {                                                                                  \
    const ::tvm::ffi::cuda_api::ResultType tvm_ffi_cuda_result = (stmt);                \
    if (TVM_FFI_PREDICT_FALSE(tvm_ffi_cuda_result != ::tvm::ffi::cuda_api::kSuccess)) { \
      const char *tvm_ffi_cuda_name;                                                    \
      const char *tvm_ffi_cuda_text;                                                    \
      ::tvm::ffi::cuda_api::GetErrorString(tvm_ffi_cuda_result, &tvm_ffi_cuda_name,     \
                                           &tvm_ffi_cuda_text);                         \
      TVM_FFI_THROW(RuntimeError) << "CUDA Error: " << tvm_ffi_cuda_name << " ("        \
                                  << static_cast<int>(tvm_ffi_cuda_result)              \
                                  << "): " << tvm_ffi_cuda_text;                        \
    }                                                                                   \
  } while (0)

#if TVM_FFI_HAS_EXCEPTIONS
TVM_FFI_NAMESPACE_BEGIN
namespace cuda_api {
inline namespace TVM_FFI_DETAIL_CUDA_API {
/** Errors: RuntimeError (no such device). */
TVM_FFI_LOCAL inline DeviceHandle GetDeviceHandle(int device_id) {
  DeviceHandle device;
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(FindDevice(&device, device_id));
  return device;
}
}  // namespace TVM_FFI_DETAIL_CUDA_API
}  // namespace cuda_api
TVM_FFI_NAMESPACE_END
#endif

#endif  // TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_
