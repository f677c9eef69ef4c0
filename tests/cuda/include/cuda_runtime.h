/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces the toolkit's cuda_runtime.h on systems without it: the declarations that fake_cudart.c
 * serves, with CUDA's own names and values. If CUDART_VERSION is defined to be less than 12080, it
 * lacks the declarations that came with 12.8.
 */
#ifndef TESTS_CUDA_INCLUDE_CUDA_RUNTIME_H_
#define TESTS_CUDA_INCLUDE_CUDA_RUNTIME_H_

#include <stddef.h>

#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidKernelImage = 200,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorSymbolNotFound = 500,
  cudaErrorLaunchFailure = 719
} cudaError_t;

enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};

struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  long reserved[8];
};

enum cudaDeviceAttr {
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

typedef struct dim3 {
  unsigned x, y, z;
#ifdef __cplusplus
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
#endif
} dim3;

typedef struct CUstream_st *cudaStream_t;

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer);
cudaError_t cudaGetDevice(int *out);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int *out);
cudaError_t cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaMalloc(void **out, size_t size);
cudaError_t cudaFree(void *data);

#if CUDART_VERSION >= 12080

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaJitOption { cudaJitMaxRegisters = 0 };
enum cudaLibraryOption { cudaLibraryBinaryIsPreserved = 1 };
typedef enum cudaLaunchAttributeID {
  cudaLaunchAttributeClusterDimension = 4
} cudaLaunchAttributeID;

typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUkern_st *cudaKernel_t;

/* The fake does not write the other fields. */
struct cudaFuncAttributes {
  size_t sharedSizeBytes;
  char rest[248];
};

typedef struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  char pad[4];
  union {
    char pad[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
    void *aligned;
  } val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
} cudaLaunchConfig_t;

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *image,
                                enum cudaJitOption *jit_options, void **jit_values,
                                unsigned num_jit_options, enum cudaLibraryOption *options,
                                void **values, unsigned num_options);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *kernel);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                            int value, int device);
cudaError_t cudaFuncGetParamInfo(const void *kernel, size_t i, size_t *out_offset,
                                 size_t *out_size);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **params,
                             size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **params);

#endif

#ifdef __cplusplus
}
#endif

#endif /* TESTS_CUDA_INCLUDE_CUDA_RUNTIME_H_ */
