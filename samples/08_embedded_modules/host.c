/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a library that embeds a module of the kind of ../07_custom_module, and uses both. */
#include <tvm/ffi/c.h>

#include "polynomial.h"

static int apply(TVMFFIObjectHandle module, const char *curve) {
  double data[3] = {0, 0.25, 1};
  int64_t length = 3, step;
  DLTensor tensor;
  TVMFFIAny args[2];
  TVMFFIObjectHandle kernel;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "apply", &kernel));
  tvm_ffi_tensor_init(&tensor, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 1, &length,
                      &step);
  args[0] = tvm_ffi_any_view_tensor(&tensor);
  args[1] = tvm_ffi_any_view_string(curve);
  code = tvm_ffi_function_call_void(kernel, args, 2);
  tvm_ffi_object_release(kernel);
  if (code == 0) printf("%s: %g %g %g\n", curve, data[0], data[1], data[2]);
  return code;
}

static int run(const char *path) {
  TVMFFIObjectHandle module;
  TVMFFIAny args[3], result;

  /* The loaders of the embedded kinds must be registered before the library is loaded. */
  if (tvm_ffi_module_load(path, &module) != 0) tvm_ffi_error_print_raised(stdout);
  TVM_FFI_C_TRY(polynomial_register_loaders());
  TVM_FFI_C_TRY(tvm_ffi_module_load(path, &module));

  TVM_FFI_C_TRY(apply(module, "sine"));
  TVM_FFI_C_TRY(apply(module, "smoothstep"));
  if (apply(module, "cosine") != 0) tvm_ffi_error_print_raised(stdout);

  /* A lookup from outside finds a module's own functions; on request, those of its imports too. */
  args[0] = tvm_ffi_any_view_object(module);
  args[1] = tvm_ffi_any_view_string("sine");
  args[2] = tvm_ffi_any_from_bool(false);
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleGetFunction", args, 3, &result));
  printf("sine is the library's own: %s\n", result.type_index == kTVMFFINone ? "no" : "yes");
  args[2] = tvm_ffi_any_from_bool(true);
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleGetFunction", args, 3, &result));
  printf("sine is imported: %s\n", result.type_index == kTVMFFIFunction ? "yes" : "no");
  tvm_ffi_any_clear(&result);
  tvm_ffi_object_release(module);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  if (run(argv[1]) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}
