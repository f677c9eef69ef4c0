/* SPDX-License-Identifier: Apache-2.0 */
/* C as TVM's generator writes it: every statement is of a kind that it emits. */
/* clang-format off */
#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/c_api.h"
#include <math.h>
#include <stdbool.h>
#define TVM_DLL __attribute__((visibility("default"))) /* tvm/runtime/base.h */
void* TVMBackendAllocWorkspace(int, int, uint64_t, int, int);
int TVMBackendFreeWorkspace(int, int, void*);
void* __tvm_ffi__library_ctx = NULL;
static void* __tvm_set_device_packed = NULL;
TVM_DLL int32_t __tvm_ffi_fadd(void* self_handle, void* args, int32_t num_args, void* result);
TVM_DLL int32_t __tvm_ffi_fadd(void* self_handle, void* args, int32_t num_args, void* result) {
  if (!((num_args == 2))) {
    const char* __tvm_assert_parts[2] = {"Expected ", "2 arguments"};
    TVMFFIErrorSetRaisedFromCStrParts("TypeError", __tvm_assert_parts, 2);
    return -1;
  }
  int32_t A_type_index = (((TVMFFIAny*)args)[0].type_index);
  if (!(((((A_type_index == 0) || (A_type_index == 4)) || (A_type_index == 7)) || (64 <= A_type_index)))) {
    const char* __tvm_assert_parts[1] = {"Mismatched type on argument #0"};
    TVMFFIErrorSetRaisedFromCStrParts("TypeError", __tvm_assert_parts, 1);
    return -1;
  }
  void* A_handle = ((A_type_index == 70) ? ((void*)((char*)(((TVMFFIAny*)args)[0].v_ptr) + 24)) : (((TVMFFIAny*)args)[0].v_ptr));
  int32_t n = ((int32_t)(((TVMFFIAny*)args)[1].v_int64));
  void* A_1 = (((DLTensor*)A_handle)[0].data);
  void* A_shape = (((DLTensor*)A_handle)[0].shape);
  int32_t dev_id = (((DLTensor*)A_handle)[0].device.device_id);
  if (!((((DLTensor*)A_handle)[0].dtype.code) == (uint8_t)2)) return -1;
  TVMFFIAny stack[3];
  (((TVMFFIAny*)((void*)stack))[0].type_index) = 1;
  (((TVMFFIAny*)((void*)stack))[0].zero_padding) = 0;
  (((TVMFFIAny*)((void*)stack))[0].v_int64) = ((int64_t)1);
  (((TVMFFIAny*)((void*)stack))[1].type_index) = 1;
  (((TVMFFIAny*)((void*)stack))[1].zero_padding) = 0;
  (((TVMFFIAny*)((void*)stack))[1].v_int64) = ((int64_t)dev_id);
  if (__tvm_set_device_packed == NULL) {
    if (TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, "__tvm_set_device", &__tvm_set_device_packed) != 0) {
      return -1;
    }
  }
  TVMFFIAny result_1;
  result_1.type_index = kTVMFFINone;
  result_1.zero_padding = 0;
  result_1.v_int64 = 0;
  if (TVMFFIFunctionCall(__tvm_set_device_packed, (TVMFFIAny*) ((void*)stack), 2, &result_1) != 0) {
    return -1;
  }
  for (int32_t i = 0; i < n; ++i) ((float*)A_1)[i] = ((float*)A_1)[i] + (float)(((int64_t*)A_shape)[0]);
  (((TVMFFIAny*)result)[0].type_index) = 1;
  (((TVMFFIAny*)result)[0].zero_padding) = 0;
  (((TVMFFIAny*)result)[0].v_int64) = ((int64_t)n);
  (void)self_handle;
  return 0;
}
TVM_DLL int32_t __tvm_ffi_main(void* self, void* args,int num_args, void* result) {
  return __tvm_ffi_fadd(self, args, num_args, result);
}
