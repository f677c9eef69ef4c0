/* SPDX-License-Identifier: Apache-2.0 */
/* Deep values in a thread with a small stack: the walk succeeds or raises a ValueError. */
#include "c/structural_support.h"
#include "core/type.h"
#include "reflect/access_path.h"
#include "reflect/builtin_objects.h"
#include "structural/structural.h"
#include "structural/types.h"
#include "support/thread.h"

enum { kLevels = 1000000, kSmallStack = 256 * 1024 };

static const TVMFFIAny none; /* {0, 0, 0}: None */
static int32_t tree;
static TVMFFIAny innermost; /* the innermost node of the deep value */
static long num_calls;

static int count(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  ++num_calls;
  return 0;
}

/* Callbacks that continue the visit or mutation by recursion. */
static int visit_on(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  ++num_calls;
  return call4("ffi.StructuralVisitorDefaultVisit", 2, args[1], args[0], none, none, result);
}

static int mutate_on(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  ++num_calls;
  return call4("ffi.StructuralMutatorDefaultMutate", 2, args[1], args[0], none, none, result);
}

/* Nests an integer in Lists, Arrays, Maps, Dicts and fields, in turn. */
static TVMFFIAny make_deep(int levels) {
  TVMFFIAny value = tvmffi_any_int(1);
  int i;
  for (i = 0; i < levels; ++i) {
    switch (i % 5) {
      case 0:
        value = make("ffi.Array", 1, value, none);
        break;
      case 1:
        value = make("ffi.List", 1, value, none);
        break;
      case 2:
        value = make("ffi.Map", 2, tvmffi_any_int(1), value);
        break;
      case 3:
        value = make("ffi.Dict", 2, tvmffi_any_int(1), value);
        break;
      default:
        value = new_node(tree, value, none);
        if (i == 4) innermost = value;
    }
  }
  return value;
}

typedef struct {
  const char *name;
  TVMFFIAny args[4], result;
  int32_t num_args;
  int rc;
  TVMFFIObjectHandle error;
} job;

/* Runs in another thread, so it checks nothing, and takes the error of its own slot. */
static void run(void *context) {
  job *j = context;
  j->rc = call_global(j->name, j->args, j->num_args, &j->result);
  if (j->rc != 0) TVMFFIErrorMoveFromRaised(&j->error);
}

static int run_job(job *j, TVMFFIAny *result) {
  num_calls = 0;
  thread_run(run, j, kSmallStack);
  *result = j->result;
  if (j->rc != 0) {
    TVMFFIErrorSetRaised(j->error);
    TVMFFIObjectDecRef(j->error);
  }
  return j->rc;
}

/* Runs the function in the small thread. Releases the callbacks, but not the root. */
static int run_small(const char *name, TVMFFIAny root, TVMFFIAny callbacks, int order,
                     TVMFFIAny *result) {
  job j;
  int rc;
  j.name = name;
  j.args[0] = root;
  j.args[1] = callbacks;
  j.args[2] = no_callbacks();
  j.args[3] = tvmffi_any_int(order);
  j.num_args = order < 0 ? 2 : 4;
  rc = run_job(&j, result);
  check_release(&callbacks);
  check_release(&j.args[2]);
  return rc;
}

static void release(void *value) {
  check_release(value);
}

static int set_up(void **state) {
  static TVMFFIAny root;
  tree = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0);
  root = make_deep(kLevels);
  *state = &root;
  return 0;
}

static int tear_down(void **state) {
  thread_run(release, *state, kSmallStack);
  return 0;
}

static void test_walks(void **state) {
  TVMFFIAny root = *(TVMFFIAny *)*state, result;
  int order;
  for (order = 0; order < 2; ++order) {
    check_ok(
        run_small("ffi.StructuralWalk", root, list_callback(-1, count, NULL, -1), order, &result));
    assert_int_equal(num_calls, kLevels + 1);
  }
  check_ok(run_small("ffi.StructuralVisit", root, list_callback(1, count, NULL, -1), -1, &result));
  assert_int_equal(num_calls, 1);
}

static void test_maps(void **state) {
  TVMFFIAny root = *(TVMFFIAny *)*state, result;
  int order;
  for (order = -1; order < 2; ++order) { /* the callback replaces the integer by None */
    check_ok(run_small(order < 0 ? "ffi.StructuralMutate" : "ffi.StructuralMap", root,
                       list_callback(1, count, NULL, order < 0 ? 0 : -1), order, &result));
    assert_int_equal(num_calls, 1);
    assert_int_equal(result.type_index, root.type_index);
    assert_ptr_not_equal(result.v_obj, root.v_obj);
    thread_run(release, &result, kSmallStack);
  }
}

/* The error's context is as long as the value is deep. */
static void test_errors(void **state) {
  TVMFFIAny root = *(TVMFFIAny *)*state, result;
  const TVMFFIAny *objects = NULL;
  TVMFFIObjectHandle error;
  assert_int_equal(
      run_small("ffi.StructuralWalk", root, list_callback(1, call_key_error, NULL, -1), 0, &result),
      -1);
  assert_int_equal(take_error(&error, &objects), kLevels);
  assert_ptr_equal(objects[kLevels - 1].v_obj, root.v_obj);
  TVMFFIObjectDecRef(error);
}

static void test_paths(void **state) {
  tvmffi_visit_error_context *context = tvmffi_reflect_new(kTvmffiVisitErrorContext);
  TVMFFIAny paths;
  job j;
  assert_non_null(context);
  check_ok(call4("ffi.ListAppend", 2, tvmffi_any_object(context->reverse_visit_pattern), innermost,
                 none, none, &paths));
  j.name = "ffi.VisitErrorContext.FindAccessPaths";
  j.args[0] = *(TVMFFIAny *)*state;
  j.args[1] = tvmffi_any_object(context);
  j.args[2] = tvmffi_any_bool(0);
  j.num_args = 3;
  check_ok(run_job(&j, &paths));
  assert_int_equal(TVMFFISeqGetCellPtr(paths.v_obj)->size, 1);
  assert_int_equal(((tvmffi_access_path *)(void *)item(&paths, 0).v_obj)->depth, kLevels - 5);
  thread_run(release, &paths, kSmallStack);
  TVMFFIObjectDecRef(context);
}

static void test_recursion_of_callbacks_is_refused_in_time(void **state) {
  TVMFFIAny root = *(TVMFFIAny *)*state, result;
  check_fails_with(
      run_small("ffi.StructuralVisit", root, list_callback(-1, visit_on, NULL, -1), -1, &result),
      "ValueError", "nested too deep for the stack");
  assert_in_range(num_calls, 10, kLevels / 2);
  check_fails_with(
      run_small("ffi.StructuralMutate", root, list_callback(-1, mutate_on, NULL, 0), -1, &result),
      "ValueError", "nested too deep for the stack");
  assert_in_range(num_calls, 10, kLevels / 2);
}

/* A List that contains itself. */
TEST(test_what_has_no_end_is_refused) {
  TVMFFIAny list = make("ffi.List", 0, none, none), result;
  check_ok(call4("ffi.ListAppend", 2, list, list, none, none, &result));
  check_fails(run_small("ffi.StructuralWalk", list, no_callbacks(), 0, &result), "ValueError",
              "ffi.StructuralVisit: maximum stack depth (1048576) exceeded");
  check_fails(run_small("ffi.StructuralMap", list, no_callbacks(), 0, &result), "ValueError",
              "ffi.StructuralMutate: maximum stack depth (1048576) exceeded");
  check_ok(call4("ffi.ListClear", 1, list, none, none, none, &result));
  check_release(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_walks),
      cmocka_unit_test(test_maps),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_paths),
      cmocka_unit_test(test_recursion_of_callbacks_is_refused_in_time),
      cmocka_unit_test(test_what_has_no_end_is_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
