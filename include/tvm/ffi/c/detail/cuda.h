/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/cuda.h
 * The bodies of tvm/ffi/c/cuda.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_CUDA_H_
#define TVM_FFI_C_DETAIL_CUDA_H_

#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API

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

#if TVM_FFI_CHECK_LAUNCH_DEVICE
static inline bool tvm_ffi_detail_cuda_has_failed(void) {
  return false;
}

/** The bytes of a parameter; 0: there is none of this number. */
static inline size_t tvm_ffi_detail_cuda_get_param_size(tvm_ffi_cuda_kernel kernel, size_t i) {
  size_t offset, size = 0;
  return cuKernelGetParamInfo(kernel, i, &offset, &size) == CUDA_SUCCESS ? size : 0;
}

/** The device that the memory belongs to; -1: it is not memory of a device, or is managed. */
static inline int tvm_ffi_detail_cuda_find_device(const void *address) {
  CUpointer_attribute names[3] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  unsigned type = 0, is_managed = 0;
  int device = -1;
  void *values[3];
  values[0] = &type, values[1] = &is_managed, values[2] = &device;
  if (cuPointerGetAttributes(3, names, values, (CUdeviceptr)(uintptr_t)address) != CUDA_SUCCESS) {
    return -1;
  }
  return type == CU_MEMORYTYPE_DEVICE && is_managed == 0 ? device : -1;
}

/** -1: none. */
static inline int tvm_ffi_detail_cuda_get_device(void) {
  CUdevice device;
  return cuCtxGetDevice(&device) == CUDA_SUCCESS ? device : -1;
}
#endif

#else /* the same by the runtime API */

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
  tvm_ffi_cuda_result result = cudaGetDevice(&guard->device);
  if (result != cudaSuccess || guard->device == device_id) return result;
  result = cudaSetDevice(device_id);
  guard->changed = result == cudaSuccess;
  return result;
}

static inline tvm_ffi_cuda_result tvm_ffi_detail_cuda_end(const tvm_ffi_cuda_guard *guard) {
  return cudaSetDevice(guard->device);
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

#if TVM_FFI_CHECK_LAUNCH_DEVICE
static inline bool tvm_ffi_detail_cuda_has_failed(void) {
  return cudaPeekAtLastError() != cudaSuccess;
}

static inline size_t tvm_ffi_detail_cuda_get_param_size(tvm_ffi_cuda_kernel kernel, size_t i) {
  size_t offset, size = 0;
  return cudaFuncGetParamInfo((const void *)kernel, i, &offset, &size) == cudaSuccess ? size : 0;
}

static inline int tvm_ffi_detail_cuda_find_device(const void *address) {
  struct cudaPointerAttributes found;
  if (cudaPointerGetAttributes(&found, address) != cudaSuccess) return -1;
  return found.type == cudaMemoryTypeDevice ? found.device : -1;
}

static inline int tvm_ffi_detail_cuda_get_device(void) {
  int device;
  return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}
#endif

#endif

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

#if TVM_FFI_CHECK_LAUNCH_DEVICE
/**
 * Fails if parameters point to memory of devices, and none of it is on the current one. Some
 * kernels read the memory of other devices too, so memory on the current one is enough.
 */
static inline int tvm_ffi_detail_cuda_check_device(tvm_ffi_cuda_kernel kernel, void **args) {
  int current = -1, other = -1;
  size_t i, size;
  if (args == NULL) return 0;                     /* CUDA refuses it if there are parameters */
  if (tvm_ffi_detail_cuda_has_failed()) return 0; /* an error of the program's, not to be lost */
  for (i = 0; (size = tvm_ffi_detail_cuda_get_param_size(kernel, i)) != 0; ++i) {
    void *address;
    int device;
    if (size != sizeof address) continue;
    memcpy(&address, args[i], sizeof address);
    device = tvm_ffi_detail_cuda_find_device(address);
    if (device < 0) continue;
    if (current < 0) current = tvm_ffi_detail_cuda_get_device();
    other = device;
    if (device == current) break;
  }
  tvm_ffi_detail_cuda_forget(); /* that the last parameter has no successor */
  if (other < 0 || current < 0 || other == current) return 0;
  return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_RUNTIME_ERROR,
                               "The kernel is launched on device %d, but its memory is on device "
                               "%d: make that the current one with tvm_ffi_cuda_guard_begin",
                               current, other);
}
#else
static inline int tvm_ffi_detail_cuda_check_device(tvm_ffi_cuda_kernel kernel, void **args) {
  (void)kernel, (void)args;
  return 0;
}
#endif

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_cuda_guard_begin(tvm_ffi_cuda_guard *guard,
                                                                      int device_id) {
  guard->changed = false;
  TVM_FFI_C_CUDA_TRY(tvm_ffi_detail_cuda_begin(guard, device_id));
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_cuda_guard_end(tvm_ffi_cuda_guard *guard,
                                                                    int code) {
  tvm_ffi_cuda_result result;
  if (!guard->changed) return code;
  guard->changed = false;
  result = tvm_ffi_detail_cuda_end(guard);
  return code != 0 || result == 0 ? code : TVM_FFI_C_CUDA_RAISE(result);
}

static inline tvm_ffi_cuda_stream tvm_ffi_cuda_get_stream(const DLTensor *tensor) {
  return (tvm_ffi_cuda_stream)tvm_ffi_env_get_stream(tensor);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_cuda_library_load(const void *image,
                                                                       tvm_ffi_cuda_library *out) {
  return tvm_ffi_detail_cuda_check(tvm_ffi_detail_cuda_load(image, out));
}

static inline void tvm_ffi_cuda_library_unload(tvm_ffi_cuda_library library) {
  if (library != NULL) (void)TVM_FFI_C_DETAIL_CUDA(LibraryUnload)(library);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_cuda_library_get_kernel(
    tvm_ffi_cuda_library library, const char *name, tvm_ffi_cuda_kernel *out) {
  return tvm_ffi_detail_cuda_check(TVM_FFI_C_DETAIL_CUDA(LibraryGetKernel)(out, library, name));
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(
    tvm_ffi_cuda_kernel kernel, int64_t bytes) {
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

static inline tvm_ffi_cuda_dim tvm_ffi_cuda_dim_make(unsigned x, unsigned y, unsigned z) {
  tvm_ffi_cuda_dim dim;
  dim.x = x;
  dim.y = y;
  dim.z = z;
  return dim;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_cuda_kernel_launch(
    tvm_ffi_cuda_kernel kernel, void **args, tvm_ffi_cuda_dim grid, tvm_ffi_cuda_dim block,
    uint32_t shared_bytes, tvm_ffi_cuda_stream stream) {
#if !TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  struct dim3 grid_dim, block_dim;
#endif
  TVM_FFI_C_TRY(tvm_ffi_detail_cuda_check_device(kernel, args));
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  return tvm_ffi_detail_cuda_check(cuLaunchKernel((CUfunction)kernel, grid.x, grid.y, grid.z,
                                                  block.x, block.y, block.z, shared_bytes, stream,
                                                  args, NULL));
#else
  grid_dim.x = grid.x, grid_dim.y = grid.y, grid_dim.z = grid.z;
  block_dim.x = block.x, block_dim.y = block.y, block_dim.z = block.z;
  return tvm_ffi_detail_cuda_check(
      cudaLaunchKernel((const void *)kernel, grid_dim, block_dim, args, shared_bytes, stream));
#endif
}

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

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_cuda_kernel_launch_ex(
    tvm_ffi_cuda_kernel kernel, void **args, const tvm_ffi_cuda_launch_config *config) {
  TVM_FFI_C_TRY(tvm_ffi_detail_cuda_check_device(kernel, args));
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  return tvm_ffi_detail_cuda_check(cuLaunchKernelEx(config, (CUfunction)kernel, args, NULL));
#else
  return tvm_ffi_detail_cuda_check(cudaLaunchKernelExC(config, (const void *)kernel, args));
#endif
}

#endif /* TVM_FFI_C_DETAIL_CUDA_H_ */
