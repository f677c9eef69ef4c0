/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over values whose objects do not own what their getters return, or that lose their last
 * owner during the walk. */
#include "c/walk_support.h"
#include "core/error.h"
#include "core/object.h"
#include "dataclass/dataclass.h"
#include "structural/structural.h"

static const tvmffi_structural_options kOptions = {false, false};

/* ---- Getters that read a table ---- */

enum { kTableSize = 40 };
static TVMFFIAny table[kTableSize];

static int get_from_table(void *field, TVMFFIAny *result) {
  const TVMFFIAny *stored = field;
  *result = tvmffi_any_copy(stored->type_index == kTVMFFIInt ? &table[stored->v_int64]
                                                             : (const TVMFFIAny *)field);
  return 0;
}

/* Each node of the table returns the next one twice, the last is a List: 2^39 paths to it. */
static void fill_table(const char *key) {
  int32_t type_index = add_node_type(key, kTVMFFISEqHashKindTreeNode, 0, 0);
  int i;
  writable_field(type_index, 0)->getter = get_from_table;
  writable_field(type_index, 1)->getter = get_from_table;
  table[kTableSize - 1] = make1("ffi.List", tvmffi_any_none());
  for (i = kTableSize - 2; i >= 0; --i) {
    table[i] = new_node(type_index, tvmffi_any_int(i + 1), tvmffi_any_int(i + 1));
  }
}

static void empty_table(void) {
  int i;
  for (i = 0; i < kTableSize; ++i) check_release(&table[i]);
}

TEST(test_deep_copy_keeps_sharing) {
  TVMFFIAny copy, current;
  int depth;
  fill_table("test.CopiedRef");
  check_ok(tvmffi_deep_copy(&table[0], &copy));
  current = copy;
  for (depth = 1; depth < kTableSize; ++depth) {
    assert_ptr_equal(as_node(&current)->value.v_obj, as_node(&current)->next.v_obj);
    assert_ptr_not_equal(as_node(&current)->value.v_obj, table[depth].v_obj);
    current = as_node(&current)->value;
  }
  check_release(&copy);
  empty_table();
}

TEST(test_hash_visits_once) {
  uint64_t hash;
  fill_table("test.HashedRef");
  check_ok(tvmffi_structural_hash(&table[0], kOptions, &hash));
  empty_table();
}

static int get_first_key(void *field, TVMFFIAny *result) {
  const node *self = (const node *)(const void *)((const char *)field - offsetof(node, value));
  TVMFFIAny map = self->next, get_key = tvmffi_any_int(0);
  TVMFFIAny iterator = call_ok("ffi.MapForwardIterFunctor", &map, 1);
  int rc = TVMFFIFunctionCall(iterator.v_obj, &get_key, 1, result);
  check_release(&iterator);
  return rc;
}

/* A hash does not depend on other owners of a key. */
TEST(test_hash_is_of_the_value) {
  int32_t leaf = add_node_type("test.Leaf", kTVMFFISEqHashKindTreeNode, 0, 0);
  int32_t view = add_node_type("test.View", kTVMFFISEqHashKindTreeNode, 0, 0);
  TVMFFIAny key = new_node(leaf, tvmffi_any_int(1), tvmffi_any_int(2)),
            held = tvmffi_any_copy(&key);
  TVMFFIAny value;
  uint64_t before, after;
  writable_field(view, 0)->getter = get_first_key;
  value = new_node(view, tvmffi_any_none(), make2("ffi.Map", key, tvmffi_any_int(7)));
  check_ok(tvmffi_structural_hash(&value, kOptions, &before));
  check_release(&held);
  check_ok(tvmffi_structural_hash(&value, kOptions, &after));
  assert_int_equal(before, after);
  check_release(&value);
}

/* ---- Pairs ---- */

static TVMFFIAny other;
static int depth_of_hooks;

static int compare_other_first(void *self, const TVMFFIAny *args, int32_t num_args,
                               TVMFFIAny *result) {
  TVMFFIAny inner_args[4];
  (void)self;
  (void)num_args;
  if (depth_of_hooks++ == 0) {
    inner_args[0] = other;
    inner_args[1] = args[1];
    inner_args[2] = tvmffi_any_int(0);
    inner_args[3] = tvmffi_any_raw_str("value");
    check_ok(TVMFFIFunctionCall(args[2].v_obj, inner_args, 4, result));
  }
  *result = tvmffi_any_bool(1);
  return 0;
}

/* Two nodes are paired with the same node. */
TEST(test_pairs) {
  int32_t type_index = add_node_type("test.Paired", kTVMFFISEqHashKindDAGNode, 0, 0);
  TVMFFIAny a = new_node(type_index, tvmffi_any_int(1), tvmffi_any_none());
  TVMFFIAny b = new_node(type_index, tvmffi_any_int(1), tvmffi_any_none());
  bool is_equal;
  other = new_node(type_index, tvmffi_any_int(1), tvmffi_any_none());
  set_hook(type_index, "__s_equal__", compare_other_first);
  check_ok(tvmffi_structural_equal(&a, &b, kOptions, &is_equal));
  assert_true(is_equal);
  assert_int_equal(tvmffi_object_use_count(a.v_obj), 1);
  assert_int_equal(tvmffi_object_use_count(b.v_obj), 1);
  assert_int_equal(tvmffi_object_use_count(other.v_obj), 1);
  check_release(&a);
  check_release(&b);
  check_release(&other);
}

/* ---- A key that is owned only by the path to it ---- */

static TVMFFIAny dicts[2], key;
static int num_deleted;

/* Empties the Dict that is being compared. */
static void delete_key(void *self, int flags) {
  TVMFFIAny none;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    ++num_deleted;
    check_ok(call_global("ffi.DictClear", &dicts[0], 1, &none));
  }
  tvmffi_object_delete_plain(self, flags);
}

static int erase_key(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny erase_args[2], none;
  int i;
  (void)self;
  (void)args;
  (void)num_args;
  for (i = 0; i < 2; ++i) {
    erase_args[0] = dicts[i];
    erase_args[1] = key;
    check_ok(call_global("ffi.DictErase", erase_args, 2, &none));
  }
  check_release(&key);
  *result = tvmffi_any_bool(1);
  return 0;
}

static TVMFFIAny make_dict(int32_t hooked) {
  TVMFFIAny items[6], dict;
  int i;
  items[0] = tvmffi_any_copy(&key);
  items[1] = new_node(hooked, tvmffi_any_none(), tvmffi_any_none());
  for (i = 2; i < 6; i += 2) {
    TVMFFIAny view = tvmffi_any_raw_str(i == 2 ? "one text on the heap" : "another text there");
    check_ok(TVMFFIAnyViewToOwnedAny(&view, &items[i]));
    items[i + 1] = make1("ffi.List", tvmffi_any_copy(&items[i]));
  }
  dict = call_ok("ffi.Dict", items, 6);
  for (i = 0; i < 6; ++i) check_release(&items[i]);
  return dict;
}

TEST(test_keys_of_paths) {
  int32_t hooked = add_node_type("test.Erasing", kTVMFFISEqHashKindTreeNode, 0, 0);
  TVMFFIAny found;
  int i;
  set_hook(hooked, "__s_equal__", erase_key);
  key = tvmffi_any_object(tvmffi_object_new(
      sizeof(TVMFFIObject), add_type("test.DyingKey", 1, kTVMFFIObject), delete_key));
  for (i = 0; i < 2; ++i) dicts[i] = make_dict(hooked);
  check_ok(tvmffi_structural_mismatch(&dicts[0], &dicts[1], kOptions, &found));
  assert_int_equal(num_deleted, 1);
  for (i = 0; i < 2; ++i) check_release(&dicts[i]);
  check_release(&found);
}

RUN_TESTS({
    cmocka_unit_test(test_deep_copy_keeps_sharing),
    cmocka_unit_test(test_hash_visits_once),
    cmocka_unit_test(test_hash_is_of_the_value),
    cmocka_unit_test(test_pairs),
    cmocka_unit_test(test_keys_of_paths),
})
