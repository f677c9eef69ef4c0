/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a new type: a slot of its parent, the next free index, or the requested one. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/type_support.h"
#include "container/container.h"
#include "core/type.h"

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
    test_and_shut_down(test_children_take_the_slots_of_their_parent),
    test_and_shut_down(test_no_overflow),
    test_and_shut_down(test_static_requests),
    test_and_shut_down(test_static_slots_do_not_reach_into_later_indices),
    test_and_shut_down(test_indices_far_apart),
})
