/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign code empties the value while structural equality, hash or deep copy walks over it. */
#include "c/walk_support.h"
#include "core/error.h"
#include "dataclass/dataclass.h"
#include "structural/structural.h"

static const char kText[] = "a text of more than seven bytes";

/* All fields of lending_type have getters of the library, so that objects in them are lent. */
static int32_t lending_type, hooked_type, getting_type, setting_type, key_type, equal_key_type;
static TVMFFIAny outer[2]; /* Lists that are the only owners of their contents */
static int num_cuts;

static void cut(void) {
  TVMFFIAny none;
  int i;
  ++num_cuts;
  for (i = 0; i < 2; ++i) {
    if (outer[i].type_index == kTVMFFIList)
      check_ok(call_global("ffi.ListClear", &outer[i], 1, &none));
  }
}

static int cut_and_compare(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny inner[4];
  (void)self;
  assert_int_equal(num_args, 3);
  cut();
  inner[0] = as_node(&args[0])->value;
  inner[1] = as_node(&args[1])->value;
  inner[2] = tvmffi_any_int(0);
  inner[3] = tvmffi_any_raw_str("value");
  return TVMFFIFunctionCall(args[2].v_obj, inner, 4, result);
}

static int cut_and_hash(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny inner[3];
  (void)self;
  assert_int_equal(num_args, 3);
  cut();
  inner[0] = as_node(&args[0])->value;
  inner[1] = args[1];
  inner[2] = tvmffi_any_int(0);
  return TVMFFIFunctionCall(args[2].v_obj, inner, 3, result);
}

static int cut_and_get(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_copy(field);
  cut();
  return 0;
}

static int cut_and_set(void *field, const TVMFFIAny *value) {
  cut();
  return set_any_field(field, value);
}

static int hash_of_key(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  cut();
  *result = tvmffi_any_int(1);
  return 0;
}

static int equality_of_keys(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  cut();
  *result = tvmffi_any_bool(1);
  return 0;
}

/* ---- Values ---- */

static TVMFFIAny text(void) {
  TVMFFIAny view = tvmffi_any_raw_str(kText), owned;
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &owned));
  return owned;
}

/* Puts the value into every kind of container, each time with another element after it. */
static TVMFFIAny wrap(TVMFFIAny value) {
  value = make2("ffi.Array", make1("ffi.List", value), text());
  value = make2("ffi.Map", text(), make2("ffi.Dict", tvmffi_any_int(1), value));
  return make2("ffi.List", new_node(lending_type, value, text()), text());
}

static TVMFFIAny make_cutting(int32_t type_index) {
  return wrap(new_node(type_index, make1("ffi.List", text()), text()));
}

static TVMFFIAny make_keyed(int32_t type_index) {
  TVMFFIAny key = new_node(type_index, tvmffi_any_none(), tvmffi_any_none());
  return wrap(make2("ffi.Dict", key, make1("ffi.List", text())));
}

/* Checks that the values are equal although both are emptied. Releases both. */
static void check_walks(TVMFFIAny a, TVMFFIAny b) {
  tvmffi_structural_options options = {false, false};
  bool is_equal = false;
  outer[0] = a;
  outer[1] = b;
  num_cuts = 0;
  check_ok(tvmffi_structural_equal(&a, &b, options, &is_equal));
  assert_true(is_equal);
  assert_int_not_equal(num_cuts, 0);
  assert_int_equal(TVMFFISeqGetCellPtr(a.v_obj)->size, 0);
  check_release(&outer[0]);
  check_release(&outer[1]);
}

TEST(test_equality) {
  check_walks(make_cutting(hooked_type), make_cutting(hooked_type));
  check_walks(make_cutting(getting_type), make_cutting(getting_type));
  check_walks(make_keyed(key_type), make_keyed(key_type));
  check_walks(make_keyed(equal_key_type), make_keyed(equal_key_type));
}

/* The paths of a difference found after the cut are those in the original value. */
TEST(test_paths) {
  tvmffi_structural_options options = {false, false};
  TVMFFIAny found;
  outer[0] = make1("ffi.List", new_node(hooked_type, tvmffi_any_int(1), text()));
  outer[1] = make1("ffi.List", new_node(hooked_type, tvmffi_any_int(2), text()));
  check_ok(tvmffi_structural_mismatch(&outer[0], &outer[1], options, &found));
  check_repr(found, "(<root>[0].value, <root>[0].value)");
  check_release(&outer[0]);
  check_release(&outer[1]);
}

/* The hash is of the value that the walk finds; without the cut it would be another. */
TEST(test_hash) {
  static int32_t *const kTypes[] = {&hooked_type, &getting_type};
  tvmffi_structural_options options = {false, false};
  uint64_t hashes[2];
  int i, again;
  for (i = 0; i < 2; ++i) {
    for (again = 0; again < 2; ++again) {
      outer[0] = make_cutting(*kTypes[i]);
      num_cuts = 0;
      check_ok(tvmffi_structural_hash(&outer[0], options, &hashes[again]));
      assert_int_not_equal(num_cuts, 0);
      assert_int_equal(TVMFFISeqGetCellPtr(outer[0].v_obj)->size, 0);
      check_release(&outer[0]);
    }
    assert_int_equal(hashes[0], hashes[1]);
  }
}

TEST(test_deep_copy) {
  static int32_t *const kTypes[] = {&getting_type, &setting_type};
  TVMFFIAny copy;
  int i;
  for (i = 0; i < 2; ++i) {
    outer[0] = make_cutting(*kTypes[i]);
    num_cuts = 0;
    check_ok(tvmffi_deep_copy(&outer[0], &copy));
    assert_int_not_equal(num_cuts, 0);
    assert_int_equal(TVMFFISeqGetCellPtr(copy.v_obj)->size, 1);
    check_release(&copy);
    check_release(&outer[0]);
  }
}

/* ---- Types ---- */

FIXTURE(make_types) {
  lending_type = add_node_type("test.Lending", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_own_getters(lending_type);
  hooked_type = add_node_type("test.Hooked", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(hooked_type, "__s_equal__", cut_and_compare);
  set_hook(hooked_type, "__s_hash__", cut_and_hash);
  getting_type = add_node_type("test.Getting", kTVMFFISEqHashKindTreeNode, 0, 0);
  writable_field(getting_type, 0)->getter = cut_and_get;
  setting_type = add_node_type("test.Setting", kTVMFFISEqHashKindTreeNode, 0, 0);
  writable_field(setting_type, 0)->setter = setter_pointer(cut_and_set);
  key_type = add_node_type("test.Key", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(key_type, "__any_hash__", hash_of_key);
  set_hook(key_type, "__any_equal__", equality_of_keys);
  equal_key_type = add_node_type("test.EqualKey", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(equal_key_type, "__any_equal__", equality_of_keys);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equality),
      cmocka_unit_test(test_paths),
      cmocka_unit_test(test_hash),
      cmocka_unit_test(test_deep_copy),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
