/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include "support/check.h"

typedef struct {
  int allocated, freed;
  size_t last_size;
} counters;

static void *count_allocate(void *context, size_t size) {
  counters *c = context;
  ++c->allocated;
  c->last_size = size;
  return malloc(size);
}

static void count_deallocate(void *context, void *ptr) {
  counters *c = context;
  assert_non_null(ptr);
  ++c->freed;
  free(ptr);
}

static void use_hooks(counters *c) {
  TVMFFIRuntimeMemoryHooks hooks;
  memset(c, 0, sizeof *c);
  hooks.allocate = count_allocate;
  hooks.deallocate = count_deallocate;
  hooks.context = c;
  tvmffi_alloc_shutdown();
  assert_int_equal(tvmffi_alloc_set_hooks(&hooks), 0);
}

static void use_malloc(void) {
  static const TVMFFIRuntimeMemoryHooks none = {NULL, NULL, NULL};
  tvmffi_alloc_shutdown();
  assert_int_equal(tvmffi_alloc_set_hooks(&none), 0);
}

static void check_alignment(const void *block) {
  struct probe {
    char first;
    union {
      long double as_long_double;
      int64_t as_int64;
      void *as_pointer;
      void (*as_function)(void);
    } any;
  };
  assert_non_null(block);
  assert_int_equal((uintptr_t)block % offsetof(struct probe, any), 0);
}

TEST(test_blocks_of_all_sizes) {
  size_t size;
  for (size = 0; size < 200; ++size) {
    char *block = tvmffi_alloc(size), *kept = tvmffi_alloc_until_shutdown(size);
    check_alignment(block);
    check_alignment(kept);
    memset(block, 1, size);
    memset(kept, 2, size);
    tvmffi_free(block);
  }
  tvmffi_free(NULL);
  tvmffi_alloc_shutdown();
}

TEST(test_hooks_receive_everything) {
  counters c;
  void *block;
  use_hooks(&c);
  block = tvmffi_alloc(10);
  assert_int_equal(c.last_size, 10);
  tvmffi_free(tvmffi_alloc(0));
  assert_true(c.last_size > 0); /* malloc(0) may return NULL; ours may not */
  tvmffi_free(NULL);
  assert_int_equal(c.allocated, 2);
  assert_int_equal(c.freed, 1);
  assert_non_null(tvmffi_alloc_until_shutdown(10));
  assert_true(c.last_size > 10);
  tvmffi_free(block);
  use_malloc();
  assert_int_equal(c.allocated, 3);
  assert_int_equal(c.freed, 3);
}

TEST(test_hooks_are_refused_in_use) {
  counters c;
  TVMFFIRuntimeMemoryHooks other = {NULL, NULL, NULL};
  void *block;
  use_hooks(&c);
  block = tvmffi_alloc(1);
  assert_int_equal(tvmffi_alloc_set_hooks(&other), -1);
  tvmffi_free(block);
  assert_int_equal(tvmffi_alloc_set_hooks(&other), -1);
  assert_int_equal(c.freed, 1); /* the refused hooks are not in effect */
  use_malloc();
}

TEST(test_kept_blocks_go_at_shutdown) {
  counters c;
  int i;
  use_hooks(&c);
  for (i = 0; i < 5; ++i) assert_non_null(tvmffi_alloc_until_shutdown(100));
  assert_int_equal(c.freed, 0);
  tvmffi_alloc_shutdown();
  assert_int_equal(c.freed, 5);
  tvmffi_alloc_shutdown();
  assert_int_equal(c.freed, 5);
  use_malloc();
}

TEST(test_sizes_that_overflow) {
  assert_null(tvmffi_alloc_until_shutdown(SIZE_MAX));
}

RUN_TESTS({
    cmocka_unit_test(test_blocks_of_all_sizes),
    cmocka_unit_test(test_hooks_receive_everything),
    cmocka_unit_test(test_hooks_are_refused_in_use),
    cmocka_unit_test(test_kept_blocks_go_at_shutdown),
    cmocka_unit_test(test_sizes_that_overflow),
})
