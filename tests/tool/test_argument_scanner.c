/* SPDX-License-Identifier: Apache-2.0 */
/* Quoted texts on the command line. Built with a sanitizer, it also checks that nothing is leaked.
 */

#include "support/check.h"

#include "base/argument_scanner.h"

static char *take(const char *value, size_t *out_size) {
  scan s = {"argument 0", value, value, value + strlen(value), 0, false};
  return scan_take_quoted(&s, out_size);
}

static void check_taken(const char *value, const char *expected, size_t expected_size) {
  size_t size = 0;
  char *taken = take(value, &size);
  assert_non_null(taken);
  assert_int_equal(size, expected_size);
  assert_memory_equal(taken, expected, size);
  free(taken);
}

TEST(test_quoted) {
  check_taken("\"\"", "", 0);
  check_taken(" \"abc\" ", "abc", 3);
  check_taken("\"\\\"\\\\\\n\\0\\x41\\u20ac\"", "\"\\\n\0A\xe2\x82\xac", 8);
}

TEST(test_refused) {
  static const char *const kValues[] = {"", "abc", "abc\"", "\"abc", "\"\\", "\"\\q\"", "\"\\x4"};
  size_t i, size = 7;
  for (i = 0; i < sizeof kValues / sizeof *kValues; ++i) assert_null(take(kValues[i], &size));
  assert_int_equal(size, 7);
}

RUN_TESTS({
    cmocka_unit_test(test_quoted),
    cmocka_unit_test(test_refused),
})
