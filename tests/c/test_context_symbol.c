/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/object.h"
#include "module/library.h"
#include "module_support.h"
#include "support/check.h"

static void *in_library, *in_other; /* data symbols of the system library */
static char values[4];

static int set_up(void **state) {
  (void)state;
  in_library = in_other = NULL;
  if (TVMFFIRuntimeShutdown() != 0) return -1;
  return TVMFFIEnvModRegisterSystemLibSymbol("__test_a", &in_library) != 0 ||
         TVMFFIEnvModRegisterSystemLibSymbol("p___test_b", &in_other) != 0;
}

static void test_libraries_loaded_afterwards(void **state) {
  TVMFFIObject *before = get_system_lib("before"), *after;
  (void)state;
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_a", &values[0]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_b", &values[1]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_nowhere", &values[2]));
  TVMFFIObjectDecRef(before);
  before = get_system_lib("before"); /* made before */
  assert_null(in_library);
  after = get_system_lib("p_");
  assert_ptr_equal(in_library, &values[0]);
  assert_ptr_equal(in_other, &values[1]);
  TVMFFIObjectDecRef(before);
  TVMFFIObjectDecRef(after);
}

static void test_of_several_values_the_last_wins(void **state) {
  TVMFFIObject *module;
  (void)state;
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_a", &values[0]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_b", NULL));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_a", &values[3]));
  in_other = values;
  module = get_system_lib("p_");
  assert_ptr_equal(in_library, &values[3]);
  assert_null(in_other);
  TVMFFIObjectDecRef(module);
}

static void test_files(void **state) {
  TVMFFIAny result;
  TVMFFIObject *module;
  int closed = 0;
  (void)state;
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_closed", &closed));
  module = load("kernels.so");
  check_ok(call_function(module, "main", NULL, 0, &result));
  TVMFFIObjectDecRef(module);
  assert_int_equal(closed, 1); /* the library counted in the variable it was given */
}

static void test_a_name_is_required(void **state) {
  (void)state;
  check_fails(TVMFFIEnvModRegisterContextSymbol(NULL, values), "ValueError", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_libraries_loaded_afterwards, set_up),
      cmocka_unit_test_setup(test_of_several_values_the_last_wins, set_up),
      cmocka_unit_test_setup(test_files, set_up),
      cmocka_unit_test_setup(test_a_name_is_required, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
