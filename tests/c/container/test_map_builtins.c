/* SPDX-License-Identifier: Apache-2.0 */
#include "c/container_support.h"
#include "container/map.h"
#include "core/builtins.h"
#include "core/string_object.h"
#include "support/probe.h"

static const TVMFFIAny none; /* {0, 0, 0}: None */

/* Keys of every kind. Three are the same text in its three forms; raw views are included. */
enum { kKinds = 10 };
static TVMFFIAny keys[kKinds];
static TVMFFIByteArray raw_bytes;
static probe identity;

static int make_keys(void **state) {
  int64_t words[2];
  TVMFFIByteArray big;
  (void)state;
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

static int release_keys(void **state) {
  (void)state;
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

static void test_keys_of_every_kind(void **state) {
  (void)state;
  check_keys_of_every_kind(false);
  check_keys_of_every_kind(true);
}

/* A map made at once equals one that grew: fields, metadata, links. */
static void test_made_at_once(void **state) {
  int n;
  (void)state;
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

static void test_making(void **state) {
  static const int64_t small[] = {1, 10, 2, 20, 1, 11}, small_order[] = {1, 2};
  static const int64_t dense[] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 2, 9, 6, 6};
  static const int64_t dense_order[] = {1, 3, 4, 5, 2, 6};
  TVMFFIObjectHandle key = tvmffi_string_new(kTVMFFIStr, "a key that moves", 16), nothing = NULL;
  TVMFFIAny map, args[2], result;
  DLTensor tensor;
  (void)state;
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

static void test_changing_a_dict(void **state) {
  TVMFFIAny dict = call_ok("ffi.Dict", NULL, 0), result;
  TVMFFIObject *handle = dict.v_obj;
  int64_t i;
  (void)state;
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
static void test_a_map_in_place_of_a_dict(void **state) {
  int64_t numbers[40], i;
  TVMFFIAny map, result;
  int n;
  (void)state;
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

static void test_null_keys(void **state) {
  TVMFFIAny dict = call_ok("ffi.Dict", NULL, 0), result;
  (void)state;
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
      cmocka_unit_test(test_keys_of_every_kind),
      cmocka_unit_test(test_made_at_once),
      cmocka_unit_test(test_making),
      cmocka_unit_test(test_changing_a_dict),
      cmocka_unit_test(test_a_map_in_place_of_a_dict),
      cmocka_unit_test(test_null_keys),
  };
  return cmocka_run_group_tests(tests, make_keys, release_keys) != 0;
}
