/* SPDX-License-Identifier: Apache-2.0 */
/* Malicious JSON: truncated, changed at random, nested very deeply. */

#include "c/json_support.h"
#include "core/string_object.h"
#include "support/thread.h"

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
    cmocka_unit_test(test_every_prefix),
    cmocka_unit_test(test_changes),
    cmocka_unit_test(test_depth),
})
