/* SPDX-License-Identifier: Apache-2.0 */
#include "core/function.h"

#include "core/any.h"
#include "core/error.h"
#include "support/check.h"
#include "support/weak.h"

/* The arguments of the last call, and the result that calls have to return. */
typedef struct {
  void *handle;
  const TVMFFIAny *args;
  int32_t num_args;
  TVMFFIAny *result;
  int32_t result_type_index;
  int num_calls, num_deleted;
  void *last_deleted;
  int code;
  const char *kind; /* the error to raise, or NULL */
  int64_t value;    /* the result */
} notes;

static notes noted;

FIXTURE(reset) {
  memset(&noted, 0, sizeof noted);
  return 0;
}

static int note_call(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  noted.handle = handle;
  noted.args = args;
  noted.num_args = num_args;
  noted.result = result;
  noted.result_type_index = result->type_index;
  ++noted.num_calls;
  if (noted.kind != NULL) TVMFFIErrorSetRaisedFromCStr(noted.kind, "from the callee");
  *result = tvmffi_any_int(noted.value); /* also on failure, like a careless callee */
  return noted.code;
}

static void note_deleted(void *self) {
  ++noted.num_deleted;
  noted.last_deleted = self;
}

static TVMFFIObjectHandle new_function(void *self, void (*deleter)(void *self)) {
  TVMFFIObjectHandle function;
  check_ok(TVMFFIFunctionCreate(self, note_call, deleter, &function));
  return function;
}

/* Calls the function through the ABI and checks the handle that it receives. */
static void check_handle(TVMFFIObjectHandle function, void *expected) {
  TVMFFIAny args[2], result = tvmffi_any_none();
  noted.value = 42;
  check_ok(TVMFFIFunctionCall(function, args, 2, &result));
  assert_ptr_equal(noted.handle, expected);
  assert_ptr_equal(noted.args, args);
  assert_int_equal(noted.num_args, 2);
  assert_ptr_equal(noted.result, &result);
  assert_int_equal(result.v_int64, 42);
}

TEST(test_the_function_itself_is_the_handle) {
  TVMFFIObjectHandle function = new_function(NULL, NULL);
  assert_int_equal(TVMFFIObjectGetTypeIndex(function), kTVMFFIFunction);
  assert_int_equal(check_use_count(function), 1);
  assert_null(TVMFFIFunctionGetCellPtr(function)->cpp_call);
  assert_true(TVMFFIFunctionGetCellPtr(function)->safe_call == note_call); /* no wrapper */
  check_handle(function, function);
  TVMFFIObjectDecRef(function);
}

TEST(test_self_is_the_handle) {
  TVMFFIObjectHandle function = new_function(&noted, note_deleted);
  assert_null(TVMFFIFunctionGetCellPtr(function)->cpp_call);
  check_handle(function, &noted);
  TVMFFIObjectIncRef(function);
  TVMFFIObjectDecRef(function);
  assert_int_equal(noted.num_deleted, 0);
  TVMFFIObjectDecRef(function);
  assert_int_equal(noted.num_deleted, 1);
  assert_ptr_equal(noted.last_deleted, &noted);
}

TEST(test_self_without_deleter) {
  TVMFFIObjectHandle function = new_function(&noted, NULL);
  check_handle(function, &noted);
  TVMFFIObjectDecRef(function);
  assert_int_equal(noted.num_deleted, 0);
}

TEST(test_deleter_without_self) {
  TVMFFIObjectHandle function = new_function(NULL, note_deleted);
  noted.last_deleted = &noted;
  check_handle(function, NULL);
  TVMFFIObjectDecRef(function);
  assert_int_equal(noted.num_deleted, 1);
  assert_null(noted.last_deleted);
}

TEST(test_the_deleter_does_not_wait_for_weak_references) {
  TVMFFIObjectHandle function = new_function(&noted, note_deleted);
  weak_retain(function);
  TVMFFIObjectDecRef(function);
  assert_int_equal(noted.num_deleted, 1);
  weak_release(function);
  assert_int_equal(noted.num_deleted, 1);
}

static void test_refusals(void **state) {
  TVMFFIObjectHandle function = (void *)state;
  check_fails_with(TVMFFIFunctionCreate(&noted, NULL, note_deleted, &function), "ValueError",
                   "`safe_call`");
  check_fails_with(TVMFFIFunctionCreate(&noted, note_call, note_deleted, NULL), "ValueError",
                   "`out`");
  assert_ptr_equal(function, state);
  assert_int_equal(noted.num_deleted, 0);
}

TEST(test_L_13_calls_through_the_abi_are_passed_through) {
  static const int kCodes[] = {-1, -2, 1, 12345};
  TVMFFIObjectHandle function = new_function(&noted, NULL);
  size_t i;
  for (i = 0; i < sizeof kCodes / sizeof kCodes[0]; ++i) {
    TVMFFIAny result = tvmffi_any_none();
    noted.code = kCodes[i];
    assert_int_equal(TVMFFIFunctionCall(function, NULL, 0, &result), kCodes[i]);
    check_not_raised();
  }
  TVMFFIErrorSetRaisedFromCStr("ValueError", "older");
  noted.code = 0;
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &(TVMFFIAny){0}));
  check_raised("ValueError", "older");
  TVMFFIObjectDecRef(function);
}

TEST(test_L_13_calls_of_the_library_have_an_error) {
  TVMFFIObjectHandle function = new_function(&noted, NULL);
  TVMFFIAny result;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "older");
  noted.code = -1;
  assert_int_equal(tvmffi_function_call_foreign(function, NULL, 0, &result), -1);
  check_raised("InternalError", "callee returned -1 without setting an error");
  noted.code = 7;
  assert_int_equal(tvmffi_function_call_foreign(function, NULL, 0, &result), 7);
  check_raised("InternalError", "callee returned 7 without setting an error");
  noted.kind = "KeyError";
  assert_int_equal(tvmffi_function_call_foreign(function, NULL, 0, &result), 7);
  check_raised("KeyError", "from the callee");
  TVMFFIObjectDecRef(function);
}

TEST(test_results_of_calls_of_the_library) {
  TVMFFIObjectHandle function = new_function(&noted, NULL);
  TVMFFIAny result, none = tvmffi_any_none();
  memset(&result, 0xA5, sizeof result);
  noted.value = -5;
  noted.result_type_index = -1;
  check_ok(tvmffi_function_call_foreign(function, NULL, 0, &result));
  assert_int_equal(noted.result_type_index, kTVMFFINone); /* before the call; callees expect it */
  assert_int_equal(result.v_int64, -5);
  noted.code = -1;
  assert_int_equal(tvmffi_function_call_foreign(function, NULL, 0, &result), -1);
  assert_memory_equal(&result, &none, sizeof result);
  check_raised("InternalError", NULL);
  TVMFFIObjectDecRef(function);
}

TEST(test_L_13_other_callbacks) {
  assert_int_equal(tvmffi_function_check_raised(0), 0);
  check_not_raised();
  assert_int_equal(tvmffi_function_check_raised(3), 3);
  check_raised("InternalError", "callee returned 3 without setting an error");
  TVMFFIErrorSetRaisedFromCStr("KeyError", "of the callback");
  assert_int_equal(tvmffi_function_check_raised(-1), -1);
  check_raised("KeyError", "of the callback");
  assert_int_equal(tvmffi_function_check_raised(-2), -1); /* F-14: -2 is a raised error */
  check_raised("InternalError", "callee returned -2 without setting an error");
  TVMFFIErrorSetRaisedFromCStr("KeyError", "of the callback");
  assert_int_equal(tvmffi_function_check_raised(-2), -1);
  check_raised("KeyError", "of the callback");
}

/* F-13: releasing the arguments after a failure does not change the error. */
static int take_argument_and_fail(void *handle, const TVMFFIAny *args, int32_t num_args,
                                  TVMFFIAny *result) {
  TVMFFIAny taken;
  (void)handle;
  (void)num_args;
  (void)result;
  check_ok(TVMFFIAnyViewToOwnedAny(&args[0], &taken));
  TVMFFIErrorSetRaisedFromCStr("ValueError", "after taking the argument");
  check_release(&taken);
  return -1;
}

TEST(test_F_13_errors_survive_the_arguments) {
  TVMFFIObjectHandle function, slot;
  TVMFFIAny arg, result;
  probe p;
  probe_init(&p);
  slot = &p;
  arg = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &slot);
  check_ok(TVMFFIFunctionCreate(NULL, take_argument_and_fail, NULL, &function));
  check_fails(tvmffi_function_call_foreign(function, &arg, 1, &result), "ValueError",
              "after taking the argument");
  assert_null(slot);
  assert_int_equal(p.strong_deletes, 1);
  TVMFFIObjectDecRef(function);
}

static bool needs(TVMFFIAny value, uintptr_t address) {
  tvmffi_dl_range range = {address, address + 1};
  return tvmffi_function_needs_range(&value, &range);
}

TEST(test_what_a_function_needs) {
  TVMFFIByteArray name = check_bytes("ffi.Shape");
  TVMFFIObjectHandle closure, built_in;
  TVMFFIFunctionCell *cell;
  static int self;
  check_ok(TVMFFIFunctionCreate(&self, take_argument_and_fail, NULL, &closure));
  assert_true(needs(tvmffi_any_object(closure), (uintptr_t)take_argument_and_fail));
  assert_true(needs(tvmffi_any_object(closure), (uintptr_t)&self));
  assert_true(needs(tvmffi_any_object(closure), (uintptr_t)((TVMFFIObject *)closure)->deleter));
  assert_false(needs(tvmffi_any_object(closure), (uintptr_t)&name));
  TVMFFIObjectDecRef(closure);
  check_ok(TVMFFIFunctionGetGlobal(&name, &built_in));
  cell = TVMFFIFunctionGetCellPtr(built_in);
  assert_true(needs(tvmffi_any_object(built_in), (uintptr_t)cell->safe_call));
  assert_false(needs(tvmffi_any_object(built_in), (uintptr_t)&name));
  cell->cpp_call = &self; /* as C++ code sets it; nothing calls it */
  assert_true(needs(tvmffi_any_object(built_in), (uintptr_t)&self));
  cell->cpp_call = NULL;
  TVMFFIObjectDecRef(built_in);
  assert_true(needs(tvmffi_any_ptr(kTVMFFIOpaquePtr, &self), (uintptr_t)&self));
  assert_false(needs(tvmffi_any_ptr(kTVMFFIFunction, NULL), (uintptr_t)&self));
  assert_false(needs(tvmffi_any_int((int64_t)(uintptr_t)&self), (uintptr_t)&self));
}

RUN_TESTS({
    cmocka_unit_test_setup(test_the_function_itself_is_the_handle, reset),
    cmocka_unit_test_setup(test_self_is_the_handle, reset),
    cmocka_unit_test_setup(test_self_without_deleter, reset),
    cmocka_unit_test_setup(test_deleter_without_self, reset),
    cmocka_unit_test_setup(test_the_deleter_does_not_wait_for_weak_references, reset),
    cmocka_unit_test_setup(test_refusals, reset),
    cmocka_unit_test_setup(test_L_13_calls_through_the_abi_are_passed_through, reset),
    cmocka_unit_test_setup(test_L_13_calls_of_the_library_have_an_error, reset),
    cmocka_unit_test_setup(test_results_of_calls_of_the_library, reset),
    cmocka_unit_test_setup(test_L_13_other_callbacks, reset),
    cmocka_unit_test_setup(test_F_13_errors_survive_the_arguments, reset),
    cmocka_unit_test_setup(test_what_a_function_needs, reset),
})
