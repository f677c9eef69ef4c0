/* SPDX-License-Identifier: Apache-2.0 */
/* The words of variables such as CC, numbers in other locales, patterns of names. */
#include <locale.h>
#include <math.h>

#include "base/pattern.h"
#include "base/text.h"
#include "support/check.h"
#include "system/system.h"

/* The words of the text are these, which end with NULL. */
static void check(const char *line, const char *const *expected) {
  word_list words = {NULL, 0};
  size_t i;
  words_add_text(&words, line);
  for (i = 0; expected[i] != NULL; ++i) {
    assert_true(i < words.size);
    assert_string_equal(words.items[i], expected[i]);
  }
  assert_int_equal(words.size, i);
  words_free(&words);
}

#define CHECK(line, ...)                                \
  do {                                                  \
    const char *const expected[] = {__VA_ARGS__, NULL}; \
    check(line, expected);                              \
  } while (0)

TEST(test_blanks_and_quotes) {
  const char *const no_words[] = {NULL};
  check("", no_words);
  check(" \t\n", no_words);
  CHECK("gcc", "gcc");
  CHECK("  ccache\tgcc -O2 ", "ccache", "gcc", "-O2");
  CHECK("'a b' \"c d\"e", "a b", "c de");
  CHECK("\"\" ''", "", "");
  CHECK("\"a 'b\" 'c \"d'", "a 'b", "c \"d");
  CHECK("\"a b", "a b");
}

TEST(test_escapes) {
  CHECK("-DX=\\\"a\\\"", "-DX=\"a\"");
  CHECK("'a\\b'", "a\\b");
  CHECK("a\\", "a\\");
  if (kSystem.path_separators[1] == '\\') {
    CHECK("C:\\bin\\gcc.exe -O2", "C:\\bin\\gcc.exe", "-O2");
    CHECK("\"C:\\a b\\gcc.exe\" -O2", "C:\\a b\\gcc.exe", "-O2");
  } else {
    CHECK("a\\ b \"\\\\\" \\'", "a b", "\\", "'");
  }
}

static void check_number(const char *word, double expected, const char *rest) {
  char *end;
  assert_true(text_read_real(word, &end) == expected);
  assert_string_equal(end, rest);
  assert_true(text_read_real32(word) == (float)expected);
}

static void check_numbers(void) {
  check_number("2.5", 2.5, "");
  check_number("-0x1.8p1;", -3, ";");
  check_number("1,5", 1, ",5");
  check_number("1.5,2", 1.5, ",2");
  check_number("1.5.2", 1.5, ".2");
  check_number("1.", 1, "");
  check_number(".5e1x", 5, "x");
  check_number(".", 0, ".");
  check_number(",5", 0, ",5");
  check_number("inf.", INFINITY, ".");
  check_number(
      "\xd9\xab"
      "5",
      0,
      "\xd9\xab"
      "5");
  check_number(
      "1\xd9\xab"
      "5",
      1,
      "\xd9\xab"
      "5");
  assert_string_equal(REAL_G(6, 0.25), "0.25");
  assert_string_equal(REAL_G(17, -1e-300 / 3), "-3.3333333333333334e-301");
  assert_string_equal(REAL_G(6, 3), "3");
  assert_string_equal(REAL_G(6, -INFINITY), "-inf");
  assert_string_equal(REAL_F(3, 1234.5), "1234.500");
  assert_string_equal(REAL_F(0, 1234.4), "1234");
  assert_int_equal(strlen(REAL_F(3, 1e308)), 313);
}

/* With a point, whatever the locale has; the last has one of several bytes. */
TEST(test_numbers) {
  static const char *const kNames[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
  size_t i;
  for (i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    if (setlocale(LC_NUMERIC, kNames[i]) != NULL) check_numbers();
  }
  (void)setlocale(LC_NUMERIC, "C");
}

/* ---- Patterns of names ---- */

static void check_pattern(const char *pattern, const char *text, bool expected) {
  if (pattern_matches(pattern, text) != expected) {
    fail_msg("%s %s %s", pattern, expected ? "does not match" : "matches", text);
  }
}

TEST(test_patterns_plain) {
  check_pattern("", "", true);
  check_pattern("", "a", false);
  check_pattern("scale", "scale", true);
  check_pattern("scale", "scale2", false);
  check_pattern("scale2", "scale", false);
  check_pattern("sc?le", "scale", true);
  check_pattern("?", "", false);
  check_pattern("\\*", "*", true);
  check_pattern("\\*", "a", false);
  check_pattern("a\\", "a", false);
  check_pattern("a]-b", "a]-b", true);
}

TEST(test_patterns_star) {
  check_pattern("*", "", true);
  check_pattern("*", "ffi.Array/x", true);
  check_pattern("ffi.*", "ffi.", true);
  check_pattern("ffi.*", "ffi", false);
  check_pattern("*.c", "a.c.c", true);
  check_pattern("a*b*c", "a1b2b3c", true);
  check_pattern("a*b*c", "a1b2b3", false);
  check_pattern("*ab*ab", "abab", true);
  check_pattern("*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                false);
  check_pattern("**?", "a", true);
}

TEST(test_patterns_sets) {
  check_pattern("[abc]", "b", true);
  check_pattern("[abc]", "d", false);
  check_pattern("[!abc]", "d", true);
  check_pattern("[^abc]", "a", false);
  check_pattern("[a-c]x", "bx", true);
  check_pattern("[a-c]", "-", false);
  check_pattern("[a-]", "-", true);
  check_pattern("[]a]", "]", true);
  check_pattern("[!]a]", "]", false);
  check_pattern("[!]a]", "b", true);
  check_pattern("[\\]a]", "a", true);
  check_pattern("[\\]a]", "]", true);
  check_pattern("[[:digit:]_]", "7", true);
  check_pattern("[[:digit:]_]", "_", true);
  check_pattern("[[:digit:]_]", "a", false);
  check_pattern("[![:upper:]]*", "Ab", false);
  check_pattern("[a-z", "[a-z", true);
  check_pattern("[a-z", "a", false);
  check_pattern("[", "[", true);
  check_pattern("[\xc3]", "\xc3", true);
}

RUN_TESTS({
    cmocka_unit_test(test_blanks_and_quotes),
    cmocka_unit_test(test_escapes),
    cmocka_unit_test(test_numbers),
    cmocka_unit_test(test_patterns_plain),
    cmocka_unit_test(test_patterns_star),
    cmocka_unit_test(test_patterns_sets),
})
