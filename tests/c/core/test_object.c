/* SPDX-License-Identifier: Apache-2.0 */
/* Counting and destroying single objects; test_object_nested.c tests objects that own others. */
#include "core/object.h"

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
})
