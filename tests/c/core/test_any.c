/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"

#include "support/check.h"

/* Fills a value with poison, so that a byte that nobody writes shows. */
static void poison(TVMFFIAny *any) {
  memset(any, 0xA5, sizeof *any);
}

TEST(test_values_and_borrowed_pointers_are_copied) {
  static const int32_t kCopied[] = {4, 7, 11, 12, 13, 14, 63, -1};
  size_t i;
  for (i = 0; i < sizeof kCopied / sizeof kCopied[0]; ++i) {
    TVMFFIAny view, out;
    poison(&view);
    view.type_index = kCopied[i];
    poison(&out);
    check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
    assert_memory_equal(&out, &view, sizeof out);
  }
}

TEST(test_F_23_raw_text_and_bytes_become_owned) {
  char text[] = "long enough for the heap";
  char raw[] = "bytes, long enough as well";
  TVMFFIByteArray bytes = check_bytes(raw);
  TVMFFIAny view = tvmffi_any_raw_str(text), out;
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
  memset(text, '?', sizeof text - 1);
  assert_int_equal(out.type_index, kTVMFFIStr);
  assert_string_equal(TVMFFIBytesGetByteArrayPtr(out.v_obj)->data, "long enough for the heap");
  check_release(&out);
  view = tvmffi_any_ptr(kTVMFFIByteArrayPtr, &bytes);
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
  memset(raw, '?', sizeof raw - 1);
  assert_int_equal(out.type_index, kTVMFFIBytes);
  assert_int_equal(TVMFFIBytesGetByteArrayPtr(out.v_obj)->size, 26);
  assert_string_equal(TVMFFIBytesGetByteArrayPtr(out.v_obj)->data, "bytes, long enough as well");
  check_release(&out);
}

TEST(test_objects_gain_a_reference) {
  TVMFFIAny view, out;
  probe p;
  probe_init(&p);
  view = tvmffi_any_object(&p);
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
  assert_int_equal(check_use_count(&p), 2);
  assert_memory_equal(&out, &view, sizeof out);
  check_release(&out);
  assert_int_equal(check_use_count(&p), 1);
  assert_int_equal(p.strong_deletes, 0);
}

TEST(test_rvalue_references_hand_over) {
  TVMFFIObjectHandle slot;
  TVMFFIAny view, out, before;
  probe p;
  probe_init(&p);
  slot = &p;
  view = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &slot);
  poison(&out);
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
  assert_null(slot);
  assert_int_equal(check_use_count(&p), 1);
  assert_int_equal(out.type_index, kTVMFFIObject);
  assert_int_equal(out.zero_padding, 0);
  assert_ptr_equal(out.v_obj, &p);
  before = out;
  check_fails(TVMFFIAnyViewToOwnedAny(&view, &out), "InternalError", "RValueRef already moved");
  view.v_ptr = NULL;
  check_fails(TVMFFIAnyViewToOwnedAny(&view, &out), "InternalError", NULL);
  assert_memory_equal(&out, &before, sizeof out);
  check_release(&out);
  assert_int_equal(p.strong_deletes, 1);
}

TEST(test_the_output_may_be_the_view) {
  TVMFFIAny any = tvmffi_any_raw_str("text on the heap");
  check_ok(TVMFFIAnyViewToOwnedAny(&any, &any));
  assert_int_equal(any.type_index, kTVMFFIStr);
  check_release(&any);
}

TEST(test_refusals) {
  TVMFFIByteArray no_data = {NULL, 3};
  TVMFFIAny view = tvmffi_any_int(1), out, before;
  poison(&out);
  before = out;
  check_fails_with(TVMFFIAnyViewToOwnedAny(NULL, &out), "ValueError", "any_view");
  check_fails_with(TVMFFIAnyViewToOwnedAny(&view, NULL), "ValueError", "out");
  view = tvmffi_any_raw_str(NULL);
  check_fails(TVMFFIAnyViewToOwnedAny(&view, &out), "ValueError", NULL);
  view = tvmffi_any_ptr(kTVMFFIByteArrayPtr, NULL);
  check_fails(TVMFFIAnyViewToOwnedAny(&view, &out), "ValueError", NULL);
  view = tvmffi_any_ptr(kTVMFFIByteArrayPtr, &no_data);
  check_fails(TVMFFIAnyViewToOwnedAny(&view, &out), "ValueError", NULL);
  view = tvmffi_any_ptr(kTVMFFIStr, NULL);
  check_fails(TVMFFIAnyViewToOwnedAny(&view, &out), "ValueError", NULL);
  assert_memory_equal(&out, &before, sizeof out);
}

TEST(test_get_text) {
  TVMFFIAny any = tvmffi_any_raw_str("raw");
  TVMFFIByteArray text = {NULL, 99};
  assert_true(tvmffi_any_get_text(&any, &text));
  assert_int_equal(text.size, 3);
  assert_ptr_equal(text.data, any.v_c_str);
  any = tvmffi_any_raw_str("small");
  check_ok(TVMFFIAnyViewToOwnedAny(&any, &any));
  assert_true(tvmffi_any_get_text(&any, &text));
  assert_ptr_equal(text.data, any.v_bytes);
  assert_int_equal(text.size, 5);
  any = tvmffi_any_raw_str("not small any more");
  check_ok(TVMFFIAnyViewToOwnedAny(&any, &any));
  assert_true(tvmffi_any_get_text(&any, &text));
  assert_string_equal(text.data, "not small any more");
  any.type_index = kTVMFFIBytes;
  text.size = 99;
  assert_false(tvmffi_any_get_text(&any, &text));
  any.type_index = kTVMFFIStr;
  check_release(&any);
  assert_false(tvmffi_any_get_text(&any, &text));
  any = tvmffi_any_raw_str(NULL);
  assert_false(tvmffi_any_get_text(&any, &text));
  assert_int_equal(text.size, 99);
}

TEST(test_type_names) {
  static const struct {
    int32_t type_index;
    const char *name;
  } kNames[] = {
      {kTVMFFINone, "None"},
      {kTVMFFIInt, "int"},
      {kTVMFFIBool, "bool"},
      {kTVMFFIFloat, "float"},
      {kTVMFFIOpaquePtr, "void*"},
      {kTVMFFIDataType, "DataType"},
      {kTVMFFIDevice, "Device"},
      {kTVMFFIDLTensorPtr, "DLTensor*"},
      {kTVMFFIRawStr, "const char*"},
      {kTVMFFIByteArrayPtr, "TVMFFIByteArray*"},
      {kTVMFFIObjectRValueRef, "ObjectRValueRef"},
      {kTVMFFISmallStr, "ffi.SmallStr"},
      {kTVMFFISmallBytes, "ffi.SmallBytes"},
      {kTVMFFIUnchanged, "ffi.Unchanged"},
      {kTVMFFIObject, "ffi.Object"},
      {kTVMFFIStr, "ffi.String"},
      {kTVMFFITensor, "ffi.Tensor"},
      {kTVMFFIBigInt, "ffi.BigInt"},
      {-1, "unknown type"},
      {14, "unknown type"},
      {INT32_MAX, "unknown type"},
  };
  size_t i;
  for (i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    TVMFFIAny any = tvmffi_any_none();
    any.type_index = kNames[i].type_index;
    any.v_ptr = &any; /* any pointer that is not NULL */
    assert_string_equal(tvmffi_any_type_name(&any), kNames[i].name);
    any.v_ptr = NULL;
    if (kNames[i].type_index >= kTVMFFIStaticObjectBegin) {
      assert_string_equal(tvmffi_any_type_name(&any), "NULL");
    }
  }
}

/* F-22: comparison and hashing look at all 16 bytes of a value, so every byte must be written. */

/* ---- Every byte (F-22) ---- */

/* Checks all 16 bytes of a value, given as type index, padding and payload. */
static void check_image(const TVMFFIAny *any, int32_t type_index, uint32_t padding,
                        const void *payload, size_t payload_size) {
  unsigned char expected[16];
  memset(expected, 0, sizeof expected);
  memcpy(expected, &type_index, 4);
  memcpy(expected + 4, &padding, 4);
  memcpy(expected + 8, payload, payload_size);
  assert_memory_equal(any, expected, sizeof expected);
}

TEST(test_F_22_every_byte_of_made_values) {
  int64_t minus_two = -2, one = 1, zero = 0;
  const char *text = "text";
  TVMFFIAny any;
  probe p;
  void *obj = &p;
  probe_init(&p);
  poison(&any);
  any = tvmffi_any_none();
  check_image(&any, kTVMFFINone, 0, &zero, 8);
  poison(&any);
  any = tvmffi_any_int(-2);
  check_image(&any, kTVMFFIInt, 0, &minus_two, 8);
  poison(&any);
  any = tvmffi_any_bool(77);
  check_image(&any, kTVMFFIBool, 0, &one, 8);
  poison(&any);
  any = tvmffi_any_ptr(kTVMFFIOpaquePtr, text);
  check_image(&any, kTVMFFIOpaquePtr, 0, &text, sizeof text);
  poison(&any);
  any = tvmffi_any_raw_str(text);
  check_image(&any, kTVMFFIRawStr, 0, &text, sizeof text);
  poison(&any);
  any = tvmffi_any_object(&p);
  check_image(&any, kTVMFFIObject, 0, &obj, sizeof obj);
  poison(&any);
  any = tvmffi_any_object(NULL);
  check_image(&any, kTVMFFINone, 0, &zero, 8);
  any = tvmffi_any_object(&p);
  tvmffi_any_release(&any);
  check_image(&any, kTVMFFINone, 0, &zero, 8);
  assert_int_equal(p.strong_deletes, 1);
}

TEST(test_F_22_every_byte_of_owned_values) {
  int32_t i;
  TVMFFIAny view, out;
  TVMFFIByteArray bytes = check_bytes("abc");
  DLDataType dtype = {kDLFloat, 16, 4};
  DLDevice device = {kDLCUDA, 3};
  for (i = kTVMFFINone; i <= kTVMFFIFloat; ++i) { /* the same payload bits under each type index */
    int64_t payload = i == kTVMFFIBool ? 1 : INT64_C(-0x0123456789abcdef) * i;
    view = tvmffi_any_int(payload);
    view.type_index = i;
    poison(&out);
    check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
    check_image(&out, i, 0, &payload, 8);
  }
  view = tvmffi_any_none();
  view.type_index = kTVMFFIDataType;
  view.v_dtype = dtype;
  poison(&out);
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
  check_image(&out, kTVMFFIDataType, 0, &dtype, sizeof dtype);
  view = tvmffi_any_none();
  view.type_index = kTVMFFIDevice;
  view.v_device = device;
  poison(&out);
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
  check_image(&out, kTVMFFIDevice, 0, &device, sizeof device);
  view = tvmffi_any_raw_str("");
  poison(&out);
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
  check_image(&out, kTVMFFISmallStr, 0, "", 0);
  view = tvmffi_any_raw_str("seven b");
  poison(&out);
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
  check_image(&out, kTVMFFISmallStr, 7, "seven b", 7);
  view = tvmffi_any_ptr(kTVMFFIByteArrayPtr, &bytes);
  poison(&out);
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &out));
  check_image(&out, kTVMFFISmallBytes, 3, "abc", 3);
}

RUN_TESTS({
    cmocka_unit_test(test_values_and_borrowed_pointers_are_copied),
    cmocka_unit_test(test_F_23_raw_text_and_bytes_become_owned),
    cmocka_unit_test(test_objects_gain_a_reference),
    cmocka_unit_test(test_rvalue_references_hand_over),
    cmocka_unit_test(test_the_output_may_be_the_view),
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_get_text),
    cmocka_unit_test(test_type_names),
    cmocka_unit_test(test_F_22_every_byte_of_made_values),
    cmocka_unit_test(test_F_22_every_byte_of_owned_values),
})
