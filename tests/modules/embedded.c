/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that is the root of a tree: it imports one module of kind `demo` with payload `hi!`.
 * The bytes are those of a worked example.
 */
#include <tvm/ffi/c_api.h>

TVM_FFI_DLL_EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = NULL;

TVM_FFI_DLL_EXPORT extern const unsigned char __tvm_ffi__library_bin[];
const unsigned char __tvm_ffi__library_bin[] = {
    0x53, 0, 0, 0, 0, 0, 0, 0,                                 /* size of the rest in bytes */
    3,    0, 0, 0, 0, 0, 0, 0,                                 /* two modules */
    0,    0, 0, 0, 0, 0, 0, 0, 1,   0,   0,   0,   0, 0, 0, 0, /* the first imports [0, 1), */
    1,    0, 0, 0, 0, 0, 0, 0,                                 /* the second [1, 1) */
    1,    0, 0, 0, 0, 0, 0, 0, 1,   0,   0,   0,   0, 0, 0, 0, /* of the list {1} */
    4,    0, 0, 0, 0, 0, 0, 0, '_', 'l', 'i', 'b',             /* the first is this library */
    4,    0, 0, 0, 0, 0, 0, 0, 'd', 'e', 'm', 'o',             /* the second of kind demo */
    3,    0, 0, 0, 0, 0, 0, 0, 'h', 'i', '!'};

TVM_FFI_DLL_EXPORT int __tvm_ffi_one(void *handle, const TVMFFIAny *args, int32_t num_args,
                                     TVMFFIAny *result);
TVM_FFI_DLL_EXPORT int __tvm_ffi_one(void *handle, const TVMFFIAny *args, int32_t num_args,
                                     TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  result->type_index = kTVMFFIInt;
  result->zero_padding = 0;
  result->v_int64 = 1;
  return 0;
}
