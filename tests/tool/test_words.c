/* SPDX-License-Identifier: Apache-2.0 */
/* The words of variables such as CC. */
#include "support/check.h"

#include "base/text.h"
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

static void test_blanks_and_quotes(void **state) {
  const char *const no_words[] = {NULL};
  (void)state;
  check("", no_words);
  check(" \t\n", no_words);
  CHECK("gcc", "gcc");
  CHECK("  ccache\tgcc -O2 ", "ccache", "gcc", "-O2");
  CHECK("'a b' \"c d\"e", "a b", "c de");
  CHECK("\"\" ''", "", "");
  CHECK("\"a 'b\" 'c \"d'", "a 'b", "c \"d");
  CHECK("\"a b", "a b");
}

static void test_escapes(void **state) {
  (void)state;
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blanks_and_quotes),
      cmocka_unit_test(test_escapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
