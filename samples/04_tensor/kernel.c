/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that make tensors: allocated by the framework, as a view of another, in static memory. */
#include <tvm/ffi/c.h>

/* The numbers from 0, in memory from the caller, through the environment's allocator. */
TVM_FFI_C_EXPORT(iota, "(0: ffi.Shape) -> ffi.Tensor") {
  int64_t extents[8], i, n;
  TVMFFIShapeCell shape;
  TVMFFIObjectHandle tensor;
  float *data;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_shape(args, 0, extents, 8, &shape));
  TVM_FFI_C_TRY(tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32,
                                      (int32_t)shape.size, shape.data, &tensor));
  data = (float *)tvm_ffi_tensor_get_data(TVMFFITensorGetDLTensorPtr(tensor));
  n = tvm_ffi_tensor_get_numel(TVMFFITensorGetDLTensorPtr(tensor));
  for (i = 0; i < n; ++i) data[i] = (float)i;
  *args->result = tvm_ffi_any_take_object(tensor);
  return 0;
}

/* A view shares the data and keeps the tensor alive, so the source must be an owned Tensor. */
TVM_FFI_C_EXPORT(transpose, "(0: ffi.Tensor) -> ffi.Tensor") {
  TVMFFIObjectHandle source, view;
  const DLTensor *x;
  int64_t shape[2], strides[2];
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor_object(args, 0, &source));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 2));
  x = TVMFFITensorGetDLTensorPtr(source);
  shape[0] = x->shape[1], shape[1] = x->shape[0];
  TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(x, 1, &strides[0]));
  TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(x, 0, &strides[1]));
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_view(source, 2, shape, strides, 0, &view));
  *args->result = tvm_ffi_any_take_object(view);
  return 0;
}

/* y = factor * x, of any shape and strides, such as a transposed x: nothing is copied, and
 * contiguous tensors are one run. */
TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: DLTensor*, 2: float) -> void") {
  DLTensor *x, *y;
  const DLTensor *tensors[2];
  tvm_ffi_tensor_runs runs;
  double factor;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &factor));
  for (i = 0; i < 2; ++i) {
    TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, (int32_t)i));
    TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, (int32_t)i, TVM_FFI_C_FLOAT32));
    TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, (int32_t)i, kDLCPU));
    TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, (int32_t)i, sizeof(float)));
  }
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_shape(args, 1, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_writable(args, 1));
  tensors[0] = y;
  tensors[1] = x;
  TVM_FFI_C_TRY(tvm_ffi_tensor_runs_begin(&runs, tensors, 2));
  while (tvm_ffi_tensor_runs_next(&runs)) {
    float *to = (float *)runs.data[0];
    const float *from = (const float *)runs.data[1];
    const float by = (float)factor;
    if (runs.is_contiguous) {
      for (i = 0; i < runs.count; ++i) to[i] = by * from[i];
    } else {
      for (i = 0; i < runs.count; ++i) to[i * runs.step[0]] = by * from[i * runs.step[1]];
    }
  }
  return 0;
}

/* Memory that lives as long as the library does. */
TVM_FFI_C_EXPORT(constants, "() -> ffi.Tensor") {
  static double values[3] = {3.25, 2.75, 1.5};
  int64_t shape[1] = {3}, strides[1];
  TVMFFIObjectHandle tensor;
  DLTensor memory;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 0));
  tvm_ffi_tensor_init(&memory, values, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 1, shape,
                      strides);
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_around(&memory, NULL, NULL, &tensor));
  *args->result = tvm_ffi_any_take_object(tensor);
  return 0;
}
