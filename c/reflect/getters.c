/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/getters.h"

#include "core/any.h"
#include "core/builtins.h"

static int get_bool(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_bool(*(const unsigned char *)field);
  return 0;
}

static int get_float(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_int(0);
  result->type_index = kTVMFFIFloat;
  result->v_float64 = *(const double *)field;
  return 0;
}

static int get_pointer(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_ptr(kTVMFFIOpaquePtr, *(void *const *)field);
  return 0;
}

static int get_dtype(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_int(0);
  result->type_index = kTVMFFIDataType;
  result->v_dtype = *(const DLDataType *)field;
  return 0;
}

static int get_device(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_int(0);
  result->type_index = kTVMFFIDevice;
  result->v_device = *(const DLDevice *)field;
  return 0;
}

TVMFFIFieldGetter tvmffi_getter_find(int32_t static_type_index) {
  switch (static_type_index) {
    case kTVMFFIInt:
      return tvmffi_stored_get_int64;
    case kTVMFFIBool:
      return get_bool;
    case kTVMFFIFloat:
      return get_float;
    case kTVMFFIOpaquePtr:
      return get_pointer;
    case kTVMFFIDataType:
      return get_dtype;
    case kTVMFFIDevice:
      return get_device;
    case kTVMFFIAny:
    case kTVMFFINone:
      return tvmffi_stored_get_any;
    default:
      return static_type_index >= kTVMFFIStaticObjectBegin ? tvmffi_stored_get_object : NULL;
  }
}

int64_t tvmffi_getter_bytes(TVMFFIFieldGetter getter) {
  static const struct {
    TVMFFIFieldGetter getter;
    int32_t bytes;
  } kSizes[] = {
      {tvmffi_stored_get_int64, sizeof(int64_t)},
      {get_bool, 1},
      {get_float, sizeof(double)},
      {get_pointer, sizeof(void *)},
      {get_dtype, sizeof(DLDataType)},
      {get_device, sizeof(DLDevice)},
      {tvmffi_stored_get_any, sizeof(TVMFFIAny)},
      {tvmffi_stored_get_object, sizeof(TVMFFIObject *)},
  };
  size_t i;
  for (i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
    if (kSizes[i].getter == getter) return kSizes[i].bytes;
  }
  return 0;
}
