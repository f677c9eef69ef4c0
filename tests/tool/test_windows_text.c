/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of Windows are taken apart, by its documented rules, into the words that they were
 * made of. */
#include <stdbool.h>

#include "support/check.h"
#include "system/system.h"

/* Takes one word off the line, by the rules of CommandLineToArgvW for words after the first:
 * 2n backslashes and a " are n backslashes and the begin or end of a quoted part, 2n + 1 and a "
 * are n backslashes and a "; all other backslashes stand for themselves. */
static const char *take_word(const char *line, char *out) {
  bool is_quoted = false;
  while (*line == ' ' || *line == '\t') ++line;
  for (; *line != '\0' && (is_quoted || (*line != ' ' && *line != '\t')); ++line) {
    const size_t slashes = strspn(line, "\\");
    const bool before_quote = line[slashes] == '"';
    if (slashes == 0 && !before_quote) {
      *out++ = *line;
      continue;
    }
    memset(out, '\\', before_quote ? slashes / 2 : slashes);
    out += before_quote ? slashes / 2 : slashes;
    line += slashes;
    if (!before_quote) {
      --line; /* what follows is looked at next */
    } else if (slashes % 2 == 1) {
      *out++ = '"';
    } else {
      is_quoted = !is_quoted;
    }
  }
  *out = '\0';
  return line;
}

static void check_words(const char *first, const char *second) {
  char program[] = "C:\\a program.exe", *words[4], *line, word[64];
  const char *rest;
  words[0] = program;
  words[1] = (char *)first;
  words[2] = (char *)second;
  words[3] = NULL;
  line = command_line_write(words);
  assert_non_null(line);
  assert_true(strncmp(line, "\"C:\\a program.exe\" ", 19) == 0);
  rest = take_word(line + 19, word);
  assert_string_equal(word, first);
  rest = take_word(rest, word);
  assert_string_equal(word, second);
  assert_string_equal(rest, "");
  free(line);
}

/* The i-th of all words of at most kLetters of these letters. */
static void write_word(size_t i, char *out) {
  static const char kAlphabet[] = "a \"\\\t";
  enum { kSize = sizeof kAlphabet - 1 };
  for (; i > 0; i = (i - 1) / kSize) *out++ = kAlphabet[(i - 1) % kSize];
  *out = '\0';
}

TEST(test_every_short_word) {
  enum { kNumWords = 1 + 5 + 25 + 125 + 625 + 3125 };
  char word[8];
  size_t i;
  for (i = 0; i < kNumWords; ++i) {
    write_word(i, word);
    check_words(word, "b");
    check_words("b", word);
    check_words(word, word);
  }
}

TEST(test_plain_words_stay_as_they_are) {
  char *words[] = {"gcc", "-DNAME=1", "C:\\folder\\x.c", "", "a b\\", NULL};
  char *line = command_line_write(words);
  assert_string_equal(line, "gcc -DNAME=1 C:\\folder\\x.c \"\" \"a b\\\\\"");
  free(line);
}

/* ---- Which exit codes of Windows say that an exception ended the process ---- */

TEST(test_exceptions) {
  assert_true(exception_is_code(0xC0000005));
  assert_string_equal(exception_name(0xC0000005), "access violation");
  assert_true(exception_is_code(0x80000003));
  assert_string_equal(exception_name(0x80000003), "breakpoint");
  assert_true(exception_is_code(0xE06D7363));
  assert_string_equal(exception_name(0xE06D7363), "uncaught C++ exception");
  assert_true(exception_is_code(0xC0001234)); /* has no name here */
  assert_string_equal(exception_name(0xC0001234), "exception 0xC0001234");
}

TEST(test_exit_codes) {
  assert_false(exception_is_code(0));
  assert_false(exception_is_code(3));
  assert_false(exception_is_code(256));
  assert_false(exception_is_code(0x7fffffff));
  assert_false(exception_is_code((uint32_t)-1));
  assert_false(exception_is_code((uint32_t)-1000000));
}

RUN_TESTS({
    cmocka_unit_test(test_every_short_word),
    cmocka_unit_test(test_plain_words_stay_as_they_are),
    cmocka_unit_test(test_exceptions),
    cmocka_unit_test(test_exit_codes),
})
