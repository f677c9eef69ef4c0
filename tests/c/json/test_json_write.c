/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/container_support.h"
#include "c/json_support.h"
#include "core/object.h"
#include "core/string_object.h"

static const char kSample[] = "{\"a\":1,\"b\":[1.5,\"two\",[],{}],\"c\":{\"d\":null}}";

static void check_refused(TVMFFIAny value, const char *message) {
  TVMFFIAny result;
  check_fails(stringify(value, tvmffi_any_none(), &result), "ValueError", message);
  assert_int_equal(result.type_index, kTVMFFINone);
}

TEST(test_plain_values) {
  TVMFFIAny none = tvmffi_any_none();
  check_written(tvmffi_any_none(), none, "null");
  check_written(tvmffi_any_bool(1), none, "true");
  check_written(tvmffi_any_bool(0), none, "false");
  check_written(tvmffi_any_int(-5), none, "-5");
  check_written(tvmffi_any_float(0.1), none, "0.10000000000000001");
}

TEST(test_texts) {
  TVMFFIByteArray bytes = check_bytes("\"\\/\b\f\n\r\t\x01\x1F\x7F\x80\xFF ");
  TVMFFIAny none = tvmffi_any_none(), value;
  check_written(tvmffi_any_raw_str(""), none, "\"\"");
  check_written(tvmffi_any_raw_str("a long enough text"), none, "\"a long enough text\"");
  check_ok(tvmffi_string_to_any(bytes.data, bytes.size, &value));
  check_written(value, none, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\x80\xFF \"");
  check_ok(tvmffi_string_to_any("a\0b", 3, &value));
  check_written(value, none, "\"a\\u0000b\"");
}

TEST(test_containers) {
  TVMFFIAny none = tvmffi_any_none(), args[2], list;
  check_again(kSample, kSample);
  check_again(" [ ] ", "[]");
  args[0] = tvmffi_any_int(1);
  args[1] = call_ok("ffi.List", NULL, 0);
  list = call_ok("ffi.List", args, 2);
  check_release(&args[1]);
  check_written(list, none, "[1,[]]");
}

TEST(test_indents) {
  check_written(parse_ok(kSample), tvmffi_any_int(0), kSample);
  check_written(parse_ok(kSample), tvmffi_any_int(2),
                "{\n  \"a\": 1,\n  \"b\": [\n    1.5,\n    \"two\",\n    [\n    ],\n    {\n    }\n"
                "  ],\n  \"c\": {\n    \"d\": null\n  }\n}");
  check_written(parse_ok("[[1,2]]"), tvmffi_any_int(-3), "[\n[\n1,\n2\n]\n]");
  check_written(parse_ok("[1]"), tvmffi_any_bool(1), "[\n 1\n]");
  check_written(parse_ok("[1]"), tvmffi_any_int(40),
                "[\n                                        1\n]");
  check_written(tvmffi_any_int(1), tvmffi_any_int(4), "1");
}

TEST(test_a_list_in_itself) {
  static const char kMessage[] = "Cycle detected: List contains itself";
  TVMFFIAny lists[40], args[2], outer, none;
  int i, length;
  for (length = 1; length <= 40; length += 3) { /* a cycle, and a path to it */
    for (i = 0; i < length; ++i) lists[i] = call_ok("ffi.List", NULL, 0);
    for (i = 0; i < length; ++i) {
      args[0] = lists[i];
      args[1] =
          i % 2 == 0 ? lists[(i + 1) % length] : call_ok("ffi.Array", &lists[(i + 1) % length], 1);
      check_ok(call_global("ffi.ListAppend", args, 2, &none));
      if (i % 2 != 0) check_release(&args[1]);
    }
    check_refused(lists[0], kMessage);
    outer = call_ok("ffi.Array", &lists[length / 2], 1);
    args[0] = outer;
    outer = call_ok("ffi.List", args, 1);
    check_release(&args[0]);
    check_refused(outer, kMessage);
    check_release(&outer);
    for (i = 0; i < length; ++i) {
      (void)call_ok("ffi.ListClear", &lists[i], 1);
      check_release(&lists[i]);
    }
  }
}

/* The same list in several places is no cycle. */
TEST(test_a_list_that_comes_often) {
  TVMFFIAny args[2], lists[4];
  int i;
  lists[0] = call_ok("ffi.List", NULL, 0);
  for (i = 1; i < 4; ++i) {
    args[0] = args[1] = lists[i - 1];
    lists[i] = call_ok("ffi.List", args, 2);
    check_release(&lists[i - 1]);
  }
  check_written(lists[3], tvmffi_any_none(), "[[[[],[]],[[],[]]],[[[],[]],[[],[]]]]");
}

TEST(test_refused_values) {
  TVMFFIAny args[2], value, result;
  probe p;
  probe_init(&p);
  check_refused(tvmffi_any_object(&p), "Unsupported type: `ffi.Object`");
  assert_int_equal(check_use_count(&p), 1);
  check_refused(tvmffi_any_ptr(kTVMFFIOpaquePtr, NULL), "Unsupported type: `void*`");
  check_fails_with(stringify(tvmffi_any_ptr(kTVMFFIArray, NULL), tvmffi_any_none(), &result),
                   "ValueError", "must not be NULL");
  args[0] = tvmffi_any_int(1);
  args[1] = tvmffi_any_object(&p);
  value = call_ok("ffi.Array", args, 2);
  check_refused(value, "Unsupported type: `ffi.Object`");
  check_release(&value);
  args[1] = args[0];
  value = call_ok("ffi.Map", args, 2);
  check_refused(value, "Expect key to be string, got `int`");
  check_release(&value);
  args[0] = tvmffi_any_raw_str("key");
  value = call_ok("ffi.Dict", args, 2);
  check_refused(value, "Unsupported type: `ffi.Dict`");
  check_release(&value);
  check_fails(stringify(tvmffi_any_none(), tvmffi_any_float(1.5), &result), "TypeError",
              "Mismatched type on argument #1 when calling: `ffi.json.Stringify(0: Any, 1: "
              "Optional<int>) -> str`. Expected `Optional<int>` but got `float`");
}

TEST(test_shared_values_have_no_text_beyond_the_limit) {
  TVMFFIAny value = tvmffi_any_int(1), args[2];
  TVMFFIAny graph;
  int i;
  for (i = 0; i < 60; ++i) {
    args[0] = args[1] = value;
    value = call_ok("ffi.Array", args, 2);
    check_release(&args[0]);
  }
  (void)TVMFFIRuntimeSetTextLimit(1000000);
  check_refused(value,
                "ffi.json.Stringify: the text is longer than the limit of 1000000 bytes "
                "(TVMFFIRuntimeSetTextLimit)");
  args[0] = value;
  args[1] = tvmffi_any_none();
  (void)TVMFFIRuntimeSetTextLimit(10);
  graph = call_ok("ffi.ToJSONGraphString", args, 2); /* has every object once */
  check_release(&graph);
  check_release(&value);
  (void)TVMFFIRuntimeSetTextLimit(7);
  check_written(parse_ok("[1,2,3]"), tvmffi_any_none(), "[1,2,3]");
  value = parse_ok("[1,2,34]");
  check_refused(value,
                "ffi.json.Stringify: the text is longer than the limit of 7 bytes "
                "(TVMFFIRuntimeSetTextLimit)");
  check_release(&value);
  (void)TVMFFIRuntimeSetTextLimit(0);
}

RUN_TESTS({
    cmocka_unit_test(test_plain_values),
    cmocka_unit_test(test_texts),
    cmocka_unit_test(test_containers),
    cmocka_unit_test(test_indents),
    cmocka_unit_test(test_a_list_in_itself),
    cmocka_unit_test(test_a_list_that_comes_often),
    cmocka_unit_test(test_refused_values),
    cmocka_unit_test(test_shared_values_have_no_text_beyond_the_limit),
})
