/* SPDX-License-Identifier: Apache-2.0 */
#include "c/walk_support.h"
#include "core/type.h"
#include "reflect/access_path.h"
#include "reflect/objects.h"

static TVMFFIAny step(int32_t kind, TVMFFIAny key) {
  return tvmffi_any_object(tvmffi_access_step_new(kind, &key));
}

static void test_steps(void **state) {
  (void)state;
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

static TVMFFIAny extend(TVMFFIAny path, TVMFFIAny last) {
  TVMFFIAny longer = tvmffi_any_object(tvmffi_access_path_extend(path.v_obj, last.v_obj));
  check_release(&path);
  check_release(&last);
  return longer;
}

static void test_paths(void **state) {
  TVMFFIAny path = tvmffi_any_object(tvmffi_access_path_root()), key = path;
  (void)state;
  check_repr(share(path), "<root>");
  path = extend(path, step(kTvmffiStepAttr, tvmffi_any_raw_str("a")));
  path = extend(path, step(kTvmffiStepArrayItem, tvmffi_any_int(0)));
  key = make1("ffi.List", share(path)); /* a key may hold a path itself */
  path = extend(path, step(kTvmffiStepMapItem, key));
  check_release(&key);
  check_repr(path, "<root>.a[0][[<root>.a[0]]]");
}

static void test_errors(void **state) {
  TVMFFIAny args[2], text = tvmffi_any_none(), wrong = step(9, tvmffi_any_int(1));
  TVMFFIObject *hook = find_attr(kTvmffiAccessStep, "__ffi_repr__")->v_obj;
  (void)state;
  check_fails(call_global("ffi.ReprPrint", &wrong, 1, &text), "ValueError", "A step has kind 9");
  args[0] = wrong;
  args[1] = tvmffi_any_int(1);
  check_fails(TVMFFIFunctionCall(hook, args, 2, &text), "TypeError",
              "Cannot convert from type `int` to `(0: AnyView) -> str`");
  check_fails_with(TVMFFIFunctionCall(hook, args, 1, &text), "TypeError",
                   "Expected 2 but got 1 arguments");
  check_release(&wrong);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps),
      cmocka_unit_test(test_paths),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
