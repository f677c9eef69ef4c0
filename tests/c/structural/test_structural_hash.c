/* SPDX-License-Identifier: Apache-2.0 */
/* The structural hash where test_structural_equal.c does not test it; and structural keys. */
#include "base/hash.h"
#include "c/walk_support.h"
#include "container/any_key.h"
#include "core/error.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"
#include "structural/structural.h"
#include "structural/types.h"

static int32_t tree_type, variable_type, graph_type, ignoring_type;

static TVMFFIAny number(int64_t n) {
  return tvmffi_any_int(n);
}

static TVMFFIAny variable(void) {
  return new_node(variable_type, tvmffi_any_none(), tvmffi_any_none());
}

/* Returns the hash of a value, and releases the value. */
static uint64_t hash_of(TVMFFIAny value, bool map_free_vars) {
  tvmffi_structural_options options = {false, false};
  uint64_t hash;
  options.map_free_vars = map_free_vars;
  check_ok(tvmffi_structural_hash(&value, options, &hash));
  check_release(&value);
  return hash;
}

TEST(test_different_values) {
  assert_int_not_equal(hash_of(number(1), false), hash_of(number(2), false));
  assert_int_not_equal(hash_of(number(1), false), hash_of(tvmffi_any_bool(1), false));
  assert_int_not_equal(hash_of(make1("ffi.List", number(1)), false),
                       hash_of(make1("ffi.Array", number(1)), false));
  assert_int_not_equal(hash_of(make2("ffi.Map", number(1), number(2)), false),
                       hash_of(make2("ffi.Map", number(1), number(3)), false));
  assert_int_not_equal(hash_of(make2("ffi.Map", number(1), number(2)), false),
                       hash_of(make2("ffi.Map", number(2), number(2)), false));
  assert_int_not_equal(hash_of(own_bytes("abc"), false), hash_of(own_bytes("abd"), false));
}

static TVMFFIAny text_of(const char *text) {
  TVMFFIByteArray bytes = check_bytes(text);
  TVMFFIAny owned;
  check_ok(TVMFFIStringFromByteArray(&bytes, &owned));
  return owned;
}

static TVMFFIAny real(uint64_t bits) {
  TVMFFIAny value = tvmffi_any_float(0);
  value.v_uint64 = bits;
  return value;
}

/* Clients store hashes, so they must not change: these numbers are from the package. */
TEST(test_values_that_stay) {
  TVMFFIAny small = own_bytes("xx");
  assert_true(hash_of(make2("ffi.Array", number(1), number(2)), false) ==
              UINT64_C(0x272e749e71a30b7d));
  assert_true(hash_of(make2("ffi.List", text_of("abc"), text_of("abcdefgh")), false) ==
              UINT64_C(0x8b919267d610f8bb));
  assert_true(hash_of(make2("ffi.Map", text_of("key"), tvmffi_any_float(1.5)), false) ==
              UINT64_C(0xb88157cee326301f));
  assert_true(hash_of(make2("ffi.Dict", own_bytes("abcdefgh"), tvmffi_any_none()), false) ==
              UINT64_C(0x9b0c4315021cd0f5));
  assert_true(hash_of(make2("ffi.Shape", number(2), number(3)), false) ==
              UINT64_C(0x03f3ccfb7a943755));
  /* Small bytes are hashed by their image in memory: 2654467384 on little-endian machines. */
  assert_true(hash_of(small, false) == tvmffi_hash_combine(kTVMFFISmallBytes, small.v_uint64));
}

/* All NaNs are equal as values, but different ones are different keys of maps. */
TEST(test_not_a_numbers) {
  const uint64_t quiet = UINT64_C(0x7ff8000000000000), other = UINT64_C(0xfff8000000000001);
  assert_true(hash_of(real(quiet), false) == hash_of(real(other), false));
  assert_true(hash_of(make1("ffi.Array", real(quiet)), false) ==
              hash_of(make1("ffi.Array", real(other)), false));
  assert_true(hash_of(make2("ffi.Map", real(quiet), number(1)), false) !=
              hash_of(make2("ffi.Map", real(other), number(1)), false));
}

TEST(test_ignored_fields) {
  assert_int_equal(hash_of(new_node(ignoring_type, number(1), number(2)), false),
                   hash_of(new_node(ignoring_type, number(1), number(3)), false));
  assert_int_not_equal(hash_of(new_node(ignoring_type, number(1), number(2)), false),
                       hash_of(new_node(ignoring_type, number(2), number(2)), false));
}

TEST(test_variables_and_nodes_of_graphs) {
  TVMFFIAny v = variable(), n = new_node(graph_type, number(1), number(1));
  assert_true(hash_of(share(v), false) == (uint64_t)(uintptr_t)v.v_obj);
  assert_int_not_equal(hash_of(share(v), false), hash_of(variable(), false));
  assert_int_equal(hash_of(share(v), true), hash_of(variable(), true));
  assert_int_not_equal(hash_of(make2("ffi.List", share(v), share(v)), true),
                       hash_of(make2("ffi.List", share(v), variable()), true));
  assert_int_not_equal(
      hash_of(make2("ffi.List", share(n), share(n)), false),
      hash_of(make2("ffi.List", share(n), new_node(graph_type, number(1), number(1))), false));
  check_release(&v);
  check_release(&n);
}

/* A key counts once it has been hashed, and then in every map, shared or not. */
TEST(test_keys_that_count_later) {
  tvmffi_structural_options options = {false, false};
  TVMFFIAny key = new_node(tree_type, number(1), number(2)), items[3], shared, twice;
  TVMFFIAny map = make2("ffi.Map", share(key), number(5));
  bool is_equal;
  items[0] = items[2] = map;
  items[1] = key;
  shared = call_ok("ffi.Array", items, 3);
  items[2] = make2("ffi.Map", share(key), number(5));
  twice = call_ok("ffi.Array", items, 3);
  check_ok(tvmffi_structural_equal(&shared, &twice, options, &is_equal));
  assert_true(is_equal);
  assert_int_equal(hash_of(shared, false), hash_of(twice, false));
  check_release(&map);
  check_release(&items[2]);
  check_release(&key);
}

/* 2^60 lists if shared ones were hashed more than once. */
TEST(test_shared_ones_are_hashed_once) {
  TVMFFIAny value = make1("ffi.List", number(1)), other = make1("ffi.List", number(2));
  int i;
  for (i = 0; i < 60; ++i) {
    value = i % 2 == 0 ? make2("ffi.Array", share(value), value)
                       : new_node(i % 4 == 1 ? tree_type : graph_type, share(value), value);
    other = i % 2 == 0 ? make2("ffi.Array", share(other), other)
                       : new_node(i % 4 == 1 ? tree_type : graph_type, share(other), other);
  }
  assert_int_not_equal(hash_of(value, false), hash_of(other, false));
}

/* ---- Keys ---- */

static TVMFFIAny key_of(TVMFFIAny value) {
  return make1("ffi.StructuralKey", value);
}

static TVMFFIAny tree(int64_t n) {
  return new_node(tree_type, number(n), make1("ffi.List", number(n)));
}

TEST(test_keys) {
  TVMFFIAny args[2], found;
  args[0] = key_of(tree(1));
  args[1] = key_of(tree(1));
  assert_int_equal(args[0].type_index, kTvmffiStructuralKey);
  assert_int_equal((uint64_t)((tvmffi_structural_key *)(void *)args[0].v_obj)->hash_i64,
                   hash_of(tree(1), false));
  assert_int_equal(call_ok("ffi.StructuralKeyEqual", args, 2).v_int64, 1);
  check_release(&args[1]);
  args[1] = key_of(tree(2));
  assert_int_equal(call_ok("ffi.StructuralKeyEqual", args, 2).v_int64, 0);
  check_release(&args[1]);
  args[1] = number(1);
  check_fails(call_global("ffi.StructuralKeyEqual", args, 2, &found), "InternalError",
              "Check not null: rhs_obj ");
  check_release(&args[0]);
}

TEST(test_keys_of_maps) {
  TVMFFIAny args[2];
  args[0] = make2("ffi.Map", key_of(tree(1)), number(10));
  args[1] = key_of(tree(1));
  assert_int_equal(call_ok("ffi.MapGetItem", args, 2).v_int64, 10);
  check_release(&args[1]);
  args[1] = key_of(tree(2));
  assert_int_equal(call_ok("ffi.MapCount", args, 2).v_int64, 0);
  check_release(&args[1]);
  check_release(&args[0]);
}

TEST(test_a_constructor_and_its_errors) {
  TVMFFIAny value = call_ok("ffi.FunctionListGlobalNamesFunctor", NULL, 0), made;
  TVMFFIObject *init = find_attr(kTvmffiStructuralKey, "__ffi_init__")->v_obj;
  made = tvmffi_any_none();
  check_fails_with(TVMFFIFunctionCall(init, &value, 1, &made), "TypeError",
                   "Type metadata is not set for type `ffi.Function`");
  check_release(&value);
  value = number(5);
  check_ok(TVMFFIFunctionCall(init, &value, 1, &made));
  assert_int_equal(made.type_index, kTvmffiStructuralKey);
  check_release(&made);
}

FIXTURE(make_types) {
  tree_type = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0, 0);
  variable_type = add_node_type("test.Variable", kTVMFFISEqHashKindFreeVar, 0, 0);
  graph_type = add_node_type("test.Graph", kTVMFFISEqHashKindDAGNode, 0, 0);
  ignoring_type = add_node_type("test.Ignoring", kTVMFFISEqHashKindTreeNode, 0,
                                kTVMFFIFieldFlagBitMaskSEqHashIgnore);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_different_values),
      cmocka_unit_test(test_values_that_stay),
      cmocka_unit_test(test_not_a_numbers),
      cmocka_unit_test(test_ignored_fields),
      cmocka_unit_test(test_variables_and_nodes_of_graphs),
      cmocka_unit_test(test_keys_that_count_later),
      cmocka_unit_test(test_shared_ones_are_hashed_once),
      cmocka_unit_test(test_keys),
      cmocka_unit_test(test_keys_of_maps),
      cmocka_unit_test(test_a_constructor_and_its_errors),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
