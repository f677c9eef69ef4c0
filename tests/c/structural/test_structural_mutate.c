/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/mutate.h"

#include "c/structural_support.h"
#include "core/type.h"
#include "structural/outcome.h"
#include "support/weak.h"

static const TVMFFIAny none;               /* {0, 0, 0}: None */
static int32_t tree, graph, variable, let; /* node types; field `a` of a let is a definition */

static int num_calls;

static int add_one(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  ++num_calls;
  *result = tvmffi_any_int(args[0].v_int64 + 1);
  return 0;
}

/* Adds one to all integers in a value. */
static TVMFFIAny map(TVMFFIAny root, int order) {
  TVMFFIAny result;
  num_calls = 0;
  check_ok(run_with("ffi.StructuralMap", root, list_callback(kTVMFFIInt, add_one, NULL, -1), order,
                    &result));
  return result;
}

/* The same, but the value is moved in. */
static TVMFFIAny map_moved(TVMFFIAny *root, int order) {
  TVMFFIObjectHandle obj = root->v_obj;
  *root = none;
  return map(tvmffi_any_ptr(kTVMFFIObjectRValueRef, &obj), order);
}

static TVMFFIAny make_numbers(const char *name) {
  return make(name, 2, tvmffi_any_int(1), tvmffi_any_int(2));
}

static void check_numbers(TVMFFIAny seq, int64_t a, int64_t b) {
  int64_t numbers[2];
  numbers[0] = a;
  numbers[1] = b;
  check_ints(&seq, numbers, 2);
}

/* ---- Maps ---- */

TEST(test_containers_are_copied_where_they_change) {
  TVMFFIAny same = make("ffi.List", 1, tvmffi_any_raw_str("a text of some length"), none);
  TVMFFIAny root = make("ffi.Array", 2, same, make_numbers("ffi.List")), result;
  int order;
  for (order = 0; order < 2; ++order) {
    result = map(root, order);
    assert_int_equal(num_calls, 2);
    assert_int_equal(result.type_index, kTVMFFIArray);
    assert_ptr_not_equal(result.v_obj, root.v_obj);
    assert_ptr_equal(item(&result, 0).v_obj, same.v_obj);
    check_numbers(item(&result, 1), 2, 3);
    check_numbers(item(&root, 1), 1, 2);
    check_release(&result);
  }
  result = map(same, 0);
  assert_ptr_equal(result.v_obj, same.v_obj); /* nothing changed */
  check_release(&result);
  check_release(&root);
}

TEST(test_keys_and_order_of_maps_stay) {
  TVMFFIAny args[20], root, result, iterator, value, step = tvmffi_any_int(2);
  int i, order;
  for (i = 0; i < 20; ++i) args[i] = tvmffi_any_int(i);
  root = call_ok("ffi.Dict", args, 20);
  for (order = 0; order < 2; ++order) {
    result = order == 0 ? map(root, 0) : map_moved(&root, 1);
    iterator = call_ok("ffi.DictForwardIterFunctor", &result, 1);
    for (i = 0; i < 20; ++i) {
      TVMFFIAny command = tvmffi_any_int(i % 2);
      check_ok(TVMFFIFunctionCall(iterator.v_obj, &command, 1, &value));
      assert_int_equal(value.v_int64, i % 2 == 0 ? i : i + 1);
      if (i % 2 == 1) check_ok(TVMFFIFunctionCall(iterator.v_obj, &step, 1, &value));
    }
    check_release(&iterator);
    check_release(&result);
  }
}

TEST(test_what_nobody_shares_changes_in_place) {
  TVMFFIAny inner = make_numbers("ffi.List"), shared = make_numbers("ffi.List"), result;
  TVMFFIAny root = make("ffi.Array", 2, inner, tvmffi_any_copy(&shared));
  TVMFFIObject *was = root.v_obj;
  int order;
  for (order = 0; order < 2; ++order) {
    result = map_moved(&root, order);
    assert_ptr_equal(result.v_obj, was);
    assert_ptr_equal(item(&result, 0).v_obj, inner.v_obj);
    check_numbers(item(&result, 0), 2 + order, 3 + order);
    assert_ptr_not_equal(item(&result, 1).v_obj, shared.v_obj);
    check_numbers(shared, 1, 2);
    root = result;
  }
  check_release(&root);
  check_release(&shared);
}

/* Through a weak reference another thread could read what is being changed. */
TEST(test_what_has_a_weak_reference_is_copied) {
  TVMFFIAny root = make_numbers("ffi.List"), result;
  TVMFFIObject *was = root.v_obj;
  weak_retain(was);
  result = map_moved(&root, 0);
  assert_ptr_not_equal(result.v_obj, was);
  check_numbers(result, 2, 3);
  assert_false(weak_promote(was)); /* the given reference was taken */
  weak_release(was);
  check_release(&result);
}

TEST(test_fields_are_set_in_copies) {
  TVMFFIAny text = make("ffi.String", 1, tvmffi_any_raw_str("a text of some length"), none);
  TVMFFIAny root = new_node(tree, tvmffi_any_int(1), text), result;
  result = map(root, 0);
  assert_int_equal(result.type_index, tree);
  assert_int_equal(as_node(&result)->a.v_int64, 2);
  assert_ptr_equal(as_node(&result)->b.v_obj, text.v_obj);
  assert_int_equal(as_node(&root)->a.v_int64, 1);
  check_release(&result);
  check_release(&root);
}

TEST(test_nodes_of_graphs_are_mapped_once) {
  TVMFFIAny shared = new_node(graph, tvmffi_any_int(1), none), again = tvmffi_any_copy(&shared);
  TVMFFIAny root = make("ffi.Array", 2, shared, again), result = map(root, 0);
  assert_int_equal(num_calls, 1);
  assert_ptr_equal(item(&result, 0).v_obj, item(&result, 1).v_obj);
  assert_int_equal(((node *)(void *)item(&result, 0).v_obj)->a.v_int64, 2);
  check_release(&result);
  check_release(&root);
}

TEST(test_variables_change_where_they_are_defined) {
  TVMFFIAny var = new_node(variable, tvmffi_any_int(1), none), use = tvmffi_any_copy(&var);
  TVMFFIAny root = new_node(let, var, use), result = map(use, 0);
  assert_ptr_equal(result.v_obj, use.v_obj); /* a use without its definition */
  assert_int_equal(num_calls, 0);
  check_release(&result);
  result = map(root, 0);
  assert_int_equal(num_calls, 1);
  assert_ptr_equal(as_node(&result)->a.v_obj, as_node(&result)->b.v_obj);
  assert_ptr_not_equal(as_node(&result)->a.v_obj, use.v_obj);
  check_release(&result);
  check_release(&root);
}

TEST(test_errors_leave_the_original_whole) {
  TVMFFIAny inner = make_numbers("ffi.List"), result;
  TVMFFIAny root = make("ffi.List", 2, tvmffi_any_raw_str("first"), inner);
  TVMFFIObjectHandle obj = root.v_obj, error;
  const TVMFFIAny *objects = NULL;
  TVMFFIObjectIncRef(inner.v_obj);
  assert_int_equal(run_with("ffi.StructuralMap", root,
                            list_callback(kTVMFFIInt, call_key_error, NULL, -1), 0, &result),
                   -1);
  assert_int_equal(take_error(&error, &objects), 2);
  assert_ptr_equal(objects[0].v_obj, inner.v_obj);
  assert_ptr_equal(objects[1].v_obj, root.v_obj);
  TVMFFIObjectDecRef(error);
  TVMFFIObjectDecRef(inner.v_obj);
  TVMFFIObjectIncRef(root.v_obj); /* moved in but shared, so nothing is changed in place */
  assert_int_equal(run_with("ffi.StructuralMap", tvmffi_any_ptr(kTVMFFIObjectRValueRef, &obj),
                            list_callback(kTVMFFIInt, call_key_error, NULL, -1), 1, &result),
                   -1);
  check_raised("KeyError", "not here");
  assert_int_equal(item(&root, 0).type_index, kTVMFFISmallStr);
  check_numbers(item(&root, 1), 1, 2);
  check_release(&root);
}

TEST(test_what_cannot_be_copied) {
  TVMFFIAny two[2], shape, root, result;
  two[0] = two[1] = tvmffi_any_int(2);
  shape = call_ok("ffi.Shape", two, 2);
  root = make("ffi.Array", 1, shape, none);
  check_fails(run_with("ffi.StructuralMap", root, no_callbacks(), 0, &result), "TypeError",
              "__ffi_shallow_copy__ must be an ffi.Function");
  check_release(&root);
}

/* ---- Mutations ---- */

static TVMFFIAny kept; /* a mutator */
static char modes[16];

/* Notes whether the mutation is in place, and descends into values that are no integers. */
static int note_mode(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 3);
  modes[strlen(modes)] = (char)('0' + args[2].v_int64);
  if (kept.v_obj != args[1].v_obj) {
    check_release(&kept);
    kept = tvmffi_any_copy(&args[1]);
  }
  if (args[0].type_index == kTVMFFIInt) return add_one(self, args, num_args, result);
  return call4("ffi.StructuralMutatorDefaultMutate", 2, args[1], args[0], none, none, result);
}

TEST(test_callbacks_of_mutations_descend_themselves) {
  TVMFFIAny root = make("ffi.List", 1, make_numbers("ffi.List"), none), result;
  TVMFFIObjectHandle obj;
  check_ok(
      run_with("ffi.StructuralMutate", root, list_callback(-1, note_mode, NULL, 1), -1, &result));
  assert_string_equal(modes, "0000");
  check_numbers(item(&result, 0), 2, 3);
  check_release(&root);
  obj = result.v_obj;
  memset(modes, 0, sizeof modes);
  check_ok(run_with("ffi.StructuralMutate", tvmffi_any_ptr(kTVMFFIObjectRValueRef, &obj),
                    list_callback(-1, note_mode, NULL, 1), -1, &result));
  assert_string_equal(modes, "1000"); /* the default mutation called by a callback copies */
  check_numbers(item(&result, 0), 3, 4);
  check_release(&result);
}

TEST(test_variables_are_remembered) {
  TVMFFIAny var = new_node(variable, none, none), other = new_node(variable, none, none), got;
  check_ok(call4("ffi.StructuralMutatorVarRemapGet", 2, kept, var, none, none, &got));
  assert_int_equal(got.type_index, kTVMFFINone);
  check_ok(call4("ffi.StructuralMutatorVarRemapSet", 3, kept, var, tvmffi_any_int(1), none, &got));
  check_ok(call4("ffi.StructuralMutatorVarRemapSet", 3, kept, var, other, none, &got));
  check_ok(call4("ffi.StructuralMutatorMutate", 2, kept, none, none, none, &got));
  check_ok(call4("ffi.StructuralMutatorDefaultMutate", 2, kept, var, none, none, &got));
  assert_ptr_equal(got.v_obj, other.v_obj);
  check_release(&got);
  check_fails(
      call4("ffi.StructuralMutatorVarRemapGet", 2, kept, tvmffi_any_int(1), none, none, &got),
      "TypeError", "Variable-remap key must be an object-backed value");
  check_release(&var);
  check_release(&other);
}

TEST(test_copies_of_mutators_refuse) {
  TVMFFIAny copy = call_ok("ffi.DeepCopy", &kept, 1), one = tvmffi_any_int(1), got;
  check_fails(call4("ffi.StructuralMutatorMutate", 2, copy, one, none, none, &got), "RuntimeError",
              "A copy of a mutator cannot mutate");
  check_fails(call4("ffi.StructuralMutatorVarRemapSet", 3, copy, kept, one, none, &got),
              "RuntimeError", "A copy of a mutator cannot mutate");
  check_release(&copy);
}

FIXTURE(set_up) {
  tree = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0);
  graph = add_node_type("test.Graph", kTVMFFISEqHashKindDAGNode, 0);
  variable = add_node_type("test.Var", kTVMFFISEqHashKindFreeVar, 0);
  let = add_node_type("test.Let", kTVMFFISEqHashKindTreeNode,
                      kTVMFFIFieldFlagBitMaskSEqHashDefPattern);
  return 0;
}

FIXTURE(tear_down) {
  check_release(&kept);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_containers_are_copied_where_they_change),
      cmocka_unit_test(test_keys_and_order_of_maps_stay),
      cmocka_unit_test(test_what_nobody_shares_changes_in_place),
      cmocka_unit_test(test_what_has_a_weak_reference_is_copied),
      cmocka_unit_test(test_fields_are_set_in_copies),
      cmocka_unit_test(test_nodes_of_graphs_are_mapped_once),
      cmocka_unit_test(test_variables_change_where_they_are_defined),
      cmocka_unit_test(test_errors_leave_the_original_whole),
      cmocka_unit_test(test_what_cannot_be_copied),
      cmocka_unit_test(test_callbacks_of_mutations_descend_themselves),
      cmocka_unit_test(test_variables_are_remembered),
      cmocka_unit_test(test_copies_of_mutators_refuse),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
