/* SPDX-License-Identifier: Apache-2.0 */
#include "container/map.h"

#include "c/container_support.h"
#include "container/any_key.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/object.h"
#include "core/string_object.h"

static void insert(TVMFFIObject **map, TVMFFIAny key, TVMFFIAny value) {
  assert_int_equal(tvmffi_map_insert(map, &key, &value), 0);
}

static void insert_int(TVMFFIObject **map, int64_t key, int64_t value) {
  insert(map, tvmffi_any_int(key), tvmffi_any_int(value));
}

static int64_t get_int(TVMFFIObject *map, int64_t key) {
  TVMFFIAny wanted = tvmffi_any_int(key);
  const TVMFFIAny *found;
  assert_int_equal(tvmffi_map_find(map, &wanted, &found), 0);
  return found == NULL ? -1 : found->v_int64;
}

/* ---- A reader of the layout that does not use the code under test ---- */

static uint64_t word_at(const void *base, size_t offset) {
  uint64_t word;
  memcpy(&word, (const char *)base + offset, sizeof word);
  return word;
}

typedef struct {
  bool is_small;
  uint64_t size, slots;
  const char *data;
} shape_of_map;

static shape_of_map look_at(const TVMFFIObject *map) {
  shape_of_map shape;
  shape.size = word_at(map, offsetof(tvmffi_map, size));
  shape.slots = word_at(map, offsetof(tvmffi_map, slots)) & ~(UINT64_C(1) << 63);
  shape.is_small = word_at(map, offsetof(tvmffi_map, slots)) >> 63 != 0;
  memcpy(&shape.data, (const char *)map + sizeof *map, sizeof shape.data);
  return shape;
}

/* Stores the keys, which must be ints, in iteration order; returns their number. */
static size_t list_keys(const TVMFFIObject *map, int64_t *out, size_t room) {
  shape_of_map shape = look_at(map);
  size_t n = 0;
  uint64_t i;
  if (shape.is_small) {
    for (; n < shape.size && n < room; ++n) out[n] = (int64_t)word_at(shape.data, 32 * n + 8);
    return n;
  }
  for (i = word_at(map, offsetof(tvmffi_map, head)); i != UINT64_MAX && n < room;) {
    const char *item = shape.data + 784 * (i / 16) + 16 + 48 * (i % 16);
    out[n++] = (int64_t)word_at(item, 8);
    i = word_at(item, 40);
  }
  return n;
}

/* The slot in which the chain of a key starts. */
static uint64_t home_of(const TVMFFIObject *map, const TVMFFIAny *key) {
  uint32_t fib_shift = ((const tvmffi_map *)(const void *)map)->fib_shift;
  return (UINT64_C(11400714819323198485) * tvmffi_any_key_hash(key)) >> fib_shift;
}

/* Checks the invariants of metadata and chains of a dense map. */
static void check_dense(const TVMFFIObject *map) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  shape_of_map shape = look_at(map);
  uint64_t i, filled = 0;
  unsigned log2_slots = 0;
  while ((UINT64_C(1) << log2_slots) < shape.slots) ++log2_slots;
  assert_int_equal(self->fib_shift, 64 - log2_slots);
  for (i = 0; i < shape.slots; ++i) {
    unsigned meta = (unsigned char)shape.data[784 * (i / 16) + i % 16];
    const TVMFFIAny *key =
        (const TVMFFIAny *)(const void *)(shape.data + 784 * (i / 16) + 16 + 48 * (i % 16));
    if (meta == 0xFF) continue;
    ++filled;
    assert_true((meta & 0x7F) < 126); /* no slot is marked as protected */
    assert_int_equal(home_of(map, key) == i, (meta & 0x80) == 0);
  }
  assert_int_equal(filled, shape.size);
}

/* ---- Tests ---- */

TEST(test_offsets) {
#if UINTPTR_MAX > UINT32_MAX
  assert_int_equal(offsetof(tvmffi_map, data), 24);
  assert_int_equal(offsetof(tvmffi_map, size), 32);
  assert_int_equal(offsetof(tvmffi_map, slots), 40);
  assert_int_equal(offsetof(tvmffi_map, data_deleter), 48);
  assert_int_equal(offsetof(tvmffi_map, fib_shift), 56);
  assert_int_equal(offsetof(tvmffi_map, head), 64);
  assert_int_equal(offsetof(tvmffi_map, tail), 72);
  assert_int_equal(sizeof(tvmffi_map), 80);
  assert_int_equal(sizeof(tvmffi_map_common), 56);
#endif
  assert_int_equal(sizeof(tvmffi_map_pair), 32);
}

/* The distances are part of the ABI. The sum is that of the numbers in docs/abi/maps.md. */
TEST(test_distances) {
  uint64_t sum = 0;
  unsigned jump;
  for (jump = 0; jump < kNumJumps; ++jump) sum = sum * 31 + tvmffi_map_distance(jump);
  assert_true(sum == UINT64_C(4614847072241707884));
}

TEST(test_an_empty_map) {
  TVMFFIObject *map = tvmffi_map_new();
  TVMFFIAny key = tvmffi_any_none();
  const TVMFFIAny *found;
  shape_of_map shape = look_at(map);
  assert_int_equal(map->type_index, kTVMFFIMap);
  assert_true(shape.is_small);
  assert_int_equal(shape.slots, 2);
  assert_ptr_equal(shape.data, (char *)map + sizeof(tvmffi_map_common));
  assert_int_equal(tvmffi_map_size(map), 0);
  assert_int_equal(tvmffi_map_find(map, &key, &found), 0);
  assert_null(found);
  assert_null(tvmffi_map_find_text(map, "x", 1));
  TVMFFIObjectDecRef(map);
}

TEST(test_growth_between_layouts) {
  /* {size, slots} as measured with the reference; 0 slots: the small layout */
  static const uint64_t measured[][2] = {{1, 0},   {2, 0},   {3, 0},   {4, 0},   {5, 8},
                                         {7, 8},   {8, 16},  {15, 16}, {16, 32}, {31, 32},
                                         {32, 64}, {63, 64}, {64, 128}};
  TVMFFIObject *map = tvmffi_map_new();
  uint64_t n = 0;
  size_t i;
  for (i = 0; i < sizeof measured / sizeof measured[0]; ++i) {
    shape_of_map shape;
    for (; n < measured[i][0]; ++n) insert_int(&map, (int64_t)n, (int64_t)n * 10);
    shape = look_at(map);
    assert_int_equal(tvmffi_map_size(map), n);
    assert_int_equal(shape.is_small, measured[i][1] == 0);
    if (shape.is_small) {
      assert_int_equal(shape.slots, n <= 2 ? 2 : 4);
    } else {
      assert_int_equal(shape.slots, measured[i][1]);
      check_dense(map);
    }
  }
  for (i = 0; i < n; ++i) assert_int_equal(get_int(map, (int64_t)i), (int64_t)i * 10);
  TVMFFIObjectDecRef(map);
}

TEST(test_overwriting_in_a_small_map_keeps_the_place) {
  TVMFFIObject *map = tvmffi_map_new(), *same = map;
  int64_t keys[4];
  insert_int(&map, 7, 1);
  insert_int(&map, 8, 2);
  insert_int(&map, 7, 3);
  assert_ptr_equal(map, same);
  assert_int_equal(list_keys(map, keys, 4), 2);
  assert_int_equal(keys[0], 7);
  assert_int_equal(keys[1], 8);
  assert_int_equal(get_int(map, 7), 3);
  TVMFFIObjectDecRef(map);
}

TEST(test_overwriting_in_a_full_map_moves_to_the_end) {
  TVMFFIObject *map = tvmffi_map_new();
  int64_t keys[8], i;
  for (i = 0; i < 4; ++i) insert_int(&map, i, i);
  insert_int(&map, 1, 11); /* four slots and full: becomes dense */
  assert_false(look_at(map).is_small);
  assert_int_equal(look_at(map).slots, 8);
  assert_int_equal(list_keys(map, keys, 8), 4);
  assert_int_equal(keys[0], 0);
  assert_int_equal(keys[1], 2);
  assert_int_equal(keys[2], 3);
  assert_int_equal(keys[3], 1);
  insert_int(&map, 0, 10);
  assert_int_equal(list_keys(map, keys, 8), 4);
  assert_int_equal(keys[0], 2);
  assert_int_equal(keys[3], 0);
  assert_int_equal(get_int(map, 0), 10);
  assert_int_equal(get_int(map, 1), 11);
  assert_int_equal(tvmffi_map_size(map), 4);
  TVMFFIObjectDecRef(map);
}

TEST(test_keys_and_values_are_owned) {
  TVMFFIObject *map = tvmffi_map_new();
  probe values[12];
  int i;
  for (i = 0; i < 12; ++i) probe_init(&values[i]);
  for (i = 0; i < 10; ++i) insert(&map, tvmffi_any_int(i), tvmffi_any_object(&values[i]));
  for (i = 0; i < 10; ++i) assert_int_equal(values[i].strong_deletes, 0);
  insert(&map, tvmffi_any_int(3), tvmffi_any_object(&values[10]));
  assert_int_equal(values[3].strong_deletes, 1);
  insert(&map, tvmffi_any_object(&values[11]), tvmffi_any_int(1)); /* as a key */
  TVMFFIObjectDecRef(map);
  for (i = 0; i < 12; ++i) assert_int_equal(values[i].strong_deletes, 1);

  map = tvmffi_map_new();
  probe_init(&values[0]);
  probe_init(&values[1]);
  insert(&map, tvmffi_any_int(0), tvmffi_any_object(&values[0]));
  insert(&map, tvmffi_any_int(0), tvmffi_any_object(&values[1]));
  assert_int_equal(values[0].strong_deletes, 1);
  TVMFFIObjectDecRef(map);
  assert_int_equal(values[1].strong_deletes, 1);
}

static TVMFFIAny text(const char *data) {
  TVMFFIAny any;
  check_ok(tvmffi_string_to_any(data, strlen(data), &any));
  return any;
}

TEST(test_the_key_that_was_there_stays) {
  TVMFFIObject *map = tvmffi_map_new();
  TVMFFIObject *heap_form = tvmffi_string_new(kTVMFFIStr, "int8", 4);
  int64_t i;
  insert(&map, text("int8"), tvmffi_any_int(1));
  insert(&map, tvmffi_any_object(heap_form), tvmffi_any_int(2)); /* equal key: released */
  assert_int_equal(tvmffi_map_size(map), 1);
  assert_int_equal(((const TVMFFIAny *)(const void *)look_at(map).data)->type_index,
                   kTVMFFISmallStr);
  for (i = 0; i < 20; ++i) insert_int(&map, i, i);
  heap_form = tvmffi_string_new(kTVMFFIStr, "int8", 4);
  insert(&map, tvmffi_any_object(heap_form), tvmffi_any_int(3));
  assert_int_equal(tvmffi_map_find_text(map, "int8", 4)->v_int64, 3);
  assert_null(tvmffi_map_find_text(map, "int", 3));
  insert(&map, text("a longer name of a function"), tvmffi_any_int(4));
  assert_int_equal(tvmffi_map_find_text(map, "a longer name of a function", 27)->v_int64, 4);
  TVMFFIObjectDecRef(map);
}

enum { kKeys = 3000, kInserts = 10000 };

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

/* The model is an array; iteration in a dense map is in order of the last insertion. */
TEST(test_random_inserts_against_a_model) {
  static int64_t model[kKeys], stamp[kKeys], listed[kKeys];
  TVMFFIObject *map = tvmffi_map_new();
  uint32_t seed = 1;
  size_t count = 0, n, i;
  int64_t turn;
  for (i = 0; i < kKeys; ++i) model[i] = -1;
  for (turn = 0; turn < kInserts; ++turn) {
    uint32_t key = next_random(&seed) % kKeys, other = next_random(&seed) % kKeys;
    if (model[key] == -1) ++count;
    model[key] = turn;
    stamp[key] = turn;
    /* The keys are spread over the whole range, so that homes and chains vary. */
    insert_int(&map, (int64_t)key * 7919 * (key % 2 == 0 ? 1 : -1), turn);
    assert_int_equal(tvmffi_map_size(map), count);
    assert_int_equal(get_int(map, (int64_t)other * 7919 * (other % 2 == 0 ? 1 : -1)), model[other]);
    if (turn % 500 == 499) check_dense(map);
  }
  n = list_keys(map, listed, kKeys);
  assert_int_equal(n, count);
  for (i = 0; i < n; ++i) {
    int64_t key = (listed[i] < 0 ? -listed[i] : listed[i]) / 7919;
    assert_int_equal(get_int(map, listed[i]), model[key]);
    listed[i] = stamp[key];
    assert_true(i == 0 || listed[i - 1] < listed[i]);
  }
  TVMFFIObjectDecRef(map);
}

/* Strings of 8 bytes with the same hash, as an attacker might send them. */
static TVMFFIAny colliding(uint64_t i) {
  uint64_t chunk = i * UINT64_C(2147483647) + UINT64_C(0x4141414141414141);
  char bytes[8];
  int k;
  for (k = 0; k < 8; ++k) bytes[k] = (char)(unsigned char)(chunk >> (8 * k));
  return tvmffi_any_object(tvmffi_string_new(kTVMFFIStr, bytes, 8));
}

TEST(test_keys_of_one_hash) {
  enum { kColliding = 1500 };
  TVMFFIObject *map = tvmffi_map_new();
  uint32_t seed = 5;
  uint64_t i;
  for (i = 0; i < kColliding; ++i) {
    TVMFFIAny key = colliding(i);
    insert(&map, key, tvmffi_any_int((int64_t)i));
    insert_int(&map, (int64_t)next_random(&seed) << 24, 0); /* homes within the chain */
  }
  check_dense(map);
  assert_true(look_at(map).slots <= 8 * kColliding);
  for (i = 0; i < kColliding; ++i) {
    TVMFFIAny key = colliding(i);
    const TVMFFIAny *found;
    assert_int_equal(tvmffi_map_find(map, &key, &found), 0);
    assert_non_null(found);
    assert_int_equal(found->v_int64, i);
    check_release(&key);
  }
  TVMFFIObjectDecRef(map);
}

/* Inserts a new int, from *key on, whose chain starts in that slot of a map with 8 slots. */
static void insert_with_home(TVMFFIObject **map, uint64_t home, int64_t *key) {
  TVMFFIAny candidate = tvmffi_any_int(*key);
  while (home_of(*map, &candidate) != home) candidate = tvmffi_any_int(++*key);
  insert_int(map, *key, *key);
  ++*key;
}

/*
 * The chain of home 0 fills the slots 0 to 3, and only 4 and 7 are free. For a key of home 1 three
 * entries of that chain have to move: to 4, to 7, and to the slot that the second of them left.
 */
TEST(test_a_chain_moves_into_a_slot_that_it_leaves) {
  static const uint64_t homes[] = {0, 0, 0, 0, 5, 6, 1};
  enum { kCount = sizeof homes / sizeof *homes };
  TVMFFIObject *map = tvmffi_dict_new();
  TVMFFIAny key = tvmffi_any_none();
  int64_t listed[kCount], next = 0;
  size_t i;
  for (i = 0; i < 5; ++i) insert_int(&map, (int64_t)i, 0); /* a dense table of 8 slots */
  for (i = 0; i < 5; ++i) {
    key = tvmffi_any_int((int64_t)i);
    assert_int_equal(tvmffi_map_erase(map, &key), 0);
  }
  for (i = 0; i < kCount; ++i) insert_with_home(&map, homes[i], &next);
  assert_int_equal(look_at(map).slots, 8);
  check_dense(map);
  assert_int_equal(list_keys(map, listed, kCount), kCount);
  for (i = 0; i < kCount; ++i) assert_int_equal(get_int(map, listed[i]), listed[i]);
  for (i = 1; i < kCount; ++i) assert_true(listed[i - 1] < listed[i]);
  TVMFFIObjectDecRef(map);
}

/* Maps nested as values, some of them dense, are destroyed without recursion. */
TEST(test_L_21_nested_maps) {
  TVMFFIObject *map = tvmffi_map_new();
  probe p;
  int i;
  probe_init(&p);
  insert(&map, tvmffi_any_int(0), tvmffi_any_object(&p));
  for (i = 0; i < 200000; ++i) {
    TVMFFIObject *outer = tvmffi_map_new();
    int64_t fill;
    for (fill = 0; i % 1000 == 0 && fill < 6; ++fill) insert_int(&outer, fill, 0);
    insert(&outer, tvmffi_any_int(99), tvmffi_any_object(map));
    map = outer;
  }
  TVMFFIObjectDecRef(map);
  assert_int_equal(p.strong_deletes, 1);
}

static int outside_freed;

static void free_outside(void *data) {
  ++outside_freed;
  free(data);
}

/* Inline code of clients leaves such storage in a Dict that grew in place. */
TEST(test_a_small_map_with_storage_elsewhere) {
  TVMFFIObject *map = tvmffi_map_new();
  tvmffi_map *self = (tvmffi_map *)(void *)map;
  void *pairs = malloc(4 * sizeof(tvmffi_map_pair));
  int64_t i;
  assert_non_null(pairs);
  insert_int(&map, 1, 10);
  memcpy(pairs, self->data, sizeof(tvmffi_map_pair));
  self->data = pairs;
  self->slots = TVMFFI_MAP_SMALL_TAG | 4;
  self->data_deleter = free_outside;
  for (i = 2; i < 5; ++i) insert_int(&map, i, i * 10);
  assert_ptr_equal(self->data, pairs);
  insert_int(&map, 5, 50);
  assert_int_equal(outside_freed, 1);
  for (i = 1; i < 6; ++i) assert_int_equal(get_int(map, i), i * 10);
  TVMFFIObjectDecRef(map);
}

/* A copy keeps the positions of the map's entries, also after some were erased. */
static void check_copy(TVMFFIObject *map) {
  TVMFFIObject *copy = tvmffi_map_copy(map);
  uint64_t position = tvmffi_map_first(map);
  assert_non_null(copy);
  assert_int_equal(copy->type_index, map->type_index);
  assert_int_equal(tvmffi_map_size(copy), tvmffi_map_size(map));
  assert_int_equal(look_at(copy).slots, look_at(map).slots);
  assert_int_equal(tvmffi_map_first(copy), position);
  for (; position != TVMFFI_MAP_NONE; position = tvmffi_map_next(map, position)) {
    assert_memory_equal(tvmffi_map_at(copy, position), tvmffi_map_at(map, position),
                        sizeof(tvmffi_map_pair));
    assert_int_equal(tvmffi_map_next(copy, position), tvmffi_map_next(map, position));
    assert_true(get_int(copy, tvmffi_map_at(map, position)->key.v_int64) >= 0);
  }
  if (!look_at(copy).is_small) check_dense(copy);
  TVMFFIObjectDecRef(copy);
}

TEST(test_copies_have_the_same_positions) {
  TVMFFIObject *maps[2], *copy;
  TVMFFIAny key;
  int64_t i;
  int k;
  probe p;
  maps[0] = tvmffi_map_new();
  maps[1] = tvmffi_dict_new();
  for (k = 0; k < 2; ++k) {
    for (i = 0; i < 40; ++i) {
      check_copy(maps[k]);
      insert_int(&maps[k], 7 * i, i);
    }
    for (i = 0; i < 40; i += 3) {
      key = tvmffi_any_int(7 * i);
      assert_int_equal(tvmffi_map_erase(maps[k], &key), 0);
      check_copy(maps[k]);
    }
    TVMFFIObjectDecRef(maps[k]);
  }
  probe_init(&p);
  maps[0] = tvmffi_map_new();
  insert(&maps[0], tvmffi_any_int(1), tvmffi_any_object(&p));
  copy = tvmffi_map_copy(maps[0]);
  assert_int_equal(check_use_count(&p), 2);
  TVMFFIObjectDecRef(copy);
  TVMFFIObjectDecRef(maps[0]);
  assert_int_equal(p.strong_deletes, 1);
}

/* ---- Functions ---- */

static const TVMFFIAny none; /* {0, 0, 0}: None */

/* Keys of every kind. Three are the same text in its three forms; raw views are included. */
enum { kKinds = 10 };
static TVMFFIAny keys[kKinds];
static TVMFFIByteArray raw_bytes;
static probe identity;

FIXTURE(make_keys) {
  int64_t words[2];
  TVMFFIByteArray big;
  words[0] = 1;
  words[1] = 2;
  big.data = (const char *)words;
  big.size = sizeof words;
  raw_bytes = check_bytes("bytes of some length");
  probe_init(&identity);
  keys[0] = tvmffi_any_int(1);
  keys[1] = tvmffi_any_bool(1);
  keys[2] = tvmffi_any_none();
  keys[3] = tvmffi_any_int(1);
  keys[3].type_index = kTVMFFIFloat;
  keys[4] = tvmffi_any_raw_str("short");
  keys[5] = tvmffi_any_raw_str("a text of some length");
  keys[6] = tvmffi_any_ptr(kTVMFFIByteArrayPtr, &raw_bytes);
  check_ok(TVMFFIBigIntFromByteArray(&big, &keys[7]));
  keys[8] = tvmffi_any_object(&identity);
  check_ok(TVMFFIBytesFromByteArray(&raw_bytes, &keys[9]));
  return 0;
}

FIXTURE(release_keys) {
  check_release(&keys[7]);
  check_release(&keys[9]);
  return 0;
}

static const char *pick(bool is_dict, const char *dict_name, const char *map_name) {
  return is_dict ? dict_name : map_name;
}

static void check_keys_of_every_kind(bool is_dict) {
  TVMFFIAny args[2 * kKinds], map, result, missing;
  int64_t words[2] = {1, 2};
  TVMFFIByteArray big;
  int i;
  big.data = (const char *)words;
  big.size = sizeof words;
  for (i = 0; i < kKinds; ++i) {
    args[2 * i] = keys[i];
    args[2 * i + 1] = tvmffi_any_int(i);
  }
  map = call_ok(pick(is_dict, "ffi.Dict", "ffi.Map"), args, 2 * kKinds);
  assert_int_equal(map.type_index, is_dict ? kTVMFFIDict : kTVMFFIMap);
  result = call_ok(pick(is_dict, "ffi.DictSize", "ffi.MapSize"), &map, 1);
  assert_int_equal(result.v_int64, kKinds - 1); /* the bytes were given twice */
  for (i = 0; i < kKinds; ++i) {
    check_ok(call4(pick(is_dict, "ffi.DictGetItem", "ffi.MapGetItem"), 2, map, keys[i], none, none,
                   &result));
    assert_int_equal(result.v_int64, i == 6 ? 9 : i);
    check_ok(call4(pick(is_dict, "ffi.DictCount", "ffi.MapCount"), 2, map, keys[i], none, none,
                   &result));
    assert_int_equal(result.type_index, kTVMFFIInt);
    assert_int_equal(result.v_int64, 1);
  }
  check_ok(TVMFFIBigIntFromByteArray(&big, &args[0])); /* another object of the same value */
  check_ok(call4(pick(is_dict, "ffi.DictGetItem", "ffi.MapGetItem"), 2, map, args[0], none, none,
                 &result));
  assert_int_equal(result.v_int64, 7);
  check_release(&args[0]);
  args[0] = tvmffi_any_object(tvmffi_string_new(kTVMFFIStr, "short", 5));
  check_ok(call4(pick(is_dict, "ffi.DictGetItem", "ffi.MapGetItem"), 2, map, args[0], none, none,
                 &result));
  assert_int_equal(result.v_int64, 4);
  check_release(&args[0]);

  args[0] = tvmffi_any_raw_str("absent");
  check_fails(call4(pick(is_dict, "ffi.DictGetItem", "ffi.MapGetItem"), 2, map, args[0], none, none,
                    &result),
              "KeyError", "key is not in Map");
  check_ok(
      call4(pick(is_dict, "ffi.DictCount", "ffi.MapCount"), 2, map, args[0], none, none, &result));
  assert_int_equal(result.v_int64, 0);
  check_ok(call4(pick(is_dict, "ffi.DictGetItemOrMissing", "ffi.MapGetItemOrMissing"), 2, map,
                 args[0], none, none, &result));
  missing = call_ok("ffi.GetInvalidObject", NULL, 0);
  assert_ptr_equal(result.v_obj, missing.v_obj);
  check_release(&result);
  check_release(&missing);
  check_ok(call4(pick(is_dict, "ffi.DictGetItemOrMissing", "ffi.MapGetItemOrMissing"), 2, map,
                 keys[0], none, none, &result));
  assert_int_equal(result.type_index, kTVMFFIInt);
  assert_int_equal(check_use_count(&identity), 2);
  check_release(&map);
  assert_int_equal(check_use_count(&identity), 1);
}

TEST(test_keys_of_every_kind) {
  check_keys_of_every_kind(false);
  check_keys_of_every_kind(true);
}

/* A map made at once equals one that grew: fields, metadata, links. */
TEST(test_made_at_once) {
  int n;
  for (n = 0; n <= 200; ++n) {
    TVMFFIAny args[400], made;
    TVMFFIObject *grown = tvmffi_map_new();
    const tvmffi_map *a, *b;
    uint64_t i, block;
    int k;
    for (k = 0; k < n; ++k) {
      args[2 * k] = tvmffi_any_int((int64_t)((uint64_t)k * UINT64_C(0x9e3779b97f4a7c15) >> 7));
      args[2 * k + 1] = tvmffi_any_int(k);
      assert_int_equal(tvmffi_map_insert(&grown, &args[2 * k], &args[2 * k + 1]), 0);
    }
    made = call_ok("ffi.Map", args, 2 * n);
    a = (const tvmffi_map *)(const void *)grown;
    b = (const tvmffi_map *)(const void *)made.v_obj;
    assert_int_equal(b->size, a->size);
    assert_true(b->slots == a->slots);
    if (!tvmffi_map_is_small(a)) {
      assert_int_equal(b->fib_shift, a->fib_shift);
      assert_int_equal(b->head, a->head);
      assert_int_equal(b->tail, a->tail);
      for (block = 0; block < (a->slots + 15) / 16; ++block) {
        assert_memory_equal((const char *)b->data + 784 * block,
                            (const char *)a->data + 784 * block, 16);
      }
    }
    for (i = tvmffi_map_first(grown); i != TVMFFI_MAP_NONE; i = tvmffi_map_next(grown, i)) {
      assert_memory_equal(tvmffi_map_at(made.v_obj, i), tvmffi_map_at(grown, i),
                          sizeof(tvmffi_map_pair));
      assert_true(tvmffi_map_next(made.v_obj, i) == tvmffi_map_next(grown, i));
    }
    TVMFFIObjectDecRef(grown);
    check_release(&made);
  }
}

static void check_order(const TVMFFIAny *map, const int64_t *expected, uint64_t n) {
  uint64_t i, count = 0;
  assert_int_equal(tvmffi_map_size(map->v_obj), n);
  for (i = tvmffi_map_first(map->v_obj); i != TVMFFI_MAP_NONE; i = tvmffi_map_next(map->v_obj, i)) {
    assert_int_equal(tvmffi_map_at(map->v_obj, i)->key.v_int64, expected[count++]);
  }
  assert_int_equal(count, n);
}

TEST(test_making) {
  static const int64_t small[] = {1, 10, 2, 20, 1, 11}, small_order[] = {1, 2};
  static const int64_t dense[] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 2, 9, 6, 6};
  static const int64_t dense_order[] = {1, 3, 4, 5, 2, 6};
  TVMFFIObjectHandle key = tvmffi_string_new(kTVMFFIStr, "a key that moves", 16), nothing = NULL;
  TVMFFIAny map, args[2], result;
  static DLTensor tensor;
  map = make_of_ints("ffi.Map", small, 6);
  check_order(&map, small_order, 2);
  assert_true(((const tvmffi_map *)(const void *)map.v_obj)->slots == (TVMFFI_MAP_SMALL_TAG | 2));
  args[0] = map;
  args[1] = tvmffi_any_int(1);
  check_ok(call_global("ffi.MapGetItem", args, 2, &result));
  assert_int_equal(result.v_int64, 11); /* of equal keys the last value counts */
  check_release(&map);
  map = make_of_ints("ffi.Dict", dense, 14);
  check_order(&map, dense_order, 6);
  check_release(&map);
  map = make_of_ints("ffi.Map", NULL, 0);
  check_order(&map, NULL, 0);
  check_release(&map);
  check_fails(call_global("ffi.Map", keys, 1, &result), "InternalError",
              "Check failed: args.size() % 2 == 0 (1 vs. 0) : ");
  check_fails(call_global("ffi.Dict", keys, 3, &result), "InternalError",
              "Check failed: args.size() % 2 == 0 (1 vs. 0) : ");

  args[0] = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &key);
  args[1] = tvmffi_any_int(5);
  map = call_ok("ffi.Dict", args, 2);
  assert_null(key);
  check_release(&map);
  args[1] = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &nothing);
  args[0] = tvmffi_any_object(&identity);
  check_fails_with(call_global("ffi.Map", args, 2, &result), "InternalError", "already moved");
  args[1] = tvmffi_any_ptr(kTVMFFIDLTensorPtr, &tensor);
  check_fails_with(call_global("ffi.Map", args, 2, &result), "RuntimeError", "use Tensor instead");
  assert_int_equal(check_use_count(&identity), 1);
}

TEST(test_changing_a_dict) {
  TVMFFIAny dict = call_ok("ffi.Dict", NULL, 0), result;
  TVMFFIObject *handle = dict.v_obj;
  int64_t i;
  for (i = 0; i < 1000; ++i) {
    check_ok(call4("ffi.DictSetItem", 3, dict, tvmffi_any_int(i), keys[8], none, &result));
    assert_int_equal(result.type_index, kTVMFFINone);
    assert_int_equal(tvmffi_map_size(handle), i + 1);
  }
  assert_int_equal(check_use_count(&identity), 1001);
  for (i = 0; i < 500; ++i) {
    check_ok(call4("ffi.DictErase", 2, dict, tvmffi_any_int(2 * i), none, none, &result));
    check_ok(call4("ffi.DictErase", 2, dict, tvmffi_any_int(2 * i), none, none, &result));
    assert_int_equal(tvmffi_map_size(handle), 1000 - i - 1);
  }
  check_ok(call4("ffi.DictSetItem", 3, dict, keys[5], keys[4], none, &result));
  check_ok(call4("ffi.DictErase", 2, dict, keys[5], none, none, &result)); /* by raw text */
  assert_int_equal(check_use_count(&identity), 501);
  check_ok(call4("ffi.DictClear", 1, dict, none, none, none, &result));
  assert_int_equal(tvmffi_map_size(handle), 0);
  assert_false(tvmffi_map_is_small((const tvmffi_map *)(const void *)handle));
  assert_int_equal(check_use_count(&identity), 1);
  check_ok(call4("ffi.DictSetItem", 3, dict, keys[5], keys[4], none, &result));
  assert_int_equal(tvmffi_map_size(handle), 1);
  check_release(&dict);
}

/* Functions that change a Dict accept a Map, but leave it unchanged. */
TEST(test_a_map_in_place_of_a_dict) {
  int64_t numbers[40], i;
  TVMFFIAny map, result;
  int n;
  for (i = 0; i < 40; ++i) numbers[i] = i / 2;
  for (n = 2; n <= 40; n += 19 * 2) { /* small and dense layouts */
    map = make_of_ints("ffi.Map", numbers, n);
    check_ok(call4("ffi.DictSetItem", 3, map, tvmffi_any_int(100), none, none, &result));
    check_ok(call4("ffi.DictSetItem", 3, map, tvmffi_any_int(0), none, none, &result));
    check_ok(call4("ffi.DictErase", 2, map, tvmffi_any_int(0), none, none, &result));
    check_ok(call4("ffi.DictClear", 1, map, none, none, none, &result));
    assert_int_equal(tvmffi_map_size(map.v_obj), n / 2);
    check_ok(call4("ffi.MapGetItem", 2, map, tvmffi_any_int(0), none, none, &result));
    assert_int_equal(result.v_int64, 0);
    check_release(&map);
  }
  map = make_of_ints("ffi.Array", numbers, 4);
  check_fails(call4("ffi.DictSetItem", 3, map, none, none, none, &result), "TypeError",
              "Mismatched type on argument #0 when calling: `ffi.DictSetItem(0: Dict<Any, Any>, 1: "
              "Any, 2: Any) -> void`. Expected `Dict<Any, Any>` but got `ffi.Array`");
  check_release(&map);
  map = make_of_ints("ffi.Map", numbers, 4);
  check_fails(call4("ffi.DictSize", 1, map, none, none, none, &result), "TypeError",
              "Mismatched type on argument #0 when calling: `ffi.DictSize(0: ffi.Dict) -> int`. "
              "Expected `ffi.Dict` but got `ffi.Map`");
  check_release(&map);
}

TEST(test_null_keys) {
  TVMFFIAny dict = call_ok("ffi.Dict", NULL, 0), result;
  check_fails(call4("ffi.DictGetItem", 2, dict, tvmffi_any_raw_str(NULL), none, none, &result),
              "ValueError", NULL);
  check_fails(
      call4("ffi.DictGetItem", 2, dict, tvmffi_any_ptr(kTVMFFIStr, NULL), none, none, &result),
      "ValueError", NULL);
  check_fails(
      call4("ffi.DictSetItem", 3, dict, none, tvmffi_any_ptr(kTVMFFIStr, NULL), none, &result),
      "ValueError", NULL);
  check_fails(call4("ffi.DictErase", 2, dict, tvmffi_any_ptr(kTVMFFIByteArrayPtr, NULL), none, none,
                    &result),
              "ValueError", NULL);
  assert_int_equal(tvmffi_map_size(dict.v_obj), 0);
  check_release(&dict);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_offsets),
      cmocka_unit_test(test_distances),
      cmocka_unit_test(test_an_empty_map),
      cmocka_unit_test(test_growth_between_layouts),
      cmocka_unit_test(test_overwriting_in_a_small_map_keeps_the_place),
      cmocka_unit_test(test_overwriting_in_a_full_map_moves_to_the_end),
      cmocka_unit_test(test_keys_and_values_are_owned),
      cmocka_unit_test(test_the_key_that_was_there_stays),
      cmocka_unit_test(test_random_inserts_against_a_model),
      cmocka_unit_test(test_keys_of_one_hash),
      cmocka_unit_test(test_a_chain_moves_into_a_slot_that_it_leaves),
      cmocka_unit_test(test_L_21_nested_maps),
      cmocka_unit_test(test_a_small_map_with_storage_elsewhere),
      cmocka_unit_test(test_copies_have_the_same_positions),
      cmocka_unit_test(test_keys_of_every_kind),
      cmocka_unit_test(test_made_at_once),
      cmocka_unit_test(test_making),
      cmocka_unit_test(test_changing_a_dict),
      cmocka_unit_test(test_a_map_in_place_of_a_dict),
      cmocka_unit_test(test_null_keys),
  };
  return cmocka_run_group_tests(tests, make_keys, release_keys) != 0;
}
