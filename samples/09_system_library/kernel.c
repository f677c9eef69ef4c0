/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for a program that loads no libraries. They are written as usual, and entered in a table
 * under the symbol names by which they would be looked up in a library.
 *
 * All names begin with `vec_`: kernels of several compilers or models can share one program if each
 * has its own prefix. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

static int read_vector(const tvm_ffi_args *args, int32_t i, double **data, int64_t *length) {
  DLTensor *tensor;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, TVM_FFI_C_FLOAT64));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, i));
  *data = (double *)tvm_ffi_tensor_get_data(tensor);
  *length = tensor->shape[0];
  return 0;
}

/* static: only the table refers to these functions. */
TVM_FFI_C_FUNCTION(vec_axpy, "(0: DLTensor*, 1: float, 2: DLTensor*) -> void") {
  double *y, *x, a;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(read_vector(args, 0, &y, &n));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &a));
  TVM_FFI_C_TRY(read_vector(args, 2, &x, &n));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_shape(args, 0, 2));
  for (i = 0; i < n; ++i) y[i] += a * x[i];
  return 0;
}

TVM_FFI_C_FUNCTION(vec_dot, "(0: DLTensor*, 1: DLTensor*) -> float") {
  double *y, *x, sum = 0;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(read_vector(args, 0, &y, &n));
  TVM_FFI_C_TRY(read_vector(args, 1, &x, &n));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_shape(args, 0, 1));
  for (i = 0; i < n; ++i) sum += y[i] * x[i];
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
}

TVM_FFI_C_FUNCTION(vec_dot_doc, "() -> str") {
  return tvm_ffi_string_create("The inner product of two vectors.", args->result);
}

/* The table holds data pointers; POSIX allows converting function pointers to them. */
static void enter(const char *symbol, TVMFFISafeCallType function) {
  void *address;
  memcpy(&address, &function, sizeof address);
  if (TVMFFIEnvModRegisterSystemLibSymbol(symbol, address) != 0) tvm_ffi_error_print_raised(stderr);
}

/* Runs before main(), as in generated code: the runtime needs no prior initialisation. In an
 * archive of kernels, call such a function from main() instead, since the linker leaves out files
 * that nothing refers to. Not __attribute__: for tcc, the headers of glibc define that as nothing.
 */
__attribute((constructor)) static void enter_kernels(void) {
  enter("__tvm_ffi_vec_axpy", vec_axpy);
  enter("__tvm_ffi_vec_dot", vec_dot);
  enter("vec___tvm_ffi__doc_dot", vec_dot_doc); /* here the prefix precedes everything */
}
