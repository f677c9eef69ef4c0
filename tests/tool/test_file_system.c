/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are created, replaced, and removed while they are open. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include "base/files.h"
#include "base/names.h"
#include "support/check.h"
#include "system/system.h"

/* In the folder that the test runs in. */
static const char kOne[] = "test_file_system.one", kOther[] = "test_file_system.other";

static void write_file(const char *path, const char *content) {
  FILE *file = file_create(path, NULL);
  assert_non_null(file);
  assert_true(fputs(content, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

FIXTURE(clear) {
  (void)remove(kOne);
  (void)remove(kOther);
  return 0;
}

TEST(test_creating) {
  file_status status;
  assert_false(file_exists(kOne));
  write_file(kOne, "a\nb\n");
  assert_true(file_exists(kOne));
  assert_true(file_status_get(kOne, &status));
  assert_true(status.is_regular && !status.is_folder && !status.is_characters);
  assert_int_equal(status.size, 4); /* line ends are as they were written */
  errno = 0;
  assert_null(file_create(kOne, NULL));
  assert_int_equal(errno, EEXIST);
  errno = 0;
  assert_null(file_create("test_file_system.none/file", NULL));
  assert_int_equal(errno, ENOENT);
}

TEST(test_removing_an_open_file) {
  FILE *file = file_create(kOne, NULL);
  assert_non_null(file);
  assert_int_equal(remove(kOne), 0);
  assert_int_equal(fclose(file), 0);
  assert_false(file_exists(kOne));
}

TEST(test_replacing) {
  file_status before, after;
  write_file(kOne, "new content");
  write_file(kOther, "old");
  assert_true(file_status_get(kOne, &before));
  assert_true(file_rename(kOne, kOther));
  assert_false(file_exists(kOne));
  assert_true(file_status_get(kOther, &after));
  assert_true(file_status_is_same(&before, &after));
  assert_int_equal(after.size, 11);
  errno = 0;
  assert_false(file_rename(kOne, kOther));
  assert_int_equal(errno, ENOENT);
}

/* ---- Paths as text, by the rules of the system that the test runs on ---- */

static void check_beside(const char *path, const char *name, const char *expected) {
  char *made = path_beside(path, name);
  assert_string_equal(made, expected);
  free(made);
}

/* What was read before a read failed is not what the file has. */
TEST(test_reading_fails_in_the_middle) {
  file_reader reader;
  size_t size = 7;
  write_file(kOne, "some");
  assert_true(file_reader_open(kOne, &reader));
  assert_true(file_reader_fill(&reader, 4));
  assert_int_equal(reader.size, 4);
#ifdef _WIN32
  assert_int_equal(_close(_fileno(reader.stream)), 0);
#else
  assert_int_equal(close(fileno(reader.stream)), 0);
#endif
  assert_null(file_reader_take(&reader, &size));
  assert_int_equal(size, 0);
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
    cmocka_unit_test_setup_teardown(test_creating, clear, clear),
    cmocka_unit_test_setup_teardown(test_removing_an_open_file, clear, clear),
    cmocka_unit_test_setup_teardown(test_replacing, clear, clear),
    cmocka_unit_test_setup_teardown(test_reading_fails_in_the_middle, clear, clear),
    cmocka_unit_test(test_slashes),
    cmocka_unit_test(test_backslashes_and_drives),
})
