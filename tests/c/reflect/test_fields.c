/* SPDX-License-Identifier: Apache-2.0 */
/* Fields in order, read and written; and iteration over the children of any value. */
#include "reflect/fields.h"

#include "c/walk_support.h"
#include "core/error.h"
#include "core/type.h"
#include "reflect/walk.h"

static int32_t parent_type, child_type;

static int fail_to_get(void *field, TVMFFIAny *result) {
  (void)field;
  (void)result;
  return tvmffi_fail("ValueError", "not to be read");
}

static int give_list(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  *result = make1("ffi.List", tvmffi_any_int(1));
  return 0;
}

TEST(test_ancestors_come_first) {
  static const char *const names[] = {"value", "next", "own"};
  const TVMFFIFieldInfo *field;
  tvmffi_field_cursor cursor;
  int i = 0;
  tvmffi_field_first(&cursor, TVMFFIGetTypeInfo(child_type));
  while ((field = tvmffi_field_next(&cursor)) != NULL) {
    assert_true(i < 3);
    assert_string_equal(field->name.data, names[i++]);
  }
  assert_int_equal(i, 3);
  tvmffi_field_first(&cursor, TVMFFIGetTypeInfo(kTVMFFIObject));
  assert_null(tvmffi_field_next(&cursor));
}

TEST(test_what_cannot_be_read_or_written) {
  TVMFFIFieldInfo field = make_field("name");
  TVMFFIAny value = new_node(parent_type, tvmffi_any_none(), tvmffi_any_none()), out;
  check_fails(tvmffi_field_get(&field, value.v_obj, &out), "TypeError",
              "Field `name` has no getter");
  check_fails(tvmffi_field_set(&field, value.v_obj, &value), "TypeError",
              "Field `name` has no setter");
  field.getter = fail_to_get;
  check_fails(tvmffi_field_get(&field, value.v_obj, &out), "ValueError", "not to be read");
  field.flags |= kTVMFFIFieldFlagBitMaskDefaultFromFactory;
  check_fails(tvmffi_field_default(&field, &out), "TypeError",
              "the default factory of field `name` is not a Function");
  check_release(&value);
}

TEST(test_objects_without_a_creator) {
  int32_t wrong = add_type("test.WrongNew", 1, kTVMFFIObject);
  TVMFFIObject *made;
  check_fails(tvmffi_reflect_create(wrong, &made), "RuntimeError",
              "Type `test.WrongNew` does not support reflection creation (no native creator or "
              "__ffi_new__ type attr)");
  set_hook(wrong, "__ffi_new__", give_list);
  check_fails(tvmffi_reflect_create(wrong, &made), "TypeError",
              "__ffi_new__ of `test.WrongNew` gave `ffi.List`");
}

/* ---- Children ---- */

static void check_children(TVMFFIAny value, const int64_t *keys, const int64_t *values, int count) {
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  int i;
  tvmffi_child_first(&cursor, value.v_obj);
  for (i = 0; i < count; ++i) {
    assert_int_equal(tvmffi_child_next(&cursor, &child), 1);
    assert_int_equal(child.value.v_int64, values[i]);
    if (keys != NULL) assert_int_equal(child.key.v_int64, keys[i]);
    if (keys == NULL && child.field == NULL) assert_int_equal(child.index, i);
    tvmffi_child_release(&child);
  }
  assert_int_equal(tvmffi_child_next(&cursor, &child), 0);
  check_release(&value);
}

TEST(test_children) {
  static const int64_t numbers[] = {7, 8}, keys[] = {7};
  check_children(make2("ffi.Array", tvmffi_any_int(7), tvmffi_any_int(8)), NULL, numbers, 2);
  check_children(make2("ffi.List", tvmffi_any_int(7), tvmffi_any_int(8)), NULL, numbers, 2);
  check_children(make2("ffi.Map", tvmffi_any_int(7), tvmffi_any_int(8)), keys, numbers + 1, 1);
  check_children(make2("ffi.Dict", tvmffi_any_int(7), tvmffi_any_int(8)), keys, numbers + 1, 1);
  check_children(new_node(parent_type, tvmffi_any_int(7), tvmffi_any_int(8)), NULL, numbers, 2);
  check_children(call_ok("ffi.Shape", NULL, 0), NULL, NULL, 0);
  check_children(call_ok("ffi.FunctionListGlobalNamesFunctor", NULL, 0), NULL, NULL, 0);
}

/* If a List shrinks or a Dict is emptied during the iteration, it ends early. */
TEST(test_containers_that_change) {
  TVMFFIAny list = make2("ffi.List", tvmffi_any_int(1), tvmffi_any_int(2));
  TVMFFIAny dict = make2("ffi.Dict", tvmffi_any_int(1), tvmffi_any_int(2)), none;
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  tvmffi_child_first(&cursor, list.v_obj);
  assert_int_equal(tvmffi_child_next(&cursor, &child), 1);
  check_ok(call_global("ffi.ListClear", &list, 1, &none));
  assert_int_equal(tvmffi_child_next(&cursor, &child), 0);
  tvmffi_child_first(&cursor, dict.v_obj);
  check_ok(call_global("ffi.DictClear", &dict, 1, &none));
  assert_int_equal(tvmffi_child_next(&cursor, &child), 0);
  check_release(&list);
  check_release(&dict);
}

FIXTURE(make_types) {
  parent_type = add_node_type("test.Parent", kTVMFFISEqHashKindTreeNode, 0, 0);
  child_type = add_type("test.Parent.Child", 2, parent_type);
  add_any_field(child_type, "own", sizeof(node), 0);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ancestors_come_first),
      cmocka_unit_test(test_what_cannot_be_read_or_written),
      cmocka_unit_test(test_objects_without_a_creator),
      cmocka_unit_test(test_children),
      cmocka_unit_test(test_containers_that_change),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
