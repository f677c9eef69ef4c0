/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of CUDA's runtime API that device_guard.h, cubin_launcher.h and an allocator use. It has
 * the log and control of the fake driver, but does not call the driver's functions.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "include/cuda_runtime.h"

enum {
  kMaxLibraries = 128,
  kMaxKernels = 256,
  kMaxBlocks = 16,
  kDefaultShared = 49152,
  kOptInShared = 232448
};

/* Handles are never reused, so that a released one is recognised. */
struct CUlib_st {
  int number; /* in the log: the first library is library 1 */
  int is_live;
  const void *image;
};
struct CUkern_st {
  const struct CUlib_st *library;
  const fake_kernel *kernel;
  int max_dynamic[kFakeMaxDevices];
};

static struct CUlib_st libraries[kMaxLibraries];
static struct CUkern_st kernels[kMaxKernels];
static int num_libraries, num_kernels;
static void *blocks[kMaxBlocks];
static int device_of_block[kMaxBlocks];
static __thread int current_device;
static __thread cudaError_t last_error;

/* ---- State ---- */

static void reset_state(void) {
  int i;
  for (i = 0; i < kMaxBlocks; ++i) free(blocks[i]);
  memset(blocks, 0, sizeof blocks);
  memset(libraries, 0, sizeof libraries);
  memset(kernels, 0, sizeof kernels);
  num_libraries = num_kernels = 0;
  current_device = 0;
  last_error = cudaSuccess;
}

static long count_state(void) {
  long count = 0;
  int i;
  for (i = 0; i < num_libraries; ++i) count += libraries[i].is_live;
  for (i = 0; i < kMaxBlocks; ++i) count += blocks[i] != NULL;
  return count;
}

__attribute__((constructor)) static void add_state(void) {
  fake_add_state(reset_state, count_state);
}

static int is_library(const struct CUlib_st *self) {
  return self >= libraries && self < libraries + num_libraries && self->is_live;
}

static int number_of(const struct CUlib_st *self) {
  return self >= libraries && self < libraries + num_libraries ? self->number : 0;
}

/* Runtime functions get kernels as the address of a host function; here that is the handle. */
static struct CUkern_st *kernel_of(const void *handle) {
  struct CUkern_st *self = (struct CUkern_st *)(uintptr_t)handle;
  return self >= kernels && self < kernels + num_kernels ? self : NULL;
}

static const char *name_of(const void *handle) {
  return kernel_of(handle) != NULL ? kernel_of(handle)->kernel->name : "(none)";
}

static int is_kernel(const void *handle) {
  return kernel_of(handle) != NULL && kernel_of(handle)->library->is_live;
}

static int is_device(int device) {
  return device >= 0 && device < fake_get_device_count();
}

/* Makes the call fail with that code if the condition is false and it has not failed already. */
#define CHECK(condition, otherwise) \
  if (code == 0 && !(condition)) code = (otherwise)

/* The error stays until it is read. */
static cudaError_t end(int code) {
  if (code != 0) last_error = (cudaError_t)code;
  return (cudaError_t)fake_end(code);
}

/* ---- Errors ---- */

static const struct {
  cudaError_t code;
  const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

const char *cudaGetErrorName(cudaError_t error) {
  size_t i;
  for (i = 0; i < sizeof errors / sizeof errors[0]; ++i) {
    if (errors[i].code == error) return errors[i].name;
  }
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  size_t i;
  for (i = 0; i < sizeof errors / sizeof errors[0]; ++i) {
    if (errors[i].code == error) return errors[i].text;
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  return last_error;
}

/* The end of a call that is not logged. */
static cudaError_t answer(int code) {
  if (code != 0) last_error = (cudaError_t)code;
  return (cudaError_t)fake_answer(code);
}

/* ---- Devices ---- */

cudaError_t cudaGetDevice(int *out) {
  int code = fake_begin("cudaGetDevice", "%s", "");
  if (code == 0) *out = current_device;
  return end(code);
}

cudaError_t cudaSetDevice(int device) {
  int code = fake_begin("cudaSetDevice", "%d", device);
  CHECK(is_device(device), cudaErrorInvalidDevice);
  if (code == 0) current_device = device;
  return end(code);
}

cudaError_t cudaGetDeviceCount(int *out) {
  int code = fake_begin("cudaGetDeviceCount", "%s", "");
  *out = fake_get_device_count();
  CHECK(*out > 0, cudaErrorNoDevice);
  return end(code);
}

cudaError_t cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int device) {
  int code = fake_begin("cudaDeviceGetAttribute", "%d device %d", (int)attribute, device);
  CHECK(is_device(device), cudaErrorInvalidDevice);
  CHECK(attribute == cudaDevAttrMaxSharedMemoryPerBlock ||
            attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin,
        cudaErrorInvalidValue);
  if (code == 0) {
    *out = attribute == cudaDevAttrMaxSharedMemoryPerBlock ? kDefaultShared : kOptInShared;
  }
  return end(code);
}

/* ---- Memory ---- */

cudaError_t cudaMalloc(void **out, size_t size) {
  int i = 0, code = fake_begin("cudaMalloc", "%lu", (unsigned long)size);
  while (i < kMaxBlocks && blocks[i] != NULL) ++i;
  CHECK(size != 0 && i < kMaxBlocks, cudaErrorMemoryAllocation);
  if (code == 0) {
    *out = blocks[i] = malloc(size);
    device_of_block[i] = current_device;
  }
  CHECK(*out != NULL, cudaErrorMemoryAllocation);
  return end(code);
}

cudaError_t cudaFree(void *data) {
  int i = 0, code = fake_begin("cudaFree", "%s", data == NULL ? "NULL" : "");
  while (i < kMaxBlocks && blocks[i] != data) ++i;
  CHECK(data == NULL || i < kMaxBlocks, cudaErrorInvalidValue);
  if (code == 0 && data != NULL) {
    free(data);
    blocks[i] = NULL;
  }
  return end(code);
}

/* Knows the addresses that cudaMalloc returned, not those inside an allocation. */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer) {
  const int code = fake_query("cudaPointerGetAttributes");
  int i = 0;
  while (i < kMaxBlocks && (pointer == NULL || blocks[i] != pointer)) ++i;
  if (code == 0) {
    memset(out, 0, sizeof *out);
    out->type = i < kMaxBlocks ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    out->device = i < kMaxBlocks ? device_of_block[i] : -2;
  }
  return answer(code);
}

/* ---- Libraries ---- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *image,
                                enum cudaJitOption *jit_options, void **jit_values,
                                unsigned num_jit_options, enum cudaLibraryOption *options,
                                void **values, unsigned num_options) {
  int code = fake_begin("cudaLibraryLoadData", "options %u %u", num_jit_options, num_options);
  CHECK(num_jit_options == 0 || (jit_options != NULL && jit_values != NULL), cudaErrorInvalidValue);
  CHECK(num_options == 0 || (options != NULL && values != NULL), cudaErrorInvalidValue);
  CHECK(fake_is_image(image), cudaErrorInvalidKernelImage);
  if (code == 0) {
    if (num_libraries == kMaxLibraries) abort();
    *out = &libraries[num_libraries++];
    (*out)->number = num_libraries;
    (*out)->is_live = 1;
    (*out)->image = image;
  }
  return end(code);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  int code = fake_begin("cudaLibraryUnload", "library %d", number_of(library));
  CHECK(is_library(library), cudaErrorInvalidResourceHandle);
  if (code == 0) library->is_live = 0;
  return end(code);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name) {
  const fake_kernel *kernel = NULL;
  int i, code = fake_begin("cudaLibraryGetKernel", "library %d %s", number_of(library), name);
  CHECK(is_library(library), cudaErrorInvalidResourceHandle);
  if (code == 0) kernel = fake_find_kernel(library->image, name);
  CHECK(kernel != NULL, cudaErrorSymbolNotFound);
  if (code == 0) {
    if (num_kernels == kMaxKernels) abort();
    *out = &kernels[num_kernels++];
    (*out)->library = library;
    (*out)->kernel = kernel;
    for (i = 0; i < kFakeMaxDevices; ++i) {
      (*out)->max_dynamic[i] = kDefaultShared - kernel->static_shared_bytes;
    }
  }
  return end(code);
}

/* ---- Kernels ---- */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *kernel) {
  int code = fake_begin("cudaFuncGetAttributes", "%s", name_of(kernel));
  CHECK(is_kernel(kernel), cudaErrorInvalidResourceHandle);
  if (code == 0) out->sharedSizeBytes = (size_t)kernel_of(kernel)->kernel->static_shared_bytes;
  return end(code);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                            int value, int device) {
  int code = fake_begin("cudaKernelSetAttributeForDevice", "%d %d %s device %d", (int)attribute,
                        value, name_of(kernel), device);
  CHECK(is_kernel(kernel), cudaErrorInvalidResourceHandle);
  CHECK(is_device(device), cudaErrorInvalidDevice);
  CHECK(attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
            value <= kOptInShared - kernel->kernel->static_shared_bytes,
        cudaErrorInvalidValue);
  if (code == 0) kernel->max_dynamic[device] = value;
  return end(code);
}

cudaError_t cudaFuncGetParamInfo(const void *handle, size_t i, size_t *out_offset,
                                 size_t *out_size) {
  const struct CUkern_st *self = kernel_of(handle);
  int code = fake_query("cudaFuncGetParamInfo");
  CHECK(is_kernel(handle), cudaErrorInvalidResourceHandle);
  if (code == 0) {
    *out_offset = 0;
    *out_size = fake_get_param_size(self->library->image, self->kernel->name, i);
  }
  CHECK(*out_size != 0, cudaErrorInvalidValue);
  return answer(code);
}

/* Runs the kernel, or returns an error code. */
static int run(const void *handle, fake_launch *launch, void **params) {
  const struct CUkern_st *self = kernel_of(handle);
  int i;
  if (!is_kernel(handle)) return cudaErrorInvalidResourceHandle;
  for (i = 0; i < 3; ++i) {
    if (launch->grid[i] == 0 || launch->block[i] == 0 || launch->cluster[i] == 0 ||
        launch->grid[i] % launch->cluster[i] != 0) {
      return cudaErrorInvalidValue;
    }
  }
  launch->device = current_device;
  if (launch->shared_bytes > (unsigned)self->max_dynamic[current_device]) {
    return cudaErrorInvalidValue;
  }
  self->kernel->body(launch, params);
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **params,
                             size_t shared_bytes, cudaStream_t stream) {
  fake_launch launch = {{grid.x, grid.y, grid.z},
                        {block.x, block.y, block.z},
                        {1, 1, 1},
                        (unsigned)shared_bytes,
                        stream,
                        0};
  int code = fake_begin("cudaLaunchKernel", "%s grid %u %u %u block %u %u %u shared %u stream %lx",
                        name_of(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z,
                        launch.shared_bytes, (unsigned long)(uintptr_t)stream);
  if (code == 0) code = run(kernel, &launch, params);
  return end(code);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **params) {
  fake_launch launch = {{config->gridDim.x, config->gridDim.y, config->gridDim.z},
                        {config->blockDim.x, config->blockDim.y, config->blockDim.z},
                        {1, 1, 1},
                        (unsigned)config->dynamicSmemBytes,
                        config->stream,
                        0};
  unsigned i;
  int code;
  for (i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
      launch.cluster[0] = config->attrs[i].val.clusterDim.x;
      launch.cluster[1] = config->attrs[i].val.clusterDim.y;
      launch.cluster[2] = config->attrs[i].val.clusterDim.z;
    }
  }
  code =
      fake_begin("cudaLaunchKernelExC",
                 "%s grid %u %u %u block %u %u %u cluster %u %u %u shared %u stream %lx",
                 name_of(kernel), launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                 launch.block[1], launch.block[2], launch.cluster[0], launch.cluster[1],
                 launch.cluster[2], launch.shared_bytes, (unsigned long)(uintptr_t)launch.stream);
  if (code == 0) code = run(kernel, &launch, params);
  return end(code);
}
