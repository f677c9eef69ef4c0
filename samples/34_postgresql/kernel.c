/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for float32 on the CPU; they know nothing of PostgreSQL. */
#include <fenv.h>
#include <time.h>
#include <tvm/ffi/c.h>

static int read_vector(const tvm_ffi_args *args, int32_t i, float **data, int64_t *count) {
  DLTensor *tensor;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, i));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, i));
  *data = (float *)tvm_ffi_tensor_get_data(tensor);
  *count = tvm_ffi_tensor_get_numel(tensor);
  return 0;
}

TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: DLTensor*, 2: float) -> None") {
  float *y, *x;
  int64_t i, n;
  double factor;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(read_vector(args, 0, &y, &n));
  TVM_FFI_C_TRY(read_vector(args, 1, &x, &n));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 0, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &factor));
  for (i = 0; i < n; ++i) y[i] = (float)(x[i] * factor);
  return 0;
}

TVM_FFI_C_EXPORT(mean, "(0: DLTensor*) -> float") {
  float *x;
  int64_t i, n;
  double sum = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(read_vector(args, 0, &x, &n));
  TVM_FFI_C_CHECK(n > 0, TVM_FFI_C_VALUE_ERROR, "the mean of nothing");
  for (i = 0; i < n; ++i) sum += x[i];
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum / (double)n));
}

/* Works for some seconds, and asks now and then whether it should go on. */
TVM_FFI_C_EXPORT(work, "(0: float) -> float") {
  const clock_t begin = clock();
  double seconds;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &seconds));
  while ((double)(clock() - begin) < seconds * CLOCKS_PER_SEC) {
    TVM_FFI_C_TRY(tvm_ffi_env_check_interrupt());
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(seconds));
}

/* Leaves the processor rounding upwards. */
TVM_FFI_C_EXPORT(careless, "(0: float) -> float") {
  double x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &x));
  fesetround(FE_UPWARD);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(x));
}

/* Writes where there is no memory. */
TVM_FFI_C_EXPORT(crash, "(0: float) -> None") {
  static int *volatile nowhere = (int *)16;
  (void)args;
  *nowhere = 1;
  return 0;
}
