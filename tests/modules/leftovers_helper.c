/* SPDX-License-Identifier: Apache-2.0 */
/* A library that kernel libraries bring along and that makes functions for them. */
#include <tvm/ffi/c_api.h>

static int give_seven(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  result->type_index = kTVMFFIInt;
  result->zero_padding = 0;
  result->v_int64 = *(int *)handle;
  return 0;
}

TVM_FFI_DLL_EXPORT int test_make_function(TVMFFIObjectHandle *out);
TVM_FFI_DLL_EXPORT int test_make_function(TVMFFIObjectHandle *out) {
  static int seven = 7;
  return TVMFFIFunctionCreate(&seven, give_seven, 0, out);
}
