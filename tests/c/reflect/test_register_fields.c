/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and sizes, registered in any order, fit each other. */
#include "reflect/register.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/reflect_support.h"

static int place(int32_t type_index, const char *name, int64_t offset, int64_t size) {
  TVMFFIFieldInfo field = make_field(name);
  field.offset = offset;
  field.size = size;
  return TVMFFITypeRegisterField(type_index, &field);
}

static int set_size(int32_t type_index, int32_t total_size) {
  TVMFFITypeMetadata metadata;
  memset(&metadata, 0, sizeof metadata);
  metadata.total_size = total_size;
  return TVMFFITypeRegisterMetadata(type_index, &metadata);
}

static void refuse(int32_t type_index, int64_t offset, int64_t size) {
  int32_t num_fields = TVMFFIGetTypeInfo(type_index)->num_fields;
  check_fails_with(place(type_index, "wrong", offset, size), "ValueError",
                   "Field `wrong` of type `my.");
  assert_int_equal(TVMFFIGetTypeInfo(type_index)->num_fields, num_fields);
}

TEST(test_a_field_lies_within_the_object) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  check_ok(set_size(type, 40));
  check_fails(place(type, "wrong", 16, 8), "ValueError",
              "Field `wrong` of type `my.T` with offset 16 and size 8 is not within the 40 bytes "
              "of an object, apart from its header of 24");
  refuse(type, INT64_C(1) << 40, 8);
  refuse(type, INT64_MAX, 8);
  refuse(type, INT64_MIN, 8);
  refuse(type, INT64_MAX, INT64_MAX);
  refuse(type, 24, -5);
  refuse(type, 24, INT64_MIN);
  refuse(type, 24, INT64_MAX);
  refuse(type, 33, 8);
  refuse(type, 40, 1);
  refuse(type, 23, 1);
  refuse(type, -17, 0);
  refuse(type, 41, 0);
  check_ok(place(type, "first", 24, 8));
  check_ok(place(type, "last", 32, 8));
  check_ok(place(type, "computed", 0, 0)); /* only a getter looks at it */
}

/* The header of a C++ class with several bases may lie behind fields. */
TEST(test_a_field_lies_before_the_header) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  check_ok(place(type, "early", -24, 8));
  check_fails(set_size(type, 40), "ValueError",
              "Field `early` of type `my.T` with offset -24 and size 8 is not within the 40 bytes "
              "of an object, apart from its header of 24");
  check_ok(set_size(type, 48));
  refuse(type, -25, 8);
  refuse(type, -7, 8);
  refuse(type, -8, 9);
  refuse(type, -8, 40);
  check_ok(place(type, "last", -8, 8));
  check_ok(place(type, "all", -24, 24));
  check_ok(place(type, "computed", -4, 0));
}

TEST(test_no_size_is_known) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  refuse(type, -7, 8);
  refuse(type, 0, 8);
  refuse(type, INT32_MIN, 8);
  refuse(type, INT64_C(1) << 40, 8);
  refuse(type, INT32_MAX, 1);
  refuse(type, 24, -5);
  check_ok(place(type, "first", 24, 8));
}

TEST(test_a_size_holds_the_fields_registered_before) {
  int32_t parent = add_type("my.P", 1, kTVMFFIObject), type = add_type("my.T", 2, parent);
  check_ok(place(parent, "a", 24, 8));
  check_ok(place(type, "b", 32, 16));
  check_fails(set_size(type, 40), "ValueError",
              "Field `b` of type `my.T` with offset 32 and size 16 is not within the 40 bytes of "
              "an object, apart from its header of 24");
  check_fails_with(set_size(type, 24), "ValueError", "Field `a` of type `my.P`");
  assert_null(TVMFFIGetTypeInfo(type)->metadata);
  check_ok(set_size(type, 48));
  check_ok(set_size(parent, 32));
}

TEST(test_a_size_holds_the_parent) {
  int32_t parent = add_type("my.P", 1, kTVMFFIObject), middle = add_type("my.M", 2, parent);
  int32_t type = add_type("my.T", 3, middle);
  check_ok(set_size(parent, 48));
  check_fails(set_size(type, 40), "ValueError",
              "Type `my.T` cannot have objects of 40 bytes: those of `my.P` have 48");
  check_fails(set_size(middle, 23), "ValueError",
              "Type `my.M` cannot have objects of 23 bytes: those of `ffi.Object` have 24");
  check_ok(set_size(type, 48));
}

TEST(test_metadata_without_a_size) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  check_ok(set_size(type, 0));
  assert_int_equal(TVMFFIGetTypeInfo(type)->metadata->total_size, 0);
  check_ok(place(type, "a", 1000, 8));
}

/* A field of a parent is read from objects of all types that derive from it. */
TEST(test_a_field_lies_within_objects_of_derived_types) {
  int32_t parent = add_type("my.P", 1, kTVMFFIObject), small = add_type("my.S", 2, parent);
  int32_t large = add_type("my.L", 2, parent);
  check_ok(set_size(large, 64));
  check_ok(place(parent, "a", 40, 8));
  check_ok(set_size(small, 48));
  refuse(parent, 48, 8);
  check_ok(place(large, "b", 48, 8));
}

TEST(test_built_in_types_have_sizes) {
  static const struct {
    int32_t type_index, total_size;
  } kTypes[] = {{kTVMFFIObject, 24},
                {kTVMFFIStr, 24 + sizeof(TVMFFIByteArray)},
                {kTVMFFIError, 24 + sizeof(TVMFFIErrorCell)},
                {kTVMFFIFunction, 24 + sizeof(TVMFFIFunctionCell)},
                {kTVMFFITensor, 24 + sizeof(DLTensor)},
                {kTVMFFIArray, 24 + sizeof(TVMFFISeqCell)},
                {kTVMFFIMap, 24 + sizeof(TVMFFISeqCell)}};
  size_t i;
  for (i = 0; i < sizeof kTypes / sizeof *kTypes; ++i) {
    check_fails_with(place(kTypes[i].type_index, "wrong", kTypes[i].total_size - 7, 8),
                     "ValueError", "is not within the");
    if (kTypes[i].type_index != kTVMFFIObject) {
      check_ok(place(kTypes[i].type_index, "right", kTypes[i].total_size - 8, 8));
    }
  }
}

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
    test_and_shut_down(test_a_field_lies_within_the_object),
    test_and_shut_down(test_a_field_lies_before_the_header),
    test_and_shut_down(test_no_size_is_known),
    test_and_shut_down(test_a_size_holds_the_fields_registered_before),
    test_and_shut_down(test_a_size_holds_the_parent),
    test_and_shut_down(test_metadata_without_a_size),
    test_and_shut_down(test_a_field_lies_within_objects_of_derived_types),
    test_and_shut_down(test_built_in_types_have_sizes),
    cmocka_unit_test(test_how_many_bytes_a_getter_reads),
    cmocka_unit_test(test_a_field_has_the_bytes_that_its_getter_reads),
})
