/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference counts that hooks and callbacks see of their values must be the same as without a
 * walk. tests/compat/use_counts.c has many more values, compared with the reference.
 */
#include "c/structural_support.h"
#include "core/type.h"
#include "structural/mutate.h"
#include "structural/outcome.h"
#include "structural/structural.h"
#include "structural/visit.h"

static const TVMFFIAny none;           /* {0, 0, 0}: None */
static int32_t tree, native, function; /* node types: no hooks, C hooks, Function hooks */
static int32_t graph;
static char notes[200];

/* Notes the caller, the kind of value and its reference count; a ~ if it has weak references. */
static void note(char caller, const TVMFFIAny *value) {
  uint64_t count;
  char kind = value->type_index == tree                                      ? 'T'
              : value->type_index == graph                                   ? 'G'
              : value->type_index == native || value->type_index == function ? 'H'
              : value->type_index == kTVMFFIStr                              ? 's'
                                                                             : 'o';
  if (value->type_index < kTVMFFIStaticObjectBegin) return;
  count = ((const TVMFFIObject *)value->v_obj)->combined_ref_count;
  assert_true(strlen(notes) + 16 < sizeof notes);
  sprintf(notes + strlen(notes), "%s%c%c%u%s", notes[0] != '\0' ? " " : "", caller, kind,
          (unsigned)(uint32_t)count, count >> 32 == 1 ? "" : "~");
}

static const char *take_notes(void) {
  static char taken[sizeof notes];
  memcpy(taken, notes, sizeof taken);
  notes[0] = '\0';
  return taken;
}

/* ---- Hooks ---- */

static TVMFFIAny visit_first(void *visitor, TVMFFIAny value) {
  note('v', &value);
  return tvmffi_visitor_visit(visitor, &as_node(&value)->a);
}

static TVMFFIAny mutate_first(void *mutator, TVMFFIAny value) {
  note('m', &value);
  return tvmffi_mutator_mutate(mutator, &as_node(&value)->a, false);
}

static TVMFFIAny mutate_first_in_place(void *mutator, TVMFFIAny value) {
  note('i', &value);
  return tvmffi_mutator_mutate(mutator, &as_node(&value)->a, true);
}

static int call_visit(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 2);
  note('v', &args[1]);
  return call4("ffi.StructuralVisitorVisit", 2, args[0], as_node(&args[1])->a, none, none, result);
}

static int call_mutate(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  assert_int_equal(num_args, 2);
  note(*(const char *)self, &args[1]);
  check_ok(
      call4("ffi.StructuralMutatorMutate", 2, args[0], as_node(&args[1])->a, none, none, result));
  check_release(result);
  *result = tvmffi_outcome_unchanged();
  return 0;
}

static TVMFFIAny text(void) {
  return make("ffi.String", 1, tvmffi_any_raw_str("a text of some length"), none);
}

/* ---- Callbacks ---- */

static int keep(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  note('c', &args[0]);
  *result = tvmffi_outcome_unchanged();
  return 0;
}

static int go_on_walking(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  (void)result;
  note('c', &args[0]);
  return 0;
}

static int visit_by_default(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  note('c', &args[0]);
  return call4("ffi.StructuralVisitorDefaultVisit", 2, args[1], args[0], none, none, result);
}

static int mutate_by_default(void *self, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  note('c', &args[0]);
  return call4("ffi.StructuralMutatorDefaultMutate", 2, args[1], args[0], none, none, result);
}

/* Runs a walk with a callback for all values; returns its notes. Releases the root. */
static const char *walk_over(const char *name, TVMFFISafeCallType body, int order, bool is_moved,
                             TVMFFIAny root) {
  TVMFFIObjectHandle moved = root.v_obj;
  int flag = strcmp(name, "ffi.StructuralMutate") == 0 ? 0 : -1;
  TVMFFIAny result, given = is_moved ? tvmffi_any_ptr(kTVMFFIObjectRValueRef, &moved) : root;
  check_ok(run_with(name, given, list_callback(-1, body, NULL, flag), order, &result));
  check_release(&result);
  if (!is_moved) check_release(&root);
  return take_notes();
}

static const char *walk(int order, TVMFFIAny root) {
  return walk_over("ffi.StructuralWalk", go_on_walking, order, false, root);
}

static const char *map(int order, bool is_moved, TVMFFIAny root) {
  return walk_over("ffi.StructuralMap", keep, order, is_moved, root);
}

static const char *visit(TVMFFIAny root) {
  return walk_over("ffi.StructuralVisit", visit_by_default, -1, false, root);
}

static const char *mutate(bool is_moved, TVMFFIAny root) {
  return walk_over("ffi.StructuralMutate", mutate_by_default, -1, is_moved, root);
}

/* Makes a text in a container in a container. */
static TVMFFIAny nest(const char *name) {
  bool is_map = strcmp(name, "ffi.Map") == 0 || strcmp(name, "ffi.Dict") == 0;
  TVMFFIAny key = tvmffi_any_int(1), inner;
  inner = is_map ? make(name, 2, key, text()) : make(name, 1, text(), none);
  return is_map ? make(name, 2, key, inner) : make(name, 1, inner, none);
}

static const char *const kContainers[] = {"ffi.Array", "ffi.List", "ffi.Map", "ffi.Dict"};

/* ---- Containers ---- */

TEST(test_walks_and_visits_count_nothing) {
  int i;
  for (i = 0; i < 4; ++i) {
    assert_string_equal(walk(0, nest(kContainers[i])), "co1 co1 cs1");
    assert_string_equal(walk(1, nest(kContainers[i])), "cs1 co1 co1");
    assert_string_equal(visit(nest(kContainers[i])), "co1 co1 cs1");
  }
}

/* A map and a mutation own a reference to their root. */
TEST(test_maps_and_mutations_count_nothing_but_the_root) {
  int i;
  for (i = 0; i < 4; ++i) {
    assert_string_equal(map(0, false, nest(kContainers[i])), "co2 co1 cs1");
    assert_string_equal(map(1, false, nest(kContainers[i])), "cs1 co1 co2");
    assert_string_equal(mutate(false, nest(kContainers[i])), "co2 co1 cs1");
    assert_string_equal(map(0, true, nest(kContainers[i])), "co1 co1 cs1");
    assert_string_equal(map(1, true, nest(kContainers[i])), "cs1 co1 co1");
    assert_string_equal(mutate(true, nest(kContainers[i])), "co1 co1 cs1");
  }
}

TEST(test_other_owners_count) {
  TVMFFIAny shared = text();
  assert_string_equal(walk(0, make("ffi.List", 1, tvmffi_any_copy(&shared), none)), "co1 cs2");
  assert_string_equal(map(1, true, make("ffi.Dict", 2, none, tvmffi_any_copy(&shared))), "cs2 co1");
  assert_string_equal(
      mutate(false, make("ffi.Map", 2, tvmffi_any_copy(&shared), tvmffi_any_copy(&shared))),
      "co2 cs3"); /* shared by key and value */
  assert_int_equal(check_use_count(shared.v_obj), 1);
  check_release(&shared);
}

/* ---- Fields ---- */

/* A getter returns a reference, and the copy whose fields are mutated holds one more. */
TEST(test_getters_and_copies_count) {
  assert_string_equal(walk(0, new_node(tree, nest("ffi.List"), none)), "cT1 co2 co1 cs1");
  assert_string_equal(visit(new_node(tree, new_node(tree, text(), none), none)), "cT1 cT2 cs2");
  assert_string_equal(map(0, true, new_node(tree, nest("ffi.List"), none)), "cT1 co3 co1 cs1");
  assert_string_equal(map(1, false, make("ffi.List", 1, new_node(tree, text(), none), none)),
                      "cs3 cT1 co2");
  assert_string_equal(mutate(true, make("ffi.List", 1, new_node(graph, text(), none), none)),
                      "co1 cG1 cs3");
}

/* ---- Hooks ---- */

/* A node in a list in a node in a list; both nodes are of the type. */
static TVMFFIAny hooked(int32_t type_index) {
  TVMFFIAny inner = make("ffi.List", 1, new_node(type_index, text(), none), none);
  return make("ffi.List", 1, new_node(type_index, inner, none), none);
}

TEST(test_hooks_of_visits) {
  assert_string_equal(walk(0, hooked(native)), "co1 cH1 vH1 co1 cH1 vH1 cs1");
  assert_string_equal(walk(1, hooked(function)), "vH1 vH1 cs1 cH1 co1 cH1 co1");
  assert_string_equal(visit(hooked(native)), "co1 cH1 vH1 co1 cH1 vH1 cs1");
  assert_string_equal(visit(hooked(function)), "co1 cH1 vH1 co1 cH1 vH1 cs1");
}

TEST(test_hooks_of_mutations) {
  assert_string_equal(map(0, false, hooked(native)), "co2 cH1 mH1 co1 cH1 mH1 cs1");
  assert_string_equal(map(1, false, hooked(function)), "mH1 mH1 cs1 cH1 co1 cH1 co2");
  assert_string_equal(mutate(false, hooked(function)), "co2 cH1 mH1 co1 cH1 mH1 cs1");
}

TEST(test_hooks_in_place) {
  assert_string_equal(map(0, true, hooked(native)), "co1 cH1 iH1 co1 cH1 iH1 cs1");
  assert_string_equal(map(1, true, hooked(function)), "iH1 mH1 cs1 cH1 co1 cH1 co1");
}

/* ---- Client-defined visitors and mutators ---- */

static TVMFFIAny own_visit(void *visitor, TVMFFIAny value) {
  note('t', &value);
  return tvmffi_visitor_default_visit(visitor, &value);
}

static TVMFFIAny own_mutate(void *mutator, TVMFFIAny value) {
  note('t', &value);
  return tvmffi_mutator_default_mutate(mutator, &value);
}

static TVMFFIAny own_mutate_in_place(void *mutator, TVMFFIAny value) {
  note('T', &value);
  if (value.type_index == kTVMFFIList) return tvmffi_mutate_container_inplace(mutator, value);
  return tvmffi_outcome_unchanged();
}

static TVMFFIAny get_mapped(void *mutator, TVMFFIAny value) {
  (void)mutator;
  note('r', &value);
  return none;
}

static TVMFFIAny set_mapped(void *mutator, TVMFFIAny value, TVMFFIAny mapped) {
  (void)mutator;
  (void)mapped;
  note('w', &value);
  return none;
}

static TVMFFIAny new_own(int32_t type_index, const void *table) {
  tvmffi_structural_visitor *made =
      tvmffi_object_new(sizeof *made, type_index, tvmffi_object_delete_plain);
  assert_non_null(made);
  made->vtable = table;
  made->def_region_kind = kTVMFFIDefRegionKindNone;
  return tvmffi_any_object(made);
}

TEST(test_visitors_of_clients) {
  static const tvmffi_visitor_table kTable = {own_visit};
  TVMFFIAny visitor = new_own(kTvmffiStructuralVisitor, &kTable), root = hooked(function), result;
  check_ok(call4("ffi.StructuralVisitorVisit", 2, visitor, root, none, none, &result));
  assert_string_equal(take_notes(), "to1 tH1 vH1 to1 tH1 vH1 ts1");
  check_release(&root);
  check_release(&visitor);
}

TEST(test_mutators_of_clients) {
  static const tvmffi_mutator_table kTable = {own_mutate, own_mutate_in_place, get_mapped,
                                              set_mapped};
  TVMFFIAny mutator = new_own(kTvmffiStructuralMutator, &kTable), root, result;
  root = make("ffi.List", 1, new_node(graph, nest("ffi.List"), none), none);
  check_ok(call4("ffi.StructuralMutatorMutate", 2, mutator, root, none, none, &result));
  assert_string_equal(take_notes(), "to1 tG1 rG1 to3 to1 ts1 wG1");
  assert_ptr_equal(result.v_obj, root.v_obj);
  check_release(&result);
  check_release(&root);
  root = nest("ffi.List");
  result = tvmffi_mutator_mutate((tvmffi_structural_mutator *)(void *)mutator.v_obj, &root, true);
  assert_string_equal(take_notes(), "To1 To1 Ts1");
  check_release(&root);
  check_release(&mutator);
}

/* ---- Types ---- */

FIXTURE(set_up) {
  static char kMutate = 'm', kInPlace = 'i';
  tree = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0);
  graph = add_node_type("test.Graph", kTVMFFISEqHashKindDAGNode, 0);
  native = add_node_type("test.Native", kTVMFFISEqHashKindTreeNode, 0);
  set_attr(native, "__s_visit__", pointer(visit_first));
  set_attr(native, "__s_mutate__", pointer(mutate_first));
  set_attr(native, "__s_maybe_inplace_mutate__", pointer(mutate_first_in_place));
  function = add_node_type("test.Function", kTVMFFISEqHashKindTreeNode, 0);
  set_attr(function, "__s_visit__", make_function(call_visit, NULL));
  set_attr(function, "__s_mutate__", make_function(call_mutate, &kMutate));
  set_attr(function, "__s_maybe_inplace_mutate__", make_function(call_mutate, &kInPlace));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_walks_and_visits_count_nothing),
      cmocka_unit_test(test_maps_and_mutations_count_nothing_but_the_root),
      cmocka_unit_test(test_other_owners_count),
      cmocka_unit_test(test_getters_and_copies_count),
      cmocka_unit_test(test_hooks_of_visits),
      cmocka_unit_test(test_hooks_of_mutations),
      cmocka_unit_test(test_hooks_in_place),
      cmocka_unit_test(test_visitors_of_clients),
      cmocka_unit_test(test_mutators_of_clients),
  };
  return cmocka_run_group_tests(tests, set_up, NULL) != 0;
}
