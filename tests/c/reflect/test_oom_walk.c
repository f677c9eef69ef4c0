/* SPDX-License-Identifier: Apache-2.0 */
/* How many allocations functions of objects make, each of which fails once. */
#include "c/walk_support.h"
#include "core/type.h"
#include "reflect/access_path.h"
#include "reflect/builtin_objects.h"
#include "support/oom.h"

static const char kText[] = "a text of more than seven bytes";

static int32_t plain_type;

typedef struct {
  TVMFFIAny result, args[6];
  int32_t num_args;
  TVMFFIObjectHandle function;
} job;

static int call(void *context) {
  job *j = context;
  return TVMFFIFunctionCall(j->function, j->args, j->num_args, &j->result);
}

/* Calls a function with borrowed values. Returns the number of failed allocations. */
static long check_function(TVMFFIObjectHandle function, const TVMFFIAny *args, int32_t num_args) {
  job j;
  long num_failures;
  memset(&j, 0, sizeof j);
  j.function = function;
  j.num_args = num_args;
  memcpy(j.args, args, (size_t)num_args * sizeof *args);
  num_failures = oom_check(call, oom_no_result, oom_release_result, &j, 0);
  check_not_raised();
  return num_failures;
}

static long check_call(const char *name, const TVMFFIAny *args, int32_t num_args) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function;
  long num_failures;
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &function));
  num_failures = check_function(function, args, num_args);
  TVMFFIObjectDecRef(function);
  return num_failures;
}

TEST(test_objects_of_names_and_values) {
  TVMFFIAny args[6];
  args[0] = tvmffi_any_int(plain_type);
  args[1] = tvmffi_any_raw_str("value");
  args[2] = tvmffi_any_raw_str(kText);
  args[3] = tvmffi_any_raw_str("next");
  args[4] = tvmffi_any_raw_str(kText);
  assert_int_equal(check_call("ffi.MakeObjectFromPackedArgs", args, 5), 3);
  assert_int_equal(check_function(find_attr(plain_type, "__ffi_init__")->v_obj, args + 2, 1), 2);
  args[0] = tvmffi_any_raw_str(kText);
  args[1] = call_ok("ffi.GetKwargsObject", NULL, 0);
  args[2] = tvmffi_any_raw_str("next");
  args[3] = tvmffi_any_raw_str(kText);
  assert_int_equal(check_function(find_attr(plain_type, "__ffi_init__")->v_obj, args, 4), 3);
  check_release(&args[1]);
}

TEST(test_conversions) {
  TVMFFIAny list = make2("ffi.List", tvmffi_any_int(1), tvmffi_any_int(2));
  TVMFFIAny map = make2("ffi.Map", own_str(kText), tvmffi_any_int(2));
  TVMFFIAny dict = make2("ffi.Dict", own_str(kText), tvmffi_any_int(2));
  TVMFFIAny text = tvmffi_any_raw_str(kText);
  assert_int_equal(check_function(find_attr(kTVMFFIArray, "__ffi_convert__")->v_obj, &list, 1), 1);
  assert_int_equal(check_function(find_attr(kTVMFFIMap, "__ffi_convert__")->v_obj, &dict, 1), 1);
  assert_int_equal(check_function(find_attr(kTVMFFIDict, "__ffi_convert__")->v_obj, &map, 1), 1);
  assert_int_equal(check_function(find_attr(kTVMFFIShape, "__ffi_convert__")->v_obj, &list, 1), 1);
  assert_int_equal(check_function(find_attr(kTVMFFIStr, "__ffi_convert__")->v_obj, &text, 1), 1);
  check_release(&list);
  check_release(&map);
  check_release(&dict);
}

TEST(test_access_paths) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(kTvmffiAccessPath);
  TVMFFIAny key = own_str(kText), args[2], path = tvmffi_any_object(tvmffi_access_path_root());
  TVMFFIObject *step = tvmffi_access_step_new(kTvmffiStepMapItem, &key);
  int32_t i;
  args[0] = tvmffi_any_object(tvmffi_access_path_extend(path.v_obj, step));
  args[1] = key;
  for (i = 0; i < info->num_methods; ++i) {
    const char *name = info->methods[i].name.data;
    TVMFFIObjectHandle method = info->methods[i].method.v_obj;
    if (strcmp(name, "_attr") == 0 || strcmp(name, "_map_item_missing") == 0) {
      assert_int_equal(check_function(method, args, 2), 2);
    }
    if (strcmp(name, "_to_steps") == 0) assert_int_equal(check_function(method, args, 1), 1);
    if (strcmp(name, "_root") == 0) assert_int_equal(check_function(method, args, 0), 1);
  }
  check_release(&args[0]);
  check_release(&path);
  TVMFFIObjectDecRef(step);
  check_release(&key);
}

FIXTURE(make_types) {
  plain_type =
      add_node_type("test.Plain", kTVMFFISEqHashKindTreeNode,
                    kTVMFFIFieldFlagBitMaskSEqHashDefSimple, kTVMFFIFieldFlagBitMaskHasDefault);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_objects_of_names_and_values),
      cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_access_paths),
  };
  oom_install();
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
