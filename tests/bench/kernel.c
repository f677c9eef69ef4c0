/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of the module rows: adds one to four floats. */
#include <tvm/ffi/c_api.h>

TVM_FFI_DLL_EXPORT int __tvm_ffi_bench_add(void *self, const TVMFFIAny *args, int32_t num_args,
                                           TVMFFIAny *result);

int __tvm_ffi_bench_add(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  float *data;
  int i;
  (void)self;
  (void)result;
  if (num_args != 1 || args[0].type_index != kTVMFFITensor) return -1;
  data = TVMFFITensorGetDLTensorPtr(args[0].v_ptr)->data;
  for (i = 0; i < 4; ++i) data[i] += 1.0f;
  return 0;
}
