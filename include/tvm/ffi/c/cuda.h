/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/cuda.h
 * CUDA from C: the device of a call, and kernels of compiled images. Not part of c.h, since it
 * needs CUDA's headers; a program without them opens libcuda.so.1 itself, as samples/15_ptx_module
 * does.
 *
 *     static int load_scale(void **out) {
 *       tvm_ffi_cuda_library library;
 *       tvm_ffi_cuda_kernel kernel;
 *       TVM_FFI_C_TRY(tvm_ffi_cuda_library_load(image, &library));
 *       if (tvm_ffi_cuda_library_get_kernel(library, "scale", &kernel) != 0) {
 *         tvm_ffi_cuda_library_unload(library);
 *         return -1;
 *       }
 *       *out = kernel;
 *       return 0;
 *     }
 *
 *     static int launch_scale(const DLTensor *x, double factor) {
 *       static void *kernel;
 *       int64_t n = tvm_ffi_tensor_get_numel(x);
 *       void *data = tvm_ffi_tensor_get_data(x), *args[3];
 *       args[0] = &data, args[1] = &n, args[2] = &factor;
 *       if (n == 0) return 0; // CUDA takes no empty grid
 *       TVM_FFI_C_TRY(TVMFFIHandleInitOnce(&kernel, load_scale));
 *       return tvm_ffi_cuda_kernel_launch((tvm_ffi_cuda_kernel)kernel, args,
 *                                         tvm_ffi_cuda_dim_make((unsigned)((n + 255) / 256), 1, 1),
 *                                         tvm_ffi_cuda_dim_make(256, 1, 1), 0,
 *                                         tvm_ffi_cuda_get_stream(x));
 *     }
 *
 *     TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: float) -> void") {
 *       tvm_ffi_cuda_guard guard;
 *       ...
 *       TVM_FFI_C_TRY(tvm_ffi_cuda_guard_begin(&guard, x->device.device_id));
 *       return tvm_ffi_cuda_guard_end(&guard, launch_scale(x, factor));
 *     }
 *
 * TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API chooses the API of CUDA, as it does in C++. 0, the default
 * from CUDA 12.8 on, is the runtime API, which has functions for images since that version: link
 * libcudart. 1 is the driver API of CUDA 12.0 and later: link libcuda; only cuda.h is included. The
 * declarations of this file are the same with both.
 *
 * CUDA's headers are not strict C99: add their folder with -isystem if warnings about that matter.
 */
#ifndef TVM_FFI_C_CUDA_H_
#define TVM_FFI_C_CUDA_H_

#include <tvm/ffi/c/env.h>

#if !defined(TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API)
#include <cuda_runtime_api.h>
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API (CUDART_VERSION < 12080)
#endif

/* ---- The driver API ---- */
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API

#include <cuda.h>
#if CUDA_VERSION < 12000
#error "tvm/ffi/c/cuda.h needs CUDA 12.0 or later"
#endif

/** The result of a CUDA function; 0 is success. */
typedef CUresult tvm_ffi_cuda_result;
typedef CUstream tvm_ffi_cuda_stream;
/** A loaded image, good on all devices. */
typedef CUlibrary tvm_ffi_cuda_library;
/** A kernel of a library, valid until that is unloaded. */
typedef CUkernel tvm_ffi_cuda_kernel;
typedef CUlaunchConfig tvm_ffi_cuda_launch_config;
typedef CUlaunchAttribute tvm_ffi_cuda_launch_attribute;

/** A device that is current between tvm_ffi_cuda_guard_begin and tvm_ffi_cuda_guard_end. */
typedef struct {
  CUdevice device;
  bool changed;
} tvm_ffi_cuda_guard;

/** @cond internal */
#define TVM_FFI_C_DETAIL_CUDA(name) cu##name
#define TVM_FFI_C_DETAIL_CUDA_ERROR "CUDA Error"

static inline const char *tvm_ffi_detail_cuda_get_name(tvm_ffi_cuda_result result) {
  const char *name = NULL;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "unrecognized error code";
}

static inline const char *tvm_ffi_detail_cuda_get_text(tvm_ffi_cuda_result result) {
  const char *text = NULL;
  return cuGetErrorString(result, &text) == CUDA_SUCCESS ? text : "unrecognized error code";
}

/**
 * The current context, or NULL. Initialises CUDA if that has not been done, as the runtime API
 * does.
 */
static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_get_context(CUcontext *out) {
  tvm_ffi_cuda_result result = cuCtxGetCurrent(out);
  if (result == CUDA_ERROR_NOT_INITIALIZED) {
    result = cuInit(0);
    if (result == CUDA_SUCCESS) result = cuCtxGetCurrent(out);
  }
  return result;
}

static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_begin(tvm_ffi_cuda_guard *guard,
                                                            int device_id) {
  CUcontext context = NULL;
  CUdevice current;
  tvm_ffi_cuda_result result = tvm_ffi_detail_cuda_get_context(&context);
  if (result == CUDA_SUCCESS) result = cuDeviceGet(&guard->device, device_id);
  if (result == CUDA_SUCCESS && context != NULL) {
    result = cuCtxGetDevice(&current);
    if (result != CUDA_SUCCESS || current == guard->device) return result;
  }
  if (result == CUDA_SUCCESS) result = cuDevicePrimaryCtxRetain(&context, guard->device);
  if (result != CUDA_SUCCESS) return result;
  result = cuCtxPushCurrent(context);
  guard->changed = result == CUDA_SUCCESS;
  if (!guard->changed) (void)cuDevicePrimaryCtxRelease(guard->device);
  return result;
}

static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_end(const tvm_ffi_cuda_guard *guard) {
  CUcontext context;
  tvm_ffi_cuda_result popped = cuCtxPopCurrent(&context);
  tvm_ffi_cuda_result released = cuDevicePrimaryCtxRelease(guard->device);
  return popped != CUDA_SUCCESS ? popped : released;
}

static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_load(const void *image,
                                                           tvm_ffi_cuda_library *out) {
  CUcontext context;
  tvm_ffi_cuda_result result = tvm_ffi_detail_cuda_get_context(&context);
  if (result != CUDA_SUCCESS) return result;
  return cuLibraryLoadData(out, image, NULL, NULL, 0, NULL, NULL, 0);
}

/** Reads the most shared memory that a block can have, and how much the kernel itself declares. */
static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_read_shared(tvm_ffi_cuda_kernel kernel,
                                                                  int device_id, int *most,
                                                                  int *declared) {
  CUdevice device;
  tvm_ffi_cuda_result result = cuDeviceGet(&device, device_id);
  if (result == CUDA_SUCCESS) {
    result =
        cuDeviceGetAttribute(most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
  }
  if (result == CUDA_SUCCESS) {
    result = cuKernelGetAttribute(declared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, device);
  }
  return result;
}

static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_set_shared(tvm_ffi_cuda_kernel kernel,
                                                                 int device_id, int bytes) {
  CUdevice device;
  tvm_ffi_cuda_result result = cuDeviceGet(&device, device_id);
  if (result != CUDA_SUCCESS) return result;
  return cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes, kernel,
                              device);
}

static inline int tvm_ffi_detail_cuda_get_count(void) {
  int count = 0;
  return cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

/** Nothing to do: the driver API keeps no last error. */
static inline void tvm_ffi_detail_cuda_forget(void) {}
/** @endcond */

/* ---- The runtime API: the same declarations ---- */
#else

#include <cuda_runtime_api.h>
#if CUDART_VERSION < 12080
#error "before CUDA 12.8 define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API to be 1, or not at all"
#endif

typedef cudaError_t tvm_ffi_cuda_result;
typedef cudaStream_t tvm_ffi_cuda_stream;
typedef cudaLibrary_t tvm_ffi_cuda_library;
typedef cudaKernel_t tvm_ffi_cuda_kernel;
typedef cudaLaunchConfig_t tvm_ffi_cuda_launch_config;
typedef cudaLaunchAttribute tvm_ffi_cuda_launch_attribute;

typedef struct {
  int old_device;
  bool changed;
} tvm_ffi_cuda_guard;

/** @cond internal */
#define TVM_FFI_C_DETAIL_CUDA(name) cuda##name
#define TVM_FFI_C_DETAIL_CUDA_ERROR "CUDA Runtime Error"

static inline const char *tvm_ffi_detail_cuda_get_name(tvm_ffi_cuda_result result) {
  return cudaGetErrorName(result);
}

static inline const char *tvm_ffi_detail_cuda_get_text(tvm_ffi_cuda_result result) {
  return cudaGetErrorString(result);
}

static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_begin(tvm_ffi_cuda_guard *guard,
                                                            int device_id) {
  tvm_ffi_cuda_result result = cudaGetDevice(&guard->old_device);
  if (result != cudaSuccess || guard->old_device == device_id) return result;
  result = cudaSetDevice(device_id);
  guard->changed = result == cudaSuccess;
  return result;
}

static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_end(const tvm_ffi_cuda_guard *guard) {
  return cudaSetDevice(guard->old_device);
}

static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_load(const void *image,
                                                           tvm_ffi_cuda_library *out) {
  return cudaLibraryLoadData(out, image, NULL, NULL, 0, NULL, NULL, 0);
}

/** `declared` is that of the current device, the only one that this API reports. */
static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_read_shared(tvm_ffi_cuda_kernel kernel,
                                                                  int device_id, int *most,
                                                                  int *declared) {
  struct cudaFuncAttributes attributes;
  tvm_ffi_cuda_result result =
      cudaDeviceGetAttribute(most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_id);
  if (result == cudaSuccess) result = cudaFuncGetAttributes(&attributes, (const void *)kernel);
  if (result == cudaSuccess) *declared = (int)attributes.sharedSizeBytes;
  return result;
}

static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_set_shared(tvm_ffi_cuda_kernel kernel,
                                                                 int device_id, int bytes) {
  return cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes,
                                         device_id);
}

static inline int tvm_ffi_detail_cuda_get_count(void) {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

static inline void tvm_ffi_detail_cuda_forget(void) {
  (void)cudaGetLastError();
}
/** @endcond */

#endif

/* ---- Errors ---- */

/**
 * Raises `RuntimeError: CUDA Runtime Error: <name> (<code>): <text>`, with the driver API `CUDA
 * Error: ...`, for a result that is not 0: an expression of value -1.
 */
#define TVM_FFI_C_CUDA_RAISE(result) \
  (tvm_ffi_detail_cuda_raise_at(__FILE__, __LINE__, __func__, (result)), tvm_ffi_detail_failed())

/** Ends the function with that error unless the call of CUDA gives 0. */
#define TVM_FFI_C_CUDA_TRY(call)                            \
  do {                                                      \
    tvm_ffi_cuda_result tvm_ffi_cuda_try_result = (call);   \
    if (tvm_ffi_cuda_try_result != 0) {                     \
      return TVM_FFI_C_CUDA_RAISE(tvm_ffi_cuda_try_result); \
    }                                                       \
  } while (0)

/** @cond internal */
TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_cuda_raise_at(const char *file, int line,
                                                                      const char *func,
                                                                      tvm_ffi_cuda_result result) {
  tvm_ffi_error_raise_at(file, line, func, TVM_FFI_C_RUNTIME_ERROR, "%s: %s (%d): %s",
                         TVM_FFI_C_DETAIL_CUDA_ERROR, tvm_ffi_detail_cuda_get_name(result),
                         (int)result, tvm_ffi_detail_cuda_get_text(result));
}

/** 0, or -1 with the error of the functions below, which read `CUDA Error` with both APIs. */
static inline int tvm_ffi_detail_cuda_check(tvm_ffi_cuda_result result) {
  if (result == 0) return 0;
  return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_RUNTIME_ERROR, "CUDA Error: %s (%d): %s",
                               tvm_ffi_detail_cuda_get_name(result), (int)result,
                               tvm_ffi_detail_cuda_get_text(result));
}
/** @endcond */

/* ---- The device and the stream of a call ----
 * Threads: any; both are state of the calling thread. */

/**
 * Make a device the current one of this thread, until tvm_ffi_cuda_guard_end. The driver API makes
 * its primary context current, unless a context of that device is.
 * @param guard     [out] For the end, which has to follow in this thread; guards nest.
 * @param device_id [in] As in DLDevice.
 * @return 0, or -1: the current device is as it was, and the end may be left out.
 * Errors: RuntimeError `CUDA Runtime Error: ...` (`CUDA Error: ...` by the driver API).
 */
static inline int tvm_ffi_cuda_guard_begin(tvm_ffi_cuda_guard *guard, int device_id) {
  guard->changed = false;
  TVM_FFI_C_CUDA_TRY(tvm_ffi_detail_cuda_begin(guard, device_id));
  return 0;
}

/**
 * Restore the device that was current at the begin. It must be reached on every path, so put what
 * lies between into a function of its own: `return tvm_ffi_cuda_guard_end(&guard, launch(...));`
 * @param guard [borrow]
 * @param code  [in] What that function returned.
 * @return code if it is not 0, with its error still raised whether restoring works or not;
 *         otherwise 0, or -1.
 * Errors: as tvm_ffi_cuda_guard_begin.
 */
static inline int tvm_ffi_cuda_guard_end(tvm_ffi_cuda_guard *guard, int code) {
  tvm_ffi_cuda_result result;
  if (!guard->changed) return code;
  guard->changed = false;
  result = tvm_ffi_detail_cuda_end(guard);
  return code != 0 || result == 0 ? code : TVM_FFI_C_CUDA_RAISE(result);
}

/**
 * This thread's current stream of the tensor's device.
 * @param tensor [borrow]
 * @return NULL when none was set: the default stream.   Errors: none.
 */
static inline tvm_ffi_cuda_stream tvm_ffi_cuda_get_stream(const DLTensor *tensor) {
  return (tvm_ffi_cuda_stream)tvm_ffi_env_get_stream(tensor);
}

/* ---- Images and their kernels ----
 * Errors: RuntimeError `CUDA Error: <name> (<code>): <text>`.   Threads: any; unload only when the
 * library is no longer in use. */

/**
 * Load an image.
 * @param image [borrow] A cubin, a fatbin, or PTX followed by a NUL, since CUDA takes no size. It
 *              may be freed when this returns. Tools embed it as
 *              `extern const char __tvm_ffi__cubin_<name>[]`.
 * @param out   [own] To be unloaded, or kept as long as the process runs.
 */
static inline int tvm_ffi_cuda_library_load(const void *image, tvm_ffi_cuda_library *out) {
  return tvm_ffi_detail_cuda_check(tvm_ffi_detail_cuda_load(image, out));
}

/**
 * Unload an image and its kernels.
 * @param library [take] NULL is ignored. At the exit of the process CUDA may be gone and refuse.
 * Errors: none.
 */
static inline void tvm_ffi_cuda_library_unload(tvm_ffi_cuda_library library) {
  if (library != NULL) (void)TVM_FFI_C_DETAIL_CUDA(LibraryUnload)(library);
}

/**
 * Get a kernel, which must exist.
 * @param library [borrow]
 * @param name    [borrow] As in the image: mangled by the C++ compiler unless it is `extern "C"`.
 * @param out     [lend] As long as the library is loaded.
 */
static inline int tvm_ffi_cuda_library_get_kernel(tvm_ffi_cuda_library library, const char *name,
                                                  tvm_ffi_cuda_kernel *out) {
  return tvm_ffi_detail_cuda_check(TVM_FFI_C_DETAIL_CUDA(LibraryGetKernel)(out, library, name));
}

/**
 * Allow launches with more shared memory than the 48 KiB that every kernel may have, on all devices
 * of the process; devices that refuse are skipped.
 * @param bytes [in] The most that a launch may request; -1: all that the device has besides what
 *              the kernel declares.
 * Errors: RuntimeError `Failed to set dynamic shared memory attribute for any device`; none if
 * there is no device.
 */
static inline int tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(tvm_ffi_cuda_kernel kernel,
                                                                    int64_t bytes) {
  const int num_devices = tvm_ffi_detail_cuda_get_count();
  int device_id, num_set = 0;
  for (device_id = 0; device_id < num_devices; ++device_id) {
    int64_t limit = bytes;
    int most = 0, declared = 0;
    tvm_ffi_cuda_result result = (tvm_ffi_cuda_result)0;
    if (bytes == -1) {
      result = tvm_ffi_detail_cuda_read_shared(kernel, device_id, &most, &declared);
      limit = most > declared ? most - declared : 0;
    }
    if (limit < 0) limit = -1; /* invalid on every device: lets CUDA report it */
    if (limit > INT32_MAX) limit = INT32_MAX;
    if (result == 0) result = tvm_ffi_detail_cuda_set_shared(kernel, device_id, (int)limit);
    if (result == 0) ++num_set;
  }
  if (num_set < num_devices || num_devices == 0) tvm_ffi_detail_cuda_forget();
  if (num_set > 0 || num_devices == 0) return 0;
  return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_RUNTIME_ERROR, "%s",
                               "Failed to set dynamic shared memory attribute for any device");
}

/* ---- Launching ----
 * On the current device. The kernel may still be running, and may yet fail, when this returns. */

/** The extents of a grid in blocks, or of a block in threads. */
typedef struct {
  unsigned x, y, z;
} tvm_ffi_cuda_dim;

static inline tvm_ffi_cuda_dim tvm_ffi_cuda_dim_make(unsigned x, unsigned y, unsigned z) {
  tvm_ffi_cuda_dim dim;
  dim.x = x;
  dim.y = y;
  dim.z = z;
  return dim;
}

/**
 * Launch a kernel.
 * @param kernel       [borrow]
 * @param args         [borrow] For each parameter of the kernel the address of its value, which is
 *                     copied.
 * @param grid, block  [in]
 * @param shared_bytes [in] Shared memory of a block, besides what the kernel declares.
 * @param stream       [borrow] tvm_ffi_cuda_get_stream.
 */
static inline int tvm_ffi_cuda_kernel_launch(tvm_ffi_cuda_kernel kernel, void **args,
                                             tvm_ffi_cuda_dim grid, tvm_ffi_cuda_dim block,
                                             uint32_t shared_bytes, tvm_ffi_cuda_stream stream) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  return tvm_ffi_detail_cuda_check(cuLaunchKernel((CUfunction)kernel, grid.x, grid.y, grid.z,
                                                  block.x, block.y, block.z, shared_bytes, stream,
                                                  args, NULL));
#else
  struct dim3 grid_dim, block_dim;
  grid_dim.x = grid.x, grid_dim.y = grid.y, grid_dim.z = grid.z;
  block_dim.x = block.x, block_dim.y = block.y, block_dim.z = block.z;
  return tvm_ffi_detail_cuda_check(
      cudaLaunchKernel((const void *)kernel, grid_dim, block_dim, args, shared_bytes, stream));
#endif
}

/**
 * Fill a configuration for tvm_ffi_cuda_kernel_launch_ex; more attributes may be added afterwards.
 * @param config    [out] Refers to attribute when there are clusters.
 * @param attribute [out] Must live as long as config is used.
 * @param cluster   [in] Blocks in a cluster, along x; 1: no clusters.
 */
static inline void tvm_ffi_cuda_launch_config_init(tvm_ffi_cuda_launch_config *config,
                                                   tvm_ffi_cuda_launch_attribute *attribute,
                                                   tvm_ffi_cuda_dim grid, tvm_ffi_cuda_dim block,
                                                   uint32_t shared_bytes, unsigned cluster,
                                                   tvm_ffi_cuda_stream stream) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  config->gridDimX = grid.x, config->gridDimY = grid.y, config->gridDimZ = grid.z;
  config->blockDimX = block.x, config->blockDimY = block.y, config->blockDimZ = block.z;
  config->sharedMemBytes = shared_bytes;
  config->hStream = stream;
  attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute->value.clusterDim.x = cluster;
  attribute->value.clusterDim.y = 1;
  attribute->value.clusterDim.z = 1;
#else
  config->gridDim.x = grid.x, config->gridDim.y = grid.y, config->gridDim.z = grid.z;
  config->blockDim.x = block.x, config->blockDim.y = block.y, config->blockDim.z = block.z;
  config->dynamicSmemBytes = shared_bytes;
  config->stream = stream;
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = cluster;
  attribute->val.clusterDim.y = 1;
  attribute->val.clusterDim.z = 1;
#endif
  config->attrs = cluster > 1 ? attribute : NULL;
  config->numAttrs = cluster > 1 ? 1 : 0;
}

/**
 * Launch a kernel with a configuration.
 * @param kernel [borrow]
 * @param args   [borrow] As in tvm_ffi_cuda_kernel_launch.
 * @param config [borrow]
 */
static inline int tvm_ffi_cuda_kernel_launch_ex(tvm_ffi_cuda_kernel kernel, void **args,
                                                const tvm_ffi_cuda_launch_config *config) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  return tvm_ffi_detail_cuda_check(cuLaunchKernelEx(config, (CUfunction)kernel, args, NULL));
#else
  return tvm_ffi_detail_cuda_check(cudaLaunchKernelExC(config, (const void *)kernel, args));
#endif
}

#endif /* TVM_FFI_C_CUDA_H_ */
