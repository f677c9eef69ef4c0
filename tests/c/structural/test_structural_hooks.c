/* SPDX-License-Identifier: Apache-2.0 */
/* Client code in walks: hooks of types in each form, and client-defined visitors and mutators. */
#include "c/structural_support.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "structural/mutate.h"
#include "structural/outcome.h"
#include "structural/structural.h"
#include "structural/visit.h"

static const TVMFFIAny none; /* {0, 0, 0}: None */
static int num_calls;

static int count(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  ++num_calls;
  *result = args[0].type_index == kTVMFFIInt ? tvmffi_any_int(args[0].v_int64 + 1)
                                             : tvmffi_outcome_unchanged();
  return 0;
}

/* Visits only field `b`, through the visitor's table. */
static TVMFFIAny visit_b(void *visitor, TVMFFIAny value) {
  const tvmffi_visitor_table *table = ((tvmffi_structural_visitor *)visitor)->vtable;
  return table->visit(visitor, as_node(&value)->b);
}

static TVMFFIAny give_error(void *self, TVMFFIAny value) {
  (void)self;
  (void)value;
  return tvmffi_outcome_fail("KeyError", "not here");
}

static TVMFFIAny give_int(void *self, TVMFFIAny value) {
  (void)self;
  (void)value;
  return tvmffi_any_int(5);
}

/* The same hook as a Function. */
static int call_visit_b(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 2);
  return call4("ffi.StructuralVisitorVisit", 2, args[0], as_node(&args[1])->b, none, none, result);
}

static int call_mutate_b(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 2);
  return call4("ffi.StructuralMutatorMutate", 2, args[0], as_node(&args[1])->b, none, none, result);
}

static TVMFFIAny native(TVMFFIAny (*hook)(void *, TVMFFIAny)) {
  union {
    TVMFFIAny (*function)(void *, TVMFFIAny);
    void *address;
  } cast;
  cast.function = hook;
  return tvmffi_any_ptr(kTVMFFIOpaquePtr, cast.address);
}

static int32_t add_hooked(const char *key, const char *attr, TVMFFIAny hook) {
  int32_t type_index = add_node_type(key, kTVMFFISEqHashKindTreeNode, 0);
  set_attr(type_index, attr, hook);
  return type_index;
}

/* Walks over or maps a list of one node, which contains the integers 1 and 2. */
static int run(const char *name, int32_t type_index, TVMFFIAny *result) {
  TVMFFIAny inner = new_node(type_index, tvmffi_any_int(1), tvmffi_any_int(2));
  TVMFFIAny root = make("ffi.List", 1, inner, none);
  int rc;
  num_calls = 0;
  rc = run_with(name, root, list_callback(kTVMFFIInt, count, NULL, -1), 0, result);
  check_release(&root);
  return rc;
}

TEST(test_visits_of_types_with_hooks) {
  TVMFFIAny result;
  check_ok(
      run("ffi.StructuralWalk", add_hooked("v.native", "__s_visit__", native(visit_b)), &result));
  assert_int_equal(num_calls, 1);
  check_ok(run("ffi.StructuralWalk",
               add_hooked("v.function", "__s_visit__", make_function(call_visit_b, NULL)),
               &result));
  assert_int_equal(num_calls, 1);
  check_fails(
      run("ffi.StructuralWalk", add_hooked("v.bad", "__s_visit__", tvmffi_any_int(1)), &result),
      "TypeError", "__s_visit__ must be an opaque function pointer or ffi.Function");
  check_fails(
      run("ffi.StructuralWalk", add_hooked("v.error", "__s_visit__", native(give_error)), &result),
      "KeyError", "not here");
  check_fails(
      run("ffi.StructuralWalk", add_hooked("v.int", "__s_visit__", native(give_int)), &result),
      "TypeError",
      "CallExpected: result type mismatch, expected Optional<ffi.VisitInterrupt>, but got int");
}

TEST(test_mutations_of_types_with_hooks) {
  TVMFFIAny result;
  check_ok(
      run("ffi.StructuralMap", add_hooked("m.native", "__s_mutate__", native(give_int)), &result));
  assert_int_equal(item(&result, 0).v_int64, 5);
  check_release(&result);
  check_ok(run("ffi.StructuralMap",
               add_hooked("m.function", "__s_mutate__", make_function(call_mutate_b, NULL)),
               &result));
  assert_int_equal(num_calls, 1);
  assert_int_equal(item(&result, 0).v_int64, 3);
  check_release(&result);
  check_fails(
      run("ffi.StructuralMap", add_hooked("m.bad", "__s_mutate__", tvmffi_any_int(1)), &result),
      "TypeError", "__s_mutate__ must be a direct hook pointer or ffi.Function");
  check_fails(
      run("ffi.StructuralMap", add_hooked("m.error", "__s_mutate__", native(give_error)), &result),
      "KeyError", "not here");
}

TEST(test_null_hooks_are_refused) {
  TVMFFIAny null_pointer = tvmffi_any_ptr(kTVMFFIOpaquePtr, NULL), result;
  check_fails(run("ffi.StructuralWalk", add_hooked("v.null", "__s_visit__", null_pointer), &result),
              "TypeError", "__s_visit__ must be an opaque function pointer or ffi.Function");
  check_fails(run("ffi.StructuralMap", add_hooked("m.null", "__s_mutate__", null_pointer), &result),
              "TypeError", "__s_mutate__ must be a direct hook pointer or ffi.Function");
}

TEST(test_in_place_hooks_need_an_unshared_value) {
  int32_t type_index = add_hooked("m.inplace", "__s_maybe_inplace_mutate__", native(give_int));
  TVMFFIAny result, inner, list = no_callbacks();
  TVMFFIObjectHandle root;
  check_ok(run("ffi.StructuralMap", type_index, &result)); /* a list passed as a view is copied */
  assert_int_equal(num_calls, 2);
  check_release(&result);
  inner = new_node(type_index, none, none);
  inner = make("ffi.List", 1, inner, none);
  root = inner.v_obj;
  check_ok(call4("ffi.StructuralMap", 4, tvmffi_any_ptr(kTVMFFIObjectRValueRef, &root), list, list,
                 tvmffi_any_int(0), &result));
  assert_ptr_equal(result.v_obj, inner.v_obj);
  assert_int_equal(item(&result, 0).v_int64, 5);
  check_release(&result);
  check_release(&list);
}

/* ---- Client-defined visitors and mutators ---- */

static TVMFFIAny count_visit(void *visitor, TVMFFIAny value) {
  ++num_calls;
  if (value.type_index == kTVMFFIInt) return tvmffi_any_none();
  return tvmffi_visitor_default_visit(visitor, &value);
}

static TVMFFIAny add_to_ints(void *mutator, TVMFFIAny value) {
  ++num_calls;
  if (value.type_index == kTVMFFIInt) return tvmffi_any_int(value.v_int64 + 1);
  return tvmffi_mutator_default_mutate(mutator, &value);
}

static TVMFFIAny add_in_place(void *mutator, TVMFFIAny value) {
  num_calls += 100;
  return tvmffi_mutate_container_inplace(mutator, value);
}

static TVMFFIAny get_nothing(void *mutator, TVMFFIAny var) {
  (void)mutator;
  (void)var;
  return none;
}

static TVMFFIAny fail_to_set(void *mutator, TVMFFIAny var, TVMFFIAny mapped) {
  (void)mapped;
  return give_error(mutator, var);
}

static TVMFFIAny make_visitor(int32_t type_index, const void *table) {
  tvmffi_structural_visitor *visitor =
      tvmffi_object_new(sizeof *visitor, type_index, tvmffi_object_delete_plain);
  assert_non_null(visitor);
  visitor->vtable = table;
  visitor->def_region_kind = kTVMFFIDefRegionKindNone;
  return tvmffi_any_object(visitor);
}

TEST(test_a_visitor_of_a_client) {
  static const tvmffi_visitor_table kTable = {count_visit};
  TVMFFIAny visitor = make_visitor(kTvmffiStructuralVisitor, &kTable), result;
  TVMFFIAny root = make("ffi.Array", 2, tvmffi_any_int(1), make("ffi.List", 1, none, none));
  const TVMFFIAny *hook = tvmffi_type_find_attr(kTvmffiAttrSVisit, kTVMFFIArray);
  union {
    void *address;
    tvmffi_visit function;
  } native_hook;
  num_calls = 0;
  check_ok(call4("ffi.StructuralVisitorVisit", 2, visitor, root, none, none, &result));
  assert_int_equal(num_calls, 4);
  assert_int_equal(hook->type_index, kTVMFFIOpaquePtr);
  native_hook.address = hook->v_ptr;
  result = native_hook.function(visitor.v_obj, root);
  assert_int_equal(result.type_index, kTVMFFINone);
  assert_int_equal(num_calls, 7);
  check_release(&root);
  check_release(&visitor);
}

TEST(test_a_mutator_of_a_client) {
  static const tvmffi_mutator_table kTable = {add_to_ints, add_in_place, get_nothing, fail_to_set};
  TVMFFIAny mutator = make_visitor(kTvmffiStructuralMutator, &kTable), result;
  TVMFFIAny inner = make("ffi.List", 1, tvmffi_any_int(7), none);
  TVMFFIAny root = make("ffi.Array", 2, tvmffi_any_int(1), inner);
  int32_t graph = add_node_type("m.graph", kTVMFFISEqHashKindDAGNode, 0);
  num_calls = 0;
  check_ok(call4("ffi.StructuralMutatorMutate", 2, mutator, root, none, none, &result));
  assert_int_equal(num_calls, 4);
  assert_int_equal(item(&result, 0).v_int64, 2);
  assert_ptr_not_equal(item(&result, 1).v_obj, inner.v_obj);
  check_release(&result);
  result = tvmffi_mutate_container_inplace(mutator.v_obj, root);
  assert_int_equal(result.type_index, kTVMFFIUnchanged);
  assert_int_equal(num_calls, 4 + 1 + 100 + 1);
  assert_int_equal(item(&root, 0).v_int64, 2);
  assert_int_equal(item(&inner, 0).v_int64, 8);
  check_release(&root);
  root = new_node(graph, none, none);
  check_fails(call4("ffi.StructuralMutatorMutate", 2, mutator, root, none, none, &result),
              "KeyError", "not here");
  check_release(&root);
  check_release(&mutator);
}

/* ---- Visitors and mutators used outside their callback ---- */

static const char *go_on_by; /* the function that continues the walk */
static TVMFFIAny kept;       /* the visitor or mutator passed to a callback */

static int keep(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  if (kept.type_index == kTVMFFINone) kept = tvmffi_any_copy(&args[1]);
  ++num_calls;
  *result = *(const TVMFFIAny *)self;
  return 0;
}

static void go_on(void) {
  TVMFFIAny value = tvmffi_any_int(5), result;
  int i;
  for (i = 0; i < 40; ++i) value = make("ffi.List", 1, value, none);
  check_ok(call4(go_on_by, 2, kept, value, none, none, &result));
  check_release(&result);
  check_release(&value);
}

/* The getter of a field, called in the middle of a walk. */
static int get_and_go_on(void *field, TVMFFIAny *result) {
  if (kept.type_index != kTVMFFINone) go_on();
  return get_field(field, result);
}

/* Using a kept visitor or mutator starts a walk of its own, at any time. */
TEST(test_what_callbacks_keep) {
  static const char *const kNames[] = {"ffi.StructuralVisit", "ffi.StructuralMutate"};
  static const char *const kBy[] = {"ffi.StructuralVisitorVisit", "ffi.StructuralMutatorMutate"};
  TVMFFIAny answers[2]; /* None: descend into the value; an outcome: replaces it */
  int32_t getter = add_node_type("v.getter", kTVMFFISEqHashKindTreeNode, 0);
  TVMFFIFieldInfo field = make_field("more");
  int i, levels;
  field.offset = offsetof(node, a);
  field.size = field.alignment = 8;
  field.getter = get_and_go_on;
  field.setter = TVMFFIGetTypeInfo(getter)->fields[0].setter;
  check_ok(TVMFFITypeRegisterField(getter, &field));
  answers[0] = none;
  answers[1] = tvmffi_any_int(7);
  for (i = 0; i < 2; ++i) {
    for (levels = 0; levels < 40; ++levels) {
      TVMFFIAny root = new_node(getter, tvmffi_any_int(1), none), result;
      int level;
      go_on_by = kBy[i];
      for (level = 0; level < levels; ++level) root = make("ffi.List", 1, root, none);
      root = make("ffi.List", 2, tvmffi_any_int(1), root);
      num_calls = 0;
      check_ok(run_with(kNames[i], root, list_callback(kTVMFFIInt, keep, &answers[i], i - 1), -1,
                        &result));
      check_release(&result);
      check_release(&root);
      go_on();
      assert_true(num_calls >= 4);
      check_release(&kept);
      kept = none;
    }
  }
}

TEST(test_atoms_stay) {
  static const int32_t kAtoms[] = {kTVMFFIStr, kTVMFFIBytes, kTVMFFIBigInt};
  size_t i;
  for (i = 0; i < 3; ++i) {
    const TVMFFIAny *hook = tvmffi_type_find_attr(kTvmffiAttrSMutate, kAtoms[i]);
    union {
      void *address;
      tvmffi_mutate function;
    } native_hook;
    assert_int_equal(hook->type_index, kTVMFFIOpaquePtr);
    native_hook.address = hook->v_ptr;
    assert_int_equal(native_hook.function(NULL, none).type_index, kTVMFFIUnchanged);
    assert_ptr_equal(tvmffi_type_find_attr(kTvmffiAttrSMaybeInplaceMutate, kAtoms[i])->v_ptr,
                     hook->v_ptr);
  }
}

RUN_TESTS({
    cmocka_unit_test(test_visits_of_types_with_hooks),
    cmocka_unit_test(test_mutations_of_types_with_hooks),
    cmocka_unit_test(test_null_hooks_are_refused),
    cmocka_unit_test(test_in_place_hooks_need_an_unshared_value),
    cmocka_unit_test(test_a_visitor_of_a_client),
    cmocka_unit_test(test_a_mutator_of_a_client),
    cmocka_unit_test(test_what_callbacks_keep),
    cmocka_unit_test(test_atoms_stay),
})
