/* SPDX-License-Identifier: Apache-2.0 */
/* When tensors release their sources; test_tensor.c tests their contents. */
#include <limits.h>

#include "c/tensor_source.h"
#include "core/object.h"
#include "support/thread.h"

TEST(test_F_16_refused_tensors_stay_the_callers) {
  tensor_source source;
  TVMFFIObjectHandle tensor = NULL;
  init_source_2x3(&source);
  source.strides[0] = 99;
  source.plain.dl_tensor.byte_offset = source.versioned.dl_tensor.byte_offset = 1;
  check_fails(TVMFFITensorFromDLPack(&source.plain, 64, 0, &tensor), "RuntimeError", NULL);
  check_fails(TVMFFITensorFromDLPack(&source.plain, 0, 1, &tensor), "RuntimeError", NULL);
  check_fails(TVMFFITensorFromDLPackVersioned(&source.versioned, 64, 0, &tensor), "RuntimeError",
              NULL);
  check_fails(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 1, &tensor), "RuntimeError",
              NULL);
  source.versioned.version.major = 2;
  check_fails(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 0, &tensor), "RuntimeError",
              NULL);
  assert_int_equal(source.num_deleted, 0);
  assert_null(tensor);
}

TEST(test_F_16_no_deleter) {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  init_source_2x3(&source);
  source.plain.deleter = NULL;
  source.versioned.deleter = NULL;
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor));
  TVMFFIObjectDecRef(tensor);
  check_ok(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 0, &tensor));
  TVMFFIObjectDecRef(tensor);
}

TEST(test_F_17_round_trips_leave_nothing_behind) {
  tensor_source source;
  TVMFFIObjectHandle first, second, third;
  DLManagedTensor *plain;
  DLManagedTensorVersioned *versioned;
  init_source_2x3(&source);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &first));
  check_ok(TVMFFITensorToDLPack(first, &plain));
  check_ok(TVMFFITensorFromDLPack(plain, 0, 0, &second));
  check_ok(TVMFFITensorToDLPackVersioned(second, &versioned));
  check_ok(TVMFFITensorFromDLPackVersioned(versioned, 0, 0, &third));
  assert_int_equal(check_use_count(first), 2);
  TVMFFIObjectDecRef(second);
  assert_int_equal(check_use_count(first), 2);
  TVMFFIObjectDecRef(third);
  assert_int_equal(check_use_count(first), 1);
  assert_int_equal(source.num_deleted, 0);
  TVMFFIObjectDecRef(first);
  assert_int_equal(source.num_deleted, 1);
}

TEST(test_L_17i_exports_are_released_by_the_runtime) {
  const int64_t length = 5;
  tensor_source source;
  TVMFFIObjectHandle tensor;
  DLManagedTensorVersioned *exported;
  init_source(&source, 1, &length, NULL);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor));
  check_ok(TVMFFITensorToDLPackVersioned(tensor, &exported));
  TVMFFIObjectDecRef(tensor);
  assert_int_equal(source.num_deleted, 0);
  assert_int_equal(exported->dl_tensor.strides[0], 1); /* the strides are stored in the tensor */
  exported->deleter(exported);
  assert_int_equal(source.num_deleted, 1);
}

/* The last strong reference releases the contents, the last weak one the memory. */
TEST(test_weak_references) {
  tensor_source source;
  TVMFFIObjectHandle handle;
  TVMFFIObject *tensor;
  init_source_2x3(&source);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &handle));
  tensor = handle;
  tensor->combined_ref_count += TVMFFI_WEAK_ONE;
  TVMFFIObjectDecRef(tensor);
  assert_int_equal(source.num_deleted, 1);
  assert_true(tensor->combined_ref_count == TVMFFI_WEAK_ONE);
  tensor->deleter(tensor, kTVMFFIObjectDeleterFlagBitMaskWeak);
  assert_int_equal(source.num_deleted, 1);
}

static void release_in_thread(void *tensor) {
  TVMFFIObjectDecRef(tensor);
}

static void delete_in_thread(void *exported) {
  ((DLManagedTensor *)exported)->deleter(exported);
}

TEST(test_release_in_another_thread) {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  DLManagedTensor *exported;
  init_source_2x3(&source);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor));
  thread_run(release_in_thread, tensor, 0);
  assert_int_equal(source.num_deleted, 1);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor));
  check_ok(TVMFFITensorToDLPack(tensor, &exported));
  TVMFFIObjectDecRef(tensor);
  thread_run(delete_in_thread, exported, 0);
  assert_int_equal(source.num_deleted, 2);
}

/* Nests tensors by view, plain round trip and versioned round trip in turn. The argument is the
 * innermost tensor; returns NULL, or a message after a failure. */
static void *nest_and_release(void *innermost) {
  enum { kLevels = 1000000 };
  TVMFFIObjectHandle outermost = innermost;
  int i;
  for (i = 0; i < kLevels; ++i) {
    TVMFFIObjectHandle inner = outermost;
    DLManagedTensor *plain;
    DLManagedTensorVersioned *versioned;
    int rc;
    switch (i % 3) {
      case 0:
        rc = TVMFFITensorCreateUnsafeView(inner, TVMFFITensorGetDLTensorPtr(inner), &outermost);
        break;
      case 1:
        rc = TVMFFITensorToDLPack(inner, &plain);
        if (rc == 0) rc = TVMFFITensorFromDLPack(plain, 0, 0, &outermost);
        break;
      default:
        rc = TVMFFITensorToDLPackVersioned(inner, &versioned);
        if (rc == 0) rc = TVMFFITensorFromDLPackVersioned(versioned, 0, 0, &outermost);
        break;
    }
    if (rc != 0) return "a level could not be made";
    TVMFFIObjectDecRef(inner);
  }
  TVMFFIObjectDecRef(outermost);
  return NULL;
}

TEST(test_L_21_a_million_levels_in_a_small_stack) {
  size_t stack_size = 256 * 1024;
  tensor_source source;
  TVMFFIObjectHandle tensor;
  init_source_2x3(&source);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor));
  assert_null(thread_call(nest_and_release, tensor, stack_size));
  assert_int_equal(source.num_deleted, 1);
}

RUN_TESTS({
    cmocka_unit_test(test_F_16_refused_tensors_stay_the_callers),
    cmocka_unit_test(test_F_16_no_deleter),
    cmocka_unit_test(test_F_17_round_trips_leave_nothing_behind),
    cmocka_unit_test(test_L_17i_exports_are_released_by_the_runtime),
    cmocka_unit_test(test_weak_references),
    cmocka_unit_test(test_release_in_another_thread),
    cmocka_unit_test(test_L_21_a_million_levels_in_a_small_stack),
})
