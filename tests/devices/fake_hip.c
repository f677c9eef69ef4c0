/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake libamdhip64, with the functions that tvm/ffi/c/hip.h, tvm/ffi/extra/hip and the plugin of
 * samples/38_gpu call: the log, failures on demand and kernels are those of the CUDA fakes
 * (tests/cuda/fake.h). As in HIP, a module belongs to the device that was current when it was
 * loaded. Memory is at addresses that the processor cannot use.
 */
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

enum { kMaxModules = 64, kMaxFunctions = 64 };

/* Handles are never reused, so that a released one is recognised. */
struct ihipModule_t {
  const void *image;
  int device;
  int is_live;
};
struct ihipModuleSymbol_t {
  const struct ihipModule_t *module;
  const fake_kernel *kernel;
};

static struct ihipModule_t modules[kMaxModules];
static struct ihipModuleSymbol_t functions[kMaxFunctions];
static int num_modules, num_functions;
static __thread int current_device;
static __thread hipError_t last_error;

static void reset_state(void) {
  memset(modules, 0, sizeof modules);
  memset(functions, 0, sizeof functions);
  num_modules = num_functions = 0;
  current_device = 0;
  last_error = hipSuccess;
}

static long count_state(void) {
  long count = 0;
  int i;
  for (i = 0; i < num_modules; ++i) count += modules[i].is_live;
  return count;
}

__attribute__((constructor)) static void add_state(void) {
  fake_add_state(reset_state, count_state);
}

static hipError_t end(int code) {
  if (code != 0) last_error = (hipError_t)code;
  return (hipError_t)fake_end(code);
}

/* Makes the call fail with that code if the condition is false and it has not failed already. */
#define CHECK(condition, otherwise) \
  if (code == 0 && !(condition)) code = (otherwise)

static const struct {
  hipError_t code;
  const char *name, *text;
} errors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
};

FAKE_EXPORT const char *hipGetErrorName(hipError_t error) {
  size_t i;
  for (i = 0; i < sizeof errors / sizeof errors[0]; ++i) {
    if (errors[i].code == error) return errors[i].name;
  }
  return "hipErrorUnknown";
}

FAKE_EXPORT const char *hipGetErrorString(hipError_t error) {
  size_t i;
  for (i = 0; i < sizeof errors / sizeof errors[0]; ++i) {
    if (errors[i].code == error) return errors[i].text;
  }
  return "unknown error";
}

FAKE_EXPORT hipError_t hipGetLastError(void) {
  const hipError_t error = last_error;
  last_error = hipSuccess;
  return error;
}

FAKE_EXPORT hipError_t hipGetDevice(int *out) {
  int code = fake_begin("hipGetDevice", "%s", "");
  if (code == 0) *out = current_device;
  return end(code);
}

FAKE_EXPORT hipError_t hipSetDevice(int device) {
  int code = fake_begin("hipSetDevice", "%d", device);
  CHECK(device >= 0 && device < fake_get_device_count(), hipErrorInvalidDevice);
  if (code == 0) current_device = device;
  return end(code);
}

static int is_live(const struct ihipModule_t *module) {
  return module >= modules && module < modules + num_modules && module->is_live;
}

FAKE_EXPORT hipError_t hipModuleLoadData(hipModule_t *out, const void *image) {
  int code = fake_begin("hipModuleLoadData", "on %d", current_device);
  CHECK(fake_is_image(image), hipErrorInvalidImage);
  CHECK(num_modules < kMaxModules, hipErrorOutOfMemory);
  if (code == 0) {
    *out = &modules[num_modules++];
    (*out)->image = image;
    (*out)->device = current_device;
    (*out)->is_live = 1;
  }
  return end(code);
}

FAKE_EXPORT hipError_t hipModuleUnload(hipModule_t module) {
  int code = fake_begin("hipModuleUnload", "%s", "");
  CHECK(is_live(module), hipErrorInvalidHandle);
  if (code == 0) module->is_live = 0;
  return end(code);
}

FAKE_EXPORT hipError_t hipModuleGetFunction(hipFunction_t *out, hipModule_t module,
                                            const char *name) {
  const fake_kernel *kernel = NULL;
  int code = fake_begin("hipModuleGetFunction", "%s", name);
  CHECK(is_live(module), hipErrorInvalidHandle);
  if (code == 0) kernel = fake_find_kernel(module->image, name);
  CHECK(kernel != NULL, hipErrorNotFound);
  CHECK(num_functions < kMaxFunctions, hipErrorOutOfMemory);
  if (code == 0) {
    *out = &functions[num_functions++];
    (*out)->module = module;
    (*out)->kernel = kernel;
  }
  return end(code);
}

FAKE_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                             unsigned grid_y, unsigned grid_z, unsigned block_x,
                                             unsigned block_y, unsigned block_z,
                                             unsigned shared_bytes, hipStream_t stream,
                                             void **params, void **extra) {
  fake_launch launch = {{grid_x, grid_y, grid_z},
                        {block_x, block_y, block_z},
                        {1, 1, 1},
                        shared_bytes,
                        stream,
                        current_device};
  int code = fake_begin("hipModuleLaunchKernel",
                        "grid %u %u %u block %u %u %u shared %u stream %lu", grid_x, grid_y, grid_z,
                        block_x, block_y, block_z, shared_bytes, (unsigned long)(size_t)stream);
  (void)extra;
  CHECK(function >= functions && function < functions + num_functions && is_live(function->module),
        hipErrorInvalidHandle);
  CHECK(function->module->device == current_device, hipErrorInvalidHandle);
  CHECK(grid_x * grid_y * grid_z != 0 && block_x * block_y * block_z != 0, hipErrorInvalidValue);
  if (code == 0) function->kernel->body(&launch, params);
  return end(code);
}

/* ---- Memory ---- */

#define ELSEWHERE (UINTPTR_MAX / 2 + 1)

static void *host_pointer(const void *address) {
  return (void *)((uintptr_t)address - ELSEWHERE);
}

FAKE_EXPORT hipError_t hipMalloc(void **out, size_t size) {
  int code = fake_begin("hipMalloc", "%lu on %d", (unsigned long)size, current_device);
  char *block = code == 0 ? malloc(size) : NULL;
  CHECK(block != NULL, hipErrorOutOfMemory);
  if (code == 0) *out = (void *)((uintptr_t)block + ELSEWHERE);
  return end(code);
}

FAKE_EXPORT hipError_t hipFree(void *address) {
  int code = fake_begin("hipFree", "%s", "");
  if (code == 0) free(host_pointer(address));
  return end(code);
}

FAKE_EXPORT hipError_t hipMemcpyAsync(void *dest, const void *source, size_t size,
                                      hipMemcpyKind kind, hipStream_t stream) {
  int code = fake_begin("hipMemcpyAsync", "%lu kind %d stream %lu", (unsigned long)size, (int)kind,
                        (unsigned long)(size_t)stream);
  CHECK(kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToHost, hipErrorInvalidValue);
  if (code == 0) {
    memcpy(kind == hipMemcpyHostToDevice ? host_pointer(dest) : dest,
           kind == hipMemcpyDeviceToHost ? host_pointer(source) : source, size);
  }
  return end(code);
}

FAKE_EXPORT hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *out) {
  const int code = fake_begin("hipStreamIsCapturing", "stream %lu", (unsigned long)(size_t)stream);
  *out = getenv("FAKE_HIP_CAPTURES") != NULL ? hipStreamCaptureStatusActive
                                             : hipStreamCaptureStatusNone;
  return end(code);
}

FAKE_EXPORT hipError_t hipStreamSynchronize(hipStream_t stream) {
  return end(fake_begin("hipStreamSynchronize", "stream %lu", (unsigned long)(size_t)stream));
}

FAKE_EXPORT hipError_t hipDeviceSynchronize(void) {
  return end(fake_begin("hipDeviceSynchronize", "%s", ""));
}
