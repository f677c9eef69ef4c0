/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/any.h
 * The bodies of tvm/ffi/c/any.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_ANY_H_
#define TVM_FFI_C_DETAIL_ANY_H_

static inline TVMFFIAny tvm_ffi_any_none(void) {
  TVMFFIAny any;
  any.type_index = kTVMFFINone;
  any.zero_padding = 0;
  any.v_uint64 = 0;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_from_int64(int64_t value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIInt;
  any.v_int64 = value;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_from_double(double value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIFloat;
  any.v_float64 = value;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_from_bool(bool value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIBool;
  any.v_int64 = value ? 1 : 0;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_from_dtype(DLDataType value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIDataType;
  any.v_dtype = value;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_from_device(DLDevice value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIDevice;
  any.v_device = value;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_from_pointer(void *value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIOpaquePtr;
  any.v_ptr = value;
  return any;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_any_from_uint64(uint64_t value,
                                                                     TVMFFIAny *out) {
  if (value > (uint64_t)INT64_MAX) {
    return TVM_FFI_C_DETAIL_FAIL(
        TVM_FFI_C_OVERFLOW_ERROR,
        "Integer value %llu is too large to fit in int64_t. Consider explicitly casting to int64_t "
        "first if this is intentional.",
        (unsigned long long)value);
  }
  *out = tvm_ffi_any_from_int64((int64_t)value);
  return 0;
}

static inline TVMFFIAny tvm_ffi_any_view_tensor(DLTensor *tensor) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIDLTensorPtr;
  any.v_ptr = tensor;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_view_string(const char *text) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIRawStr;
  any.v_c_str = text;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_view_bytes(TVMFFIByteArray *bytes) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIByteArrayPtr;
  any.v_ptr = bytes;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_view_object(TVMFFIObjectHandle object) {
  TVMFFIAny any = tvm_ffi_any_none();
  if (object == NULL) return any;
  any.type_index = TVMFFIObjectGetTypeIndex(object);
  any.v_obj = (TVMFFIObject *)object;
  return any;
}

static inline TVMFFIAny tvm_ffi_any_take_object(TVMFFIObjectHandle object) {
  return tvm_ffi_any_view_object(object);
}

static inline TVMFFIAny tvm_ffi_any_share_object(TVMFFIObjectHandle object) {
  if (object != NULL) TVMFFIObjectIncRef(object);
  return tvm_ffi_any_view_object(object);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_any_copy(const TVMFFIAny *view,
                                                              TVMFFIAny *out) {
  if (view->type_index == kTVMFFIDLTensorPtr) {
    TVMFFIErrorSetRaisedFromCStr(
        TVM_FFI_C_RUNTIME_ERROR,
        "DLTensor* cannot be held in Any as it does not retain ownership, use Tensor instead");
    return -1;
  }
  if (view->type_index < kTVMFFIRawStr || view->type_index == kTVMFFISmallStr ||
      view->type_index == kTVMFFISmallBytes) {
    *out = *view;
    return 0;
  }
  return TVMFFIAnyViewToOwnedAny(view, out);
}

static inline void tvm_ffi_any_clear(TVMFFIAny *any) {
  TVMFFIAny old = *any;
  *any = tvm_ffi_any_none();
  if (old.type_index >= kTVMFFIStaticObjectBegin && old.v_obj != NULL) {
    TVMFFIObjectDecRef(old.v_obj);
  }
}

static inline TVMFFIAny tvm_ffi_any_move(TVMFFIAny *any) {
  TVMFFIAny value = *any;
  *any = tvm_ffi_any_none();
  return value;
}

static inline void tvm_ffi_object_release(TVMFFIObjectHandle object) {
  if (object != NULL) TVMFFIObjectDecRef(object);
}

static inline TVMFFIObjectHandle tvm_ffi_object_retain(TVMFFIObjectHandle object) {
  if (object != NULL) TVMFFIObjectIncRef(object);
  return object;
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_is_none(const TVMFFIAny *any) {
  return any->type_index == kTVMFFINone;
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_int64(const TVMFFIAny *any, int64_t *out) {
  if (any->type_index != kTVMFFIInt && any->type_index != kTVMFFIBool) return false;
  *out = any->v_int64;
  return true;
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_double(const TVMFFIAny *any, double *out) {
  if (any->type_index == kTVMFFIFloat) {
    *out = any->v_float64;
    return true;
  }
  if (any->type_index != kTVMFFIInt && any->type_index != kTVMFFIBool) return false;
  *out = (double)any->v_int64;
  return true;
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_bool(const TVMFFIAny *any, bool *out) {
  if (any->type_index != kTVMFFIBool && any->type_index != kTVMFFIInt) return false;
  *out = any->v_int64 != 0;
  return true;
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_pointer(const TVMFFIAny *any, void **out) {
  if (any->type_index != kTVMFFIOpaquePtr && any->type_index != kTVMFFINone) return false;
  *out = any->type_index == kTVMFFINone ? NULL : any->v_ptr;
  return true;
}

static inline bool tvm_ffi_any_try_string(const TVMFFIAny *any, TVMFFIByteArray *out) {
  switch (any->type_index) {
    case kTVMFFIRawStr:
      if (any->v_c_str == NULL) return false;
      *out = tvm_ffi_detail_bytes(any->v_c_str);
      return true;
    case kTVMFFISmallStr:
      *out = TVMFFISmallBytesGetContentByteArray(any);
      return true;
    case kTVMFFIStr:
      if (any->v_obj == NULL) return false;
      *out = *TVMFFIBytesGetByteArrayPtr(any->v_obj);
      return true;
    default:
      return false;
  }
}

static inline bool tvm_ffi_any_try_bytes(const TVMFFIAny *any, TVMFFIByteArray *out) {
  switch (any->type_index) {
    case kTVMFFIByteArrayPtr:
      if (any->v_ptr == NULL) return false;
      *out = *(const TVMFFIByteArray *)any->v_ptr;
      return true;
    case kTVMFFISmallBytes:
      *out = TVMFFISmallBytesGetContentByteArray(any);
      return true;
    case kTVMFFIBytes:
      if (any->v_obj == NULL) return false;
      *out = *TVMFFIBytesGetByteArrayPtr(any->v_obj);
      return true;
    default:
      return false;
  }
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_tensor(const TVMFFIAny *any, DLTensor **out) {
  if (any->v_ptr == NULL) return false;
  if (any->type_index == kTVMFFITensor) {
    *out = TVMFFITensorGetDLTensorPtr(any->v_obj);
  } else if (any->type_index == kTVMFFIDLTensorPtr) {
    *out = (DLTensor *)any->v_ptr;
  } else {
    return false;
  }
  return true;
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_object(const TVMFFIAny *any, int32_t type_index,
                                                    TVMFFIObjectHandle *out) {
  if (any->type_index < kTVMFFIStaticObjectBegin || any->v_obj == NULL) return false;
  if (type_index != kTVMFFIObject && any->type_index != type_index) return false;
  *out = any->v_obj;
  return true;
}

TVM_FFI_C_DETAIL_COLD static inline bool tvm_ffi_detail_parse_device(const TVMFFIAny *any,
                                                                     DLDevice *out) {
  TVMFFIByteArray text;
  return tvm_ffi_any_try_string(any, &text) && tvm_ffi_device_parse(text.data, text.size, out);
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_device(const TVMFFIAny *any, DLDevice *out) {
  if (any->type_index != kTVMFFIDevice) return tvm_ffi_detail_parse_device(any, out);
  *out = any->v_device;
  return true;
}

static inline const char *tvm_ffi_type_get_name(int32_t type_index) {
  static const char *const values[] = {"None",
                                       "int",
                                       "bool",
                                       "float",
                                       "void*",
                                       "DataType",
                                       "Device",
                                       "DLTensor*",
                                       "const char*",
                                       "TVMFFIByteArray*",
                                       "ObjectRValueRef",
                                       "ffi.SmallStr",
                                       "ffi.SmallBytes",
                                       "ffi.Unchanged"};
  static const char *const objects[] = {"ffi.Object", "ffi.String",         "ffi.Bytes",
                                        "ffi.Error",  "ffi.Function",       "ffi.Shape",
                                        "ffi.Tensor", "ffi.Array",          "ffi.Map",
                                        "ffi.Module", "ffi.OpaquePyObject", "ffi.List",
                                        "ffi.Dict",   "ffi.VisitInterrupt", "ffi.BigInt"};
  const int32_t num_values = (int32_t)(sizeof values / sizeof values[0]);
  const int32_t num_objects = (int32_t)(sizeof objects / sizeof objects[0]);
  const TVMFFITypeInfo *info;
  if (type_index >= 0 && type_index < num_values) return values[type_index];
  if (type_index < kTVMFFIStaticObjectBegin) return "unknown type";
  if (type_index < kTVMFFIStaticObjectBegin + num_objects) {
    return objects[type_index - kTVMFFIStaticObjectBegin];
  }
  info = TVMFFIGetTypeInfo(type_index);
  return info != NULL ? info->type_key.data : "unknown type";
}

static inline const char *tvm_ffi_any_get_type_name(const TVMFFIAny *any) {
  const int32_t index = any->type_index;
  const TVMFFITypeInfo *info = NULL;
  if (any->v_ptr == NULL && (index >= kTVMFFIStaticObjectBegin ||
                             (index >= kTVMFFIDLTensorPtr && index <= kTVMFFIByteArrayPtr))) {
    return "NULL";
  }
  /* A runtime knows the types of the values it passes, but not all that tvm_ffi_type_get_name is
   * asked for, which are in newer headers. */
  if (index >= kTVMFFIStaticObjectBegin || (index >= kTVMFFINone && index <= kTVMFFIUnchanged)) {
    info = TVMFFIGetTypeInfo(index);
  }
  return info != NULL ? info->type_key.data : "unknown type";
}

TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_mismatch(const TVMFFIAny *any,
                                                                     const char *expected) {
  const char *parts[5];
  parts[0] = "Cannot convert from type `";
  parts[1] = tvm_ffi_any_get_type_name(any);
  parts[2] = "` to `";
  parts[3] = expected;
  parts[4] = "`";
  TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_TYPE_ERROR, parts, 5);
}

TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_raise_mismatch(const TVMFFIAny *any, const char *expected) {
  tvm_ffi_detail_set_mismatch(any, expected);
  return -1;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_any_read_int64(const TVMFFIAny *any, int64_t *out) {
  return tvm_ffi_any_try_int64(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "int");
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_any_read_double(const TVMFFIAny *any, double *out) {
  return tvm_ffi_any_try_double(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "float");
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_any_read_bool(const TVMFFIAny *any, bool *out) {
  return tvm_ffi_any_try_bool(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "bool");
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_any_read_pointer(const TVMFFIAny *any, void **out) {
  return tvm_ffi_any_try_pointer(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "void*");
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_any_read_string(const TVMFFIAny *any, TVMFFIByteArray *out) {
  return tvm_ffi_any_try_string(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "str");
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_any_read_bytes(const TVMFFIAny *any, TVMFFIByteArray *out) {
  return tvm_ffi_any_try_bytes(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "bytes");
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_any_read_tensor(const TVMFFIAny *any, DLTensor **out) {
  return tvm_ffi_any_try_tensor(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "DLTensor*");
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_any_read_object(const TVMFFIAny *any, int32_t type_index,
                                                    TVMFFIObjectHandle *out) {
  if (tvm_ffi_any_try_object(any, type_index, out)) return 0;
  return tvm_ffi_any_raise_mismatch(any, tvm_ffi_type_get_name(type_index));
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_any_read_device(const TVMFFIAny *any, DLDevice *out) {
  return tvm_ffi_any_try_device(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "Device");
}

/** Reads a DataType, or the text of one; *matched is whether the value was either. */
static inline int tvm_ffi_detail_read_dtype(const TVMFFIAny *any, DLDataType *out, bool *matched) {
  TVMFFIByteArray text;
  *matched = true;
  if (any->type_index == kTVMFFIDataType) {
    *out = any->v_dtype;
    return 0;
  }
  *matched = tvm_ffi_any_try_string(any, &text) || tvm_ffi_any_try_bytes(any, &text);
  return *matched ? TVMFFIDataTypeFromString(&text, out) : -1;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_any_read_dtype(const TVMFFIAny *any,
                                                                    DLDataType *out) {
  bool matched;
  int code = tvm_ffi_detail_read_dtype(any, out, &matched);
  return matched ? code : tvm_ffi_any_raise_mismatch(any, "DataType");
}

#endif /* TVM_FFI_C_DETAIL_ANY_H_ */
