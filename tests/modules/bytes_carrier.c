/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that imports one module of kind TEST_KIND (eight letters) with payload `in_`. Its
 * kernel calls `triple` of the imported module.
 */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

TVM_FFI_DLL_EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = NULL;

#define INT(low) low "\0\0\0\0\0\0\0"
TVM_FFI_DLL_EXPORT extern const unsigned char __tvm_ffi__library_bin[];
const unsigned char __tvm_ffi__library_bin[] = INT("\x57") /* size of the rest in bytes */
    INT("\3")                             /* where the imports of two modules begin: */
    INT("\0") INT("\1") INT("\1")         /* [0, 1) and [1, 1) */
    INT("\1") INT("\1")                   /* of this list of one */
    INT("\4") "_lib"                      /* the first is this library */
    INT("\x8") TEST_KIND INT("\3") "in_"; /* the second one is made by the loader */

TVM_FFI_C_EXPORT(call_import, "(0: int) -> int") {
  TVMFFIObjectHandle triple;
  TVM_FFI_C_TRY(TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, "triple", &triple));
  return tvm_ffi_function_call(triple, args->args, args->num_args, args->result);
}
