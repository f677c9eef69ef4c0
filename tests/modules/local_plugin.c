/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin with the runtime inside, or linked with it, for hosts that open plugins with RTLD_LOCAL
 * (tests/plugins.py). It prints what it sees.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_runtime_api.h>

/* bound.c has a function of this name, which its kernels must call. */
TVM_FFI_DLL_EXPORT const char *test_message(void);
TVM_FFI_DLL_EXPORT const char *test_message(void) {
  return "raised by the plugin's function of that name";
}

static void print_error(void) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == NULL) {
    puts("no error in the slot");
  } else {
    const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
    printf("%s: %s\n", cell->kind.data, cell->message.data);
    TVMFFIObjectDecRef(error);
  }
}

static int call_global(const char *name, TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray text;
  TVMFFIObjectHandle function = NULL;
  int rc;
  text.data = name;
  text.size = strlen(name);
  if (TVMFFIFunctionGetGlobal(&text, &function) != 0 || function == NULL) return -1;
  *result = tvm_ffi_any_none();
  rc = TVMFFIFunctionCall(function, args, num_args, result);
  TVMFFIObjectDecRef(function);
  return rc;
}

/*
 * Loads the kernels in TEST_KERNELS (separated by colons), calls `raise` of each and prints its
 * error. If TEST_UNLOAD is set, it then unloads them. This is also a function for Lua, which pushes
 * no results.
 */
TVM_FFI_DLL_EXPORT int test_local_plugin(void *state);
TVM_FFI_DLL_EXPORT int test_local_plugin(void *state) {
  char kernels[4096], *path, *end;
  (void)state;
  (void)setvbuf(stdout, NULL, _IONBF, 0);
  (void)snprintf(kernels, sizeof kernels, "%s", getenv("TEST_KERNELS"));
  for (path = kernels; path != NULL; path = end) {
    TVMFFIAny args[3], module, kernel, result = tvm_ffi_any_none();
    end = strchr(path, ':');
    if (end != NULL) *end++ = '\0';
    args[0] = tvm_ffi_any_view_string(path);
    if (call_global("ffi.ModuleLoadFromFile", args, 1, &module) != 0) {
      print_error();
      continue;
    }
    args[0] = module;
    args[1] = tvm_ffi_any_view_string("raise");
    args[2] = tvm_ffi_any_from_bool(0);
    if (call_global("ffi.ModuleGetFunction", args, 3, &kernel) != 0) print_error();
    if (TVMFFIFunctionCall(kernel.v_obj, NULL, 0, &result) == 0) puts("it did not fail");
    print_error();
    TVMFFIObjectDecRef(kernel.v_obj);
    if (getenv("TEST_UNLOAD") != NULL && TVMFFIRuntimeModuleAllowUnload(module.v_obj) != 0) {
      print_error();
    }
    TVMFFIObjectDecRef(module.v_obj);
  }
  return 0;
}
