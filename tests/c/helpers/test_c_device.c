/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/device.h>

#include "support/check.h"

static int parses(const char *text, int32_t type, int32_t id) {
  DLDevice device = tvm_ffi_device_make(99, 99);
  return tvm_ffi_device_parse(text, strlen(text), &device) &&
         tvm_ffi_device_equal(device, tvm_ffi_device_make(type, id));
}

static int is_refused(const char *text) {
  DLDevice device = tvm_ffi_device_make(99, 99);
  return !tvm_ffi_device_parse(text, strlen(text), &device) && device.device_id == 99;
}

TEST(test_texts_of_devices) {
  assert_true(parses("cpu", kDLCPU, 0));
  assert_true(parses("cuda", kDLCUDA, 0));
  assert_true(parses("cuda:1", kDLCUDA, 1));
  assert_true(parses("cuda:01", kDLCUDA, 1));
  assert_true(parses("cuda:2147483647", kDLCUDA, INT32_MAX));
  assert_true(parses("opencl", kDLOpenCL, 0));
  assert_true(parses("vulkan:3", kDLVulkan, 3));
  assert_true(parses("metal", kDLMetal, 0));
  assert_true(parses("mps:3", kDLMetal, 3));
  assert_true(parses("vpi", kDLVPI, 0));
  assert_true(parses("rocm", kDLROCM, 0));
  assert_true(parses("ext_dev", kDLExtDev, 0));
  assert_true(parses("hexagon", kDLHexagon, 0));
  assert_true(parses("webgpu", kDLWebGPU, 0));
  assert_true(parses("wgpu", kDLWebGPU, 0));
  assert_true(parses("maia", kDLMAIA, 0));
  assert_true(parses("trn", 18, 0));
  assert_true(parses("oneapi:2", kDLOneAPI, 2));
  assert_true(parses("cuda_host", kDLCUDAHost, 0));
  assert_true(parses("rocm_host", kDLROCMHost, 0));
  assert_true(parses("cuda_managed:1", kDLCUDAManaged, 1));
  assert_true(parses("cpu ", kDLCPU, 0));
  assert_true(parses("cuda:1 -libs=thrust", kDLCUDA, 1));
  assert_true(parses("cuda :1", kDLCUDA, 0));
}

TEST(test_texts_of_none) {
  assert_true(is_refused(""));
  assert_true(is_refused(" cpu"));
  assert_true(is_refused("gpu"));
  assert_true(is_refused("CPU"));
  assert_true(is_refused("cud"));
  assert_true(is_refused("cudaa"));
  assert_true(is_refused("rocm_hos"));
  assert_true(is_refused("unknown"));
  assert_true(is_refused("device(99):0"));
  assert_true(is_refused("cuda:"));
  assert_true(is_refused("cuda: 1"));
  assert_true(is_refused("cuda:-1"));
  assert_true(is_refused("cuda:+1"));
  assert_true(is_refused("cuda:1x"));
  assert_true(is_refused("cuda:0x1"));
  assert_true(is_refused("cpu:0:1"));
  assert_true(is_refused("cuda:2147483648"));
  assert_true(is_refused("cuda:99999999999999999999999999"));
  assert_true(is_refused(":0"));
}

/* The text need not end in a NUL. */
TEST(test_the_size_is_respected) {
  DLDevice device;
  assert_true(tvm_ffi_device_parse("cuda:12", 6, &device));
  assert_int_equal(device.device_id, 1);
  assert_true(tvm_ffi_device_parse("cuda:12", 4, &device));
  assert_int_equal(device.device_id, 0);
  assert_false(tvm_ffi_device_parse(NULL, 0, &device));
}

TEST(test_printing) {
  char text[32], small[4];
  int32_t type;
  assert_string_equal(tvm_ffi_device_print(tvm_ffi_device_make(kDLCUDA, 1), text, sizeof text),
                      "cuda:1");
  assert_string_equal(
      tvm_ffi_device_print(tvm_ffi_device_make(kDLCUDAManaged, 0), text, sizeof text),
      "cuda_managed:0");
  assert_string_equal(tvm_ffi_device_print(tvm_ffi_device_make(99, -1), text, sizeof text),
                      "device(99):-1");
  assert_string_equal(tvm_ffi_device_print(tvm_ffi_device_make(kDLCPU, 0), small, sizeof small),
                      "cpu");
  for (type = -1; type < 20; ++type) {
    const int known = type >= 1 && type <= 18 && type != 5 && type != 6;
    assert_int_equal(tvm_ffi_device_get_type_name(type) != NULL, known);
  }
}

TEST(test_what_is_printed_can_be_parsed) {
  char text[32];
  int32_t type, count = 0;
  for (type = -1; type < 64; ++type) {
    tvm_ffi_device_print(tvm_ffi_device_make(type, 7), text, sizeof text);
    if (tvm_ffi_device_get_type_name(type) != NULL) {
      assert_true(parses(text, type, 7));
      ++count;
    } else {
      assert_true(is_refused(text));
    }
  }
  assert_int_equal(count, 16);
}

TEST(test_addressable_devices) {
  assert_true(tvm_ffi_device_is_addressable(tvm_ffi_device_make(kDLCPU, 0)));
  assert_true(tvm_ffi_device_is_addressable(tvm_ffi_device_make(kDLCUDA, 7)));
  assert_true(tvm_ffi_device_is_addressable(tvm_ffi_device_make(kDLROCMHost, 0)));
  assert_false(tvm_ffi_device_is_addressable(tvm_ffi_device_make(kDLVulkan, 0)));
  assert_true(tvm_ffi_device_is_addressable(tvm_ffi_device_make(kDLOneAPI, 0)));
  assert_false(tvm_ffi_device_is_addressable(tvm_ffi_device_make(kDLOpenCL, 0)));
}

RUN_TESTS({
    cmocka_unit_test(test_texts_of_devices),
    cmocka_unit_test(test_texts_of_none),
    cmocka_unit_test(test_the_size_is_respected),
    cmocka_unit_test(test_printing),
    cmocka_unit_test(test_what_is_printed_can_be_parsed),
    cmocka_unit_test(test_addressable_devices),
})
