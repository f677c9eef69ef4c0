/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive comparison, and the recursive hash that agrees with it. */
#include <math.h>

#include "c/walk_support.h"
#include "core/error.h"
#include "dataclass/dataclass.h"

static int32_t node_type, hooked_type, ordered_type, partial_type;

/* Checks that the functions by name have the same results. */
static void check_functions(TVMFFIAny a, TVMFFIAny b, bool is_equal, uint64_t hash_a) {
  TVMFFIAny args[2];
  args[0] = a;
  args[1] = b;
  assert_int_equal(call_ok("ffi.RecursiveEq", args, 2).v_int64, is_equal);
  assert_int_equal(call_ok("ffi.RecursiveHash", args, 1).v_int64, (int64_t)hash_a);
}

/* Checks equality both ways and that exactly equal values have equal hashes. Releases both. */
static void check_equal(TVMFFIAny a, TVMFFIAny b, bool expected) {
  bool is_equal = !expected;
  uint64_t hash_a, hash_b;
  check_ok(tvmffi_recursive_equal(&a, &b, &is_equal));
  assert_int_equal(is_equal, expected);
  check_ok(tvmffi_recursive_equal(&b, &a, &is_equal));
  assert_int_equal(is_equal, expected);
  check_ok(tvmffi_recursive_hash(&a, &hash_a));
  check_ok(tvmffi_recursive_hash(&b, &hash_b));
  assert_int_equal(hash_a == hash_b, expected);
  check_functions(a, b, expected, hash_a);
  check_release(&a);
  check_release(&b);
}

/* Checks that a is less than b. Releases both. */
static void check_less(TVMFFIAny a, TVMFFIAny b) {
  int order = 0;
  check_ok(tvmffi_recursive_compare(&a, &b, &order));
  assert_int_equal(order, -1);
  check_ok(tvmffi_recursive_compare(&b, &a, &order));
  assert_int_equal(order, 1);
  check_ok(tvmffi_recursive_compare(&a, &a, &order));
  assert_int_equal(order, 0);
  check_release(&a);
  check_release(&b);
}

static void check_no_order(TVMFFIAny a, TVMFFIAny b, const char *kind, const char *message) {
  int order;
  check_fails(tvmffi_recursive_compare(&a, &b, &order), kind, message);
  check_release(&a);
  check_release(&b);
}

static TVMFFIAny bigint_of(int64_t high) {
  int64_t words[2];
  TVMFFIByteArray bytes;
  TVMFFIAny owned;
  words[0] = 0;
  words[1] = high;
  bytes.data = (const char *)words;
  bytes.size = sizeof words;
  check_ok(TVMFFIBigIntFromByteArray(&bytes, &owned));
  return owned;
}

static TVMFFIAny dtype_of(int code, int bits, int lanes) {
  TVMFFIAny value = tvmffi_any_int(0);
  value.type_index = kTVMFFIDataType;
  value.v_dtype.code = (uint8_t)code;
  value.v_dtype.bits = (uint8_t)bits;
  value.v_dtype.lanes = (uint16_t)lanes;
  return value;
}

TEST(test_plain_values) {
  check_equal(tvmffi_any_none(), tvmffi_any_none(), true);
  check_equal(tvmffi_any_int(1), tvmffi_any_bool(1), false);
  check_equal(tvmffi_any_float(0.0), tvmffi_any_float(-0.0), true);
  check_equal(tvmffi_any_float(NAN), tvmffi_any_float(-NAN), true);
  check_equal(own_str("abc"), tvmffi_any_raw_str("abc"), true);
  check_equal(bigint_of(3), bigint_of(3), true);
  check_equal(bigint_of(3), bigint_of(4), false);
  check_less(tvmffi_any_none(), tvmffi_any_int(-5));
  check_less(tvmffi_any_none(), own_str("a"));
  check_less(tvmffi_any_int(-1), tvmffi_any_int(0));
  check_less(tvmffi_any_float(-INFINITY), tvmffi_any_float(1));
  check_less(own_str("ab"), own_str("abc, which is no small text"));
  check_less(own_str("ab"), own_str("\xff"));
  check_less(bigint_of(-3), tvmffi_any_int(INT64_MIN));
  check_less(tvmffi_any_int(INT64_MAX), bigint_of(2));
  check_less(dtype_of(0, 64, 1), dtype_of(1, 8, 1));
  check_less(dtype_of(0, 8, 1), dtype_of(0, 8, 2));
}

TEST(test_values_without_an_order) {
  check_no_order(tvmffi_any_int(1), tvmffi_any_float(1), "TypeError",
                 "Cannot compare values of different types: int vs float");
  check_no_order(tvmffi_any_float(NAN), tvmffi_any_float(1), "TypeError",
                 "Cannot order NaN values");
  check_no_order(tvmffi_any_ptr(kTVMFFIOpaquePtr, &node_type),
                 tvmffi_any_ptr(kTVMFFIOpaquePtr, NULL), "TypeError",
                 "Cannot order values of type void*");
  check_no_order(make2("ffi.Map", tvmffi_any_int(1), tvmffi_any_int(2)),
                 make2("ffi.Map", tvmffi_any_int(1), tvmffi_any_int(3)), "TypeError",
                 "Cannot order Map/Dict values");
}

TEST(test_containers) {
  check_equal(make2("ffi.Array", tvmffi_any_int(1), own_str("x")),
              make2("ffi.Array", tvmffi_any_int(1), own_str("x")), true);
  check_equal(make1("ffi.Array", tvmffi_any_int(1)), make1("ffi.List", tvmffi_any_int(1)), false);
  check_equal(make2("ffi.Dict", own_str("a"), make1("ffi.List", tvmffi_any_int(1))),
              make2("ffi.Dict", own_str("a"), make1("ffi.List", tvmffi_any_int(1))), true);
  check_equal(make2("ffi.Dict", own_str("a"), tvmffi_any_int(1)),
              make2("ffi.Dict", own_str("b"), tvmffi_any_int(1)), false);
  check_less(make1("ffi.List", tvmffi_any_int(1)),
             make2("ffi.List", tvmffi_any_int(1), tvmffi_any_int(0)));
  check_less(make2("ffi.List", tvmffi_any_int(1), tvmffi_any_int(9)),
             make1("ffi.List", tvmffi_any_int(2)));
}

TEST(test_maps_in_any_order) {
  TVMFFIAny args[4], a, b;
  args[0] = tvmffi_any_int(1);
  args[1] = tvmffi_any_int(10);
  args[2] = tvmffi_any_int(2);
  args[3] = tvmffi_any_int(20);
  a = call_ok("ffi.Map", args, 4);
  args[0] = tvmffi_any_int(2);
  args[1] = tvmffi_any_int(20);
  args[2] = tvmffi_any_int(1);
  args[3] = tvmffi_any_int(10);
  b = call_ok("ffi.Map", args, 4);
  check_equal(a, b, true);
}

static TVMFFIAny pair(int32_t type_index, int64_t value, int64_t next) {
  return new_node(type_index, tvmffi_any_int(value), tvmffi_any_int(next));
}

static uint64_t hash_of(TVMFFIAny value) {
  uint64_t hash = 0;
  check_ok(tvmffi_recursive_hash(&value, &hash));
  check_release(&value);
  return hash;
}

/* Clients store hashes, so they must not change: these numbers are from the package. */
TEST(test_hashes_that_stay) {
  assert_true(hash_of(make2("ffi.Array", tvmffi_any_int(1), tvmffi_any_int(2))) ==
              UINT64_C(0x272ea68de7aee940));
  assert_true(hash_of(make2("ffi.List", own_str("abc"), own_str("abcdefgh"))) ==
              UINT64_C(0x8b918c26ea51f1a6));
  assert_true(hash_of(make2("ffi.Map", own_str("key"), tvmffi_any_float(1.5))) ==
              UINT64_C(0x59566e114df1ae97));
  assert_true(hash_of(make2("ffi.Shape", tvmffi_any_int(2), tvmffi_any_int(3))) ==
              UINT64_C(0x03f3ccfb7a943755));
}

TEST(test_objects) {
  check_equal(pair(node_type, 1, 2), pair(node_type, 1, 2), true);
  check_equal(pair(node_type, 1, 2), pair(node_type, 1, 3), false);
  check_equal(pair(node_type, 1, 2), pair(partial_type, 1, 2), false);
  check_equal(pair(partial_type, 1, 2), pair(partial_type, 1, 3), true); /* `next` does not count */
  check_less(pair(node_type, 1, 2), pair(node_type, 1, 3));
  check_no_order(pair(node_type, 1, 2), pair(partial_type, 1, 2), "TypeError",
                 "Cannot compare values of different types: test.Node vs test.Partial");
}

TEST(test_cycles) {
  TVMFFIAny a = make_cycle(1), b = make_cycle(1), c = make_cycle(2);
  check_equal(share(a), share(b), true);
  check_equal(share(a), share(c), false);
  check_less(share(a), share(c));
  check_no_order(share(a), share(b), "ValueError",
                 "RecursiveCompare: cyclic reference detected in ordering");
  break_cycle(&a);
  break_cycle(&b);
  break_cycle(&c);
}

/* ---- Hooks ---- */

static int equal_values(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny values[2];
  (void)self;
  assert_int_equal(num_args, 3);
  values[0] = as_node(&args[0])->value;
  values[1] = as_node(&args[1])->value;
  return TVMFFIFunctionCall(args[2].v_obj, values, 2, result);
}

static int order_backwards(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFI_TRY(equal_values(self, args, num_args, result));
  result->v_int64 = -result->v_int64;
  return 0;
}

static int hash_value(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 2);
  return TVMFFIFunctionCall(args[1].v_obj, &as_node(&args[0])->value, 1, result);
}

static int give_text(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  *result = own_str("text");
  return 0;
}

TEST(test_hooks) {
  int32_t wrong = add_node_type("test.WrongHooks", kTVMFFISEqHashKindTreeNode, 0, 0);
  TVMFFIAny value = pair(ordered_type, 1, 2), other, list;
  uint64_t hash;
  bool is_equal;
  check_equal(pair(hooked_type, 1, 2), pair(hooked_type, 1, 3), true);
  check_equal(make1("ffi.List", pair(hooked_type, 1, 2)),
              make1("ffi.List", pair(hooked_type, 2, 2)), false);
  check_less(pair(ordered_type, 2, 0), pair(ordered_type, 1, 0));
  list = make1("ffi.List", value);
  check_fails_with(tvmffi_recursive_hash(&list, &hash), "ValueError",
                   "RecursiveHash: type 'test.Ordered' defines __ffi_eq__ or __ffi_compare__ but "
                   "not __ffi_hash__.");
  check_release(&list);
  set_hook(wrong, "__ffi_eq__", give_text);
  set_hook(wrong, "__ffi_compare__", give_text);
  set_hook(wrong, "__ffi_hash__", give_text);
  value = pair(wrong, 1, 2);
  other = pair(wrong, 1, 2);
  check_fails(tvmffi_recursive_equal(&value, &other, &is_equal), "TypeError",
              "Cannot convert from type `ffi.SmallStr` to `bool`");
  check_fails(tvmffi_recursive_hash(&value, &hash), "TypeError",
              "Cannot convert from type `ffi.SmallStr` to `int`");
  check_no_order(value, other, "TypeError", "Cannot convert from type `ffi.SmallStr` to `int`");
}

TEST(test_builtins) {
  static const char *const names[] = {"ffi.RecursiveEq", "ffi.RecursiveLt", "ffi.RecursiveLe",
                                      "ffi.RecursiveGt", "ffi.RecursiveGe"};
  static const int expected[3][5] = {{0, 1, 1, 0, 0}, {1, 0, 1, 0, 1}, {0, 0, 0, 1, 1}};
  TVMFFIAny args[2], result;
  int i, row;
  args[0] = tvmffi_any_int(5);
  for (row = 0; row < 3; ++row) {
    args[1] = tvmffi_any_int(6 - row);
    for (i = 0; i < 5; ++i) {
      result = call_ok(names[i], args, 2);
      assert_int_equal(result.type_index, kTVMFFIBool);
      assert_int_equal(result.v_int64, expected[row][i]);
    }
  }
}

FIXTURE(make_types) {
  node_type = add_node_type("test.Node", kTVMFFISEqHashKindTreeNode, 0, 0);
  partial_type = add_node_type("test.Partial", kTVMFFISEqHashKindTreeNode, 0,
                               kTVMFFIFieldFlagBitMaskCompareOff);
  hooked_type = add_node_type("test.Hooked", kTVMFFISEqHashKindTreeNode, 0, 0);
  ordered_type = add_node_type("test.Ordered", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(hooked_type, "__ffi_eq__", equal_values);
  set_hook(hooked_type, "__ffi_hash__", hash_value);
  set_hook(ordered_type, "__ffi_compare__", order_backwards);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_values),
      cmocka_unit_test(test_values_without_an_order),
      cmocka_unit_test(test_containers),
      cmocka_unit_test(test_maps_in_any_order),
      cmocka_unit_test(test_objects),
      cmocka_unit_test(test_cycles),
      cmocka_unit_test(test_hooks),
      cmocka_unit_test(test_builtins),
      cmocka_unit_test(test_hashes_that_stay),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
