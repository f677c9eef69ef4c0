/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces HIP's header where there is none: what tvm/ffi/extra/hip uses, to compile it only. */
#ifndef TESTS_DEVICES_INCLUDE_HIP_HIP_RUNTIME_API_H_
#define TESTS_DEVICES_INCLUDE_HIP_HIP_RUNTIME_API_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { hipSuccess = 0, hipErrorInvalidValue = 1 } hipError_t;
typedef struct ihipStream_t *hipStream_t;

hipError_t hipGetDevice(int *device);
hipError_t hipSetDevice(int device);
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);

#ifdef __cplusplus
}
#endif

#endif /* TESTS_DEVICES_INCLUDE_HIP_HIP_RUNTIME_API_H_ */
