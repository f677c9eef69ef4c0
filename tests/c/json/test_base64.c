/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
#include "core/string_object.h"
#include "json/json_graph.h"
#include "support/check.h"

static void get(const TVMFFIAny *value, TVMFFIByteArray *out) {
  *out = value->type_index == kTVMFFISmallStr || value->type_index == kTVMFFISmallBytes
             ? TVMFFISmallBytesGetContentByteArray(value)
             : *TVMFFIBytesGetByteArrayPtr(value->v_obj);
}

static void check_both_ways(const char *data, size_t size, const char *text) {
  TVMFFIAny encoded, decoded;
  TVMFFIByteArray bytes;
  check_ok(tvmffi_base64_encode(data, size, &encoded));
  get(&encoded, &bytes);
  assert_int_equal(bytes.size, strlen(text));
  assert_memory_equal(bytes.data, text, bytes.size);
  check_ok(tvmffi_base64_decode(text, strlen(text), &decoded));
  assert_true(decoded.type_index == kTVMFFISmallBytes || decoded.type_index == kTVMFFIBytes);
  get(&decoded, &bytes);
  assert_int_equal(bytes.size, size);
  assert_memory_equal(bytes.data, data, size);
  check_release(&encoded);
  check_release(&decoded);
}

TEST(test_known_texts) {
  check_both_ways("", 0, "");
  check_both_ways("f", 1, "Zg==");
  check_both_ways("fo", 2, "Zm8=");
  check_both_ways("foo", 3, "Zm9v");
  check_both_ways("foob", 4, "Zm9vYg==");
  check_both_ways("fooba", 5, "Zm9vYmE=");
  check_both_ways("foobar", 6, "Zm9vYmFy");
  check_both_ways("\0\0\0", 3, "AAAA");
  check_both_ways("\xff\xff\xfe\xfb\xf0", 5, "///++/A=");
}

TEST(test_every_byte) {
  char data[256];
  TVMFFIAny encoded, decoded;
  TVMFFIByteArray bytes;
  size_t size;
  for (size = 0; size < sizeof data; ++size) data[size] = (char)size;
  for (size = 0; size <= sizeof data; ++size) {
    check_ok(tvmffi_base64_encode(data, size, &encoded));
    get(&encoded, &bytes);
    check_ok(tvmffi_base64_decode(bytes.data, bytes.size, &decoded));
    get(&decoded, &bytes);
    assert_int_equal(bytes.size, size);
    assert_memory_equal(bytes.data, data, size);
    check_release(&encoded);
    check_release(&decoded);
  }
}

TEST(test_what_is_none) {
  static const char *const texts[] = {
      "A",        "AA",   "AAA",   "AAAAA", "====", "A===",    "A=AA", "AA==AAAA",
      "AAAA====", "AA=A", "AA\nA", "-_-_",  "    ", "AAA\x80", "=AAA"};
  TVMFFIAny decoded;
  size_t i;
  for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
    check_fails(tvmffi_base64_decode(texts[i], strlen(texts[i]), &decoded), "InternalError",
                "Check failed: (bytes.size % 4 == 0) is false: invalid base64 encoding");
  }
  check_fails(tvmffi_base64_decode("AA\0A", 4, &decoded), "InternalError", NULL);
}

RUN_TESTS({
    cmocka_unit_test(test_known_texts),
    cmocka_unit_test(test_every_byte),
    cmocka_unit_test(test_what_is_none),
})
