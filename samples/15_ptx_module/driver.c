/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"

#include <dlfcn.h>
#include <tvm/ffi/c/error.h>

/* Some functions have other names in the library than in cuda.h, which renames them by macros. */
static const struct {
  const char *name;
  size_t offset;
} functions[] = {
    {"cuInit", offsetof(cuda_driver, init)},
    {"cuGetErrorName", offsetof(cuda_driver, get_error_name)},
    {"cuGetErrorString", offsetof(cuda_driver, get_error_string)},
    {"cuDevicePrimaryCtxRetain", offsetof(cuda_driver, primary_context_retain)},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(cuda_driver, primary_context_release)},
    {"cuCtxPushCurrent_v2", offsetof(cuda_driver, context_push)},
    {"cuCtxPopCurrent_v2", offsetof(cuda_driver, context_pop)},
    {"cuLibraryLoadData", offsetof(cuda_driver, library_load)},
    {"cuLibraryUnload", offsetof(cuda_driver, library_unload)},
    {"cuLibraryGetKernel", offsetof(cuda_driver, library_get_kernel)},
    {"cuLaunchKernel", offsetof(cuda_driver, launch)},
    {"cuMemAlloc_v2", offsetof(cuda_driver, memory_allocate)},
    {"cuMemFree_v2", offsetof(cuda_driver, memory_free)},
    {"cuMemcpyHtoD_v2", offsetof(cuda_driver, memory_write)},
    {"cuMemcpyDtoH_v2", offsetof(cuda_driver, memory_read)},
    {"cuStreamCreate", offsetof(cuda_driver, stream_create)},
    {"cuStreamDestroy_v2", offsetof(cuda_driver, stream_destroy)},
    {"cuStreamSynchronize", offsetof(cuda_driver, stream_synchronize)},
    {"cuStreamBeginCapture_v2", offsetof(cuda_driver, stream_begin_capture)},
    {"cuStreamEndCapture", offsetof(cuda_driver, stream_end_capture)},
    {"cuGraphInstantiateWithFlags", offsetof(cuda_driver, graph_instantiate)},
    {"cuGraphLaunch", offsetof(cuda_driver, graph_launch)},
    {"cuGraphExecDestroy", offsetof(cuda_driver, graph_executable_destroy)},
    {"cuGraphDestroy", offsetof(cuda_driver, graph_destroy)},
};

static cuda_driver the_driver;

/* The library stays open: CUDA does not survive its own unloading. */
static int open_driver(void **out) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  size_t i;
  TVM_FFI_C_CHECK(library != NULL, TVM_FFI_C_RUNTIME_ERROR, "no CUDA driver: %s", dlerror());
  for (i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
    void *function = dlsym(library, functions[i].name);
    TVM_FFI_C_CHECK(function != NULL, TVM_FFI_C_RUNTIME_ERROR, "the CUDA driver is too old: %s",
                    dlerror());
    memcpy((char *)&the_driver + functions[i].offset, &function, sizeof function);
  }
  TVM_FFI_C_TRY(cuda_driver_check(&the_driver, the_driver.init(0)));
  *out = &the_driver;
  return 0;
}

int cuda_driver_get(const cuda_driver **out) {
  static void *driver;
  TVM_FFI_C_TRY(TVMFFIHandleInitOnce(&driver, open_driver));
  *out = (const cuda_driver *)driver;
  return 0;
}

int cuda_driver_check(const cuda_driver *driver, int code) {
  const char *name = "unknown", *text = "unknown";
  if (code == 0) return 0;
  (void)driver->get_error_name(code, &name);
  (void)driver->get_error_string(code, &text);
  return TVM_FFI_C_RAISE(TVM_FFI_C_RUNTIME_ERROR, "CUDA Error: %s (%d): %s", name, code, text);
}
