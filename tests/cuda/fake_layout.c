/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, offsets and values of the headers of CUDA that it is compiled with, as the array TABLE. */
#include <cuda.h>
#include <stddef.h>

#define FIELD(type, field) offsetof(type, field), sizeof(((type *)NULL)->field)

extern const size_t TABLE[64];
const size_t TABLE[64] = {
    sizeof(CUresult),
    sizeof(CUdevice),
    sizeof(CUdeviceptr),
    sizeof(CUdevice_attribute),
    sizeof(CUfunction_attribute),
    sizeof(CUjit_option),
    sizeof(CUlibraryOption),
    sizeof(CUcontext),
    sizeof(CUstream),
    sizeof(CUstreamCaptureMode),

    sizeof(CUlaunchConfig),
    FIELD(CUlaunchConfig, gridDimX),
    FIELD(CUlaunchConfig, gridDimZ),
    FIELD(CUlaunchConfig, blockDimX),
    FIELD(CUlaunchConfig, blockDimZ),
    FIELD(CUlaunchConfig, sharedMemBytes),
    FIELD(CUlaunchConfig, hStream),
    FIELD(CUlaunchConfig, attrs),
    FIELD(CUlaunchConfig, numAttrs),
    sizeof(CUlaunchAttribute),
    FIELD(CUlaunchAttribute, id),
    FIELD(CUlaunchAttribute, value),
    FIELD(CUlaunchAttribute, value.clusterDim.x),
    FIELD(CUlaunchAttribute, value.clusterDim.z),

    CUDA_SUCCESS,
    CUDA_ERROR_INVALID_VALUE,
    CUDA_ERROR_OUT_OF_MEMORY,
    CUDA_ERROR_NOT_INITIALIZED,
    CUDA_ERROR_NO_DEVICE,
    CUDA_ERROR_INVALID_DEVICE,
    CUDA_ERROR_INVALID_IMAGE,
    CUDA_ERROR_INVALID_CONTEXT,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_NOT_FOUND,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
    CUDA_ERROR_LAUNCH_FAILED,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,

    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
};
