/* SPDX-License-Identifier: Apache-2.0 */
/* What a failed structural map or walk leaves: its argument, and the error of a callback. */
#include "c/structural_support.h"
#include "support/oom.h"

static const TVMFFIAny none; /* {0, 0, 0}: None */
static int32_t tree, graph;

typedef struct {
  TVMFFIAny result, root, callbacks, none_of;
} call;

static int map_moved(void *context) {
  call *c = context;
  TVMFFIObjectHandle root = c->root.v_obj;
  int rc;
  TVMFFIObjectIncRef(root); /* so the object is shared; the call takes this reference */
  rc = call4("ffi.StructuralMap", 4, tvmffi_any_ptr(kTVMFFIObjectRValueRef, &root), c->callbacks,
             c->none_of, tvmffi_any_int(1), &c->result);
  if (root != NULL) TVMFFIObjectDecRef(root); /* the call did not take it */
  return rc;
}

static void not_moved(void *context) {
  oom_no_result(context);
  assert_int_equal(check_use_count(((call *)context)->root.v_obj), 1);
}

static int add_one(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  *result = args[0].type_index == kTVMFFIInt ? tvmffi_any_int(args[0].v_int64 + 1) : none;
  return 0;
}

/* Makes all kinds of containers, fields, and a graph node that is used twice. */
static TVMFFIAny make_root(void) {
  TVMFFIAny shared = new_node(graph, tvmffi_any_int(1), none);
  TVMFFIAny list = make("ffi.List", 2, tvmffi_any_copy(&shared), shared);
  TVMFFIAny map = make("ffi.Map", 2, tvmffi_any_int(1), list);
  TVMFFIAny dict = make("ffi.Dict", 2, tvmffi_any_int(1), tvmffi_any_int(2));
  return new_node(tree, make("ffi.Array", 2, map, dict), tvmffi_any_int(3));
}

/* A value that is moved in still belongs to the caller. */
TEST(test_the_argument_of_a_failed_map) {
  call c;
  memset(&c, 0, sizeof c);
  c.root = make_root();
  c.callbacks = list_callback(kTVMFFIInt, add_one, NULL, -1);
  c.none_of = no_callbacks();
  check_ok(map_moved(&c)); /* makes what is created only once */
  check_release(&c.result);
  assert_true(oom_check(map_moved, not_moved, oom_release_result, &c, 0) >= 10);
  check_release(&c.none_of);
  check_release(&c.callbacks);
  check_release(&c.root);
}

/* Without memory for its context, an error is still raised unchanged. */
TEST(test_contexts_of_errors) {
  TVMFFIAny callbacks = list_callback(kTVMFFIInt, call_key_error, NULL, -1),
            none_of = no_callbacks();
  TVMFFIAny root = make_root(), result;
  int num_key_errors = 0;
  long n;
  /* makes what is created only once */
  check_fails(call4("ffi.StructuralWalk", 4, root, callbacks, none_of, tvmffi_any_int(0), &result),
              "KeyError", NULL);
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
      cmocka_unit_test(test_the_argument_of_a_failed_map),
      cmocka_unit_test(test_contexts_of_errors),
  };
  oom_install();
  return cmocka_run_group_tests(tests, set_up, NULL) != 0;
}
