/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of 60 levels in which every level holds the one below twice: walks that took every path
 * would not end.
 */
#include "c/structural_support.h"
#include "dataclass/dataclass.h"
#include "structural/structural.h"

enum { kLevels = 60, kNumNests = 5 };

static const TVMFFIAny none; /* {0, 0, 0}: None */
static const tvmffi_structural_options kPlain = {false, false};
static int32_t tree, variable;

/* A container or object that holds a value twice; takes ownership of it. */
static TVMFFIAny make_twice(int nest, TVMFFIAny value) {
  static const char *const kNames[] = {"ffi.Array", "ffi.List", "ffi.Map", "ffi.Dict"};
  TVMFFIAny args[4], made;
  if (nest == kNumNests - 1) return new_node(tree, value, tvmffi_any_copy(&value));
  args[0] = nest < 2 ? value : tvmffi_any_int(1);
  args[1] = value;
  args[2] = tvmffi_any_int(2);
  args[3] = value;
  made = call_ok(kNames[nest], args, nest < 2 ? 2 : 4);
  check_release(&value);
  return made;
}

static TVMFFIAny nest_twice(int first_nest, int num_nests, TVMFFIAny value) {
  int i;
  for (i = 0; i < kLevels; ++i) value = make_twice(first_nest + i % num_nests, value);
  return value;
}

static TVMFFIAny all_nests(TVMFFIAny value) {
  return nest_twice(0, kNumNests, value);
}

/* ---- Equality and hash ---- */

TEST(test_shared_values_are_compared_once) {
  TVMFFIAny a = all_nests(tvmffi_any_int(1)), b = all_nests(tvmffi_any_int(1)), paths;
  bool is_equal = false;
  check_ok(tvmffi_structural_equal(&a, &b, kPlain, &is_equal));
  assert_true(is_equal);
  check_ok(tvmffi_structural_equal(&a, &a, kPlain, &is_equal));
  assert_true(is_equal);
  check_ok(tvmffi_structural_mismatch(&a, &b, kPlain, &paths));
  assert_int_equal(paths.type_index, kTVMFFINone);
  check_release(&a);
  check_release(&b);
}

/*
 * In turn, the lists of a level are shared in one value and not in the other. So no list is met
 * again together with one that other lists hold too.
 */
static void make_alternating(TVMFFIAny *out_a, TVMFFIAny *out_b) {
  TVMFFIAny a = tvmffi_any_int(1), b[2] = {tvmffi_any_int(1), tvmffi_any_int(1)};
  int i;
  for (i = 0; i < kLevels; ++i) {
    a = make("ffi.List", 2, make("ffi.List", 1, tvmffi_any_copy(&a), none),
             make("ffi.List", 1, a, none));
    b[0] = make("ffi.List", 1, b[0], none);
    b[1] = make("ffi.List", 1, b[1], none);
    *out_b = make("ffi.List", 2, tvmffi_any_copy(&b[0]), tvmffi_any_copy(&b[1]));
    b[1] = make("ffi.List", 2, b[0], b[1]);
    b[0] = *out_b;
  }
  *out_a = make("ffi.List", 2, tvmffi_any_copy(&a), a);
  *out_b = make("ffi.List", 2, b[0], b[1]);
}

TEST(test_shared_values_are_compared_once_with_values_that_are_not) {
  TVMFFIAny a, b;
  bool is_equal = false;
  make_alternating(&a, &b);
  check_ok(tvmffi_structural_equal(&a, &b, kPlain, &is_equal));
  assert_true(is_equal);
  check_release(&a);
  check_release(&b);
}

/*
 * Each level holds the one below twice, and at the bottom is a map whose key is a variable that is
 * never paired, so that every new pair of others may change its entry.
 */
static TVMFFIAny make_keyed(TVMFFIAny key, bool defines) {
  TVMFFIAny value = make("ffi.Map", 2, key, tvmffi_any_int(1));
  int i;
  for (i = 0; i < kLevels; ++i) {
    TVMFFIAny pair = make("ffi.Array", 2, tvmffi_any_copy(&value), value);
    value = defines ? make("ffi.Array", 2, new_node(variable, none, none), pair) : pair;
  }
  return value;
}

TEST(test_shared_maps_with_unpaired_variables_are_compared_once) {
  tvmffi_structural_options options = kPlain;
  int defines;
  options.map_free_vars = true;
  for (defines = 0; defines < 2; ++defines) {
    TVMFFIAny key = new_node(variable, none, none);
    TVMFFIAny a = make_keyed(tvmffi_any_copy(&key), defines);
    TVMFFIAny b = make_keyed(tvmffi_any_copy(&key), defines), other;
    bool is_equal = false;
    check_ok(tvmffi_structural_equal(&a, &b, options, &is_equal));
    assert_true(is_equal);
    other = make_keyed(new_node(variable, none, none), defines);
    check_ok(tvmffi_structural_equal(&a, &other, options, &is_equal));
    assert_false(is_equal);
    check_release(&other);
    check_release(&key);
    check_release(&a);
    check_release(&b);
  }
}

/* A map whose key is an object that nothing hashed before, so that the entry does not count yet. */
TEST(test_shared_values_are_hashed_once) {
  TVMFFIAny key = make("ffi.List", 1, tvmffi_any_int(1), none);
  TVMFFIAny map = make("ffi.Map", 2, key, tvmffi_any_int(1));
  TVMFFIAny a = all_nests(tvmffi_any_int(1)), b = all_nests(map);
  uint64_t hash;
  check_ok(tvmffi_structural_hash(&a, kPlain, &hash));
  check_ok(tvmffi_structural_hash(&b, kPlain, &hash));
  check_release(&a);
  check_release(&b);
}

TEST(test_shared_values_are_compared_as_dataclasses_once) {
  TVMFFIAny a = all_nests(tvmffi_any_int(1)), b = all_nests(tvmffi_any_int(1)), copy;
  TVMFFIAny ordered_a = nest_twice(0, 2, tvmffi_any_int(1)),
            ordered_b = nest_twice(0, 2, tvmffi_any_int(1));
  bool is_equal = false;
  int order = -1;
  uint64_t hash_a, hash_b;
  check_ok(tvmffi_recursive_equal(&a, &b, &is_equal));
  assert_true(is_equal);
  check_ok(tvmffi_recursive_compare(&ordered_a, &ordered_b, &order));
  assert_int_equal(order, 0);
  check_ok(tvmffi_recursive_hash(&a, &hash_a));
  check_ok(tvmffi_recursive_hash(&b, &hash_b));
  assert_int_equal(hash_a, hash_b);
  check_ok(tvmffi_deep_copy(&a, &copy));
  check_release(&copy);
  check_release(&a);
  check_release(&b);
  check_release(&ordered_a);
  check_release(&ordered_b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared_values_are_compared_once),
      cmocka_unit_test(test_shared_values_are_compared_once_with_values_that_are_not),
      cmocka_unit_test(test_shared_maps_with_unpaired_variables_are_compared_once),
      cmocka_unit_test(test_shared_values_are_hashed_once),
      cmocka_unit_test(test_shared_values_are_compared_as_dataclasses_once),
  };
  tree = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0);
  variable = add_node_type("test.Variable", kTVMFFISEqHashKindFreeVar, 0);
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
