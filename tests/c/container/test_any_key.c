/* SPDX-License-Identifier: Apache-2.0 */
#include "container/any_key.h"

#include "core/any.h"
#include "core/object.h"
#include "core/string_object.h"
#include "support/check.h"

/* Makes a heap object even of a text short enough for a small string. */
static TVMFFIAny heap(int32_t type_index, const char *data, size_t size) {
  TVMFFIObject *string = tvmffi_string_new(type_index, data, size);
  assert_non_null(string);
  return tvmffi_any_object(string);
}

typedef struct {
  const char *text;
  size_t size;
  uint64_t as_text, as_bytes;
} known;

/* Computed from the definition of the hash, not with this library. */
static const known kKnown[] = {
    {"", 0, UINT64_C(0x9e378a48), UINT64_C(0x9e378a0b)},
    {"a", 1, UINT64_C(0x9e378a2b), UINT64_C(0x9e378ae8)},
    {"int8", 4, UINT64_C(0xd6abf833), UINT64_C(0xd6abf8f0)},
    {"1234567", 7, UINT64_C(0xd2d928e5), UINT64_C(0xd2d928a6)},
    {"12345678", 8, UINT64_C(0xc2d928e4), UINT64_C(0xc2d928a7)},
    {"123456789", 9, UINT64_C(0xa0154594), UINT64_C(0xa0154657)},
    {"the quick brown fox jumps", 25, UINT64_C(0xbf6f3392), UINT64_C(0xbf6f3451)},
    {"\377\377\377\377\377\377\377", 7, UINT64_C(0xa0378a49), UINT64_C(0xa0378a0a)},
    {"\377\377\377\377\377\377\377\377", 8, UINT64_C(0x9e378a4d), UINT64_C(0x9e378a0e)},
};

TEST(test_text_and_bytes) {
  size_t i;
  for (i = 0; i < sizeof kKnown / sizeof kKnown[0]; ++i) {
    const known *k = &kKnown[i];
    TVMFFIByteArray content;
    TVMFFIAny text = heap(kTVMFFIStr, k->text, k->size);
    TVMFFIAny bytes = heap(kTVMFFIBytes, k->text, k->size);
    TVMFFIAny usual_text, usual_bytes;
    content.data = k->text;
    content.size = k->size;
    check_ok(TVMFFIStringFromByteArray(&content, &usual_text));
    check_ok(TVMFFIBytesFromByteArray(&content, &usual_bytes));
    assert_true(tvmffi_any_key_hash(&text) == k->as_text);
    assert_true(tvmffi_any_key_hash(&usual_text) == k->as_text);
    assert_true(tvmffi_any_key_hash(&bytes) == k->as_bytes);
    assert_true(tvmffi_any_key_hash(&usual_bytes) == k->as_bytes);
    assert_true(tvmffi_any_key_ask_equal(&text, &usual_text));
    assert_true(tvmffi_any_key_ask_equal(&usual_text, &text));
    assert_true(tvmffi_any_key_ask_equal(&bytes, &usual_bytes));
    assert_false(tvmffi_any_key_ask_equal(&text, &usual_bytes));
    assert_false(tvmffi_any_key_ask_equal(&bytes, &text));
    check_release(&text);
    check_release(&bytes);
    check_release(&usual_text);
    check_release(&usual_bytes);
  }
}

TEST(test_text_that_differs) {
  TVMFFIAny a = heap(kTVMFFIStr, "abcdefgh", 8), b = heap(kTVMFFIStr, "abcdefgi", 8);
  TVMFFIAny with_nul = heap(kTVMFFIStr, "ab\0", 3), longer = heap(kTVMFFIStr, "abcdefghi", 9);
  TVMFFIAny small;
  check_ok(tvmffi_string_to_any("ab", 2, &small));
  assert_false(tvmffi_any_key_ask_equal(&a, &b));
  assert_false(tvmffi_any_key_ask_equal(&a, &longer));
  assert_false(tvmffi_any_key_ask_equal(&with_nul, &small));
  assert_false(tvmffi_any_key_ask_equal(&small, &a));
  check_release(&a);
  check_release(&b);
  check_release(&with_nul);
  check_release(&longer);
}

static TVMFFIAny pod(int32_t type_index, uint64_t payload) {
  TVMFFIAny any;
  any.type_index = type_index;
  any.zero_padding = 0;
  any.v_uint64 = payload;
  return any;
}

static TVMFFIAny real(double value) {
  TVMFFIAny any = pod(kTVMFFIFloat, 0);
  any.v_float64 = value;
  return any;
}

TEST(test_plain_values) {
  TVMFFIAny none = tvmffi_any_none(), one = tvmffi_any_int(1), yes = tvmffi_any_bool(1);
  TVMFFIAny minus_one = tvmffi_any_int(-1), real_one = real(1.0), zero = real(0.0);
  TVMFFIAny minus_zero = real(-0.0), nan = pod(kTVMFFIFloat, UINT64_C(0x7ff8000000000000));
  TVMFFIAny same_nan = nan;
  assert_true(tvmffi_any_key_hash(&none) == UINT64_C(0x9e3779b9));
  assert_true(tvmffi_any_key_hash(&one) == UINT64_C(0x9e3779fb));
  assert_true(tvmffi_any_key_hash(&yes) == UINT64_C(0x9e377a38));
  assert_true(tvmffi_any_key_hash(&minus_one) == UINT64_C(0x9e3779f9));
  assert_true(tvmffi_any_key_hash(&real_one) == UINT64_C(0x3ff000009e377a7a));
  assert_true(tvmffi_any_key_hash(&minus_zero) == UINT64_C(0x800000009e377a7a));
  assert_false(tvmffi_any_key_ask_equal(&one, &yes));
  assert_false(tvmffi_any_key_ask_equal(&one, &real_one));
  assert_false(tvmffi_any_key_ask_equal(&zero, &minus_zero));
  assert_true(tvmffi_any_key_ask_equal(&nan, &same_nan));
  assert_true(tvmffi_any_key_ask_equal(&none, &none));
}

TEST(test_other_objects_by_identity) {
  TVMFFIObject a, b;
  TVMFFIAny of_a, of_b;
  memset(&a, 0, sizeof a);
  a.type_index = kTVMFFIObject;
  b = a;
  of_a = tvmffi_any_object(&a);
  of_b = tvmffi_any_object(&b);
  assert_true(tvmffi_any_key_ask_equal(&of_a, &of_a));
  assert_false(tvmffi_any_key_ask_equal(&of_a, &of_b));
  assert_true(tvmffi_any_key_hash(&of_a) != tvmffi_any_key_hash(&of_b));
}

RUN_TESTS({
    cmocka_unit_test(test_text_and_bytes),
    cmocka_unit_test(test_text_that_differs),
    cmocka_unit_test(test_plain_values),
    cmocka_unit_test(test_other_objects_by_identity),
})
