/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins the DLPack ABI: sizes, offsets and numbers of dlpack.h, whichever copy the build found.
 *
 * What to do if a line of this file does not compile: nothing here may be changed to fit. The
 * numbers are those of the standard for three kinds of machines (64-bit; 32-bit with 8-aligned
 * int64_t; i386), and programs built elsewhere rely on them. Mend the header, or the compiler flags
 * that alter layouts (-m*, -fpack-struct, -fshort-enums).
 */
#include <dlpack/dlpack.h>

#include "pin.h"

ALIGN_PROBE(DLTensor);
ALIGN_PROBE(DLManagedTensorVersioned);

PIN(DLPACK_MAJOR_VERSION == 1);
PIN(DLPACK_FLAG_BITMASK_READ_ONLY == 1);
PIN(DLPACK_FLAG_BITMASK_IS_COPIED == 2);

PIN_SIZE(DLDeviceType, 4, 4, 4);
PIN(kDLCPU == 1);
PIN(kDLCUDA == 2);
PIN(kDLCUDAHost == 3);
PIN(kDLOpenCL == 4);
PIN(kDLVulkan == 7);
PIN(kDLMetal == 8);
PIN(kDLVPI == 9);
PIN(kDLROCM == 10);
PIN(kDLROCMHost == 11);
PIN(kDLExtDev == 12);
PIN(kDLCUDAManaged == 13);
PIN(kDLOneAPI == 14);
PIN(kDLWebGPU == 15);
PIN(kDLHexagon == 16);
PIN(kDLMAIA == 17);

PIN(kDLInt == 0);
PIN(kDLUInt == 1);
PIN(kDLFloat == 2);
PIN(kDLOpaqueHandle == 3);
PIN(kDLBfloat == 4);
PIN(kDLComplex == 5);
PIN(kDLBool == 6);

PIN_SIZE(DLDevice, 8, 8, 8);
PIN_FIELD(DLDevice, device_type, 0, 0, 0);
PIN_FIELD(DLDevice, device_id, 4, 4, 4);

PIN_SIZE(DLDataType, 4, 4, 4);
PIN_FIELD(DLDataType, code, 0, 0, 0);
PIN_FIELD(DLDataType, bits, 1, 1, 1);
PIN_FIELD(DLDataType, lanes, 2, 2, 2);

PIN_SIZE(DLTensor, 48, 40, 36);
PIN_ALIGN(DLTensor, 8, 8, 4);
PIN_FIELD(DLTensor, data, 0, 0, 0);
PIN_FIELD(DLTensor, device, 8, 4, 4);
PIN_FIELD(DLTensor, ndim, 16, 12, 12);
PIN_FIELD(DLTensor, dtype, 20, 16, 16);
PIN_FIELD(DLTensor, shape, 24, 20, 20);
PIN_FIELD(DLTensor, strides, 32, 24, 24);
PIN_FIELD(DLTensor, byte_offset, 40, 32, 28);

PIN_SIZE(DLManagedTensor, 64, 48, 44);
PIN_FIELD(DLManagedTensor, dl_tensor, 0, 0, 0);
PIN_FIELD(DLManagedTensor, manager_ctx, 48, 40, 36);
PIN_FIELD(DLManagedTensor, deleter, 56, 44, 40);

PIN_SIZE(DLPackVersion, 8, 8, 8);
PIN_FIELD(DLPackVersion, major, 0, 0, 0);
PIN_FIELD(DLPackVersion, minor, 4, 4, 4);

PIN_SIZE(DLManagedTensorVersioned, 80, 64, 60);
PIN_ALIGN(DLManagedTensorVersioned, 8, 8, 4);
PIN_FIELD(DLManagedTensorVersioned, version, 0, 0, 0);
PIN_FIELD(DLManagedTensorVersioned, manager_ctx, 8, 8, 8);
PIN_FIELD(DLManagedTensorVersioned, deleter, 16, 12, 12);
PIN_FIELD(DLManagedTensorVersioned, flags, 24, 16, 16);
PIN_FIELD(DLManagedTensorVersioned, dl_tensor, 32, 24, 24);

/* DLPack 1.1 to 1.3 added the rest. */
#if DLPACK_MINOR_VERSION >= 3
PIN(DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED == 4);
PIN(kDLTrn == 18);

PIN(kDLFloat8_e3m4 == 7);
PIN(kDLFloat8_e4m3 == 8);
PIN(kDLFloat8_e4m3b11fnuz == 9);
PIN(kDLFloat8_e4m3fn == 10);
PIN(kDLFloat8_e4m3fnuz == 11);
PIN(kDLFloat8_e5m2 == 12);
PIN(kDLFloat8_e5m2fnuz == 13);
PIN(kDLFloat8_e8m0fnu == 14);
PIN(kDLFloat6_e2m3fn == 15);
PIN(kDLFloat6_e3m2fn == 16);
PIN(kDLFloat4_e2m1fn == 17);

PIN_SIZE(DLPackExchangeAPIHeader, 16, 12, 12);
PIN_FIELD(DLPackExchangeAPIHeader, version, 0, 0, 0);
PIN_FIELD(DLPackExchangeAPIHeader, prev_api, 8, 8, 8);

PIN_SIZE(DLPackExchangeAPI, 56, 32, 32);
PIN_FIELD(DLPackExchangeAPI, header, 0, 0, 0);
PIN_FIELD(DLPackExchangeAPI, managed_tensor_allocator, 16, 12, 12);
PIN_FIELD(DLPackExchangeAPI, managed_tensor_from_py_object_no_sync, 24, 16, 16);
PIN_FIELD(DLPackExchangeAPI, managed_tensor_to_py_object_no_sync, 32, 20, 20);
PIN_FIELD(DLPackExchangeAPI, dltensor_from_py_object_no_sync, 40, 24, 24);
PIN_FIELD(DLPackExchangeAPI, current_work_stream, 48, 28, 28);

/* Signatures: each assignment below compiles only if the typedef is the standard's. */
int pin_allocator(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                  void (*set_error)(void *, const char *, const char *));
int pin_from_py(void *py_object, DLManagedTensorVersioned **out);
int pin_to_py(DLManagedTensorVersioned *tensor, void **out_py_object);
int pin_view(void *py_object, DLTensor *out);
int pin_stream(DLDeviceType device_type, int32_t device_id, void **out_stream);

int pin_allocator(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                  void (*set_error)(void *, const char *, const char *)) {
  (void)prototype;
  (void)out;
  (void)error_ctx;
  (void)set_error;
  return -1;
}
int pin_from_py(void *py_object, DLManagedTensorVersioned **out) {
  (void)py_object;
  (void)out;
  return -1;
}
int pin_to_py(DLManagedTensorVersioned *tensor, void **out_py_object) {
  (void)tensor;
  (void)out_py_object;
  return -1;
}
int pin_view(void *py_object, DLTensor *out) {
  (void)py_object;
  (void)out;
  return -1;
}
int pin_stream(DLDeviceType device_type, int32_t device_id, void **out_stream) {
  (void)device_type;
  (void)device_id;
  (void)out_stream;
  return -1;
}
#endif

int main(void) {
  int failures = 0;
#if DLPACK_MINOR_VERSION >= 3
  DLPackManagedTensorAllocator allocator = pin_allocator;
  DLPackManagedTensorFromPyObjectNoSync from_py = pin_from_py;
  DLPackManagedTensorToPyObjectNoSync to_py = pin_to_py;
  DLPackDLTensorFromPyObjectNoSync view = pin_view;
  DLPackCurrentWorkStream stream = pin_stream;
  failures += allocator(NULL, NULL, NULL, NULL) != -1;
  failures += from_py(NULL, NULL) != -1;
  failures += to_py(NULL, NULL) != -1;
  failures += view(NULL, NULL) != -1;
  failures += stream(kDLCPU, 0, NULL) != -1;
#endif
  return failures != 0;
}
