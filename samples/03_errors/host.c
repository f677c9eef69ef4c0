/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the errors of kernel.c: kind, message, cause, context, and the one for a kernel that raises
 * none. */
#include <tvm/ffi/c.h>

static TVMFFIObjectHandle module;

/* Calls a kernel. Returns the error it raised, owned, or NULL. */
static TVMFFIObjectHandle call(const char *name, const TVMFFIAny *args, int32_t num_args) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result;
  int code;
  if (tvm_ffi_module_get_function(module, name, &function) != 0) return tvm_ffi_error_take();
  code = tvm_ffi_function_call(function, args, num_args, &result);
  tvm_ffi_object_release(function);
  if (code != 0) return tvm_ffi_error_take();
  printf("%s returned %lld\n", name, (long long)result.v_int64);
  tvm_ffi_any_clear(&result);
  return NULL;
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle error;
  TVMFFIByteArray text;
  TVMFFIAny arg;
  char buffer[20];
  size_t size;

  if (argc != 2) return 2;
  if (tvm_ffi_module_load(argv[1], &module) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }

  arg = tvm_ffi_any_view_string("1024");
  call("parse", &arg, 1);

  /* Printed with its cause. */
  arg = tvm_ffi_any_view_string("10x4");
  error = call("parse", &arg, 1);
  tvm_ffi_error_print(error, stdout);

  /* Part by part. Texts are NUL-terminated; the cause is an error like any other. */
  printf("kind %s, message %s\n", tvm_ffi_error_get_kind(error).data,
         tvm_ffi_error_get_message(error).data);
  printf("cause: %s\n", tvm_ffi_error_get_message(tvm_ffi_error_get_cause(error)).data);
  size = tvm_ffi_error_format(error, buffer, sizeof buffer);
  printf("in 20 bytes: %s (of %d)\n", buffer, (int)size);
  tvm_ffi_object_release(error);

  /* Acting on a kind; the first line of the backtrace is where it was raised. */
  error = call("overheat", NULL, 0);
  if (tvm_ffi_error_is(error, "HardwareError")) printf("switch it off: ");
  tvm_ffi_error_print(error, stdout);
  text = tvm_ffi_error_get_backtrace(error);
  printf("backtrace names the kernel's file: %s\n",
         strstr(text.data, "kernel.c\", line ") != NULL ? "yes" : "no");
  tvm_ffi_object_release(error);

  /* The object attached to the error. */
  if (tvm_ffi_string_create("a long enough string", &arg) != 0) return 1;
  error = call("refuse", &arg, 1);
  tvm_ffi_any_clear(&arg);
  tvm_ffi_error_print(error, stdout);
  arg = tvm_ffi_any_view_object(tvm_ffi_error_get_context(error));
  if (tvm_ffi_any_try_string(&arg, &text)) printf("context: %s\n", text.data);
  tvm_ffi_object_release(error);

  /* For a failure without an error, one is raised. */
  error = call("fail_silently", NULL, 0);
  tvm_ffi_error_print(error, stdout);
  tvm_ffi_object_release(error);

  /* Nothing is raised now. */
  tvm_ffi_error_print(tvm_ffi_error_take(), stdout);
  tvm_ffi_object_release(module);
  return 0;
}
