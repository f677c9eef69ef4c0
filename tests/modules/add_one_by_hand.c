/* SPDX-License-Identifier: Apache-2.0 */
/* y = x + 1, exported by hand as a compiler would. With tvm/ffi/c.h it is half as long. */
#include "dl_tensor_access.h"

#ifdef __cplusplus
#define EXPORT extern "C" TVM_FFI_DLL_EXPORT
#else
#define EXPORT TVM_FFI_DLL_EXPORT
#endif

EXPORT int __tvm_ffi_add_one(void *handle, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result);

int __tvm_ffi_add_one(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  DLTensor *x, *y;
  int64_t i;
  (void)handle; /* NULL for exported functions */
  (void)result; /* None already */
  if (num_args != 2) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "add_one takes 2 arguments");
    return -1;
  }
  if (ReadDLTensorPtr(&args[0], &x) != 0 || ReadDLTensorPtr(&args[1], &y) != 0) return -1;
  if (x->ndim != 1 || y->ndim != 1 || x->shape[0] != y->shape[0]) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "add_one takes two vectors of the same length");
    return -1;
  }
  if (x->dtype.code != kDLFloat || x->dtype.bits != 32 || x->dtype.lanes != 1 ||
      y->dtype.code != kDLFloat || y->dtype.bits != 32 || y->dtype.lanes != 1) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "add_one takes float32");
    return -1;
  }
  if (x->device.device_type != kDLCPU || y->device.device_type != kDLCPU ||
      (x->strides != NULL && x->strides[0] != 1 && x->shape[0] > 1) ||
      (y->strides != NULL && y->strides[0] != 1 && y->shape[0] > 1)) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "add_one takes contiguous tensors on the CPU");
    return -1;
  }
  for (i = 0; i < x->shape[0]; ++i) {
    ((float *)((char *)y->data + y->byte_offset))[i] =
        ((const float *)((const char *)x->data + x->byte_offset))[i] + 1.0f;
  }
  return 0;
}
