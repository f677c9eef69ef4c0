/* SPDX-License-Identifier: Apache-2.0 */
#include "c/tensor_source.h"
#include "core/any.h"
#include "core/tensor.h"
#include "support/oom.h"

/* Each action makes or exports a tensor, in one allocation. */
typedef struct {
  tensor_source source;
  TVMFFIObjectHandle tensor;
  TVMFFIObjectHandle out;
  DLManagedTensor *plain;
  DLManagedTensorVersioned *versioned;
} job;

static int import_plain(void *context) {
  job *j = context;
  return TVMFFITensorFromDLPack(&j->source.plain, 0, 0, &j->out);
}

static int import_versioned(void *context) {
  job *j = context;
  return TVMFFITensorFromDLPackVersioned(&j->source.versioned, 0, 0, &j->out);
}

static int wrap(void *context) {
  job *j = context;
  return tvmffi_tensor_wrap_versioned(&j->source.versioned, &j->out);
}

static int view(void *context) {
  job *j = context;
  return TVMFFITensorCreateUnsafeView(j->tensor, TVMFFITensorGetDLTensorPtr(j->tensor), &j->out);
}

static int export_plain(void *context) {
  job *j = context;
  return TVMFFITensorToDLPack(j->tensor, &j->plain);
}

static int export_versioned(void *context) {
  job *j = context;
  return TVMFFITensorToDLPackVersioned(j->tensor, &j->versioned);
}

static void unchanged(void *context) {
  job *j = context;
  assert_int_equal(j->source.num_deleted, 0);
  assert_int_equal(check_use_count(j->tensor), 1);
  assert_null(j->out);
  assert_null(j->plain);
  assert_null(j->versioned);
}

static void undo(void *context) {
  job *j = context;
  TVMFFIObjectDecRef(j->out);
  if (j->plain != NULL) j->plain->deleter(j->plain);
  if (j->versioned != NULL) j->versioned->deleter(j->versioned);
  j->out = NULL;
  j->plain = NULL;
  j->versioned = NULL;
  j->source.num_deleted = 0;
}

TEST(test_one_allocation_each) {
  static int (*const kActions[])(void *) = {import_plain, import_versioned, wrap,
                                            view,         export_plain,     export_versioned};
  const int64_t shape[2] = {2, 3};
  tensor_source other;
  job j;
  size_t i;
  memset(&j, 0, sizeof j);
  init_source_2x3(&other);
  check_ok(TVMFFITensorFromDLPack(&other.plain, 0, 0, &j.tensor));
  init_source(&j.source, 2, shape, NULL);
  for (i = 0; i < sizeof kActions / sizeof kActions[0]; ++i) {
    assert_int_equal(oom_check(kActions[i], unchanged, undo, &j, 0), 1);
  }
  TVMFFIObjectDecRef(j.tensor);
}

TEST(test_refused_strides_free_the_object) {
  const int64_t shape[3] = {2, INT64_MAX, INT64_MAX};
  size_t before = oom_live_blocks();
  job j;
  memset(&j, 0, sizeof j);
  init_source(&j.source, 3, shape, NULL);
  check_fails(import_plain(&j), "ValueError", NULL);
  check_fails(wrap(&j), "ValueError", NULL);
  assert_int_equal(oom_live_blocks(), before);
}

/* ---- Shapes ---- */

static int make_from_args(void *out) {
  TVMFFIAny args[2];
  args[0] = args[1] = tvmffi_any_int(4);
  return tvmffi_shape_from_args(args, 2, out);
}

TEST(test_a_shape_is_one_allocation) {
  TVMFFIAny out = tvmffi_any_none();
  assert_int_equal(oom_check(make_from_args, oom_no_result, oom_release_result, &out, 0), 1);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_one_allocation_each),
    cmocka_unit_test(test_refused_strides_free_the_object),
    cmocka_unit_test(test_a_shape_is_one_allocation),
})
