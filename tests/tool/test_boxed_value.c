/* SPDX-License-Identifier: Apache-2.0 */
/* Values in a box: what is put comes out, and what foreign code has written instead is refused
 * without a crash, and without more memory than the box has bytes. */
#include <limits.h>
#include <tvm/ffi/c.h>

#include "process/box.h"
#include "support/check.h"
#include "value/boxed_value.h"

enum { kRoom = 1 << 20, kManyDims = 65, kDeepest = 64 };
/* As boxed_value.c numbers them. */
enum { kPlain, kText, kBytes, kTensor, kList, kShown };

static box *open_box(void) {
  box *b = box_open(0, kRoom);
  assert_non_null(b);
  return b;
}

static void put_byte(box *b, int byte) {
  const unsigned char value = (unsigned char)byte;
  assert_true(box_put(b, &value, 1));
}

static void put_count(box *b, int64_t count) {
  assert_true(box_put(b, &count, sizeof count));
}

/* Reads a value that must be refused, and empties the box. */
static void check_refused(box *b) {
  TVMFFIAny value;
  bool shown = false;
  box_begin(b);
  assert_false(box_get_value(b, &value, &shown));
  tvm_ffi_any_clear(&value);
  box_empty(b);
}

/* Puts and reads a value. */
static TVMFFIAny send_value(box *b, TVMFFIAny value, bool *shown) {
  TVMFFIAny out;
  box_empty(b);
  assert_true(box_put_value(b, &value));
  box_begin(b);
  *shown = false;
  assert_true(box_get_value(b, &out, shown));
  assert_true(box_left(b) == 0);
  return out;
}

TEST(test_values) {
  box *b = open_box();
  const TVMFFIAny plain[] = {tvm_ffi_any_none(), tvm_ffi_any_from_int64(-7),
                             tvm_ffi_any_from_bool(true), tvm_ffi_any_from_double(0.5),
                             tvm_ffi_any_from_dtype(TVM_FFI_C_FLOAT32)};
  TVMFFIByteArray text;
  TVMFFIAny out;
  bool shown;
  size_t i;
  for (i = 0; i < sizeof plain / sizeof *plain; ++i) {
    out = send_value(b, plain[i], &shown);
    assert_int_equal(out.type_index, plain[i].type_index);
    assert_true(out.v_int64 == plain[i].v_int64);
    assert_false(shown);
  }
  out = send_value(b, tvm_ffi_any_view_string("words"), &shown);
  assert_true(tvm_ffi_any_try_string(&out, &text) && text.size == 5 && !shown);
  tvm_ffi_any_clear(&out);
  box_close(b);
}

/* A view of a tensor is shown where it has more dimensions than a box takes. */
TEST(test_tensors) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[kManyDims], strides[kManyDims];
  box *b = open_box();
  TVMFFIObjectHandle copy;
  DLTensor tensor, *read = NULL;
  TVMFFIAny out;
  bool shown;
  int i;
  for (i = 0; i < kManyDims; ++i) shape[i] = 1;
  shape[0] = 2;
  shape[1] = 3;
  tvm_ffi_tensor_init(&tensor, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 2, shape,
                      strides);
  out = send_value(b, tvm_ffi_any_view_tensor(&tensor), &shown);
  assert_true(tvm_ffi_any_try_tensor(&out, &read) && !shown);
  assert_memory_equal(read->data, data, sizeof data);
  tvm_ffi_any_clear(&out);

  tvm_ffi_tensor_init(&tensor, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, kManyDims,
                      shape, strides);
  out = send_value(b, tvm_ffi_any_view_tensor(&tensor), &shown);
  assert_true(shown);
  tvm_ffi_any_clear(&out);
  box_empty(b);
  assert_true(box_put_tensor(b, &tensor));
  box_begin(b);
  assert_true(box_get_tensor(b, &copy));
  assert_null(copy);
  box_close(b);
}

/* Numbers of types whose values are addresses. */
TEST(test_forged_addresses) {
  box *b = open_box();
  TVMFFIAny forged;
  int32_t type;
  size_t num_taken = 0;
  for (type = -2; type < 300; ++type) {
    TVMFFIAny out;
    bool shown = false;
    memset(&forged, 0, sizeof forged);
    forged.type_index = type;
    forged.v_int64 = 0x4141414141414141;
    put_byte(b, kPlain);
    assert_true(box_put(b, &forged, sizeof forged));
    box_begin(b);
    if (box_get_value(b, &out, &shown)) ++num_taken;
    tvm_ffi_any_clear(&out); /* crashes if it is taken for an object */
    box_empty(b);
  }
  assert_true(num_taken == 7);
  box_close(b);
}

TEST(test_forged_depth) {
  box *b = open_box();
  TVMFFIAny out;
  bool shown = false;
  int i, depth;
  for (depth = kDeepest - 1; depth <= kDeepest; ++depth) {
    for (i = 0; i <= depth; ++i) {
      put_byte(b, kList);
      put_count(b, i < depth);
    }
    if (depth == kDeepest) {
      check_refused(b);
    } else {
      box_begin(b);
      assert_true(box_get_value(b, &out, &shown));
      tvm_ffi_any_clear(&out);
      box_empty(b);
    }
  }
  while (box_size(b) + 9 <= kRoom) {
    put_byte(b, kList);
    put_count(b, 1);
  }
  check_refused(b);
  box_close(b);
}

/* Shapes of which the box does not have the elements. */
TEST(test_forged_shapes) {
  static const int64_t kShapes[] = {-1, kRoom, (int64_t)1 << 30, (int64_t)1 << 46, INT64_MAX};
  static const int32_t kDims[] = {-1, kManyDims, INT32_MAX};
  const DLDataType dtype = TVM_FFI_C_FLOAT32;
  const int32_t num_dims = 1;
  box *b = open_box();
  size_t i;
  for (i = 0; i < sizeof kShapes / sizeof *kShapes; ++i) {
    put_byte(b, kTensor);
    assert_true(box_put(b, &dtype, sizeof dtype) && box_put(b, &num_dims, sizeof num_dims));
    put_count(b, kShapes[i]);
    check_refused(b);
  }
  for (i = 0; i < sizeof kDims / sizeof *kDims; ++i) {
    put_byte(b, kTensor);
    assert_true(box_put(b, &dtype, sizeof dtype) && box_put(b, &kDims[i], sizeof *kDims));
    check_refused(b);
  }
  box_close(b);
}

TEST(test_forged_rest) {
  const size_t sizes[] = {1, kRoom, SIZE_MAX};
  box *b = open_box();
  size_t i;
  int kind;
  for (kind = kShown + 1; kind <= UCHAR_MAX; ++kind) {
    put_byte(b, kind);
    put_count(b, 0);
    check_refused(b);
  }
  for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    put_byte(b, i % 2 == 0 ? kText : kBytes);
    assert_true(box_put(b, &sizes[i], sizeof sizes[i]));
    check_refused(b);
  }
  put_byte(b, kList);
  put_count(b, INT64_MAX);
  check_refused(b);
  put_byte(b, kList);
  put_count(b, -1);
  check_refused(b);
  check_refused(b); /* nothing at all */
  box_close(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),           cmocka_unit_test(test_tensors),
      cmocka_unit_test(test_forged_addresses), cmocka_unit_test(test_forged_depth),
      cmocka_unit_test(test_forged_shapes),    cmocka_unit_test(test_forged_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
