/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks and callbacks that remove values from the value being walked over, even the one they were
 * given. A sanitizer reports any use of a destroyed value; hooks that read their value afterwards
 * check it, too.
 */
#include "c/structural_support.h"
#include "container/array.h"
#include "container/list.h"
#include "container/map.h"
#include "core/type.h"
#include "structural/mutate.h"
#include "structural/outcome.h"
#include "structural/visit.h"

static const TVMFFIAny none; /* {0, 0, 0}: None */
static const char kText[] = "a text of some length";
static int32_t tree, native; /* node types without hooks, and with hooks that descend to `a` */

static TVMFFIAny outer;        /* the List or Dict that is changed; the walk does not own it */
static void (*act)(TVMFFIAny); /* the change, made at the first value found in `outer` */
static bool looks;             /* whether hooks read their value after the change */
static int num_calls, num_acts;

static TVMFFIAny text(void) {
  return make("ffi.String", 1, tvmffi_any_raw_str(kText), none);
}

static bool is_outer(const TVMFFIAny *value) {
  return value->type_index >= kTVMFFIStaticObjectBegin && value->v_obj == outer.v_obj;
}

static void look_at(const TVMFFIAny *value) {
  if (value->type_index < kTVMFFIStaticObjectBegin) return;
  assert_int_not_equal(check_use_count(value->v_obj), 0);
  if (value->type_index == kTVMFFIStr) {
    assert_int_equal(TVMFFIBytesGetByteArrayPtr(value->v_obj)->size, sizeof kText - 1);
  }
}

/* Makes the change once, when called for a value inside `outer`. */
static void change(const TVMFFIAny *value) {
  ++num_calls;
  if (is_outer(value) || num_acts != 0) return;
  ++num_acts;
  act(outer);
  if (looks) look_at(value);
}

/* ---- Changes ---- */

static void call_list(const char *name, int32_t num, TVMFFIAny a, TVMFFIAny b) {
  TVMFFIAny result;
  check_ok(call4(name, num, outer, a, b, none, &result));
  check_release(&result);
}

static void clear(TVMFFIAny container) {
  call_list(container.type_index == kTVMFFIList ? "ffi.ListClear" : "ffi.DictClear", 1, none, none);
}

static void replace_first(TVMFFIAny container) {
  TVMFFIAny other = text();
  if (container.type_index == kTVMFFIList) {
    call_list("ffi.ListSetItem", 3, tvmffi_any_int(0), other);
  } else {
    call_list("ffi.DictSetItem", 3, tvmffi_any_int(0), other);
  }
  check_release(&other);
}

static void take_first(TVMFFIAny container) {
  call_list(container.type_index == kTVMFFIList ? "ffi.ListPop" : "ffi.DictErase", 2,
            tvmffi_any_int(0), none);
}

/* Moves the current entry, and makes the storage move. */
static void add_many(TVMFFIAny container) {
  int i;
  for (i = 0; i < 40; ++i) {
    if (container.type_index == kTVMFFIList) {
      call_list("ffi.ListInsert", 3, tvmffi_any_int(0), tvmffi_any_int(i));
    } else {
      call_list("ffi.DictSetItem", 3, tvmffi_any_int(100 + i), tvmffi_any_int(i));
    }
  }
}

/* Clears as inline code of clients does: removed values are destroyed at once. */
static void clear_inline(TVMFFIAny container) {
  if (container.type_index == kTVMFFIDict) {
    tvmffi_map_clear(container.v_obj);
  } else {
    check_ok(tvmffi_list_erase(container.v_obj, 0, tvmffi_array_size(container.v_obj)));
  }
}

static void replace_inline(TVMFFIAny container) {
  TVMFFIAny other = text(), key = tvmffi_any_int(0);
  if (container.type_index == kTVMFFIDict) {
    assert_int_equal(tvmffi_map_insert(&container.v_obj, &key, &other), 0);
  } else {
    check_ok(tvmffi_list_splice(container.v_obj, 0, 1, &other, 1));
  }
}

static const struct {
  void (*act)(TVMFFIAny container);
  bool is_inline;
} kChanges[] = {
    {clear, false},    {replace_first, false}, {take_first, false},
    {add_many, false}, {clear_inline, true},   {replace_inline, true},
};
enum { kNumChanges = sizeof kChanges / sizeof *kChanges };

/* ---- Callbacks ---- */

static int keep(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  change(&args[0]);
  *result = tvmffi_outcome_unchanged();
  return 0;
}

static int go_on_walking(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  (void)result;
  change(&args[0]);
  return 0;
}

static int give_a_number(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  bool is_root = is_outer(&args[0]);
  (void)self;
  (void)num_args;
  change(&args[0]);
  *result = is_root ? tvmffi_outcome_unchanged() : tvmffi_any_int(5);
  return 0;
}

static int give_it_back(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  *result = tvmffi_any_copy(&args[0]);
  change(&args[0]);
  return 0;
}

static int fail_mapping(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  bool is_root = is_outer(&args[0]);
  (void)self;
  (void)num_args;
  change(&args[0]);
  if (!is_root) return tvmffi_fail("KeyError", "not here");
  *result = tvmffi_outcome_unchanged();
  return 0;
}

static int fail_walking(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  bool is_root = is_outer(&args[0]);
  (void)self;
  (void)num_args;
  (void)result;
  change(&args[0]);
  return is_root ? 0 : tvmffi_fail("KeyError", "not here");
}

/* These make the change after the default visit or mutation of what is below, or at once for values
 * inside `outer` when the change is inline. */
static int visit_by_default(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  bool is_inline = !looks;
  (void)self;
  (void)num_args;
  if (is_inline && !is_outer(&args[0])) {
    change(&args[0]);
    return 0;
  }
  check_ok(call4("ffi.StructuralVisitorDefaultVisit", 2, args[1], args[0], none, none, result));
  look_at(&args[0]);
  change(&args[0]);
  return 0;
}

static int mutate_by_default(void *self, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result) {
  bool is_inline = !looks;
  (void)self;
  (void)num_args;
  if (is_inline && !is_outer(&args[0])) {
    change(&args[0]);
    *result = tvmffi_outcome_unchanged();
    return 0;
  }
  check_ok(call4("ffi.StructuralMutatorDefaultMutate", 2, args[1], args[0], none, none, result));
  look_at(&args[0]);
  change(&args[0]);
  return 0;
}

static int mutate_outer_alone(void *self, const TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result) {
  if (!is_outer(&args[0])) return give_a_number(self, args, num_args, result);
  return call4("ffi.StructuralMutatorDefaultMutate", 2, args[1], args[0], none, none, result);
}

/* ---- Walks ---- */

static const struct {
  const char *name;
  TVMFFISafeCallType body;
  int order;
} kWalks[] = {
    {"ffi.StructuralWalk", go_on_walking, 0},
    {"ffi.StructuralWalk", go_on_walking, 1},
    {"ffi.StructuralWalk", fail_walking, 0},
    {"ffi.StructuralWalk", fail_walking, 1},
    {"ffi.StructuralVisit", visit_by_default, -1},
    {"ffi.StructuralMap", keep, 0},
    {"ffi.StructuralMap", keep, 1},
    {"ffi.StructuralMap", give_a_number, 0},
    {"ffi.StructuralMap", give_a_number, 1},
    {"ffi.StructuralMap", give_it_back, 0},
    {"ffi.StructuralMap", give_it_back, 1},
    {"ffi.StructuralMap", fail_mapping, 0},
    {"ffi.StructuralMap", fail_mapping, 1},
    {"ffi.StructuralMutate", mutate_by_default, -1},
    {"ffi.StructuralMutate", mutate_outer_alone, -1},
};
enum { kNumWalks = sizeof kWalks / sizeof *kWalks };

static bool takes_root(int walk) {
  return strcmp(kWalks[walk].name, "ffi.StructuralMap") == 0 ||
         strcmp(kWalks[walk].name, "ffi.StructuralMutate") == 0;
}

/* Runs one walk over `outer`. If is_moved the walk takes ownership of it. */
static void run_walk(int walk, bool is_moved) {
  int flag = strcmp(kWalks[walk].name, "ffi.StructuralMutate") == 0 ? 0 : -1;
  TVMFFIObjectHandle moved = outer.v_obj;
  TVMFFIAny root = is_moved ? tvmffi_any_ptr(kTVMFFIObjectRValueRef, &moved) : outer, result = none;
  int rc;
  num_calls = num_acts = 0;
  rc = run_with(kWalks[walk].name, root, list_callback(-1, kWalks[walk].body, NULL, flag),
                kWalks[walk].order, &result);
  if (rc != 0) check_raised("KeyError", "not here");
  assert_int_equal(num_acts, 1);
  check_release(&result);
  if (!is_moved) check_release(&outer);
}

/* Makes containers, texts, fields and hooks that only `outer` owns. */
static TVMFFIAny make_outer(const char *name) {
  TVMFFIAny first = make("ffi.List", 2, new_node(native, text(), none), text());
  TVMFFIAny second = new_node(tree, make("ffi.Map", 2, text(), text()), text()), args[4], made;
  bool is_dict = strcmp(name, "ffi.Dict") == 0;
  args[0] = tvmffi_any_int(0);
  args[is_dict] = first;
  args[2] = tvmffi_any_int(1);
  args[is_dict ? 3 : 1] = second;
  made = call_ok(name, args, is_dict ? 4 : 2);
  check_release(&first);
  check_release(&second);
  return made;
}

TEST(test_every_change_in_every_walk) {
  static const char *const kNames[] = {"ffi.List", "ffi.Dict"};
  int change, walk, name, is_moved;
  for (change = 0; change < kNumChanges; ++change) {
    act = kChanges[change].act;
    looks = !kChanges[change].is_inline;
    for (walk = 0; walk < kNumWalks; ++walk) {
      for (name = 0; name < 2; ++name) {
        for (is_moved = 0; is_moved <= (looks && takes_root(walk)); ++is_moved) {
          outer = make_outer(kNames[name]);
          run_walk(walk, is_moved != 0);
        }
      }
    }
  }
}

/* A value that a callback removes with a function of the library is still walked over. */
TEST(test_what_is_kept_is_walked_over) {
  act = clear;
  looks = true;
  outer = make("ffi.List", 1, make("ffi.List", 2, text(), text()), none);
  run_walk(0, false);
  assert_int_equal(num_calls, 4); /* two lists and two texts */
  outer = make("ffi.List", 1, make("ffi.List", 2, text(), text()), none);
  act = clear_inline;
  looks = false;
  run_walk(0, false);
  assert_int_equal(num_calls, 2); /* the texts were destroyed with their list */
}

/* ---- Values below hooks ---- */

static TVMFFIAny visit_a(void *visitor, TVMFFIAny value) {
  TVMFFIAny outcome = tvmffi_visitor_visit(visitor, &as_node(&value)->a);
  if (looks) look_at(&value);
  return outcome;
}

static TVMFFIAny mutate_a(void *mutator, TVMFFIAny value) {
  TVMFFIAny outcome = tvmffi_mutator_mutate(mutator, &as_node(&value)->a, false);
  if (looks) look_at(&value);
  check_release(&outcome);
  return tvmffi_outcome_unchanged();
}

static TVMFFIAny mutate_a_in_place(void *mutator, TVMFFIAny value) {
  TVMFFIAny outcome = tvmffi_mutator_mutate(mutator, &as_node(&value)->a, true);
  if (looks) look_at(&value);
  check_release(&outcome);
  return tvmffi_outcome_unchanged();
}

static void set_a_to_none(TVMFFIAny container) {
  (void)container;
  check_ok(tvmffi_field_set_any(&as_node(&outer)->a, &none));
}

/* The hook lends its field while a callback below empties the list that holds the hook's object. */
TEST(test_the_object_of_a_hook_is_kept) {
  int walk, is_moved;
  act = clear;
  looks = true;
  for (walk = 0; walk < kNumWalks; ++walk) {
    for (is_moved = 0; is_moved <= takes_root(walk); ++is_moved) {
      TVMFFIAny inner = make("ffi.List", 2, text(), text());
      outer = make("ffi.List", 1, new_node(native, inner, none), none);
      run_walk(walk, is_moved != 0);
    }
  }
}

TEST(test_the_field_of_a_hook_is_kept) {
  int walk;
  act = set_a_to_none;
  looks = true;
  for (walk = 0; walk < kNumWalks; ++walk) {
    outer = new_node(native, make("ffi.List", 2, text(), text()), none);
    run_walk(walk, false);
  }
}

/* ---- Results ---- */

static int add_one_and_clear(void *self, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  *result = tvmffi_outcome_unchanged();
  if (args[0].type_index == kTVMFFIInt) *result = tvmffi_any_int(args[0].v_int64 + 1);
  if (args[0].type_index == kTVMFFIStr) clear(outer);
  return 0;
}

/* A copy that was begun contains the kept values; the original has the callback's change. */
TEST(test_copies_have_what_was_kept) {
  TVMFFIAny result, kept = text();
  outer = make("ffi.List", 2, tvmffi_any_int(1), tvmffi_any_copy(&kept));
  check_ok(run_with("ffi.StructuralMap", outer, list_callback(-1, add_one_and_clear, NULL, -1), 0,
                    &result));
  assert_int_equal(tvmffi_array_size(result.v_obj), 2);
  assert_int_equal(item(&result, 0).v_int64, 2);
  assert_ptr_equal(item(&result, 1).v_obj, kept.v_obj);
  assert_int_equal(tvmffi_array_size(outer.v_obj), 0);
  check_release(&result);
  check_release(&outer);
  check_release(&kept);
}

static int add_one_and_grow(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  add_many(outer);
  *result = tvmffi_any_int(args[0].v_int64 + 1);
  return 0;
}

/* A Dict is copied as it is when its first value changes. */
TEST(test_copies_of_dicts_that_grow) {
  TVMFFIAny args[2], result, found;
  args[0] = args[1] = tvmffi_any_int(7);
  outer = call_ok("ffi.Dict", args, 2);
  check_ok(run_with("ffi.StructuralMap", outer,
                    list_callback(kTVMFFIInt, add_one_and_grow, NULL, -1), 0, &result));
  assert_int_equal(tvmffi_map_size(outer.v_obj), 41);
  assert_int_equal(tvmffi_map_size(result.v_obj), 41);
  args[0] = outer;
  found = call_ok("ffi.DictGetItem", args, 2);
  assert_int_equal(found.v_int64, 7);
  check_release(&result);
  check_release(&outer);
}

/* Destroys the value that it was given. */
static int destroy_and_mutate(void *self, const TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result) {
  TVMFFIAny gone;
  (void)self;
  (void)num_args;
  *result = tvmffi_outcome_unchanged();
  if (is_outer(&args[0])) {
    return call4("ffi.StructuralMutatorDefaultMutate", 2, args[1], args[0], none, none, result);
  }
  if (num_acts++ != 0) {
    clear_inline(outer);
    return 0;
  }
  check_fails(call4("ffi.StructuralMutatorMutate", 2, args[1], args[0], none, none, &gone),
              "RuntimeError", "The value was destroyed while it was mutated");
  return 0;
}

TEST(test_a_value_that_is_gone_is_no_result) {
  TVMFFIAny result;
  num_acts = 0;
  outer = make("ffi.List", 1, text(), none);
  check_ok(run_with("ffi.StructuralMutate", outer, list_callback(-1, destroy_and_mutate, NULL, 0),
                    -1, &result));
  assert_int_equal(num_acts, 2);
  assert_ptr_equal(result.v_obj, outer.v_obj);
  check_release(&result);
  check_release(&outer);
}

/* ---- Types ---- */

FIXTURE(set_up) {
  tree = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0);
  native = add_node_type("test.Native", kTVMFFISEqHashKindTreeNode, 0);
  set_attr(native, "__s_visit__", pointer(visit_a));
  set_attr(native, "__s_mutate__", pointer(mutate_a));
  set_attr(native, "__s_maybe_inplace_mutate__", pointer(mutate_a_in_place));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_change_in_every_walk),
      cmocka_unit_test(test_what_is_kept_is_walked_over),
      cmocka_unit_test(test_the_object_of_a_hook_is_kept),
      cmocka_unit_test(test_the_field_of_a_hook_is_kept),
      cmocka_unit_test(test_copies_have_what_was_kept),
      cmocka_unit_test(test_copies_of_dicts_that_grow),
      cmocka_unit_test(test_a_value_that_is_gone_is_no_result),
  };
  return cmocka_run_group_tests(tests, set_up, NULL) != 0;
}
