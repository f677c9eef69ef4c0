/* SPDX-License-Identifier: Apache-2.0 */
/* Calls scale(const double x[2][3], double a, double y[2][3]), a kernel that wrap has made, with
 * good and with wrong arguments, and scale_strided, which takes x[2:row][3:column] strides any, and
 * prints what they do: use_abi KERNELS [column].
 * Also scale_apart, which is scale(const double x[2][3], double a, double restrict y[2][3] align
 * 16), and with the word scale_any, which takes x[n][m] and y[n][m]. */
#include "use_kernels.h"

typedef struct {
  TVMFFIObjectHandle module;
  double x_data[14], y_data[6];
  int64_t x_shape[2], y_shape[2], x_strides[2], y_strides[2];
  DLTensor x, y;
  TVMFFIAny args[3];
} scale_call;

/* Makes the arguments of a good call. */
static void prepare(scale_call *call) {
  int i;
  for (i = 0; i < 6; ++i) {
    call->x_data[i] = i + 1;
    call->y_data[i] = 0;
  }
  call->x_shape[0] = call->y_shape[0] = 2;
  call->x_shape[1] = call->y_shape[1] = 3;
  tvm_ffi_tensor_init(&call->x, call->x_data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 2,
                      call->x_shape, call->x_strides);
  tvm_ffi_tensor_init(&call->y, call->y_data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 2,
                      call->y_shape, call->y_strides);
  call->args[0] = tvm_ffi_any_view_tensor(&call->x);
  call->args[1] = tvm_ffi_any_from_double(10);
  call->args[2] = tvm_ffi_any_view_tensor(&call->y);
}

static void print_y(const scale_call *call) {
  int i;
  for (i = 0; i < 6; ++i) printf("%g%c", call->y_data[i], i < 5 ? ' ' : '\n');
}

/* Calls scale_strided with the same elements at other places. */
static void pass_strides(scale_call *call, const char *label, int64_t row, int64_t column) {
  const int64_t first = (row < 0 ? -row : 0) + (column < 0 ? -2 * column : 0);
  int64_t i;
  prepare(call);
  for (i = 0; i < 6; ++i) call->x_data[first + i / 3 * row + i % 3 * column] = (double)(i + 1);
  call->x.byte_offset = (uint64_t)first * sizeof(double);
  call->x_strides[0] = row;
  call->x_strides[1] = column;
  call_kernel(call->module, label, "scale_strided", call->args, 3);
  print_y(call);
}

static void run(scale_call *call, const char *label, int32_t num_args) {
  call_kernel(call->module, label, "scale", call->args, num_args);
}

static void pass_good(scale_call *call) {
  prepare(call);
  run(call, "good", 3);
  print_y(call);
  prepare(call);
  call->x.strides = call->y.strides = NULL;
  run(call, "no strides", 3);
  print_y(call);
  prepare(call);
  memmove(call->x_data + 1, call->x_data, 6 * sizeof(double));
  call->x.byte_offset = sizeof(double);
  run(call, "byte offset", 3);
  print_y(call);
}

/* The stride of a dimension with one element does not matter. */
static void pass_column(scale_call *call) {
  prepare(call);
  call->x_shape[1] = call->y_shape[1] = 1;
  call->x_strides[0] = call->y_strides[0] = 1;
  call->x_strides[1] = call->y_strides[1] = INT64_C(1) << 40;
  call_kernel(call->module, "column", "scale_any", call->args, 3);
  print_y(call);
}

static void refuse_wrong(scale_call *call) {
  prepare(call);
  run(call, "count", 2);
  call->args[0] = tvm_ffi_any_none();
  run(call, "none", 3);
  prepare(call);
  call->args[1] = tvm_ffi_any_view_tensor(&call->x);
  run(call, "number", 3);
  prepare(call);
  call->x.dtype = TVM_FFI_C_FLOAT32;
  run(call, "dtype", 3);
  prepare(call);
  call->y.device = tvm_ffi_device_make(kDLCUDA, 0);
  run(call, "device", 3);
  prepare(call);
  call->x.ndim = 1;
  run(call, "ndim", 3);
  prepare(call);
  call->y_shape[0] = 1;
  run(call, "shape", 3);
  prepare(call);
  call->x_strides[0] = 1, call->x_strides[1] = 2;
  run(call, "strides", 3);
  prepare(call);
  call->y.data = NULL;
  run(call, "no data", 3);
  prepare(call);
  call->y.byte_offset = 4;
  run(call, "alignment", 3);
  prepare(call);
  call->x_shape[0] = -2;
  run(call, "negative extent", 3);
  prepare(call);
  call->x.shape = NULL;
  run(call, "no shape", 3);
  prepare(call);
  call->x.ndim = -1;
  run(call, "negative number of dimensions", 3);
}

static void pass_host_memory(scale_call *call) {
  prepare(call);
  call->x.device = tvm_ffi_device_make(kDLCUDAHost, 1);
  call->y.device = tvm_ffi_device_make(kDLCUDAManaged, 0);
  run(call, "memory of the host", 3);
  print_y(call);
}

/* Two arguments with the same memory; an output at 8 of 16 bytes. */
static void refuse_promises(scale_call *call) {
  prepare(call);
  call->y.data = call->x_data + ((uintptr_t)call->x_data % 16 == 0 ? 6 : 7);
  call_kernel(call->module, "apart", "scale_apart", call->args, 3);
  call->y.byte_offset = 8;
  call_kernel(call->module, "8 of 16", "scale_apart", call->args, 3);
  call->y.byte_offset = 0;
  call->y.data = call->x_data + ((uintptr_t)call->x_data % 16 == 0 ? 4 : 5);
  call_kernel(call->module, "the same memory", "scale_apart", call->args, 3);
}

static void refuse_read_only(scale_call *call) {
  DLManagedTensorVersioned shared;
  TVMFFIObjectHandle tensor;
  prepare(call);
  if (share_read_only(&call->y, &shared, &tensor) != 0) return;
  call->args[2] = tvm_ffi_any_view_object(tensor);
  run(call, "read-only", 3);
  tvm_ffi_object_release(tensor);
  print_y(call);
}

int main(int argc, char **argv) {
  scale_call call;
  if (argc < 2 || tvm_ffi_module_load(argv[1], &call.module) != 0) return 1;
  pass_good(&call);
  pass_strides(&call, "rows", 3, 1);
  pass_strides(&call, "columns", 1, 2);
  pass_strides(&call, "gaps", 7, 2);
  pass_strides(&call, "gaps in columns", 2, 5);
  pass_strides(&call, "rows backwards", -3, 1);
  pass_strides(&call, "backwards", -5, -2);
  pass_strides(&call, "one row twice", 0, 1);
  refuse_wrong(&call);
  refuse_read_only(&call);
  pass_host_memory(&call);
  refuse_promises(&call);
  if (argc > 2) pass_column(&call);
  tvm_ffi_object_release(call.module);
  return 0;
}
