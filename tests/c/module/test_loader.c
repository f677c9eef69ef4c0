/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* symlink, mkdtemp */
#include <dlfcn.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#include "c/module_support.h"
#include "core/object.h"
#include "core/string_object.h"
#include "support/environment.h"

/* ---- A loader that records its arguments ---- */

static char given_path[256], given_format[32];
static TVMFFIObject *to_give; /* owned by the tests */

static int give_module(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray text;
  (void)handle;
  assert_int_equal(num_args, 2);
  assert_int_not_equal(args[0].type_index, kTVMFFIRawStr); /* loaders get owned strings */
  assert_true(tvmffi_any_get_text(&args[0], &text));
  (void)snprintf(given_path, sizeof given_path, "%s", text.data);
  assert_true(tvmffi_any_get_text(&args[1], &text));
  (void)snprintf(given_format, sizeof given_format, "%s", text.data);
  *result = tvmffi_any_object(to_give);
  tvmffi_object_retain(to_give);
  return 0;
}

static int give_text(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  (void)num_args;
  return TVMFFIAnyViewToOwnedAny(&args[0], result);
}

static int fail_silently(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  (void)result;
  return -1;
}

static void check_format(const char *path, const char *format) {
  TVMFFIObject *module;
  given_path[0] = given_format[0] = '\0';
  check_ok(load_file(path, &module));
  assert_ptr_equal(module, to_give);
  assert_string_equal(given_path, path);
  assert_string_equal(given_format, format);
  TVMFFIObjectDecRef(module);
}

/* The built-in loader is replaced, so that the test needs no files. */
TEST(test_L_16a_the_format_of_a_file_name) {
  static const char *const libraries[] = {
      "lib.so",     "lib.dll",       "lib.dylib",    "lib.dso",      "a/b/lib.so",
      "lib.so.1",   "lib.so.1.22.3", "./mods/noext", "noext",        "a.b/noext",
      "a.b/c.so.1", "dir.x\\noext",  "lib.abc.so",   "lib.abc.so.0", "/"};
  size_t i;
  to_give = get_system_lib("");
  register_global("ffi.Module.load_from_file.so", give_module);
  register_global("ffi.Module.load_from_file.abc", give_module);
  register_global("ffi.Module.load_from_file.a_long_format", give_module);
  register_global("ffi.Module.load_from_file.1", give_module);
  register_global("ffi.Module.load_from_file.", give_module);
  for (i = 0; i < sizeof libraries / sizeof libraries[0]; ++i) check_format(libraries[i], "so");
  check_format("lib.abc", "abc");
  check_format("dir.so/lib.abc", "abc");
  check_format("lib.so.abc", "abc");
  check_format("model.a_long_format", "a_long_format");
  check_format("model.1", "1"); /* a number that is no version of a library */
  check_format("model.1.1", "1");
  check_format("model.", "");
  check_format("model.abc.1", "1");
  remove_global("ffi.Module.load_from_file.so"); /* only now the built-in loader is back */
  TVMFFIObjectDecRef(to_give);
}

TEST(test_no_loader) {
  TVMFFIObject *module;
  check_fails(load_file("lib.SO", &module), "RuntimeError",
              "Loader for `.SO` files is not registered, resolved to "
              "(ffi.Module.load_from_file.SO) in the global registry.Ensure that you have loaded "
              "the correct runtime code, andthat you are on the correct hardware architecture.");
  check_fails_with(load_file("", &module), "RuntimeError", "Failed to get file format from");
}

TEST(test_what_loaders_give) {
  TVMFFIObject *module;
  register_global("ffi.Module.load_from_file.test", call_seven);
  check_fails(load_file("x.test", &module), "TypeError",
              "Cannot convert from type `int` to `ffi.Module`");
  register_global("ffi.Module.load_from_file.test", give_text);
  check_fails(load_file("a path of some length.test", &module), "TypeError",
              "Cannot convert from type `ffi.String` to `ffi.Module`");
  register_global("ffi.Module.load_from_file.test", fail_silently);
  check_fails(load_file("x.test", &module), "InternalError",
              "callee returned -1 without setting an error");
  remove_global("ffi.Module.load_from_file.test");
}

/* ---- Files, with the built-in loader ---- */

TEST(test_files_by_other_names) {
  static const char *const names[] = {"libgood.so.1", "noext", "lib.dylib", "lib.dll", "a.b.so"};
  char folder[kEnvironmentPath], path[sizeof folder + 32];
  size_t i;
  environment_temporary("tvm_ffi_test", folder);
  assert_non_null(mkdtemp(folder));
  for (i = 0; i < sizeof names / sizeof names[0]; ++i) {
    TVMFFIObject *module;
    (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    assert_int_equal(symlink(module_path("kernels.so"), path), 0);
    check_ok(load_file(path, &module));
    assert_int_equal(call_int(module, "main"), 1);
    TVMFFIObjectDecRef(module);
    assert_int_equal(unlink(path), 0);
  }
  assert_int_equal(rmdir(folder), 0);
}

TEST(test_files_that_are_not_there) {
  TVMFFIAny args[2], result;
  TVMFFIObject *module;
  check_fails_with(load_file("./nosuch.so", &module), "InternalError",
                   "Failed to load dynamic shared library ./nosuch.so ");
  check_fails_with(load_file(__FILE__ "_not/here", &module), "InternalError",
                   "Failed to load dynamic shared library ");
  args[0] = tvmffi_any_raw_str("");
  args[1] = tvmffi_any_raw_str("so");
  check_fails_with(call_global("ffi.Module.load_from_file.so", args, 2, &result), "InternalError",
                   "empty path");
  check_ok(tvmffi_string_to_any("a\0b.so", 6, &args[0]));
  check_fails_with(call_global("ffi.ModuleLoadFromFile", args, 1, &result), "InternalError",
                   "NUL character");
}

/* ---- The functions for other languages ---- */

TEST(test_from_other_languages) {
  TVMFFIObjectHandle module, function;
  TVMFFIAny result = tvmffi_any_none();
  check_ok(TVMFFIRuntimeModuleLoad(module_path("kernels.so"), &module));
  check_ok(TVMFFIRuntimeModuleGetFunction(module, "main", &function));
  TVMFFIObjectDecRef(module);
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &result));
  assert_int_equal(result.v_int64, 1);
  TVMFFIObjectDecRef(function);
}

static void test_refusals_for_other_languages(void **state) {
  TVMFFIObjectHandle module, out = (void *)state;
  TVMFFIAny text;
  check_fails_with(TVMFFIRuntimeModuleLoad("./nosuch.so", &out), "InternalError",
                   "Failed to load dynamic shared library ./nosuch.so ");
  check_fails(TVMFFIRuntimeModuleLoad(NULL, &out), "ValueError",
              "TVMFFIRuntimeModuleLoad: argument `path` must not be NULL");
  check_fails(TVMFFIRuntimeModuleLoad("x.so", NULL), "ValueError",
              "TVMFFIRuntimeModuleLoad: argument `out` must not be NULL");

  module = load("kernels.so");
  check_fails(TVMFFIRuntimeModuleGetFunction(module, "nosuch", &out), "AttributeError",
              "Module has no function `nosuch`");
  check_fails(TVMFFIRuntimeModuleGetFunction(NULL, "main", &out), "ValueError",
              "TVMFFIRuntimeModuleGetFunction: argument `module` must not be NULL");
  check_fails(TVMFFIRuntimeModuleGetFunction(module, NULL, &out), "ValueError",
              "TVMFFIRuntimeModuleGetFunction: argument `name` must not be NULL");
  check_fails(TVMFFIRuntimeModuleGetFunction(module, "main", NULL), "ValueError",
              "TVMFFIRuntimeModuleGetFunction: argument `out` must not be NULL");
  check_ok(tvmffi_string_to_any("a text of some length", 21, &text));
  check_fails(TVMFFIRuntimeModuleGetFunction(text.v_obj, "main", &out), "TypeError",
              "TVMFFIRuntimeModuleGetFunction: expected `module` to be a `ffi.Module`, but got a "
              "`ffi.String`");
  assert_ptr_equal(out, state); /* none of them has written a result */
  TVMFFIObjectDecRef(text.v_obj);
  TVMFFIObjectDecRef(module);
}

/* A static program exports all functions of the ABI to the libraries that it loads. */
TEST(test_all_functions_are_there) {
  static const char *const some[] = {"TVMFFIEnvTensorAlloc",    "TVMFFIGetVersion",
                                     "TVMFFIBacktrace",         "TVMFFITensorCreateUnsafeView",
                                     "TVMFFIHandleDeinitOnce",  "TVMFFITypeRegisterAttr",
                                     "TVMFFIObjectCreateOpaque"};
  void *program = dlopen(NULL, RTLD_LAZY);
  size_t i;
  assert_non_null(program);
  for (i = 0; i < sizeof some / sizeof some[0]; ++i) assert_non_null(dlsym(program, some[i]));
  (void)dlclose(program);
}

RUN_TESTS({
    cmocka_unit_test(test_files_by_other_names), cmocka_unit_test(test_files_that_are_not_there),
    cmocka_unit_test(test_from_other_languages),
    cmocka_unit_test(test_refusals_for_other_languages),
    cmocka_unit_test(test_all_functions_are_there), cmocka_unit_test(test_no_loader),
    cmocka_unit_test(test_what_loaders_give),
    cmocka_unit_test(test_L_16a_the_format_of_a_file_name), /* last: it replaces the loader */
})
