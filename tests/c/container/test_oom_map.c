/* SPDX-License-Identifier: Apache-2.0 */
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/probe.h"

enum { kInserts = 700, kMaxBlocks = 128 };

static TVMFFIObject *map;
static int64_t next_key;

static int insert(void *context) {
  TVMFFIAny key = tvmffi_any_int(next_key), value = tvmffi_any_int(next_key);
  (void)context;
  if (tvmffi_map_insert(&map, &key, &value) == 0) return 0;
  check_not_raised();
  return tvmffi_fail_memory();
}

/* The contents of the map before an insertion. */
static struct {
  TVMFFIObject *map;
  const void *data;
  uint64_t size, slots;
  unsigned char meta[kMaxBlocks][16];
  int64_t order[kInserts];
} before;

static size_t num_blocks(const tvmffi_map *self) {
  return tvmffi_map_is_small(self) ? 0 : (size_t)((self->slots + 15) / 16);
}

static void read_order(const tvmffi_map *self, int64_t *out) {
  uint64_t i, n = 0;
  const char *data = self->data;
  if (tvmffi_map_is_small(self)) {
    for (; n < self->size; ++n) memcpy(&out[n], data + 32 * n + 8, 8);
    return;
  }
  for (i = self->head; i != UINT64_MAX; ++n) {
    const char *item = data + 784 * (i / 16) + 16 + 48 * (i % 16);
    memcpy(&out[n], item + 8, 8);
    memcpy(&i, item + 40, 8);
  }
  assert_int_equal(n, self->size);
}

static void remember(void) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  size_t i;
  before.map = map;
  before.data = self->data;
  before.size = self->size;
  before.slots = self->slots;
  assert_true(num_blocks(self) <= kMaxBlocks);
  for (i = 0; i < num_blocks(self); ++i) {
    memcpy(before.meta[i], (const char *)self->data + 784 * i, 16);
  }
  read_order(self, before.order);
}

static void unchanged(void *context) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  int64_t order[kInserts];
  size_t i;
  (void)context;
  assert_ptr_equal(map, before.map);
  assert_ptr_equal(self->data, before.data);
  assert_int_equal(self->size, before.size);
  assert_int_equal(self->slots, before.slots);
  for (i = 0; i < num_blocks(self); ++i) {
    assert_memory_equal((const char *)self->data + 784 * i, before.meta[i], 16);
  }
  read_order(self, order);
  assert_memory_equal(order, before.order, (size_t)self->size * sizeof order[0]);
}

/* Inserts keys that make chains of all kinds; the map also grows if a chain finds no free slot. */
static void fill_with_failures(uint32_t seed) {
  long growths = 0;
  int i;
  map = tvmffi_map_new();
  assert_non_null(map);
  for (i = 0; i < kInserts; ++i) {
    seed = seed * 1664525u + 1013904223u;
    next_key = (int64_t)seed << 20;
    remember();
    growths += oom_check(insert, unchanged, NULL, NULL, 1);
  }
  assert_in_range(growths, 6, 20);
  assert_int_equal(tvmffi_map_size(map), kInserts);
  tvmffi_object_release(map);
  assert_int_equal(oom_live_blocks(), 0);
}

static void test_every_growth(void **state) {
  uint32_t seed;
  (void)state;
  for (seed = 1; seed <= 20; ++seed) fill_with_failures(seed);
}

static void test_keys_and_values_stay_the_caller_s(void **state) {
  TVMFFIAny key, value;
  probe probes[2];
  int64_t i;
  (void)state;
  probe_init(&probes[0]);
  probe_init(&probes[1]);
  map = tvmffi_map_new();
  for (i = 0; i < 4; ++i) {
    next_key = i;
    check_ok(insert(NULL));
  }
  key = tvmffi_any_object(&probes[0]);
  value = tvmffi_any_object(&probes[1]);
  oom_fail_after(0);
  assert_int_equal(tvmffi_map_insert(&map, &key, &value), -1);
  oom_fail_after(-1);
  assert_int_equal(probes[0].strong_deletes + probes[1].strong_deletes, 0);
  assert_int_equal(tvmffi_map_insert(&map, &key, &value), 0);
  tvmffi_object_release(map);
  assert_int_equal(probes[0].strong_deletes, 1);
  assert_int_equal(probes[1].strong_deletes, 1);
  assert_int_equal(oom_live_blocks(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_growth),
      cmocka_unit_test(test_keys_and_values_stay_the_caller_s),
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
