/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of operations on lists, dicts and maps, compared with models that are plain
 * arrays. The invariants of the layout are checked along the way. TVM_FFI_TEST_SEED selects the
 * first sequence.
 */

#include "c/container_support.h"
#include "container/any_key.h"
#include "container/map.h"
#include "core/string_object.h"

enum { kSequences = 10000, kMaxEntries = 600 };

static const TVMFFIAny none; /* {0, 0, 0}: None */
static uint64_t seed, state_of_random;
static TVMFFIAny result;

static uint64_t next_random(uint64_t limit) {
  state_of_random = state_of_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (state_of_random >> 33) % limit;
}

/* Starts a sequence; say_seed prints its number when a check fails. */
static void start(uint64_t sequence) {
  seed = sequence;
  state_of_random = sequence * UINT64_C(2654435761) + 1;
}

static int say_seed(void **test) {
  (void)test;
  if (seed != kSequences) print_message("the last sequence was %llu\n", (unsigned long long)seed);
  return 0;
}

static uint64_t first_seed(void) {
  const char *text = getenv("TVM_FFI_TEST_SEED");
  return text != NULL ? strtoull(text, NULL, 10) : 0;
}

/* ---- Values: text n is a String object of n bytes; its references are counted ---- */

enum { kTexts = 16 };
static TVMFFIAny texts[kTexts];
static int64_t text_uses[kTexts]; /* references that the model holds */

static int make_texts(void **test) {
  int i;
  (void)test;
  for (i = 0; i < kTexts; ++i) {
    texts[i] = tvmffi_any_object(tvmffi_string_new(kTVMFFIStr, "0123456789abcdef", (size_t)i));
  }
  return 0;
}

static int release_texts(void **test) {
  int i;
  (void)test;
  for (i = 0; i < kTexts; ++i) check_release(&texts[i]);
  return 0;
}

static void check_uses(void) {
  int i;
  for (i = 0; i < kTexts; ++i) {
    assert_int_equal(check_use_count(texts[i].v_obj), 1 + text_uses[i]);
  }
}

/* ---- Lists ---- */

static int list_model[4 * kMaxEntries];
static int list_size;

static void model_splice(int start_at, int stop, const int *values, int num) {
  int i, tail = list_size - stop;
  for (i = start_at; i < stop; ++i) --text_uses[list_model[i]];
  for (i = 0; i < num; ++i) ++text_uses[values[i]];
  memmove(&list_model[start_at + num], &list_model[stop], (size_t)tail * sizeof *list_model);
  if (num != 0) memcpy(&list_model[start_at], values, (size_t)num * sizeof *values);
  list_size = start_at + num + tail;
}

static void check_list_model(const TVMFFIAny *list) {
  const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(list->v_obj);
  int i;
  assert_int_equal(cell->size, list_size);
  assert_true(cell->capacity >= cell->size);
  for (i = 0; i < list_size; ++i) {
    assert_ptr_equal(((const TVMFFIAny *)cell->data)[i].v_obj, texts[list_model[i]].v_obj);
  }
  check_uses();
}

static void change_list(const TVMFFIAny *list) {
  int value = (int)next_random(kTexts), i = (int)next_random((uint64_t)list_size + 1), k;
  int stop = i + (int)next_random((uint64_t)(list_size - i) + 1), copy[kMaxEntries];
  TVMFFIAny index = tvmffi_any_int(i), end = tvmffi_any_int(stop);
  switch (next_random(10)) {
    case 0:
    case 1:
      check_ok(call4("ffi.ListAppend", 2, *list, texts[value], none, none, &result));
      model_splice(list_size, list_size, &value, 1);
      return;
    case 2:
    case 3:
      check_ok(call4("ffi.ListInsert", 3, *list, index, texts[value], none, &result));
      model_splice(i, i, &value, 1);
      return;
    case 4:
      if (i == list_size) return;
      check_ok(call4("ffi.ListSetItem", 3, *list, index, texts[value], none, &result));
      model_splice(i, i + 1, &value, 1);
      return;
    case 5:
      if (i == list_size) return;
      check_ok(call4("ffi.ListPop", 2, *list, index, none, none, &result));
      assert_ptr_equal(result.v_obj, texts[list_model[i]].v_obj);
      check_release(&result);
      model_splice(i, i + 1, NULL, 0);
      return;
    case 6:
      check_ok(call4("ffi.ListEraseRange", 3, *list, index, end, none, &result));
      model_splice(i, stop, NULL, 0);
      return;
    case 7: /* replaced by the list itself, unless that gets too long */
      if (2 * list_size >= kMaxEntries) return;
      memcpy(copy, list_model, (size_t)list_size * sizeof *copy);
      check_ok(call4("ffi.ListReplaceSlice", 4, *list, index, end, *list, &result));
      model_splice(i, stop, copy, list_size);
      return;
    case 8:
      check_ok(call4("ffi.ListReverse", 1, *list, none, none, none, &result));
      for (k = 0; 2 * k + 1 < list_size; ++k) {
        int first = list_model[k];
        list_model[k] = list_model[list_size - 1 - k];
        list_model[list_size - 1 - k] = first;
      }
      return;
    default:
      if (next_random(10) == 0) {
        check_ok(call4("ffi.ListClear", 1, *list, none, none, none, &result));
        model_splice(0, list_size, NULL, 0);
      } else {
        check_ok(call4("ffi.ListReserve", 2, *list, end, none, none, &result));
      }
  }
}

static void test_lists(void **test) {
  uint64_t sequence;
  (void)test;
  for (sequence = first_seed(); sequence < kSequences / 2; ++sequence) {
    TVMFFIAny list = call_ok("ffi.List", NULL, 0);
    uint64_t steps;
    start(sequence);
    list_size = 0;
    for (steps = next_random(60); steps > 0; --steps) change_list(&list);
    check_list_model(&list);
    check_release(&list);
    model_splice(0, list_size, NULL, 0);
    check_uses();
  }
  seed = kSequences;
}

/* ---- Dicts and maps ---- */

static struct {
  int64_t key;
  int value;
} model[kMaxEntries]; /* in iteration order */
static int model_size, model_slots;
static bool model_is_small;

static int find_model(int64_t key) {
  int i;
  for (i = 0; i < model_size && model[i].key != key; ++i) continue;
  return i;
}

static void model_erase(int i) {
  --text_uses[model[i].value];
  --model_size;
  memmove(&model[i], &model[i + 1], (size_t)(model_size - i) * sizeof model[0]);
}

static void model_set(int64_t key, int value) {
  int i = find_model(key);
  if (model_is_small && model_slots == 4 && model_size == 4) model_is_small = false;
  ++text_uses[value];
  if (i < model_size && model_is_small) {
    --text_uses[model[i].value];
    model[i].value = value;
    return;
  }
  if (i < model_size) model_erase(i);
  assert_true(model_size < kMaxEntries);
  model[model_size].key = key;
  model[model_size++].value = value;
  if (model_is_small && model_size > model_slots) model_slots = 4;
}

/* Checks that metadata, chains and linked list of a table agree with each other. */
static void check_table(const tvmffi_map *map) {
  uint64_t i, filled = 0, chained = 0, listed = 0, previous = TVMFFI_MAP_NONE;
  for (i = 0; i < map->slots; ++i) {
    uint8_t meta = *tvmffi_map_meta_at(map, i);
    uint64_t home, next;
    if (meta == kEmpty) continue;
    ++filled;
    assert_true((meta & kJumpMask) < kNumJumps);
    home = (UINT64_C(11400714819323198485) *
            tvmffi_any_key_hash(&tvmffi_map_item_at(map, i)->pair.key)) >>
           map->fib_shift;
    assert_int_equal(home == i, (meta & kBody) == 0);
    if (home != i) continue;
    ++chained;
    for (next = i; (next = tvmffi_map_next_of_chain(map, next)) != TVMFFI_MAP_NONE; ++chained) {
      assert_true((*tvmffi_map_meta_at(map, next) & kBody) != 0);
      assert_true(*tvmffi_map_meta_at(map, next) != kEmpty);
    }
  }
  assert_int_equal(filled, map->size);
  assert_int_equal(chained, map->size); /* each body entry is in exactly one chain */
  for (i = map->head; i != TVMFFI_MAP_NONE; i = tvmffi_map_item_at(map, i)->next, ++listed) {
    assert_true(tvmffi_map_item_at(map, i)->prev == previous);
    previous = i;
    assert_true(listed < map->size);
  }
  assert_true(map->tail == previous);
  assert_int_equal(listed, map->size);
}

static void check_map_model(const TVMFFIAny *object) {
  const tvmffi_map *map = (const tvmffi_map *)(const void *)object->v_obj;
  uint64_t i;
  int n = 0;
  assert_int_equal(tvmffi_map_is_small(map), model_is_small);
  if (!model_is_small) check_table(map);
  if (model_is_small) assert_true(map->slots == (TVMFFI_MAP_SMALL_TAG | (uint64_t)model_slots));
  for (i = tvmffi_map_first(object->v_obj); i != TVMFFI_MAP_NONE;
       i = tvmffi_map_next(object->v_obj, i)) {
    const tvmffi_map_pair *pair = tvmffi_map_at(object->v_obj, i);
    assert_true(n < model_size);
    assert_int_equal(pair->key.v_int64, model[n].key);
    assert_ptr_equal(pair->value.v_obj, texts[model[n].value].v_obj);
    ++n;
  }
  assert_int_equal(n, model_size);
  check_uses();
}

/* Few keys cause collisions of all kinds in tables that are nearly full. */
static int64_t pick_key(uint64_t num_keys) {
  return (int64_t)(next_random(num_keys) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

static void change_dict(const TVMFFIAny *dict, uint64_t num_keys) {
  int64_t key = pick_key(num_keys);
  int value = (int)next_random(kTexts), i = find_model(key);
  uint64_t action = next_random(100);
  TVMFFIAny key_arg = tvmffi_any_int(key);
  if (action < 55) {
    check_ok(call4("ffi.DictSetItem", 3, *dict, key_arg, texts[value], none, &result));
    model_set(key, value);
  } else if (action < 90) {
    check_ok(call4("ffi.DictErase", 2, *dict, key_arg, none, none, &result));
    if (i < model_size) model_erase(i);
  } else if (action < 99) {
    check_ok(call4("ffi.DictCount", 2, *dict, key_arg, none, none, &result));
    assert_int_equal(result.v_int64, i < model_size);
  } else {
    check_ok(call4("ffi.DictClear", 1, *dict, none, none, none, &result));
    while (model_size > 0) model_erase(model_size - 1);
  }
}

static void start_map(uint64_t sequence) {
  start(sequence);
  model_size = 0;
  model_slots = 2;
  model_is_small = true;
}

static void test_dicts(void **test) {
  uint64_t sequence;
  (void)test;
  for (sequence = first_seed(); sequence < kSequences / 2; ++sequence) {
    TVMFFIAny dict = call_ok("ffi.Dict", NULL, 0);
    const void *handle = dict.v_obj;
    uint64_t steps, num_keys;
    start_map(sequence);
    num_keys = sequence % 50 == 0 ? 500 : 1 + next_random(40);
    for (steps = next_random(num_keys == 500 ? 2000 : 100); steps > 0; --steps) {
      change_dict(&dict, num_keys);
      if (steps % 32 == 0) check_map_model(&dict);
    }
    check_map_model(&dict);
    assert_ptr_equal(dict.v_obj, handle);
    check_release(&dict);
    while (model_size > 0) model_erase(model_size - 1);
    check_uses();
  }
  seed = kSequences;
}

static void test_maps(void **test) {
  uint64_t sequence;
  (void)test;
  for (sequence = first_seed(); sequence < kSequences / 10; ++sequence) {
    TVMFFIAny args[2 * 100], map;
    int32_t i, num;
    start_map(sequence);
    num = (int32_t)next_random(100);
    for (i = 0; i < num; ++i) {
      int64_t key = pick_key(sequence % 2 == 0 ? 60 : 100000);
      int value = (int)next_random(kTexts);
      args[2 * i] = tvmffi_any_int(key);
      args[2 * i + 1] = texts[value];
      model_set(key, value);
    }
    map = call_ok("ffi.Map", args, 2 * num);
    check_map_model(&map);
    check_release(&map);
    while (model_size > 0) model_erase(model_size - 1);
    check_uses();
  }
  seed = kSequences;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_lists, say_seed),
      cmocka_unit_test_teardown(test_dicts, say_seed),
      cmocka_unit_test_teardown(test_maps, say_seed),
  };
  return cmocka_run_group_tests(tests, make_texts, release_texts) != 0;
}
