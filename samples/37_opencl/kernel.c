/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel library for OpenCL: its program is inside, and is built once for each context. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/opencl.h>

static const char kSource[] =
    "__kernel void scale(__global const float *x, __global float *y, float factor) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y[i] = factor * x[i];\n"
    "}\n";
static tvm_ffi_opencl_program program =
    TVM_FFI_C_OPENCL_PROGRAM(kSource, sizeof kSource - 1, "-cl-std=CL1.2");

/* y = factor * x */
TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: DLTensor*, 2: float) -> void") {
  DLTensor *x, *y;
  double value;
  float factor;
  size_t count;
  cl_command_queue queue;
  tvm_ffi_opencl_arg launch[3];
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &value));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 0, kDLOpenCL));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 1, 0));
  TVM_FFI_C_TRY(tvm_ffi_opencl_read_queue(x, &queue));
  factor = (float)value;
  count = (size_t)tvm_ffi_tensor_get_numel(x);
  launch[0] = tvm_ffi_opencl_arg_tensor(x);
  launch[1] = tvm_ffi_opencl_arg_tensor(y);
  launch[2] = tvm_ffi_opencl_arg_value(&factor, sizeof factor);
  return tvm_ffi_opencl_program_launch(&program, "scale", launch, 3, 1, &count, NULL, queue);
}
