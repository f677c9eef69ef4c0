/* SPDX-License-Identifier: Apache-2.0 */
/* C as tilelang's generator writes it, with outputs that the kernel allocates. It declares its own
 * prototypes and does not include c_env_api.h. */
/* clang-format off */
#include "tvm/ffi/c_api.h"
#include <math.h>
#include <stdio.h>
#include <stdbool.h>
#define TL_ALIGN(N) __attribute__((aligned(N)))
void* __tvm_ffi__library_ctx = NULL;
static void* ffi_Array_packed = NULL;
int32_t TVMFFIEnvTensorAlloc(void*, void*);
int32_t TVMFFIObjectDecRef(void*);
int TVMBackendGetFuncFromEnv(void* mod_node, const char* func_name, void** out);
int32_t __tvm_ffi_main(void* self_handle, void* args, int32_t num_args, void* result);
int32_t __tvm_ffi_main(void* self_handle, void* args, int32_t num_args, void* result) {
  if (!((num_args == 1))) {
    char __tvm_assert_msg_buf[512];
    snprintf(__tvm_assert_msg_buf, 512, "%s; expected: %lld, got: %lld", "main: num_args", (long long)(num_args), (long long)(1));
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", __tvm_assert_msg_buf);
    return -1;
  }
  TVMFFIAny stack[3];                 /* DLTensor prototype */
  TL_ALIGN(128) TVMFFIAny stack_1[4]; /* output cells, then args of ffi.Array */
  TVMFFIAny stack_2[1];               /* int64 shape storage */
  (((int64_t*)stack_2)[0]) = (int64_t)16;
  (((DLTensor*)stack)[0].data) = NULL;
  (((DLTensor*)stack)[0].shape) = (int64_t*)((void*)((char*)stack_2 + (int64_t)0));
  (((DLTensor*)stack)[0].strides) = NULL;
  (((DLTensor*)stack)[0].ndim) = 1;
  (((DLTensor*)stack)[0].dtype.code) = (uint8_t)2;
  (((DLTensor*)stack)[0].dtype.bits) = (uint8_t)32;
  (((DLTensor*)stack)[0].dtype.lanes) = (uint16_t)1;
  (((DLTensor*)stack)[0].byte_offset) = (uint64_t)0;
  (((DLTensor*)stack)[0].device.device_id) = 0;
  (((DLTensor*)stack)[0].device.device_type) = 1;
  int32_t st = TVMFFIEnvTensorAlloc((((DLTensor*)stack) + 0), ((void*)((char*)stack_1 + (int64_t)8)));
  if (st != 0) { return st; }
  (((TVMFFIAny*)stack_1)[2].type_index) = 70;
  (((TVMFFIAny*)stack_1)[2].zero_padding) = 0;
  (((TVMFFIAny*)stack_1)[2].v_ptr) = (((TVMFFIAny*)stack_1)[0].v_ptr);
  if (ffi_Array_packed == NULL) {
    if (TVMBackendGetFuncFromEnv(__tvm_ffi__library_ctx, "ffi.Array", &ffi_Array_packed) != 0) { return -1; }
  }
  int32_t as = TVMFFIFunctionCall(ffi_Array_packed, (TVMFFIAny*) ((void*)((char*)stack_1 + (int64_t)32)), 1, (TVMFFIAny*) result);
  TVMFFIObjectDecRef((((TVMFFIAny*)stack_1)[0].v_ptr));
  if (as != 0) { return as; }
  (void)self_handle; (void)args;
  return 0;
}
