/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/access_path.h"

#include "c/walk_support.h"
#include "core/any.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"

/* Calls a method of AccessPath by its reflected name; returns the code of TVMFFIFunctionCall. */
static int call(const char *name, TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(kTvmffiAccessPath);
  int32_t i;
  *result = tvmffi_any_none();
  for (i = 0; i < info->num_methods; ++i) {
    if (strcmp(info->methods[i].name.data, name) == 0) {
      return TVMFFIFunctionCall(info->methods[i].method.v_obj, args, num_args, result);
    }
  }
  fail_msg("no method %s", name);
  return -1;
}

/* Returns the path with one more step; releases the old path. */
static TVMFFIAny extend(const char *method, TVMFFIAny path, TVMFFIAny key) {
  TVMFFIAny args[2], result;
  args[0] = path;
  args[1] = key;
  check_ok(call(method, args, 2, &result));
  assert_int_equal(result.type_index, kTvmffiAccessPath);
  check_release(&path);
  return result;
}

static TVMFFIAny root(void) {
  TVMFFIAny result;
  check_ok(call("_root", NULL, 0, &result));
  return result;
}

static int64_t ask(const char *method, TVMFFIAny a, TVMFFIAny b) {
  TVMFFIAny args[2], result;
  args[0] = a;
  args[1] = b;
  check_ok(call(method, args, 2, &result));
  assert_int_equal(result.type_index, kTVMFFIBool);
  return result.v_int64;
}

/* A built-in takes objects of the types that derive from its parameter's. */
TEST(test_objects_of_derived_types_are_paths) {
  TVMFFIByteArray key = check_bytes("my.Path");
  int32_t depth = TVMFFIGetTypeInfo(kTvmffiAccessPath)->type_depth + 1;
  int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, depth, 0, 1, kTvmffiAccessPath);
  TVMFFIAny path = extend("_attr", root(), tvmffi_any_raw_str("name")), args[2], result;
  assert_true(index > 0);
  path.v_obj->type_index = index;
  args[0] = args[1] = tvmffi_any_object(path.v_obj);
  check_ok(call("_is_prefix_of", args, 2, &result));
  assert_int_equal(result.v_int64, 1);
  path.v_obj->type_index = kTvmffiAccessStep;
  args[0] = tvmffi_any_object(path.v_obj);
  check_fails_with(call("_is_prefix_of", args, 2, &result), "TypeError",
                   "Expected `ffi.reflection.AccessPath`");
  path.v_obj->type_index = kTvmffiAccessPath;
  check_release(&path);
}

TEST(test_steps_from_the_root_on) {
  static const int32_t kinds[] = {
      kTvmffiStepAttr,        kTvmffiStepArrayItem,        kTvmffiStepMapItem,
      kTvmffiStepAttrMissing, kTvmffiStepArrayItemMissing, kTvmffiStepMapItemMissing};
  TVMFFIAny path = root(), steps;
  TVMFFISeqCell *cell;
  int i;
  path = extend("_attr", path, tvmffi_any_raw_str("name"));
  path = extend("_array_item", path, tvmffi_any_int(3));
  path = extend("_map_item", path, tvmffi_any_raw_str("key"));
  path = extend("_attr_missing", path, tvmffi_any_raw_str("name"));
  path = extend("_array_item_missing", path, tvmffi_any_int(4));
  path = extend("_map_item_missing", path, tvmffi_any_int(5));
  assert_int_equal(((tvmffi_access_path *)(void *)path.v_obj)->depth, 6);
  check_ok(call("_to_steps", &path, 1, &steps));
  cell = TVMFFISeqGetCellPtr(steps.v_obj);
  assert_int_equal(cell->size, 6);
  for (i = 0; i < 6; ++i) {
    const tvmffi_access_step *step = (const void *)((TVMFFIAny *)cell->data)[i].v_obj;
    assert_int_equal(step->kind, kinds[i]);
  }
  check_release(&steps);
  check_release(&path);
}

TEST(test_equality_and_prefixes) {
  TVMFFIAny a = extend("_attr", root(), tvmffi_any_raw_str("x"));
  TVMFFIAny b = extend("_attr", root(), tvmffi_any_raw_str("x")), longer;
  TVMFFIAny other = extend("_attr_missing", root(), tvmffi_any_raw_str("x")), top = root();
  TVMFFIObjectIncRef(b.v_obj);
  longer = extend("_array_item", b, tvmffi_any_int(0));
  assert_int_equal(ask("_path_equal", a, b), 1);
  assert_int_equal(ask("_path_equal", a, other), 0);
  assert_int_equal(ask("_path_equal", a, longer), 0);
  assert_int_equal(ask("_is_prefix_of", a, longer), 1);
  assert_int_equal(ask("_is_prefix_of", longer, a), 0);
  assert_int_equal(ask("_is_prefix_of", other, longer), 0);
  assert_int_equal(ask("_is_prefix_of", top, longer), 1);
  check_release(&a);
  check_release(&b);
  check_release(&other);
  check_release(&longer);
  check_release(&top);
}

TEST(test_arguments_are_checked) {
  TVMFFIAny args[2], result;
  args[0] = tvmffi_any_int(1);
  args[1] = tvmffi_any_int(1);
  check_fails(call("_array_item", args, 2, &result), "TypeError",
              "Mismatched type on argument #0 when calling: `ffi.reflection.AccessPath._array_item("
              "0: ffi.reflection.AccessPath, 1: int) -> ffi.reflection.AccessPath`. Expected "
              "`ffi.reflection.AccessPath` but got `int`");
  check_fails_with(call("_root", args, 1, &result), "TypeError", "Expected 0 but got 1 arguments");
}

TEST(test_a_long_path_is_released_without_recursion) {
  TVMFFIAny path = root();
  int i;
  for (i = 0; i < 200000; ++i) path = extend("_array_item", path, tvmffi_any_int(i));
  check_release(&path);
}

/* ---- As text ---- */

static TVMFFIAny step(int32_t kind, TVMFFIAny key) {
  return tvmffi_any_object(tvmffi_access_step_new(kind, &key));
}

TEST(test_steps) {
  check_repr(step(kTvmffiStepAttr, tvmffi_any_raw_str("name")), ".name");
  check_repr(step(kTvmffiStepAttr, tvmffi_any_int(5)), ".5");
  check_repr(step(kTvmffiStepArrayItem, tvmffi_any_int(-3)), "[-3]");
  check_repr(step(kTvmffiStepArrayItem, tvmffi_any_raw_str("x")), "[x]");
  check_repr(step(kTvmffiStepMapItem, tvmffi_any_raw_str("x")), "[\"x\"]");
  check_repr(step(kTvmffiStepMapItem, tvmffi_any_float(2.5)), "[2.5]");
  check_repr(step(kTvmffiStepAttrMissing, tvmffi_any_raw_str("x")), "[<missing:\"x\">]");
  check_repr(step(kTvmffiStepArrayItemMissing, tvmffi_any_int(4)), "[<missing:4>]");
  check_repr(step(kTvmffiStepMapItemMissing, tvmffi_any_none()), "[<missing:None>]");
}

static TVMFFIAny extend_by(TVMFFIAny path, TVMFFIAny last) {
  TVMFFIAny longer = tvmffi_any_object(tvmffi_access_path_extend(path.v_obj, last.v_obj));
  check_release(&path);
  check_release(&last);
  return longer;
}

TEST(test_paths) {
  TVMFFIAny path = tvmffi_any_object(tvmffi_access_path_root()), key = path;
  check_repr(share(path), "<root>");
  path = extend_by(path, step(kTvmffiStepAttr, tvmffi_any_raw_str("a")));
  path = extend_by(path, step(kTvmffiStepArrayItem, tvmffi_any_int(0)));
  key = make1("ffi.List", share(path)); /* a key may hold a path itself */
  path = extend_by(path, step(kTvmffiStepMapItem, key));
  check_release(&key);
  check_repr(path, "<root>.a[0][[<root>.a[0]]]");
}

TEST(test_errors) {
  TVMFFIAny args[2], text = tvmffi_any_none(), wrong = step(9, tvmffi_any_int(1));
  TVMFFIObject *hook = find_attr(kTvmffiAccessStep, "__ffi_repr__")->v_obj;
  check_fails(call_global("ffi.ReprPrint", &wrong, 1, &text), "ValueError", "A step has kind 9");
  args[0] = wrong;
  args[1] = tvmffi_any_int(1);
  check_fails(TVMFFIFunctionCall(hook, args, 2, &text), "TypeError",
              "Cannot convert from type `int` to `(0: AnyView) -> str`");
  check_fails_with(TVMFFIFunctionCall(hook, args, 1, &text), "TypeError",
                   "Expected 2 but got 1 arguments");
  check_release(&wrong);
}

RUN_TESTS({
    cmocka_unit_test(test_objects_of_derived_types_are_paths),
    cmocka_unit_test(test_steps_from_the_root_on),
    cmocka_unit_test(test_equality_and_prefixes),
    cmocka_unit_test(test_arguments_are_checked),
    cmocka_unit_test(test_a_long_path_is_released_without_recursion),
    cmocka_unit_test(test_steps),
    cmocka_unit_test(test_paths),
    cmocka_unit_test(test_errors),
})
