/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/any_hash.h
 * Values as keys: AnyHash and AnyEqual are what Map and Dict find their entries by, in every
 * library alike. With TVM_FFI_LEAN any.h does not include this header.
 */
#ifndef TVM_FFI_ANY_HASH_H_
#define TVM_FFI_ANY_HASH_H_

#include <tvm/ffi/any.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** The bytes of a string or of a byte array; false for other values. *kind is the heap form. */
TVM_FFI_LOCAL inline bool ReadKeyBytes(const TVMFFIAny *value, int32_t *kind,
                                       TVMFFIByteArray *out) {
  switch (value->type_index) {
    case kTVMFFISmallStr:
    case kTVMFFISmallBytes:
      *kind = value->type_index == kTVMFFISmallStr ? kTVMFFIStr : kTVMFFIBytes;
      *out = TVMFFISmallBytesGetContentByteArray(value);
      return true;
    case kTVMFFIStr:
    case kTVMFFIBytes:
      *kind = value->type_index;
      *out = *TVMFFIBytesGetByteArrayPtr(value->v_obj);
      return true;
    default:
      return false;
  }
}

/** [lend] What a type has in a column, or NULL. Columns live for ever, so that they are kept. */
TVM_FFI_LOCAL inline const TVMFFIAny *FindTypeAttr(const TVMFFITypeAttrColumn **kept,
                                                   const char *name, int32_t type_index) {
  const TVMFFITypeAttrColumn *column = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
  if (column == nullptr) {
    const TVMFFIByteArray text = BytesOf(name);
    column = TVMFFIGetTypeAttrColumn(&text);
    if (column == nullptr) return nullptr;
    __atomic_store_n(kept, column, __ATOMIC_RELEASE);
  }
  const int64_t i = static_cast<int64_t>(type_index) - column->begin_index;
  if (i < 0 || i >= column->size || column->data[i].type_index == kTVMFFINone) return nullptr;
  return &column->data[i];
}

TVM_FFI_LOCAL inline const TVMFFITypeAttrColumn *any_hash_column = nullptr;
TVM_FFI_LOCAL inline const TVMFFITypeAttrColumn *any_equal_column = nullptr;

/** Calls a hook: a Function, or a C function that takes const Any & and gives an owned value. */
template <typename... Args>
TVM_FFI_LOCAL int64_t CallKeyHook(const TVMFFIAny *hook, int32_t result_index, const char *message,
                                  const Args &...args) {
  Any result;
  if (hook->type_index == kTVMFFIOpaquePtr) {
    using Native = TVMFFIAny (*)(const Args *...);
    result = AnyUnsafe::MoveTVMFFIAnyRawToAny(reinterpret_cast<Native>(hook->v_ptr)(&args...));
    if (result.type_index() == kTVMFFIError) {
      TVMFFIErrorSetRaised(AnyUnsafe::TVMFFIAnyPtrFromAny(result)->v_obj);
      ThrowRaised();
    }
  } else if (hook->type_index == kTVMFFIFunction) {
    const AnyView views[] = {AnyView(args)...};
    CheckSafeCall(TVMFFIFunctionGetCellPtr(hook->v_obj)
                      ->safe_call(hook->v_obj, reinterpret_cast<const TVMFFIAny *>(views),
                                  static_cast<int32_t>(sizeof...(Args)), AnyUnsafe::Slot(&result)));
  }
  if (result.type_index() != result_index) Throw("InternalError", message);
  return AnyUnsafe::TVMFFIAnyPtrFromAny(result)->v_int64;
}

}  // namespace detail

/** Text and bytes by content, objects with a __any_hash__ by that, all else by its bits. */
struct AnyHash {
  TVM_FFI_LOCAL uint64_t operator()(const Any &value) const {
    const TVMFFIAny *data = detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value);
    const TVMFFIAny *hook = nullptr;
    switch (data->type_index) {
      case kTVMFFISmallStr:
        return detail::StableHashCombine(kTVMFFIStr, detail::StableHashSmallStrBytes(data));
      case kTVMFFISmallBytes:
        return detail::StableHashCombine(kTVMFFIBytes, detail::StableHashSmallStrBytes(data));
      case kTVMFFIStr:
      case kTVMFFIBytes: {
        const TVMFFIByteArray *bytes = TVMFFIBytesGetByteArrayPtr(data->v_obj);
        return detail::StableHashCombine(static_cast<uint64_t>(data->type_index),
                                         detail::StableHashBytes(bytes->data, bytes->size));
      }
      default:
        break;
    }
    if (data->type_index >= kTVMFFIStaticObjectBegin) {
      hook = detail::FindTypeAttr(&detail::any_hash_column, "__any_hash__", data->type_index);
    }
    return detail::StableHashCombine(
        static_cast<uint64_t>(data->type_index),
        hook == nullptr
            ? static_cast<uint64_t>(data->v_int64)
            : static_cast<uint64_t>(detail::CallKeyHook(
                  hook, kTVMFFIInt, "__any_hash__ gave something else than an int", value)));
  }
};

/** The same for equality: Int 1, Float 1.0 and true differ, a NaN equals one of the same bits. */
struct AnyEqual {
  TVM_FFI_LOCAL bool operator()(const Any &a, const Any &b) const {
    int32_t a_kind = 0, b_kind = 0;
    TVMFFIByteArray a_bytes, b_bytes;
    if (a.same_as(b)) return true;
    if (detail::ReadKeyBytes(detail::AnyUnsafe::TVMFFIAnyPtrFromAny(a), &a_kind, &a_bytes)) {
      return detail::ReadKeyBytes(detail::AnyUnsafe::TVMFFIAnyPtrFromAny(b), &b_kind, &b_bytes) &&
             a_kind == b_kind && a_bytes.size == b_bytes.size &&
             std::memcmp(a_bytes.data, b_bytes.data, a_bytes.size) == 0;
    }
    if (a.type_index() != b.type_index() || a.type_index() < kTVMFFIStaticObjectBegin) return false;
    const TVMFFIAny *hook =
        detail::FindTypeAttr(&detail::any_equal_column, "__any_equal__", a.type_index());
    return hook != nullptr &&
           detail::CallKeyHook(hook, kTVMFFIBool, "__any_equal__ gave something else than a bool",
                               a, b) != 0;
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_ANY_HASH_H_
