/* SPDX-License-Identifier: Apache-2.0 */
/* A program that loads a kernel in a process of its own: isolated_host KERNEL [HELPER] */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/isolated.h>
#include <unistd.h>

static int run(const char *path, const char *helper) {
  tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
  TVMFFIObjectHandle module = NULL, scale = NULL;
  int64_t process;
  options.helper = helper;
  TVM_FFI_C_TRY(tvm_ffi_isolated_load(path, &options, &module));
  TVM_FFI_C_TRY(tvm_ffi_isolated_read_process(module, 0, &process));
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "scale", &scale));
  tvm_ffi_object_release(scale);
  tvm_ffi_object_release(module);
  puts(process > 0 && process != getpid() ? "in another process" : "in this process");
  return 0;
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle error;
  if (argc < 2) return 2;
  if (run(argv[1], argc > 2 ? argv[2] : NULL) == 0) return 0;
  error = tvm_ffi_error_take();
  puts(tvm_ffi_error_get_message(error).data);
  tvm_ffi_object_release(error);
  return 1;
}
