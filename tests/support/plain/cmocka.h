/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests use of cmocka, where it is not installed or the system has no setjmp: tests run in
 * order, and the first failure ends the program with 1.
 */
#ifndef TESTS_SUPPORT_PLAIN_CMOCKA_H_
#define TESTS_SUPPORT_PLAIN_CMOCKA_H_

#include <stddef.h>
#include <stdint.h>

typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
  const char *name;
  void (*test)(void **state);
  CMFixtureFunction setup, teardown;
};

#define cmocka_unit_test(f) \
  { #f, f, NULL, NULL }
#define cmocka_unit_test_setup(f, setup) \
  { #f, f, setup, NULL }
#define cmocka_unit_test_teardown(f, teardown) \
  { #f, f, NULL, teardown }
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
  { #f, f, setup, teardown }
#define cmocka_run_group_tests(tests, setup, teardown) \
  _cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof *(tests), setup, teardown)
int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t num_tests,
                            CMFixtureFunction setup, CMFixtureFunction teardown);

#if defined(__GNUC__)
#define PLAIN_PRINTF __attribute__((format(printf, 1, 2)))
#define PLAIN_NORETURN __attribute__((noreturn))
#else
#define PLAIN_PRINTF
#define PLAIN_NORETURN
#endif
PLAIN_PRINTF void print_message(const char *format, ...);
PLAIN_PRINTF void print_error(const char *format, ...);
PLAIN_NORETURN void _fail(const char *file, int line);

/* The values that an assertion compares are its own business: it says what it is, and where. */
#define PLAIN_ASSERT(condition, text) \
  ((condition) ? (void)0 : (print_error("%s\n", text), _fail(__FILE__, __LINE__)))
void plain_assert_same(uint64_t a, uint64_t b, int wants_same, const char *text, const char *file,
                       int line);
void plain_assert_memory(const void *a, const void *b, size_t size, int wants_same,
                         const char *file, int line);
void _assert_string_equal(const char *a, const char *b, const char *file, int line);

#define assert_true(c) PLAIN_ASSERT((c), #c)
#define assert_false(c) PLAIN_ASSERT(!(c), "not: " #c)
#define assert_null(c) PLAIN_ASSERT((c) == NULL, #c " is NULL")
#define assert_non_null(c) PLAIN_ASSERT((c) != NULL, #c " is not NULL")
#define assert_ptr_equal(a, b) PLAIN_ASSERT((const void *)(a) == (const void *)(b), #a " is " #b)
#define assert_ptr_not_equal(a, b) \
  PLAIN_ASSERT((const void *)(a) != (const void *)(b), #a " is not " #b)
#define assert_int_equal(a, b) \
  plain_assert_same((uint64_t)(a), (uint64_t)(b), 1, #a " == " #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b) \
  plain_assert_same((uint64_t)(a), (uint64_t)(b), 0, #a " != " #b, __FILE__, __LINE__)
#define assert_in_range(value, least, most)                                                   \
  PLAIN_ASSERT((uint64_t)(value) - (uint64_t)(least) <= (uint64_t)(most) - (uint64_t)(least), \
               #value " is from " #least " to " #most)
#define assert_string_equal(a, b) _assert_string_equal((a), (b), __FILE__, __LINE__)
#define assert_string_not_equal(a, b) PLAIN_ASSERT(strcmp((a), (b)) != 0, #a " is not " #b)
#define assert_memory_equal(a, b, size) plain_assert_memory((a), (b), (size), 1, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, size) \
  plain_assert_memory((a), (b), (size), 0, __FILE__, __LINE__)
#define fail() _fail(__FILE__, __LINE__)
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))
/* In the test itself, for it returns. */
#define skip()                    \
  do {                            \
    print_message("(skipped)\n"); \
    return;                       \
  } while (0)

#endif /* TESTS_SUPPORT_PLAIN_CMOCKA_H_ */
