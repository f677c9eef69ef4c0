/* SPDX-License-Identifier: Apache-2.0 */
/* Visits in several threads fail with the same Error, whose path they extend while others read it.
 */
#include "c/structural_support.h"
#include "core/type.h"
#include "race/expect.h"
#include "support/thread.h"

enum { kThreads = 4, kRounds = 200, kDepth = 3 };

static const TVMFFIAny none; /* {0, 0, 0}: None */

typedef struct {
  TVMFFIObjectHandle error;
  TVMFFIAny root; /* kDepth nodes, each in the last one's field */
  TVMFFIAny callbacks, no_callbacks;
} shared;

static int return_error(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  *result = tvmffi_any_object(self);
  tvmffi_object_retain(self);
  return 0;
}

static int call(const char *name, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function;
  int rc;
  if (TVMFFIFunctionGetGlobal(&bytes, &function) != 0 || function == NULL) return -2;
  *result = none;
  rc = TVMFFIFunctionCall(function, (TVMFFIAny *)(uintptr_t)args, num_args, result);
  TVMFFIObjectDecRef(function);
  return rc;
}

static void visit_or_read(void *context, int index) {
  const shared *s = context;
  int i;
  for (i = 0; i < kRounds; ++i) {
    TVMFFIAny args[4], result;
    if (index != 0) {
      TVMFFIObjectHandle raised;
      args[0] = s->root;
      args[1] = s->callbacks;
      args[2] = s->no_callbacks;
      args[3] = tvmffi_any_int(1); /* innermost first */
      expect(call("ffi.StructuralWalk", args, 4, &result) == -1);
      TVMFFIErrorMoveFromRaised(&raised);
      expect(raised == s->error);
      TVMFFIObjectDecRef(raised);
    } else {
      args[1] = tvmffi_any_object(
          __atomic_load_n(&TVMFFIErrorGetCellPtr(s->error)->extra_context, __ATOMIC_ACQUIRE));
      if (args[1].v_obj == NULL) continue;
      args[0] = s->root;
      args[2] = tvmffi_any_bool(true);
      expect(call("ffi.VisitErrorContext.FindAccessPaths", args, 3, &result) == 0);
      tvmffi_any_release(&result);
    }
  }
}

TEST(test_visits_that_share_an_error) {
  int32_t leaf = add_node_type("test.Leaf", kTVMFFISEqHashKindTreeNode, 0);
  int32_t tree = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0);
  const TVMFFIAny *objects;
  TVMFFIObjectHandle error;
  shared s;
  int i;
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &s.error));
  s.root = new_node(leaf, none, none);
  for (i = 1; i < kDepth; ++i) s.root = new_node(tree, s.root, none);
  s.callbacks = list_callback(leaf, return_error, s.error, -1);
  s.no_callbacks = no_callbacks();
  thread_run_many(kThreads, visit_or_read, &s);
  assert_int_equal(expect_failures, 0);
  /* Nothing is lost: every visit has added every node. */
  TVMFFIErrorSetRaised(s.error);
  assert_int_equal(take_error(&error, &objects), (kThreads - 1) * kRounds * kDepth);
  TVMFFIObjectDecRef(error);
  check_release(&s.callbacks);
  check_release(&s.no_callbacks);
  check_release(&s.root);
  TVMFFIObjectDecRef(s.error);
}

RUN_TESTS({
    cmocka_unit_test(test_visits_that_share_an_error),
})
