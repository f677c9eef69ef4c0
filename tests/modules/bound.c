/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel library that shows which copy of the runtime it is bound to. */
#include <tvm/ffi/extra/c_env_api.h>

/* Returns the stream that the copy has set for this device. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_get_stream(void *handle, const TVMFFIAny *args, int32_t num_args,
                                            TVMFFIAny *result);
TVM_FFI_DLL_EXPORT int __tvm_ffi_get_stream(void *handle, const TVMFFIAny *args, int32_t num_args,
                                            TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  result->type_index = kTVMFFIOpaquePtr;
  result->zero_padding = 0;
  result->v_uint64 = 0;
  result->v_ptr = TVMFFIEnvGetStream(kDLCPU, 99);
  return 0;
}

TVM_FFI_DLL_EXPORT int __tvm_ffi_raise(void *handle, const TVMFFIAny *args, int32_t num_args,
                                       TVMFFIAny *result);
TVM_FFI_DLL_EXPORT int __tvm_ffi_raise(void *handle, const TVMFFIAny *args, int32_t num_args,
                                       TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  (void)result;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "raised by a kernel");
  return -1;
}
