/* SPDX-License-Identifier: Apache-2.0 */
/* Included by every test file: cmocka, the headers it needs, and checks of this project. */
#ifndef TESTS_SUPPORT_CHECK_H_
#define TESTS_SUPPORT_CHECK_H_

#ifndef TESTS_PLAIN_CMOCKA
#include <setjmp.h>
#endif
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tvm/ffi/c_api.h>

#include "platform/c99_string.h"

/* TEST(name) { ... } defines a test, FIXTURE(name) { ...; return 0; } what runs before or after
 * one: functions as cmocka calls them, but for the state, which these do not need. */
#define TEST(name)                 \
  static void name##_body(void);   \
  static void name(void **state) { \
    (void)state;                   \
    name##_body();                 \
  }                                \
  static void name##_body(void)
#define FIXTURE(name)             \
  static int name##_body(void);   \
  static int name(void **state) { \
    (void)state;                  \
    return name##_body();         \
  }                               \
  static int name##_body(void)

/* RUN_TESTS({rows}) is the program that runs these tests; a row is cmocka_unit_test(name). */
#define RUN_TESTS(...)                                     \
  int main(void) {                                         \
    const struct CMUnitTest tests[] = __VA_ARGS__;         \
    return cmocka_run_group_tests(tests, NULL, NULL) != 0; \
  }

/* cmocka 2 deprecates the name, and its assert_uint_in_range converts to a signed type first. */
#ifdef assert_int_in_range
#undef assert_in_range
#define assert_in_range(value, least, most) assert_int_in_range(value, least, most)
#endif

/* A TVMFFIByteArray of a string literal or array of char with a NUL at the end. */
static inline TVMFFIByteArray check_bytes(const char *text) {
  TVMFFIByteArray bytes;
  bytes.data = text;
  bytes.size = strlen(text);
  return bytes;
}

/* The path of a library of tests/modules; valid until the next call. */
static inline const char *module_path(const char *file) {
  static char path[4096];
  const char *folder = getenv("TVM_FFI_TEST_MODULES");
  assert_non_null(folder);
  assert_true(snprintf(path, sizeof path, "%s/%s", folder, file) < (int)sizeof path);
  return path;
}

/* Takes the raised error and compares its kind and message; NULL is not compared. */
#define check_raised(kind, message) check_raised_at(kind, message, 0, __FILE__, __LINE__)
/* The same, but the message only has to contain the text. */
#define check_raised_with(kind, part) check_raised_at(kind, part, 1, __FILE__, __LINE__)
/* Checks that the expression returns -1 and raises this error. */
#define check_fails(expression, kind, message) check_fails_as(-1, expression, kind, message)
/* The same with the code of a client, which is passed on. */
#define check_fails_as(code, expression, kind, message) \
  do {                                                  \
    assert_int_equal((expression), code);               \
    check_raised(kind, message);                        \
  } while (0)
/* Like check_fails, but the message only has to contain the text. */
#define check_fails_with(expression, kind, part) \
  do {                                           \
    assert_int_equal((expression), -1);          \
    check_raised_with(kind, part);               \
  } while (0)
/* Checks that the expression returns 0; otherwise prints the raised error. */
#define check_ok(expression) check_ok_at((expression), #expression, __FILE__, __LINE__)
/* Checks that no error is raised. */
#define check_not_raised() check_not_raised_at(__FILE__, __LINE__)

void check_raised_at(const char *kind, const char *message, int part, const char *file, int line);
void check_ok_at(int rc, const char *expression, const char *file, int line);
void check_not_raised_at(const char *file, int line);

/* Whether the C library ever unloads a library. musl does not, so that destructors run at exit. */
#if defined(__linux__) && !defined(__GLIBC__)
enum { kCheckUnloads = 0 };
#else
enum { kCheckUnloads = 1 };
#endif
/* Checks how many libraries were closed for the last time, or that a library is not loaded. */
#define check_closed(num_closed, expected) \
  assert_int_equal(num_closed, kCheckUnloads ? (expected) : 0)
#define check_unloaded(is_loaded) assert_int_equal(is_loaded, !kCheckUnloads)

/* A fixture that returns the runtime to the state before its first use; a test with it after. */
int check_shut_down(void **state);
#define test_and_shut_down(test) cmocka_unit_test_teardown(test, check_shut_down)

/* The strong count of an object. */
uint32_t check_use_count(TVMFFIObjectHandle obj);

/* Releases an owned value. */
void check_release(TVMFFIAny *any);

/* ---- Functions to register and to call ---- */

/* Leaves its result None. */
int call_nothing(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* Gives the int 7. */
int call_seven(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* Raises a KeyError: "not here". */
int call_key_error(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* The get_function of a module that has no function. */
int find_no_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                     TVMFFIObjectHandle *out);

/* Checks that an owned value is this str, and releases it. */
#define check_str(value, expected) check_str_at(value, expected, __FILE__, __LINE__)
void check_str_at(TVMFFIAny *value, const char *expected, const char *file, int line);

/* ---- An object that counts the calls of its deleter ---- */

typedef struct {
  TVMFFIObject header;
  int strong_deletes; /* how often its contents were destroyed */
  int weak_deletes;   /* how often its memory was to be returned */
} probe;

/* Prepares a probe of type ffi.Object with one reference. It lives in the caller's variable. */
void probe_init(probe *p);

#endif /* TESTS_SUPPORT_CHECK_H_ */
