/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "c/json_support.h"
#include "container/array.h"
#include "container/map.h"
#include "core/string_object.h"
#include "json/json.h"
#include "support/thread.h"

static void check_text(const char *json, int32_t type_index, const char *expected, size_t size) {
  TVMFFIAny value = parse_ok(json);
  TVMFFIByteArray text;
  assert_int_equal(value.type_index, type_index);
  assert_true(tvmffi_any_get_text(&value, &text));
  assert_int_equal(text.size, size);
  assert_memory_equal(text.data, expected, size + 1);
  check_release(&value);
}

static void check_error(const char *json, const char *message) {
  TVMFFIAny value;
  assert_int_equal(parse(json, &value), -1);
  check_raised("ValueError", message);
  assert_int_equal(value.type_index, kTVMFFINone);
}

TEST(test_words) {
  TVMFFIAny value = parse_ok(" \t\r\nnull ");
  const double kNan = NAN; /* its bits differ between processors */
  assert_int_equal(value.type_index, kTVMFFINone);
  value = parse_ok("true");
  assert_int_equal(value.type_index, kTVMFFIBool);
  assert_int_equal(value.v_int64, 1);
  value = parse_ok("false");
  assert_int_equal(value.type_index, kTVMFFIBool);
  assert_int_equal(value.v_int64, 0);
  value = parse_ok("NaN");
  assert_int_equal(value.type_index, kTVMFFIFloat);
  assert_memory_equal(&value.v_float64, &kNan, sizeof kNan);
  value = parse_ok("Infinity");
  assert_true(value.v_uint64 == UINT64_C(0x7ff0000000000000));
  value = parse_ok("-Infinity");
  assert_true(value.v_uint64 == UINT64_C(0xfff0000000000000));
  check_error("TRUE", "Expecting value: line 1 column 1 (char 0)");
  check_error("nul", "Expecting value: line 1 column 1 (char 0)");
  check_error("+Infinity", "Expecting value: line 1 column 1 (char 0)");
  check_error("-NaN", "Expecting value: line 1 column 1 (char 0)");
  check_error("truefalse", "Extra data: line 1 column 5 (char 4)");
}

TEST(test_texts) {
  check_text("\"\"", kTVMFFISmallStr, "", 0);
  check_text("\"seven77\"", kTVMFFISmallStr, "seven77", 7);
  check_text("\"eight888\"", kTVMFFIStr, "eight888", 8);
  check_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", kTVMFFIStr, "\"\\/\b\f\n\r\t", 8);
  check_text("\"\\u0041\"", kTVMFFIStr, "A", 1);
  check_text("\"a\\u0000b\"", kTVMFFIStr, "a\0b", 3);
  check_text("\"\\u07fF\\u0800\\uffff\"", kTVMFFIStr, "\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF", 8);
  check_text("\"\\ud800\\udc00\\uDBFF\\uDFFF\"", kTVMFFIStr, "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", 8);
  /* Bytes from 0x7F on are not checked and need not be UTF-8. */
  check_text("\"\x7F\x80\xC3(\xFF\"", kTVMFFISmallStr, "\x7F\x80\xC3(\xFF", 5);
}

TEST(test_wrong_texts) {
  check_error("\"a", "Unterminated string starting at: line 1 column 1 (char 0)");
  check_error("[\"a", "Unterminated string starting at: line 1 column 2 (char 1)");
  check_error("\"\x1f\"", "Invalid control character at: line 1 column 2 (char 1)");
  check_error("\"\\x\"", "Invalid \\escape: line 1 column 3 (char 2)");
  check_error("\"\\", "Invalid \\escape: line 1 column 3 (char 2)");
  check_error("\"\\u12G4\"", "Invalid \\uXXXX escape: line 1 column 3 (char 2)");
  check_error("\"\\u123", "Invalid \\uXXXX escape: line 1 column 3 (char 2)");
  check_error("\"\\ud800\"", "Invalid surrogate pair of \\uXXXX escapes: line 1 column 3 (char 2)");
  check_error("\"\\udc00\"", "Invalid surrogate pair of \\uXXXX escapes: line 1 column 3 (char 2)");
  check_error("\"\\ud800\\", "Invalid surrogate pair of \\uXXXX escapes: line 1 column 3 (char 2)");
  check_error("\"\\ud800\\u", "Invalid \\uXXXX escape: line 1 column 10 (char 9)");
  check_error("\"\\ud800\\u0041\"",
              "Invalid surrogate pair of \\uXXXX escapes: line 1 column 10 (char 9)");
}

TEST(test_arrays) {
  TVMFFIAny value = parse_ok("[1, [], [\"two\"] ]");
  TVMFFIAny *items = tvmffi_array_items(value.v_obj);
  assert_int_equal(value.type_index, kTVMFFIArray);
  assert_int_equal(tvmffi_array_size(value.v_obj), 3);
  assert_int_equal(items[0].v_int64, 1);
  assert_int_equal(tvmffi_array_size(items[1].v_obj), 0);
  assert_int_equal(tvmffi_array_items(items[2].v_obj)->type_index, kTVMFFISmallStr);
  check_release(&value);
  check_error("[", "Expecting value: line 1 column 2 (char 1)");
  check_error("[}", "Expecting value: line 1 column 2 (char 1)");
  check_error("[1", "Expecting ',' delimiter: line 1 column 3 (char 2)");
  check_error("[1 2]", "Expecting ',' delimiter: line 1 column 4 (char 3)");
  check_error("[1}", "Expecting ',' delimiter: line 1 column 3 (char 2)");
  check_error("[1, ", "Syntax error near: line 1 column 5 (char 4)");
  check_error("[1,]", "Expecting value: line 1 column 4 (char 3)");
  check_error("[1]]", "Extra data: line 1 column 4 (char 3)");
}

TEST(test_objects) {
  TVMFFIAny value = parse_ok("{\"a\": {}, \"a long enough key\": {\"b\": 1.5}}");
  const TVMFFIAny *found = tvmffi_map_find_text(value.v_obj, "a long enough key", 17);
  assert_int_equal(value.type_index, kTVMFFIMap);
  assert_int_equal(tvmffi_map_size(value.v_obj), 2);
  assert_true(tvmffi_map_find_text(found->v_obj, "b", 1)->v_float64 == 1.5);
  check_release(&value);
  check_error("{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)");
  check_error("{1:2}",
              "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)");
  check_error("{\"a\":1,}",
              "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)");
  check_error("{\"a\"", "Expecting ':' delimiter: line 1 column 5 (char 4)");
  check_error("{\"a\" 1}", "Expecting ':' delimiter: line 1 column 6 (char 5)");
  check_error("{\"a\": ", "Expecting value: line 1 column 7 (char 6)");
  check_error("{\"a\":1,", "Syntax error near: line 1 column 8 (char 7)");
  check_error("{\"a\":1]", "Expecting ',' delimiter: line 1 column 7 (char 6)");
}

/* Of duplicate keys the last value wins; its position depends on the number of entries. */
TEST(test_keys_that_come_twice) {
  check_again("{\"a\":1,\"a\":2}", "{\"a\":2}");
  check_again("{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}");
  check_again("{\"a\":1,\"b\":2,\"a\":3,\"c\":4}", "{\"b\":2,\"a\":3,\"c\":4}");
  check_again("{\"a\":1,\"a\":2,\"a\":3,\"a\":4}", "{\"a\":4}");
  check_again("{\"long key a\":1,\"b\":2,\"c\":3,\"d\":4,\"long key a\":5}",
              "{\"b\":2,\"c\":3,\"d\":4,\"long key a\":5}");
}

TEST(test_where_errors_are) {
  check_error("", "Expecting value: line 1 column 1 (char 0)");
  check_error("  ", "Expecting value: line 1 column 3 (char 2)");
  check_error("\n\r\n [1,\n x]", "Expecting value: line 4 column 2 (char 9)");
  check_error("\"\xC3\xA9\" 1", "Extra data: line 1 column 6 (char 5)");
  check_error("\v1", "Expecting value: line 1 column 1 (char 0)");
}

TEST(test_any_memory) {
  const char text[] = {'[', '1', ']', '2'}; /* not followed by a NUL */
  TVMFFIAny value;
  check_ok(tvmffi_json_parse(text, 3, &value));
  check_release(&value);
  check_fails(tvmffi_json_parse(text, 2, &value), "ValueError",
              "Expecting ',' delimiter: line 1 column 3 (char 2)");
  check_fails(tvmffi_json_parse("1\0", 2, &value), "ValueError",
              "Extra data: line 1 column 2 (char 1)");
  check_fails(tvmffi_json_parse(text, 0, &value), "ValueError",
              "Expecting value: line 1 column 1 (char 0)");
}

/* Malicious JSON: truncated, changed at random, nested very deeply. */

static const char *const kCorpus[] = {
    "[1, -2.5e-3, .5, 9223372036854775808, 123456789012345678901234567890.5, NaN, -Infinity]",
    "{\"a\": [true, false, null], \"a long enough key\": {\"b\": \"\\u00e9\\ud83d\\ude00\\n\"}}",
    "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":{\"f\":[[[]],{}]},\"a\":\"another long enough text\"}",
    " [ \"\\\"\\\\\\/\\b\\f\\n\\r\\t\" , { \"x\" : 1e308 , \"y\" : 4.9e-324 } , 1e-400 ] ",
};

enum { kNumTexts = sizeof kCorpus / sizeof *kCorpus, kDeep = 1000000, kSmallStack = 256 * 1024 };

/*
 * Parses a block of exactly this size, for the sanitizers. A value that is read is written and read
 * again.
 */
static void try_text(const char *text, size_t size) {
  char *copy = malloc(size != 0 ? size : 1);
  TVMFFIAny value, written, again;
  TVMFFIByteArray bytes;
  assert_non_null(copy);
  if (size != 0) memcpy(copy, text, size);
  if (tvmffi_json_parse(copy, size, &value) == 0) {
    check_ok(tvmffi_json_write(&value, (int32_t)(size % 3), 0, &written));
    assert_true(tvmffi_any_get_text(&written, &bytes));
    check_ok(tvmffi_json_parse(bytes.data, bytes.size, &again));
    assert_int_equal(again.type_index, value.type_index);
    check_release(&again);
    check_release(&written);
    check_release(&value);
  } else {
    check_raised_with("ValueError", ": line ");
  }
  free(copy);
}

TEST(test_every_prefix) {
  size_t i, size;
  for (i = 0; i < kNumTexts; ++i) {
    for (size = 0; size <= strlen(kCorpus[i]); ++size) try_text(kCorpus[i], size);
  }
}

TEST(test_changes) {
  static const char kLetters[] = "[]{},:\"\\u0189aefntE+-. \x01\x80";
  uint32_t random = 1;
  char text[256];
  int round;
  for (round = 0; round < 20000; ++round) {
    const char *source = kCorpus[round % kNumTexts];
    size_t size = strlen(source), changes;
    memcpy(text, source, size);
    for (changes = 1 + (size_t)round % 4; changes > 0; --changes) {
      size_t position;
      random = random * 1664525u + 1013904223u;
      position = (random >> 8) % size;
      if (random % 3 == 0) {
        memmove(text + position, text + position + 1, --size - position);
      } else {
        text[position] = kLetters[(random >> 3) % (sizeof kLetters - 1)];
      }
    }
    try_text(text, size);
  }
}

/* ---- Depth ---- */

typedef struct {
  const char *open, *close; /* the text that opens and closes one level */
  int levels;
  bool is_closed;
  int wrong;
} nesting;

static char *repeat(char *target, const char *text, int count) {
  size_t size = strlen(text);
  for (; count > 0; --count, target += size) memcpy(target, text, size);
  return target;
}

/* Runs in a thread with a small stack. No check may fail there, because it would longjmp out. */
static void try_nesting(void *arg) {
  nesting *n = arg;
  char *text = malloc((strlen(n->open) + strlen(n->close)) * (size_t)n->levels), *end;
  TVMFFIAny value = tvmffi_any_none(), written = tvmffi_any_none();
  TVMFFIByteArray bytes = {"", 0};
  int rc;
  if (text == NULL) return;
  end = repeat(text, n->open, n->levels);
  if (n->is_closed) end = repeat(end, n->close, n->levels);
  rc = tvmffi_json_parse(text, (size_t)(end - text), &value);
  n->wrong = rc != (n->is_closed ? 0 : -1);
  if (rc == 0) {
    n->wrong |= tvmffi_json_write(&value, 0, 0, &written) != 0;
    n->wrong |= !tvmffi_any_get_text(&written, &bytes);
    n->wrong |= bytes.size != (size_t)(end - text) || memcmp(bytes.data, text, bytes.size) != 0;
  }
  tvmffi_any_release(&value);
  tvmffi_any_release(&written);
  TVMFFIErrorSetRaised(NULL);
  free(text);
}

static void check_nesting(const char *open, const char *close, int levels, bool is_closed) {
  nesting n = {NULL, NULL, 0, false, 1};
  n.open = open;
  n.close = close;
  n.levels = levels;
  n.is_closed = is_closed;
  thread_run(try_nesting, &n, kSmallStack);
  assert_false(n.wrong);
}

TEST(test_depth) {
  check_nesting("[", "]", kDeep, true);
  check_nesting("[", "]", kDeep, false);
  check_nesting("[{\"k\":[", "]}]", kDeep / 10, true);
  check_nesting("[{\"k\":[", "]}]", kDeep / 10, false);
}

RUN_TESTS({
    cmocka_unit_test(test_words),
    cmocka_unit_test(test_texts),
    cmocka_unit_test(test_wrong_texts),
    cmocka_unit_test(test_arrays),
    cmocka_unit_test(test_objects),
    cmocka_unit_test(test_keys_that_come_twice),
    cmocka_unit_test(test_where_errors_are),
    cmocka_unit_test(test_any_memory),
    cmocka_unit_test(test_every_prefix),
    cmocka_unit_test(test_changes),
    cmocka_unit_test(test_depth),
})
