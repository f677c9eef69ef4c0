/* SPDX-License-Identifier: Apache-2.0 */
#include <cmocka.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_message(const char *format, ...) {
  va_list args;
  va_start(args, format);
  (void)vprintf(format, args);
  va_end(args);
}

void print_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  (void)vfprintf(stderr, format, args);
  va_end(args);
}

void _fail(const char *file, int line) {
  print_error("%s:%d: failed\n", file, line);
  exit(1);
}

void plain_assert_same(uint64_t a, uint64_t b, int wants_same, const char *text, const char *file,
                       int line) {
  if ((a == b) == wants_same) return;
  print_error("%s: %" PRIu64 " and %" PRIu64 "\n", text, a, b);
  _fail(file, line);
}

void plain_assert_memory(const void *a, const void *b, size_t size, int wants_same,
                         const char *file, int line) {
  if ((memcmp(a, b, size) == 0) == wants_same) return;
  print_error("%zu bytes are %s\n", size, wants_same ? "different" : "the same");
  _fail(file, line);
}

void _assert_string_equal(const char *a, const char *b, const char *file, int line) {
  if (strcmp(a, b) == 0) return;
  print_error("\"%s\" is not \"%s\"\n", a, b);
  _fail(file, line);
}

static void run_fixture(CMFixtureFunction fixture, void **state, const char *file, int line) {
  if (fixture != NULL && fixture(state) != 0) _fail(file, line);
}

int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t num_tests,
                            CMFixtureFunction setup, CMFixtureFunction teardown) {
  void *group_state = NULL;
  size_t i;
  (void)name;
  run_fixture(setup, &group_state, __FILE__, __LINE__);
  for (i = 0; i < num_tests; ++i) {
    void *state = group_state;
    print_message("%s\n", tests[i].name);
    (void)fflush(stdout);
    run_fixture(tests[i].setup, &state, __FILE__, __LINE__);
    tests[i].test(&state);
    run_fixture(tests[i].teardown, &state, __FILE__, __LINE__);
  }
  run_fixture(teardown, &group_state, __FILE__, __LINE__);
  print_message("%zu tests passed\n", num_tests);
  return 0;
}
