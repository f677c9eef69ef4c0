/* SPDX-License-Identifier: Apache-2.0 */
/* Passes functions to a kernel: a C function with state, and one by its global name. */
#include <tvm/ffi/c.h>

typedef struct {
  double factor, limit;
  int calls;
} scaler;

/* args->self is the pointer given to TVMFFIFunctionCreate. */
TVM_FFI_C_FUNCTION(scale, "(0: float) -> float") {
  scaler *self = (scaler *)args->self;
  double value;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &value));
  TVM_FFI_C_CHECK(value <= self->limit, TVM_FFI_C_VALUE_ERROR, "%g is more than %g", value,
                  self->limit);
  ++self->calls;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(value * self->factor));
}

static void delete_scaler(void *self) {
  printf("deleted after %d calls\n", ((scaler *)self)->calls);
}

TVM_FFI_C_FUNCTION(name, "(0: float) -> str") {
  return tvm_ffi_string_create("not a number", args->result);
}

static int map(TVMFFIObjectHandle kernel, double *data, TVMFFIObjectHandle function) {
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  tvm_ffi_vector vector;
  TVMFFIAny args[2];
  args[0] = tvm_ffi_vector_init(&vector, data, cpu, TVM_FFI_C_FLOAT64, 3);
  args[1] = tvm_ffi_any_view_object(function);
  TVM_FFI_C_TRY(tvm_ffi_function_call_void(kernel, args, 2));
  printf("%g %g %g\n", data[0], data[1], data[2]);
  return 0;
}

static int run(const char *path) {
  scaler tens = {10, 500, 0};
  double data[3] = {1, 2, 3};
  TVMFFIObjectHandle kernel, function, module;
  TVM_FFI_C_TRY(tvm_ffi_module_load_function(path, "map", &kernel));

  /* A C function and its state, as a Function. */
  TVM_FFI_C_TRY(TVMFFIFunctionCreate(&tens, scale, delete_scaler, &function));
  TVM_FFI_C_TRY(map(kernel, data, function));
  TVM_FFI_C_TRY(map(kernel, data, function));
  tens.limit = 150; /* the third element exceeds it: the callback fails, and so does the kernel */
  if (map(kernel, data, function) != 0) tvm_ffi_error_print_raised(stdout);
  printf("done until then: %g %g %g\n", data[0], data[1], data[2]);
  tvm_ffi_object_release(function);

  /* One that the kernel library registered when it was loaded. */
  TVM_FFI_C_TRY(tvm_ffi_function_get_global("sample.halve", &function));
  TVM_FFI_C_TRY(map(kernel, data, function));
  tvm_ffi_object_release(function);

  /* One that returns the wrong type, and no function at all. */
  TVM_FFI_C_TRY(TVMFFIFunctionCreate(NULL, name, NULL, &function));
  if (map(kernel, data, function) != 0) tvm_ffi_error_print_raised(stdout);
  tvm_ffi_object_release(function);
  if (map(kernel, data, NULL) != 0) tvm_ffi_error_print_raised(stdout);

  /* The loader that the library also registered. */
  if (tvm_ffi_module_load("hello.greeting", &module) != 0) tvm_ffi_error_print_raised(stdout);
  tvm_ffi_object_release(kernel);
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
