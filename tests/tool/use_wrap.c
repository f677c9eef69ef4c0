/* SPDX-License-Identifier: Apache-2.0 */
/* Calls kernels that wrap has made of wrap_specs.txt with tensors that the tool's run cannot make,
 * and prints what they return: use_wrap KERNELS. */
#include "use_kernels.h"

static TVMFFIObjectHandle module;

static void call(const char *label, const char *name, const TVMFFIAny *args, int32_t num_args) {
  call_kernel(module, label, name, args, num_args);
}

static DLTensor make_matrix(float *data, int64_t *shape, int64_t *strides) {
  DLTensor tensor;
  tvm_ffi_tensor_init(&tensor, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 2, shape,
                      strides);
  return tensor;
}

static void refuse_tensors(void) {
  float y_data[6], x_data[6] = {1, 2, 3, 4, 5, 6}, s_data[3] = {1, 10, 100};
  int64_t shape[2] = {2, 3}, strides[2], columns[1] = {3}, step[1];
  DLTensor y = make_matrix(y_data, shape, strides), x = make_matrix(x_data, shape, strides), s, x0;
  TVMFFIAny args[3];
  tvm_ffi_tensor_init(&s, s_data, x.device, x.dtype, 1, columns, step);
  args[0] = tvm_ffi_any_view_tensor(&y);
  args[1] = tvm_ffi_any_view_tensor(&x);
  args[2] = tvm_ffi_any_view_tensor(&s);
  call("good", "scale_columns", args, 3);
  printf("%g %g %g %g %g %g\n", y_data[0], y_data[1], y_data[2], y_data[3], y_data[4], y_data[5]);
  x0 = x;
  x.device = tvm_ffi_device_make(kDLCUDA, 1);
  call("device", "scale_columns", args, 3);
  x = x0;
  x.data = NULL;
  call("no data", "scale_columns", args, 3);
  x = x0;
  x.byte_offset = 2;
  call("alignment", "scale_columns", args, 3);
  x = x0;
  strides[0] = 1, strides[1] = 2;
  call("strides", "scale_columns", args, 3);
  x.strides = NULL, y.strides = NULL;
  call("no strides", "scale_columns", args, 3);
  x.dtype.lanes = 3;
  call("lanes", "scale_columns", args, 3);
  shape[0] = 0;
  x = x0, x.data = NULL;
  call("no elements", "scale_columns", args, 3);
  shape[0] = (int64_t)INT32_MAX + 1, shape[1] = 0, columns[0] = 0;
  x = x0;
  call("extent", "scale_columns", args, 3);
}

static void pass_strides(void) {
  float y_data[6] = {0, 0, 0, 0, 0, 0}, x_data[12] = {1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0};
  int64_t y_shape[2] = {3, 2}, y_strides[2] = {2, 1}, x_shape[2] = {2, 3}, x_strides[2] = {2, 4};
  DLTensor y = make_matrix(y_data, y_shape, y_strides), x = make_matrix(x_data, x_shape, x_strides);
  TVMFFIAny args[2];
  x_strides[0] = 2, x_strides[1] = 4;
  args[0] = tvm_ffi_any_view_tensor(&y);
  args[1] = tvm_ffi_any_view_tensor(&x);
  call("passed strides", "transpose", args, 2);
  printf("%g %g %g %g %g %g\n", y_data[0], y_data[1], y_data[2], y_data[3], y_data[4], y_data[5]);
  y_strides[1] = 3;
  call("a stride that is not passed", "transpose", args, 2);
  y_shape[1] = 1, y_strides[1] = 1, x_shape[0] = 1;
  y_strides[1] = 5; /* of a single element */
  call("one row", "transpose", args, 2);
  y_shape[1] = 128, x_shape[0] = 128, y_strides[1] = 1;
  call("an extent beyond int8_t", "transpose", args, 2);
}

static void refuse_read_only(void) {
  float y_data[6], x_data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3}, strides[2];
  DLTensor x = make_matrix(x_data, shape, strides), y = make_matrix(y_data, shape, strides);
  DLManagedTensorVersioned shared;
  TVMFFIObjectHandle tensor;
  TVMFFIAny args[3];
  if (share_read_only(&y, &shared, &tensor) != 0) return;
  args[0] = tvm_ffi_any_view_object(tensor);
  args[1] = tvm_ffi_any_view_tensor(&x);
  args[2] = tvm_ffi_any_from_double(1);
  call("read-only output", "add", args, 3);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_object(tensor);
  call("read-only input", "add", args, 3);
  tvm_ffi_object_release(tensor);
}

int main(int argc, char **argv) {
  if (argc != 2 || tvm_ffi_module_load(argv[1], &module) != 0) return 1;
  refuse_tensors();
  pass_strides();
  refuse_read_only();
  tvm_ffi_object_release(module);
  return 0;
}
