/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oom.h"

#include <stdlib.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/check.h"

static size_t live_blocks, allocations; /* for tests with one thread */
static long countdown = -1;

int oom_fails_now(void) {
  if (countdown >= 0) return countdown-- == 0;
  return 0;
}

static void *allocate(void *context, size_t size) {
  void *block;
  (void)context;
  if (oom_fails_now()) return NULL;
  block = malloc(size);
  if (block == NULL) return NULL;
  ++live_blocks;
  ++allocations;
  return block;
}

static void deallocate(void *context, void *block) {
  (void)context;
  --live_blocks;
  free(block);
}

void oom_install(void) {
  TVMFFIRuntimeMemoryHooks hooks;
  hooks.allocate = allocate;
  hooks.deallocate = deallocate;
  hooks.context = NULL;
  if (TVMFFIRuntimeSetMemoryHooks(&hooks) != 0) abort();
}

size_t oom_live_blocks(void) {
  return live_blocks;
}

size_t oom_allocations(void) {
  return allocations;
}

void oom_fail_after(long n) {
  countdown = n;
}

long oom_check(int (*action)(void *context), void (*unchanged)(void *context),
               void (*undo)(void *context), void *context, int keeps) {
  long n;
  size_t at_start = live_blocks;
  for (n = 0;; ++n) {
    size_t before = live_blocks;
    int rc, still_armed;
    TVMFFIErrorSetRaised(NULL);
    oom_fail_after(n);
    rc = action(context);
    still_armed = countdown >= 0;
    countdown = -1;
    if (rc == 0) {
      assert_true(still_armed); /* otherwise the action ignored a failed allocation */
      break;
    }
    assert_false(still_armed); /* otherwise the action failed for another reason */
    assert_int_equal(rc, -1);
    check_raised("MemoryError", NULL);
    if (!keeps) assert_int_equal(live_blocks, before);
    if (unchanged != NULL) unchanged(context);
  }
  if (undo != NULL) undo(context);
  if (!keeps) assert_int_equal(live_blocks, at_start);
  return n;
}

long oom_check_failing(int (*action)(void *context), void *context, const char *kind) {
  size_t before = live_blocks;
  long n;
  for (n = 0;; ++n) {
    int still_armed;
    oom_fail_after(n);
    assert_int_equal(action(context), -1);
    still_armed = countdown >= 0;
    countdown = -1;
    check_raised(still_armed ? kind : "MemoryError", NULL);
    assert_int_equal(live_blocks, before);
    if (still_armed) return n;
  }
}

void oom_no_result(void *context) {
  static const TVMFFIAny none;
  assert_memory_equal(context, &none, sizeof none);
}

void oom_release_result(void *context) {
  check_release((TVMFFIAny *)context);
}

void oom_no_object(void *context) {
  assert_null(*(TVMFFIObjectHandle *)context);
}

void oom_release_object(void *context) {
  TVMFFIObjectHandle *obj = (TVMFFIObjectHandle *)context;
  if (*obj != NULL) TVMFFIObjectDecRef(*obj);
  *obj = NULL;
}
