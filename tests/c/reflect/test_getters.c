/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/register.h"

#include "c/reflect_support.h"

static int get_nothing(void *field, TVMFFIAny *result) {
  (void)field;
  (void)result;
  return 0;
}

TEST(test_how_many_bytes_a_getter_reads) {
  static const struct {
    int32_t index;
    int64_t bytes;
  } kExpected[] = {{-1, 16},
                   {0, 16},
                   {1, 8},
                   {2, 1},
                   {3, 8},
                   {4, sizeof(void *)},
                   {5, 4},
                   {6, 8},
                   {64, sizeof(void *)},
                   {200, sizeof(void *)}};
  size_t i;
  for (i = 0; i < sizeof kExpected / sizeof *kExpected; ++i) {
    TVMFFIFieldGetter getter = tvmffi_getter_find(kExpected[i].index);
    assert_non_null(getter);
    assert_int_equal(tvmffi_getter_bytes(getter), kExpected[i].bytes);
  }
  assert_null(tvmffi_getter_find(7));
  assert_int_equal(tvmffi_getter_bytes(get_nothing), 0);
  assert_int_equal(tvmffi_getter_bytes(NULL), 0);
}

/* Otherwise it would read behind the last field of an object. */
TEST(test_a_field_has_the_bytes_that_its_getter_reads) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  TVMFFIFieldInfo field = make_field("f");
  field.offset = 24;
  field.size = 8;
  field.getter = tvmffi_getter_find(-1);
  check_fails(TVMFFITypeRegisterField(type, &field), "ValueError",
              "Field `f` of type `my.T` expects a size of 16, which its getter reads, but got 8");
  field.size = 16;
  check_ok(TVMFFITypeRegisterField(type, &field));
}

RUN_TESTS({
    cmocka_unit_test(test_how_many_bytes_a_getter_reads),
    cmocka_unit_test(test_a_field_has_the_bytes_that_its_getter_reads),
})
