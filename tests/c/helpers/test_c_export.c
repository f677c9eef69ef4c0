/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/export.h>
#include <tvm/ffi/c/function.h>

#include "support/check.h"

TVM_FFI_C_EXPORT(subtract, "(0: int, 1: int) -> int") {
  int64_t a, b;
  assert_null(args->self);
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &a));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &b));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(a - b));
}
TVM_FFI_C_EXPORT_DOC(subtract, "What is left of a when b is taken away.");
TVM_FFI_C_EXPORT_METADATA(subtract, "{\"type_schema\":\"{}\"}");

TVM_FFI_C_EXPORT(add_one, "(0: DLTensor*, 1: DLTensor*) -> void") {
  return tvm_ffi_args_check_count(args, 2);
}
TVM_FFI_C_EXPORT_SCHEMA(add_one, TVM_FFI_C_TYPE("None"),
                        TVM_FFI_C_TYPE("DLTensor*") "," TVM_FFI_C_TYPE("DLTensor*"));

TVM_FFI_C_EXPORT(none, "() -> Optional<Map<str, Any>>") {
  return tvm_ffi_args_check_count(args, 0);
}
TVM_FFI_C_EXPORT_SCHEMA(
    none,
    TVM_FFI_C_TYPE_OF("Optional",
                      TVM_FFI_C_TYPE_OF("ffi.Map",
                                        TVM_FFI_C_TYPE("ffi.String") "," TVM_FFI_C_TYPE("Any"))),
    "");

TVM_FFI_C_FUNCTION(count_calls, "() -> int") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 0));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(++*(int *)args->self));
}

TVM_FFI_C_EXPORT(fail_silently, "() -> void") {
  (void)args;
  return -5;
}

TEST(test_L_13_bodies_that_raise_nothing) {
  TVMFFIAny result = tvm_ffi_any_none();
  assert_int_equal(__tvm_ffi_fail_silently(NULL, NULL, 0, &result), -5);
  check_raised("InternalError", "callee returned -5 without setting an error");
}

/* The symbol has the signature of every exported function. */
TEST(test_the_symbol) {
  const TVMFFISafeCallType kernel = __tvm_ffi_subtract;
  TVMFFIAny args[2], result = tvm_ffi_any_none();
  args[0] = tvm_ffi_any_from_int64(44);
  args[1] = tvm_ffi_any_from_int64(2);
  check_ok(kernel(NULL, args, 2, &result));
  assert_int_equal(result.v_int64, 42);
  check_fails(kernel(NULL, args, 1, &result), "TypeError",
              "Mismatched number of arguments when calling: `subtract(0: int, 1: int) -> int`. "
              "Expected 2 but got 1 arguments");
  args[1] = tvm_ffi_any_view_string("2");
  check_fails(kernel(NULL, args, 2, &result), "TypeError",
              "Mismatched type on argument #1 when calling: `subtract(0: int, 1: int) -> int`. "
              "Expected `int` but got `const char*`");
}

TEST(test_text_that_goes_with_it) {
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIByteArray text = {NULL, 0};
  check_ok(__tvm_ffi__doc_subtract(NULL, NULL, 0, &result));
  assert_true(tvm_ffi_any_try_string(&result, &text));
  assert_string_equal(text.data, "What is left of a when b is taken away.");
  assert_string_equal(__tvm_ffi__doctext_subtract, text.data);
  assert_int_equal(sizeof __tvm_ffi__doctext_subtract, text.size + 1);
  tvm_ffi_any_clear(&result);
  check_ok(__tvm_ffi__metadata_subtract(NULL, NULL, 0, &result));
  assert_true(tvm_ffi_any_try_string(&result, &text));
  assert_string_equal(text.data, "{\"type_schema\":\"{}\"}");
  assert_string_equal(__tvm_ffi__schema_subtract, text.data);
  assert_int_equal(sizeof __tvm_ffi__schema_subtract, text.size + 1);
  tvm_ffi_any_clear(&result);
}

/* The first text must match that of the same kernel in C++: tests/cpp/test_module.cc. */
TEST(test_schemas) {
  static const char expected[] =
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{\\\"return\\\":["
      "{\\\"type\\\":\\\"None\\\"}],\\\"params\\\":[{\\\"type\\\":\\\"DLTensor*\\\"},"
      "{\\\"type\\\":\\\"DLTensor*\\\"}]}}\"}";
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIByteArray text = {NULL, 0};
  assert_string_equal(__tvm_ffi__schema_add_one, expected);
  check_ok(__tvm_ffi__metadata_add_one(NULL, NULL, 0, &result));
  assert_true(tvm_ffi_any_try_string(&result, &text));
  assert_string_equal(text.data, expected);
  tvm_ffi_any_clear(&result);
  assert_string_equal(
      __tvm_ffi__schema_none,
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{\\\"return\\\":["
      "{\\\"type\\\":\\\"Optional\\\",\\\"args\\\":[{\\\"type\\\":\\\"ffi.Map\\\",\\\"args\\\":["
      "{\\\"type\\\":\\\"ffi.String\\\"},{\\\"type\\\":\\\"Any\\\"}]}]}],\\\"params\\\":[]}}\"}");
}

TEST(test_a_function_with_a_context) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result;
  int calls = 3;
  check_ok(TVMFFIFunctionCreate(&calls, count_calls, NULL, &function));
  check_ok(tvm_ffi_function_call(function, NULL, 0, &result));
  assert_true(result.v_int64 == 4 && calls == 4);
  check_fails(tvm_ffi_function_call(function, &result, 1, &result), "TypeError",
              "Mismatched number of arguments when calling: `count_calls() -> int`. Expected 0 but "
              "got 1 arguments");
  TVMFFIObjectDecRef(function);
}

RUN_TESTS({
    cmocka_unit_test(test_the_symbol),
    cmocka_unit_test(test_L_13_bodies_that_raise_nothing),
    cmocka_unit_test(test_text_that_goes_with_it),
    cmocka_unit_test(test_schemas),
    cmocka_unit_test(test_a_function_with_a_context),
})
