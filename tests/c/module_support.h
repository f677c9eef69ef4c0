/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of modules. */
#ifndef TESTS_C_MODULE_SUPPORT_H_
#define TESTS_C_MODULE_SUPPORT_H_

#include "core/any.h"
#include "core/function.h"
#include "support/check.h"

/* Calls a global function. */
static inline int call_global(const char *name, const TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function;
  int rc;
  *result = tvmffi_any_none();
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &function));
  assert_non_null(function);
  rc = tvmffi_function_call_foreign(function, args, num_args, result);
  TVMFFIObjectDecRef(function);
  return rc;
}

/*
 * Calls a global function whose first argument is a module. A NULL text or a negative flag is left
 * out of the arguments.
 */
static inline int call_on(TVMFFIObject *module, const char *name, const char *text, int flag,
                          TVMFFIAny *result) {
  TVMFFIAny args[3];
  int32_t n = 0;
  args[n++] = tvmffi_any_object(module);
  if (text != NULL) args[n++] = tvmffi_any_raw_str(text);
  if (flag >= 0) args[n++] = tvmffi_any_bool(flag);
  return call_global(name, args, n, result);
}

static inline int load_file(const char *path, TVMFFIObject **out) {
  TVMFFIAny path_arg = tvmffi_any_raw_str(path), result;
  int rc = call_global("ffi.ModuleLoadFromFile", &path_arg, 1, &result);
  *out = rc == 0 ? result.v_obj : NULL;
  return rc;
}

/* Loads a library of tests/modules. */
static inline TVMFFIObject *load(const char *file) {
  TVMFFIObject *module;
  check_ok(load_file(module_path(file), &module));
  assert_int_equal(module->type_index, kTVMFFIModule);
  return module;
}

static inline TVMFFIObject *get_system_lib(const char *prefix) {
  TVMFFIAny prefix_arg = tvmffi_any_raw_str(prefix), result;
  check_ok(call_global("ffi.SystemLib", &prefix_arg, 1, &result));
  return result.v_obj;
}

static inline void import_module(TVMFFIObject *module, TVMFFIObject *imported) {
  TVMFFIAny args[2], result;
  args[0] = tvmffi_any_object(module);
  args[1] = tvmffi_any_object(imported);
  check_ok(call_global("ffi.ModuleImportModule", args, 2, &result));
}

/* Returns the function of this name, or NULL if there is none. */
static inline TVMFFIObject *get_function(TVMFFIObject *module, const char *name,
                                         int query_imports) {
  TVMFFIAny result;
  check_ok(call_on(module, "ffi.ModuleGetFunction", name, query_imports, &result));
  return result.type_index == kTVMFFINone ? NULL : result.v_obj;
}

/* Gets a function of the module itself (not of its imports), calls it and releases it. */
static inline int call_function(TVMFFIObject *module, const char *name, const TVMFFIAny *args,
                                int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *function = get_function(module, name, 0);
  int rc;
  assert_non_null(function);
  *result = tvmffi_any_none();
  rc = TVMFFIFunctionGetCellPtr(function)->safe_call(function, args, num_args, result);
  TVMFFIObjectDecRef(function);
  return rc;
}

/* Calls a kernel that takes no arguments and returns an int. */
static inline int64_t call_int(TVMFFIObject *module, const char *name) {
  TVMFFIAny result;
  check_ok(call_function(module, name, NULL, 0, &result));
  assert_int_equal(result.type_index, kTVMFFIInt);
  return result.v_int64;
}

static inline void register_global(const char *name, TVMFFISafeCallType safe_call) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function;
  check_ok(TVMFFIFunctionCreate(NULL, safe_call, NULL, &function));
  check_ok(TVMFFIFunctionSetGlobal(&bytes, function, 1));
  TVMFFIObjectDecRef(function);
}

static inline void remove_global(const char *name) {
  TVMFFIAny name_arg = tvmffi_any_raw_str(name), result;
  check_ok(call_global("ffi.FunctionRemoveGlobal", &name_arg, 1, &result));
}

/* The address of a function as a data pointer, as symbol tables hold it. */
static inline void *address_of(TVMFFISafeCallType kernel) {
  union {
    TVMFFISafeCallType kernel;
    void *address;
  } cast;
  cast.kernel = kernel;
  return cast.address;
}

#endif /* TESTS_C_MODULE_SUPPORT_H_ */
