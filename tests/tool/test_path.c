/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as text, by the rules of the system that the test runs on. */

#include "support/check.h"

#include "base/names.h"
#include "system/system.h"

static void check_beside(const char *path, const char *name, const char *expected) {
  char *made = path_beside(path, name);
  assert_string_equal(made, expected);
  free(made);
}

TEST(test_slashes) {
  assert_string_equal(path_base("a/b/c.so"), "c.so");
  assert_string_equal(path_base("c.so"), "c.so");
  assert_string_equal(path_base("a/"), "");
  assert_true(path_has_folder("./c.so"));
  assert_false(path_has_folder("c.so"));
  assert_true(path_is_absolute("/a"));
  assert_false(path_is_absolute("a/b"));
  assert_false(path_is_absolute(""));
  check_beside("a/b", "c", "a/c");
  check_beside("b", "c/d", "c/d");
  check_beside("a/b", "/c", "/c");
}

TEST(test_backslashes_and_drives) {
  if (!kSystem.has_drives) {
    assert_string_equal(path_base("a\\b"), "a\\b");
    assert_false(path_has_folder("C:b"));
    assert_false(path_is_absolute("C:/b"));
    check_beside("a/b", "D:c", "a/D:c");
    return;
  }
  assert_string_equal(path_base("a/b\\c.dll"), "c.dll");
  assert_string_equal(path_base("C:c.dll"), "c.dll");
  assert_true(path_has_folder("C:c.dll"));
  assert_true(path_is_absolute("C:\\a"));
  assert_true(path_is_absolute("\\\\server\\share"));
  assert_false(path_is_absolute("C:a"));
  check_beside("C:b", "c", "C:c");
  check_beside("C:\\a\\b", "c", "C:\\a\\c");
  check_beside("a/b", "D:/c", "D:/c");
  check_beside("a/b", "D:c", "D:c");
}

RUN_TESTS({
    cmocka_unit_test(test_slashes),
    cmocka_unit_test(test_backslashes_and_drives),
})
