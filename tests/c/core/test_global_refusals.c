/* SPDX-License-Identifier: Apache-2.0 */
/* What the table of global functions refuses; a refusal changes nothing. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/global_support.h"
#include "support/check.h"

static void test_a_taken_name_is_refused(void **state) {
  TVMFFIObjectHandle function = new_function(), second = new_function();
  TVMFFIMethodInfo info;
  (void)state;
  check_ok(set_global("my.f", function, 0));
  check_fails(set_global("my.f", second, 0), "RuntimeError",
              "Global Function `my.f` is already registered");
  memset(&info, 0, sizeof info);
  info.name = check_bytes("my.f");
  info.method.type_index = kTVMFFIFunction;
  info.method.v_obj = second;
  check_fails_with(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0), "RuntimeError",
                   "Global Function `my.f` is already registered, possible causes:");
  assert_int_equal(check_use_count(second), 1);
  check_is("my.f", function);
  TVMFFIObjectDecRef(second);
  TVMFFIObjectDecRef(function);
}

static void test_L_8_null_function_is_refused(void **state) {
  TVMFFIByteArray text = check_bytes("not a function");
  TVMFFIAny string;
  TVMFFIMethodInfo info;
  (void)state;
  check_fails(set_global("my.f", NULL, 0), "TypeError",
              "Cannot convert from type `None` to `ffi.Function`");
  check_ok(TVMFFIStringFromByteArray(&text, &string));
  check_fails(set_global("my.f", string.v_obj, 1), "TypeError",
              "Cannot convert from type `ffi.String` to `ffi.Function`");
  memset(&info, 0, sizeof info);
  info.name = check_bytes("my.f");
  check_fails(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 1), "TypeError",
              "Cannot convert from type `None` to `ffi.Function`");
  info.method = string;
  check_fails(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 1), "TypeError",
              "Cannot convert from type `ffi.String` to `ffi.Function`");
  assert_null(get_global("my.f"));
  check_release(&string);
}

static void test_refused_arguments(void **state) {
  TVMFFIByteArray name = check_bytes("my.f"), no_data = {NULL, 3};
  TVMFFIByteArray too_long = {"my.f", (size_t)INT32_MAX + 1};
  TVMFFIObjectHandle function = new_function(), found = &name;
  TVMFFIMethodInfo info;
  (void)state;
  check_fails(TVMFFIFunctionGetGlobal(NULL, &found), "ValueError", NULL);
  check_fails(TVMFFIFunctionGetGlobal(&name, NULL), "ValueError", NULL);
  check_fails(TVMFFIFunctionGetGlobal(&no_data, &found), "ValueError",
              "TVMFFIFunctionGetGlobal: `name` has size 3 but no data");
  check_fails_with(TVMFFIFunctionGetGlobal(&too_long, &found), "ValueError", "too long");
  assert_ptr_equal(found, &name);
  check_fails(TVMFFIFunctionSetGlobal(NULL, function, 0), "ValueError", NULL);
  check_fails(TVMFFIFunctionSetGlobal(&no_data, function, 0), "ValueError", NULL);
  check_fails(TVMFFIFunctionSetGlobalFromMethodInfo(NULL, 0), "ValueError", NULL);
  memset(&info, 0, sizeof info);
  info.name = no_data;
  info.method.type_index = kTVMFFIFunction;
  info.method.v_obj = function;
  check_fails(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0), "ValueError", NULL);
  assert_int_equal(check_use_count(function), 1);
  TVMFFIObjectDecRef(function);
}

static int shut_down(void **state) {
  (void)state;
  return TVMFFIRuntimeShutdown();
}

#define TEST(name) cmocka_unit_test_teardown(name, shut_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_a_taken_name_is_refused),
      TEST(test_L_8_null_function_is_refused),
      TEST(test_refused_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
