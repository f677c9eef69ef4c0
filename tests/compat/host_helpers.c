/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What c/host.h and its like do for a host, on the runtime that the system's loader finds. Prints
 * results, which are the same on every runtime unless host_helpers.py says so.
 *
 *     host_helpers LIBRARY      one with a kernel `add`: tests/modules/kernels.c
 */
#include <fenv.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/host.h>

static tvm_ffi_function_cache cache = TVM_FFI_C_FUNCTION_CACHE_INIT;

static void print(const char *label, int code) {
  char text[200] = "";
  if (code != 0) tvm_ffi_error_format_raised(text, sizeof text);
  printf("%s: %d %s\n", label, code, text);
}

static int count_down(void *context) {
  return --*(int *)context == 0;
}

TVM_FFI_C_FUNCTION(run_on, "() -> int") {
  int64_t i;
  for (i = 0; i < 100; ++i) TVM_FFI_C_TRY(tvm_ffi_env_check_interrupt());
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(i));
}

TVM_FFI_C_FUNCTION(write_to, "(0: DLTensor*) -> void") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  return tvm_ffi_args_check_writable(args, 0);
}

TVM_FFI_C_FUNCTION(change_rounding, "() -> void") {
  (void)args;
  return fesetround(FE_UPWARD);
}

int main(int argc, char **argv) {
  const DLDevice devices[2] = {{kDLCPU, 0}, {kDLCUDA, 0}};
  TVMFFIObjectHandle add = NULL, again = NULL, missing = NULL, function = NULL, constant = NULL;
  float data[3] = {1, 2, 3};
  tvm_ffi_vector vector;
  const TVMFFIByteArray kind = {"ValueError", 10}, message = {"made before", 11}, none = {"", 0};
  TVMFFIObjectHandle prepared = NULL;
  tvm_ffi_float_state state;
  TVMFFIAny args[2], result;
  int left = 3;
  if (argc != 2) return 2;
  print("prime", tvm_ffi_thread_prime(devices, 2));

  print("get", tvm_ffi_function_cache_get(&cache, argv[1], "add", &add));
  print("get again", tvm_ffi_function_cache_get_current(&cache, argv[1], "add", &again));
  printf("the same: %d\n", add == again);
  args[0] = tvm_ffi_any_from_int64(40);
  args[1] = tvm_ffi_any_from_int64(2);
  print("call", tvm_ffi_float_state_call(add, args, 2, &result));
  printf("sum: %d\n", (int)result.v_int64);
  print("no such function", tvm_ffi_function_cache_get(&cache, argv[1], "no_such", &missing));
  tvm_ffi_object_release(add);
  tvm_ffi_object_release(again);
  tvm_ffi_function_cache_clear(&cache);

  print("make", TVMFFIFunctionCreate(NULL, run_on, NULL, &function));
  print("set a check", tvm_ffi_env_set_interrupt_check(count_down, &left));
  print("interrupted", tvm_ffi_function_call(function, NULL, 0, &result));
  print("set none", tvm_ffi_env_set_interrupt_check(NULL, NULL));
  print("not interrupted", tvm_ffi_function_call(function, NULL, 0, &result));
  tvm_ffi_object_release(function);

  print("make", TVMFFIFunctionCreate(NULL, change_rounding, NULL, &function));
  tvm_ffi_float_state_save(&state);
  print("round upward", tvm_ffi_function_call(function, NULL, 0, &result));
  printf("changed: %d\n", fegetround() == FE_UPWARD);
  tvm_ffi_float_state_restore(&state);
  printf("restored: %d\n", fegetround() == FE_TONEAREST);
  tvm_ffi_object_release(function);

  print("prepare", TVMFFIErrorCreate(&kind, &message, &none, &prepared));
  print("prepared", tvm_ffi_error_raise_prepared(prepared));
  tvm_ffi_object_release(prepared);

  print("make", TVMFFIFunctionCreate(NULL, write_to, NULL, &function));
  args[0] = tvm_ffi_vector_init(&vector, data, devices[0], TVM_FFI_C_FLOAT32, 3);
  print("view", tvm_ffi_function_call(function, args, 1, &result));
  print("constant", tvm_ffi_tensor_create_read_only(&vector.tensor, NULL, NULL, &constant));
  args[0] = tvm_ffi_any_view_object(constant);
  print("read-only", tvm_ffi_function_call(function, args, 1, &result));
  tvm_ffi_object_release(constant);
  tvm_ffi_object_release(function);
  return 0;
}
