/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/visit.h"

#include "c/structural_support.h"
#include "core/type.h"
#include "structural/outcome.h"
#include "structural/structural.h"

static const TVMFFIAny none;        /* {0, 0, 0}: None */
static int32_t tree, variable, let; /* node types; field `a` of a let is a definition */

/* ---- Callbacks that note their arguments ---- */

static TVMFFIAny gives_none; /* the result of a callback */

static char noted[256];

static void note(const TVMFFIAny *value, char kind) {
  char *end = noted + strlen(noted);
  if (value->type_index == kTVMFFIInt) {
    *end++ = (char)('0' + value->v_int64);
  } else {
    *end++ = value->type_index == tree       ? 'T'
             : value->type_index == variable ? 'V'
             : value->type_index == let      ? 'L'
                                             : 'o';
  }
  if (kind != 0) *end++ = kind;
  *end = '\0';
}

static int note_value(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  note(&args[0], num_args > 1 && args[1].type_index == kTVMFFIInt ? "npsx"[args[1].v_int64] : '\0');
  *result = tvmffi_any_copy(self);
  return 0;
}

/* Returns the notes and clears them. */
static const char *take_notes(void) {
  static char taken[sizeof noted];
  memcpy(taken, noted, sizeof noted);
  noted[0] = '\0';
  return taken;
}

static void check_walk(TVMFFIAny root, int order, const char *expected) {
  TVMFFIAny result;
  check_ok(run_with("ffi.StructuralWalk", root, list_callback(-1, note_value, &gives_none, -1),
                    order, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  assert_string_equal(take_notes(), expected);
}

/* Walks with a callback that returns `gives`. Releases the root and `gives`. */
static int walk_giving(TVMFFIAny root, int32_t type_index, TVMFFIAny gives, TVMFFIAny *result) {
  int rc = run_with("ffi.StructuralWalk", root, list_callback(type_index, note_value, &gives, -1),
                    0, result);
  check_release(&root);
  check_release(&gives);
  return rc;
}

static TVMFFIAny make_numbers(void) {
  return make("ffi.Array", 2, tvmffi_any_int(1), tvmffi_any_int(2));
}

/* ---- Walks ---- */

TEST(test_orders_of_walks) {
  TVMFFIAny list = make("ffi.List", 2, make_numbers(), none);
  TVMFFIAny dict = make("ffi.Dict", 2, tvmffi_any_int(9), list);
  TVMFFIAny root = new_node(tree, dict, tvmffi_any_int(3));
  check_walk(root, 0, "Tooo123");
  check_walk(root, 1, "12ooo3T");
  check_walk(root, 7, "12ooo3T");
  check_walk(none, 0, "");
  check_walk(tvmffi_any_int(5), 1, "5");
  check_release(&root);
}

TEST(test_callbacks_are_found_by_type) {
  TVMFFIAny text = tvmffi_any_raw_str("a text of some length"), gives = tvmffi_any_int(0), result;
  check_ok(walk_giving(make("ffi.Array", 2, text, tvmffi_any_raw_str("short")), kTVMFFIStr, gives,
                       &result));
  assert_string_equal(take_notes(), "oo");
  check_ok(walk_giving(new_node(tree, make_numbers(), none), kTVMFFIObject, gives, &result));
  assert_string_equal(take_notes(), "To");
  check_ok(walk_giving(make_numbers(), 100000, gives, &result));
  assert_string_equal(take_notes(), "");
}

TEST(test_results_of_callbacks) {
  TVMFFIAny result, interrupt = call_ok("ffi.VisitInterrupt", &none, 1);
  check_ok(walk_giving(make("ffi.Array", 1, make_numbers(), none), -1, tvmffi_any_int(1), &result));
  assert_string_equal(take_notes(), "o"); /* the elements are skipped */
  check_ok(walk_giving(make_numbers(), kTVMFFIInt, tvmffi_any_copy(&interrupt), &result));
  assert_ptr_equal(result.v_obj, interrupt.v_obj);
  assert_string_equal(take_notes(), "1");
  check_release(&result);
  check_release(&interrupt);
  check_fails(walk_giving(make_numbers(), 1, make_numbers(), &result), "TypeError",
              "CallExpected: result type mismatch, expected WalkResult, but got ffi.Array");
  assert_string_equal(take_notes(), "1");
}

TEST(test_lists_of_callbacks_are_checked) {
  TVMFFIAny result, root = make_numbers();
  check_fails_with(run_with("ffi.StructuralWalk", root, make_numbers(), 0, &result), "TypeError",
                   "Expected `Array<Tuple<int, ffi.Function>>` but got `Array[index 0: int]`");
  check_fails_with(run_with("ffi.StructuralVisit", root, make("ffi.Array", 1, make_numbers(), none),
                            -1, &result),
                   "TypeError", "but got `Array[index 0: Array[index 1: int]]`");
  check_fails_with(
      run_with("ffi.StructuralWalk", root, list_callback(1, call_key_error, NULL, 1), 0, &result),
      "TypeError", "but got `Array[index 0: Array[size=3]]`");
  check_release(&root);
}

TEST(test_regions) {
  TVMFFIAny var = new_node(variable, tvmffi_any_int(1), none), use = tvmffi_any_copy(&var);
  TVMFFIAny root = new_node(let, var, use), lists[2], result;
  lists[0] = no_callbacks();
  lists[1] = list_callback(-1, note_value, &gives_none, -1);
  check_ok(call4("ffi.StructuralWalk", 4, root, lists[0], lists[1], tvmffi_any_int(0), &result));
  assert_string_equal(take_notes(), "LnVs1nVn1n");
  check_release(&lists[0]);
  check_release(&lists[1]);
  check_release(&root);
}

TEST(test_errors_tell_where_they_come_from) {
  TVMFFIAny inner = make_numbers(), root = new_node(tree, inner, none), result;
  const TVMFFIAny *objects = NULL;
  TVMFFIObjectHandle error;
  int order;
  for (order = 0; order < 2; ++order) {
    assert_int_equal(run_with("ffi.StructuralWalk", root,
                              list_callback(1, call_key_error, NULL, -1), order, &result),
                     -1);
    assert_int_equal(take_error(&error, &objects), 2);
    assert_ptr_equal(objects[0].v_obj, inner.v_obj);
    assert_ptr_equal(objects[1].v_obj, root.v_obj);
    TVMFFIObjectDecRef(error);
  }
  check_release(&root);
}

/* ---- Visits ---- */

static TVMFFIAny kept; /* a visitor */

static int keep_visitor(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 2);
  note(&args[0], '\0');
  if (kept.v_obj != args[1].v_obj) {
    check_release(&kept);
    kept = tvmffi_any_copy(&args[1]);
  }
  if (args[0].type_index == kTVMFFIInt) return 0;
  return call4("ffi.StructuralVisitorDefaultVisit", 2, args[1], args[0], none, none, result);
}

TEST(test_callbacks_of_visits_descend_themselves) {
  TVMFFIAny root = new_node(tree, make_numbers(), tvmffi_any_int(3)), result;
  check_ok(run_with("ffi.StructuralVisit", root, list_callback(-1, keep_visitor, NULL, -1), -1,
                    &result));
  assert_string_equal(take_notes(), "To123");
  check_ok(run_with("ffi.StructuralVisit", root, list_callback(tree, note_value, &gives_none, -1),
                    -1, &result));
  assert_string_equal(take_notes(), "T");
  /* The visitor can be used again. */
  check_ok(call4("ffi.StructuralVisitorVisit", 2, kept, root, none, none, &result));
  assert_string_equal(take_notes(), "To123");
  check_release(&root);
}

static int note_region(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  return call_global("ffi.StructuralVisitorDefRegionKind", &kept, 1, result);
}

static int64_t enter_region(int32_t kind, bool fails) {
  TVMFFIAny function = make_function(fails ? call_key_error : note_region, NULL), result;
  int rc = call4("ffi.StructuralVisitorWithDefRegionKind", 3, kept, tvmffi_any_int(kind), function,
                 none, &result);
  check_release(&function);
  if (rc != 0) check_raised("KeyError", "not here");
  return rc != 0 ? -1 : result.v_int64;
}

TEST(test_regions_are_entered_and_left) {
  TVMFFIAny result;
  assert_int_equal(enter_region(kTVMFFIDefRegionKindSimple, false), kTVMFFIDefRegionKindSimple);
  assert_int_equal(enter_region(7, false), 7);
  assert_int_equal(enter_region(kTVMFFIDefRegionKindSimple, true), -1);
  ((tvmffi_structural_visitor *)(void *)kept.v_obj)->def_region_kind = kTVMFFIDefRegionKindPattern;
  assert_int_equal(enter_region(kTVMFFIDefRegionKindNone, false), kTVMFFIDefRegionKindPattern);
  ((tvmffi_structural_visitor *)(void *)kept.v_obj)->def_region_kind = kTVMFFIDefRegionKindNone;
  check_fails(call4("ffi.StructuralVisitorWithDefRegionKind", 3, kept, tvmffi_any_int(1), none,
                    none, &result),
              "TypeError", "The callback that a region is entered for is None");
}

TEST(test_copies_of_visitors_refuse) {
  TVMFFIAny copy = call_ok("ffi.DeepCopy", &kept, 1), result;
  assert_int_equal(copy.type_index, kTvmffiStructuralVisitor);
  check_fails(call4("ffi.StructuralVisitorVisit", 2, copy, tvmffi_any_int(1), none, none, &result),
              "RuntimeError", "A copy of a visitor cannot visit");
  check_release(&copy);
}

FIXTURE(set_up) {
  tree = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0);
  variable = add_node_type("test.Var", kTVMFFISEqHashKindFreeVar, 0);
  let = add_node_type("test.Let", kTVMFFISEqHashKindTreeNode,
                      kTVMFFIFieldFlagBitMaskSEqHashDefSimple);
  return 0;
}

FIXTURE(tear_down) {
  check_release(&kept);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders_of_walks),
      cmocka_unit_test(test_callbacks_are_found_by_type),
      cmocka_unit_test(test_results_of_callbacks),
      cmocka_unit_test(test_lists_of_callbacks_are_checked),
      cmocka_unit_test(test_regions),
      cmocka_unit_test(test_errors_tell_where_they_come_from),
      cmocka_unit_test(test_callbacks_of_visits_descend_themselves),
      cmocka_unit_test(test_regions_are_entered_and_left),
      cmocka_unit_test(test_copies_of_visitors_refuse),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
