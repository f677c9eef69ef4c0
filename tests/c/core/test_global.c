/* SPDX-License-Identifier: Apache-2.0 */
/* Setting, fetching, overriding and removing global functions. Listing: test_global_names.c. */
#include "core/global.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/global_support.h"
#include "core/thread_state.h"

static int answer(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  result->type_index = kTVMFFIInt;
  result->v_int64 = *(const int *)self;
  return 0;
}

static void count_delete(void *self) {
  ++*(int *)self;
}

/*
 * Makes a function that returns *number and adds one to it when it is destroyed. The number must be
 * static, because functions may stay in the table until the end.
 */
static TVMFFIObjectHandle new_answer(int *number) {
  TVMFFIObjectHandle function = NULL;
  check_ok(TVMFFIFunctionCreate(number, answer, count_delete, &function));
  return function;
}

TEST(test_set_and_get) {
  static int number = 7;
  TVMFFIObjectHandle function = new_answer(&number), found;
  TVMFFIAny result = {0};
  check_ok(set_global("my.f", function, 0));
  assert_int_equal(check_use_count(function), 2);
  found = get_global("my.f");
  assert_ptr_equal(found, function);
  assert_int_equal(check_use_count(function), 3);
  check_ok(TVMFFIFunctionCall(found, NULL, 0, &result));
  assert_int_equal(result.v_int64, 7);
  TVMFFIObjectDecRef(found);
  TVMFFIObjectDecRef(function);
  assert_int_equal(number, 7);
  assert_true(remove_name("my.f"));
  assert_int_equal(number, 8);
}

TEST(test_an_unknown_name_is_no_error) {
  TVMFFIByteArray name = check_bytes("no.such.function");
  TVMFFIObjectHandle found = &name;
  check_ok(TVMFFIFunctionGetGlobal(&name, &found));
  assert_null(found);
  check_not_raised();
}

/* It tells a writer that a read has ended, even if the thread is in the next one already. */
TEST(test_each_fetch_has_a_number) {
  const tvmffi_thread_record *record = tvmffi_thread_record_ensure();
  uint32_t number;
  assert_non_null(record);
  check_is("my.f", NULL);
  number = record->num_reads;
  check_is("my.f", NULL);
  assert_int_equal(record->num_reads, number + 2);
}

TEST(test_override_releases_the_old_function) {
  static int number = 0, other = 0;
  TVMFFIObjectHandle function = new_answer(&number), second = new_answer(&other);
  check_ok(set_global("my.f", function, 1));
  TVMFFIObjectDecRef(function);
  assert_int_equal(number, 0);
  check_ok(set_global("my.f", second, 1));
  assert_int_equal(number, 1);
  check_is("my.f", second);
  check_ok(set_global("my.f", second, 1)); /* overridden by itself */
  assert_int_equal(check_use_count(second), 2);
  TVMFFIObjectDecRef(second);
  assert_int_equal(other, 0);
}

TEST(test_remove) {
  static int number = 0;
  TVMFFIObjectHandle function = new_answer(&number);
  assert_false(remove_name("my.f"));
  check_ok(set_global("my.f", function, 0));
  assert_true(remove_name("my.f"));
  assert_int_equal(check_use_count(function), 1);
  assert_null(get_global("my.f"));
  assert_false(remove_name("my.f"));
  check_ok(set_global("my.f", function, 0)); /* without override, as the name is free again */
  check_is("my.f", function);
  TVMFFIObjectDecRef(function);
}

TEST(test_F_24_names_match_whole) {
  static const char *const kNames[] = {"ab", "abc", "a", "", "abd"};
  static int numbers[5];
  TVMFFIObjectHandle functions[5];
  TVMFFIByteArray with_nul = {"ab\0c", 4};
  TVMFFIObjectHandle found;
  int i;
  for (i = 0; i < 5; ++i) {
    functions[i] = new_answer(&numbers[i]);
    check_ok(set_global(kNames[i], functions[i], 0));
    TVMFFIObjectDecRef(functions[i]);
  }
  for (i = 0; i < 5; ++i) check_is(kNames[i], functions[i]);
  check_ok(TVMFFIFunctionGetGlobal(&with_nul, &found));
  assert_null(found);
  with_nul.size = 2; /* the name need not end in a NUL */
  check_ok(TVMFFIFunctionGetGlobal(&with_nul, &found));
  assert_ptr_equal(found, functions[0]);
  TVMFFIObjectDecRef(found);
}

TEST(test_the_name_is_copied) {
  static int number = 0;
  char text[] = "my.name";
  TVMFFIObjectHandle function = new_answer(&number);
  check_ok(set_global(text, function, 0));
  memset(text, 'x', sizeof text - 1);
  check_is("my.name", function);
  assert_null(get_global(text));
  TVMFFIObjectDecRef(function);
}

TEST(test_many_names) {
  enum { kMany = 5000 };
  static int number = 0;
  char name[32];
  TVMFFIObjectHandle function = new_answer(&number);
  int i;
  for (i = 0; i < kMany; ++i) {
    (void)snprintf(name, sizeof name, "many.%d", i);
    check_ok(set_global(name, function, 0));
  }
  assert_int_equal(check_use_count(function), kMany + 1);
  for (i = 0; i < kMany; ++i) {
    (void)snprintf(name, sizeof name, "many.%d", i);
    check_is(name, function);
  }
  TVMFFIObjectDecRef(function);
}

/* Runs when a function is destroyed, when no lock may be held, and uses the table. */
static void use_table(void *self) {
  int *number = (int *)self;
  assert_null(get_global("my.gone"));
  assert_true(remove_name("my.other"));
  *number = 1;
}

TEST(test_a_dying_function_may_use_the_table) {
  static int number = 0, other = 0;
  TVMFFIObjectHandle function = NULL, second = new_answer(&other);
  check_ok(TVMFFIFunctionCreate(&number, answer, use_table, &function));
  check_ok(set_global("my.f", function, 0));
  check_ok(set_global("my.other", second, 0));
  TVMFFIObjectDecRef(function);
  check_ok(set_global("my.f", second, 1));
  assert_int_equal(number, 1);
  TVMFFIObjectDecRef(second);
}

TEST(test_built_in_functions) {
  static int number = 0;
  TVMFFIObjectHandle function = new_answer(&number), found = get_global("ffi.String");
  assert_non_null(found);
  check_is("ffi.String", found); /* every lookup returns the same object */
  check_fails(set_global("ffi.String", function, 0), "RuntimeError", NULL);
  /* This name was never looked up before. */
  check_fails(set_global("ffi.Bytes", function, 0), "RuntimeError", NULL);
  check_ok(set_global("ffi.String", function, 1));
  check_ok(set_global("ffi.Bytes", function, 1));
  check_is("ffi.String", function);
  check_is("ffi.Bytes", function);
  assert_true(remove_name("ffi.String"));
  assert_true(remove_name("ffi.Shape"));
  assert_null(get_global("ffi.String"));
  assert_null(get_global("ffi.Shape"));
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(check_use_count(function), 1);
  TVMFFIObjectDecRef(function);
  function = get_global("ffi.Shape"); /* a shutdown restores the built-in functions */
  assert_non_null(function);
  TVMFFIObjectDecRef(function);
  TVMFFIObjectDecRef(found); /* it outlived the table that it came from */
}

/* ---- Refusals ---- */

/* What the table of global functions refuses; a refusal changes nothing. */

TEST(test_a_taken_name_is_refused) {
  TVMFFIObjectHandle function = new_function(), second = new_function();
  TVMFFIMethodInfo info;
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

TEST(test_L_8_null_function_is_refused) {
  TVMFFIByteArray text = check_bytes("not a function");
  TVMFFIAny string;
  TVMFFIMethodInfo info;
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

TEST(test_refused_arguments) {
  TVMFFIByteArray name = check_bytes("my.f"), no_data = {NULL, 3};
  TVMFFIByteArray too_long = {"my.f", (size_t)INT32_MAX + 1};
  TVMFFIObjectHandle function = new_function(), found = &name;
  TVMFFIMethodInfo info;
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

RUN_TESTS({
    test_and_shut_down(test_set_and_get),
    test_and_shut_down(test_an_unknown_name_is_no_error),
    test_and_shut_down(test_each_fetch_has_a_number),
    test_and_shut_down(test_override_releases_the_old_function),
    test_and_shut_down(test_remove),
    test_and_shut_down(test_F_24_names_match_whole),
    test_and_shut_down(test_the_name_is_copied),
    test_and_shut_down(test_many_names),
    test_and_shut_down(test_a_dying_function_may_use_the_table),
    test_and_shut_down(test_built_in_functions),
    test_and_shut_down(test_a_taken_name_is_refused),
    test_and_shut_down(test_L_8_null_function_is_refused),
    test_and_shut_down(test_refused_arguments),
})
