/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in types, and looking types up. Registration: test_type_register.c. */
#include "core/type.h"
#include "module/library_file.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/buf.h"
#include "base/hash.h"
#include "core/any.h"
#include "support/check.h"

/* Every index that has a type at the start, with its key. */
static const struct {
  int32_t type_index;
  const char *key;
} kBuiltIn[] = {
    {0, "None"},
    {1, "int"},
    {2, "bool"},
    {3, "float"},
    {4, "void*"},
    {5, "DataType"},
    {6, "Device"},
    {7, "DLTensor*"},
    {8, "const char*"},
    {9, "TVMFFIByteArray*"},
    {10, "ObjectRValueRef"},
    {11, "ffi.SmallStr"},
    {12, "ffi.SmallBytes"},
    {13, "ffi.Unchanged"},
    {64, "ffi.Object"},
    {65, "ffi.String"},
    {66, "ffi.Bytes"},
    {67, "ffi.Error"},
    {68, "ffi.Function"},
    {69, "ffi.Shape"},
    {70, "ffi.Tensor"},
    {71, "ffi.Array"},
    {72, "ffi.Map"},
    {73, "ffi.Module"},
    {74, "ffi.OpaquePyObject"},
    {75, "ffi.List"},
    {76, "ffi.Dict"},
    {77, "ffi.VisitInterrupt"},
    {78, "ffi.BigInt"},
#ifdef TVMFFI_PROFILE_FULL
    {128, "ffi.EnumState"},
    {129, "ffi.Enum"},
    {130, "ffi.IntEnum"},
    {131, "ffi.StrEnum"},
    {132, "ffi.reflection.AccessStep"},
    {133, "ffi.reflection.AccessPath"},
    {134, "ffi.StructuralVisitor"},
    {135, "ffi.VisitErrorContext"},
    {136, "ffi.StructuralMutator"},
    {137, "ffi.StructuralKey"},
#endif
};

enum { kNumBuiltIn = sizeof kBuiltIn / sizeof kBuiltIn[0] };

static const char *find_built_in(int32_t type_index) {
  size_t i;
  for (i = 0; i < kNumBuiltIn; ++i) {
    if (kBuiltIn[i].type_index == type_index) return kBuiltIn[i].key;
  }
  return NULL;
}

TEST(test_F_10_every_static_index_has_its_type) {
  int32_t i;
  for (i = -1; i < 200; ++i) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(i);
    const char *key = find_built_in(i);
    if (key == NULL) {
      assert_null(info);
      check_raised_with("InternalError", "Cannot find type info for type_index=");
      assert_null(tvmffi_type_find(i));
      continue;
    }
    assert_non_null(info);
    assert_int_equal(info->type_index, i);
    assert_string_equal(info->type_key.data, key);
    assert_int_equal(info->type_key.size, strlen(key));
    assert_string_equal(tvmffi_type_key(i), key);
    if (i < kTVMFFIModule) { /* clients describe these themselves, before anything else */
      assert_int_equal(info->num_fields, 0);
      assert_int_equal(info->num_methods, 0);
    }
  }
}

TEST(test_stored_hashes_are_those_of_the_keys) {
  size_t i;
  for (i = 0; i < kNumBuiltIn; ++i) {
    const tvmffi_type_record *record = tvmffi_type_find(kBuiltIn[i].type_index);
    const char *key = kBuiltIn[i].key;
    assert_non_null(record);
    assert_true(record->info.type_key_hash == tvmffi_hash_type_key(key, strlen(key)));
    assert_true(record->key.hash == tvmffi_hash_bytes(key, strlen(key)));
  }
}

TEST(test_built_in_objects_descend_from_object) {
  const TVMFFITypeInfo *root = TVMFFIGetTypeInfo(kTVMFFIObject);
  size_t i;
  assert_int_equal(root->type_depth, 0);
  for (i = 0; i < kNumBuiltIn; ++i) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(kBuiltIn[i].type_index);
    if (info->type_index <= kTVMFFIObject) {
      assert_int_equal(info->type_depth, 0);
    } else { /* IntEnum and StrEnum are Enums */
      assert_int_equal(info->type_depth,
                       info->type_index == 130 || info->type_index == 131 ? 2 : 1);
      assert_ptr_equal(info->type_ancestors[0], root);
    }
  }
}

TEST(test_built_in_metadata) {
  const TVMFFITypeMetadata *metadata = TVMFFIGetTypeInfo(kTVMFFIObject)->metadata;
  assert_non_null(metadata);
  assert_int_equal(metadata->total_size, 24);
  assert_null(metadata->creator);
  assert_int_equal(metadata->structural_eq_hash_kind, kTVMFFISEqHashKindUnsupported);
  metadata = TVMFFIGetTypeInfo(kTVMFFIBigInt)->metadata;
  assert_non_null(metadata);
  assert_int_equal(metadata->total_size, 32);
  assert_null(metadata->creator);
  assert_null(TVMFFIGetTypeInfo(kTVMFFIStr)->metadata);
  assert_null(TVMFFIGetTypeInfo(kTVMFFIInt)->metadata);
}

TEST(test_keys_lead_to_indices) {
  size_t i;
  for (i = 0; i < kNumBuiltIn; ++i) {
    TVMFFIByteArray key = check_bytes(kBuiltIn[i].key);
    int32_t index = -1;
    check_ok(TVMFFITypeKeyToIndex(&key, &index));
    assert_int_equal(index, kBuiltIn[i].type_index);
  }
}

static void check_unknown_key(const char *data, size_t size, const char *message) {
  TVMFFIByteArray key = {NULL, 0};
  int32_t index = -77;
  key.data = data;
  key.size = size;
  check_fails_with(TVMFFITypeKeyToIndex(&key, &index), "InternalError", message);
  assert_int_equal(index, -77);
}

TEST(test_F_24_keys_match_whole) {
  TVMFFIByteArray key = {"ffi.String and more", 10}; /* not followed by a NUL */
  int32_t index = -1;
  check_unknown_key("my.unknown", 10, "Cannot find type `my.unknown`");
  check_unknown_key("ffi.Strin", 9, "Cannot find type `ffi.Strin`");
  check_unknown_key("ffi.String2", 11, "Cannot find type `ffi.String2`");
  check_unknown_key("ffi.String\0x", 12, "Cannot find type `");
  check_unknown_key("", 0, "Cannot find type ``");
  check_unknown_key(NULL, 0, "Cannot find type `");
  check_ok(TVMFFITypeKeyToIndex(&key, &index));
  assert_int_equal(index, kTVMFFIStr);
}

TEST(test_refused_arguments) {
  TVMFFIByteArray key = check_bytes("int"), no_data = {NULL, 3};
  TVMFFIByteArray too_long = {"int", (size_t)INT32_MAX + 1};
  int32_t index;
  check_fails(TVMFFITypeKeyToIndex(NULL, &index), "ValueError", NULL);
  check_fails(TVMFFITypeKeyToIndex(&key, NULL), "ValueError", NULL);
  check_fails(TVMFFITypeKeyToIndex(&no_data, &index), "ValueError",
              "TVMFFITypeKeyToIndex: `type_key` has size 3 but no data");
  check_fails_with(TVMFFITypeKeyToIndex(&too_long, &index), "ValueError", "too long");
}

/* The compiler must not leave out a call whose result is ignored: it raises an error. */
TEST(test_ignoring_an_unknown_type) {
  (void)TVMFFIGetTypeInfo(123456);
  check_raised_with("InternalError", "Cannot find type info for type_index=");
}

static void check_no_info(int32_t type_index, const char *message) {
  assert_null(TVMFFIGetTypeInfo(type_index));
  check_raised("InternalError", message);
  assert_null(tvmffi_type_find(type_index));
  assert_string_equal(tvmffi_type_key(type_index), "unknown type");
  check_not_raised();
}

TEST(test_L_2_unknown_index_is_an_error_not_an_exit) {
  check_no_info(123456, "Cannot find type info for type_index=123456");
  check_no_info(-1, "Cannot find type info for type_index=-1");
  check_no_info(INT32_MAX, "Cannot find type info for type_index=2147483647");
  check_no_info(INT32_MIN, "Cannot find type info for type_index=-2147483648");
  check_no_info(200, "Cannot find type info for type_index=200");
  check_no_info(1 << 22, "Cannot find type info for type_index=4194304");
}

static int get_nothing(void *field, TVMFFIAny *result) {
  (void)field;
  *result = tvmffi_any_none();
  return 0;
}

static int set_nothing(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  *result = tvmffi_any_none();
  return 0;
}

/* Not a constant: WebAssembly has no relocation for the address of a function and 1 more. */
static void end_after_one(tvmffi_dl_range *range) {
  volatile uintptr_t begin = range->begin;
  range->end = begin + 1;
}

TEST(test_a_type_needs_the_code_of_its_fields) {
  TVMFFIByteArray key = check_bytes("my.WithField");
  int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  tvmffi_dl_range getter = {(uintptr_t)get_nothing, 0}, setter = {(uintptr_t)set_nothing, 0};
  TVMFFIObjectHandle function;
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  TVMFFITypeMetadata metadata;
  TVMFFIFieldInfo field;
  end_after_one(&getter);
  end_after_one(&setter);
  memset(&metadata, 0, sizeof metadata);
  metadata.total_size = sizeof(TVMFFIObject) + sizeof(int64_t);
  check_ok(TVMFFITypeRegisterMetadata(index, &metadata));
  check_ok(TVMFFIFunctionCreate(NULL, set_nothing, NULL, &function));
  assert_false(tvmffi_library_types_need(&getter, &reason.to_set));
  assert_false(tvmffi_library_types_need(&setter, &reason.to_set));
  memset(&field, 0, sizeof field);
  field.name = check_bytes("value");
  field.size = field.alignment = sizeof(int64_t);
  field.offset = sizeof(TVMFFIObject);
  field.getter = get_nothing;
  field.flags = kTVMFFIFieldFlagBitSetterIsFunctionObj;
  field.setter = function;
  check_ok(TVMFFITypeRegisterField(index, &field));
  TVMFFIObjectDecRef(function);
  assert_true(tvmffi_library_types_need(&getter, &reason.to_set));
  assert_string_equal(reason.to_set.text, "type `my.WithField` needs it");
  reason.to_set.text = "";
  assert_true(tvmffi_library_types_need(&setter, &reason.to_set));
  assert_string_equal(reason.to_set.text, "type `my.WithField` needs it");
  tvmffi_buf_fini(&reason.buf);
}

RUN_TESTS({
    test_and_shut_down(test_F_10_every_static_index_has_its_type),
    test_and_shut_down(test_stored_hashes_are_those_of_the_keys),
    test_and_shut_down(test_built_in_objects_descend_from_object),
    test_and_shut_down(test_built_in_metadata),
    test_and_shut_down(test_ignoring_an_unknown_type),
    test_and_shut_down(test_keys_lead_to_indices),
    test_and_shut_down(test_F_24_keys_match_whole),
    test_and_shut_down(test_refused_arguments),
    test_and_shut_down(test_L_2_unknown_index_is_an_error_not_an_exit),
    cmocka_unit_test_teardown(test_a_type_needs_the_code_of_its_fields, check_shut_down),
})
