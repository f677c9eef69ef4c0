/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of the functions that walk over values fails once. */
#include "c/walk_support.h"
#include "core/type.h"
#include "reflect/access_path.h"
#include "reflect/builtin_objects.h"
#include "support/oom.h"

static const char kText[] = "a text of more than seven bytes";

static int32_t plain_type, variable_type, graph_type, hooked_type;

static TVMFFIAny bigint_of(int64_t low, int64_t high) {
  int64_t words[2];
  TVMFFIByteArray bytes;
  TVMFFIAny owned;
  words[0] = low;
  words[1] = high;
  bytes.data = (const char *)words;
  bytes.size = sizeof words;
  check_ok(TVMFFIBigIntFromByteArray(&bytes, &owned));
  return owned;
}

static TVMFFIAny dtype_of(uint8_t bits) {
  TVMFFIAny value = tvmffi_any_int(0);
  value.type_index = kTVMFFIDataType;
  value.v_dtype.code = kDLInt;
  value.v_dtype.bits = bits;
  value.v_dtype.lanes = 1;
  return value;
}

/* Makes a value with one of everything; the last part is the number `last`. */
static TVMFFIAny make_value(int64_t last) {
  TVMFFIAny ints[2], parts[12];
  TVMFFIAny shared = new_node(graph_type, own_str(kText), tvmffi_any_int(1));
  TVMFFIAny variable = new_node(variable_type, tvmffi_any_int(3), tvmffi_any_none()), made;
  int i;
  ints[0] = tvmffi_any_int(1);
  ints[1] = tvmffi_any_int(2);
  parts[0] = make2("ffi.List", own_str(kText), shared);
  parts[1] = make2("ffi.Dict", own_str(kText), share(shared));
  parts[2] = make2("ffi.Map", own_bytes(kText), make1("ffi.Array", bigint_of(5, 7)));
  parts[3] = call_ok("ffi.Shape", ints, 2);
  parts[4] = make2("ffi.Array", dtype_of(8), dtype_of(16));
  parts[5] = new_node(hooked_type, make1("ffi.List", own_str(kText)), tvmffi_any_none());
  parts[6] = new_node(plain_type, share(variable), share(variable));
  parts[7] = make2("ffi.Array", variable, own_bytes("short"));
  parts[8] = make2("ffi.Array", tvmffi_any_float(1.5), tvmffi_any_bool(1));
  parts[9] = share(parts[0]);
  parts[10] = tvmffi_any_none();
  parts[11] = tvmffi_any_int(last);
  made = call_ok("ffi.Array", parts, 12);
  for (i = 0; i < 12; ++i) check_release(&parts[i]);
  return made;
}

/* ---- Calls ---- */

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

TEST(test_functions_of_one_value) {
  TVMFFIAny value = make_value(1);
  assert_true(check_call("ffi.DeepCopy", &value, 1) > 10);
  assert_true(check_call("ffi.ReprPrint", &value, 1) > 5);
  assert_true(check_call("ffi.RecursiveHash", &value, 1) > 4);
  assert_true(check_call("ffi.StructuralKey", &value, 1) > 4);
  check_release(&value);
}

TEST(test_comparisons) {
  TVMFFIAny args[4];
  args[0] = make_value(1);
  args[1] = make_value(1);
  args[2] = tvmffi_any_bool(1);
  args[3] = tvmffi_any_bool(0);
  assert_true(check_call("ffi.RecursiveEq", args, 2) > 3);
  assert_true(check_call("ffi.RecursiveLe", args, 2) > 3);
  assert_true(check_call("ffi.StructuralEqual", args, 4) > 3);
  assert_true(check_call("ffi.GetFirstStructuralMismatch", args, 4) > 3);
  check_release(&args[1]);
  args[1] = make_value(2);
  assert_true(check_call("ffi.RecursiveLt", args, 2) > 3);
  assert_true(check_call("ffi.GetFirstStructuralMismatch", args, 4) > 6);
  check_release(&args[1]);
  args[1] = tvmffi_any_bool(1);
  assert_true(check_call("ffi.StructuralHash", args, 3) > 3);
  check_release(&args[0]);
}

TEST(test_json_graphs) {
  TVMFFIAny args[2], graph;
  args[0] = make_value(1);
  args[1] = own_str(kText);
  assert_true(check_call("ffi.ToJSONGraph", args, 2) > 50);
  assert_true(check_call("ffi.ToJSONGraphString", args, 2) > 50);
  graph = call_ok("ffi.ToJSONGraph", args, 2);
  assert_true(check_call("ffi.FromJSONGraph", &graph, 1) > 15);
  check_release(&graph);
  graph = call_ok("ffi.ToJSONGraphString", args, 2);
  assert_true(check_call("ffi.FromJSONGraphString", &graph, 1) > 50);
  check_release(&graph);
  check_release(&args[0]);
  check_release(&args[1]);
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
  TVMFFIAny array = make2("ffi.Array", tvmffi_any_int(1), tvmffi_any_int(2));
  TVMFFIAny map = make2("ffi.Map", own_str(kText), tvmffi_any_int(2));
  TVMFFIAny dict = make2("ffi.Dict", own_str(kText), tvmffi_any_int(2));
  TVMFFIAny text = tvmffi_any_raw_str(kText);
  assert_int_equal(check_function(find_attr(kTVMFFIArray, "__ffi_convert__")->v_obj, &list, 1), 1);
  assert_true(check_function(find_attr(kTVMFFIList, "__ffi_convert__")->v_obj, &array, 1) >= 1);
  assert_int_equal(check_function(find_attr(kTVMFFIMap, "__ffi_convert__")->v_obj, &dict, 1), 1);
  assert_int_equal(check_function(find_attr(kTVMFFIDict, "__ffi_convert__")->v_obj, &map, 1), 1);
  assert_int_equal(check_function(find_attr(kTVMFFIShape, "__ffi_convert__")->v_obj, &list, 1), 1);
  assert_int_equal(check_function(find_attr(kTVMFFIStr, "__ffi_convert__")->v_obj, &text, 1), 1);
  check_release(&list);
  check_release(&array);
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
  assert_true(check_call("ffi.ReprPrint", args, 1) > 3);
  check_release(&args[0]);
  check_release(&path);
  TVMFFIObjectDecRef(step);
  check_release(&key);
}

/* ---- Hooks ---- */

static int repr_or_hash(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)num_args;
  return TVMFFIFunctionCall(args[1].v_obj, &as_node(&args[0])->value, 1, result);
}

static int equal_or_compare(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  TVMFFIAny values[2];
  (void)self;
  (void)num_args;
  values[0] = as_node(&args[0])->value;
  values[1] = as_node(&args[1])->value;
  return TVMFFIFunctionCall(args[2].v_obj, values, 2, result);
}

static int equal_structurally(void *self, const TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result) {
  TVMFFIAny values[4];
  (void)self;
  (void)num_args;
  values[0] = as_node(&args[0])->value;
  values[1] = as_node(&args[1])->value;
  values[2] = tvmffi_any_int(0);
  values[3] = tvmffi_any_raw_str("a field's name");
  return TVMFFIFunctionCall(args[2].v_obj, values, 4, result);
}

static int hash_structurally(void *self, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result) {
  TVMFFIAny values[3];
  (void)self;
  (void)num_args;
  values[0] = as_node(&args[0])->value;
  values[1] = args[1];
  values[2] = tvmffi_any_int(0);
  return TVMFFIFunctionCall(args[2].v_obj, values, 3, result);
}

/* The repr of the key is asked for by the hook of the path, and fails with the text of the walk. */
TEST(test_a_path_within_the_repr_of_a_path) {
  TVMFFIAny root = tvmffi_any_object(tvmffi_access_path_root()), key, path;
  TVMFFIObject *step;
  key = make1("ffi.List", share(root));
  step = tvmffi_access_step_new(kTvmffiStepMapItem, &key);
  assert_non_null(step);
  path = tvmffi_any_object(tvmffi_access_path_extend(root.v_obj, step));
  assert_non_null(path.v_obj);
  tvmffi_object_release(step);
  assert_true(check_call("ffi.ReprPrint", &path, 1) > 5);
  check_release(&path);
  check_release(&key);
  check_release(&root);
}

FIXTURE(make_types) {
  plain_type =
      add_node_type("test.Plain", kTVMFFISEqHashKindTreeNode,
                    kTVMFFIFieldFlagBitMaskSEqHashDefSimple, kTVMFFIFieldFlagBitMaskHasDefault);
  variable_type = add_node_type("test.Variable", kTVMFFISEqHashKindFreeVar, 0, 0);
  graph_type = add_node_type("test.Graph", kTVMFFISEqHashKindDAGNode, 0, 0);
  hooked_type = add_node_type("test.Hooked", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(hooked_type, "__ffi_repr__", repr_or_hash);
  set_hook(hooked_type, "__ffi_hash__", repr_or_hash);
  set_hook(hooked_type, "__ffi_eq__", equal_or_compare);
  set_hook(hooked_type, "__ffi_compare__", equal_or_compare);
  set_hook(hooked_type, "__s_equal__", equal_structurally);
  set_hook(hooked_type, "__s_hash__", hash_structurally);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_of_one_value),
      cmocka_unit_test(test_comparisons),
      cmocka_unit_test(test_json_graphs),
      cmocka_unit_test(test_objects_of_names_and_values),
      cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_access_paths),
      cmocka_unit_test(test_a_path_within_the_repr_of_a_path),
  };
  oom_install();
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
