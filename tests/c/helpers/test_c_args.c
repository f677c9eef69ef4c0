/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading arguments, with the error texts of C++ functions; test_c_args_check.c tests the checks.
 */
#include <tvm/ffi/c/args.h>
#include <tvm/ffi/c/container.h>

#include "c/c_support.h"

#define SIGNATURE "f(0: T, 1: U) -> void"
/* The message of a C++ function about argument 0. */
#define MISMATCH(expected, got)                                                       \
  "Mismatched type on argument #0 when calling: `" SIGNATURE "`. Expected `" expected \
  "` but "                                                                            \
  "got `" got "`"

static TVMFFIAny argument, result;
static tvm_ffi_args args = {NULL, &argument, 1, &result, SIGNATURE};

TEST(test_counts) {
  int64_t value = 5;
  argument = tvm_ffi_any_from_int64(1);
  check_ok(tvm_ffi_args_check_count(&args, 1));
  check_fails(tvm_ffi_args_check_count(&args, 2), "TypeError",
              "Mismatched number of arguments when calling: `" SIGNATURE
              "`. Expected 2 but got 1 arguments");
  check_fails(tvm_ffi_args_check_count(&args, 0), "TypeError",
              "Mismatched number of arguments when calling: `" SIGNATURE
              "`. Expected 0 but got 1 arguments");
  /* Reading an argument that was not passed fails. */
  check_fails(tvm_ffi_args_read_int64(&args, 1, &value), "TypeError",
              "Mismatched number of arguments when calling: `" SIGNATURE
              "`. Expected at least 2 but got 1 arguments");
  check_fails(tvm_ffi_args_read_opt_int64(&args, 3, &value), "TypeError", NULL);
  check_fails(tvm_ffi_args_read_int64(&args, -1, &value), "TypeError", NULL);
  assert_false(tvm_ffi_args_is_none(&args, 1));
  assert_int_equal(value, 5);
}

TEST(test_tensors) {
  static struct {
    TVMFFIObject header;
    DLTensor tensor;
  } object = {{UINT64_C(0x100000001), kTVMFFITensor, 0, {NULL}}, {0}};
  DLTensor other, *tensor = NULL;
  TVMFFIObjectHandle handle = NULL;
  memset(&other, 0, sizeof other);
  argument = tvm_ffi_any_view_tensor(&other);
  check_ok(tvm_ffi_args_read_tensor(&args, 0, &tensor));
  assert_ptr_equal(tensor, &other);
  check_fails(tvm_ffi_args_read_tensor_object(&args, 0, &handle), "TypeError",
              MISMATCH("ffi.Tensor", "DLTensor*"));
  check_fails(tvm_ffi_args_read_opt_tensor_object(&args, 0, &handle), "TypeError",
              MISMATCH("Optional<ffi.Tensor>", "DLTensor*"));
  argument = tvm_ffi_any_view_object(&object);
  check_ok(tvm_ffi_args_read_tensor(&args, 0, &tensor));
  assert_ptr_equal(tensor, &object.tensor);
  check_ok(tvm_ffi_args_read_opt_tensor(&args, 0, &tensor));
  check_ok(tvm_ffi_args_read_tensor_object(&args, 0, &handle));
  check_ok(tvm_ffi_args_read_opt_tensor_object(&args, 0, &handle));
  assert_ptr_equal(handle, &object);
  argument = tvm_ffi_any_none();
  check_fails(tvm_ffi_args_read_tensor(&args, 0, &tensor), "TypeError",
              MISMATCH("DLTensor*", "None"));
  check_fails(tvm_ffi_args_read_tensor_object(&args, 0, &handle), "TypeError",
              MISMATCH("ffi.Tensor", "None"));
  check_ok(tvm_ffi_args_read_opt_tensor(&args, 0, &tensor));
  check_ok(tvm_ffi_args_read_opt_tensor_object(&args, 0, &handle));
  assert_true(tensor == &object.tensor && handle == &object); /* None leaves the caller's default */
  argument = tvm_ffi_any_view_tensor(NULL);
  check_fails(tvm_ffi_args_read_tensor(&args, 0, &tensor), "TypeError",
              MISMATCH("DLTensor*", "NULL"));
  argument = tvm_ffi_any_view_string("x");
  check_fails(tvm_ffi_args_read_opt_tensor(&args, 0, &tensor), "TypeError",
              MISMATCH("Optional<DLTensor*>", "const char*"));
}

TEST(test_integers) {
  int64_t wide = 0;
  int32_t narrow = 7;
  argument = tvm_ffi_any_from_int64(INT64_MIN);
  check_ok(tvm_ffi_args_read_int64(&args, 0, &wide));
  assert_true(wide == INT64_MIN);
  argument = tvm_ffi_any_from_bool(true);
  check_ok(tvm_ffi_args_read_int64(&args, 0, &wide));
  assert_int_equal(wide, 1);
  argument = tvm_ffi_any_from_int64(INT32_MIN);
  check_ok(tvm_ffi_args_read_int32(&args, 0, &narrow));
  assert_int_equal(narrow, INT32_MIN);
  argument = tvm_ffi_any_from_int64((int64_t)INT32_MIN - 1);
  check_fails(tvm_ffi_args_read_int32(&args, 0, &narrow), "ValueError",
              "Mismatched value on argument #0 when calling: `" SIGNATURE
              "`. Expected -2147483648 to 2147483647 but got -2147483649");
  check_fails(tvm_ffi_args_read_opt_int32(&args, 0, &narrow), "ValueError", NULL);
  assert_int_equal(narrow, INT32_MIN);
  argument = tvm_ffi_any_from_int64(5);
  check_ok(tvm_ffi_args_read_int64_between(&args, 0, 5, 5, &wide));
  assert_int_equal(wide, 5);
  check_fails(tvm_ffi_args_read_int64_between(&args, 0, 6, 9, &wide), "ValueError",
              "Mismatched value on argument #0 when calling: `" SIGNATURE
              "`. Expected 6 to 9 but got 5");
  check_ok(tvm_ffi_args_read_opt_int32(&args, 0, &narrow));
  assert_int_equal(narrow, 5);
  argument = tvm_ffi_any_none();
  check_ok(tvm_ffi_args_read_opt_int32(&args, 0, &narrow));
  check_ok(tvm_ffi_args_read_opt_int64(&args, 0, &wide));
  assert_true(narrow == 5 && wide == 5);
  check_fails(tvm_ffi_args_read_int32(&args, 0, &narrow), "TypeError", MISMATCH("int", "None"));
  argument = tvm_ffi_any_from_double(1);
  check_fails(tvm_ffi_args_read_int64(&args, 0, &wide), "TypeError", MISMATCH("int", "float"));
  check_fails(tvm_ffi_args_read_opt_int64(&args, 0, &wide), "TypeError",
              MISMATCH("Optional<int>", "float"));
  check_fails(tvm_ffi_args_read_opt_int32(&args, 0, &narrow), "TypeError",
              MISMATCH("Optional<int>", "float"));
}

TEST(test_floats_and_bools) {
  double number = 0;
  bool flag = false;
  argument = tvm_ffi_any_from_int64(3);
  check_ok(tvm_ffi_args_read_double(&args, 0, &number));
  check_ok(tvm_ffi_args_read_bool(&args, 0, &flag));
  assert_true(number == 3 && flag);
  argument = tvm_ffi_any_from_bool(false);
  check_ok(tvm_ffi_args_read_opt_double(&args, 0, &number));
  check_ok(tvm_ffi_args_read_opt_bool(&args, 0, &flag));
  assert_true(number == 0 && !flag);
  argument = tvm_ffi_any_none();
  number = 0.5, flag = true;
  check_ok(tvm_ffi_args_read_opt_double(&args, 0, &number));
  check_ok(tvm_ffi_args_read_opt_bool(&args, 0, &flag));
  assert_true(number == 0.5 && flag && tvm_ffi_args_is_none(&args, 0));
  check_fails(tvm_ffi_args_read_double(&args, 0, &number), "TypeError", MISMATCH("float", "None"));
  check_fails(tvm_ffi_args_read_bool(&args, 0, &flag), "TypeError", MISMATCH("bool", "None"));
  argument = tvm_ffi_any_from_double(0.25);
  check_ok(tvm_ffi_args_read_double(&args, 0, &number));
  assert_true(number == 0.25);
  check_fails(tvm_ffi_args_read_opt_bool(&args, 0, &flag), "TypeError",
              MISMATCH("Optional<bool>", "float"));
  argument = tvm_ffi_any_from_pointer(&flag);
  check_fails(tvm_ffi_args_read_opt_double(&args, 0, &number), "TypeError",
              MISMATCH("Optional<float>", "void*"));
}

TEST(test_text_and_bytes) {
  TVMFFIByteArray bytes = {"xyz", 3}, out = {NULL, 0};
  argument = tvm_ffi_any_view_string("text");
  check_ok(tvm_ffi_args_read_string(&args, 0, &out));
  assert_string_equal(out.data, "text");
  check_fails(tvm_ffi_args_read_bytes(&args, 0, &out), "TypeError",
              MISMATCH("bytes", "const char*"));
  check_fails(tvm_ffi_args_read_opt_bytes(&args, 0, &out), "TypeError",
              MISMATCH("Optional<bytes>", "const char*"));
  argument = tvm_ffi_any_view_bytes(&bytes);
  check_ok(tvm_ffi_args_read_bytes(&args, 0, &out));
  check_ok(tvm_ffi_args_read_opt_bytes(&args, 0, &out));
  assert_ptr_equal(out.data, bytes.data);
  check_fails(tvm_ffi_args_read_string(&args, 0, &out), "TypeError",
              MISMATCH("str", "TVMFFIByteArray*"));
  check_fails(tvm_ffi_args_read_opt_string(&args, 0, &out), "TypeError",
              MISMATCH("Optional<str>", "TVMFFIByteArray*"));
  argument = tvm_ffi_any_none();
  check_ok(tvm_ffi_args_read_opt_string(&args, 0, &out));
  check_ok(tvm_ffi_args_read_opt_bytes(&args, 0, &out));
  assert_ptr_equal(out.data, bytes.data);
}

TEST(test_dtypes_and_devices) {
  DLDataType dtype = TVM_FFI_C_INT8;
  DLDevice device = tvm_ffi_device_make(kDLMAIA, 1);
  argument = tvm_ffi_any_none();
  check_ok(tvm_ffi_args_read_opt_dtype(&args, 0, &dtype));
  check_ok(tvm_ffi_args_read_opt_device(&args, 0, &device));
  assert_true(tvm_ffi_dtype_equal(dtype, TVM_FFI_C_INT8) && device.device_type == kDLMAIA);
  check_fails(tvm_ffi_args_read_dtype(&args, 0, &dtype), "TypeError", MISMATCH("DataType", "None"));
  check_fails(tvm_ffi_args_read_device(&args, 0, &device), "TypeError", MISMATCH("Device", "None"));
  argument = tvm_ffi_any_from_dtype(TVM_FFI_C_FLOAT16);
  check_ok(tvm_ffi_args_read_dtype(&args, 0, &dtype));
  assert_true(tvm_ffi_dtype_equal(dtype, TVM_FFI_C_FLOAT16));
  check_fails(tvm_ffi_args_read_opt_device(&args, 0, &device), "TypeError",
              MISMATCH("Optional<Device>", "DataType"));
  argument = tvm_ffi_any_from_device(tvm_ffi_device_make(kDLCUDA, 3));
  check_ok(tvm_ffi_args_read_device(&args, 0, &device));
  assert_int_equal(device.device_id, 3);
  check_fails(tvm_ffi_args_read_opt_dtype(&args, 0, &dtype), "TypeError",
              MISMATCH("Optional<DataType>", "Device"));
  argument = tvm_ffi_any_view_string("bf16");
  check_ok(tvm_ffi_args_read_opt_dtype(&args, 0, &dtype));
  assert_true(tvm_ffi_dtype_equal(dtype, TVM_FFI_C_BFLOAT16));
  check_fails(tvm_ffi_args_read_device(&args, 0, &device), "TypeError",
              MISMATCH("Device", "const char*"));
  argument = tvm_ffi_any_view_string("cuda:4");
  check_ok(tvm_ffi_args_read_opt_device(&args, 0, &device));
  assert_int_equal(device.device_id, 4);
  check_fails(tvm_ffi_args_read_dtype(&args, 0, &dtype), "ValueError", "unknown dtype `cuda:4`");
  check_fails(tvm_ffi_args_read_dtype(&args, 1, &dtype), "TypeError", NULL);
}

TEST(test_shapes) {
  int64_t buffer[2] = {0, 0}, shape[3] = {4, 5, 6};
  TVMFFIShapeCell cell = {NULL, 77};
  TVMFFIObjectHandle object = NULL;
  TVMFFIAny items[3];
  needs_global("ffi.Shape");
  needs_global("ffi.Array");
  argument = tvm_ffi_any_none();
  check_ok(tvm_ffi_args_read_opt_shape(&args, 0, buffer, 2, &cell));
  assert_int_equal(cell.size, 77);
  check_fails(tvm_ffi_args_read_shape(&args, 0, buffer, 2, &cell), "TypeError",
              MISMATCH("ffi.Shape", "None"));
  check_ok(tvm_ffi_shape_create(shape, 3, &object));
  argument = tvm_ffi_any_view_object(object);
  /* A Shape object has memory of its own, so the buffer's size is no limit. */
  check_ok(tvm_ffi_args_read_shape(&args, 0, buffer, 2, &cell));
  assert_true(cell.size == 3 && cell.data[2] == 6);
  TVMFFIObjectDecRef(object);
  items[0] = tvm_ffi_any_from_int64(1);
  items[1] = tvm_ffi_any_from_int64(2);
  items[2] = tvm_ffi_any_view_string("three");
  check_ok(tvm_ffi_array_create(items, 2, &object));
  argument = tvm_ffi_any_view_object(object);
  check_ok(tvm_ffi_args_read_opt_shape(&args, 0, buffer, 2, &cell));
  assert_true(cell.size == 2 && cell.data == buffer && buffer[1] == 2);
  check_fails(tvm_ffi_args_read_shape(&args, 0, buffer, 1, &cell), "ValueError",
              "Mismatched shape on argument #0 when calling: `" SIGNATURE
              "`. Expected at most 1 extents but got 2");
  TVMFFIObjectDecRef(object);
  check_ok(tvm_ffi_array_create(items, 3, &object));
  argument = tvm_ffi_any_view_object(object);
  check_fails(tvm_ffi_args_read_opt_shape(&args, 0, buffer, 2, &cell), "TypeError",
              MISMATCH("Optional<ffi.Shape>", "ffi.Array"));
  TVMFFIObjectDecRef(object);
}

TEST(test_objects) {
  TVMFFIObjectHandle out = NULL;
  probe p;
  probe_init(&p);
  argument = tvm_ffi_any_view_object(&p);
  argument.type_index = kTVMFFIFunction;
  check_ok(tvm_ffi_args_read_function(&args, 0, &out));
  check_ok(tvm_ffi_args_read_opt_function(&args, 0, &out));
  assert_ptr_equal(out, &p);
  check_fails(tvm_ffi_args_read_array(&args, 0, &out), "TypeError",
              MISMATCH("Array<Any>", "ffi.Function"));
  check_fails(tvm_ffi_args_read_opt_array(&args, 0, &out), "TypeError",
              MISMATCH("Optional<Array<Any>>", "ffi.Function"));
  argument.type_index = kTVMFFIList;
  check_ok(tvm_ffi_args_read_array(&args, 0, &out));
  argument.type_index = kTVMFFIArray;
  check_ok(tvm_ffi_args_read_opt_array(&args, 0, &out));
  check_fails(tvm_ffi_args_read_map(&args, 0, &out), "TypeError",
              MISMATCH("Map<Any, Any>", "ffi.Array"));
  check_fails(tvm_ffi_args_read_opt_map(&args, 0, &out), "TypeError",
              MISMATCH("Optional<Map<Any, Any>>", "ffi.Array"));
  argument.type_index = kTVMFFIMap;
  check_ok(tvm_ffi_args_read_map(&args, 0, &out));
  argument.type_index = kTVMFFIDict;
  check_ok(tvm_ffi_args_read_opt_map(&args, 0, &out));
  check_fails(tvm_ffi_args_read_function(&args, 0, &out), "TypeError",
              MISMATCH("ffi.Function", "ffi.Dict"));
  check_fails(tvm_ffi_args_read_opt_function(&args, 0, &out), "TypeError",
              MISMATCH("Optional<ffi.Function>", "ffi.Dict"));
  argument.type_index = kTVMFFIModule;
  check_ok(tvm_ffi_args_read_object(&args, 0, kTVMFFIModule, &out));
  check_ok(tvm_ffi_args_read_object(&args, 0, kTVMFFIObject, &out));
  check_fails(tvm_ffi_args_read_object(&args, 0, kTVMFFIError, &out), "TypeError",
              MISMATCH("ffi.Error", "ffi.Module"));
  argument = tvm_ffi_any_none();
  check_ok(tvm_ffi_args_read_opt_function(&args, 0, &out));
  check_ok(tvm_ffi_args_read_opt_array(&args, 0, &out));
  check_ok(tvm_ffi_args_read_opt_map(&args, 0, &out));
  assert_ptr_equal(out, &p);
  check_fails(tvm_ffi_args_read_function(&args, 0, &out), "TypeError",
              MISMATCH("ffi.Function", "None"));
  argument.type_index = kTVMFFIObjectRValueRef; /* only Any accepts an rvalue reference */
  argument.v_ptr = &out;
  check_fails(tvm_ffi_args_read_function(&args, 0, &out), "TypeError",
              MISMATCH("ffi.Function", "ObjectRValueRef"));
}

TEST(test_pointers_and_anything) {
  const TVMFFIAny *any = NULL;
  void *pointer = &any;
  argument = tvm_ffi_any_none();
  check_ok(tvm_ffi_args_read_pointer(&args, 0, &pointer));
  assert_null(pointer);
  argument = tvm_ffi_any_from_pointer(&any);
  check_ok(tvm_ffi_args_read_pointer(&args, 0, &pointer));
  assert_ptr_equal(pointer, &any);
  argument = tvm_ffi_any_from_int64(1);
  check_fails(tvm_ffi_args_read_pointer(&args, 0, &pointer), "TypeError", MISMATCH("void*", "int"));
  check_ok(tvm_ffi_args_read_any(&args, 0, &any));
  assert_ptr_equal(any, &argument);
  check_fails(tvm_ffi_args_read_any(&args, 1, &any), "TypeError", NULL);
}

TEST(test_returning_and_raising) {
  DLTensor tensor;
  probe object;
  probe_init(&object);
  check_ok(tvm_ffi_args_return_object(&args, &object));
  assert_ptr_equal(result.v_obj, &object);
  tvm_ffi_any_clear(&result);
  assert_int_equal(object.weak_deletes, 1);
  check_ok(tvm_ffi_args_return_object(&args, NULL));
  assert_true(tvm_ffi_any_is_none(&result));
  check_ok(tvm_ffi_args_return(&args, tvm_ffi_any_view_string("eight888")));
  assert_int_equal(result.type_index, kTVMFFIStr);
  tvm_ffi_any_clear(&result);
  check_fails(tvm_ffi_args_return(&args, tvm_ffi_any_view_tensor(&tensor)), "RuntimeError", NULL);
  assert_true(tvm_ffi_any_is_none(&result));
  check_fails(tvm_ffi_args_raise(&args, 1, TVM_FFI_C_VALUE_ERROR, "must be %s", "odd"),
              "ValueError", "Argument #1 of `" SIGNATURE "` must be odd");
}

RUN_TESTS({
    cmocka_unit_test(test_counts),
    cmocka_unit_test(test_tensors),
    cmocka_unit_test(test_integers),
    cmocka_unit_test(test_floats_and_bools),
    cmocka_unit_test(test_text_and_bytes),
    cmocka_unit_test(test_dtypes_and_devices),
    cmocka_unit_test(test_shapes),
    cmocka_unit_test(test_objects),
    cmocka_unit_test(test_pointers_and_anything),
    cmocka_unit_test(test_returning_and_raising),
})
