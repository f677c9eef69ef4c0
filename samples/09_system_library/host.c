/* SPDX-License-Identifier: Apache-2.0 */
/* A program with built-in kernels, linked with libtvm_ffi.a: one file that loads nothing. The
 * kernels are found in the system library, a module like that of a file. */
#include <tvm/ffi/c.h>

/* A module with the functions whose symbols begin with a prefix; their names omit it. */
static int get_system_library(const char *prefix, TVMFFIObjectHandle *out) {
  TVMFFIAny arg = tvm_ffi_any_view_string(prefix), result;
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.SystemLib", &arg, 1, &result));
  *out = result.v_obj;
  return 0;
}

static int dot(TVMFFIObjectHandle module, const char *name, DLTensor *x, DLTensor *y) {
  TVMFFIObjectHandle function;
  TVMFFIAny args[2], result;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, name, &function));
  args[0] = tvm_ffi_any_view_tensor(x);
  args[1] = tvm_ffi_any_view_tensor(y);
  code = tvm_ffi_function_call(function, args, 2, &result);
  tvm_ffi_object_release(function);
  if (code == 0) printf("%s: %g\n", name, result.v_float64);
  return code;
}

static int print_doc(TVMFFIObjectHandle module, const char *name) {
  TVMFFIAny args[3], result;
  TVMFFIByteArray text;
  args[0] = tvm_ffi_any_view_object(module);
  args[1] = tvm_ffi_any_view_string(name);
  args[2] = tvm_ffi_any_from_bool(false); /* its imports are not asked */
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleGetFunctionDoc", args, 3, &result));
  printf("%s: %s\n", name, tvm_ffi_any_try_string(&result, &text) ? text.data : "(not documented)");
  tvm_ffi_any_clear(&result);
  return 0;
}

static int run(void) {
  double x_data[3] = {1, 2, 3}, y_data[3] = {10, 20, 30};
  int64_t length = 3, shorter = 2, step;
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  TVMFFIObjectHandle vectors, again, all, axpy;
  TVMFFIAny args[3];
  DLTensor x, y;
  tvm_ffi_tensor_init(&x, x_data, cpu, TVM_FFI_C_FLOAT64, 1, &length, &step);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_FLOAT64, 1, &length, &step);

  TVM_FFI_C_TRY(get_system_library("vec_", &vectors));
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(vectors, "axpy", &axpy));
  args[0] = tvm_ffi_any_view_tensor(&y);
  args[1] = tvm_ffi_any_from_double(0.5);
  args[2] = tvm_ffi_any_view_tensor(&x);
  TVM_FFI_C_TRY(tvm_ffi_function_call_void(axpy, args, 3));
  printf("axpy: %g %g %g\n", y_data[0], y_data[1], y_data[2]);
  TVM_FFI_C_TRY(dot(vectors, "dot", &x, &y));
  TVM_FFI_C_TRY(print_doc(vectors, "dot"));
  TVM_FFI_C_TRY(print_doc(vectors, "axpy"));

  /* There is one module for each prefix; the one without a prefix has the full names. */
  TVM_FFI_C_TRY(get_system_library("vec_", &again));
  printf("the same module: %s\n", again == vectors ? "yes" : "no");
  TVM_FFI_C_TRY(get_system_library("", &all));
  TVM_FFI_C_TRY(dot(all, "vec_dot", &x, &y));
  if (dot(all, "dot", &x, &y) != 0) tvm_ffi_error_print_raised(stdout);

  /* Errors are those of any kernel. */
  y.shape = &shorter;
  if (tvm_ffi_function_call_void(axpy, args, 3) != 0) tvm_ffi_error_print_raised(stdout);
  tvm_ffi_object_release(axpy);
  tvm_ffi_object_release(vectors);
  tvm_ffi_object_release(again);
  tvm_ffi_object_release(all);
  return 0;
}

int main(void) {
  if (run() != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}
