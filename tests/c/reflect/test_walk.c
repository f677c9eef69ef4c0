/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over values that are nested very deeply or contain themselves, on a small stack. */
#include "reflect/walk.h"

#include "c/walks.h"
#include "dataclass/dataclass.h"
#include "json/json_graph.h"
#include "support/thread.h"

enum { kDeep = 1000000, kFine = 10000, kSmallStack = 256 * 1024 };

static int32_t node_type, hooked_type;

/* ---- Values ---- */

static TVMFFIAny nest_array(int levels) {
  TVMFFIAny value = tvmffi_any_int(1);
  for (; levels > 0; --levels) value = make1("ffi.Array", value);
  return value;
}

static TVMFFIAny nest_list(int levels) {
  TVMFFIAny value = tvmffi_any_int(1);
  for (; levels > 0; --levels) value = make1("ffi.List", value);
  return value;
}

static TVMFFIAny nest_dict(int levels) {
  TVMFFIAny value = tvmffi_any_int(1);
  for (; levels > 0; --levels) value = make2("ffi.Dict", tvmffi_any_int(7), value);
  return value;
}

static TVMFFIAny nest_node(int levels) {
  TVMFFIAny value = tvmffi_any_int(1);
  for (; levels > 0; --levels) value = new_node(node_type, tvmffi_any_int(levels), value);
  return value;
}

static TVMFFIAny nest_hooked(int levels) {
  TVMFFIAny value = tvmffi_any_int(1);
  for (; levels > 0; --levels) value = new_node(hooked_type, tvmffi_any_int(levels), value);
  return value;
}

/* ---- Walks: return 0, or -1 with the error raised ---- */

static int copy(const TVMFFIAny *values) {
  TVMFFIAny made;
  TVMFFI_TRY(tvmffi_deep_copy(&values[0], &made));
  tvmffi_any_release(&made);
  return 0;
}

static int find_mismatch(const TVMFFIAny *values) {
  TVMFFIAny paths;
  TVMFFI_TRY(tvmffi_structural_mismatch(&values[0], &values[1], kPlain, &paths));
  return paths.type_index == kTVMFFINone ? 0 : tvmffi_fail("AssertionError", "different");
}

static int write_and_read(const TVMFFIAny *values) {
  TVMFFIAny none = tvmffi_any_none(), graph, again;
  int rc;
  TVMFFI_TRY(tvmffi_json_graph_write(&values[0], &none, &graph));
  rc = tvmffi_json_graph_read(&graph, &again);
  tvmffi_any_release(&graph);
  if (rc == 0) tvmffi_any_release(&again);
  return rc;
}

typedef int (*walker)(const TVMFFIAny *values);

static const struct {
  const char *name;
  walker walk;
  const char *hook; /* the hook that makes the walk recurse on the stack */
  bool is_slow;
} kWalks[] = {
    {"copy", copy, NULL, false},
    {"repr", print, "__ffi_repr__", false},
    {"equal", equal, "__ffi_eq__", false},
    {"order", order, "__ffi_compare__", true},
    {"hash", hash, "__ffi_hash__", false},
    {"structural equal", equal_structurally, "__s_equal__", true},
    {"mismatch", find_mismatch, "__s_equal__", true},
    {"structural hash", hash_structurally, "__s_hash__", false},
    {"JSON graph", write_and_read, NULL, true},
};
enum { kNumWalks = sizeof kWalks / sizeof *kWalks };

/* ---- Run in a thread with a small stack, where no check may fail and longjmp out ---- */

typedef struct {
  walker walk;
  TVMFFIAny values[2];
  int rc;
  char error[64]; /* the error's kind */
} job;

static void run(void *arg) {
  job *j = arg;
  TVMFFIObjectHandle error = NULL;
  j->rc = j->walk(j->values);
  TVMFFIErrorMoveFromRaised(&error);
  j->error[0] = '\0';
  if (error != NULL) strncat(j->error, TVMFFIErrorGetCellPtr(error)->kind.data, 63);
  TVMFFIObjectDecRef(error);
}

static void release_both(void *arg) {
  job *j = arg;
  tvmffi_any_release(&j->values[0]);
  tvmffi_any_release(&j->values[1]);
}

static void run_ok(job *j, int index) {
  j->walk = kWalks[index].walk;
  thread_run(run, j, kSmallStack);
  if (j->rc != 0 || j->error[0] != '\0') {
    fail_msg("%s: %d, %s", kWalks[index].name, j->rc, j->error);
  }
}

/* Runs every walk over a and b, which are equal. Releases both. */
static void check_walks(TVMFFIAny a, TVMFFIAny b) {
  job j;
  int i;
  j.values[0] = a;
  j.values[1] = b;
  for (i = 0; i < kNumWalks; ++i) run_ok(&j, i);
  thread_run(release_both, &j, kSmallStack);
}

TEST(test_depth_that_is_fine) {
  check_walks(nest_array(kFine), nest_array(kFine));
  check_walks(nest_list(kFine), nest_list(kFine));
  check_walks(nest_node(kFine), nest_node(kFine));
  check_walks(nest_dict(kFine), nest_dict(kFine));
}

/* Nests the value in Arrays, Lists and objects in turn. */
static TVMFFIAny nest_mixed(TVMFFIAny value, int levels) {
  for (; levels > 0; --levels) {
    if (levels % 3 == 0) {
      value = new_node(node_type, tvmffi_any_int(levels), value);
    } else {
      value = make1(levels % 3 == 1 ? "ffi.Array" : "ffi.List", value);
    }
  }
  return value;
}

TEST(test_a_million_levels_and_too_many) {
  job j;
  int i, index;
  for (index = 0; index < 2; ++index) j.values[index] = nest_mixed(tvmffi_any_int(1), kDeep);
  for (i = 0; i < kNumWalks; ++i) run_ok(&j, i);
  for (index = 0; index < 2; ++index) {
    j.values[index] = nest_mixed(j.values[index], kTvmffiMaxWalkDepth - kDeep + 1);
  }
  for (i = 0; i < kNumWalks; ++i) {
    if (kWalks[i].is_slow) continue;
    check_fails_with(kWalks[i].walk(j.values), "ValueError",
                     ": maximum stack depth (1048576) exceeded");
  }
  thread_run(release_both, &j, kSmallStack);
}

/* ---- Cycles ---- */

TEST(test_cycles_end) {
  TVMFFIAny values[2];
  int i;
  values[0] = make_cycle(1);
  values[1] = make_cycle(1);
  for (i = 0; i < kNumWalks; ++i) {
    if (kWalks[i].walk == copy) continue; /* the copy would be a cycle that nobody breaks */
    if (kWalks[i].walk(values) != 0) check_raised("ValueError", NULL);
    check_not_raised();
  }
  break_cycle(&values[0]);
  break_cycle(&values[1]);
}

/* ---- Hooks ---- */

/* Each hook continues with the object's `next`, by recursion. */
static int go_on_with_one(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 2);
  return TVMFFIFunctionCall(args[1].v_obj, &as_node(&args[0])->next, 1, result);
}

static int go_on_with_two(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny next[2];
  (void)self;
  assert_int_equal(num_args, 3);
  next[0] = as_node(&args[0])->next;
  next[1] = as_node(&args[1])->next;
  return TVMFFIFunctionCall(args[2].v_obj, next, 2, result);
}

static int go_on_equal(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny next[4];
  (void)self;
  assert_int_equal(num_args, 3);
  next[0] = as_node(&args[0])->next;
  next[1] = as_node(&args[1])->next;
  next[2] = tvmffi_any_int(0);
  next[3] = tvmffi_any_raw_str("next");
  return TVMFFIFunctionCall(args[2].v_obj, next, 4, result);
}

static int go_on_hash(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny next[3];
  (void)self;
  assert_int_equal(num_args, 3);
  next[0] = as_node(&args[0])->next;
  next[1] = args[1];
  next[2] = tvmffi_any_int(0);
  return TVMFFIFunctionCall(args[2].v_obj, next, 3, result);
}

TEST(test_hooks_in_hooks) {
  job j;
  int i;
  for (i = 0; i < kNumWalks; ++i) {
    if (kWalks[i].hook == NULL) continue;
    j.walk = kWalks[i].walk;
    j.values[0] = nest_hooked(20);
    j.values[1] = nest_hooked(20);
    thread_run(run, &j, kSmallStack);
    assert_int_equal(j.rc, 0);
    release_both(&j);
    j.values[0] = nest_hooked(kDeep / 10);
    j.values[1] = nest_hooked(kDeep / 10);
    thread_run(run, &j, kSmallStack);
    assert_int_equal(j.rc, -1);
    assert_string_equal(j.error, "ValueError");
    release_both(&j);
  }
}

static TVMFFIObjectHandle kept;

static int keep_function(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  kept = args[1].v_obj;
  TVMFFIObjectIncRef(kept);
  *result = tvmffi_any_int(1);
  return 0;
}

TEST(test_functions_of_a_walk_that_is_over) {
  int32_t type_index = add_node_type("test.Keeper", kTVMFFISEqHashKindTreeNode, 0, 0);
  TVMFFIAny value = new_node(type_index, tvmffi_any_none(), tvmffi_any_none()), result;
  uint64_t made;
  set_hook(type_index, "__ffi_hash__", keep_function);
  check_ok(tvmffi_recursive_hash(&value, &made));
  result = tvmffi_any_none();
  check_fails_with(TVMFFIFunctionCall(kept, &value, 1, &result), "RuntimeError",
                   "was called outside of the hook that it was given to");
  TVMFFIObjectDecRef(kept);
  check_release(&value);
}

FIXTURE(make_types) {
  node_type = add_node_type("test.Node", kTVMFFISEqHashKindTreeNode, 0, 0);
  hooked_type = add_node_type("test.Hooked", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(hooked_type, "__ffi_repr__", go_on_with_one);
  set_hook(hooked_type, "__ffi_hash__", go_on_with_one);
  set_hook(hooked_type, "__ffi_eq__", go_on_with_two);
  set_hook(hooked_type, "__ffi_compare__", go_on_with_two);
  set_hook(hooked_type, "__s_equal__", go_on_equal);
  set_hook(hooked_type, "__s_hash__", go_on_hash);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_depth_that_is_fine),
      cmocka_unit_test(test_a_million_levels_and_too_many),
      cmocka_unit_test(test_cycles_end),
      cmocka_unit_test(test_hooks_in_hooks),
      cmocka_unit_test(test_functions_of_a_walk_that_is_over),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
