/* SPDX-License-Identifier: Apache-2.0 */
/* Global functions for test_module_*.mjs: what the kernels of the demo do not do. */
#include <stdio.h>
#include <tvm/ffi/c.h>

TVM_FFI_C_FUNCTION(print, "(0: str) -> void") {
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &text));
  printf("%s\n", text.data);
  fflush(stdout);
  return 0;
}

TVM_FFI_C_FUNCTION(type_index, "(0: Any) -> int") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(args->args[0].type_index));
}

TVM_FFI_C_FUNCTION(trap, "() -> void") {
  __builtin_trap();
}

TVM_FFI_C_FUNCTION(fail_silently, "() -> void") {
  return -1;
}

TVM_FFI_C_FUNCTION(fail_with_cause, "() -> void") {
  (void)tvm_ffi_error_raise(TVM_FFI_C_KEY_ERROR, "the cause");
  return tvm_ffi_error_wrap(TVM_FFI_C_RUNTIME_ERROR, "the effect");
}

/* A tensor that the kernel allocates: 0, 1, 2, ... */
TVM_FFI_C_FUNCTION(range, "(0: int) -> Tensor") {
  TVMFFIObjectHandle tensor;
  int64_t n, i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
  TVM_FFI_C_TRY(
      tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_INT32, 1, &n, &tensor));
  for (i = 0; i < n; ++i) ((int32_t *)TVMFFITensorGetDLTensorPtr(tensor)->data)[i] = (int32_t)i;
  *args->result = tvm_ffi_any_take_object(tensor);
  return 0;
}

/* Every second element of a vector, as a view of it. */
TVM_FFI_C_FUNCTION(skip_every_second, "(0: Tensor) -> Tensor") {
  TVMFFIObjectHandle source, view;
  int64_t shape, stride = 2;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor_object(args, 0, &source));
  shape = TVMFFITensorGetDLTensorPtr(source)->shape[0] / 2;
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_view(source, 1, &shape, &stride, 0, &view));
  *args->result = tvm_ffi_any_take_object(view);
  return 0;
}

/* A tensor on a GPU, which is not looked at. */
TVM_FFI_C_FUNCTION(far_away, "(0: Function) -> Any") {
  TVMFFIObjectHandle callback;
  int64_t shape = 1, stride;
  TVMFFIAny view;
  DLTensor tensor;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 0, &callback));
  tvm_ffi_tensor_init(&tensor, NULL, tvm_ffi_device_make(kDLCUDA, 3), TVM_FFI_C_FLOAT32, 1, &shape,
                      &stride);
  view = tvm_ffi_any_view_tensor(&tensor);
  return tvm_ffi_function_call(callback, &view, 1, args->result);
}

/* Values that JavaScript does not make: a data type, a device, raw text, bytes and a pointer. */
TVM_FFI_C_FUNCTION(call_with_views, "(0: Function) -> Any") {
  TVMFFIByteArray bytes = {"\1\2\3", 3};
  TVMFFIObjectHandle callback;
  TVMFFIAny views[5];
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 0, &callback));
  views[0] = tvm_ffi_any_from_dtype(TVM_FFI_C_BFLOAT16);
  views[1] = tvm_ffi_any_from_device(tvm_ffi_device_make(kDLCUDA, 3));
  views[2] = tvm_ffi_any_view_string("raw text");
  views[3] = tvm_ffi_any_view_bytes(&bytes);
  views[4] = tvm_ffi_any_from_pointer((void *)4096);
  return tvm_ffi_function_call(callback, views, 5, args->result);
}

/* Written by emit.py from formulas.py. */
extern int __tvm_ffi_everything(void *self, const TVMFFIAny *args, int32_t num_args,
                                TVMFFIAny *result);
extern int __tvm_ffi_swap(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
#define everything __tvm_ffi_everything
#define swap __tvm_ffi_swap

#define REGISTER(name) \
  if (tvm_ffi_function_register("test." #name, name, false) != 0) tvm_ffi_error_print_raised(stderr)

__attribute__((constructor)) static void register_functions(void) {
  REGISTER(print);
  REGISTER(everything);
  REGISTER(swap);
  REGISTER(type_index);
  REGISTER(trap);
  REGISTER(fail_silently);
  REGISTER(fail_with_cause);
  REGISTER(range);
  REGISTER(skip_every_second);
  REGISTER(far_away);
  REGISTER(call_with_views);
}
