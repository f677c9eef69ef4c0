/* SPDX-License-Identifier: Apache-2.0 */
/* The loader of an embedded module may be registered by another library or by the embedding one. */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "core/object.h"
#include "support/check.h"

static int triple(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  assert_int_equal(num_args, 1);
  *result = tvmffi_any_int(3 * args[0].v_int64);
  return 0;
}

static int set_up(void **state) {
  (void)state;
  return TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_in_triple", address_of(triple));
}

/* Loads the library and calls its kernel, which calls a function of the module embedded in it. */
static void check_carrier(const char *file) {
  TVMFFIObject *module = load(file);
  TVMFFIAny arg = tvmffi_any_int(14), result;
  check_ok(call_function(module, "call_import", &arg, 1, &result));
  assert_int_equal(result.type_index, kTVMFFIInt);
  assert_int_equal(result.v_int64, 42);
  TVMFFIObjectDecRef(module);
}

static void test_another_library_that_was_loaded_before(void **state) {
  TVMFFIObject *module, *loader;
  (void)state;
  check_fails_with(load_file(module_path("carrier_of_other.so"), &module), "RuntimeError",
                   "created using {otherlib} but a loader of that name is not registered");
  loader = load("loader_of_other.so");
  check_carrier("carrier_of_other.so");
  TVMFFIObjectDecRef(loader); /* the library stays loaded, and its loader is used */
  check_carrier("carrier_of_other.so");
  remove_global("ffi.Module.load_from_bytes.otherlib");
  check_fails_with(load_file(module_path("carrier_of_other.so"), &module), "RuntimeError",
                   "a loader of that name is not registered");
}

static void test_an_initialiser_of_the_library_itself(void **state) {
  (void)state;
  check_carrier("carrier_of_own.so");
  check_carrier("carrier_of_own.so"); /* its initialisers do not run again */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_another_library_that_was_loaded_before, set_up),
      cmocka_unit_test_setup(test_an_initialiser_of_the_library_itself, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
