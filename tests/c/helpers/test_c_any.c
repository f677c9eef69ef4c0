/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/any.h>
#include <tvm/ffi/c/string.h>

#include "support/check.h"

#define POISONED(any) memset(&(any), 0xa5, sizeof(any))

/* F-22: padding and the unused half of the payload are set to zero. */
TEST(test_F_22_all_bytes_are_written) {
  static const char text[] = "a";
  TVMFFIAny any, expected;
#define CHECK(make, index, member, value)             \
  do {                                                \
    memset(&expected, 0, sizeof expected);            \
    expected.type_index = index;                      \
    expected.member = value;                          \
    POISONED(any);                                    \
    any = make;                                       \
    assert_memory_equal(&any, &expected, sizeof any); \
  } while (0)
  CHECK(tvm_ffi_any_none(), kTVMFFINone, v_int64, 0);
  CHECK(tvm_ffi_any_from_int64(-2), kTVMFFIInt, v_int64, -2);
  CHECK(tvm_ffi_any_from_bool(true), kTVMFFIBool, v_int64, 1);
  CHECK(tvm_ffi_any_from_double(-0.0), kTVMFFIFloat, v_float64, -0.0);
  CHECK(tvm_ffi_any_from_dtype(TVM_FFI_C_FLOAT32), kTVMFFIDataType, v_dtype, TVM_FFI_C_FLOAT32);
  CHECK(tvm_ffi_any_from_device(tvm_ffi_device_make(kDLCUDA, 3)), kTVMFFIDevice, v_device,
        tvm_ffi_device_make(kDLCUDA, 3));
  CHECK(tvm_ffi_any_from_pointer(&any), kTVMFFIOpaquePtr, v_ptr, &any);
  CHECK(tvm_ffi_any_from_pointer(NULL), kTVMFFIOpaquePtr, v_ptr, NULL);
  CHECK(tvm_ffi_any_view_string(text), kTVMFFIRawStr, v_c_str, text);
  CHECK(tvm_ffi_any_view_object(NULL), kTVMFFINone, v_int64, 0);
  CHECK(tvm_ffi_any_take_object(NULL), kTVMFFINone, v_int64, 0);
  CHECK(tvm_ffi_any_share_object(NULL), kTVMFFINone, v_int64, 0);
#undef CHECK
}

/* F-18: an unsigned integer beyond int64_t raises an error instead of becoming negative. */
TEST(test_F_18_large_unsigned_integers_are_refused) {
  TVMFFIAny any;
  check_ok(tvm_ffi_any_from_uint64(INT64_MAX, &any));
  assert_true(any.type_index == kTVMFFIInt && any.v_int64 == INT64_MAX);
  check_fails(tvm_ffi_any_from_uint64(UINT64_MAX, &any), "OverflowError",
              "Integer value 18446744073709551615 is too large to fit in int64_t. Consider "
              "explicitly casting to int64_t first if this is intentional.");
  assert_true(any.v_int64 == INT64_MAX);
  check_fails(tvm_ffi_any_from_uint64((uint64_t)INT64_MAX + 1, &any), "OverflowError", NULL);
}

TEST(test_objects_are_shared_taken_and_cleared) {
  TVMFFIAny any, copy;
  probe p;
  probe_init(&p);
  any = tvm_ffi_any_view_object(&p);
  assert_int_equal(any.type_index, kTVMFFIObject);
  assert_int_equal(check_use_count(&p), 1);
  any = tvm_ffi_any_share_object(&p);
  assert_int_equal(check_use_count(&p), 2);
  check_ok(tvm_ffi_any_copy(&any, &copy));
  assert_int_equal(check_use_count(&p), 3);
  tvm_ffi_any_clear(&any);
  tvm_ffi_any_clear(&any); /* clearing None again does nothing */
  assert_int_equal(check_use_count(&p), 2);
  assert_ptr_equal(tvm_ffi_object_retain(&p), &p);
  assert_null(tvm_ffi_object_retain(NULL));
  tvm_ffi_object_release(&p);
  tvm_ffi_object_release(NULL);
  any = tvm_ffi_any_move(&copy);
  assert_true(tvm_ffi_any_is_none(&copy));
  assert_int_equal(copy.v_int64, 0);
  assert_ptr_equal(any.v_obj, &p);
  tvm_ffi_any_clear(&any);
  any = tvm_ffi_any_take_object(&p);
  tvm_ffi_any_clear(&any);
  assert_int_equal(p.strong_deletes, 1);
}

/* A kept value must not borrow: whatever can be copied is copied, the rest is refused. */
TEST(test_copies_own_what_they_hold) {
  DLTensor tensor;
  TVMFFIByteArray bytes = {"some bytes", 10}, text = {NULL, 0};
  TVMFFIAny view = tvm_ffi_any_view_tensor(&tensor), any = tvm_ffi_any_none();
  TVMFFIObjectHandle moved;
  probe p;
  check_fails(
      tvm_ffi_any_copy(&view, &any), "RuntimeError",
      "DLTensor* cannot be held in Any as it does not retain ownership, use Tensor instead");
  assert_true(tvm_ffi_any_is_none(&any));

  view = tvm_ffi_any_view_string("short");
  check_ok(tvm_ffi_any_copy(&view, &any));
  assert_int_equal(any.type_index, kTVMFFISmallStr);
  check_ok(tvm_ffi_any_copy(&any, &view));
  assert_memory_equal(&any, &view, sizeof any);

  view = tvm_ffi_any_view_bytes(&bytes);
  check_ok(tvm_ffi_any_copy(&view, &any));
  assert_int_equal(any.type_index, kTVMFFIBytes);
  assert_true(tvm_ffi_any_try_bytes(&any, &text));
  assert_true(text.size == 10 && text.data != bytes.data);
  tvm_ffi_any_clear(&any);

  probe_init(&p);
  moved = &p;
  view = tvm_ffi_any_none();
  view.type_index = kTVMFFIObjectRValueRef;
  view.v_ptr = &moved;
  check_ok(tvm_ffi_any_copy(&view, &any));
  assert_null(moved);
  assert_int_equal(any.type_index, kTVMFFIObject);
  assert_int_equal(check_use_count(&p), 1);
  check_fails_with(tvm_ffi_any_copy(&view, &any), "InternalError", "RValueRef already moved");
}

TEST(test_numbers_convert_as_in_cpp) {
  TVMFFIAny any = tvm_ffi_any_from_int64(INT64_MIN);
  int64_t i = 0;
  double d = 0;
  bool b = false;
  void *p = &any;
  check_ok(tvm_ffi_any_read_int64(&any, &i));
  check_ok(tvm_ffi_any_read_double(&any, &d));
  check_ok(tvm_ffi_any_read_bool(&any, &b));
  assert_true(i == INT64_MIN && d == (double)INT64_MIN && b);
  any = tvm_ffi_any_from_bool(true);
  check_ok(tvm_ffi_any_read_int64(&any, &i));
  check_ok(tvm_ffi_any_read_double(&any, &d));
  assert_true(i == 1 && d == 1);
  any = tvm_ffi_any_from_int64(0);
  check_ok(tvm_ffi_any_read_bool(&any, &b));
  assert_false(b);
  any = tvm_ffi_any_from_double(0.5);
  check_ok(tvm_ffi_any_read_double(&any, &d));
  assert_true(d == 0.5);
  check_fails(tvm_ffi_any_read_int64(&any, &i), "TypeError",
              "Cannot convert from type `float` to `int`");
  check_fails(tvm_ffi_any_read_bool(&any, &b), "TypeError",
              "Cannot convert from type `float` to `bool`");
  check_fails(tvm_ffi_any_read_pointer(&any, &p), "TypeError",
              "Cannot convert from type `float` to `void*`");
  any = tvm_ffi_any_none();
  check_fails(tvm_ffi_any_read_double(&any, &d), "TypeError",
              "Cannot convert from type `None` to `float`");
  check_ok(tvm_ffi_any_read_pointer(&any, &p));
  assert_null(p);
  any = tvm_ffi_any_from_pointer(&i);
  check_ok(tvm_ffi_any_read_pointer(&any, &p));
  assert_ptr_equal(p, &i);
}

/* F-23: raw text and raw bytes can be read like the owned forms. */
TEST(test_F_23_text_and_bytes_of_every_form) {
  static const char *const texts[] = {"", "1234567", "12345678"};
  TVMFFIByteArray bytes, out = {NULL, 0};
  TVMFFIAny any;
  size_t i;
  for (i = 0; i < 3; ++i) {
    bytes = tvm_ffi_string_get_bytes(texts[i]);
    any = tvm_ffi_any_view_string(texts[i]);
    check_ok(tvm_ffi_any_read_string(&any, &out));
    assert_true(tvm_ffi_string_equal(out, texts[i]));
    check_fails(tvm_ffi_any_read_bytes(&any, &out), "TypeError",
                "Cannot convert from type `const char*` to `bytes`");
    any = tvm_ffi_any_view_bytes(&bytes);
    check_ok(tvm_ffi_any_read_bytes(&any, &out));
    assert_true(tvm_ffi_string_equal(out, texts[i]));
    check_fails(tvm_ffi_any_read_string(&any, &out), "TypeError",
                "Cannot convert from type `TVMFFIByteArray*` to `str`");
    check_ok(tvm_ffi_string_create(texts[i], &any));
    check_ok(tvm_ffi_any_read_string(&any, &out));
    assert_string_equal(out.data, texts[i]); /* the text is followed by a NUL */
    assert_false(tvm_ffi_any_try_bytes(&any, &out));
    tvm_ffi_any_clear(&any);
    check_ok(tvm_ffi_bytes_create(texts[i], strlen(texts[i]), &any));
    check_ok(tvm_ffi_any_read_bytes(&any, &out));
    assert_true(tvm_ffi_string_equal(out, texts[i]));
    assert_false(tvm_ffi_any_try_string(&any, &out));
    tvm_ffi_any_clear(&any);
  }
}

TEST(test_null_pointers_are_no_values) {
  TVMFFIByteArray out = {NULL, 0};
  TVMFFIObjectHandle object = NULL;
  DLTensor *tensor = NULL;
  TVMFFIAny any = tvm_ffi_any_view_string(NULL);
  check_fails(tvm_ffi_any_read_string(&any, &out), "TypeError",
              "Cannot convert from type `NULL` to `str`");
  any = tvm_ffi_any_view_bytes(NULL);
  check_fails(tvm_ffi_any_read_bytes(&any, &out), "TypeError",
              "Cannot convert from type `NULL` to `bytes`");
  any = tvm_ffi_any_view_tensor(NULL);
  check_fails(tvm_ffi_any_read_tensor(&any, &tensor), "TypeError",
              "Cannot convert from type `NULL` to `DLTensor*`");
  any.type_index = kTVMFFITensor;
  check_fails(tvm_ffi_any_read_tensor(&any, &tensor), "TypeError", NULL);
  any.type_index = kTVMFFIFunction;
  check_fails(tvm_ffi_any_read_object(&any, kTVMFFIFunction, &object), "TypeError",
              "Cannot convert from type `NULL` to `ffi.Function`");
}

TEST(test_dtypes_and_devices_come_as_values_or_text) {
  TVMFFIByteArray bytes = {"int8x4", 6};
  DLDataType dtype = TVM_FFI_C_BOOL;
  DLDevice device = tvm_ffi_device_make(kDLCPU, 0);
  TVMFFIAny any = tvm_ffi_any_from_dtype(TVM_FFI_C_BFLOAT16);
  check_ok(tvm_ffi_any_read_dtype(&any, &dtype));
  assert_true(tvm_ffi_dtype_equal(dtype, TVM_FFI_C_BFLOAT16));
  any = tvm_ffi_any_view_bytes(&bytes);
  check_ok(tvm_ffi_any_read_dtype(&any, &dtype));
  assert_true(tvm_ffi_dtype_equal(dtype, tvm_ffi_dtype_make(kDLInt, 8, 4)));
  any = tvm_ffi_any_view_string("nonsense");
  check_fails(tvm_ffi_any_read_dtype(&any, &dtype), "ValueError", "unknown dtype `nonsense`");
  check_fails(tvm_ffi_any_read_device(&any, &device), "TypeError",
              "Cannot convert from type `const char*` to `Device`");
  any = tvm_ffi_any_view_string("cuda:2");
  check_ok(tvm_ffi_any_read_device(&any, &device));
  assert_true(tvm_ffi_device_equal(device, tvm_ffi_device_make(kDLCUDA, 2)));
  any = tvm_ffi_any_from_device(tvm_ffi_device_make(kDLROCM, 1));
  check_ok(tvm_ffi_any_read_device(&any, &device));
  assert_int_equal(device.device_type, kDLROCM);
  check_fails(tvm_ffi_any_read_dtype(&any, &dtype), "TypeError",
              "Cannot convert from type `Device` to `DataType`");
}

TEST(test_objects_of_a_type) {
  TVMFFIObjectHandle object = NULL;
  TVMFFIAny any;
  probe p;
  probe_init(&p);
  p.header.type_index = kTVMFFIModule;
  any = tvm_ffi_any_view_object(&p);
  check_ok(tvm_ffi_any_read_object(&any, kTVMFFIModule, &object));
  assert_ptr_equal(object, &p);
  check_ok(tvm_ffi_any_read_object(&any, kTVMFFIObject, &object));
  check_fails(tvm_ffi_any_read_object(&any, kTVMFFIMap, &object), "TypeError",
              "Cannot convert from type `ffi.Module` to `ffi.Map`");
  any = tvm_ffi_any_from_int64(1);
  check_fails(tvm_ffi_any_read_object(&any, kTVMFFIObject, &object), "TypeError",
              "Cannot convert from type `int` to `ffi.Object`");
}

/* The names match the type table, for every type in it. */
TEST(test_names_of_types) {
  TVMFFIByteArray key = check_bytes("test.c_any.Type");
  int32_t i;
  for (i = 0; i < kTVMFFIStaticObjectEnd; ++i) {
    if (i == kTVMFFIUnchanged + 1) i = kTVMFFIStaticObjectBegin;
    assert_string_equal(tvm_ffi_type_get_name(i), TVMFFIGetTypeInfo(i)->type_key.data);
  }
  i = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  assert_true(i >= kTVMFFIDynObjectBegin);
  assert_string_equal(tvm_ffi_type_get_name(i), "test.c_any.Type");
  assert_string_equal(tvm_ffi_type_get_name(-1), "unknown type");
  assert_string_equal(tvm_ffi_type_get_name(14), "unknown type");
}

RUN_TESTS({
    cmocka_unit_test(test_F_22_all_bytes_are_written),
    cmocka_unit_test(test_F_18_large_unsigned_integers_are_refused),
    cmocka_unit_test(test_objects_are_shared_taken_and_cleared),
    cmocka_unit_test(test_copies_own_what_they_hold),
    cmocka_unit_test(test_numbers_convert_as_in_cpp),
    cmocka_unit_test(test_F_23_text_and_bytes_of_every_form),
    cmocka_unit_test(test_null_pointers_are_no_values),
    cmocka_unit_test(test_dtypes_and_devices_come_as_values_or_text),
    cmocka_unit_test(test_objects_of_a_type),
    cmocka_unit_test(test_names_of_types),
})
