/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/function.h>

#include "support/check.h"

static int add(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int64_t sum = self != NULL && TVMFFIObjectGetTypeIndex(self) == kTVMFFIFunction ? 0 : -1000, term;
  int32_t i;
  assert_int_equal(result->type_index, kTVMFFINone);
  assert_int_equal(result->v_int64, 0);
  for (i = 0; i < num_args; ++i) {
    TVM_FFI_C_TRY(tvm_ffi_any_read_int64(args + i, &term));
    sum += term;
  }
  *result = tvm_ffi_any_from_int64(sum);
  return 0;
}

/* Returns the given code without raising an error, but writes a result. */
static int fail_silently(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  *result = tvm_ffi_any_from_int64(13);
  return (int)args[0].v_int64;
}

static int give_back(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  return tvm_ffi_any_copy(args, result);
}

static TVMFFIObjectHandle make(TVMFFISafeCallType function) {
  TVMFFIObjectHandle object = NULL;
  check_ok(TVMFFIFunctionCreate(NULL, function, NULL, &object));
  return object;
}

TEST(test_calling) {
  TVMFFIObjectHandle function = make(add);
  TVMFFIAny args[2], result;
  memset(&result, 0xa5, sizeof result);
  args[0] = tvm_ffi_any_from_int64(40);
  args[1] = tvm_ffi_any_from_int64(2);
  check_ok(tvm_ffi_function_call(function, args, 2, &result));
  assert_true(result.type_index == kTVMFFIInt && result.v_int64 == 42);
  check_ok(tvm_ffi_function_call(function, NULL, 0, &result));
  assert_int_equal(result.v_int64, 0);
  args[1] = tvm_ffi_any_none();
  check_fails(tvm_ffi_function_call(function, args, 2, &result), "TypeError",
              "Cannot convert from type `None` to `int`");
  assert_true(tvm_ffi_any_is_none(&result));
  check_ok(tvm_ffi_function_call(function, args, 1, args)); /* overwrites its own argument */
  assert_int_equal(args[0].v_int64, 40);
  TVMFFIObjectDecRef(function);
  args[0] = tvm_ffi_any_view_string("no function");
  check_ok(TVMFFIAnyViewToOwnedAny(&args[0], &args[1]));
  check_fails(tvm_ffi_function_call(args[1].v_obj, args, 1, &result), "TypeError",
              "Cannot convert from type `ffi.String` to `ffi.Function`");
  check_release(&args[1]);
  check_fails(tvm_ffi_function_call(NULL, args, 1, &result), "TypeError",
              "Cannot convert from type `None` to `ffi.Function`");
}

/* Takes the object out of the variable that an rvalue reference points to. */
static int move_out(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObjectHandle *variable = (TVMFFIObjectHandle *)args[0].v_ptr;
  (void)self;
  (void)num_args;
  *result = tvm_ffi_any_take_object(*variable);
  *variable = NULL;
  return 0;
}

static int get_size(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray bytes;
  (void)self;
  (void)num_args;
  TVM_FFI_C_TRY(tvm_ffi_any_read_bytes(args, &bytes));
  *result = tvm_ffi_any_from_int64((int64_t)bytes.size * 256 + bytes.data[0]);
  return 0;
}

/* x = f(x) in its forms: what arguments point to is there until the callee has returned. */
TEST(test_arguments_that_point_into_the_result) {
  TVMFFIObjectHandle move = make(move_out), size = make(get_size), moved = make(give_back);
  TVMFFIAny x = tvm_ffi_any_take_object(moved), arg = tvm_ffi_any_none();
  TVMFFIByteArray bytes = {"bytes", 5};
  arg.type_index = kTVMFFIObjectRValueRef;
  arg.v_ptr = &x.v_obj;
  check_ok(tvm_ffi_function_call(move, &arg, 1, &x));
  assert_true(x.type_index == kTVMFFIFunction && x.v_obj == (TVMFFIObject *)moved);
  check_release(&x);

  check_ok(TVMFFIBytesFromByteArray(&bytes, &x));
  assert_int_equal(x.type_index, kTVMFFISmallBytes);
  assert_true(tvm_ffi_any_try_bytes(&x, &bytes)); /* they are in x itself */
  arg = tvm_ffi_any_view_bytes(&bytes);
  check_ok(tvm_ffi_function_call(size, &arg, 1, &x));
  assert_int_equal(x.v_int64, 5 * 256 + 'b');
  TVMFFIObjectDecRef(size);
  TVMFFIObjectDecRef(move);
}

TEST(test_L_13_callees_that_raise_nothing) {
  TVMFFIObjectHandle function = make(fail_silently);
  TVMFFIAny arg = tvm_ffi_any_from_int64(-1), result = tvm_ffi_any_none();
  assert_int_equal(tvm_ffi_function_call(function, &arg, 1, &result), -1);
  assert_true(tvm_ffi_any_is_none(&result));
  check_raised("InternalError", "callee returned -1 without setting an error");
  tvm_ffi_error_raise("Old", "of an earlier call");
  arg = tvm_ffi_any_from_int64(-2);
  assert_int_equal(tvm_ffi_function_call(function, &arg, 1, &result), -1); /* F-14 */
  check_raised("InternalError", "callee returned -2 without setting an error");
  TVMFFIObjectDecRef(function);
}

TEST(test_results_that_nobody_wants_are_released) {
  TVMFFIObjectHandle function = make(give_back);
  TVMFFIAny arg;
  probe p;
  probe_init(&p);
  arg = tvm_ffi_any_view_object(&p);
  check_ok(tvm_ffi_function_call_void(function, &arg, 1));
  assert_int_equal(check_use_count(&p), 1);
  TVMFFIObjectDecRef(function);
}

TEST(test_names_that_are_null) {
  TVMFFIObjectHandle function = NULL;
  check_fails(tvm_ffi_function_get_global(NULL, &function), "ValueError",
              "`name` must not be NULL");
  assert_null(function);
}

TEST(test_global_functions) {
  TVMFFIObjectHandle function = &function;
  TVMFFIAny arg = tvm_ffi_any_from_int64(7), result = tvm_ffi_any_none();
  check_ok(tvm_ffi_function_find_global("test.c_function.add", &function));
  assert_null(function);
  check_fails(tvm_ffi_function_get_global("test.c_function.add", &function), "ValueError",
              "Function test.c_function.add not found");
  check_fails(tvm_ffi_function_call_global("test.c_function.add", &arg, 1, &result), "ValueError",
              "Function test.c_function.add not found");

  check_ok(tvm_ffi_function_register("test.c_function.add", add, false));
  check_ok(tvm_ffi_function_call_global("test.c_function.add", &arg, 1, &result));
  assert_int_equal(result.v_int64, 7);
  check_ok(tvm_ffi_function_get_global("test.c_function.add", &function));
  assert_int_equal(check_use_count(function), 2);
  TVMFFIObjectDecRef(function);

  check_fails(tvm_ffi_function_register("test.c_function.add", give_back, false), "RuntimeError",
              "Global Function `test.c_function.add` is already registered");
  check_ok(tvm_ffi_function_register("test.c_function.add", give_back, true));
  arg = tvm_ffi_any_from_double(0.5);
  check_ok(tvm_ffi_function_call_global("test.c_function.add", &arg, 1, &result));
  assert_int_equal(result.type_index, kTVMFFIFloat);
}

TVM_FFI_C_REGISTER_GLOBAL("test.c_function.early", give_back);
TVM_FFI_C_REGISTER_GLOBAL("test.c_function.early", add); /* the last registration wins */
TVM_FFI_C_REGISTER_FILE_LOADER("c_function", give_back);
TVM_FFI_C_REGISTER_BYTES_LOADER("c_function", give_back);

TEST(test_what_was_registered_before_main) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny arg = tvm_ffi_any_from_int64(7), result;
  check_not_raised();
  check_ok(tvm_ffi_function_call_global("test.c_function.early", &arg, 1, &result));
  assert_int_equal(result.v_int64, 7);
  check_ok(tvm_ffi_function_get_global("ffi.Module.load_from_file.c_function", &function));
  TVMFFIObjectDecRef(function);
  check_ok(tvm_ffi_function_get_global("ffi.Module.load_from_bytes.c_function", &function));
  TVMFFIObjectDecRef(function);
}

RUN_TESTS({
    cmocka_unit_test(test_what_was_registered_before_main),
    cmocka_unit_test(test_calling),
    cmocka_unit_test(test_arguments_that_point_into_the_result),
    cmocka_unit_test(test_L_13_callees_that_raise_nothing),
    cmocka_unit_test(test_results_that_nobody_wants_are_released),
    cmocka_unit_test(test_names_that_are_null),
    cmocka_unit_test(test_global_functions),
})
