/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"
#include "module/library_cache.h"
#include "support/check.h"
#include "support/oom.h"

static char objects[40];
static size_t next;

static int add(void *cache) {
  char name = (char)('A' + next);
  return tvmffi_library_cache_add(cache, &name, 1, (uint64_t)next, &objects[next]) != 0
             ? tvmffi_fail_memory()
             : 0;
}

static void unchanged(void *context) {
  tvmffi_library_cache *cache = context;
  size_t i;
  assert_int_equal(cache->size, next);
  for (i = 0; i <= next; ++i) {
    char name = (char)('A' + i);
    const void *found = tvmffi_library_cache_find(cache, &name, 1, (uint64_t)i);
    assert_ptr_equal(found, i < next ? &objects[i] : NULL);
  }
}

static void test_every_growth(void **state) {
  tvmffi_library_cache cache = {NULL, 0};
  long failures = 0;
  (void)state;
  for (next = 0; next < 40; ++next) {
    failures += oom_check(add, unchanged, NULL, &cache, 1);
  }
  assert_int_equal(failures, 40 + 4); /* an entry each, and tables of 16 to 128 slots */
  tvmffi_library_cache_fini(&cache);
  assert_int_equal(oom_live_blocks(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_growth)};
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
