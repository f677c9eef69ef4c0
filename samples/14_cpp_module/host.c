/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a module of the kind of module.cc, uses it, saves it, and loads it again from the saved
 * bytes. */
#include <tvm/ffi/c.h>

/* Calls a function of a module by name. */
static int call(TVMFFIObjectHandle module, const char *name, const TVMFFIAny *args,
                int32_t num_args, TVMFFIAny *result) {
  TVMFFIObjectHandle function;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, name, &function));
  code = tvm_ffi_function_call(function, args, num_args, result);
  tvm_ffi_object_release(function);
  return code;
}

static int apply(TVMFFIObjectHandle module, int64_t size) {
  float data[3] = {1, 10, 100};
  int64_t strides[1];
  TVMFFIAny args[2], result;
  DLTensor x;
  tvm_ffi_tensor_init(&x, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1, &size,
                      strides);
  args[0] = args[1] = tvm_ffi_any_view_tensor(&x);
  TVM_FFI_C_TRY(call(module, "apply", args, 2, &result));
  printf("apply: %g %g %g\n", (double)data[0], (double)data[1], (double)data[2]);
  return 0;
}

static void free_weights(void *context, DLTensor *tensor) {
  (void)context, (void)tensor;
  printf("weights: freed\n");
}

static int run(TVMFFIObjectHandle library) {
  float data[3] = {0.5f, 2, 3};
  int64_t size = 3, strides[1];
  TVMFFIObjectHandle weights, module, function;
  TVMFFIAny arg, kind, bytes, result;
  TVMFFIByteArray text;
  DLTensor memory;

  /* A view of the weights cannot be kept; a Tensor can. */
  tvm_ffi_tensor_init(&memory, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1, &size,
                      strides);
  arg = tvm_ffi_any_view_tensor(&memory);
  if (call(library, "make", &arg, 1, &result) != 0) tvm_ffi_error_print_raised(stdout);
  arg = tvm_ffi_any_none();
  if (call(library, "make", &arg, 1, &result) != 0) tvm_ffi_error_print_raised(stdout);
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_around(&memory, free_weights, NULL, &weights));
  arg = tvm_ffi_any_view_object(weights);
  TVM_FFI_C_TRY(call(library, "make", &arg, 1, &result));
  tvm_ffi_object_release(weights);
  module = result.v_obj;

  arg = tvm_ffi_any_view_object(module);
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleGetKind", &arg, 1, &kind));
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(&kind, &text));
  printf("kind: %s\n", text.data);
  tvm_ffi_any_clear(&kind);
  TVM_FFI_C_TRY(apply(module, 3));
  if (apply(module, 2) != 0) tvm_ffi_error_print_raised(stdout);
  if (call(module, "forget", NULL, 0, &result) != 0) tvm_ffi_error_print_raised(stdout);

  /* A function alone keeps its module alive. */
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "size", &function));
  TVM_FFI_C_TRY(call(library, "save", &arg, 1, &bytes));
  tvm_ffi_object_release(module);
  TVM_FFI_C_TRY(tvm_ffi_function_call(function, NULL, 0, &result));
  printf("size: %d\n", (int)result.v_int64);
  tvm_ffi_object_release(function);

  /* The loader was registered when the library was loaded. */
  TVM_FFI_C_TRY(tvm_ffi_any_read_bytes(&bytes, &text));
  printf("saved: %d bytes\n", (int)text.size);
  TVM_FFI_C_TRY(
      tvm_ffi_function_call_global("ffi.Module.load_from_bytes.channel_scale", &bytes, 1, &result));
  tvm_ffi_any_clear(&bytes);
  module = result.v_obj;
  TVM_FFI_C_TRY(apply(module, 3));
  tvm_ffi_object_release(module);
  return 0;
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle library = NULL;
  if (argc != 2) return 2;
  if (tvm_ffi_module_load(argv[1], &library) != 0 || run(library) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  tvm_ffi_object_release(library); /* last: the modules that it made are its code */
  return 0;
}
