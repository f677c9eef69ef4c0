/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for TVM runtime functions that generated code calls; linked into each such library. */
#include <stdlib.h>
#include <tvm/ffi/extra/c_env_api.h>

void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t size, int code, int bits);
int TVMBackendFreeWorkspace(int device_type, int device_id, void *ptr);
int TVMBackendGetFuncFromEnv(void *library_ctx, const char *func_name, void **out);

void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t size, int code, int bits) {
  (void)device_type;
  (void)device_id;
  (void)code;
  (void)bits;
  return malloc((size_t)size);
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void *ptr) {
  (void)device_type;
  (void)device_id;
  free(ptr);
  return 0;
}

int TVMBackendGetFuncFromEnv(void *library_ctx, const char *func_name, void **out) {
  return TVMFFIEnvModLookupFromImports(library_ctx, func_name, out);
}
