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
