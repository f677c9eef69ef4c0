/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ffi.ContainerFindFirstNonCPUDevice. */
#include "c/container_support.h"
#include "core/object.h"

/* The part of a Tensor that the search reads. It is on the stack and must never be destroyed. */
typedef struct {
  TVMFFIObject header;
  DLTensor tensor;
} tensor_object;

static TVMFFIAny tensor_on(tensor_object *tensor, int device_type, int device_id) {
  memset(tensor, 0, sizeof *tensor);
  tensor->header.combined_ref_count = TVMFFI_BOTH_ONE;
  tensor->header.type_index = kTVMFFITensor;
  tensor->tensor.device.device_type = (DLDeviceType)device_type;
  tensor->tensor.device.device_id = device_id;
  return tvmffi_any_object(tensor);
}

static void check_device(TVMFFIAny value, int device_type, int device_id) {
  TVMFFIAny result = call_ok("ffi.ContainerFindFirstNonCPUDevice", &value, 1);
  assert_int_equal(result.type_index, kTVMFFIDevice);
  assert_int_equal(result.v_device.device_type, device_type);
  assert_int_equal(result.v_device.device_id, device_id);
}

static TVMFFIAny wrap(const char *name, TVMFFIAny inner) {
  TVMFFIAny outer = call_ok(name, &inner, 1);
  check_release(&inner);
  return outer;
}

TEST(test_what_is_found) {
  tensor_object cpu, cuda, rocm;
  TVMFFIAny args[6], array, map, dict;
  (void)tensor_on(&cpu, kDLCPU, 3);
  args[0] = tvmffi_any_int(5);
  args[1] = tvmffi_any_object(&cpu);
  args[2] = tensor_on(&cuda, kDLCUDA, 1);
  args[3] = tensor_on(&rocm, kDLROCM, 2);
  check_device(args[0], kDLCPU, 0);
  check_device(args[1], kDLCPU, 0);
  check_device(args[2], kDLCUDA, 1);
  check_device(tvmffi_any_none(), kDLCPU, 0);
  check_device(tvmffi_any_ptr(kTVMFFIArray, NULL), kDLCPU, 0);
  array = call_ok("ffi.Array", args, 2);
  check_device(array, kDLCPU, 0);
  args[4] = tvmffi_any_raw_str("key");
  args[5] = array;
  map = call_ok("ffi.Map", &args[2], 4); /* tensors in keys do not count */
  check_device(map, kDLROCM, 2);
  dict = call_ok("ffi.Dict", &args[4], 2);
  check_device(dict, kDLCPU, 0);
  check_release(&array);
  args[0] = dict;
  args[1] = map;
  array = call_ok("ffi.List", args, 3);
  check_device(array, kDLROCM, 2); /* found before the tensor that follows the Map */
  check_release(&array);
  check_release(&map);
  check_release(&dict);
}

TEST(test_deep) {
  tensor_object cuda;
  TVMFFIAny value, key_and_value[2];
  int i;
  value = tensor_on(&cuda, kDLCUDA, 4);
  TVMFFIObjectIncRef(&cuda);
  for (i = 0; i < 200000; ++i) {
    if (i % 3 == 0) {
      key_and_value[0] = tvmffi_any_int(i);
      key_and_value[1] = value;
      value = call_ok("ffi.Map", key_and_value, 2);
      check_release(&key_and_value[1]);
    } else {
      value = wrap(i % 3 == 1 ? "ffi.List" : "ffi.Array", value);
    }
  }
  check_device(value, kDLCUDA, 4);
  check_release(&value);
}

/* Shared containers are searched once: this value has 2^60 paths. */
TEST(test_shared_and_cyclic) {
  TVMFFIAny value = tvmffi_any_int(1), args[2], result;
  int i;
  for (i = 0; i < 60; ++i) {
    args[0] = args[1] = value;
    value = call_ok("ffi.List", args, 2);
    check_release(&args[0]);
  }
  check_device(value, kDLCPU, 0);
  args[0] = args[1] = value;
  check_ok(call_global("ffi.ListAppend", args, 2, &result)); /* the list contains itself */
  check_device(value, kDLCPU, 0);
  check_ok(call_global("ffi.ListClear", args, 1, &result));
  check_release(&value);
}

RUN_TESTS({
    cmocka_unit_test(test_what_is_found),
    cmocka_unit_test(test_deep),
    cmocka_unit_test(test_shared_and_cyclic),
})
