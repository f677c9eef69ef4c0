/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations that fail on demand, through the runtime's memory hooks. Include after check.h.
 * Call oom_install first thing in main, or write RUN_OOM_TESTS in the place of RUN_TESTS.
 */
#ifndef TESTS_SUPPORT_OOM_H_
#define TESTS_SUPPORT_OOM_H_

#include <stddef.h>
#include <tvm/ffi/extra/c_runtime_api.h>

void oom_install(void);
#define RUN_OOM_TESTS(...)                                 \
  int main(void) {                                         \
    const struct CMUnitTest tests[] = __VA_ARGS__;         \
    oom_install();                                         \
    return cmocka_run_group_tests(tests, NULL, NULL) != 0; \
  }

/* Blocks of the runtime that are allocated now. */
size_t oom_live_blocks(void);

/* Allocations since oom_install. */
size_t oom_allocations(void);

/* Makes the allocation after n more fail, and only that one; -1: none. */
void oom_fail_after(long n);

/* Counts an allocation that the hooks do not see; returns whether it has to fail. */
int oom_fails_now(void);

/*
 * Runs action with its first allocation failing, then its second, and so on, until it returns 0.
 * Each failure must return -1 with MemoryError raised and leave no block behind; after each,
 * unchanged (may be NULL) checks that the state is as before. undo (may be NULL) reverts the
 * success, after which no block may be left either, unless keeps is non-zero (tables that grew).
 * Returns how many allocations failed.
 */
long oom_check(int (*action)(void *context), void (*unchanged)(void *context),
               void (*undo)(void *context), void *context, int keeps);

/*
 * The same for an action that raises an error of this kind in the end, which leaves no block behind
 * either.
 */
long oom_check_failing(int (*action)(void *context), void *context, const char *kind);

/*
 * unchanged and undo for an action whose context begins with the TVMFFIAny that it writes: checks
 * that it is None, and releases it.
 */
void oom_no_result(void *context);
void oom_release_result(void *context);

/* The same for a context that begins with a TVMFFIObjectHandle: NULL if nothing was made. */
void oom_no_object(void *context);
void oom_release_object(void *context);

/* The end of a test: shuts the runtime down and checks that no block is left. */
static inline int oom_shut_down(void **state) {
  (void)state;
  TVMFFIRuntimeShutdown();
  return oom_live_blocks() == 0 ? 0 : -1;
}
#define test_and_oom_shut_down(test) cmocka_unit_test_teardown(test, oom_shut_down)

#endif /* TESTS_SUPPORT_OOM_H_ */
