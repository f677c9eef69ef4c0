/* SPDX-License-Identifier: Apache-2.0 */
/* The functions passed to hooks to continue a walk, called at other times and by other code. */
#include "reflect/walk.h"

#include "c/walks.h"

enum { kLevels = 40 }; /* more levels than a walk has initial memory for */

static int32_t keeper_type, getter_type;
static TVMFFIObject *kept; /* the function passed to the hook of a keeper */
static int num_refused, num_gone_on;

static int (*const kWalks[])(const TVMFFIAny *values) = {
    print, equal, order, hash, equal_structurally, hash_structurally};
enum { kNumWalks = sizeof kWalks / sizeof *kWalks };

/* ---- Calls of the function ---- */

static TVMFFIAny nest(TVMFFIAny value, int levels) {
  for (; levels > 0; --levels) value = make1("ffi.Array", value);
  return value;
}

/* Calls the function with the value for each value parameter, then numbers and a name. */
static int go_on(TVMFFIAny value) {
  const tvmffi_walk_function *function = (const tvmffi_walk_function *)(const void *)kept;
  TVMFFIAny args[4], result = tvmffi_any_none();
  int i, rc;
  for (i = 0; i < function->num_args; ++i) {
    args[i] = function->params[i] == 'a' ? value : tvmffi_any_int(0);
  }
  if (function->num_args == 4) args[3] = tvmffi_any_raw_str("name");
  rc = TVMFFIFunctionCall(kept, args, function->num_args, &result);
  if (rc == 0) check_release(&result);
  return rc;
}

/* The getter of a field, called while a walk looks at the object. */
static int get_and_go_on(void *field, TVMFFIAny *result) {
  TVMFFIAny value = nest(tvmffi_any_int(1), kLevels);
  if (kept != NULL) {
    check_fails_with(go_on(value), "RuntimeError", "was called outside of the hook");
    ++num_refused;
  }
  check_release(&value);
  *result = tvmffi_any_copy(field);
  return 0;
}

/* Keeps the function, and calls it inside the hook, on an object whose getter must not call it. */
static int keep(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny value = new_node(getter_type, tvmffi_any_int(1), tvmffi_any_none());
  if (kept != NULL) TVMFFIObjectDecRef(kept);
  kept = args[num_args - 1].v_obj;
  TVMFFIObjectIncRef(kept);
  value = nest(value, kLevels);
  check_ok(go_on(value));
  check_ok(go_on(tvmffi_any_int(2)));
  num_gone_on += 2;
  check_release(&value);
  *result = *(const TVMFFIAny *)self;
  return 0;
}

/* ---- Tests ---- */

/* Makes (keeper, an object with that getter, nested `levels` deep). */
static TVMFFIAny make_root(int levels) {
  TVMFFIAny getter = new_node(getter_type, tvmffi_any_int(1), tvmffi_any_none());
  return make2("ffi.Array", new_node(keeper_type, tvmffi_any_none(), tvmffi_any_none()),
               nest(getter, levels));
}

TEST(test_only_the_hook_may_call_it) {
  TVMFFIAny values[2];
  int i, levels;
  for (i = 0; i < kNumWalks; ++i) {
    for (levels = 0; levels < kLevels; ++levels) {
      values[0] = make_root(levels);
      values[1] = make_root(levels);
      num_refused = num_gone_on = 0;
      check_ok(kWalks[i](values));
      assert_true(num_gone_on >= 2);
      assert_true(num_refused >= 2); /* below the hook, and beside it */
      check_fails_with(go_on(tvmffi_any_int(1)), "RuntimeError", "was called outside of the hook");
      TVMFFIObjectDecRef(kept);
      kept = NULL;
      check_release(&values[0]);
      check_release(&values[1]);
    }
  }
}

static void add_hook(const char *name, TVMFFIAny *answer) {
  TVMFFIObjectHandle function;
  check_ok(TVMFFIFunctionCreate(answer, keep, NULL, &function));
  set_attr(keeper_type, name, tvmffi_any_object(function));
  TVMFFIObjectDecRef(function);
}

FIXTURE(make_types) {
  static TVMFFIAny yes, zero, text;
  TVMFFIFieldInfo field = make_field("more");
  yes = tvmffi_any_bool(true);
  zero = tvmffi_any_int(0);
  text.type_index = kTVMFFISmallStr;
  keeper_type = add_node_type("test.Keeper", kTVMFFISEqHashKindTreeNode, 0, 0);
  add_hook("__ffi_repr__", &text);
  add_hook("__ffi_eq__", &yes);
  add_hook("__ffi_compare__", &zero);
  add_hook("__ffi_hash__", &zero);
  add_hook("__s_equal__", &yes);
  add_hook("__s_hash__", &zero);
  getter_type = add_node_type("test.Getter", kTVMFFISEqHashKindTreeNode, 0, 0);
  field.size = sizeof(TVMFFIAny);
  field.alignment = 8;
  field.offset = offsetof(node, value);
  field.getter = get_and_go_on;
  field.field_static_type_index = kTVMFFIAny;
  return TVMFFITypeRegisterField(getter_type, &field);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_only_the_hook_may_call_it)};
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
