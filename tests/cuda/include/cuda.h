/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces the toolkit's cuda.h on systems without it: the declarations that fake_driver.c serves,
 * with CUDA's own names and values. If there is a toolkit, test_fake_layout.c compares the two.
 */
#ifndef TESTS_CUDA_INCLUDE_CUDA_H_
#define TESTS_CUDA_INCLUDE_CUDA_H_

#include <stddef.h>

#define CUDA_VERSION 13000

#if defined(__cplusplus)
extern "C" {
#endif

#define CUDA_FAKE_EXPORT __attribute__((__visibility__("default")))

typedef int CUdevice;
typedef int CUresult;
#if defined(_WIN64) || defined(__LP64__)
typedef unsigned long long CUdeviceptr;
#else
typedef unsigned int CUdeviceptr;
#endif
typedef int CUdevice_attribute, CUfunction_attribute, CUjit_option, CUlibraryOption,
    CUstreamCaptureMode, CUpointer_attribute;
typedef struct fake_handle *CUcontext, *CUmodule, *CUfunction, *CUlibrary, *CUkernel;
typedef struct fake_handle *CUstream, *CUgraph, *CUgraphExec;

enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,

  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,

  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,

  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,

  CU_MEMORYTYPE_DEVICE = 2,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
};

typedef struct {
  int id;
  char pad[4];
  union {
    char pad[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
    void *aligned;
  } value;
} CUlaunchAttribute;

typedef struct {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
} CUlaunchConfig;

/* The names of the functions in the library. */
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemFree cuMemFree_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuStreamBeginCapture cuStreamBeginCapture_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuGraphInstantiate cuGraphInstantiateWithFlags

CUDA_FAKE_EXPORT CUresult cuGetErrorName(CUresult error, const char **out);
CUDA_FAKE_EXPORT CUresult cuGetErrorString(CUresult error, const char **out);
CUDA_FAKE_EXPORT CUresult cuInit(unsigned flags);
CUDA_FAKE_EXPORT CUresult cuDriverGetVersion(int *out);
CUDA_FAKE_EXPORT CUresult cuDeviceGetCount(int *out);
CUDA_FAKE_EXPORT CUresult cuDeviceGet(CUdevice *out, int ordinal);
CUDA_FAKE_EXPORT CUresult cuDeviceGetAttribute(int *out, CUdevice_attribute attribute,
                                               CUdevice device);
CUDA_FAKE_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device);
CUDA_FAKE_EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUDA_FAKE_EXPORT CUresult cuCtxGetCurrent(CUcontext *out);
CUDA_FAKE_EXPORT CUresult cuCtxSetCurrent(CUcontext context);
CUDA_FAKE_EXPORT CUresult cuCtxPushCurrent(CUcontext context);
CUDA_FAKE_EXPORT CUresult cuCtxPopCurrent(CUcontext *out);
CUDA_FAKE_EXPORT CUresult cuCtxGetDevice(CUdevice *out);
CUDA_FAKE_EXPORT CUresult cuCtxSynchronize(void);
CUDA_FAKE_EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *image);
CUDA_FAKE_EXPORT CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned num_options,
                                             CUjit_option *options, void **values);
CUDA_FAKE_EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name);
CUDA_FAKE_EXPORT CUresult cuModuleUnload(CUmodule module);
CUDA_FAKE_EXPORT CUresult cuLibraryLoadData(CUlibrary *out, const void *image,
                                            CUjit_option *jit_options, void **jit_values,
                                            unsigned num_jit_options, CUlibraryOption *options,
                                            void **values, unsigned num_options);
CUDA_FAKE_EXPORT CUresult cuLibraryUnload(CUlibrary library);
CUDA_FAKE_EXPORT CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name);
CUDA_FAKE_EXPORT CUresult cuKernelGetFunction(CUfunction *out, CUkernel kernel);
CUDA_FAKE_EXPORT CUresult cuFuncGetAttribute(int *out, CUfunction_attribute attribute,
                                             CUfunction function);
CUDA_FAKE_EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                             int value);
CUDA_FAKE_EXPORT CUresult cuKernelGetAttribute(int *out, CUfunction_attribute attribute,
                                               CUkernel kernel, CUdevice device);
CUDA_FAKE_EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                                               CUkernel kernel, CUdevice device);
CUDA_FAKE_EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t i, size_t *out_offset,
                                               size_t *out_size);
CUDA_FAKE_EXPORT CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *names,
                                                 void **out, CUdeviceptr pointer);
CUDA_FAKE_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                         unsigned grid_z, unsigned block_x, unsigned block_y,
                                         unsigned block_z, unsigned shared_bytes, CUstream stream,
                                         void **params, void **extra);
CUDA_FAKE_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                           void **params, void **extra);
CUDA_FAKE_EXPORT CUresult cuStreamCreate(CUstream *out, unsigned flags);
CUDA_FAKE_EXPORT CUresult cuStreamDestroy(CUstream stream);
CUDA_FAKE_EXPORT CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUDA_FAKE_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *out);
CUDA_FAKE_EXPORT CUresult cuGraphInstantiate(CUgraphExec *out, CUgraph graph,
                                             unsigned long long flags);
CUDA_FAKE_EXPORT CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream);
CUDA_FAKE_EXPORT CUresult cuGraphExecDestroy(CUgraphExec executable);
CUDA_FAKE_EXPORT CUresult cuGraphDestroy(CUgraph graph);
CUDA_FAKE_EXPORT CUresult cuStreamSynchronize(CUstream stream);
CUDA_FAKE_EXPORT CUresult cuMemAlloc(CUdeviceptr *out, size_t size);
CUDA_FAKE_EXPORT CUresult cuMemFree(CUdeviceptr pointer);
CUDA_FAKE_EXPORT CUresult cuMemcpyHtoD(CUdeviceptr target, const void *source, size_t size);
CUDA_FAKE_EXPORT CUresult cuMemcpyDtoH(void *target, CUdeviceptr source, size_t size);

#if defined(__cplusplus)
} /* extern "C" */
#endif

#endif /* TESTS_CUDA_INCLUDE_CUDA_H_ */
