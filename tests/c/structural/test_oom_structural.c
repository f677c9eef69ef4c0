/* SPDX-License-Identifier: Apache-2.0 */
/* Structural walks, visits, maps and mutations, and the search for paths, without memory. */
#include "c/structural_support.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"
#include "structural/structural.h"
#include "structural/types.h"
#include "support/oom.h"

static const TVMFFIAny none; /* {0, 0, 0}: None */
static int32_t tree, graph;

typedef struct {
  TVMFFIAny result, args[4];
  const char *name;
  int32_t num_args;
  TVMFFIObjectHandle moved; /* the object of the first argument, if it is moved in */
} call;

static int run(void *context) {
  call *c = context;
  TVMFFIAny args[4];
  TVMFFIObjectHandle root = c->moved;
  int rc;
  memcpy(args, c->args, sizeof args);
  if (root != NULL) {
    TVMFFIObjectIncRef(root); /* so the object is shared; the call takes this reference */
    args[0] = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &root);
  }
  rc = call_global(c->name, args, c->num_args, &c->result);
  if (root != NULL) TVMFFIObjectDecRef(root); /* the call did not take it */
  return rc;
}

static int add_one(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  *result = args[0].type_index == kTVMFFIInt ? tvmffi_any_int(args[0].v_int64 + 1) : none;
  return 0;
}

static int go_on(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  return call_global("ffi.StructuralMutatorDefaultMutate", (TVMFFIAny[2]){args[1], args[0]}, 2,
                     result);
}

/* Makes all kinds of containers, fields, and a graph node that is used twice. */
static TVMFFIAny make_root(void) {
  TVMFFIAny shared = new_node(graph, tvmffi_any_int(1), none);
  TVMFFIAny list = make("ffi.List", 2, tvmffi_any_copy(&shared), shared);
  TVMFFIAny map = make("ffi.Map", 2, tvmffi_any_int(1), list);
  TVMFFIAny dict = make("ffi.Dict", 2, tvmffi_any_int(1), tvmffi_any_int(2));
  return new_node(tree, make("ffi.Array", 2, map, dict), tvmffi_any_int(3));
}

/* Counts the failed allocations. Releases the callbacks. */
static long count_failures(const char *name, TVMFFIAny callbacks, int order, bool is_moved) {
  TVMFFIAny root = make_root();
  long failures;
  call c;
  memset(&c, 0, sizeof c);
  c.name = name;
  c.args[0] = root;
  c.args[1] = callbacks;
  c.args[2] = no_callbacks();
  c.args[3] = tvmffi_any_int(order);
  c.num_args = order < 0 ? 2 : 4;
  if (is_moved) c.moved = root.v_obj;
  check_ok(run(&c)); /* makes what is created only once */
  check_release(&c.result);
  failures = oom_check(run, oom_no_result, oom_release_result, &c, 0);
  check_release(&c.args[2]);
  check_release(&callbacks);
  check_release(&root);
  return failures;
}

TEST(test_walks_and_visits) {
  int order;
  for (order = 0; order < 2; ++order) {
    TVMFFIAny callbacks = list_callback(kTVMFFIObject, add_one, NULL, -1);
    assert_true(count_failures("ffi.StructuralWalk", callbacks, order, false) >= 3);
  }
  assert_true(count_failures("ffi.StructuralVisit", list_callback(kTVMFFIStr, add_one, NULL, -1),
                             -1, false) >= 3);
}

TEST(test_maps_and_mutations) {
  int order;
  for (order = 0; order < 2; ++order) {
    TVMFFIAny callbacks = list_callback(kTVMFFIInt, add_one, NULL, -1);
    assert_true(count_failures("ffi.StructuralMap", callbacks, order, order == 1) >= 10);
  }
  assert_true(count_failures("ffi.StructuralMutate", list_callback(kTVMFFIInt, add_one, NULL, 0),
                             -1, false) >= 10);
  assert_true(
      count_failures("ffi.StructuralMutate", list_callback(tree, go_on, NULL, 0), -1, false) >= 5);
}

TEST(test_paths) {
  tvmffi_visit_error_context *context = tvmffi_reflect_new(kTvmffiVisitErrorContext);
  TVMFFIAny current;
  call c;
  memset(&c, 0, sizeof c);
  c.name = "ffi.VisitErrorContext.FindAccessPaths";
  c.args[0] = make_root();
  c.args[1] = tvmffi_any_object(context);
  c.args[2] = tvmffi_any_bool(0);
  c.num_args = 3;
  current = item(&as_node(&c.args[0])->a, 0);                /* the Map */
  current = (*(TVMFFIAny **)(void *)(current.v_obj + 1))[1]; /* the List */
  current = item(&current, 0);
  check_ok(call4("ffi.ListAppend", 2, tvmffi_any_object(context->reverse_visit_pattern), current,
                 none, none, &c.result));
  check_ok(run(&c));
  check_release(&c.result);
  assert_true(oom_check(run, oom_no_result, oom_release_result, &c, 0) >= 8);
  check_release(&c.args[0]);
  check_release(&c.args[1]);
}

/* Without memory for its context, an error is still raised unchanged. */
TEST(test_contexts_of_errors) {
  TVMFFIAny callbacks = list_callback(kTVMFFIInt, call_key_error, NULL, -1),
            none_of = no_callbacks();
  TVMFFIAny root = make_root(), result;
  int num_key_errors = 0;
  long n;
  for (n = 0; n < 40; ++n) {
    size_t before = oom_live_blocks();
    TVMFFIObjectHandle error;
    oom_fail_after(n);
    assert_int_not_equal(
        call4("ffi.StructuralWalk", 4, root, callbacks, none_of, tvmffi_any_int(0), &result), 0);
    oom_fail_after(-1);
    TVMFFIErrorMoveFromRaised(&error);
    num_key_errors += strcmp(TVMFFIErrorGetCellPtr(error)->kind.data, "KeyError") == 0;
    assert_true(num_key_errors > 0 ||
                strcmp(TVMFFIErrorGetCellPtr(error)->kind.data, "MemoryError") == 0);
    TVMFFIObjectDecRef(error);
    assert_int_equal(oom_live_blocks(), before);
  }
  assert_in_range(num_key_errors, 10, 39);
  check_release(&callbacks);
  check_release(&none_of);
  check_release(&root);
}

FIXTURE(set_up) {
  tree = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0);
  graph = add_node_type("test.Graph", kTVMFFISEqHashKindDAGNode, 0);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_walks_and_visits),
      cmocka_unit_test(test_maps_and_mutations),
      cmocka_unit_test(test_paths),
      cmocka_unit_test(test_contexts_of_errors),
  };
  oom_install();
  return cmocka_run_group_tests(tests, set_up, NULL) != 0;
}
