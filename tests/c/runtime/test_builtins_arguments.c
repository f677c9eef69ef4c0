/* SPDX-License-Identifier: Apache-2.0 */
/* How built-in functions check their arguments, and the errors they raise. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/builtins_support.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/global.h"
#include "support/check.h"

enum { kMaxArgs = 8 };

/* Calls the function with num_args floats, which no parameter but Any accepts. */
static int call_with_floats(int row, int num_args) {
  TVMFFIAny args[kMaxArgs], result = tvmffi_any_none();
  TVMFFIObject *function = NULL;
  int i, rc;
  assert_true(num_args <= kMaxArgs);
  for (i = 0; i < num_args; ++i) {
    args[i] = tvmffi_any_int(0);
    args[i].type_index = kTVMFFIFloat;
    args[i].v_float64 = 1.5;
  }
  check_ok(tvmffi_global_get(kBuiltins[row].name, strlen(kBuiltins[row].name), &function));
  rc = TVMFFIFunctionCall(function, args, num_args, &result);
  TVMFFIObjectDecRef(function);
  assert_int_equal(result.type_index, kTVMFFINone);
  return rc;
}

/* Copies the display name of the parameter at *p and moves *p behind it; "" at the end. */
static void next_parameter(const char **p, char *name, size_t size) {
  int depth = 0;
  size_t length = 0;
  *p += strcspn(*p, ":)");
  if (**p == ':') *p += 2;
  for (; depth > 0 || (**p != ',' && **p != ')'); ++*p) {
    if (**p == '<') ++depth;
    if (**p == '>') --depth;
    assert_true(length + 1 < size);
    name[length++] = **p;
  }
  name[length] = '\0';
}

static int count_parameters(const char *signature) {
  char name[64];
  int count = 0;
  for (next_parameter(&signature, name, sizeof name); name[0] != '\0'; ++count) {
    next_parameter(&signature, name, sizeof name);
  }
  return count;
}

static void check_wrong_number(int row, int expected, int given) {
  char text[512];
  if (given < 0) return;
  (void)snprintf(text, sizeof text,
                 "Mismatched number of arguments when calling: `%s%s`. Expected %d but got %d "
                 "arguments",
                 kBuiltins[row].name, kBuiltins[row].signature, expected, given);
  check_fails(call_with_floats(row, given), "TypeError", text); /* checked before the types */
}

static void check_numbers(int row) {
  int expected;
  if (kBuiltins[row].signature == NULL) return;
  expected = count_parameters(kBuiltins[row].signature);
  check_wrong_number(row, expected, expected - 1);
  check_wrong_number(row, expected, expected + 1);
  check_wrong_number(row, expected, expected + 3);
}

TEST(test_the_number_of_arguments) {
  for_each(check_numbers);
}

static void check_types(int row) {
  const char *p = kBuiltins[row].signature;
  char name[64], text[512];
  int i;
  if (p == NULL) return;
  next_parameter(&p, name, sizeof name);
  for (i = 0; strcmp(name, "Any") == 0 || strcmp(name, "AnyView") == 0; ++i) {
    next_parameter(&p, name, sizeof name);
  }
  if (name[0] == '\0') return;
  (void)snprintf(text, sizeof text,
                 "Mismatched type on argument #%d when calling: `%s%s`. Expected `%s` but got "
                 "`float`",
                 i, kBuiltins[row].name, kBuiltins[row].signature, name);
  check_fails(call_with_floats(row, count_parameters(kBuiltins[row].signature)), "TypeError", text);
}

TEST(test_the_types_of_arguments) {
  for_each(check_types);
}

static int num_body_calls;

static int count_call(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)args;
  ++num_body_calls;
  *result = tvmffi_any_int(42);
  return 0;
}

static int count_args(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  *result = tvmffi_any_int(num_args);
  return 0;
}

/* A NULL object or text is refused before a body reads it. */
TEST(test_null_objects_and_texts) {
  static const struct {
    const char *signature;
    int32_t type_index;
  } kCases[] = {{"M>a", kTVMFFIModule}, {"A>a", kTVMFFIArray}, {"s>a", kTVMFFIStr},
                {"s>a", kTVMFFIRawStr}, {"y>a", kTVMFFIBytes}, {"y>a", kTVMFFIByteArrayPtr},
                {"L>a", kTVMFFIList},   {"l>a", kTVMFFIList},  {"l>a", kTVMFFIArray},
                {"H>a", kTVMFFIMap},    {"D>a", kTVMFFIDict},  {"d>a", kTVMFFIDict},
                {"d>a", kTVMFFIMap}};
  size_t i;
  for (i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    tvmffi_builtin builtin;
    TVMFFIAny arg = tvmffi_any_ptr(kCases[i].type_index, NULL), result = tvmffi_any_none();
    TVMFFIObject *function;
    builtin.name = "my.f";
    builtin.signature = kCases[i].signature;
    builtin.body.fixed = count_call;
    function = tvmffi_builtin_new_function(&builtin);
    assert_non_null(function);
    num_body_calls = 0;
    check_fails_with(TVMFFIFunctionCall(function, &arg, 1, &result), "TypeError", "but got `NULL`");
    assert_int_equal(num_body_calls, 0);
    TVMFFIObjectDecRef(function);
  }
}

/* Checks that a parameter of this letter accepts exactly these indices, of all that have a type. */
static void check_letter(const char *signature, const int32_t *accepted, size_t num_accepted) {
  tvmffi_builtin builtin;
  TVMFFIObject *function;
  int32_t type_index;
  builtin.name = "my.f";
  builtin.signature = signature;
  builtin.body.fixed = count_call;
  function = tvmffi_builtin_new_function(&builtin);
  assert_non_null(function);
  for (type_index = 0; type_index < kTVMFFIStaticObjectEnd; ++type_index) {
    TVMFFIAny arg = tvmffi_any_int(0), result = tvmffi_any_none();
    size_t i;
    if (type_index == kTVMFFIUnchanged + 1) type_index = kTVMFFIStaticObjectBegin;
    arg.type_index = type_index;
    arg.v_ptr = &arg; /* any pointer that is not NULL */
    for (i = 0; i < num_accepted && accepted[i] != type_index; ++i) continue;
    num_body_calls = 0;
    if (i < num_accepted) {
      check_ok(TVMFFIFunctionCall(function, &arg, 1, &result));
      assert_int_equal(result.v_int64, 42);
      assert_int_equal(num_body_calls, 1);
    } else {
      check_fails_with(TVMFFIFunctionCall(function, &arg, 1, &result), "TypeError", "`my.f(0: ");
      assert_int_equal(num_body_calls, 0);
    }
  }
  TVMFFIObjectDecRef(function);
}

#define CHECK_LETTER(signature, ...)                                         \
  do {                                                                       \
    static const int32_t accepted[] = {__VA_ARGS__};                         \
    check_letter(signature, accepted, sizeof accepted / sizeof accepted[0]); \
  } while (0)

TEST(test_what_parameters_accept) {
  CHECK_LETTER("i>a", kTVMFFIInt, kTVMFFIBool);
  CHECK_LETTER("b>a", kTVMFFIInt, kTVMFFIBool);
  CHECK_LETTER("s>a", kTVMFFIRawStr, kTVMFFISmallStr, kTVMFFIStr);
  CHECK_LETTER("y>a", kTVMFFIByteArrayPtr, kTVMFFISmallBytes, kTVMFFIBytes);
  CHECK_LETTER("p>a", kTVMFFIOpaquePtr, kTVMFFINone);
  CHECK_LETTER("M>a", kTVMFFIModule);
  CHECK_LETTER("A>a", kTVMFFIArray);
  CHECK_LETTER("L>a", kTVMFFIList);
  CHECK_LETTER("l>a", kTVMFFIList, kTVMFFIArray);
  CHECK_LETTER("H>a", kTVMFFIMap);
  CHECK_LETTER("D>a", kTVMFFIDict);
  CHECK_LETTER("d>a", kTVMFFIDict, kTVMFFIMap);
}

/* Calls a function with each wrong number of arguments, then with a float in each place. */
static void check_refusals(TVMFFIObject *function, int num_params) {
  TVMFFIAny args[kMaxArgs], result = tvmffi_any_none();
  char text[32];
  int i;
  for (i = 0; i < kMaxArgs; ++i) args[i] = tvmffi_any_int(i);
  for (i = -1; i <= kMaxArgs; ++i) {
    if (i == num_params) continue;
    (void)snprintf(text, sizeof text, "Expected %d but got %d ", num_params, i);
    check_fails_with(TVMFFIFunctionCall(function, args, i, &result), "TypeError", text);
  }
  for (i = 0; i < num_params; ++i) {
    args[i] = tvmffi_any_float(1.5);
    (void)snprintf(text, sizeof text, "on argument #%d ", i);
    check_fails_with(TVMFFIFunctionCall(function, args, num_params, &result), "TypeError", text);
    args[i] = tvmffi_any_int(i);
  }
}

/* Signatures with fewer and with more parameters than kTvmffiMaxUsualParams. */
TEST(test_every_argument_is_checked) {
  static const char *const kSignatures[] = {">a",     "i>a",     "ii>a",    "iii>a",
                                            "iiii>a", "iiiii>a", "iiiiii>a"};
  size_t row;
  for (row = 0; row < sizeof kSignatures / sizeof *kSignatures; ++row) {
    tvmffi_builtin builtin = {"my.f", kSignatures[row], {count_call}};
    int i, num_params = (int)row;
    TVMFFIObject *function = tvmffi_builtin_new_function(&builtin);
    TVMFFIAny args[kMaxArgs], result = tvmffi_any_none();
    assert_non_null(function);
    num_body_calls = 0;
    check_refusals(function, num_params);
    assert_int_equal(num_body_calls, 0);
    for (i = 0; i < num_params; ++i) args[i] = tvmffi_any_bool(i);
    check_ok(TVMFFIFunctionCall(function, args, num_params, &result));
    assert_int_equal(num_body_calls, 1);
    assert_int_equal(result.v_int64, 42);
    TVMFFIObjectDecRef(function);
  }
}

TEST(test_any_arguments) {
  static const tvmffi_builtin builtin = {"my.f", "*", {.packed = count_args}};
  TVMFFIAny args[kMaxArgs], result = tvmffi_any_none();
  TVMFFIObject *function = tvmffi_builtin_new_function(&builtin);
  int i;
  for (i = 0; i < kMaxArgs; ++i) {
    args[i] = tvmffi_any_int(i);
    check_ok(TVMFFIFunctionCall(function, args, i, &result));
    assert_int_equal(result.v_int64, i);
  }
  TVMFFIObjectDecRef(function);
}

TEST(test_text_of_arguments) {
  TVMFFIByteArray bytes = check_bytes("a text of more than seven bytes");
  TVMFFIAny raw = tvmffi_any_raw_str("raw"), null = tvmffi_any_raw_str(NULL), small, heap;
  TVMFFIByteArray short_bytes = check_bytes("small");
  check_ok(TVMFFIStringFromByteArray(&short_bytes, &small));
  check_ok(TVMFFIStringFromByteArray(&bytes, &heap));
  assert_string_equal(tvmffi_builtin_text(&raw).data, "raw");
  assert_string_equal(tvmffi_builtin_text(&small).data, "small");
  assert_string_equal(tvmffi_builtin_text(&heap).data, bytes.data);
  assert_int_equal(tvmffi_builtin_text(&heap).size, bytes.size);
  assert_int_equal(tvmffi_builtin_text(&null).size, 0);
  assert_string_equal(tvmffi_builtin_text(&null).data, "");
  check_release(&heap);
}

RUN_TESTS({
    test_and_shut_down(test_the_number_of_arguments),
    test_and_shut_down(test_the_types_of_arguments),
    test_and_shut_down(test_null_objects_and_texts),
    test_and_shut_down(test_what_parameters_accept),
    test_and_shut_down(test_every_argument_is_checked),
    test_and_shut_down(test_any_arguments),
    test_and_shut_down(test_text_of_arguments),
})
