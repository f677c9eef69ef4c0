/* SPDX-License-Identifier: Apache-2.0 */
/* F-22: comparison and hashing look at all 16 bytes of a value, so every byte must be written. */
#include "core/any.h"
#include "support/check.h"

/* Fills a value with poison, so that a byte that nobody writes shows. */
static void poison(TVMFFIAny *any) {
  memset(any, 0xA5, sizeof *any);
}

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
    cmocka_unit_test(test_F_22_every_byte_of_made_values),
    cmocka_unit_test(test_F_22_every_byte_of_owned_values),
})
