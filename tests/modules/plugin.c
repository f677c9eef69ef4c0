/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with a runtime of its own inside, which it keeps to itself. */
#include <tvm/ffi/extra/c_env_api.h>

/* Leaves something in the slot of this thread and a stream, which its end releases. */
TVM_FFI_DLL_EXPORT void *test_plugin_use(void);
TVM_FFI_DLL_EXPORT void *test_plugin_use(void) {
  static int stream;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "raised by a plugin");
  if (TVMFFIEnvSetStream(kDLCPU, 99, &stream, 0) != 0) return 0;
  return TVMFFIEnvGetStream(kDLCPU, 99);
}
