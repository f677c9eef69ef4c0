/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the model about a few pairs of numbers.
 *
 *     host model.so             the library
 *     host model.so hard.so     the same, with another kernel for the last step
 *     program                   linked with the model and the runtime, as a program in one file */
#include <tvm/ffi/c.h>

enum { kPairs = 4 };

static int load(int argc, char **argv, TVMFFIObjectHandle *out) {
  TVMFFIAny args[2], result;
  TVMFFIObjectHandle other;
  int code;
  if (argc == 1) {
    args[0] = tvm_ffi_any_view_string("signs_");
    TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.SystemLib", args, 1, &result));
    *out = result.v_obj;
    return 0;
  }
  TVM_FFI_C_TRY(tvm_ffi_module_load(argv[1], out));
  if (argc == 2) return 0;
  TVM_FFI_C_TRY(tvm_ffi_module_load(argv[2], &other));
  args[0] = tvm_ffi_any_view_object(*out);
  args[1] = tvm_ffi_any_view_object(other);
  code = tvm_ffi_function_call_global("ffi.ModuleImportModule", args, 2, &result);
  tvm_ffi_object_release(other);
  return code;
}

static int predict(TVMFFIObjectHandle module) {
  float x_data[kPairs][2] = {{0.5f, 0.75f}, {-0.5f, 0.125f}, {-1, -0.125f}, {0.0625f, -0.03125f}};
  float y_data[kPairs][2];
  int64_t shape[2] = {kPairs, 2}, x_strides[2], y_strides[2];
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  TVMFFIObjectHandle function;
  TVMFFIAny args[2];
  DLTensor x, y;
  int i, code;
  tvm_ffi_tensor_init(&x, x_data, cpu, TVM_FFI_C_FLOAT32, 2, shape, x_strides);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_FLOAT32, 2, shape, y_strides);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_tensor(&y);
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "predict", &function));
  code = tvm_ffi_function_call_void(function, args, 2);
  for (i = 0; code == 0 && i < kPairs; ++i) {
    printf("%5.2f and %5.2f have different signs: %.3f\n", x_data[i][0], x_data[i][1],
           y_data[i][1]);
  }
  x.ndim = 1;
  if (code == 0 && tvm_ffi_function_call_void(function, args, 2) != 0) {
    tvm_ffi_error_print_raised(stdout);
  }
  tvm_ffi_object_release(function);
  return code;
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle module = NULL;
  int code = load(argc, argv, &module);
  if (code == 0) code = predict(module);
  if (code != 0) tvm_ffi_error_print_raised(stdout);
  tvm_ffi_object_release(module);
  return code != 0;
}
