/* SPDX-License-Identifier: Apache-2.0 */
/* Counts values into bins; they lie on the CPU, and any strides will do. */
#include <tvm/ffi/c.h>

TVM_FFI_C_EXPORT(histogram, "(counts: DLTensor*, x: DLTensor*, low: float, high: float) -> None") {
  DLTensor *counts, *x;
  const DLTensor *walked[1];
  tvm_ffi_tensor_runs runs;
  double low, high, *bins;
  int64_t i, num_bins;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 4));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &counts));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &low));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 3, &high));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT64));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 1, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 0, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 1, kDLCPU));
  num_bins = counts->shape[0];
  TVM_FFI_C_CHECK(low < high && num_bins > 0, TVM_FFI_C_VALUE_ERROR, "[%g, %g) has no bins", low,
                  high);
  bins = (double *)tvm_ffi_tensor_get_data(counts);
  for (i = 0; i < num_bins; ++i) bins[i] = 0;
  walked[0] = x;
  TVM_FFI_C_TRY(tvm_ffi_tensor_runs_begin(&runs, walked, 1));
  while (tvm_ffi_tensor_runs_next(&runs)) {
    const float *data = (const float *)runs.data[0];
    for (i = 0; i < runs.count; ++i) {
      const double value = (double)data[i * runs.step[0]];
      if (value >= low && value < high) {
        int64_t bin = (int64_t)((value - low) / (high - low) * (double)num_bins);
        bins[bin < num_bins ? bin : num_bins - 1] += 1;
      }
    }
  }
  return 0;
}
