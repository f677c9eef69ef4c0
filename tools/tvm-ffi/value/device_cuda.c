/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "platform/platform.h"
#include "system/system.h"
#include "value/device.h"

/* The driver's functions; all return 0 or an error number. */
static struct {
  int (*init)(unsigned flags);
  int (*get_device)(int *out, int ordinal);
  int (*retain_context)(void **out, int device);
  int (*set_context)(void *context);
  int (*allocate)(uint64_t *out, size_t size);
  int (*deallocate)(uint64_t address);
  int (*copy_to)(uint64_t dest, const void *source, size_t size);
  int (*copy_from)(void *dest, uint64_t source, size_t size);
  int (*synchronize)(void);
  int (*get_error)(int code, const char **out);
} driver;

static void *opened_context;

static int check(int code) {
  const char *words = NULL;
  if (code == 0) return 0;
  if (driver.get_error(code, &words) != 0 || words == NULL) words = "unknown error";
  return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "%s (%d)", words, code);
}

/* Loads it; 0, or an error raised. */
static int load_driver(void) {
  static const char *const kNames[] = {
      "cuInit",           "cuDeviceGet",     "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
      "cuMemAlloc_v2",    "cuMemFree_v2",    "cuMemcpyHtoD_v2",          "cuMemcpyDtoH_v2",
      "cuCtxSynchronize", "cuGetErrorString"};
  tvmffi_dl_reason reason = kNoReason;
  void *library = tvmffi_dl_open(kSystem.cuda_driver, &reason), *found;
  size_t i;
  if (library == NULL) {
    return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "there is no driver: %s", reason.text);
  }
  for (i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    found = tvmffi_dl_symbol(library, kNames[i]);
    if (found == NULL) {
      return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "%s has no %s", kSystem.cuda_driver,
                                 kNames[i]);
    }
    memcpy((char *)&driver + i * sizeof found, &found, sizeof found);
  }
  return 0;
}

/* Uses the primary context, in which kernels that use CUDA's runtime library run. */
static int open_stream(int32_t device_id, TVMFFIStreamHandle *out) {
  void *context = NULL;
  int device = 0;
  *out = NULL;
  if (opened_context == NULL) {
    TVM_FFI_C_TRY(load_driver());
    TVM_FFI_C_TRY(check(driver.init(0)));
    TVM_FFI_C_TRY(check(driver.get_device(&device, device_id)));
    TVM_FFI_C_TRY(check(driver.retain_context(&context, device)));
    opened_context = context;
  }
  return check(driver.set_context(opened_context));
}

static int allocate(int32_t device_id, TVMFFIStreamHandle stream, size_t size, void **out) {
  uint64_t address = 0;
  (void)device_id;
  (void)stream;
  TVM_FFI_C_TRY(check(driver.set_context(opened_context))); /* a kernel's thread may have none */
  TVM_FFI_C_TRY(check(driver.allocate(&address, size)));
  *out = (void *)(uintptr_t)address;
  return 0;
}

static void release(int32_t device_id, TVMFFIStreamHandle stream, void *data) {
  (void)device_id;
  (void)stream;
  if (driver.deallocate((uint64_t)(uintptr_t)data) == 0) return;
  if (driver.set_context(opened_context) != 0) return; /* a kernel's thread may have none */
  (void)driver.deallocate((uint64_t)(uintptr_t)data);
}

static int copy_in(int32_t device_id, TVMFFIStreamHandle stream, void *data, uint64_t offset,
                   const void *source, size_t size) {
  (void)device_id;
  (void)stream;
  return check(driver.copy_to((uint64_t)(uintptr_t)data + offset, source, size));
}

static int copy_out(int32_t device_id, TVMFFIStreamHandle stream, const void *data, uint64_t offset,
                    void *dest, size_t size) {
  (void)device_id;
  (void)stream;
  return check(driver.copy_from(dest, (uint64_t)(uintptr_t)data + offset, size));
}

static int wait_for(int32_t device_id, TVMFFIStreamHandle stream) {
  (void)device_id;
  (void)stream;
  return check(driver.synchronize());
}

const tvm_ffi_device_plugin kCudaPlugin = {TVM_FFI_C_DEVICE_PLUGIN_VERSION,
                                           kDLCUDA,
                                           open_stream,
                                           allocate,
                                           release,
                                           copy_in,
                                           copy_out,
                                           wait_for};
