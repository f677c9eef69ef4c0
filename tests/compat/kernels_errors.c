/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with our C headers: every way to raise an error, and to inspect one. */
#include <tvm/ffi/c.h>

static int read_texts(const tvm_ffi_args *args, const char **kind, const char **message) {
  TVMFFIByteArray texts[2];
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &texts[0]));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &texts[1]));
  *kind = texts[0].data, *message = texts[1].data;
  return 0;
}

#define RAISER(name, expression)                       \
  TVM_FFI_C_EXPORT(name, "(0: str, 1: str) -> void") { \
    const char *kind, *message;                        \
    TVM_FFI_C_TRY(read_texts(args, &kind, &message));  \
    return expression;                                 \
  }
RAISER(raise_plain, tvm_ffi_error_raise(kind, "%s", message))
RAISER(raise_here, TVM_FFI_C_RAISE(kind, "%s", message))
RAISER(raise_at, tvm_ffi_error_raise_at("their.py", 7, "train", kind, "%s", message))
RAISER(raise_long, TVM_FFI_C_RAISE(kind, "%300s|%300s", message, message))
RAISER(raise_over,
       (tvm_ffi_error_raise("Older", "%s", "replaced"), tvm_ffi_error_raise(kind, "%s", message)))
RAISER(raise_with_cause, (TVM_FFI_C_RAISE("KeyError", "the %s cause", "first"),
                          tvm_ffi_error_wrap("IndexError", "%s", "the second cause"),
                          tvm_ffi_error_wrap(kind, "%s", message)))
RAISER(wrap_nothing, (TVMFFIErrorSetRaised(NULL), tvm_ffi_error_wrap(kind, "%s", message)))
RAISER(raise_memory, ((void)kind, (void)message, tvm_ffi_error_raise_memory()))

/* raise_known(i): each error kind that has a constant. */
TVM_FFI_C_EXPORT(raise_known, "(0: int) -> void") {
  static const char *const kinds[] = {TVM_FFI_C_ASSERTION_ERROR,
                                      TVM_FFI_C_ATTRIBUTE_ERROR,
                                      TVM_FFI_C_INDEX_ERROR,
                                      TVM_FFI_C_INTERNAL_ERROR,
                                      TVM_FFI_C_KEY_ERROR,
                                      TVM_FFI_C_MEMORY_ERROR,
                                      TVM_FFI_C_NOT_IMPLEMENTED_ERROR,
                                      TVM_FFI_C_OVERFLOW_ERROR,
                                      TVM_FFI_C_RUNTIME_ERROR,
                                      TVM_FFI_C_TYPE_ERROR,
                                      TVM_FFI_C_VALUE_ERROR,
                                      "compat.OwnError"};
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 0, 0,
                                                (int64_t)(sizeof kinds / sizeof kinds[0]) - 1, &i));
  return tvm_ffi_error_raise(kinds[i], "kind %d", (int)i);
}

TVM_FFI_C_EXPORT(check_positive, "(0: int) -> int") {
  int64_t n;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
  TVM_FFI_C_CHECK(n > 0, TVM_FFI_C_VALUE_ERROR, "n must be positive, but is %lld", (long long)n);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(n));
}

/* Returns a failure code without raising an error. */
TVM_FFI_C_EXPORT(fail_silently, "(0: int) -> void") {
  int32_t code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 0, &code));
  return code;
}

/* The same without the macro that checks return codes: raises an error of kind number args[0]
 * unless that is 0, and returns args[1]. */
static int fail_plainly(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  static const char *const kinds[] = {NULL, TVM_FFI_C_VALUE_ERROR, TVM_FFI_C_ENV_ERROR_ALREADY_SET};
  const char *kind = kinds[args[0].v_int64];
  (void)self, (void)num_args, (void)result;
  if (kind != NULL) (void)tvm_ffi_error_raise(kind, "plainly");
  return (int)args[1].v_int64;
}

TVM_FFI_DLL_EXPORT int __tvm_ffi_fail_plainly(void *self, const TVMFFIAny *args, int32_t num_args,
                                              TVMFFIAny *result);
int __tvm_ffi_fail_plainly(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return fail_plainly(self, args, num_args, result);
}

/* The same as a Function that the kernel made, with or without a self pointer. */
TVM_FFI_C_EXPORT(make_failing, "(0: bool) -> ffi.Function") {
  static int self;
  TVMFFIObjectHandle function;
  bool with_self;
  TVM_FFI_C_TRY(tvm_ffi_args_read_bool(args, 0, &with_self));
  TVM_FFI_C_TRY(TVMFFIFunctionCreate(with_self ? &self : NULL, fail_plainly, NULL, &function));
  return tvm_ffi_args_return_object(args, function);
}

/* Waits for a signal whose handler raises an exception in Python, and returns the code. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_await_signal(void *self, const TVMFFIAny *args, int32_t num_args,
                                              TVMFFIAny *result);
int __tvm_ffi_await_signal(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  while (TVMFFIEnvCheckSignals() == 0) continue;
  return fail_plainly(self, args, num_args, result);
}

/* Calls a function and describes its error in full; the error is not passed on. */
TVM_FFI_C_EXPORT(tell_error, "(0: ffi.Function) -> str") {
  TVMFFIObjectHandle function, error, cause;
  char whole[400], cut[12];
  size_t size;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 0, &function));
  if (tvm_ffi_function_call_void(function, NULL, 0) == 0) {
    return tvm_ffi_string_create("no error", args->result);
  }
  error = tvm_ffi_error_take();
  cause = tvm_ffi_error_get_cause(error);
  size = tvm_ffi_error_format(error, whole, sizeof whole);
  if (tvm_ffi_error_format(error, cut, sizeof cut) != size) {
    tvm_ffi_object_release(error);
    return TVM_FFI_C_RAISE(TVM_FFI_C_INTERNAL_ERROR, "the lengths differ");
  }
  code = tvm_ffi_string_create_formatted(
      args->result, "%s|%s|%s|%s|%d|cause %s|context %d|left %d",
      tvm_ffi_error_get_kind(error).data, tvm_ffi_error_get_message(error).data, whole, cut,
      tvm_ffi_error_is(error, TVM_FFI_C_VALUE_ERROR) && !tvm_ffi_error_is(NULL, "ValueError"),
      cause != NULL ? tvm_ffi_error_get_message(cause).data : "none",
      tvm_ffi_error_get_context(error) != NULL ? 1 : 0, tvm_ffi_error_take() != NULL ? 1 : 0);
  tvm_ffi_object_release(error);
  return code;
}

/* Looks for the line of the backtrace that says where the function's error was raised. */
TVM_FFI_C_EXPORT(tell_place, "(0: ffi.Function) -> bool") {
  TVMFFIObjectHandle function, error;
  bool found;
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 0, &function));
  if (tvm_ffi_function_call_void(function, NULL, 0) == 0) return 0;
  error = tvm_ffi_error_take();
  found = tvm_ffi_error_get_backtrace(error).size != 0 &&
          strstr(tvm_ffi_error_get_backtrace(error).data, "\"their.py\", line 7, in train") != NULL;
  tvm_ffi_object_release(error);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_bool(found));
}

/* Returns what the printing functions write to a file. */
TVM_FFI_C_EXPORT(print_error, "(0: ffi.Function) -> str") {
  TVMFFIObjectHandle function, error;
  char text[1000];
  size_t size;
  FILE *file = tmpfile();
  if (file == NULL) return TVM_FFI_C_RAISE(TVM_FFI_C_RUNTIME_ERROR, "no temporary file");
  if (tvm_ffi_args_read_function(args, 0, &function) != 0 ||
      tvm_ffi_function_call_void(function, NULL, 0) != 0) {
    error = tvm_ffi_error_take();
    tvm_ffi_error_print(error, file);
    TVMFFIErrorSetRaised(error);
    tvm_ffi_error_print_raised(file);
    tvm_ffi_object_release(error);
  }
  tvm_ffi_error_print_raised(file); /* with no error raised */
  rewind(file);
  size = fread(text, 1, sizeof text, file);
  fclose(file);
  return tvm_ffi_string_create_sized(text, size, args->result);
}

/* The same for a backtrace: how many lines it has, and whether one of them names this file. */
TVM_FFI_C_EXPORT(print_backtrace, "() -> bool") {
  TVMFFIObjectHandle error;
  char line[600];
  bool found = false;
  FILE *file;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 0));
  file = tmpfile();
  if (file == NULL) return TVM_FFI_C_RAISE(TVM_FFI_C_RUNTIME_ERROR, "no temporary file");
  (void)TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "somewhere");
  error = tvm_ffi_error_take();
  tvm_ffi_error_print_backtrace(error, file);
  tvm_ffi_object_release(error);
  rewind(file);
  while (fgets(line, sizeof line, file) != NULL) {
    found = found || strstr(line, "kernels_errors.c\", line ") != NULL;
  }
  fclose(file);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_bool(found));
}

/* Fails as a frontend does whose callback has failed: the error is already raised. */
TVM_FFI_C_EXPORT(already_set, "() -> void") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 0));
  return tvm_ffi_error_ensure(tvm_ffi_error_raise(TVM_FFI_C_ENV_ERROR_ALREADY_SET, "%s", ""));
}
