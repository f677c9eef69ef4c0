/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object.h"

#include "support/check.h"

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

TEST(test_refusals) {
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

TEST(test_setting_and_restoring) {
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

RUN_TESTS({
    cmocka_unit_test(test_bodies_of_the_default_allocator),
    cmocka_unit_test(test_no_alignment_asked_for),
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_setting_and_restoring),
})
