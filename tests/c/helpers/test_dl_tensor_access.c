/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that compiler authors copy, compiled as C and as C++, and run. */

#ifdef __cplusplus
extern "C" {
#endif
#include "support/check.h"
#ifdef __cplusplus
}
#endif

#include "modules/add_one_by_hand.c"

static float x_data[3], y_data[3];
static int64_t shape[1], one[1], two[1];
static DLTensor x, y;

FIXTURE(setup) {
  memset(&x, 0, sizeof x);
  shape[0] = 3, one[0] = 1, two[0] = 2;
  x.ndim = 1;
  x.shape = shape;
  x.strides = one;
  x.device.device_type = kDLCPU;
  x.dtype.code = kDLFloat;
  x.dtype.bits = 32;
  x.dtype.lanes = 1;
  y = x;
  x.data = x_data;
  y.data = y_data;
  x_data[0] = 1, x_data[1] = 2, x_data[2] = 3;
  memset(y_data, 0, sizeof y_data);
  return 0;
}

/* A Tensor object that shares the data of y. */
static TVMFFIObjectHandle make_tensor(void) {
  static DLManagedTensor managed;
  TVMFFIObjectHandle tensor = NULL;
  memset(&managed, 0, sizeof managed);
  managed.dl_tensor = y;
  check_ok(TVMFFITensorFromDLPack(&managed, 0, 0, &tensor));
  return tensor;
}

TEST(test_dl_tensors_of_values) {
  TVMFFIObjectHandle tensor = make_tensor();
  DLTensor *out = NULL;
  TVMFFIAny value;
  memset(&value, 0xa5, sizeof value);
  check_ok(DLTensorToView(&x, &value));
  assert_int_equal(value.type_index, kTVMFFIDLTensorPtr);
  assert_int_equal(value.zero_padding, 0);
  check_ok(ReadDLTensorPtr(&value, &out));
  assert_ptr_equal(out, &x);
  check_ok(TensorToView(tensor, &value));
  check_ok(ReadDLTensorPtr(&value, &out));
  assert_ptr_equal(out, TVMFFITensorGetDLTensorPtr(tensor));
  value.type_index = kTVMFFIInt;
  check_fails(ReadDLTensorPtr(&value, &out), "TypeError", "Expected a tensor");
  value.type_index = kTVMFFIDLTensorPtr;
  value.v_ptr = NULL;
  check_fails(ReadDLTensorPtr(&value, &out), "TypeError", NULL);
  check_fails(DLTensorToView(NULL, &value), "ValueError", "tensor is NULL");
  TVMFFIObjectDecRef(tensor);
}

TEST(test_tensors_of_values) {
  TVMFFIObjectHandle tensor = make_tensor(), out = NULL;
  TVMFFIAny value;
  check_ok(TensorToView(tensor, &value));
  assert_int_equal(check_use_count(tensor), 1);
  check_ok(ReadBorrowedTensor(&value, &out));
  assert_ptr_equal(out, tensor);
  assert_int_equal(check_use_count(tensor), 1);
  check_ok(TensorToOwned(tensor, &value));
  assert_int_equal(check_use_count(tensor), 2);
  check_release(&value);
  check_ok(DLTensorToView(&x, &value));
  check_fails(ReadBorrowedTensor(&value, &out), "TypeError", "Expected a Tensor object");
  check_fails(TensorToView(NULL, &value), "ValueError", "tensor is NULL");
  check_fails(TensorToOwned(NULL, &value), "ValueError", "tensor is NULL");
  TVMFFIObjectDecRef(tensor);
}

/* The C function of the ABI copies even a borrowed tensor; the copy owns nothing. */
TEST(test_the_abi_does_not_refuse_borrowed_tensors) {
  TVMFFIAny view, value;
  check_ok(DLTensorToView(&x, &view));
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &value));
  assert_memory_equal(&view, &value, sizeof view);
}

static int add_one(void) {
  TVMFFIAny args[2], result;
  memset(&result, 0, sizeof result);
  if (DLTensorToView(&x, &args[0]) != 0 || DLTensorToView(&y, &args[1]) != 0) return -1;
  return __tvm_ffi_add_one(NULL, args, 2, &result);
}

TEST(test_add_one) {
  TVMFFIObjectHandle tensor;
  TVMFFIAny args[2], result;
  memset(&result, 0, sizeof result);
  check_ok(add_one());
  assert_true(y_data[0] == 2 && y_data[1] == 3 && y_data[2] == 4);
  tensor = make_tensor(); /* shares the memory of y */
  check_ok(TensorToView(tensor, &args[0]));
  check_ok(TensorToView(tensor, &args[1]));
  check_ok(__tvm_ffi_add_one(NULL, args, 2, &result));
  assert_true(y_data[0] == 3 && y_data[1] == 4 && y_data[2] == 5);
  TVMFFIObjectDecRef(tensor);
  y.byte_offset = 4;
  shape[0] = 2;
  check_ok(add_one());
  assert_true(y_data[0] == 3 && y_data[1] == 2 && y_data[2] == 3);
  y.strides = x.strides = NULL;
  check_ok(add_one());
}

TEST(test_add_one_refuses) {
  TVMFFIAny args[2], result;
  memset(args, 0, sizeof args);
  memset(&result, 0, sizeof result);
  check_fails(__tvm_ffi_add_one(NULL, args, 1, &result), "TypeError", "add_one takes 2 arguments");
  check_fails(__tvm_ffi_add_one(NULL, args, 2, &result), "TypeError", "Expected a tensor");
  y.ndim = 0;
  check_fails(add_one(), "ValueError", "add_one takes two vectors of the same length");
  y.ndim = 1;
  y.dtype.bits = 64;
  check_fails(add_one(), "TypeError", "add_one takes float32");
  y.dtype.bits = 32;
  x.strides = two;
  check_fails(add_one(), "ValueError", "add_one takes contiguous tensors on the CPU");
  x.strides = one;
  x.device.device_type = kDLCUDA;
  check_fails(add_one(), "ValueError", "add_one takes contiguous tensors on the CPU");
}

RUN_TESTS({
    cmocka_unit_test_setup(test_dl_tensors_of_values, setup),
    cmocka_unit_test_setup(test_tensors_of_values, setup),
    cmocka_unit_test_setup(test_the_abi_does_not_refuse_borrowed_tensors, setup),
    cmocka_unit_test_setup(test_add_one, setup),
    cmocka_unit_test_setup(test_add_one_refuses, setup),
})
