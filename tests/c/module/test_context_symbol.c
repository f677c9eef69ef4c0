/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "core/object.h"
#include "module/library.h"

static void *in_library, *in_other; /* data symbols of the system library */
static char values[4];

FIXTURE(set_up) {
  in_library = in_other = NULL;
  if (TVMFFIRuntimeShutdown() != 0) return -1;
  return TVMFFIEnvModRegisterSystemLibSymbol("__test_a", &in_library) != 0 ||
         TVMFFIEnvModRegisterSystemLibSymbol("p___test_b", &in_other) != 0;
}

TEST(test_libraries_loaded_afterwards) {
  TVMFFIObject *before = get_system_lib("before"), *after;
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_a", &values[0]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_b", &values[1]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_nowhere", &values[2]));
  TVMFFIObjectDecRef(before);
  before = get_system_lib("before"); /* the same module, made before the symbols */
  assert_null(in_library);
  after = get_system_lib("p_");
  assert_ptr_equal(in_library, &values[0]);
  assert_ptr_equal(in_other, &values[1]);
  TVMFFIObjectDecRef(before);
  TVMFFIObjectDecRef(after);
}

TEST(test_of_several_values_the_last_wins) {
  TVMFFIObject *module;
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_a", &values[0]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_b", NULL));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_a", &values[3]));
  in_other = values;
  module = get_system_lib("p_");
  assert_ptr_equal(in_library, &values[3]);
  assert_null(in_other);
  TVMFFIObjectDecRef(module);
}

TEST(test_files) {
  TVMFFIAny result;
  TVMFFIObject *module;
  int closed = 0;
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_closed", &closed));
  module = load("kernels.so");
  check_ok(call_function(module, "main", NULL, 0, &result));
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1); /* the library counted in the variable that the symbol points to */
}

/* ---- Visits ---- */

/* The names that the visit must see, from the first on, and the code that ends it. */
typedef struct {
  const char *names;
  const char *first;
  int code_at_end;
  bool adds;
} expected_visit;

static int see(void *context, const char *name, void *symbol) {
  expected_visit *expected = context;
  size_t size = strlen(name);
  assert_memory_equal(expected->names, name, size);
  assert_ptr_equal(symbol, values + (expected->names - expected->first) / 2);
  expected->names += size + 1;
  if (expected->adds) check_ok(TVMFFIEnvModRegisterContextSymbol("d", &values[3]));
  expected->adds = false;
  return *expected->names == '\0' ? expected->code_at_end : 0;
}

static int visit(const char *names, int code_at_end, bool adds) {
  expected_visit expected;
  int rc;
  expected.names = expected.first = names;
  expected.code_at_end = code_at_end;
  expected.adds = adds;
  rc = TVMFFIRuntimeContextSymbolVisit(see, &expected);
  assert_int_equal(*expected.names, '\0');
  return rc;
}

TEST(test_visits_see_all_in_order) {
  check_ok(visit("", 0, false));
  check_ok(TVMFFIEnvModRegisterContextSymbol("b", &values[3]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("a", &values[1]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("c", &values[2]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("b", &values[0])); /* it keeps its place */
  check_ok(visit("b\0a\0c\0", 0, false));
  check_ok(visit("b\0a\0c\0d\0", 0, true));
}

TEST(test_visitors_end_a_visit) {
  check_ok(TVMFFIEnvModRegisterContextSymbol("a", &values[0]));
  check_ok(TVMFFIEnvModRegisterContextSymbol("b", &values[1]));
  assert_int_equal(visit("a\0", 7, false), 7);
  check_fails(TVMFFIRuntimeContextSymbolVisit(NULL, NULL), "ValueError", NULL);
}

TEST(test_a_name_is_required) {
  check_fails(TVMFFIEnvModRegisterContextSymbol(NULL, values), "ValueError", NULL);
}

RUN_TESTS({
    cmocka_unit_test_setup(test_libraries_loaded_afterwards, set_up),
    cmocka_unit_test_setup(test_of_several_values_the_last_wins, set_up),
    cmocka_unit_test_setup(test_files, set_up),
    cmocka_unit_test_setup(test_visits_see_all_in_order, set_up),
    cmocka_unit_test_setup(test_visitors_end_a_visit, set_up),
    cmocka_unit_test_setup(test_a_name_is_required, set_up),
})
