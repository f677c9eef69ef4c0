/* SPDX-License-Identifier: Apache-2.0 */
/* Counting and destroying single objects; test_object_nested.c tests objects that own others. */
#include "core/object.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/string_object.h"
#include "support/check.h"
#include "support/weak.h"

TEST(test_headers_of_new_objects) {
  struct {
    TVMFFIObject header;
    char body[40];
  } *obj = tvmffi_object_new(sizeof *obj, 1234, tvmffi_object_delete_plain);
  assert_non_null(obj);
  assert_true(obj->header.combined_ref_count == UINT64_C(0x0000000100000001));
  assert_int_equal(obj->header.type_index, 1234);
  assert_int_equal(obj->header.__padding, 0);
  assert_true(obj->header.deleter == tvmffi_object_delete_plain);
  assert_int_equal((uintptr_t)obj % 8, 0);
  memset(obj->body, 1, sizeof obj->body);
  TVMFFIObjectDecRef(obj);
}

/* The deleter field has 8 bytes on every machine, and all of them are written. */
TEST(test_no_deleter_is_eight_zero_bytes) {
  TVMFFIObject *obj = tvmffi_object_new(sizeof *obj, kTVMFFIObject, NULL);
  assert_non_null(obj);
  assert_true(obj->__ensure_align == 0);
  TVMFFIObjectDecRef(obj); /* nothing happens without a deleter */
  assert_null(obj->deleter);
  tvmffi_object_free(obj, 0);
}

TEST(test_room_in_front_of_the_header) {
  char *obj = tvmffi_object_alloc(sizeof(TVMFFIObject) + 8, 16, kTVMFFIObject, NULL);
  assert_non_null(obj);
  memset(obj - 16, 1, 16);
  memset(obj + sizeof(TVMFFIObject), 2, 8);
  assert_int_equal(check_use_count(obj), 1);
  tvmffi_object_free(obj, 16);
}

TEST(test_sizes_that_overflow) {
  assert_null(tvmffi_object_alloc(SIZE_MAX, 16, kTVMFFIObject, NULL));
  check_not_raised();
}

TEST(test_F_27_null_handles_are_ignored) {
  assert_int_equal(TVMFFIObjectIncRef(NULL), 0);
  assert_int_equal(TVMFFIObjectDecRef(NULL), 0);
  tvmffi_object_release_nested(NULL);
  check_not_raised();
}

TEST(test_the_last_reference_destroys) {
  probe p;
  int i;
  probe_init(&p);
  for (i = 0; i < 5; ++i) assert_int_equal(TVMFFIObjectIncRef(&p), 0);
  assert_int_equal(check_use_count(&p), 6);
  for (i = 0; i < 5; ++i) assert_int_equal(TVMFFIObjectDecRef(&p), 0);
  assert_int_equal(check_use_count(&p), 1);
  assert_int_equal(p.strong_deletes, 0);
  TVMFFIObjectDecRef(&p);
  assert_int_equal(p.strong_deletes, 1);
  assert_int_equal(p.weak_deletes, 1);
}

TEST(test_weak_references_keep_the_memory) {
  probe p;
  probe_init(&p);
  weak_retain(&p);
  weak_retain(&p);
  TVMFFIObjectIncRef(&p);
  TVMFFIObjectDecRef(&p);
  assert_true(weak_promote(&p));
  TVMFFIObjectDecRef(&p);
  assert_int_equal(p.strong_deletes, 0);
  TVMFFIObjectDecRef(&p);
  assert_int_equal(p.strong_deletes, 1);
  assert_int_equal(p.weak_deletes, 0);
  assert_int_equal(check_use_count(&p), 0);
  assert_int_equal(weak_count(&p), 2);
  assert_false(weak_promote(&p));
  weak_release(&p);
  assert_int_equal(p.weak_deletes, 0);
  weak_release(&p);
  assert_int_equal(p.weak_deletes, 1);
  assert_int_equal(p.strong_deletes, 1);
}

TEST(test_weak_references_that_go_first) {
  probe p;
  probe_init(&p);
  weak_retain(&p);
  weak_release(&p);
  assert_int_equal(p.strong_deletes + p.weak_deletes, 0);
  TVMFFIObjectDecRef(&p);
  assert_int_equal(p.strong_deletes, 1);
  assert_int_equal(p.weak_deletes, 1);
}

static void drop_weak_reference(void *self, int flags) {
  probe *p = self;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    ++p->strong_deletes;
    weak_release(p);
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) ++p->weak_deletes;
}

TEST(test_a_weak_reference_that_goes_during_destruction) {
  probe p;
  probe_init(&p);
  p.header.deleter = drop_weak_reference;
  weak_retain(&p);
  TVMFFIObjectDecRef(&p);
  assert_int_equal(p.strong_deletes, 1);
  assert_int_equal(p.weak_deletes, 1);
}

/* Two threads saw two references, and this one is the last to give its reference back. */
TEST(test_the_last_of_two_threads_destroys) {
  probe p;
  probe_init(&p);
  tvmffi_object_release_last(&p.header, TVMFFI_BOTH_ONE);
  assert_int_equal(p.strong_deletes, 1);
  assert_int_equal(p.weak_deletes, 1);
}

TEST(test_null_deleters_do_nothing) {
  TVMFFIObject strong_last, weak_last;
  memset(&strong_last, 0, sizeof strong_last);
  strong_last.combined_ref_count = TVMFFI_BOTH_ONE;
  weak_last = strong_last;
  TVMFFIObjectIncRef(&strong_last);
  TVMFFIObjectDecRef(&strong_last);
  TVMFFIObjectDecRef(&strong_last);
  weak_retain(&weak_last);
  TVMFFIObjectDecRef(&weak_last);
  weak_release(&weak_last);
  assert_true(weak_last.combined_ref_count == 0);
}

/* Leak checkers report a block that is freed too late, memory checkers one freed too early. */
TEST(test_plain_objects_with_weak_references) {
  TVMFFIObject *obj = tvmffi_object_new(sizeof *obj, kTVMFFIObject, tvmffi_object_delete_plain);
  assert_non_null(obj);
  weak_retain(obj);
  TVMFFIObjectDecRef(obj);
  assert_false(weak_promote(obj));
  weak_release(obj);
}

/* ---- TVMFFIGetVersion ---- */

TEST(test_the_version_of_the_abi) {
  TVMFFIVersion version;
  memset(&version, 0xA5, sizeof version);
  TVMFFIGetVersion(&version);
  assert_int_equal(version.major, 0);
  assert_int_equal(version.minor, 1);
  assert_int_equal(version.patch, 16);
}

TEST(test_nowhere_to_write_it) {
  TVMFFIGetVersion(NULL);
  check_not_raised();
}

/* ---- Custom allocators ---- */

/* Frees a body as code built with 0.1.13 does when its object dies. */
static void free_body(void *body) {
  TVMFFIObjectAllocHeader header;
  memcpy(&header, (char *)body - sizeof header, sizeof header);
  assert_non_null(header.delete_space);
  header.delete_space(body);
}

TEST(test_bodies_of_the_default_allocator) {
  static const size_t kSizes[] = {0, 1, 24, 1000};
  TVMFFICustomAllocator *allocator = TVMFFIGetCustomAllocator();
  size_t alignment, i;
  for (alignment = 1; alignment <= 4096; alignment *= 2) {
    for (i = 0; i < sizeof kSizes / sizeof kSizes[0]; ++i) {
      void *body = allocator->allocate(kSizes[i], alignment, kTVMFFIObject, allocator->context);
      assert_non_null(body);
      assert_int_equal((uintptr_t)body % alignment, 0);
      assert_int_equal((uintptr_t)body % sizeof(void *), 0);
      memset(body, 0xA5, kSizes[i]);
      free_body(body);
    }
  }
}

TEST(test_no_alignment_asked_for) {
  TVMFFICustomAllocator *allocator = TVMFFIGetCustomAllocator();
  void *body = allocator->allocate(24, 0, kTVMFFIObject, allocator->context);
  assert_non_null(body);
  assert_int_equal((uintptr_t)body % sizeof(void *), 0);
  free_body(body);
}

TEST(test_refused_allocators) {
  static const size_t kNoPowers[] = {12, 24, SIZE_MAX};
  TVMFFICustomAllocator *allocator = TVMFFIGetCustomAllocator();
  size_t i;
  for (i = 0; i < sizeof kNoPowers / sizeof kNoPowers[0]; ++i) {
    assert_null(allocator->allocate(24, kNoPowers[i], kTVMFFIObject, allocator->context));
    check_raised_with("ValueError", "power of two");
  }
  assert_null(allocator->allocate(SIZE_MAX, 16, kTVMFFIObject, allocator->context));
  check_raised("MemoryError", NULL);
  assert_null(allocator->allocate(SIZE_MAX - 16, 16, kTVMFFIObject, allocator->context));
  check_raised("MemoryError", NULL);
  assert_null(
      allocator->allocate(SIZE_MAX / 2, SIZE_MAX / 2 + 1, kTVMFFIObject, allocator->context));
  check_raised("MemoryError", NULL);
}

TEST(test_setting_an_allocator_and_restoring) {
  TVMFFICustomAllocator *original = TVMFFIGetCustomAllocator(), mine = {NULL, NULL};
  assert_non_null(original);
  assert_int_equal(TVMFFISetCustomAllocator(&mine), 0);
  assert_ptr_equal(TVMFFIGetCustomAllocator(), &mine);
  assert_int_equal(TVMFFISetCustomAllocator(NULL), 0);
  assert_ptr_equal(TVMFFIGetCustomAllocator(), original);
  assert_int_equal(TVMFFISetCustomAllocator(&mine), 0);
  tvmffi_custom_allocator_shutdown();
  assert_ptr_equal(TVMFFIGetCustomAllocator(), original);
}

/* ---- Opaque objects ---- */

static int num_deleted;
static void *last_deleted;

static void note_deleted(void *handle) {
  ++num_deleted;
  last_deleted = handle;
}

FIXTURE(reset) {
  num_deleted = 0;
  last_deleted = &num_deleted;
  return 0;
}

TEST(test_the_deleter_runs_once) {
  TVMFFIObjectHandle obj;
  int wrapped;
  check_ok(TVMFFIObjectCreateOpaque(&wrapped, kTVMFFIOpaquePyObject, note_deleted, &obj));
  assert_int_equal(TVMFFIObjectGetTypeIndex(obj), kTVMFFIOpaquePyObject);
  assert_int_equal(check_use_count(obj), 1);
  assert_ptr_equal(TVMFFIOpaqueObjectGetCellPtr(obj)->handle, &wrapped);
  TVMFFIObjectIncRef(obj);
  TVMFFIObjectDecRef(obj);
  assert_int_equal(num_deleted, 0);
  TVMFFIObjectDecRef(obj);
  assert_int_equal(num_deleted, 1);
  assert_ptr_equal(last_deleted, &wrapped);
}

TEST(test_null_handles_are_wrapped_too) {
  TVMFFIObjectHandle obj;
  check_ok(TVMFFIObjectCreateOpaque(NULL, kTVMFFIOpaquePyObject, note_deleted, &obj));
  assert_null(TVMFFIOpaqueObjectGetCellPtr(obj)->handle);
  TVMFFIObjectDecRef(obj);
  assert_int_equal(num_deleted, 1);
  assert_null(last_deleted);
}

TEST(test_no_deleter) {
  TVMFFIObjectHandle obj;
  int wrapped;
  check_ok(TVMFFIObjectCreateOpaque(&wrapped, kTVMFFIOpaquePyObject, NULL, &obj));
  TVMFFIObjectDecRef(obj);
}

TEST(test_the_deleter_does_not_wait_for_weak_references) {
  TVMFFIObjectHandle obj;
  int wrapped;
  check_ok(TVMFFIObjectCreateOpaque(&wrapped, kTVMFFIOpaquePyObject, note_deleted, &obj));
  weak_retain(obj);
  TVMFFIObjectDecRef(obj);
  assert_int_equal(num_deleted, 1);
  weak_release(obj);
  assert_int_equal(num_deleted, 1);
}

static void test_refusals_leave_the_handle_alone(void **state) {
  static const int32_t kIndices[] = {-1, 0, kTVMFFIObject, kTVMFFIModule, kTVMFFIList, 128};
  TVMFFIObjectHandle obj = (void *)state;
  int wrapped;
  size_t i;
  for (i = 0; i < sizeof kIndices / sizeof kIndices[0]; ++i) {
    check_fails(TVMFFIObjectCreateOpaque(&wrapped, kIndices[i], note_deleted, &obj), "RuntimeError",
                "Only kTVMFFIOpaquePyObject is supported for now");
  }
  check_fails_with(TVMFFIObjectCreateOpaque(&wrapped, kTVMFFIOpaquePyObject, note_deleted, NULL),
                   "ValueError", "`out`");
  assert_int_equal(num_deleted, 0);
  assert_ptr_equal(obj, state);
}

FIXTURE(switch_on) {
  return TVMFFIRuntimeSetLiveObjectCounting(1);
}

FIXTURE(switch_off) {
  return TVMFFIRuntimeSetLiveObjectCounting(0);
}

/* ---- Counts of live objects ---- */

static void check_count(int32_t type_index, int64_t expected) {
  assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(type_index), expected);
}

static TVMFFIObjectHandle new_error(void) {
  TVMFFIObjectHandle error;
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &error));
  return error;
}

TEST(test_no_count_at_first) {
  TVMFFIObjectHandle error = new_error();
  check_count(kTVMFFIAny, 0);
  TVMFFIObjectDecRef(error);
}

TEST(test_objects_are_counted_by_type) {
  TVMFFIObjectHandle first = new_error(), second = new_error();
  TVMFFIObject *string = tvmffi_string_new(kTVMFFIStr, "text", 4);
  assert_non_null(string);
  check_count(kTVMFFIAny, 3);
  check_count(kTVMFFIError, 2);
  check_count(kTVMFFIStr, 1);
  check_count(kTVMFFIFunction, 0);
  check_count(kTVMFFIObject, 0); /* objects of derived types do not count */
  TVMFFIObjectDecRef(first);
  check_count(kTVMFFIAny, 2);
  check_count(kTVMFFIError, 1);
  TVMFFIObjectDecRef(second);
  TVMFFIObjectDecRef(string);
  check_count(kTVMFFIAny, 0);
}

TEST(test_raised_errors_are_alive) {
  TVMFFIErrorSetRaisedFromCStr("ValueError", "");
  check_count(kTVMFFIError, 1);
  TVMFFIErrorSetRaised(NULL);
  check_count(kTVMFFIError, 0);
}

TEST(test_weak_references_keep_an_object_in_the_count) {
  TVMFFIObjectHandle error = new_error();
  weak_retain(error);
  TVMFFIObjectDecRef(error);
  check_count(kTVMFFIError, 1); /* weakly referenced memory counts as a leak */
  weak_release(error);
  check_count(kTVMFFIError, 0);
}

TEST(test_older_objects_do_not_count) {
  TVMFFIObjectHandle older, counted;
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  older = new_error();
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  check_count(kTVMFFIAny, 0);
  counted = new_error();
  TVMFFIObjectDecRef(older);
  check_count(kTVMFFIAny, 1);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(7)); /* switched on again: starts at zero */
  check_count(kTVMFFIAny, 0);
  TVMFFIObjectDecRef(counted);
  check_count(kTVMFFIAny, 0);
}

TEST(test_switching_the_count_off_forgets) {
  TVMFFIObjectHandle error = new_error();
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  check_count(kTVMFFIAny, 0);
  TVMFFIObjectDecRef(error);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  error = new_error();
  tvmffi_live_shutdown();
  check_count(kTVMFFIAny, 0);
  TVMFFIObjectDecRef(error);
}

/* The set grows several times, and objects are removed from its middle, front and back. */
TEST(test_a_count_of_many_objects) {
  enum { kMany = 6000 };
  static TVMFFIObjectHandle all[kMany];
  int i, left = kMany;
  for (i = 0; i < kMany; ++i) all[i] = new_error();
  check_count(kTVMFFIError, kMany);
  for (i = 0; i < kMany; ++i) { /* 7 and kMany are coprime: each once, far apart */
    TVMFFIObjectDecRef(all[(kMany / 2 + i * 7) % kMany]);
    --left;
    if (i % 500 == 0) check_count(kTVMFFIError, left);
  }
  check_count(kTVMFFIError, 0);
}

/* Made-up addresses that collide in the set; they are never dereferenced. */
TEST(test_counted_addresses_of_all_kinds) {
  enum { kKinds = 700 };
  static int is_in[kKinds];
  uint32_t random = 1;
  int i, round, expected = 0;
  for (round = 0; round < 20000; ++round) {
    uintptr_t address;
    random = random * 1664525u + 1013904223u;
    i = (int)((random >> 8) % kKinds);
    address = ((uintptr_t)i * (uintptr_t)i * 7919 + 1) * 16;
    if (is_in[i]) {
      tvmffi_live_remove((const void *)address);
    } else {
      assert_true(tvmffi_live_add((const void *)address, 1000 + i));
    }
    is_in[i] = !is_in[i];
    expected += is_in[i] ? 1 : -1;
    check_count(1000 + i, is_in[i]);
    if (round % 100 == 0) check_count(kTVMFFIAny, expected);
  }
  check_count(kTVMFFIAny, expected);
}

RUN_TESTS({
    cmocka_unit_test(test_headers_of_new_objects),
    cmocka_unit_test(test_no_deleter_is_eight_zero_bytes),
    cmocka_unit_test(test_room_in_front_of_the_header),
    cmocka_unit_test(test_sizes_that_overflow),
    cmocka_unit_test(test_F_27_null_handles_are_ignored),
    cmocka_unit_test(test_the_last_reference_destroys),
    cmocka_unit_test(test_weak_references_keep_the_memory),
    cmocka_unit_test(test_weak_references_that_go_first),
    cmocka_unit_test(test_a_weak_reference_that_goes_during_destruction),
    cmocka_unit_test(test_the_last_of_two_threads_destroys),
    cmocka_unit_test(test_null_deleters_do_nothing),
    cmocka_unit_test(test_plain_objects_with_weak_references),
    cmocka_unit_test(test_the_version_of_the_abi),
    cmocka_unit_test(test_nowhere_to_write_it),
    cmocka_unit_test(test_bodies_of_the_default_allocator),
    cmocka_unit_test(test_no_alignment_asked_for),
    cmocka_unit_test(test_refused_allocators),
    cmocka_unit_test(test_setting_an_allocator_and_restoring),
    cmocka_unit_test_setup(test_the_deleter_runs_once, reset),
    cmocka_unit_test_setup(test_null_handles_are_wrapped_too, reset),
    cmocka_unit_test_setup(test_no_deleter, reset),
    cmocka_unit_test_setup(test_the_deleter_does_not_wait_for_weak_references, reset),
    cmocka_unit_test_setup(test_refusals_leave_the_handle_alone, reset),
    cmocka_unit_test(test_no_count_at_first),
    cmocka_unit_test_setup_teardown(test_objects_are_counted_by_type, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_raised_errors_are_alive, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_weak_references_keep_an_object_in_the_count, switch_on,
                                    switch_off),
    cmocka_unit_test_setup_teardown(test_older_objects_do_not_count, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_switching_the_count_off_forgets, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_a_count_of_many_objects, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_counted_addresses_of_all_kinds, switch_on, switch_off),
})
