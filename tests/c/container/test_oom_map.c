/* SPDX-License-Identifier: Apache-2.0 */
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "support/check.h"
#include "support/oom.h"

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

TEST(test_every_growth) {
  uint32_t seed;
  for (seed = 1; seed <= 20; ++seed) fill_with_failures(seed);
}

TEST(test_keys_and_values_stay_the_caller_s) {
  TVMFFIAny key, value;
  probe probes[2];
  int64_t i;
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

/* ---- Functions ---- */

/* Every allocation of the functions of maps, dicts and lists fails once. */

typedef struct {
  TVMFFIAny result, args[64];
  TVMFFIObjectHandle function;
  int32_t num_args;
} call;

static int run(void *context) {
  call *c = context;
  return TVMFFIFunctionCall(c->function, c->args, c->num_args, &c->result);
}

static TVMFFIObject *dict; /* checked unless NULL */
static probe item;
static struct {
  const void *data;
  uint64_t size, slots;
  uint32_t uses;
} before_builtin;

static void remember_builtin(void) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)dict;
  before_builtin.uses = check_use_count(&item);
  if (dict == NULL) return;
  before_builtin.data = self->data;
  before_builtin.size = self->size;
  before_builtin.slots = self->slots;
}

static void unchanged_builtin(void *context) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)dict;
  assert_int_equal(((call *)context)->result.type_index, kTVMFFINone);
  assert_int_equal(check_use_count(&item), before_builtin.uses);
  if (dict == NULL) return;
  assert_ptr_equal(self->data, before_builtin.data);
  assert_true(self->size == before_builtin.size);
  assert_true(self->slots == before_builtin.slots);
}

/* Counts the allocations that fail in a call. Its result is released, unless it goes to `kept`. */
static long count_failures(const char *name, const TVMFFIAny *args, int32_t num_args,
                           TVMFFIAny *kept) {
  TVMFFIByteArray bytes = check_bytes(name);
  long failures;
  call c;
  memset(&c, 0, sizeof c);
  if (num_args != 0) memcpy(c.args, args, (size_t)num_args * sizeof *args);
  c.num_args = num_args;
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &c.function));
  remember_builtin();
  failures = oom_check(run, unchanged_builtin, kept == NULL ? oom_release_result : NULL, &c,
                       kept != NULL || dict != NULL);
  if (kept != NULL) *kept = c.result;
  TVMFFIObjectDecRef(c.function);
  return failures;
}

static TVMFFIAny args[64];

static void fill_args(int num_pairs) {
  int i;
  for (i = 0; i < num_pairs; ++i) {
    args[2 * i] = tvmffi_any_int(i);
    args[2 * i + 1] = tvmffi_any_object(&item);
  }
}

TEST(test_making) {
  fill_args(20);
  assert_int_equal(count_failures("ffi.Map", args, 4, NULL), 1);
  assert_int_equal(count_failures("ffi.Dict", args, 8, NULL), 1);
  assert_int_equal(count_failures("ffi.Map", args, 40, NULL), 2);
  args[38] = args[0]; /* a duplicate key: the dict is made again by growing */
  assert_true(count_failures("ffi.Dict", args, 40, NULL) > 4);
  args[38] = tvmffi_any_raw_str("a text of some length");
  assert_int_equal(count_failures("ffi.Dict", args, 40, NULL), 3);
  assert_int_equal(check_use_count(&item), 1);
}

TEST(test_changing_a_dict) {
  TVMFFIAny kept;
  long growths = 0;
  int i;
  assert_int_equal(count_failures("ffi.Dict", NULL, 0, &kept), 1);
  dict = kept.v_obj;
  for (i = 0; i < 200; ++i) {
    args[0] = kept;
    args[1] = tvmffi_any_int(i);
    args[2] = tvmffi_any_object(&item);
    growths += count_failures("ffi.DictSetItem", args, 3, NULL);
  }
  assert_in_range(growths, 6, 12);
  args[1] = tvmffi_any_raw_str("a text of some length");
  assert_int_equal(count_failures("ffi.DictSetItem", args, 3, NULL), 1);
  assert_int_equal(count_failures("ffi.DictErase", args, 2, NULL), 1);
  assert_int_equal(count_failures("ffi.DictForwardIterFunctor", args, 1, NULL), 1);
  assert_int_equal(count_failures("ffi.DictClear", args, 1, NULL), 0);
  assert_int_equal(check_use_count(&item), 1);
  dict = NULL;
  check_release(&kept);
}

TEST(test_copies) {
  TVMFFIAny kept;
  fill_args(20);
  assert_int_equal(count_failures("ffi.Map", args, 40, &kept), 2);
  args[0] = kept;
  args[1] = tvmffi_any_int(5);
  assert_int_equal(count_failures("ffi.DictErase", args, 2, NULL), 2);
  assert_int_equal(count_failures("ffi.ContainerFindFirstNonCPUDevice", args, 1, NULL), 2);
  check_release(&kept);
  assert_int_equal(check_use_count(&item), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_growth), cmocka_unit_test(test_keys_and_values_stay_the_caller_s),
      cmocka_unit_test(test_making),       cmocka_unit_test(test_changing_a_dict),
      cmocka_unit_test(test_copies),
  };
  oom_install();
  probe_init(&item);
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
