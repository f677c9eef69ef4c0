/* SPDX-License-Identifier: Apache-2.0 */
/* A library that a kernel library brings along, and that may be unloaded together with it. */
#include <tvm/ffi/c_api.h>

TVM_FFI_DLL_EXPORT int test_make_function(TVMFFIObjectHandle *out);
TVM_FFI_DLL_EXPORT int test_make_function(TVMFFIObjectHandle *out) {
  TVMFFIByteArray name = {"ffi.String", 10};
  return TVMFFIFunctionGetGlobal(&name, out);
}
