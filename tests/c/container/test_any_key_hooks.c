/* SPDX-License-Identifier: Apache-2.0 */
/* Types with __any_hash__ and __any_equal__ hooks, in every form that the hooks may have. */
#include "base/hash.h"
#include "container/any_key.h"

#include "c/container_support.h"
#include "container/map.h"
#include "core/error.h"
#include "core/object.h"

static const TVMFFIAny none; /* {0, 0, 0}: None */

typedef struct {
  TVMFFIObject header;
  int64_t number;
} key_object;

static int32_t new_type(const char *name) {
  TVMFFIByteArray key = check_bytes(name);
  int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 0, kTVMFFIObject);
  assert_true(index >= kTVMFFIDynObjectBegin);
  return index;
}

static TVMFFIAny new_key(int32_t type_index, int64_t number) {
  key_object *key = tvmffi_object_new(sizeof *key, type_index, tvmffi_object_delete_plain);
  assert_non_null(key);
  key->number = number;
  return tvmffi_any_object(key);
}

static int64_t number_of(const TVMFFIAny *key) {
  return ((const key_object *)(const void *)key->v_obj)->number;
}

static void set_attr(int32_t type_index, const char *name, TVMFFIAny value) {
  TVMFFIByteArray bytes = check_bytes(name);
  check_ok(TVMFFITypeRegisterAttr(type_index, &bytes, &value));
}

/* ---- Hooks of each form: numbers that are equal modulo 100 are equal ---- */

static int num_calls;
static int failing; /* the number of the call that fails, counted down; 0: none fails */

static bool fails_now(void) {
  ++num_calls;
  return failing > 0 && --failing == 0;
}

/* One whose convention no other test has found out. */
static TVMFFIAny fresh_hash(const TVMFFIAny *key) {
  (void)key;
  return tvmffi_any_int(1);
}

static TVMFFIAny native_hash(const TVMFFIAny *key) {
  if (fails_now()) {
    TVMFFIObjectHandle error;
    tvmffi_error_raisef("ValueError", "no hash of %d", (int)number_of(key));
    TVMFFIErrorMoveFromRaised(&error);
    return tvmffi_any_object(error);
  }
  return tvmffi_any_int(number_of(key) % 100);
}

static TVMFFIAny native_equal(const TVMFFIAny *a, const TVMFFIAny *b) {
  if (fails_now()) {
    TVMFFIObjectHandle error;
    tvmffi_error_raisef("ValueError", "not compared");
    TVMFFIErrorMoveFromRaised(&error);
    return tvmffi_any_object(error);
  }
  return tvmffi_any_bool(number_of(a) % 100 == number_of(b) % 100);
}

static int64_t old_hash(const TVMFFIAny *key) {
  ++num_calls;
  return number_of(key) % 100;
}

static bool old_equal(const TVMFFIAny *a, const TVMFFIAny *b) {
  ++num_calls;
  return number_of(a) % 100 == number_of(b) % 100;
}

static int function_hash(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 1);
  if (fails_now()) return tvmffi_fail("KeyError", "no hash of %d", (int)number_of(&args[0]));
  *result = tvmffi_any_int(number_of(&args[0]) % 100);
  return 0;
}

static int function_equal(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 2);
  if (fails_now()) return tvmffi_fail("KeyError", "not compared");
  *result = tvmffi_any_bool(number_of(&args[0]) % 100 == number_of(&args[1]) % 100);
  return 0;
}

static TVMFFIAny function_of(TVMFFISafeCallType call) {
  TVMFFIObjectHandle function;
  check_ok(TVMFFIFunctionCreate(NULL, call, NULL, &function));
  return tvmffi_any_object(function);
}

static void set_function(int32_t type_index, const char *name, TVMFFISafeCallType call) {
  TVMFFIAny function = function_of(call);
  set_attr(type_index, name, function);
  check_release(&function);
}

#define POINTER_TO(type, function)                      \
  static TVMFFIAny pointer_to_##function(void) {        \
    union {                                             \
      type;                                             \
      void *data;                                       \
    } cast;                                             \
    cast.call = function;                               \
    return tvmffi_any_ptr(kTVMFFIOpaquePtr, cast.data); \
  }
POINTER_TO(TVMFFIAny (*call)(const TVMFFIAny *), native_hash)
POINTER_TO(TVMFFIAny (*call)(const TVMFFIAny *), fresh_hash)
POINTER_TO(TVMFFIAny (*call)(const TVMFFIAny *, const TVMFFIAny *), native_equal)
POINTER_TO(int64_t (*call)(const TVMFFIAny *), old_hash)
POINTER_TO(bool (*call)(const TVMFFIAny *, const TVMFFIAny *), old_equal)

/* Whether the ABI of this machine lets a call tell the older convention from the newer one. */
static bool knows_old(void) {
#if (defined(__x86_64__) && !defined(_WIN32)) || \
    (defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
  return true;
#else
  return false;
#endif
}

static int32_t function_type, native_type, old_type;

FIXTURE(make_types) {
  function_type = new_type("test.FunctionKey");
  set_function(function_type, "__any_hash__", function_hash);
  set_function(function_type, "__any_equal__", function_equal);
  native_type = new_type("test.NativeKey");
  set_attr(native_type, "__any_hash__", pointer_to_native_hash());
  set_attr(native_type, "__any_equal__", pointer_to_native_equal());
  old_type = new_type("test.OldKey");
  set_attr(old_type, "__any_hash__", pointer_to_old_hash());
  set_attr(old_type, "__any_equal__", pointer_to_old_equal());
  return 0;
}

/* ---- Tests ---- */

/* Hashes 1 and 67 are the indices of Int and Error: a hash may be mistaken for a type index. */
static void check_hash(int32_t type_index, int64_t number) {
  TVMFFIAny key = new_key(type_index, number);
  uint64_t hash = 0;
  assert_true(tvmffi_any_key_has_hook(&key));
  assert_int_equal(tvmffi_any_key_ask_hash(&key, &hash), 0);
  assert_true(hash == tvmffi_hash_combine((uint64_t)type_index, (uint64_t)(number % 100)));
  check_release(&key);
}

TEST(test_hashes) {
  int64_t number;
  for (number = -5; number < 200; ++number) {
    check_hash(function_type, number);
    check_hash(native_type, number);
    if (knows_old()) check_hash(old_type, number);
  }
  num_calls = 0;
  check_hash(native_type, 5);
  assert_int_equal(num_calls, 1); /* the convention is already known, so there is no probing call */
}

static void check_equal(int32_t type_index) {
  TVMFFIAny a = new_key(type_index, 7), b = new_key(type_index, 107), c = new_key(type_index, 8);
  TVMFFIAny other = new_key(kTVMFFIObject, 7);
  assert_int_equal(tvmffi_any_key_ask_equal(&a, &a), 1);
  assert_int_equal(tvmffi_any_key_ask_equal(&a, &b), 1);
  assert_int_equal(tvmffi_any_key_ask_equal(&a, &c), 0);
  assert_int_equal(tvmffi_any_key_ask_equal(&a, &other), 0);
  assert_int_equal(check_use_count(a.v_obj), 1);
  check_release(&a);
  check_release(&b);
  check_release(&c);
  check_release(&other);
}

TEST(test_equality) {
  check_equal(function_type);
  check_equal(native_type);
  if (knows_old()) check_equal(old_type);
}

/* Uses every layout and growth of a dict, with colliding hashes. */
static void check_in_dict(int32_t type_index) {
  TVMFFIAny dict = call_ok("ffi.Dict", NULL, 0), result;
  int64_t i;
  for (i = 0; i < 250; ++i) {
    TVMFFIAny key = new_key(type_index, i);
    check_ok(call4("ffi.DictSetItem", 3, dict, key, tvmffi_any_int(i), none, &result));
    check_release(&key);
    assert_int_equal(tvmffi_map_size(dict.v_obj), i < 100 ? i + 1 : 100);
  }
  for (i = 0; i < 100; ++i) {
    TVMFFIAny key = new_key(type_index, 1000 + i);
    check_ok(call4("ffi.DictGetItem", 2, dict, key, none, none, &result));
    assert_int_equal(result.v_int64, i < 50 ? 200 + i : 100 + i);
    if (i % 2 == 0) check_ok(call4("ffi.DictErase", 2, dict, key, none, none, &result));
    check_release(&key);
  }
  assert_int_equal(tvmffi_map_size(dict.v_obj), 50);
  check_release(&dict);
}

TEST(test_dicts) {
  check_in_dict(function_type);
  check_in_dict(native_type);
  if (knows_old()) check_in_dict(old_type);
}

/*
 * Whichever call of a hook fails, the operation fails with its error and leaves the dict as it was.
 */
static void check_failures(int32_t type_index, const char *kind) {
  TVMFFIAny dict = call_ok("ffi.Dict", NULL, 0), keys[40], result;
  int64_t i, num_failed = 0;
  for (i = 0; i < 40; ++i) keys[i] = new_key(type_index, i);
  for (i = 0; i < 40; ++i) {
    int n;
    for (n = 1;; ++n) {
      int rc;
      failing = n;
      rc = call4("ffi.DictSetItem", 3, dict, keys[i], tvmffi_any_int(i), none, &result);
      if (failing > 0) {
        failing = 0;
        check_ok(rc);
        break;
      }
      check_fails(rc, kind, NULL);
      ++num_failed;
      assert_int_equal(tvmffi_map_size(dict.v_obj), i);
      assert_int_equal(check_use_count(keys[i].v_obj), 1);
    }
  }
  assert_true(num_failed > 100);
  failing = 1;
  check_fails(call4("ffi.DictGetItem", 2, dict, keys[0], none, none, &result), kind, NULL);
  failing = 1;
  check_fails(call4("ffi.DictErase", 2, dict, keys[0], none, none, &result), kind, NULL);
  assert_int_equal(tvmffi_map_size(dict.v_obj), 40);
  check_release(&dict);
  for (i = 0; i < 40; ++i) {
    assert_int_equal(check_use_count(keys[i].v_obj), 1);
    check_release(&keys[i]);
  }
}

TEST(test_failures) {
  check_failures(function_type, "KeyError");
  check_failures(native_type, "ValueError");
}

TEST(test_sequences) {
  TVMFFIAny key = new_key(function_type, 3), same = new_key(function_type, 103), list, result;
  list = call_ok("ffi.List", &key, 1);
  check_ok(call4("ffi.ListContains", 2, list, same, none, none, &result));
  assert_int_equal(result.v_int64, 1);
  failing = 1;
  check_fails(call4("ffi.ListContains", 2, list, same, none, none, &result), "KeyError",
              "not compared");
  check_release(&list);
  check_release(&key);
  check_release(&same);
}

static int give_text(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny text = tvmffi_any_raw_str("a text that is released again");
  (void)self;
  (void)args;
  (void)num_args;
  return TVMFFIAnyViewToOwnedAny(&text, result);
}

TEST(test_hooks_that_are_wrong) {
  int32_t wrong = new_type("test.WrongKey"), odd = new_type("test.OddKey");
  TVMFFIAny a = new_key(wrong, 1), b = new_key(wrong, 1), c = new_key(odd, 1);
  uint64_t hash;
  set_function(wrong, "__any_hash__", give_text);
  set_function(wrong, "__any_equal__", give_text);
  set_attr(odd, "__any_hash__", tvmffi_any_int(5));
  assert_int_equal(tvmffi_any_key_ask_hash(&a, &hash), kTvmffiRaised);
  check_raised("InternalError",
               "`__any_hash__` of `test.WrongKey` must give `int` but gave `ffi.String`");
  assert_int_equal(tvmffi_any_key_ask_equal(&a, &b), kTvmffiRaised);
  check_raised("InternalError",
               "`__any_equal__` of `test.WrongKey` must give `bool` but gave `ffi.String`");
  assert_int_equal(tvmffi_any_key_ask_hash(&c, &hash), kTvmffiRaised);
  check_raised("InternalError", "`__any_hash__` of `test.OddKey` must be a function but is `int`");
  check_release(&a);
  check_release(&b);
  check_release(&c);
}

/* ---- Hooks that change the dict they are asked for ---- */

static TVMFFIAny meddled;
static TVMFFIAny replaced; /* replace this key by another, or clear the dict if it is None */

static int meddle(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny ignored;
  (void)self;
  (void)num_args;
  failing = 0;
  if (replaced.type_index == kTVMFFINone) {
    check_ok(call4("ffi.DictClear", 1, meddled, none, none, none, &ignored));
  } else {
    check_ok(call4("ffi.DictErase", 2, meddled, replaced, none, none, &ignored));
    check_ok(call4("ffi.DictSetItem", 3, meddled, tvmffi_any_int(1000), none, none, &ignored));
  }
  *result = tvmffi_any_bool(number_of(&args[0]) % 100 == 3);
  return 0;
}

static void check_meddling(int32_t type_index, bool replaces) {
  int64_t num;
  for (num = 1; num < 60; num += 4) { /* small and dense layouts */
    TVMFFIAny key, result;
    int64_t i;
    meddled = call_ok("ffi.Dict", NULL, 0);
    for (i = 0; i < num - 1; ++i) {
      check_ok(call4("ffi.DictSetItem", 3, meddled, tvmffi_any_int(i), none, none, &result));
    }
    key = new_key(type_index, 3);
    check_ok(call4("ffi.DictSetItem", 3, meddled, key, none, none, &result));
    replaced = replaces ? key : none;
    check_release(&key); /* now the dict holds the only reference */
    key = new_key(type_index, 103);
    check_fails(call4("ffi.DictSetItem", 3, meddled, key, none, none, &result), "RuntimeError",
                "The container was changed by the hash or equality of one of its keys");
    check_release(&key);
    assert_int_equal(tvmffi_map_size(meddled.v_obj), replaces ? num : 0);
    check_release(&meddled);
  }
}

TEST(test_hooks_that_change_the_dict) {
  int32_t type_index = new_type("test.MeddlingKey");
  set_function(type_index, "__any_hash__", function_hash);
  set_function(type_index, "__any_equal__", meddle);
  check_meddling(type_index, false);
  check_meddling(type_index, true);
}

/* The key that a hash erases while the table grows, and the one that it inserts. */
static TVMFFIAny erased, inserted;
static int calls_left; /* hashes until then */

static int exchange(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny ignored;
  if (calls_left > 0 && --calls_left == 0) {
    check_ok(call4("ffi.DictErase", 2, meddled, erased, none, none, &ignored));
    check_ok(call4("ffi.DictSetItem", 3, meddled, inserted, none, none, &ignored));
  }
  return function_hash(self, args, num_args, result);
}

/* The size of the dict stays the same, but not the order of its keys. */
TEST(test_a_hash_that_exchanges_keys_while_the_dict_grows) {
  enum { kNumKeys = 40 };
  int32_t type_index = new_type("test.ExchangingKey");
  TVMFFIAny keys[kNumKeys], result;
  int64_t i, num_failed = 0;
  int call;
  set_function(type_index, "__any_hash__", exchange);
  for (i = 0; i < kNumKeys; ++i) keys[i] = new_key(type_index, i);
  erased = keys[0];
  inserted = keys[kNumKeys - 1];
  for (call = 2; call < kNumKeys; ++call) {
    meddled = call_ok("ffi.Dict", NULL, 0);
    calls_left = call;
    for (i = 0; i < kNumKeys - 1 && calls_left != 0; ++i) {
      calls_left = call; /* more hashes than one are asked for only while the dict grows */
      if (call4("ffi.DictSetItem", 3, meddled, keys[i], none, none, &result) != 0) {
        check_raised("RuntimeError",
                     "The container was changed by the hash or equality of one of its keys");
        ++num_failed;
      }
    }
    calls_left = 0;
    for (i = 0; i < kNumKeys; ++i) { /* what is in the dict is found */
      const tvmffi_map *map = (const tvmffi_map *)(const void *)meddled.v_obj;
      uint64_t at = tvmffi_map_first(&map->header);
      while (at != TVMFFI_MAP_NONE && tvmffi_map_at(&map->header, at)->key.v_obj != keys[i].v_obj) {
        at = tvmffi_map_next(&map->header, at);
      }
      check_ok(call4("ffi.DictCount", 2, meddled, keys[i], none, none, &result));
      assert_int_equal(result.v_int64, at != TVMFFI_MAP_NONE);
    }
    check_release(&meddled);
  }
  assert_true(num_failed > 0);
  for (i = 0; i < kNumKeys; ++i) check_release(&keys[i]);
}

/* Keys of a type without a hash of its own are compared if their home slots are the same. */
static uint64_t home_of(const TVMFFIAny *key) {
  const tvmffi_map *map = (const tvmffi_map *)(const void *)meddled.v_obj;
  return (UINT64_C(11400714819323198485) * tvmffi_any_key_hash(key)) >> map->fib_shift;
}

TEST(test_an_equality_alone_that_changes_the_dict) {
  enum { kNumTries = 200 };
  int32_t type_index = new_type("test.EqualityAlone");
  TVMFFIAny stored = new_key(type_index, 3), keys[kNumTries], result;
  int64_t i, num;
  set_function(type_index, "__any_equal__", meddle);
  replaced = none;
  meddled = call_ok("ffi.Dict", NULL, 0);
  for (i = 0; i < 5; ++i) {
    check_ok(call4("ffi.DictSetItem", 3, meddled, tvmffi_any_int(i), none, none, &result));
  }
  check_ok(call4("ffi.DictSetItem", 3, meddled, stored, none, none, &result));
  for (num = 0; num < kNumTries; ++num) {
    keys[num] = new_key(type_index, 103);
    if (home_of(&keys[num]) == home_of(&stored)) break;
  }
  assert_true(num < kNumTries);
  check_fails(call4("ffi.DictSetItem", 3, meddled, keys[num], none, none, &result), "RuntimeError",
              "The container was changed by the hash or equality of one of its keys");
  assert_int_equal(tvmffi_map_size(meddled.v_obj), 0);
  for (i = 0; i <= num; ++i) check_release(&keys[i]);
  check_release(&stored);
  check_release(&meddled);
}

/* Each hook may be an OpaquePtr NULL, also where the other is called. */
TEST(test_null_hooks_are_refused) {
  const TVMFFIAny null_pointer = tvmffi_any_ptr(kTVMFFIOpaquePtr, NULL);
  int32_t no_hash = new_type("test.NoHash"), no_equal = new_type("test.NoEqual");
  TVMFFIAny key;
  uint64_t hash;
  set_attr(no_hash, "__any_hash__", null_pointer);
  key = new_key(no_hash, 1);
  assert_int_equal(tvmffi_any_key_ask_hash(&key, &hash), kTvmffiRaised);
  check_raised("InternalError",
               "`__any_hash__` of `test.NoHash` must be a function but is `void*`");
  check_release(&key);
  set_attr(no_equal, "__any_hash__", pointer_to_fresh_hash());
  set_attr(no_equal, "__any_equal__", null_pointer);
  key = new_key(no_equal, 1);
  assert_int_equal(tvmffi_any_key_ask_hash(&key, &hash), 0);
  assert_int_equal(tvmffi_any_key_hook_equal(&key, &key), kTvmffiRaised);
  check_raised("InternalError",
               "`__any_equal__` of `test.NoEqual` must be a function but is `void*`");
  check_release(&key);
}

/*
 * Clients may call these attributes; the library itself hashes and compares such keys without them.
 */
TEST(test_integers_of_many_words) {
  static const char *const names[] = {"__any_hash__", "__any_equal__"};
  int64_t words[] = {5, 6};
  TVMFFIByteArray content, name;
  TVMFFIAny args[2], result = none;
  uint64_t hash;
  int i;
  content.data = (const char *)words;
  content.size = sizeof words;
  for (i = 0; i < 2; ++i) check_ok(TVMFFIBigIntFromByteArray(&content, &args[i]));
  assert_false(tvmffi_any_key_has_hook(&args[0]));
  assert_int_equal(tvmffi_any_key_ask_equal(&args[0], &args[1]), 1);
  for (i = 0; i < 2; ++i) {
    const TVMFFITypeAttrColumn *column;
    name = check_bytes(names[i]);
    column = TVMFFIGetTypeAttrColumn(&name);
    assert_int_equal(column->data[kTVMFFIBigInt].type_index, kTVMFFIFunction);
    check_ok(TVMFFIFunctionCall(column->data[kTVMFFIBigInt].v_obj, args, i + 1, &result));
    if (i == 1) break;
    assert_int_equal(tvmffi_any_key_ask_hash(&args[0], &hash), 0);
    assert_int_equal(result.type_index, kTVMFFIInt);
    assert_true(hash == tvmffi_hash_combine(kTVMFFIBigInt, result.v_uint64));
    check_fails_with(TVMFFIFunctionCall(column->data[kTVMFFIBigInt].v_obj, args, 2, &result),
                     "TypeError", "Expected 1 but got 2 arguments");
    result = tvmffi_any_int(1);
    check_fails_with(TVMFFIFunctionCall(column->data[kTVMFFIBigInt].v_obj, &result, 1, &result),
                     "TypeError", "Expected `ffi.BigInt` but got `int`");
  }
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 1);
  check_release(&args[1]);
  words[1] = 7;
  check_ok(TVMFFIBigIntFromByteArray(&content, &args[1]));
  assert_int_equal(tvmffi_any_key_ask_equal(&args[0], &args[1]), 0);
  check_release(&args[0]);
  check_release(&args[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hashes),
      cmocka_unit_test(test_equality),
      cmocka_unit_test(test_dicts),
      cmocka_unit_test(test_failures),
      cmocka_unit_test(test_sequences),
      cmocka_unit_test(test_hooks_that_are_wrong),
      cmocka_unit_test(test_hooks_that_change_the_dict),
      cmocka_unit_test(test_a_hash_that_exchanges_keys_while_the_dict_grows),
      cmocka_unit_test(test_an_equality_alone_that_changes_the_dict),
      cmocka_unit_test(test_null_hooks_are_refused),
      cmocka_unit_test(test_integers_of_many_words),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
