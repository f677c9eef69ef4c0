/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that call kernels in the three ways that compilers emit: one in the same library, one in
 * a library that this one is linked with, and one looked up in the host's imports. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

/* In another library, given to the linker. An exported kernel is an ordinary C function. */
TVM_FFI_DLL int __tvm_ffi_dot(void *self, const TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result);

/* The loader stores this library's module here, for TVMFFIEnvModLookupFromImports. */
TVM_FFI_DLL_EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = NULL;

static int read_vector(const tvm_ffi_args *args, int32_t i, double **data, int64_t *length) {
  DLTensor *tensor;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, i));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, TVM_FFI_C_FLOAT64));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, i));
  *data = (double *)tvm_ffi_tensor_get_data(tensor);
  *length = tensor->shape[0];
  return 0;
}

TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: float) -> void") {
  double *data, factor;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(read_vector(args, 0, &data, &n));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &factor));
  for (i = 0; i < n; ++i) data[i] *= factor;
  return 0;
}

/* x . y; arguments are packed, and the result is None before a call. */
static int call_dot(TVMFFIAny x, TVMFFIAny y, double *out) {
  TVMFFIAny packed[2], result = tvm_ffi_any_none();
  packed[0] = x;
  packed[1] = y;
  TVM_FFI_C_TRY(__tvm_ffi_dot(NULL, packed, 2, &result)); /* its error is ours */
  return tvm_ffi_any_read_double(&result, out);
}

/* Projects y on x: x becomes (x . y) / (x . x) times x. */
TVM_FFI_C_EXPORT(project, "(0: DLTensor*, 1: DLTensor*) -> float") {
  double xy, xx;
  TVMFFIAny packed[2], result = tvm_ffi_any_none();
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(call_dot(args->args[0], args->args[1], &xy));
  TVM_FFI_C_TRY(call_dot(args->args[0], args->args[0], &xx));
  TVM_FFI_C_CHECK(xx != 0, TVM_FFI_C_VALUE_ERROR, "nothing can be projected on a zero vector");
  packed[0] = args->args[0];
  packed[1] = tvm_ffi_any_from_double(xy / xx);
  TVM_FFI_C_TRY(__tvm_ffi_scale(NULL, packed, 2, &result)); /* a sibling; it returns nothing */
  return tvm_ffi_args_return(args, packed[1]);
}

/*
 * The imported function, looked up once. The handle is the module's: it stays valid as long as this
 * library is loaded, and is not released here.
 */
static void *activate;
static int find_activate(void **out) {
  return TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, "activate", out);
}

/* Activates every element. */
TVM_FFI_C_EXPORT(activate_all, "(0: DLTensor*) -> void") {
  double *data;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(read_vector(args, 0, &data, &n));
  /* If threads call at the same time, one looks it up and the others wait. Later calls cost one
   * load. */
  TVM_FFI_C_TRY(TVMFFIHandleInitOnce(&activate, find_activate));
  for (i = 0; i < n; ++i) {
    TVMFFIAny value = tvm_ffi_any_from_double(data[i]), result = tvm_ffi_any_none();
    int code;
    TVM_FFI_C_TRY(TVMFFIFunctionCall(activate, &value, 1, &result));
    code = tvm_ffi_any_read_double(&result, &data[i]);
    tvm_ffi_any_clear(&result); /* of any type */
    TVM_FFI_C_TRY(code);
  }
  return 0;
}
