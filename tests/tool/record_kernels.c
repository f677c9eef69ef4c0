/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for the tests of `tvm-ffi record`: what they do decides what has to be recorded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>

/* y += x, and fails for every tenth n, after it has changed y. */
TVM_FFI_C_EXPORT(add, "(y: DLTensor*, x: DLTensor*, n: int) -> void") {
  DLTensor *x, *y;
  int64_t n, i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 2, &n));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 0, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT32));
  for (i = 0; i < x->shape[0]; ++i) {
    ((float *)tvm_ffi_tensor_get_data(y))[i * y->strides[0]] +=
        ((const float *)tvm_ffi_tensor_get_data(x))[i * x->strides[0]];
  }
  if (n % 10 == 9) return TVM_FFI_C_RAISE("ValueError", "n is %lld", (long long)n);
  return 0;
}

/* Writes to the tensor, and then where no memory is. */
TVM_FFI_C_EXPORT(crash, "(y: DLTensor*) -> void") {
  volatile char *volatile nowhere = NULL;
  DLTensor *y;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &y));
  ((float *)tvm_ffi_tensor_get_data(y))[0] = 99;
  nowhere[8] = 1;
  return 0;
}

TVM_FFI_C_EXPORT(leave, "() -> void") {
  (void)args;
  _exit(3);
}

TVM_FFI_C_EXPORT(die, "() -> void") {
  (void)args;
  return raise(SIGKILL);
}

/* A reference to its argument. */
TVM_FFI_C_EXPORT(echo, "(x: Any) -> Any") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  return tvm_ffi_any_copy(&args->args[0], args->result);
}

/* Takes anything, and does not look at it. */
TVM_FFI_C_EXPORT(consume, "(...) -> void") {
  (void)args;
  return 0;
}

/* Calls a function with one argument. */
TVM_FFI_C_EXPORT(apply, "(f: Callable, x: Any) -> Any") {
  TVMFFIObjectHandle f;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 0, &f));
  return tvm_ffi_function_call(f, &args->args[1], 1, args->result);
}

/* What lookups mean that depend on who makes them; this library is opened with RTLD_LOCAL. */
TVM_FFI_C_EXPORT(scope, "() -> int") {
  int64_t found = 0;
  if (dlsym(RTLD_DEFAULT, "__tvm_ffi_scope") != NULL) found |= 1;
  if (dlsym(RTLD_DEFAULT, "__tvm_ffi_echo") == dlsym(RTLD_DEFAULT, "__tvm_ffi_echo")) found |= 2;
  if (dlsym(RTLD_NEXT, "malloc") != NULL) found |= 4;
  if (dlsym(RTLD_NEXT, "__tvm_ffi_scope") != NULL) found |= 8;
  if (dlerror() != NULL) found |= 16;
  if (dlerror() != NULL) found |= 32;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(found));
}

/* 5000 functions, more than the recorder has thunks for. */
/* clang-format off */
#define MANY(n)                                                                                \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_many_##n(void *self, const TVMFFIAny *args, int32_t num_args, \
                                            TVMFFIAny *result);                                \
  int __tvm_ffi_many_##n(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) { \
    (void)self, (void)args, (void)num_args, (void)result;                                      \
    return 0;                                                                                  \
  }
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define TENS(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDREDS(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define MANY_10(n) TEN(MANY, n)
#define MANY_100(n) TENS(MANY_10, n)
#define MANY_1000(n) HUNDREDS(MANY_100, n)
MANY_1000(1) MANY_1000(2) MANY_1000(3) MANY_1000(4) MANY_1000(5)
    /* clang-format on */

    TVM_FFI_C_FUNCTION(eight, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(8));
}

/* Makes one of them known to the system library, as other compilers' libraries do. */
TVM_FFI_C_EXPORT(register_eight, "() -> int") {
  union {
    TVMFFISafeCallType function;
    void *address;
  } cast;
  cast.function = eight;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(TVMFFIEnvModRegisterSystemLibSymbol(
                                       "__tvm_ffi_testing_eight", cast.address)));
}

/* A kernel, and a global function of the same name. */
TVM_FFI_C_EXPORT(one_name, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(1));
}

TVM_FFI_C_FUNCTION(other, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(2));
}

TVM_FFI_C_EXPORT(register_one_name, "() -> int") {
  const TVMFFIByteArray name = tvm_ffi_string_get_bytes("one_name");
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionCreate(NULL, other, NULL, &function) != 0 ||
      TVMFFIFunctionSetGlobal(&name, function, 1) != 0) {
    return -1;
  }
  tvm_ffi_object_release(function);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(0));
}
