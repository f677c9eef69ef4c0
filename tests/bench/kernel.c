/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of the module rows: y = x + 1 for four floats. */
#include <tvm/ffi/c_api.h>

TVM_FFI_DLL_EXPORT int __tvm_ffi_bench_add(void *self, const TVMFFIAny *args, int32_t num_args,
                                           TVMFFIAny *result);

int __tvm_ffi_bench_add(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const float *x;
  float *y;
  int i;
  (void)self;
  (void)result;
  if (num_args != 2 || args[0].type_index != kTVMFFITensor || args[1].type_index != kTVMFFITensor) {
    return -1;
  }
  x = TVMFFITensorGetDLTensorPtr(args[0].v_ptr)->data;
  y = TVMFFITensorGetDLTensorPtr(args[1].v_ptr)->data;
  for (i = 0; i < 4; ++i) y[i] = x[i] + 1.0f;
  return 0;
}
