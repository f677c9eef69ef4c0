/* SPDX-License-Identifier: Apache-2.0 */
/* The host side of a kernel, as compilers emit it: the library embeds kernels.ptx and imports the
 * module made from it; the function exported here computes how to launch a kernel of that
 * module. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

/* The loader stores this library's module here. */
TVM_FFI_DLL_EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = NULL;

TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: float) -> void") {
  enum { kThreads = 256 };
  TVMFFIObjectHandle kernel; /* the module's: not released here */
  TVMFFIAny params[5];
  DLTensor *x;
  double factor;
  int64_t size;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &factor));
  size = tvm_ffi_tensor_get_numel(x);
  if (size == 0) return 0; /* CUDA takes no empty grid */
  params[0] = args->args[0];
  params[1] = tvm_ffi_any_from_int64(size);
  params[2] = tvm_ffi_any_from_double(factor);
  params[3] = tvm_ffi_any_from_int64((size + kThreads - 1) / kThreads);
  params[4] = tvm_ffi_any_from_int64(kThreads);
  TVM_FFI_C_TRY(TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, "scale_kernel", &kernel));
  return tvm_ffi_function_call_void(kernel, params, 5);
}
