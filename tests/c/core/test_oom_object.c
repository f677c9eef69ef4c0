/* SPDX-License-Identifier: Apache-2.0 */
/* Plain objects, opaque ones (core/object.c), and bodies of core/object.c. */
#include "core/object.h"

#include "support/check.h"
#include "support/oom.h"

typedef struct {
  TVMFFIObjectHandle obj;
  int num_deleted;
} job;

static void note_deleted(void *context) {
  ++((job *)context)->num_deleted;
}

static void unchanged(void *context) {
  const job *j = context;
  assert_null(j->obj);
  assert_int_equal(j->num_deleted, 0);
}

static void undo(void *context) {
  job *j = context;
  TVMFFIObjectDecRef(j->obj);
  j->obj = NULL;
}

static int make_plain(void *context) {
  job *j = context;
  j->obj = tvmffi_object_new(100, kTVMFFIObject, tvmffi_object_delete_plain);
  return j->obj != NULL ? 0 : -1;
}

static void test_plain_objects(void **state) {
  job j = {NULL, 0};
  (void)state;
  assert_int_equal(oom_check(make_plain, unchanged, undo, &j, 0), 1);
}

static void test_alloc_raises_nothing(void **state) {
  (void)state;
  oom_fail_after(0);
  assert_null(tvmffi_object_alloc(100, 0, kTVMFFIObject, tvmffi_object_delete_plain));
  check_not_raised();
}

static int make_opaque(void *context) {
  job *j = context;
  return TVMFFIObjectCreateOpaque(j, kTVMFFIOpaquePyObject, note_deleted, &j->obj);
}

static void test_F_15_opaque_objects(void **state) {
  job j = {NULL, 0};
  (void)state;
  assert_int_equal(oom_check(make_opaque, unchanged, undo, &j, 0), 1);
  assert_int_equal(j.num_deleted, 1); /* the deletion of the object that was made */
}

static int make_body(void *context) {
  TVMFFICustomAllocator *allocator = TVMFFIGetCustomAllocator();
  *(void **)context = allocator->allocate(24, 64, kTVMFFIObject, allocator->context);
  return *(void **)context != NULL ? 0 : -1;
}

static void free_body(void *context) {
  char *body = *(void **)context;
  TVMFFIObjectAllocHeader header;
  memcpy(&header, body - sizeof header, sizeof header);
  header.delete_space(body);
}

static void test_bodies_of_the_custom_allocator(void **state) {
  void *body = NULL;
  (void)state;
  assert_int_equal(oom_check(make_body, NULL, free_body, &body, 0), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_objects),
      cmocka_unit_test(test_alloc_raises_nothing),
      cmocka_unit_test(test_F_15_opaque_objects),
      cmocka_unit_test(test_bodies_of_the_custom_allocator),
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
