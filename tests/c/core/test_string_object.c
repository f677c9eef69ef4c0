/* SPDX-License-Identifier: Apache-2.0 */
#include "core/string_object.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/object.h"
#include "support/check.h"

static const char kText[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static TVMFFIByteArray view(const char *data, size_t size) {
  TVMFFIByteArray bytes;
  bytes.data = data;
  bytes.size = size;
  return bytes;
}

/* Tests all lengths around the limit between small values and objects. */
static void check_lengths(int (*make)(const TVMFFIByteArray *, TVMFFIAny *), int32_t small_index,
                          int32_t heap_index) {
  size_t size;
  for (size = 0; size < sizeof kText; ++size) {
    TVMFFIByteArray input = view(kText, size), content;
    TVMFFIAny out;
    memset(&out, 0xA5, sizeof out);
    check_ok(make(&input, &out));
    if (size <= 7) {
      assert_int_equal(out.type_index, small_index);
      content = TVMFFISmallBytesGetContentByteArray(&out);
    } else {
      assert_int_equal(out.type_index, heap_index);
      assert_int_equal(out.zero_padding, 0);
      assert_int_equal(out.v_obj->type_index, heap_index);
      assert_int_equal(check_use_count(out.v_obj), 1);
      content = *TVMFFIBytesGetByteArrayPtr(out.v_obj);
    }
    assert_int_equal(content.size, size);
    assert_memory_equal(content.data, kText, size);
    assert_int_equal(content.data[size], '\0');
    check_release(&out);
  }
}

TEST(test_strings_of_all_lengths) {
  check_lengths(TVMFFIStringFromByteArray, kTVMFFISmallStr, kTVMFFIStr);
}

TEST(test_bytes_of_all_lengths) {
  check_lengths(TVMFFIBytesFromByteArray, kTVMFFISmallBytes, kTVMFFIBytes);
}

TEST(test_heap_content_stands_behind_the_cell) {
  TVMFFIObject *string = tvmffi_string_new(kTVMFFIStr, kText, 20);
  assert_non_null(string);
  assert_ptr_equal(TVMFFIBytesGetByteArrayPtr(string)->data,
                   (char *)string + sizeof(TVMFFIObject) + sizeof(TVMFFIByteArray));
  TVMFFIObjectDecRef(string);
}

TEST(test_short_heap_string) {
  TVMFFIObject *string = tvmffi_string_new(kTVMFFIStr, "ab", 2);
  assert_non_null(string);
  assert_int_equal(string->type_index, kTVMFFIStr);
  assert_string_equal(TVMFFIBytesGetByteArrayPtr(string)->data, "ab");
  TVMFFIObjectDecRef(string);
}

TEST(test_embedded_nul) {
  TVMFFIByteArray small = view("a\0b", 3), large = view("a\0b\0c\0d\0e", 9);
  TVMFFIAny out;
  check_ok(TVMFFIStringFromByteArray(&small, &out));
  assert_int_equal(out.small_str_len, 3);
  assert_memory_equal(out.v_bytes, "a\0b\0\0\0\0", 8);
  check_ok(TVMFFIStringFromByteArray(&large, &out));
  assert_int_equal(TVMFFIBytesGetByteArrayPtr(out.v_obj)->size, 9);
  assert_memory_equal(TVMFFIBytesGetByteArrayPtr(out.v_obj)->data, "a\0b\0c\0d\0e", 10);
  check_release(&out);
}

TEST(test_F_19_no_data_when_size_is_zero) {
  TVMFFIByteArray nothing = view(NULL, 0);
  TVMFFIObject *string;
  TVMFFIAny out;
  check_ok(TVMFFIStringFromByteArray(&nothing, &out));
  assert_int_equal(out.type_index, kTVMFFISmallStr);
  assert_int_equal(out.small_str_len, 0);
  check_ok(TVMFFIBytesFromByteArray(&nothing, &out));
  assert_int_equal(out.type_index, kTVMFFISmallBytes);
  string = tvmffi_string_new(kTVMFFIBytes, NULL, 0);
  assert_non_null(string);
  assert_string_equal(TVMFFIBytesGetByteArrayPtr(string)->data, "");
  TVMFFIObjectDecRef(string);
}

TEST(test_the_output_may_hold_the_input) {
  TVMFFIAny value;
  size_t size;
  for (size = 0; size <= 7; ++size) {
    TVMFFIByteArray input = view(kText, size);
    check_ok(TVMFFIStringFromByteArray(&input, &value));
    input = TVMFFISmallBytesGetContentByteArray(&value);
    check_ok(TVMFFIBytesFromByteArray(&input, &value));
    assert_int_equal(value.type_index, kTVMFFISmallBytes);
    assert_int_equal(value.small_str_len, size);
    assert_memory_equal(value.v_bytes, kText, size);
  }
}

TEST(test_refusals) {
  TVMFFIByteArray no_data = view(NULL, 1), endless = view(kText, SIZE_MAX);
  TVMFFIAny out, before;
  memset(&out, 0xA5, sizeof out);
  before = out;
  check_fails_with(TVMFFIStringFromByteArray(NULL, &out), "ValueError", "input");
  check_fails_with(TVMFFIStringFromByteArray(&no_data, &out), "ValueError", "input->data");
  check_fails_with(TVMFFIStringFromByteArray(&no_data, NULL), "ValueError", "out");
  check_fails_with(TVMFFIBytesFromByteArray(NULL, &out), "ValueError", "input");
  check_fails_with(TVMFFIBytesFromByteArray(&no_data, &out), "ValueError", "input->data");
  check_fails_with(TVMFFIBytesFromByteArray(&no_data, NULL), "ValueError", "out");
  check_fails(TVMFFIStringFromByteArray(&endless, &out), "MemoryError", NULL);
  assert_memory_equal(&out, &before, sizeof out);
}

TEST(test_the_limit_before_is_returned) {
  assert_int_equal(TVMFFIRuntimeSetTextLimit(1000), 1 << 30);
  assert_int_equal(tvmffi_text_limit_get(), 1000);
  assert_int_equal(TVMFFIRuntimeSetTextLimit(UINT64_MAX), 1000);
  assert_true(tvmffi_text_limit_get() >= SIZE_MAX - 1);
  assert_true(TVMFFIRuntimeSetTextLimit(0) == UINT64_MAX);
  assert_int_equal(tvmffi_text_limit_get(), 1 << 30);
}

TEST(test_shutdown_restores_the_default) {
  (void)TVMFFIRuntimeSetTextLimit(1000);
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(tvmffi_text_limit_get(), 1 << 30);
}

TEST(test_a_text_that_failed) {
  tvmffi_buf text = TVMFFI_BUF_INIT;
  text.max_size = 3;
  tvmffi_buf_append(&text, "abc", 3);
  assert_false(text.failed);
  tvmffi_buf_append(&text, "d", 1);
  assert_true(text.failed);
  check_fails(tvmffi_text_limit_fail("ffi.Test", &text), "ValueError",
              "ffi.Test: the text is longer than the limit of 3 bytes (TVMFFIRuntimeSetTextLimit)");
  text.is_too_long = false;
  check_fails(tvmffi_text_limit_fail("ffi.Test", &text), "MemoryError", NULL);
  tvmffi_buf_fini(&text);
}

RUN_TESTS({
    cmocka_unit_test(test_strings_of_all_lengths),
    cmocka_unit_test(test_bytes_of_all_lengths),
    cmocka_unit_test(test_heap_content_stands_behind_the_cell),
    cmocka_unit_test(test_short_heap_string),
    cmocka_unit_test(test_embedded_nul),
    cmocka_unit_test(test_F_19_no_data_when_size_is_zero),
    cmocka_unit_test(test_the_output_may_hold_the_input),
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_the_limit_before_is_returned),
    cmocka_unit_test(test_shutdown_restores_the_default),
    cmocka_unit_test(test_a_text_that_failed),
})
