/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that take every kind of argument and return every kind of result. */
#include <tvm/ffi/c.h>

/* Numbers in, a number out. If the second argument is None, the default stays in place. */
TVM_FFI_C_EXPORT(power, "(0: float, 1: Optional<int>) -> float") {
  double base, result = 1;
  int32_t exponent = 2, i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &base));
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_int32(args, 1, &exponent));
  if (exponent < 0) {
    return tvm_ffi_args_raise(args, 1, TVM_FFI_C_VALUE_ERROR, "must not be negative, but is %d",
                              (int)exponent);
  }
  for (i = 0; i < exponent; ++i) result *= base;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(result));
}

/* A tensor of any numeric type in, its sum out; the loop is written once for all types. */
#define ADD_UP(type) \
  for (i = 0; i < n; ++i) sum += (double)((const type *)data)[i]

TVM_FFI_C_EXPORT(sum, "(0: DLTensor*) -> float") {
  DLTensor *x;
  const void *data;
  double sum = 0;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 0, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  data = tvm_ffi_tensor_get_data(x);
  n = tvm_ffi_tensor_get_numel(x);
  TVM_FFI_C_ARGS_DISPATCH(args, 0, TVM_FFI_C_CASES_NUMBER, ADD_UP);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
}

/* The other kinds in, text out. */
TVM_FFI_C_EXPORT(describe,
                 "(0: bool, 1: str, 2: bytes, 3: DataType, 4: Device, 5: ffi.Shape, "
                 "6: void*, 7: Optional<DLTensor*>) -> str") {
  bool flag;
  TVMFFIByteArray text, bytes;
  DLDataType dtype;
  DLDevice device;
  int64_t extents[8];
  TVMFFIShapeCell shape;
  void *pointer;
  DLTensor *mask = NULL;
  char dtype_text[32], device_text[32], shape_text[64];
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 8));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bool(args, 0, &flag));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &text));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bytes(args, 2, &bytes));
  TVM_FFI_C_TRY(tvm_ffi_args_read_dtype(args, 3, &dtype));
  TVM_FFI_C_TRY(tvm_ffi_args_read_device(args, 4, &device));
  TVM_FFI_C_TRY(tvm_ffi_args_read_shape(args, 5, extents, 8, &shape));
  TVM_FFI_C_TRY(tvm_ffi_args_read_pointer(args, 6, &pointer));
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_tensor(args, 7, &mask));
  tvm_ffi_dtype_print(dtype, dtype_text, sizeof dtype_text);
  tvm_ffi_device_print(device, device_text, sizeof device_text);
  tvm_ffi_shape_print(shape.data, (int32_t)shape.size, shape_text, sizeof shape_text);
  return tvm_ffi_string_create_formatted(
      args->result, "%s, \"%s\", %d bytes, %s on %s, shape %s, %s pointer, %s mask",
      flag ? "true" : "false", text.data, (int)bytes.size, dtype_text, device_text, shape_text,
      pointer != NULL ? "a" : "no", mask != NULL ? "a" : "no");
}
TVM_FFI_C_EXPORT_DOC(describe, "Says in words what it was called with.");

/* An array in, an array out: the smallest and the largest number. */
TVM_FFI_C_EXPORT(min_max, "(0: Array<float>) -> Array<float>") {
  TVMFFIObjectHandle array;
  TVMFFIAny ends[2];
  double low = 0, high = 0, value;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_array(args, 0, &array));
  for (i = 0; i < tvm_ffi_array_get_size(array); ++i) {
    TVM_FFI_C_TRY(tvm_ffi_any_read_double(tvm_ffi_array_get_data(array) + i, &value));
    if (i == 0 || value < low) low = value;
    if (i == 0 || value > high) high = value;
  }
  TVM_FFI_C_CHECK(i > 0, TVM_FFI_C_VALUE_ERROR, "min_max of an empty array");
  ends[0] = tvm_ffi_any_from_double(low);
  ends[1] = tvm_ffi_any_from_double(high);
  TVM_FFI_C_TRY(tvm_ffi_array_create(ends, 2, &array));
  *args->result = tvm_ffi_any_take_object(array);
  return 0;
}
