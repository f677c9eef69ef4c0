/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the module rows, y = x + 1 for four floats, and of record.py, which does nothing.
 */
#include <tvm/ffi/c_api.h>

TVM_FFI_DLL_EXPORT int __tvm_ffi_bench_noop(void *self, const TVMFFIAny *args, int32_t num_args,
                                            TVMFFIAny *result);

int __tvm_ffi_bench_noop(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  return 0;
}

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
