/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a module of the kind of polynomial.c and uses it like any other; its argument is a file to
 * write. */
#include <tvm/ffi/c.h>

#include "polynomial.h"

/* Calls `ffi.Module<question>` with a module and, if the question takes one, a text. Prints the
 * answer. */
static int ask(const char *question, TVMFFIObjectHandle module, const char *text,
               int32_t num_args) {
  char name[64];
  TVMFFIAny args[3], result;
  TVMFFIByteArray answer;
  args[0] = tvm_ffi_any_view_object(module);
  args[1] = tvm_ffi_any_view_string(text);
  args[2] = tvm_ffi_any_from_bool(false); /* questions about a function: do not ask its imports */
  (void)snprintf(name, sizeof name, "ffi.Module%s", question);
  TVM_FFI_C_TRY(tvm_ffi_function_call_global(name, args, num_args, &result));
  if (tvm_ffi_any_try_string(&result, &answer)) {
    printf("%s: %s\n", question, answer.data);
  } else if (result.type_index == kTVMFFINone) {
    printf("%s: None\n", question);
  } else {
    printf("%s: %d\n", question, (int)result.v_int64);
  }
  tvm_ffi_any_clear(&result);
  return 0;
}

static int print_value(const char *name, TVMFFIObjectHandle function, double x) {
  TVMFFIAny arg = tvm_ffi_any_from_double(x), result;
  TVM_FFI_C_TRY(tvm_ffi_function_call(function, &arg, 1, &result));
  printf("%s(%g) = %g\n", name, x, result.v_float64);
  return 0;
}

static int write_module(TVMFFIObjectHandle module, const char *path, const char *format) {
  TVMFFIAny args[3], result;
  args[0] = tvm_ffi_any_view_object(module);
  args[1] = tvm_ffi_any_view_string(path);
  args[2] = tvm_ffi_any_view_string(format);
  return tvm_ffi_function_call_global("ffi.ModuleWriteToFile", args, 3, &result);
}

static int run(const char *path) {
  TVMFFIObjectHandle module, again, sine, square;
  int count;
  TVM_FFI_C_TRY(polynomial_register_loaders());
  TVM_FFI_C_TRY(polynomial_create(
      tvm_ffi_string_get_bytes("square: 0 0 1\nsine: 0 1 0 -0.16666667 0 0.0083333333"), &module));

  TVM_FFI_C_TRY(ask("GetKind", module, NULL, 1));
  TVM_FFI_C_TRY(ask("GetPropertyMask", module, NULL, 1));
  TVM_FFI_C_TRY(ask("ImplementsFunction", module, "sine", 3));
  TVM_FFI_C_TRY(ask("GetFunctionDoc", module, "sine", 3));
  TVM_FFI_C_TRY(ask("GetFunctionMetadata", module, "sine", 3));
  TVM_FFI_C_TRY(ask("GetFunctionMetadata", module, "cosine", 3));
  if (tvm_ffi_module_get_function(module, "cosine", &sine) != 0) tvm_ffi_error_print_raised(stdout);

  /* To a file and back: the loader is chosen by the file's extension. */
  if (write_module(module, path, "so") != 0) tvm_ffi_error_print_raised(stdout);
  TVM_FFI_C_TRY(write_module(module, path, "poly"));
  TVM_FFI_C_TRY(tvm_ffi_module_load(path, &again));
  TVM_FFI_C_TRY(ask("InspectSource", again, "", 2));
  TVM_FFI_C_TRY(polynomial_read_count(again, &count));
  printf("functions: %d\n", count);

  /* A function alone keeps its module alive. */
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "square", &square));
  tvm_ffi_object_release(module);
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(again, "sine", &sine));
  tvm_ffi_object_release(again);
  TVM_FFI_C_TRY(print_value("square", square, 1.5));
  TVM_FFI_C_TRY(print_value("sine", sine, 0.5));
  tvm_ffi_object_release(square);
  tvm_ffi_object_release(sine);

  /* A source that is no polynomial. */
  if (polynomial_create(tvm_ffi_string_get_bytes("cube: 0 0 0 1\nx^4\n"), &module) != 0) {
    tvm_ffi_error_print_raised(stdout);
  }
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
