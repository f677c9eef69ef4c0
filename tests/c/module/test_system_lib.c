/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "core/object.h"
#include "module/module.h"

static int return_one(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  *result = tvmffi_any_int(handle == NULL ? 1 : -1);
  return 0;
}

static int describe(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray text = {"a description", 13};
  (void)handle;
  (void)args;
  (void)num_args;
  return TVMFFIStringFromByteArray(&text, result);
}

static void enter(const char *name, TVMFFISafeCallType kernel) {
  check_ok(TVMFFIEnvModRegisterSystemLibSymbol(name, address_of(kernel)));
}

TEST(test_one_module_for_each_prefix) {
  TVMFFIObject *plain = get_system_lib(""), *again = get_system_lib("");
  TVMFFIObject *other = get_system_lib("p_");
  TVMFFIAny args[2], result;
  TVMFFIByteArray kind;
  assert_ptr_equal(plain, again);
  assert_ptr_not_equal(plain, other);
  check_ok(call_global("ffi.SystemLib", NULL, 0, &result));
  assert_ptr_equal(result.v_obj, plain);
  check_release(&result);
  args[0] = tvmffi_any_raw_str("p_");
  args[1] = tvmffi_any_int(5); /* ignored */
  check_ok(call_global("ffi.SystemLib", args, 2, &result));
  assert_ptr_equal(result.v_obj, other);
  check_release(&result);
  args[0] = tvmffi_any_int(5);
  check_fails(call_global("ffi.SystemLib", args, 1, &result), "TypeError",
              "Cannot convert from type `int` to `str`");
  check_ok(call_on(plain, "ffi.ModuleGetKind", NULL, -1, &result));
  assert_true(tvmffi_any_get_text(&result, &kind));
  assert_string_equal(kind.data, "library");
  check_ok(call_on(plain, "ffi.ModuleGetPropertyMask", NULL, -1, &result));
  assert_int_equal(result.v_int64, 3);
  TVMFFIObjectDecRef(plain);
  TVMFFIObjectDecRef(again);
  TVMFFIObjectDecRef(other);
}

TEST(test_F_29_with_prefix_then_without) {
  TVMFFIObject *plain = get_system_lib(""), *prefixed = get_system_lib("p_");
  /* Symbols registered after the module was made are found, too. */
  enter("__tvm_ffi_f", return_one);
  enter("__tvm_ffi_p_f", call_seven);
  enter("__tvm_ffi_only_plain", return_one);
  enter("bare", return_one);
  enter("p_bare", return_one);
  assert_int_equal(call_int(plain, "f"), 1);
  assert_int_equal(call_int(prefixed, "f"), 7);
  assert_int_equal(call_int(prefixed, "only_plain"), 1);
  assert_int_equal(call_int(plain, "p_f"), 7);
  assert_null(get_function(plain, "bare", 1));
  assert_null(get_function(prefixed, "bare", 1));
  assert_null(get_function(plain, "nope", 1));
  TVMFFIObjectDecRef(plain);
  TVMFFIObjectDecRef(prefixed);
}

TEST(test_other_symbols_have_the_prefix_in_front) {
  TVMFFIObject *prefixed = get_system_lib("p_");
  TVMFFIAny result;
  enter("__tvm_ffi_f", return_one);
  enter("p___tvm_ffi__metadata_f", describe);
  enter("__tvm_ffi__doc_f", describe);
  check_ok(call_on(prefixed, "ffi.ModuleGetFunctionMetadata", "f", 0, &result));
  check_str(&result, "a description");
  check_ok(call_on(prefixed, "ffi.ModuleGetFunctionDoc", "f", 0, &result));
  assert_int_equal(result.type_index, kTVMFFIStr);
  check_release(&result);
  TVMFFIObjectDecRef(prefixed);
}

TEST(test_long_names) {
  char prefix[301], symbol[1000], name[301];
  TVMFFIObject *module;
  memset(prefix, 'p', 300);
  memset(name, 'n', 300);
  prefix[300] = name[300] = '\0';
  (void)snprintf(symbol, sizeof symbol, "__tvm_ffi_%s%s", prefix, name);
  enter(symbol, call_seven);
  module = get_system_lib(prefix);
  assert_int_equal(call_int(module, name), 7);
  TVMFFIObjectDecRef(module);
}

/* ---- Registering ---- */

static int num_logged;
static char logged[512];

static void log_hook(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  (void)context;
  assert_int_equal(level, kTVMFFIRuntimeLogLevelWarning);
  (void)snprintf(logged, sizeof logged, "%s", message);
  ++num_logged;
}

TEST(test_L_17g_a_duplicate_replaces_and_is_told) {
  TVMFFIObject *module = get_system_lib("");
  check_ok(TVMFFIRuntimeSetLogHook(log_hook, NULL));
  num_logged = 0;
  enter("__tvm_ffi_f", return_one);
  enter("__tvm_ffi_f", return_one); /* the same address: no warning */
  assert_int_equal(num_logged, 0);
  assert_int_equal(call_int(module, "f"), 1);
  enter("__tvm_ffi_f", call_seven);
  assert_int_equal(num_logged, 1);
  assert_non_null(strstr(logged, "__tvm_ffi_f"));
  assert_int_equal(call_int(module, "f"), 7);
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
  check_fails(TVMFFIEnvModRegisterSystemLibSymbol(NULL, logged), "ValueError", NULL);
  check_fails(TVMFFIEnvModRegisterSystemLibSymbol("x", NULL), "ValueError", NULL);
  TVMFFIObjectDecRef(module);
}

static void *context;

TEST(test_the_context_is_the_module_made_first) {
  TVMFFIObject *module;
  check_ok(TVMFFIEnvModRegisterSystemLibSymbol("c___tvm_ffi__library_ctx", &context));
  module = get_system_lib("c_");
  assert_ptr_equal(context, tvmffi_module_to_cxx(module));
  TVMFFIObjectDecRef(module);
  assert_non_null(context); /* the library keeps its modules alive */
  check_ok(TVMFFIRuntimeShutdown());
  assert_null(context);
}

/* Its symbols have no size that the length in front could be compared with. */
TEST(test_embedded_modules_that_are_malformed) {
  static unsigned char embedded[] = {3, 0, 0, 0, 0, 0, 0, 0, 'x', 'y', 'z'};
  TVMFFIAny prefix = tvmffi_any_raw_str("e_"), result;
  check_ok(TVMFFIEnvModRegisterSystemLibSymbol("e___tvm_ffi__library_bin", embedded));
  check_fails_with(call_global("ffi.SystemLib", &prefix, 1, &result), "InternalError",
                   "Malformed __tvm_ffi__library_bin: ");
}

static int fail_with_minus_two(void *handle, const TVMFFIAny *args, int32_t num_args,
                               TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  (void)result;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "plainly");
  return -2;
}

static int return_zero(void) {
  return 0;
}

static int call_failing(void) {
  TVMFFIObject *library = get_system_lib(""), *function = get_function(library, "fail", 0);
  TVMFFIAny result = tvmffi_any_none();
  int rc = TVMFFIFunctionCall(function, NULL, 0, &result);
  TVMFFIObjectDecRef(function);
  TVMFFIObjectDecRef(library);
  return rc;
}

/* A frontend takes -2 to mean that an exception of its own is set; as on the reference, it never
 * gets that from a module's function. */
TEST(test_D_9_codes_of_kernels) {
  union {
    int (*function)(void);
    void *symbol;
  } hook;
  enter("__tvm_ffi_fail", fail_with_minus_two);
  assert_int_equal(call_failing(), -2);
  check_raised("ValueError", "plainly");
  hook.function = return_zero;
  check_ok(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", hook.symbol));
  assert_int_equal(call_failing(), -1);
  check_raised("ValueError", "plainly");
}

RUN_TESTS({
    cmocka_unit_test_setup(test_D_9_codes_of_kernels, check_shut_down),
    cmocka_unit_test_setup(test_one_module_for_each_prefix, check_shut_down),
    cmocka_unit_test_setup(test_F_29_with_prefix_then_without, check_shut_down),
    cmocka_unit_test_setup(test_other_symbols_have_the_prefix_in_front, check_shut_down),
    cmocka_unit_test_setup(test_long_names, check_shut_down),
    cmocka_unit_test_setup(test_L_17g_a_duplicate_replaces_and_is_told, check_shut_down),
    cmocka_unit_test_setup(test_the_context_is_the_module_made_first, check_shut_down),
    cmocka_unit_test_setup(test_embedded_modules_that_are_malformed, check_shut_down),
})
