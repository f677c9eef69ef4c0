/* SPDX-License-Identifier: Apache-2.0 */
#include "dataclass/dataclass.h"

#include "c/walk_support.h"
#include "core/error.h"

static int32_t node_type, lending_type;

static TVMFFIAny copy_of(TVMFFIAny value) {
  TVMFFIAny made;
  check_ok(tvmffi_deep_copy(&value, &made));
  assert_int_equal(made.type_index, value.type_index);
  return made;
}

TEST(test_values_that_are_their_own_copies) {
  TVMFFIAny dims[2], values[4], made;
  int i;
  dims[0] = dims[1] = tvmffi_any_int(3);
  values[0] = tvmffi_any_int(5);
  values[1] = tvmffi_any_none();
  values[2] = call_ok("ffi.Shape", dims, 2);
  values[3] = tvmffi_any_float(1.5);
  for (i = 0; i < 4; ++i) {
    made = copy_of(values[i]);
    assert_memory_equal(&made, &values[i], sizeof made);
    check_release(&made);
  }
  check_release(&values[2]);
}

/* The argument is a view: a borrowed text becomes an owned one. */
TEST(test_views) {
  TVMFFIAny text = tvmffi_any_raw_str("a text of more than seven bytes"), made;
  check_ok(tvmffi_deep_copy(&text, &made));
  assert_int_equal(made.type_index, kTVMFFIStr);
  check_release(&made);
}

TEST(test_containers_are_made_anew) {
  TVMFFIAny list = make1("ffi.List", tvmffi_any_int(1)), map, copy, inner;
  TVMFFIAny array = make2("ffi.Array", share(list), list);
  map = make2("ffi.Dict", tvmffi_any_int(7), make2("ffi.Map", tvmffi_any_int(8), share(array)));
  copy = copy_of(map);
  assert_ptr_not_equal(copy.v_obj, map.v_obj);
  check_repr(share(copy), "{7: {8: ([1], [1])}}");
  check_release(&map);
  check_release(&copy);
  copy = copy_of(array);
  inner = item_of(copy, 0);
  assert_ptr_equal(inner.v_obj, item_of(copy, 1).v_obj); /* shared as in the original */
  assert_ptr_not_equal(inner.v_obj, list.v_obj);
  assert_int_equal(check_use_count(inner.v_obj), 2);
  check_release(&array);
  check_release(&copy);
}

TEST(test_objects_are_copied_by_their_fields) {
  TVMFFIAny list = make1("ffi.List", tvmffi_any_int(1));
  TVMFFIAny value = new_node(node_type, list, tvmffi_any_int(2)), copy = copy_of(value);
  assert_ptr_not_equal(as_node(&copy)->value.v_obj, list.v_obj);
  assert_int_equal(as_node(&copy)->next.v_int64, 2);
  assert_int_equal(check_use_count(list.v_obj), 1);
  assert_int_equal(check_use_count(as_node(&copy)->value.v_obj), 1);
  check_release(&value);
  check_release(&copy);
}

/* Objects shared by several fields stay shared in the copy, for getters of both kinds. */
TEST(test_sharing_is_kept) {
  int32_t types[2];
  int i;
  types[0] = node_type;
  types[1] = lending_type;
  for (i = 0; i < 2; ++i) {
    TVMFFIAny list = make1("ffi.List", tvmffi_any_int(1)), copy;
    TVMFFIAny value = new_node(types[i], share(list), list);
    TVMFFIAny root = make2("ffi.Array", value, new_node(types[i], share(list), tvmffi_any_none()));
    copy = copy_of(root);
    value = item_of(copy, 0);
    list = as_node(&value)->value;
    assert_ptr_equal(as_node(&value)->next.v_obj, list.v_obj);
    value = item_of(copy, 1);
    assert_ptr_equal(as_node(&value)->value.v_obj, list.v_obj);
    assert_int_equal(check_use_count(list.v_obj), 3);
    check_release(&root);
    check_release(&copy);
  }
}

/* 2^60 lists if shared ones were copied more than once. */
TEST(test_shared_ones_are_copied_once) {
  TVMFFIAny value = make1("ffi.List", tvmffi_any_int(1)), copy;
  int i;
  for (i = 0; i < 60; ++i) value = make2("ffi.Array", share(value), value);
  copy = copy_of(value);
  assert_ptr_equal(item_of(copy, 0).v_obj, item_of(copy, 1).v_obj);
  check_release(&value);
  check_release(&copy);
}

/* The list's only owner is its own element. */
TEST(test_a_view_of_a_cycle_that_nobody_owns) {
  TVMFFIAny list = make_cycle(1), view = list, copy;
  TVMFFIObjectDecRef(list.v_obj);
  copy = copy_of(view);
  assert_ptr_equal(item_of(copy, 1).v_obj, copy.v_obj);
  TVMFFIObjectIncRef(list.v_obj);
  break_cycle(&list);
  break_cycle(&copy);
}

TEST(test_a_cycle_is_a_cycle_again) {
  TVMFFIAny list = make_cycle(1), copy = copy_of(list);
  assert_ptr_equal(item_of(copy, 1).v_obj, copy.v_obj);
  assert_ptr_not_equal(copy.v_obj, list.v_obj);
  break_cycle(&list);
  break_cycle(&copy);
}

/* The cycle goes through an Array and a Map, which cannot be changed after they are made. */
TEST(test_a_cycle_through_arrays_and_maps) {
  TVMFFIAny list = call_ok("ffi.List", NULL, 0), args[2], none, copy, map;
  args[0] = list;
  args[1] = make1("ffi.Array", make2("ffi.Map", tvmffi_any_int(1), share(list)));
  check_ok(call_global("ffi.ListAppend", args, 2, &none));
  copy = copy_of(args[1]);
  map = item_of(copy, 0);
  check_repr(share(copy), "({1: [...]},)");
  assert_int_equal(map.type_index, kTVMFFIMap);
  check_release(&args[1]);
  break_cycle(&list);
  args[0] = map;
  args[1] = tvmffi_any_int(1);
  list = call_ok("ffi.MapGetItem", args, 2);
  assert_ptr_equal(item_of(list, 0).v_obj, copy.v_obj);
  check_release(&copy);
  break_cycle(&list);
}

static int refuse(void *field, const TVMFFIAny *value) {
  (void)field;
  (void)value;
  return tvmffi_fail("ValueError", "not now");
}

TEST(test_errors) {
  int32_t wrong = add_type("test.Wrong", 1, kTVMFFIObject);
  TVMFFIAny function = call_ok("ffi.FunctionListGlobalNamesFunctor", NULL, 0), made, value;
  TVMFFIAny list = make2("ffi.List", tvmffi_any_int(1), share(function));
  check_fails(tvmffi_deep_copy(&list, &made), "InternalError",
              "Check failed: (copy_fn.has_value()) is false: Cannot deep copy object of type "
              "\"ffi.Function\" because it is not copy-constructible");
  assert_int_equal(check_use_count(function.v_obj), 2);
  check_release(&list);
  check_release(&function);
  set_hook(wrong, "__ffi_shallow_copy__", call_seven);
  value = new_node(node_type, tvmffi_any_none(), tvmffi_any_none());
  value.v_obj->type_index = value.type_index = wrong;
  check_fails(tvmffi_deep_copy(&value, &made), "TypeError",
              "Cannot convert from type `int` to `test.Wrong`");
  value.v_obj->type_index = value.type_index = node_type;
  check_release(&value);
}

TEST(test_a_setter_that_fails) {
  TVMFFIFieldInfo *field = (TVMFFIFieldInfo *)(uintptr_t)&TVMFFIGetTypeInfo(node_type)->fields[1];
  TVMFFIAny value = new_node(node_type, tvmffi_any_none(), make1("ffi.List", tvmffi_any_int(1)));
  TVMFFIAny made;
  void *setter = field->setter;
  field->setter = setter_pointer(refuse);
  check_fails(tvmffi_deep_copy(&value, &made), "ValueError", "not now");
  field->setter = NULL;
  check_fails(tvmffi_deep_copy(&value, &made), "TypeError", "Field `next` has no setter");
  field->setter = setter;
  check_release(&value);
}

FIXTURE(make_types) {
  node_type = add_node_type("test.Node", kTVMFFISEqHashKindTreeNode, 0, 0);
  lending_type = add_node_type("test.Lending", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_own_getters(lending_type);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_that_are_their_own_copies),
      cmocka_unit_test(test_views),
      cmocka_unit_test(test_containers_are_made_anew),
      cmocka_unit_test(test_objects_are_copied_by_their_fields),
      cmocka_unit_test(test_sharing_is_kept),
      cmocka_unit_test(test_shared_ones_are_copied_once),
      cmocka_unit_test(test_a_view_of_a_cycle_that_nobody_owns),
      cmocka_unit_test(test_a_cycle_is_a_cycle_again),
      cmocka_unit_test(test_a_cycle_through_arrays_and_maps),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_a_setter_that_fails),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
