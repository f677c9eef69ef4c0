/* SPDX-License-Identifier: Apache-2.0 */
/* Registering types: depth, ancestors, conflicts. The index that each gets. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/type_support.h"
#include "container/container.h"
#include "core/type.h"

TEST(test_a_new_type) {
  char key[] = "my.Type";
  const TVMFFITypeInfo *info;
  int32_t index = add(key, 1, 0, kTVMFFIObject), found = -1;
  TVMFFIByteArray bytes = check_bytes("my.Type");
  assert_int_equal(index, kTvmffiFirstClientType);
  memset(key, 'x', sizeof key); /* the key was copied */
  info = TVMFFIGetTypeInfo(index);
  assert_non_null(info);
  assert_int_equal(info->type_index, index);
  assert_int_equal(info->type_depth, 1);
  assert_string_equal(info->type_key.data, "my.Type");
  assert_int_equal(info->type_key.size, 7);
  assert_ptr_equal(info->type_ancestors[0], TVMFFIGetTypeInfo(kTVMFFIObject));
  assert_int_equal(info->num_fields, 0);
  assert_int_equal(info->num_methods, 0);
  assert_null(info->metadata);
  check_ok(TVMFFITypeKeyToIndex(&bytes, &found));
  assert_int_equal(found, index);
  assert_int_equal(add("my.Other", 1, 0, kTVMFFIObject), index + 1);
  assert_int_equal(add("my.Type", 1, 0, kTVMFFIObject), index); /* again: the same index */
  assert_ptr_equal(TVMFFIGetTypeInfo(index), info);
  assert_int_equal(tvmffi_type_end(), index + 2);
}

TEST(test_ancestors) {
  int32_t indices[6], i, depth;
  char key[32];
  indices[0] = kTVMFFIObject;
  for (depth = 1; depth < 6; ++depth) {
    (void)snprintf(key, sizeof key, "my.Depth%d", (int)depth);
    indices[depth] = add(key, depth, 0, indices[depth - 1]);
  }
  for (depth = 1; depth < 6; ++depth) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(indices[depth]);
    assert_int_equal(info->type_depth, depth);
    for (i = 0; i < depth; ++i) {
      assert_ptr_equal(info->type_ancestors[i], TVMFFIGetTypeInfo(indices[i]));
    }
  }
}

TEST(test_a_root_type_has_no_ancestors) {
  int32_t root = add("my.Root", 0, 0, kTVMFFIObject); /* the parent only determines the index */
  assert_int_equal(TVMFFIGetTypeInfo(root)->type_depth, 0);
  assert_int_equal(register_type("my.Static", 100, 0, 0, 0, kNoParent), 100);
}

TEST(test_query_mode) {
  int32_t a = add("my.A", 1, 0, kTVMFFIObject);
  assert_int_equal(query("my.A"), a);
  assert_int_equal(query("ffi.String"), kTVMFFIStr);
  assert_int_equal(query("my.Unknown"), kQueryOnly);
  check_not_raised();
  assert_int_equal(query("my.Unknown"), kQueryOnly); /* the query did not register it */
  assert_int_equal(tvmffi_type_end(), a + 1);
}

TEST(test_L_2_unknown_parent_is_an_error_not_an_exit) {
  refuse(register_type("my.U", -1, 1, 0, 1, 100), "type_key=my.U, static_index=-1");
  refuse(register_type("my.U", -1, 1, 0, 1, INT32_MAX), "type_key=my.U, static_index=-1");
  refuse(register_type("my.U", -1, 1, 0, 1, kNoParent), "Check not null: parent");
  refuse(register_type("my.U", 100, 1, 0, 1, kNoParent), "depth 1 needs a parent of depth 0");
  refuse(register_type("my.U", -1, 3, 0, 1, kTVMFFIObject), "depth 3 needs a parent of depth 2");
  refuse(register_type("my.U", 20, 1, 0, 1, kTVMFFIObject), "greater than that of its parent");
  refuse(register_type("my.U", -1, -1, 0, 1, kTVMFFIObject), "must be positive");
  refuse(register_type("my.U", -1, 1, -1, 1, kTVMFFIObject), "must be positive");
  refuse(register_type("my.U", -1, 1, INT32_MAX, 1, kTVMFFIObject), "maximum number of types");
  assert_int_equal(query("my.U"), kQueryOnly); /* none of the refused types was registered */
  assert_int_equal(add("my.U", 1, 0, kTVMFFIObject), kTvmffiFirstClientType);
}

TEST(test_L_10_a_known_key_keeps_its_parent_and_depth) {
  int32_t a = add("my.A", 1, 0, kTVMFFIObject), b = add("my.B", 2, 0, a);
  int32_t c = add("my.C", 1, 0, kTVMFFIObject);
  refuse(register_type("my.B", -1, 2, 0, 1, c),
         "Type `my.B` is registered with parent `my.A`, not `my.C`");
  refuse(register_type("my.A", -1, 2, 0, 1, c), "Type `my.A` is registered with depth 1, not 2");
  refuse(register_type("my.A", -1, 1, 0, 1, kTVMFFIFunction), "not `ffi.Function`");
  refuse(register_type("my.A", -1, 1, 0, 1, 99999), "Type `my.A` is registered with parent");
  assert_int_equal(register_type("my.B", -1, 2, 5, 0, a), b); /* slots are not compared */
  assert_int_equal(register_type("my.B", -1, 2, 0, 1, kNoParent), b);
  assert_int_equal(register_type("ffi.Object", 64, 0, 0, 1, kNoParent), kTVMFFIObject);
}

/* TVM has instrument.PassInstrument twice: a class and the class that derives from it. */
TEST(test_a_class_may_have_the_key_of_its_parent) {
  int32_t a = add("my.A", 1, 0, kTVMFFIObject), b;
  assert_int_equal(register_type("my.A", -1, 2, 0, 1, a), a);
  refuse(register_type("my.A", -1, 3, 0, 1, a), "Type `my.A` is registered with depth 1, not 3");
  b = add("my.B", 2, 0, a); /* a child of the existing type, whose depth is unchanged */
  assert_int_equal(register_type("my.B", -1, 3, 0, 1, b), b);
  refuse(register_type("my.B", -1, 3, 0, 1, a), "Type `my.B` is registered with depth 2, not 3");
}

TEST(test_many_types) {
  enum { kMany = 5000 };
  const TVMFFITypeInfo *first;
  char key[32];
  int32_t i, begin = add("my.0", 1, 0, kTVMFFIObject);
  first = TVMFFIGetTypeInfo(begin);
  for (i = 1; i < kMany; ++i) {
    (void)snprintf(key, sizeof key, "my.%d", (int)i);
    assert_int_equal(add(key, 1, 0, kTVMFFIObject), begin + i);
  }
  for (i = 0; i < kMany; ++i) {
    (void)snprintf(key, sizeof key, "my.%d", (int)i);
    assert_string_equal(TVMFFIGetTypeInfo(begin + i)->type_key.data, key);
    assert_int_equal(query(key), begin + i);
  }
  assert_ptr_equal(TVMFFIGetTypeInfo(begin), first); /* records never move */
}

TEST(test_refused_keys) {
  TVMFFIByteArray no_data = {NULL, 3}, too_long = {"my.T", (size_t)INT32_MAX + 1};
  assert_int_equal(TVMFFITypeGetOrAllocIndex(NULL, -1, 1, 0, 1, kTVMFFIObject), -1);
  check_raised("ValueError", NULL);
  assert_int_equal(TVMFFITypeGetOrAllocIndex(&no_data, -1, 1, 0, 1, kTVMFFIObject), -1);
  check_raised("ValueError", "TVMFFITypeGetOrAllocIndex: `type_key` has size 3 but no data");
  assert_int_equal(TVMFFITypeGetOrAllocIndex(&too_long, -1, 1, 0, 1, kTVMFFIObject), -1);
  check_raised_with("ValueError", "too long");
}

/* Each message shows the whole key, though it be as long as this one. */
TEST(test_long_keys_in_messages) {
  char key[2001], expected[2100];
  memset(key, 'k', sizeof key - 1);
  key[sizeof key - 1] = '\0';
  assert_true(add(key, 1, 0, kTVMFFIObject) >= 0);
  assert_int_equal(register_type(key, -1, 2, 0, 1, kTVMFFIObject), -1);
  (void)snprintf(expected, sizeof expected, "Type `%s` is registered with depth 1, not 2", key);
  check_raised("InternalError", expected);
  key[0] = '\xe9';
  assert_int_equal(register_type(key, -1, -1, 0, 1, kTVMFFIObject), -1);
  (void)snprintf(expected, sizeof expected,
                 "Type `\\xe9%s`: depth -1 and number of child slots 0 must be positive", key + 1);
  check_raised("InternalError", expected);
}

TEST(test_shutdown_forgets_later_types) {
  int32_t a = add("my.A", 1, 0, kTVMFFIObject);
  assert_int_equal(register_type("my.S", 100, 1, 0, 0, kTVMFFIObject), 100);
  check_ok(TVMFFIRuntimeShutdown());
  assert_null(TVMFFIGetTypeInfo(a));
  check_raised("InternalError", NULL);
  assert_int_equal(query("my.A"), kQueryOnly);
  assert_int_equal(query("ffi.String"), kTVMFFIStr);
  assert_int_equal(add("my.B", 1, 0, kTVMFFIObject), a); /* indices start again after a shutdown */
}

/* The index of a new type: a slot of its parent, the next free index, or the requested one. */

TEST(test_children_take_the_slots_of_their_parent) {
  int32_t a = add("my.A", 1, 4, kTVMFFIObject); /* reserves a to a + 4 */
  int32_t next = add("my.Next", 1, 0, kTVMFFIObject);
  int32_t b;
  assert_int_equal(next, a + 5);
  b = add("my.B", 2, 1, a);
  assert_int_equal(b, a + 1);                       /* and a + 2 for its child */
  assert_int_equal(add("my.C", 2, 2, a), next + 1); /* three slots do not fit any more */
  assert_int_equal(add("my.D", 2, 1, a), a + 3);    /* two fit, and fill the range */
  assert_int_equal(add("my.E", 2, 0, a), next + 4); /* nothing fits */
  assert_int_equal(add("my.BChild", 3, 0, b), a + 2);
  assert_int_equal(add("my.BChild2", 3, 0, b), next + 5);
}

TEST(test_no_overflow) {
  int32_t a = register_type("my.Closed", -1, 1, 2, 0, kTVMFFIObject), b;
  assert_int_equal(add("my.C1", 2, 0, a), a + 1);
  refuse(register_type("my.Wide", -1, 2, 1, 1, a),
         "Reach maximum number of sub-classes for my.Closed");
  b = add("my.C2", 2, 0, a);
  assert_int_equal(b, a + 2);
  refuse(register_type("my.C3", -1, 2, 0, 1, a),
         "Reach maximum number of sub-classes for my.Closed");
  /* A child cannot allow overflow if its parent does not. */
  refuse(register_type("my.C4", -1, 3, 0, 1, b), "Reach maximum number of sub-classes for my.C2");
  refuse(register_type("my.S", -1, 2, 0, 1, kTVMFFIStr),
         "Reach maximum number of sub-classes for ffi.String");
  refuse(register_type("my.B", -1, 2, 0, 1, kTVMFFIBigInt),
         "Reach maximum number of sub-classes for ffi.BigInt");
  refuse(register_type("my.I", -1, 1, 0, 1, kTVMFFIInt),
         "Reach maximum number of sub-classes for int");
  assert_int_equal(query("my.C3"), kQueryOnly);
  assert_int_equal(add("my.Interrupt", 2, 0, kTVMFFIVisitInterrupt), a + 3);
}

TEST(test_static_requests) {
  int32_t a;
  assert_int_equal(register_type("my.S", 100, 1, 0, 0, kTVMFFIObject), 100);
  assert_string_equal(TVMFFIGetTypeInfo(100)->type_key.data, "my.S");
  refuse(register_type("my.S2", 100, 1, 0, 0, kTVMFFIObject),
         "Conflicting static index 100 between my.S and my.S2");
  refuse(register_type("my.S2", kTVMFFIStr, 1, 0, 0, kTVMFFIObject),
         "Conflicting static index 65 between ffi.String and my.S2");
  refuse(register_type("my.S2", kTVMFFIDynObjectBegin, 1, 0, 0, kTVMFFIObject),
         kTvmffiFullProfile ? "Conflicting static index 128 between ffi.EnumState and my.S2"
                            : "Static type index 128 of `my.S2` is out of range");
  refuse(register_type("my.S2", kTvmffiFirstClientType, 1, 0, 0, kTVMFFIObject), "out of range");
  refuse(register_type("my.S2", INT32_MAX, 1, 0, 0, kTVMFFIObject), "out of range");
  a = add("my.A", 1, 3, kTVMFFIObject); /* a static request does not move the counter */
  assert_int_equal(a, kTvmffiFirstClientType);
  assert_int_equal(register_type("my.S3", a + 1, 1, 0, 0, kTVMFFIObject), a + 1);
  refuse(register_type("my.B", -1, 2, 0, 1, a), "between my.S3 and my.B"); /* its slot is taken */
  assert_int_equal(add("my.Next", 1, 0, kTVMFFIObject), a + 4);
}

TEST(test_static_slots_do_not_reach_into_later_indices) {
  refuse(register_type("my.S", 120, 1, 8, 1, kTVMFFIObject), "8 child slots");
  refuse(register_type("my.S", 120, 1, INT32_MAX, 1, kTVMFFIObject), "child slots");
  assert_int_equal(register_type("my.S", 120, 1, 7, 1, kTVMFFIObject), 120);
  assert_int_equal(add("my.Child", 2, 0, 120), 121);
  assert_int_equal(add("my.A", 1, 0, kTVMFFIObject), kTvmffiFirstClientType);
}

TEST(test_indices_far_apart) {
  const TVMFFITypeInfo *info;
  int32_t first = add("my.First", 1, 0, kTVMFFIObject);
  int32_t wide = add("my.Wide", 1, 3000000, kTVMFFIObject);
  int32_t last = add("my.Last", 1, 0, kTVMFFIObject);
  info = TVMFFIGetTypeInfo(first);
  assert_int_equal(last, wide + 3000001);
  assert_int_equal(add("my.Child", 2, 0, wide), wide + 1);
  assert_string_equal(TVMFFIGetTypeInfo(last)->type_key.data, "my.Last");
  assert_ptr_equal(TVMFFIGetTypeInfo(first), info); /* records do not move */
  refuse(TVMFFIGetTypeInfo(last - 1) != NULL ? 0 : -1, "Cannot find type info");
  refuse(TVMFFIGetTypeInfo(last + 1) != NULL ? 0 : -1, "Cannot find type info");
  refuse(register_type("my.TooWide", -1, 1, 2000000, 1, kTVMFFIObject),
         "Reach maximum number of types, 4194304");
}

RUN_TESTS({
    test_and_shut_down(test_a_new_type),
    test_and_shut_down(test_ancestors),
    test_and_shut_down(test_a_root_type_has_no_ancestors),
    test_and_shut_down(test_query_mode),
    test_and_shut_down(test_L_2_unknown_parent_is_an_error_not_an_exit),
    test_and_shut_down(test_L_10_a_known_key_keeps_its_parent_and_depth),
    test_and_shut_down(test_a_class_may_have_the_key_of_its_parent),
    test_and_shut_down(test_many_types),
    test_and_shut_down(test_refused_keys),
    test_and_shut_down(test_long_keys_in_messages),
    test_and_shut_down(test_shutdown_forgets_later_types),
    test_and_shut_down(test_children_take_the_slots_of_their_parent),
    test_and_shut_down(test_no_overflow),
    test_and_shut_down(test_static_requests),
    test_and_shut_down(test_static_slots_do_not_reach_into_later_indices),
    test_and_shut_down(test_indices_far_apart),
})
