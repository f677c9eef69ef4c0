/* SPDX-License-Identifier: Apache-2.0 */
/* Structural equality, the paths to the first difference, and the structural hash. */
#include <math.h>

#include "c/walk_support.h"
#include "core/error.h"
#include "structural/structural.h"

static int32_t tree_type, const_type, unique_type, graph_type, variable_type, plain_type;
static int32_t function_type, pattern_type, hooked_type, counted_type;

static TVMFFIAny number(int64_t n) {
  return tvmffi_any_int(n);
}

static TVMFFIAny tree(TVMFFIAny value, TVMFFIAny next) {
  return new_node(tree_type, value, next);
}

static TVMFFIAny variable(void) {
  return new_node(variable_type, tvmffi_any_none(), tvmffi_any_none());
}

/* Checks that the functions by name have these results. */
static void check_functions(TVMFFIAny a, TVMFFIAny b, bool map_free_vars, const char *paths,
                            uint64_t hash_a) {
  TVMFFIAny args[4];
  args[0] = a;
  args[1] = b;
  args[2] = tvmffi_any_bool(map_free_vars);
  args[3] = tvmffi_any_bool(0);
  assert_int_equal(call_ok("ffi.StructuralEqual", args, 4).v_int64, paths == NULL);
  check_repr(call_ok("ffi.GetFirstStructuralMismatch", args, 4), paths != NULL ? paths : "None");
  args[1] = args[2];
  args[2] = args[3];
  assert_int_equal(call_ok("ffi.StructuralHash", args, 3).v_int64, (int64_t)hash_a);
}

/*
 * Checks equality both ways, the paths to the first difference (their repr, NULL if the values are
 * equal), and that equal values have equal hashes. Releases both values.
 */
static void check(TVMFFIAny a, TVMFFIAny b, bool map_free_vars, const char *paths) {
  tvmffi_structural_options options = {false, false};
  bool is_equal = paths != NULL;
  uint64_t hash_a, hash_b;
  TVMFFIAny found;
  options.map_free_vars = map_free_vars;
  check_ok(tvmffi_structural_equal(&a, &b, options, &is_equal));
  assert_int_equal(is_equal, paths == NULL);
  check_ok(tvmffi_structural_equal(&b, &a, options, &is_equal));
  assert_int_equal(is_equal, paths == NULL);
  check_ok(tvmffi_structural_mismatch(&a, &b, options, &found));
  check_repr(found, paths != NULL ? paths : "None");
  check_ok(tvmffi_structural_hash(&a, options, &hash_a));
  check_functions(a, b, map_free_vars, paths, hash_a);
  check_ok(tvmffi_structural_hash(&b, options, &hash_b));
  if (is_equal) assert_int_equal(hash_a, hash_b);
  check_release(&a);
  check_release(&b);
}

TEST(test_plain_values) {
  TVMFFIAny dims[2], shape;
  check(number(1), number(1), false, NULL);
  check(number(1), tvmffi_any_bool(1), false, "(<root>, <root>)");
  check(tvmffi_any_float(NAN), tvmffi_any_float(-NAN), false, NULL);
  check(tvmffi_any_float(0.0), tvmffi_any_float(-0.0), false, "(<root>, <root>)");
  check(own_str("abc"), tvmffi_any_raw_str("abc"), false, NULL);
  check(own_str("a text of some length"), tvmffi_any_raw_str("a text of some length"), false, NULL);
  dims[0] = number(2);
  dims[1] = number(3);
  shape = call_ok("ffi.Shape", dims, 2);
  check(call_ok("ffi.Shape", dims, 2), share(shape), false, NULL);
  check(call_ok("ffi.Shape", dims, 1), shape, false, "(<root>, <root>)");
}

TEST(test_containers) {
  check(make2("ffi.Array", number(1), number(2)), make2("ffi.Array", number(1), number(3)), false,
        "(<root>[1], <root>[1])");
  check(make1("ffi.Array", number(1)), make2("ffi.Array", number(1), number(2)), false,
        "(<root>[<missing:1>], <root>[1])");
  check(make2("ffi.List", number(1), number(2)), make1("ffi.List", number(1)), false,
        "(<root>[1], <root>[<missing:1>])");
  check(make1("ffi.List", number(1)), make1("ffi.Array", number(1)), false, "(<root>, <root>)");
  check(make2("ffi.Map", own_str("x"), number(1)), make2("ffi.Map", own_str("x"), number(2)), false,
        "(<root>[\"x\"], <root>[\"x\"])");
  check(make2("ffi.Map", own_str("x"), number(1)), call_ok("ffi.Map", NULL, 0), false,
        "(<root>[\"x\"], <root>[<missing:\"x\">])");
  check(make2("ffi.Map", own_str("x"), number(1)), make2("ffi.Map", own_str("y"), number(1)), false,
        "(<root>[\"x\"], <root>[<missing:\"x\">])");
  check(call_ok("ffi.Dict", NULL, 0), make2("ffi.Dict", own_str("x"), number(1)), false,
        "(<root>[<missing:\"x\">], <root>[\"x\"])");
  check(make2("ffi.Dict", own_str("x"), make1("ffi.List", number(1))),
        make2("ffi.Dict", own_str("x"), make1("ffi.List", number(1))), false, NULL);
}

TEST(test_trees) {
  TVMFFIAny shared = tree(number(1), number(2));
  check(tree(number(1), tree(number(2), number(3))), tree(number(1), tree(number(2), number(3))),
        false, NULL);
  check(tree(number(1), tree(number(2), number(3))), tree(number(1), tree(number(2), number(4))),
        false, "(<root>.next.next, <root>.next.next)");
  check(make2("ffi.List", shared, share(shared)),
        make2("ffi.List", tree(number(1), number(2)), tree(number(1), number(2))), false, NULL);
  check(new_node(const_type, number(1), number(2)), new_node(const_type, number(1), number(2)),
        false, NULL);
  check(new_node(const_type, number(1), number(2)), tree(number(1), number(2)), false,
        "(<root>, <root>)");
}

TEST(test_unique_instances) {
  TVMFFIAny unique = new_node(unique_type, number(1), number(2));
  check(make1("ffi.List", share(unique)), make1("ffi.List", share(unique)), false, NULL);
  check(unique, new_node(unique_type, number(1), number(2)), false, "(<root>, <root>)");
}

static TVMFFIAny graph(void) {
  return new_node(graph_type, number(1), tvmffi_any_none());
}

TEST(test_graphs) {
  TVMFFIAny a = graph(), b = graph();
  check(make2("ffi.List", share(a), share(a)), make2("ffi.List", share(b), share(b)), false, NULL);
  check(make2("ffi.List", share(a), share(a)), make2("ffi.List", share(b), graph()), false,
        "(<root>[1], <root>[1])");
  check(make2("ffi.List", a, graph()), make2("ffi.List", b, share(b)), false,
        "(<root>[1], <root>[1])");
}

TEST(test_free_variables) {
  TVMFFIAny v = variable(), w = variable(), x = variable();
  check(share(v), share(v), false, NULL);
  check(share(v), share(w), false, "(<root>, <root>)");
  check(share(v), share(w), true, NULL);
  check(make2("ffi.List", share(v), share(v)), make2("ffi.List", share(w), share(w)), true, NULL);
  check(make2("ffi.List", share(v), share(x)), make2("ffi.List", share(w), share(w)), true,
        "(<root>[1], <root>[1])");
  check(make2("ffi.List", share(v), make2("ffi.Dict", share(v), number(1))),
        make2("ffi.List", share(w), make2("ffi.Dict", share(w), number(1))), true, NULL);
  check_release(&v);
  check_release(&w);
  check_release(&x);
}

/* Variables defined in a field are known in the fields after it. */
TEST(test_definitions) {
  TVMFFIAny v = variable(), w = variable();
  check(new_node(function_type, make1("ffi.List", share(v)), share(v)),
        new_node(function_type, make1("ffi.List", share(w)), share(w)), false, NULL);
  check(new_node(function_type, share(v), share(v)), new_node(function_type, share(w), share(v)),
        false, "(<root>.next, <root>.next)");
  check(new_node(function_type, number(1), share(v)), new_node(function_type, number(1), share(w)),
        false, "(<root>.next, <root>.next)");
  check(new_node(pattern_type, tree(share(v), share(v)), share(v)),
        new_node(pattern_type, tree(share(w), share(w)), share(w)), false, NULL);
  check_release(&v);
  check_release(&w);
}

/* Fields of a variable, such as its type, define other variables only in a pattern. */
TEST(test_variables_in_variables) {
  TVMFFIAny v = variable(), w = variable();
  check(new_node(function_type, new_node(variable_type, share(v), number(1)), number(1)),
        new_node(function_type, new_node(variable_type, share(w), number(1)), number(1)), false,
        "(<root>.value.value, <root>.value.value)");
  check(new_node(pattern_type, new_node(variable_type, v, number(1)), number(1)),
        new_node(pattern_type, new_node(variable_type, w, number(1)), number(1)), false, NULL);
}

static void check_fails_for(TVMFFIAny a, TVMFFIAny b, const char *kind, const char *message) {
  tvmffi_structural_options options = {false, false};
  bool is_equal;
  check_fails(tvmffi_structural_equal(&a, &b, options, &is_equal), kind, message);
  check_release(&a);
  check_release(&b);
}

TEST(test_types_without_structure) {
  check_fails_for(call_ok("ffi.FunctionListGlobalNamesFunctor", NULL, 0),
                  call_ok("ffi.FunctionListGlobalNamesFunctor", NULL, 0), "TypeError",
                  "Type metadata is not set for type `ffi.Function`, so StructuralHash is not "
                  "supported for this type");
  check_fails_for(new_node(plain_type, number(1), number(1)),
                  new_node(plain_type, number(1), number(1)), "TypeError",
                  "_type_s_eq_hash_kind is not set for type `test.Unstructured`, so "
                  "StructuralHash is not supported for this type");
}

/* ---- Hooks: the object's `value` selects what the hook does ---- */

static int hook(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny inner[4];
  (void)self;
  assert_int_equal(num_args, 3);
  inner[0] = as_node(&args[0])->next;
  inner[1] = as_node(&args[1])->next;
  inner[2] = as_node(&args[0])->value; /* the kind of definition region */
  inner[3] = tvmffi_any_raw_str("step");
  if (inner[2].v_int64 == 3) return tvmffi_fail("KeyError", "boo");
  if (inner[2].v_int64 == 4) {
    *result = own_str("yes");
    return 0;
  }
  return TVMFFIFunctionCall(args[2].v_obj, inner, inner[2].v_int64 == 5 ? 3 : 4, result);
}

static int hash_hook(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny inner[3];
  (void)self;
  assert_int_equal(num_args, 3);
  inner[0] = as_node(&args[0])->next;
  inner[1] = args[1];
  inner[2] = as_node(&args[0])->value;
  return TVMFFIFunctionCall(args[2].v_obj, inner, 3, result);
}

static TVMFFIAny hooked(int behaviour, TVMFFIAny next) {
  return new_node(hooked_type, number(behaviour), next);
}

TEST(test_hooks) {
  TVMFFIAny v = variable(), w = variable();
  check(hooked(0, number(1)), hooked(0, number(1)), false, NULL);
  check(make1("ffi.List", hooked(0, make1("ffi.List", number(1)))),
        make1("ffi.List", hooked(0, make1("ffi.List", number(2)))), false,
        "(<root>[0].step[0], <root>[0].step[0])");
  check(hooked(0, share(v)), hooked(0, share(w)), false, "(<root>.step, <root>.step)");
  check(hooked(1, share(v)), hooked(1, share(w)), false, NULL);
  check(hooked(2, v), hooked(2, w), false, NULL);
  check_fails_for(hooked(3, number(1)), hooked(3, number(1)), "KeyError", "boo");
  check_fails_for(hooked(4, number(1)), hooked(4, number(1)), "TypeError",
                  "Cannot convert from type `ffi.SmallStr` to `bool`");
  check_fails_for(hooked(5, number(1)), hooked(5, number(1)), "TypeError",
                  "Mismatched number of arguments when calling: `(0: AnyView, 1: AnyView, 2: int, "
                  "3: AnyView) -> bool`. Expected 4 but got 3 arguments");
}

/* Two maps that are equal only until the variable that is their key is paired with another one. */
TEST(test_maps_are_compared_again_after_their_key_was_paired) {
  TVMFFIAny v = variable(), w = variable();
  TVMFFIAny map_a = make2("ffi.Map", share(v), number(1));
  TVMFFIAny map_b = make2("ffi.Map", share(v), number(1));
  TVMFFIAny a = make2("ffi.List", make2("ffi.List", share(map_a), v), map_a);
  TVMFFIAny b = make2("ffi.List", make2("ffi.List", share(map_b), w), map_b);
  tvmffi_structural_options options = {true, false};
  bool is_equal = true;
  check_ok(tvmffi_structural_equal(&a, &b, options, &is_equal));
  assert_false(is_equal);
  check_release(&a);
  check_release(&b);
}

static int num_calls;

static int count_calls(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  *result = tvmffi_any_bool(true);
  ++num_calls;
  return 0;
}

TEST(test_hooks_are_asked_about_every_occurrence) {
  TVMFFIAny a = make1("ffi.List", new_node(counted_type, number(1), number(1)));
  TVMFFIAny b = make1("ffi.List", new_node(counted_type, number(1), number(1)));
  tvmffi_structural_options options = {false, false};
  bool is_equal = false;
  a = make2("ffi.List", a, share(a));
  b = make2("ffi.List", b, share(b));
  num_calls = 0;
  check_ok(tvmffi_structural_equal(&a, &b, options, &is_equal));
  assert_true(is_equal);
  assert_int_equal(num_calls, 2);
  check_release(&a);
  check_release(&b);
}

FIXTURE(make_types) {
  tree_type = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0, 0);
  const_type = add_node_type("test.Const", kTVMFFISEqHashKindConstTreeNode, 0, 0);
  unique_type = add_node_type("test.Unique", kTVMFFISEqHashKindUniqueInstance, 0, 0);
  graph_type = add_node_type("test.Graph", kTVMFFISEqHashKindDAGNode, 0, 0);
  variable_type = add_node_type("test.Variable", kTVMFFISEqHashKindFreeVar, 0, 0);
  plain_type = add_node_type("test.Unstructured", kTVMFFISEqHashKindUnsupported, 0, 0);
  function_type = add_node_type("test.Function", kTVMFFISEqHashKindTreeNode,
                                kTVMFFIFieldFlagBitMaskSEqHashDefSimple, 0);
  pattern_type = add_node_type("test.Pattern", kTVMFFISEqHashKindTreeNode,
                               kTVMFFIFieldFlagBitMaskSEqHashDefPattern, 0);
  hooked_type = add_node_type("test.Hooked", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(hooked_type, "__s_equal__", hook);
  set_hook(hooked_type, "__s_hash__", hash_hook);
  counted_type = add_node_type("test.Counted", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(counted_type, "__s_equal__", count_calls);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_values),
      cmocka_unit_test(test_containers),
      cmocka_unit_test(test_trees),
      cmocka_unit_test(test_unique_instances),
      cmocka_unit_test(test_graphs),
      cmocka_unit_test(test_free_variables),
      cmocka_unit_test(test_definitions),
      cmocka_unit_test(test_variables_in_variables),
      cmocka_unit_test(test_types_without_structure),
      cmocka_unit_test(test_hooks),
      cmocka_unit_test(test_maps_are_compared_again_after_their_key_was_paired),
      cmocka_unit_test(test_hooks_are_asked_about_every_occurrence),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
