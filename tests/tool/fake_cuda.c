/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA driver with one device; its memory is host memory at addresses that the CPU cannot use. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

#define EXPORT __attribute__((visibility("default"))) int
#define ELSEWHERE (UINTPTR_MAX / 2 + 1)

static int primary; /* the context is its address */
#ifndef _WIN32
static __thread void *current;
#else
static void *current; /* a DLL with such variables needs another, and all calls are in one thread */
#endif
static int pushed;
static void *copied_to;
static const void *copied;
static size_t copied_size;

static void *host_pointer(uint64_t address) {
  return (void *)((uintptr_t)address - ELSEWHERE);
}

EXPORT cuInit(unsigned flags);
EXPORT cuInit(unsigned flags) {
#ifndef _WIN32
  const char *seconds = getenv("FAKE_CUDA_SECONDS"); /* that a slow driver takes */
  if (seconds != NULL) sleep((unsigned)strtoul(seconds, NULL, 10));
#endif
  return (int)flags;
}
EXPORT cuDeviceGet(int *out, int ordinal);
EXPORT cuDeviceGet(int *out, int ordinal) {
  *out = 40 + ordinal;
  return ordinal == 0 ? 0 : 101;
}
EXPORT cuDevicePrimaryCtxRetain(void **out, int device);
EXPORT cuDevicePrimaryCtxRetain(void **out, int device) {
  *out = &primary;
  return device == 40 ? 0 : 101;
}
EXPORT cuCtxSetCurrent(void *context);
EXPORT cuCtxSetCurrent(void *context) {
  current = context;
  return context != &primary;
}
EXPORT cuMemAlloc_v2(uint64_t *out, size_t size);
EXPORT cuMemAlloc_v2(uint64_t *out, size_t size) {
  void *block = current != NULL && size < 1 << 20 ? calloc(1, size) : NULL;
  *out = (uint64_t)((uintptr_t)block + ELSEWHERE);
  return block != NULL ? 0 : 2;
}
EXPORT cuMemFree_v2(uint64_t address);
EXPORT cuMemFree_v2(uint64_t address) {
  free(host_pointer(address));
  return 0;
}
EXPORT cuMemcpyHtoD_v2(uint64_t target, const void *source, size_t size);
EXPORT cuMemcpyHtoD_v2(uint64_t target, const void *source, size_t size) {
  if (current == NULL) return 201;
  memcpy(host_pointer(target), source, size);
  return 0;
}
EXPORT cuMemcpyDtoH_v2(void *target, uint64_t source, size_t size);
EXPORT cuMemcpyDtoH_v2(void *target, uint64_t source, size_t size) {
  if (current == NULL) return 201;
  if (getenv("FAKE_CUDA_FAILS") != NULL) return 700; /* as everything after a failure */
  memcpy(target, host_pointer(source), size);
  return 0;
}
EXPORT cuCtxSynchronize(void);
EXPORT cuCtxSynchronize(void) {
  if (current == NULL) return 201;
  return getenv("FAKE_CUDA_FAILS") != NULL ? 700 : 0;
}
EXPORT cuDevicePrimaryCtxRelease_v2(int device);
EXPORT cuDevicePrimaryCtxRelease_v2(int device) {
  return device == 40 ? 0 : 101;
}
EXPORT cuCtxPushCurrent_v2(void *context);
EXPORT cuCtxPushCurrent_v2(void *context) {
  pushed += context == &primary;
  return context != &primary;
}
EXPORT cuCtxPopCurrent_v2(void **out);
EXPORT cuCtxPopCurrent_v2(void **out) {
  *out = &primary;
  return pushed-- <= 0;
}
EXPORT cuStreamIsCapturing(void *stream, int *out);
EXPORT cuStreamIsCapturing(void *stream, int *out) {
  *out = stream == &primary; /* the only stream that is captured */
  return 0;
}
EXPORT cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t size, void *stream);
EXPORT cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t size, void *stream) {
  if (pushed == 0 || stream == &primary) return 201;
  copied_to = target;
  copied = host_pointer(source);
  copied_size = size; /* it is not there before the stream is waited for */
  return 0;
}
EXPORT cuStreamSynchronize(void *stream);
EXPORT cuStreamSynchronize(void *stream) {
  if (stream == &primary) return 900;
  memcpy(copied_to, copied, copied_size);
  return 0;
}
EXPORT cuGetErrorString(int code, const char **out);
EXPORT cuGetErrorString(int code, const char **out) {
  *out = code == 2 ? "out of memory" : code == 101 ? "invalid device ordinal" : "illegal address";
  return 0;
}
