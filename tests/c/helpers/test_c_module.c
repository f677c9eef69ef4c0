/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/module.h>
#include <tvm/ffi/c/string.h>

#include "support/check.h"

TEST(test_loading_and_calling) {
  TVMFFIObjectHandle module = NULL, add = NULL, fail = NULL;
  TVMFFIAny args[2], result;
  check_ok(tvm_ffi_module_load(module_path("kernels.so"), &module));
  assert_int_equal(TVMFFIObjectGetTypeIndex(module), kTVMFFIModule);
  check_ok(tvm_ffi_module_get_function(module, "add", &add));
  check_ok(tvm_ffi_module_find_function(module, "raise", &fail));
  TVMFFIObjectDecRef(module); /* the functions keep the module alive */
  args[0] = tvm_ffi_any_from_int64(40);
  args[1] = tvm_ffi_any_from_int64(2);
  check_ok(tvm_ffi_function_call(add, args, 2, &result));
  assert_int_equal(result.v_int64, 42);
  check_fails(tvm_ffi_function_call(fail, NULL, 0, &result), "ValueError", "raised by a kernel");
  TVMFFIObjectDecRef(add);
  TVMFFIObjectDecRef(fail);
}

TEST(test_a_function_and_its_module) {
  TVMFFIObjectHandle module = NULL, function = NULL;
  TVMFFIAny args[2], result;
  check_ok(tvm_ffi_module_load_with_function(module_path("kernels.so"), "add", &module, &function));
  assert_int_equal(TVMFFIObjectGetTypeIndex(module), kTVMFFIModule);
  TVMFFIObjectDecRef(module);
  args[0] = args[1] = tvm_ffi_any_from_int64(21);
  check_ok(tvm_ffi_function_call(function, args, 2, &result));
  assert_int_equal(result.v_int64, 42);
  TVMFFIObjectDecRef(function);
}

TEST(test_L_13_kernels_that_raise_nothing) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny arg = tvm_ffi_any_from_int64(-1), result;
  check_ok(tvm_ffi_module_load_function(module_path("kernels.so"), "return_code", &function));
  tvm_ffi_error_raise("Old", "error");
  assert_int_not_equal(tvm_ffi_function_call(function, &arg, 1, &result), 0);
  check_raised("InternalError", "callee returned -1 without setting an error");
  TVMFFIObjectDecRef(function);
}

TEST(test_what_is_missing) {
  TVMFFIObjectHandle module = NULL, function = &module;
  TVMFFIAny text;
  check_ok(tvm_ffi_module_load(module_path("kernels.so"), &module));
  check_ok(tvm_ffi_module_find_function(module, "no_such", &function));
  assert_null(function);
  check_fails(tvm_ffi_module_get_function(module, "no_such", &function), "AttributeError",
              "Module has no function `no_such`");
  TVMFFIObjectDecRef(module);
  check_fails(tvm_ffi_module_load_function(module_path("kernels.so"), "no_such", &function),
              "AttributeError", "Module has no function `no_such`");
  module = NULL;
  check_fails(
      tvm_ffi_module_load_with_function(module_path("kernels.so"), "no_such", &module, &function),
      "AttributeError", "Module has no function `no_such`");
  assert_null(module);
  check_fails_with(tvm_ffi_module_load(module_path("no_such_library.so"), &module), "InternalError",
                   "Failed to load dynamic shared library");
  check_fails_with(tvm_ffi_module_load(module_path("kernels.no_such_format"), &module),
                   "RuntimeError", "Loader for `.no_such_format` files is not registered");
  check_fails_with(tvm_ffi_module_find_function(NULL, "add", &function), "TypeError", "got `None`");
  check_ok(tvm_ffi_string_create("no module", &text));
  check_fails_with(tvm_ffi_module_find_function(text.v_obj, "add", &function), "TypeError",
                   "got `ffi.String`");
  tvm_ffi_any_clear(&text);
  assert_null(module);
  assert_null(function);
}

RUN_TESTS({
    cmocka_unit_test(test_loading_and_calling),
    cmocka_unit_test(test_a_function_and_its_module),
    cmocka_unit_test(test_L_13_kernels_that_raise_nothing),
    cmocka_unit_test(test_what_is_missing),
})
