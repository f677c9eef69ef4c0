/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "base/pattern.h"

static void check(const char *pattern, const char *text, bool expected) {
  if (pattern_matches(pattern, text) != expected) {
    fail_msg("%s %s %s", pattern, expected ? "does not match" : "matches", text);
  }
}

TEST(test_plain) {
  check("", "", true);
  check("", "a", false);
  check("scale", "scale", true);
  check("scale", "scale2", false);
  check("scale2", "scale", false);
  check("sc?le", "scale", true);
  check("?", "", false);
  check("\\*", "*", true);
  check("\\*", "a", false);
  check("a\\", "a", false);
  check("a]-b", "a]-b", true);
}

TEST(test_star) {
  check("*", "", true);
  check("*", "ffi.Array/x", true);
  check("ffi.*", "ffi.", true);
  check("ffi.*", "ffi", false);
  check("*.c", "a.c.c", true);
  check("a*b*c", "a1b2b3c", true);
  check("a*b*c", "a1b2b3", false);
  check("*ab*ab", "abab", true);
  check("*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false);
  check("**?", "a", true);
}

TEST(test_sets) {
  check("[abc]", "b", true);
  check("[abc]", "d", false);
  check("[!abc]", "d", true);
  check("[^abc]", "a", false);
  check("[a-c]x", "bx", true);
  check("[a-c]", "-", false);
  check("[a-]", "-", true);
  check("[]a]", "]", true);
  check("[!]a]", "]", false);
  check("[!]a]", "b", true);
  check("[\\]a]", "a", true);
  check("[\\]a]", "]", true);
  check("[[:digit:]_]", "7", true);
  check("[[:digit:]_]", "_", true);
  check("[[:digit:]_]", "a", false);
  check("[![:upper:]]*", "Ab", false);
  check("[a-z", "[a-z", true);
  check("[a-z", "a", false);
  check("[", "[", true);
  check("[\xc3]", "\xc3", true);
}

RUN_TESTS({
    cmocka_unit_test(test_plain),
    cmocka_unit_test(test_star),
    cmocka_unit_test(test_sets),
})
