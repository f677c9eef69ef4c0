/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library_cache.h"

#include <pthread.h>
#include <stdio.h>

#include "base/hash.h"
#include "support/check.h"

enum { kNames = 5000 };

static char addresses[kNames];

static size_t name_of(int i, char *out) {
  return (size_t)sprintf(out, "kernel_%d", i * 31);
}

static void *find(const tvmffi_library_cache *cache, const char *name, size_t size) {
  return tvmffi_library_cache_find(cache, name, size, tvmffi_hash_bytes(name, size));
}

static int add(tvmffi_library_cache *cache, const char *name, size_t size, void *address) {
  return tvmffi_library_cache_add(cache, name, size, tvmffi_hash_bytes(name, size), address);
}

static void test_names_are_found_again(void **state) {
  tvmffi_library_cache cache = {NULL, 0};
  char name[32];
  int i;
  (void)state;
  assert_null(find(&cache, "", 0));
  for (i = 0; i < kNames; ++i) {
    size_t size = name_of(i, name);
    assert_null(find(&cache, name, size));
    assert_int_equal(add(&cache, name, size, &addresses[i]), 0);
    assert_int_equal(add(&cache, name, size, &addresses[0]), 0); /* the first entry stays */
    assert_ptr_equal(find(&cache, name, size), &addresses[i]);
    assert_true(find(&cache, name, size - 1) != (void *)&addresses[i]);
  }
  for (i = 0; i < kNames; ++i) {
    size_t size = name_of(i, name);
    assert_ptr_equal(find(&cache, name, size), &addresses[i]);
  }
  assert_int_equal(add(&cache, "", 0, &addresses[7]), 0);
  assert_ptr_equal(find(&cache, "", 0), &addresses[7]);
  tvmffi_library_cache_fini(&cache);
  assert_null(find(&cache, "", 0));
  tvmffi_library_cache_fini(&cache);
}

static tvmffi_library_cache shared;

/* Adds the names that are missing. A thread that comes second must find the other's entry. */
static void *use_shared(void *failed) {
  char name[32];
  int i;
  for (i = 0; i < kNames; ++i) {
    size_t size = name_of(i, name);
    if (find(&shared, name, size) == NULL) (void)add(&shared, name, size, &addresses[i]);
    if (find(&shared, name, size) != (void *)&addresses[i]) *(int *)failed = 1;
  }
  return NULL;
}

static void test_threads(void **state) {
  pthread_t threads[4];
  int failed[4] = {0, 0, 0, 0}, i;
  (void)state;
  for (i = 0; i < 4; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, use_shared, &failed[i]), 0);
  }
  for (i = 0; i < 4; ++i) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(failed[i], 0);
  }
  assert_int_equal(shared.size, kNames);
  tvmffi_library_cache_fini(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_are_found_again),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
