/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/any.h
 * Values: make, read, copy and clear them.
 *
 * One struct, two contracts. A *view* borrows what it points to and is what calls take; an *owned*
 * value holds a reference and is what calls give back:
 *
 *     TVMFFIAny args[2], result;
 *     args[0] = tvm_ffi_any_view_tensor(&tensor);
 *     args[1] = tvm_ffi_any_from_double(2.5);
 *     TVM_FFI_C_TRY(tvm_ffi_function_call(function, args, 2, &result));
 *     TVM_FFI_C_TRY(tvm_ffi_any_read_int64(&result, &count));
 *     tvm_ffi_any_clear(&result);
 */
#ifndef TVM_FFI_C_ANY_H_
#define TVM_FFI_C_ANY_H_

#include <tvm/ffi/c/device.h>
#include <tvm/ffi/c/dtype.h>
#include <tvm/ffi/c/error.h>

/* ---- Making ----
 * All 16 bytes are written.   Errors: none.   Threads: any. */

/** None. */
static inline TVMFFIAny tvm_ffi_any_none(void) {
  TVMFFIAny any;
  any.type_index = kTVMFFINone;
  any.zero_padding = 0;
  any.v_uint64 = 0;
  return any;
}

/** An integer. */
static inline TVMFFIAny tvm_ffi_any_from_int64(int64_t value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIInt;
  any.v_int64 = value;
  return any;
}

/** A floating-point number. */
static inline TVMFFIAny tvm_ffi_any_from_double(double value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIFloat;
  any.v_float64 = value;
  return any;
}

/** true or false. */
static inline TVMFFIAny tvm_ffi_any_from_bool(bool value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIBool;
  any.v_int64 = value ? 1 : 0;
  return any;
}

/** A data type. */
static inline TVMFFIAny tvm_ffi_any_from_dtype(DLDataType value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIDataType;
  any.v_dtype = value;
  return any;
}

/** A device. */
static inline TVMFFIAny tvm_ffi_any_from_device(DLDevice value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIDevice;
  any.v_device = value;
  return any;
}

/** A plain pointer; it is never owned or freed. */
static inline TVMFFIAny tvm_ffi_any_from_pointer(void *value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIOpaquePtr;
  any.v_ptr = value;
  return any;
}

/**
 * An unsigned integer.
 * @param out [out]
 * @return 0, or -1.   Errors: OverflowError (more than INT64_MAX).
 */
static inline int tvm_ffi_any_from_uint64(uint64_t value, TVMFFIAny *out) {
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

/** A view of a tensor that no object owns. @param tensor [borrow] */
static inline TVMFFIAny tvm_ffi_any_view_tensor(DLTensor *tensor) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIDLTensorPtr;
  any.v_ptr = tensor;
  return any;
}

/** A view of NUL-terminated text. @param text [borrow] */
static inline TVMFFIAny tvm_ffi_any_view_string(const char *text) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIRawStr;
  any.v_c_str = text;
  return any;
}

/** A view of bytes. @param bytes [borrow] The struct too must live. */
static inline TVMFFIAny tvm_ffi_any_view_bytes(TVMFFIByteArray *bytes) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIByteArrayPtr;
  any.v_ptr = bytes;
  return any;
}

/** A view of any object. @param object [borrow] NULL gives None. */
static inline TVMFFIAny tvm_ffi_any_view_object(TVMFFIObjectHandle object) {
  TVMFFIAny any = tvm_ffi_any_none();
  if (object == NULL) return any;
  any.type_index = TVMFFIObjectGetTypeIndex(object);
  any.v_obj = (TVMFFIObject *)object;
  return any;
}

/** An owned value of a reference. @param object [take] NULL gives None. */
static inline TVMFFIAny tvm_ffi_any_take_object(TVMFFIObjectHandle object) {
  return tvm_ffi_any_view_object(object);
}

/** An owned value with a reference of its own. @param object [share] NULL gives None. */
static inline TVMFFIAny tvm_ffi_any_share_object(TVMFFIObjectHandle object) {
  if (object != NULL) TVMFFIObjectIncRef(object);
  return tvm_ffi_any_view_object(object);
}

/* ---- Owning ---- */

/**
 * Make an owned value of a view, to keep it or to return it: objects gain a reference, raw text
 * and bytes are copied, an rvalue reference hands over its object.
 * @param view [borrow]
 * @param out  [own] Overwritten without being read.
 * @return 0, or -1.
 * Errors: RuntimeError for a DLTensor pointer, which owns nothing and may be gone after the call
 * (take a Tensor instead); InternalError (rvalue reference moved before); memory.   Threads: any.
 */
static inline int tvm_ffi_any_copy(const TVMFFIAny *view, TVMFFIAny *out) {
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

/** Release an owned value; it is None afterwards. Errors: none.   Threads: any. */
static inline void tvm_ffi_any_clear(TVMFFIAny *any) {
  TVMFFIAny old = *any;
  *any = tvm_ffi_any_none();
  if (old.type_index >= kTVMFFIStaticObjectBegin && old.v_obj != NULL) {
    TVMFFIObjectDecRef(old.v_obj);
  }
}

/** Move an owned value out and leave None behind. Errors: none. */
static inline TVMFFIAny tvm_ffi_any_move(TVMFFIAny *any) {
  TVMFFIAny value = *any;
  *any = tvm_ffi_any_none();
  return value;
}

/** Release a reference, as TVMFFIObjectDecRef; NULL is ignored on runtimes of every age. */
static inline void tvm_ffi_object_release(TVMFFIObjectHandle object) {
  if (object != NULL) TVMFFIObjectDecRef(object);
}

/** Add a reference. @param object [borrow] NULL is ignored. @return object. */
static inline TVMFFIObjectHandle tvm_ffi_object_retain(TVMFFIObjectHandle object) {
  if (object != NULL) TVMFFIObjectIncRef(object);
  return object;
}

/* ---- Asking ----
 * true with *out written if the value is of that type or converts to it as in C++, false otherwise.
 * Lent outputs live as long as the value.   Errors: none.   Threads: any. */

/** None. */
TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_is_none(const TVMFFIAny *any) {
  return any->type_index == kTVMFFINone;
}

/** Int, Bool. */
TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_int64(const TVMFFIAny *any, int64_t *out) {
  if (any->type_index != kTVMFFIInt && any->type_index != kTVMFFIBool) return false;
  *out = any->v_int64;
  return true;
}

/** Float, Int, Bool. */
TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_double(const TVMFFIAny *any, double *out) {
  if (any->type_index == kTVMFFIFloat) {
    *out = any->v_float64;
    return true;
  }
  if (any->type_index != kTVMFFIInt && any->type_index != kTVMFFIBool) return false;
  *out = (double)any->v_int64;
  return true;
}

/** Bool, Int (not 0 is true). */
TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_bool(const TVMFFIAny *any, bool *out) {
  if (any->type_index != kTVMFFIBool && any->type_index != kTVMFFIInt) return false;
  *out = any->v_int64 != 0;
  return true;
}

/** OpaquePtr, None (NULL). */
TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_pointer(const TVMFFIAny *any, void **out) {
  if (any->type_index != kTVMFFIOpaquePtr && any->type_index != kTVMFFINone) return false;
  *out = any->type_index == kTVMFFINone ? NULL : any->v_ptr;
  return true;
}

/** Text of any representation. A NUL follows the last byte. @param out [lend] */
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

/** Bytes of any representation, but not text. @param out [lend] */
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

/** A DLTensor pointer, or the DLTensor inside a Tensor. @param out [lend] */
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

/**
 * An object of exactly that type; of any type for kTVMFFIObject.
 * @param out [lend] tvm_ffi_object_retain makes it one of your own.
 */
TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_object(const TVMFFIAny *any, int32_t type_index,
                                                    TVMFFIObjectHandle *out) {
  if (any->type_index < kTVMFFIStaticObjectBegin || any->v_obj == NULL) return false;
  if (type_index != kTVMFFIObject && any->type_index != type_index) return false;
  *out = any->v_obj;
  return true;
}

/** @cond internal */
TVM_FFI_C_DETAIL_COLD static inline bool tvm_ffi_detail_parse_device(const TVMFFIAny *any,
                                                                     DLDevice *out) {
  TVMFFIByteArray text;
  return tvm_ffi_any_try_string(any, &text) && tvm_ffi_device_parse(text.data, text.size, out);
}
/** @endcond */

/** Device, or text that tvm_ffi_device_parse accepts. */
TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_any_try_device(const TVMFFIAny *any, DLDevice *out) {
  if (any->type_index != kTVMFFIDevice) return tvm_ffi_detail_parse_device(any, out);
  *out = any->v_device;
  return true;
}

/**
 * The name of a type as shown in errors: `int`, `ffi.Tensor`, `my.Type`.
 * @return [lend] For ever.
 */
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

/** The name of a value's type as shown in errors; NULL for NULL pointers. */
static inline const char *tvm_ffi_any_get_type_name(const TVMFFIAny *any) {
  if (any->v_ptr == NULL &&
      (any->type_index >= kTVMFFIStaticObjectBegin ||
       (any->type_index >= kTVMFFIDLTensorPtr && any->type_index <= kTVMFFIByteArrayPtr))) {
    return "NULL";
  }
  return tvm_ffi_type_get_name(any->type_index);
}

/* ---- Reading ----
 * The same, but a mismatch raises an error: 0, or -1 and a TypeError ``Cannot convert from type `U`
 * to `T` ``. For arguments use args.h, whose errors name the argument.   Threads: any. */

/** @cond internal */
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
/** @endcond */

/** Raise this TypeError. @return -1. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_raise_mismatch(const TVMFFIAny *any, const char *expected) {
  tvm_ffi_detail_set_mismatch(any, expected);
  return -1;
}

/** Int, Bool. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_read_int64(const TVMFFIAny *any, int64_t *out) {
  return tvm_ffi_any_try_int64(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "int");
}

/** Float, Int, Bool. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_read_double(const TVMFFIAny *any, double *out) {
  return tvm_ffi_any_try_double(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "float");
}

/** Bool, Int (not 0 is true). */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_read_bool(const TVMFFIAny *any, bool *out) {
  return tvm_ffi_any_try_bool(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "bool");
}

/** OpaquePtr, None (NULL). */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_read_pointer(const TVMFFIAny *any, void **out) {
  return tvm_ffi_any_try_pointer(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "void*");
}

/** Text of any representation, followed by a NUL. @param out [lend] */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_read_string(const TVMFFIAny *any, TVMFFIByteArray *out) {
  return tvm_ffi_any_try_string(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "str");
}

/** Bytes of any representation. @param out [lend] */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_read_bytes(const TVMFFIAny *any, TVMFFIByteArray *out) {
  return tvm_ffi_any_try_bytes(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "bytes");
}

/** A DLTensor pointer, or the DLTensor inside a Tensor. @param out [lend] */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_read_tensor(const TVMFFIAny *any, DLTensor **out) {
  return tvm_ffi_any_try_tensor(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "DLTensor*");
}

/** An object of exactly that type; of any type for kTVMFFIObject. @param out [lend] */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_read_object(const TVMFFIAny *any, int32_t type_index,
                                                    TVMFFIObjectHandle *out) {
  if (tvm_ffi_any_try_object(any, type_index, out)) return 0;
  return tvm_ffi_any_raise_mismatch(any, tvm_ffi_type_get_name(type_index));
}

/** Device, or text of one. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_any_read_device(const TVMFFIAny *any, DLDevice *out) {
  return tvm_ffi_any_try_device(any, out) ? 0 : tvm_ffi_any_raise_mismatch(any, "Device");
}

/** @cond internal */

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

/** @endcond */

/** DataType, or text of one; text that is none raises the parser's ValueError. */
static inline int tvm_ffi_any_read_dtype(const TVMFFIAny *any, DLDataType *out) {
  bool matched;
  int code = tvm_ffi_detail_read_dtype(any, out, &matched);
  return matched ? code : tvm_ffi_any_raise_mismatch(any, "DataType");
}

#endif /* TVM_FFI_C_ANY_H_ */
