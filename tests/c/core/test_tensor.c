/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of tensors, and when they are released. */
#include "core/tensor.h"

#include <limits.h>

#include "c/tensor_source.h"
#include "core/object.h"
#include "support/thread.h"

TEST(test_import) {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  DLTensor *dl;
  init_source_2x3(&source);
  source.plain.dl_tensor.byte_offset = 8;
  source.plain.dl_tensor.device = TVMFFIDLDeviceFromIntPair(kDLCUDA, 3);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor));
  assert_int_equal(TVMFFIObjectGetTypeIndex(tensor), kTVMFFITensor);
  dl = TVMFFITensorGetDLTensorPtr(tensor);
  assert_memory_equal(dl, &source.plain.dl_tensor, sizeof *dl);
  TVMFFIObjectDecRef(tensor);
  assert_int_equal(source.num_deleted, 1);
}

TEST(test_import_versioned) {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  init_source_2x3(&source);
  check_ok(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 0, &tensor));
  assert_memory_equal(TVMFFITensorGetDLTensorPtr(tensor), &source.versioned.dl_tensor,
                      sizeof(DLTensor));
  TVMFFIObjectDecRef(tensor);
  assert_int_equal(source.num_deleted, 1);
}

TEST(test_F_7_no_dimensions) {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  init_source(&source, 0, NULL, NULL);
  source.plain.dl_tensor.shape = NULL;
  source.versioned.dl_tensor.shape = NULL;
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 1, &tensor));
  assert_int_equal(TVMFFITensorGetDLTensorPtr(tensor)->ndim, 0);
  TVMFFIObjectDecRef(tensor);
  check_ok(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 1, &tensor));
  TVMFFIObjectDecRef(tensor);
}

TEST(test_L_6_major_version) {
  TVMFFIObjectHandle tensor = NULL;
  /* Only the version may be read. */
  void *version = malloc(sizeof(DLPackVersion));
  DLManagedTensorVersioned *managed = version;
  const DLPackVersion versions[] = {{0, 8}, {2, 0}, {99, 0}};
  size_t i;
  for (i = 0; i < 3; ++i) {
    memcpy(managed, &versions[i], sizeof versions[i]);
    check_fails_with(TVMFFITensorFromDLPackVersioned(managed, 64, 1, &tensor), "RuntimeError",
                     "DLPack version");
    check_fails_with(tvmffi_tensor_wrap_versioned(managed, &tensor), "RuntimeError",
                     "DLPack version");
    assert_null(tensor);
  }
  free(managed);
}

/* Checks the flags exported from a tensor with flags `given`, from its view, and from a view of it.
 */
static void check_flags(uint64_t given, uint64_t expected) {
  tensor_source source;
  TVMFFIObjectHandle tensor[3];
  DLManagedTensorVersioned *exported;
  int i;
  init_source_2x3(&source);
  source.versioned.flags = given;
  check_ok(tvmffi_tensor_wrap_versioned(&source.versioned, &tensor[0]));
  for (i = 0; i < 2; ++i) {
    check_ok(TVMFFITensorCreateUnsafeView(tensor[i], &source.versioned.dl_tensor, &tensor[i + 1]));
  }
  for (i = 0; i < 3; ++i) {
    DLManagedTensor *plain;
    check_ok(TVMFFITensorToDLPackVersioned(tensor[i], &exported));
    assert_int_equal(exported->flags, expected);
    exported->deleter(exported);
    check_ok(TVMFFITensorToDLPack(tensor[i], &plain));
    plain->deleter(plain);
    TVMFFIObjectDecRef(tensor[i]);
  }
  assert_int_equal(source.num_deleted, 1);
}

TEST(test_L_7_flags_are_kept) {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  DLManagedTensorVersioned *exported;
  check_flags(0, 0);
  check_flags(TVMFFI_TENSOR_READ_ONLY, TVMFFI_TENSOR_READ_ONLY);
  check_flags(TVMFFI_TENSOR_READ_ONLY | TVMFFI_TENSOR_PADDED,
              TVMFFI_TENSOR_READ_ONLY | TVMFFI_TENSOR_PADDED);
  /* A copy made for us is not one made for the consumer that we export to. */
  check_flags(DLPACK_FLAG_BITMASK_IS_COPIED | TVMFFI_TENSOR_READ_ONLY, TVMFFI_TENSOR_READ_ONLY);
  init_source_2x3(&source);
  source.versioned.flags = TVMFFI_TENSOR_READ_ONLY;
  check_ok(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 0, &tensor));
  check_ok(TVMFFITensorToDLPackVersioned(tensor, &exported));
  assert_int_equal(exported->flags, TVMFFI_TENSOR_READ_ONLY);
  exported->deleter(exported);
  TVMFFIObjectDecRef(tensor);
}

TEST(test_L_7_flags_survive_the_struct_without_flags) {
  tensor_source source;
  TVMFFIObjectHandle first, second;
  DLManagedTensor *plain;
  DLManagedTensorVersioned *exported;
  init_source_2x3(&source);
  source.versioned.flags = TVMFFI_TENSOR_READ_ONLY;
  check_ok(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 0, &first));
  check_ok(TVMFFITensorToDLPack(first, &plain));
  check_ok(TVMFFITensorFromDLPack(plain, 0, 0, &second));
  check_ok(TVMFFITensorToDLPackVersioned(second, &exported));
  assert_int_equal(exported->flags, TVMFFI_TENSOR_READ_ONLY);
  exported->deleter(exported);
  TVMFFIObjectDecRef(second);
  TVMFFIObjectDecRef(first);
}

TEST(test_padded_types) {
  tensor_source source;
  TVMFFIObjectHandle tensor = NULL;
  init_source_2x3(&source);
  source.versioned.flags = TVMFFI_TENSOR_PADDED;
  check_fails(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 0, &tensor), "RuntimeError",
              "Subbyte type padded is not yet supported");
  assert_int_equal(source.num_deleted, 0);
}

TEST(test_export) {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  DLManagedTensor *plain;
  DLManagedTensorVersioned *versioned;
  init_source_2x3(&source);
  check_ok(TVMFFITensorFromDLPack(&source.plain, 0, 0, &tensor));
  check_ok(TVMFFITensorToDLPack(tensor, &plain));
  check_ok(TVMFFITensorToDLPackVersioned(tensor, &versioned));
  assert_memory_equal(&plain->dl_tensor, TVMFFITensorGetDLTensorPtr(tensor), sizeof(DLTensor));
  assert_memory_equal(&versioned->dl_tensor, &plain->dl_tensor, sizeof(DLTensor));
  assert_int_equal(versioned->version.major, DLPACK_MAJOR_VERSION);
  assert_int_equal(versioned->version.minor, DLPACK_MINOR_VERSION);
  assert_int_equal(versioned->flags, 0);
  assert_int_equal(check_use_count(tensor), 3);
  plain->deleter(plain);
  versioned->deleter(versioned);
  assert_int_equal(check_use_count(tensor), 1);
  TVMFFIObjectDecRef(tensor);
}

TEST(test_view) {
  tensor_source source;
  TVMFFIObjectHandle view;
  DLTensor *dl;
  probe p;
  probe_init(&p);
  init_source_2x3(&source);
  source.plain.dl_tensor.byte_offset = 4;
  check_ok(TVMFFITensorCreateUnsafeView(&p, &source.plain.dl_tensor, &view));
  assert_int_equal(check_use_count(&p), 2);
  memset(source.shape, 0, sizeof source.shape);
  memset(source.strides, 0, sizeof source.strides);
  dl = TVMFFITensorGetDLTensorPtr(view);
  assert_ptr_equal(dl->data, source.data);
  assert_int_equal(dl->byte_offset, 4);
  assert_int_equal(dl->ndim, 2);
  assert_int_equal(dl->dtype.bits, 32);
  assert_int_equal(dl->shape[0], 2);
  assert_int_equal(dl->shape[1], 3);
  assert_int_equal(dl->strides[0], 3);
  assert_int_equal(dl->strides[1], 1);
  TVMFFIObjectDecRef(view);
  assert_int_equal(check_use_count(&p), 1);
}

TEST(test_L_5_view_without_dimensions) {
  tensor_source source;
  TVMFFIObjectHandle view;
  probe p;
  probe_init(&p);
  init_source(&source, 0, NULL, NULL);
  source.plain.dl_tensor.shape = NULL;
  check_ok(TVMFFITensorCreateUnsafeView(&p, &source.plain.dl_tensor, &view));
  assert_int_equal(TVMFFITensorGetDLTensorPtr(view)->ndim, 0);
  TVMFFIObjectDecRef(view);
}

/* A tensor made by another library has no tail that we may read. */
static void delete_nothing(void *self, int flags) {
  (void)self, (void)flags;
}

TEST(test_tensors_of_other_libraries) {
  struct {
    TVMFFIObject header;
    DLTensor dl;
    uint64_t tail[4];
  } foreign;
  tensor_source source;
  TVMFFIObjectHandle view;
  DLManagedTensorVersioned *exported;
  init_source_2x3(&source);
  memset(&foreign, 0xFF, sizeof foreign);
  foreign.header.combined_ref_count = UINT64_C(0x100000001);
  foreign.header.type_index = kTVMFFITensor;
  foreign.header.deleter = delete_nothing;
  foreign.dl = source.plain.dl_tensor;
  check_ok(TVMFFITensorToDLPackVersioned(&foreign, &exported));
  assert_int_equal(exported->flags, 0);
  exported->deleter(exported);
  check_ok(TVMFFITensorCreateUnsafeView(&foreign, &foreign.dl, &view));
  check_ok(TVMFFITensorToDLPackVersioned(view, &exported));
  assert_int_equal(exported->flags, 0);
  exported->deleter(exported);
  TVMFFIObjectDecRef(view);
  assert_int_equal(check_use_count(&foreign), 1);
}

TEST(test_refused_arguments) {
  tensor_source source;
  TVMFFIObjectHandle out = NULL;
  DLManagedTensor *plain = NULL;
  DLManagedTensorVersioned *versioned = NULL;
  probe p;
  probe_init(&p);
  init_source_2x3(&source);
  check_fails_with(TVMFFITensorFromDLPack(NULL, 0, 0, &out), "ValueError", "`from`");
  check_fails_with(TVMFFITensorFromDLPack(&source.plain, 0, 0, NULL), "ValueError", "`out`");
  check_fails_with(TVMFFITensorFromDLPackVersioned(NULL, 0, 0, &out), "ValueError", "`from`");
  check_fails_with(TVMFFITensorFromDLPackVersioned(&source.versioned, 0, 0, NULL), "ValueError",
                   "`out`");
  check_fails_with(TVMFFITensorToDLPack(NULL, &plain), "ValueError", "`from`");
  check_fails_with(TVMFFITensorToDLPack(&p, NULL), "ValueError", "`out`");
  check_fails(TVMFFITensorToDLPack(&p, &plain), "TypeError",
              "TVMFFITensorToDLPack: expected `ffi.Tensor` but got `ffi.Object`");
  check_fails_with(TVMFFITensorToDLPackVersioned(NULL, &versioned), "ValueError", "`from`");
  check_fails_with(TVMFFITensorToDLPackVersioned(&p, NULL), "ValueError", "`out`");
  check_fails_with(TVMFFITensorToDLPackVersioned(&p, &versioned), "TypeError", "`ffi.Object`");
  check_fails_with(TVMFFITensorCreateUnsafeView(NULL, &source.plain.dl_tensor, &out), "ValueError",
                   "`source`");
  check_fails_with(TVMFFITensorCreateUnsafeView(&p, NULL, &out), "ValueError", "`prototype`");
  check_fails_with(TVMFFITensorCreateUnsafeView(&p, &source.plain.dl_tensor, NULL), "ValueError",
                   "`out`");
  source.plain.dl_tensor.strides = NULL;
  check_fails(TVMFFITensorCreateUnsafeView(&p, &source.plain.dl_tensor, &out), "InternalError",
              "Check not null: prototype.strides");
  assert_null(out);
  assert_null(plain);
  assert_null(versioned);
  assert_int_equal(check_use_count(&p), 1);
  assert_int_equal(source.num_deleted, 0);
}

/* When tensors release their sources; test_tensor.c tests their contents. */

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
    cmocka_unit_test(test_import),
    cmocka_unit_test(test_import_versioned),
    cmocka_unit_test(test_F_7_no_dimensions),
    cmocka_unit_test(test_L_6_major_version),
    cmocka_unit_test(test_L_7_flags_are_kept),
    cmocka_unit_test(test_L_7_flags_survive_the_struct_without_flags),
    cmocka_unit_test(test_padded_types),
    cmocka_unit_test(test_export),
    cmocka_unit_test(test_view),
    cmocka_unit_test(test_L_5_view_without_dimensions),
    cmocka_unit_test(test_tensors_of_other_libraries),
    cmocka_unit_test(test_refused_arguments),
    cmocka_unit_test(test_F_16_refused_tensors_stay_the_callers),
    cmocka_unit_test(test_F_16_no_deleter),
    cmocka_unit_test(test_F_17_round_trips_leave_nothing_behind),
    cmocka_unit_test(test_L_17i_exports_are_released_by_the_runtime),
    cmocka_unit_test(test_weak_references),
    cmocka_unit_test(test_release_in_another_thread),
    cmocka_unit_test(test_L_21_a_million_levels_in_a_small_stack),
})
