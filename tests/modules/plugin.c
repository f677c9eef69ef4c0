/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with a private copy of the runtime linked into it. */
#include <tvm/ffi/extra/c_env_api.h>

/* Leaves an error in this thread's slot, and a stream; the end of the thread releases them. */
TVM_FFI_DLL_EXPORT void *test_plugin_use(void);
TVM_FFI_DLL_EXPORT void *test_plugin_use(void) {
  static int stream;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "raised by a plugin");
  if (TVMFFIEnvSetStream(kDLCPU, 99, &stream, 0) != 0) return 0;
  return TVMFFIEnvGetStream(kDLCPU, 99);
}
