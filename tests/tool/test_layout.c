/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of every layout: where its elements are, that values go in and out, and that a changed
 * byte of a gap is found. */
#define _POSIX_C_SOURCE 200809L
#include <tvm/ffi/c.h>
#if !defined(_WIN32)
#include <unistd.h>
#endif

#include "support/check.h"
#include "system/system.h"
#include "value/layout.h"

static const int64_t kShape[] = {2, 3};
static const float kValues[] = {1, 2, 3, 4, 5, 6};

static const char *address_of(const storage *s, int64_t i, int64_t j) {
  const char *data = tvm_ffi_tensor_get_data(&s->tensor);
  return data + (i * s->tensor.strides[0] + j * s->tensor.strides[1]) * (int64_t)sizeof(float);
}

/* Fills it, looks at each element, and reads the values back. */
static void check_values(storage *s) {
  float read[6], element;
  char where[96];
  int64_t i;
  assert_true(storage_fill(s, kValues));
  for (i = 0; i < 6; ++i) {
    memcpy(&element, address_of(s, i / 3, i % 3), sizeof element);
    assert_true(element == kValues[i]);
  }
  storage_read(s, read);
  assert_memory_equal(read, kValues, sizeof read);
  assert_true(storage_is_intact(s, where, sizeof where));
}

/* Changes each byte that can be written and is of no element. */
static size_t check_gaps(storage *s) {
  size_t found = 0;
  char where[96], *byte;
  for (byte = s->block->low; byte < s->block->high; ++byte) {
    int64_t i;
    for (i = 0; i < 6; ++i) {
      const char *element = address_of(s, i / 3, i % 3);
      if (byte >= element && byte < element + sizeof(float)) break;
    }
    if (i < 6) continue;
    *byte = (char)(s->fill ^ 1);
    assert_false(storage_is_intact(s, where, sizeof where));
    *byte = (char)s->fill;
    ++found;
  }
  assert_true(storage_is_intact(s, where, sizeof where));
  return found;
}

static void check_layout(const layout *how) {
  storage *s = storage_new(TVM_FFI_C_FLOAT32, kShape, 2, how);
  const char *data;
  assert_non_null(s);
  data = s->tensor.data;
  assert_int_equal(s->tensor.byte_offset, how->byte_offset);
  assert_true(data >= s->block->begin);
  assert_true(data <= s->block->begin + s->block->size);
  if (how->guard == kGuardNone) {
    assert_int_equal((uintptr_t)s->block->begin % 64, how->misaligned);
  } else {
    const char *edge = s->block->begin + (how->guard == kGuardEnd ? s->block->size : 0);
    assert_int_equal((uintptr_t)edge % pages_size(), 0);
  }
  check_values(s);
  check_gaps(s);
  storage_free(s);
}

TEST(test_layouts) {
  static const int64_t kStrides[][2] = {{3, 1}, {1, 2}, {6, 2}, {-3, -1}, {20, -3}, {-1, 2}};
  size_t i, j;
  for (i = 0; i < sizeof kStrides / sizeof *kStrides; ++i) {
    const tensor_guard guards[] = {kGuardNone, kGuardStart, kGuardEnd};
    for (j = 0; j < 3; ++j) {
      layout how = kLayoutPacked;
      how.strides = kStrides[i];
      how.guard = guards[j];
      check_layout(&how);
      how.byte_offset = 12;
      check_layout(&how);
      how.byte_offset = 1000;
      how.before = 7;
      how.behind = 9;
      how.fill = 0;
      check_layout(&how);
      how.misaligned = guards[j] == kGuardNone ? 63 : 0;
      check_layout(&how);
    }
  }
}

/* Says which byte it was. */
TEST(test_where) {
  static const int64_t kStrides[] = {-6, 2};
  layout how = kLayoutPacked;
  storage *s;
  char where[96], *lowest;
  how.strides = kStrides;
  s = storage_new(TVM_FFI_C_FLOAT32, kShape, 2, &how);
  assert_non_null(s);
  lowest = (char *)s->tensor.data - 24;
  lowest[-3] = 1;
  assert_false(storage_is_intact(s, where, sizeof where));
  assert_string_equal(where, "byte 3 before its lowest element");
  lowest[-3] = (char)0xff;
  lowest[4] = 1;
  assert_false(storage_is_intact(s, where, sizeof where));
  assert_string_equal(where, "byte 5 from its lowest element on, between elements");
  lowest[4] = (char)0xff;
  lowest[44] = 1;
  assert_false(storage_is_intact(s, where, sizeof where));
  assert_string_equal(where, "byte 1 after its highest element");
  storage_free(s);
}

/* Two rows that are the same memory: the last value stays. */
TEST(test_broadcast) {
  static const int64_t kStrides[] = {0, 1};
  static const float kKept[] = {4, 5, 6, 4, 5, 6};
  layout how = kLayoutPacked;
  storage *s;
  float read[6];
  how.strides = kStrides;
  s = storage_new(TVM_FFI_C_FLOAT32, kShape, 2, &how);
  assert_non_null(s);
  assert_int_equal(s->block->size, 12);
  assert_true(storage_fill(s, kValues));
  storage_read(s, read);
  assert_memory_equal(read, kKept, sizeof read);
  storage_free(s);
}

/* Read-only pages are filled all the same, again and again. */
TEST(test_read_only_pages) {
  layout how = kLayoutPacked;
  storage *s;
  how.has_read_only_pages = true;
  s = storage_new(TVM_FFI_C_FLOAT32, kShape, 2, &how);
  assert_non_null(s);
  check_values(s);
  check_values(s);
  storage_free(s);
}

/* More elements than most systems have memory; where addresses have 32 bits, no more than finds a
 * free range in any of their layouts. */
TEST(test_no_memory) {
  const int64_t shape[] = {(int64_t)1 << (sizeof(size_t) == 8 ? 33 : 24)};
  layout how = kLayoutPacked;
  storage *s;
  char where[96];
  how.has_no_memory = how.has_read_only_pages = true;
  s = storage_new(TVM_FFI_C_FLOAT32, shape, 1, &how);
  assert_non_null(s);
  assert_true(storage_is_intact(s, where, sizeof where));
  assert_false(storage_fill(s, kValues));
  TVMFFIErrorSetRaised(NULL);
  storage_free(s);
}

/* An object keeps the memory, and has the layout, the device and the flag. */
TEST(test_objects) {
  static const int64_t kStrides[] = {1, 2};
  layout how = kLayoutPacked;
  storage *s;
  TVMFFIObjectHandle object;
  DLManagedTensorVersioned *exported;
  DLTensor *tensor;
  memory_kind kind;
  float read[6];
  how.strides = kStrides;
  how.byte_offset = 4;
  how.is_read_only = true;
  how.device = tvm_ffi_device_make(kDLCUDA, 3);
  s = storage_new(TVM_FFI_C_FLOAT32, kShape, 2, &how);
  assert_non_null(s);
  assert_true(storage_fill(s, kValues));
  object = storage_make_object(s);
  assert_non_null(object);
  assert_true(memory_find(s->tensor.data, &kind));
  storage_free(s);
  tensor = TVMFFITensorGetDLTensorPtr(object);
  assert_int_equal(tensor->byte_offset, 4);
  assert_int_equal(tensor->strides[1], 2);
  assert_int_equal(tensor->device.device_id, 3);
  tensor_gather(tensor, read);
  assert_memory_equal(read, kValues, sizeof read);
  assert_int_equal(TVMFFITensorToDLPackVersioned(object, &exported), 0);
  assert_int_equal(exported->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  exported->deleter(exported);
  assert_true(memory_find(tensor->data, &kind));
  assert_int_equal(kind, kMemoryPlain);
  TVMFFIObjectDecRef(object);
  assert_false(memory_find(&read, &kind));
}

#if !defined(_WIN32)
static int ends[2]; /* of a pipe, through which the system reads and writes memory for us */

static bool can_read(const char *address) {
  char byte;
  return write(ends[1], address, 1) == 1 && read(ends[0], &byte, 1) == 1;
}

/* Writes the byte that is there. */
static bool can_write(char *address) {
  char byte;
  if (write(ends[1], address, 1) != 1) return false;
  if (read(ends[0], address, 1) == 1) return true;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  return false;
}

TEST(test_access) {
  layout how = kLayoutPacked;
  storage *s;
  char *data, *low;
  assert_int_equal(pipe(ends), 0);
  how.guard = kGuardEnd;
  s = storage_new(TVM_FFI_C_FLOAT32, kShape, 2, &how);
  data = s->tensor.data;
  low = s->block->low;
  assert_true(can_write(data + 23));
  assert_false(can_read(data + 24));
  assert_false(can_read(low - 1));
  storage_free(s);
  assert_false(can_read(data + 23)); /* a use that comes too late is found, too */
  how.guard = kGuardStart;
  s = storage_new(TVM_FFI_C_FLOAT32, kShape, 2, &how);
  data = s->tensor.data;
  assert_true(can_write(data));
  assert_false(can_read(data - 1));
  storage_free(s);
  how.guard = kGuardNone;
  how.has_read_only_pages = true;
  s = storage_new(TVM_FFI_C_FLOAT32, kShape, 2, &how);
  assert_true(can_read(s->tensor.data));
  assert_false(can_write(s->tensor.data));
  assert_true(storage_fill(s, kValues));
  assert_false(can_write(s->tensor.data));
  storage_free(s);
  how.has_no_memory = true;
  s = storage_new(TVM_FFI_C_FLOAT32, kShape, 2, &how);
  assert_false(can_read(s->tensor.data));
  storage_free(s);
  close(ends[0]);
  close(ends[1]);
}
#endif

/* Two tensors in the same memory: each one's elements are no gaps for the other. */
TEST(test_shared) {
  static const int64_t kThree[] = {3}, kTwo[] = {2};
  layout how = kLayoutPacked;
  storage *s, *other;
  char where[96];
  float read[3];
  how.behind = 4;
  s = storage_new(TVM_FFI_C_FLOAT32, kTwo, 1, &how);
  assert_non_null(s);
  assert_true(storage_fill(s, kValues));
  assert_null(
      storage_share(s, TVM_FFI_C_FLOAT32, kThree, 1, 4, &kLayoutPacked)); /* four bytes too far */
  assert_null(storage_share(s, TVM_FFI_C_FLOAT32, kTwo, 1, -4, &kLayoutPacked));
  TVMFFIErrorSetRaised(NULL);
  other = storage_share(s, TVM_FFI_C_FLOAT32, kTwo, 1, 4, &kLayoutPacked);
  assert_non_null(other);
  assert_true(storage_fill(other, kValues + 4));
  storage_read(s, read);
  assert_true(read[0] == 1 && read[1] == 5);
  assert_true(storage_is_intact(s, where, sizeof where));
  assert_true(storage_is_intact(other, where, sizeof where));
  storage_free(other);
  assert_false(storage_is_intact(s, where, sizeof where));
  assert_string_equal(where, "byte 1 after its highest element");
  storage_free(s);
}

static void check_refused(DLDataType dtype, const int64_t *shape, int32_t ndim, const layout *how,
                          const char *message) {
  storage *s = storage_new(dtype, shape, ndim, how);
  TVMFFIObjectHandle error;
  assert_null(s);
  error = tvm_ffi_error_take();
  assert_non_null(error);
  assert_string_equal(tvm_ffi_error_get_kind(error).data, "ValueError");
  assert_non_null(strstr(tvm_ffi_error_get_message(error).data, message));
  TVMFFIObjectDecRef(error);
}

TEST(test_refused) {
  static const int64_t kNegative[] = {2, -3}, kFar[] = {INT64_MAX / 2, 1}, kApart[] = {8, 2};
  static const int64_t kLarge[] = {5000, 5000}, kOnes[] = {1, 1};
  layout how = kLayoutPacked;
  check_refused(TVM_FFI_C_FLOAT32, kNegative, 2, &how, "negative extent");
  how.strides = kFar;
  check_refused(TVM_FFI_C_FLOAT32, kShape, 2, &how, "reach beyond what can be addressed");
  how.strides = kApart;
  how.strides = kOnes;
  check_refused(TVM_FFI_C_INT8, kLarge, 2, &how, "too many of its elements share memory");
  how.strides = kApart;
  check_refused(tvm_ffi_dtype_make(kDLInt, 4, 1), kShape, 2, &how, "whole bytes");
  how.strides = NULL;
  how.misaligned = 64;
  check_refused(TVM_FFI_C_FLOAT32, kShape, 2, &how, "less than 64 bytes");
  how.misaligned = 1;
  how.guard = kGuardEnd;
  check_refused(TVM_FFI_C_FLOAT32, kShape, 2, &how, "next to a guard");
}

TEST(test_empty) {
  static const int64_t kEmpty[] = {0, 3}, kStrides[] = {-7, 5};
  layout how = kLayoutPacked;
  storage *s;
  char where[96];
  how.strides = kStrides;
  how.byte_offset = 5;
  s = storage_new(TVM_FFI_C_FLOAT32, kEmpty, 2, &how);
  assert_non_null(s);
  assert_true(storage_fill(s, kValues));
  assert_true(storage_is_intact(s, where, sizeof where));
  storage_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#if !defined(_WIN32)
    cmocka_unit_test(test_access),
#endif
    cmocka_unit_test(test_shared),
    cmocka_unit_test(test_layouts),
    cmocka_unit_test(test_where),
    cmocka_unit_test(test_broadcast),
    cmocka_unit_test(test_read_only_pages),
    cmocka_unit_test(test_no_memory),
    cmocka_unit_test(test_objects),
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_empty)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
