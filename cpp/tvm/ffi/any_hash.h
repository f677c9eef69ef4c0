/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/any_hash.h
 * Values as keys: Map and Dict look up their entries by AnyHash and AnyEqual, which are the same in
 * every library. With TVM_FFI_LEAN any.h does not include this header.
 */
#ifndef TVM_FFI_ANY_HASH_H_
#define TVM_FFI_ANY_HASH_H_

#include <tvm/ffi/any.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_LOCAL_INLINE bool IsText(int32_t type_index) {
  return type_index == kTVMFFISmallStr || type_index == kTVMFFIStr ||
         type_index == kTVMFFISmallBytes || type_index == kTVMFFIBytes;
}
/** The bytes of a string or of a byte array. */
TVM_FFI_LOCAL_INLINE TVMFFIByteArray BytesOfText(const TVMFFIAny *value) {
  return value->type_index < kTVMFFIStaticObjectBegin ? TVMFFISmallBytesGetContentByteArray(value)
                                                      : *TVMFFIBytesGetByteArrayPtr(value->v_obj);
}
/** Compares two strings or two byte arrays. Two short ones with different bits always differ. */
TVM_FFI_LOCAL_INLINE bool TextsEqual(const TVMFFIAny *a, const TVMFFIAny *b) {
  const TVMFFIByteArray a_bytes = BytesOfText(a), b_bytes = BytesOfText(b);
  return a_bytes.size == b_bytes.size && std::memcmp(a_bytes.data, b_bytes.data, a_bytes.size) == 0;
}

/** [lend] A type's entry in a column, or NULL. The column is cached, as columns live for ever. */
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

/** Calls a hook: a Function, or a C function that takes const Any & and returns an owned value. */
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

/** The hash of a value without content or hooks. */
TVM_FFI_LOCAL_INLINE uint64_t HashOfBits(const TVMFFIAny *key) {
  return StableHashCombine(static_cast<uint64_t>(key->type_index),
                           static_cast<uint64_t>(key->v_int64));
}

TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline uint64_t HashOfObject(const TVMFFIAny *key) {
  if (key->type_index == kTVMFFIStr || key->type_index == kTVMFFIBytes) {
    const TVMFFIByteArray *bytes = TVMFFIBytesGetByteArrayPtr(key->v_obj);
    return StableHashCombine(static_cast<uint64_t>(key->type_index),
                             StableHashBytes(bytes->data, bytes->size));
  }
  const TVMFFIAny *hook = FindTypeAttr(&any_hash_column, "__any_hash__", key->type_index);
  if (hook == nullptr) return HashOfBits(key);
  return StableHashCombine(static_cast<uint64_t>(key->type_index),
                           static_cast<uint64_t>(CallKeyHook(
                               hook, kTVMFFIInt, "__any_hash__ gave something else than an int",
                               *reinterpret_cast<const Any *>(key))));
}

/** Hashes text and bytes by content, objects with a __any_hash__ by that, others by their bits. */
TVM_FFI_LOCAL_INLINE uint64_t HashOfKey(const TVMFFIAny *key) {
  if (key->type_index >= kTVMFFIStaticObjectBegin) return HashOfObject(key);
  if (key->type_index != kTVMFFISmallStr && key->type_index != kTVMFFISmallBytes) {
    return HashOfBits(key);
  }
  return StableHashCombine(
      static_cast<uint64_t>(key->type_index == kTVMFFISmallStr ? kTVMFFIStr : kTVMFFIBytes),
      StableHashSmallStrBytes(key));
}

/** Whether keys with different bits must be compared: by content, or by the hook of their type. */
TVM_FFI_LOCAL_INLINE bool KeysMayBeEqual(const TVMFFIAny *a, const TVMFFIAny *b) {
  if (b->type_index < kTVMFFISmallStr) return false;
  if (a->type_index == b->type_index) return a->type_index >= kTVMFFIStaticObjectBegin;
  return (a->type_index == kTVMFFISmallStr && b->type_index == kTVMFFIStr) ||
         (a->type_index == kTVMFFIStr && b->type_index == kTVMFFISmallStr) ||
         (a->type_index == kTVMFFISmallBytes && b->type_index == kTVMFFIBytes) ||
         (a->type_index == kTVMFFIBytes && b->type_index == kTVMFFISmallBytes);
}

/** [lend] The __any_equal__ of a type, or NULL. */
TVM_FFI_LOCAL_INLINE const TVMFFIAny *EqualHookOf(int32_t type_index) {
  return FindTypeAttr(&any_equal_column, "__any_equal__", type_index);
}
TVM_FFI_LOCAL_COLD bool AskEqualHook(const TVMFFIAny *hook, const TVMFFIAny *a,
                                     const TVMFFIAny *b) {
  return CallKeyHook(hook, kTVMFFIBool, "__any_equal__ gave something else than a bool",
                     *reinterpret_cast<const Any *>(a), *reinterpret_cast<const Any *>(b)) != 0;
}

TVM_FFI_LOCAL inline bool KeysEqual(const TVMFFIAny *a, const TVMFFIAny *b) {
  if (SameBits(*a, *b)) return true;
  if (!KeysMayBeEqual(a, b)) return false;
  if (IsText(a->type_index)) return TextsEqual(a, b);
  const TVMFFIAny *hook = EqualHookOf(a->type_index);
  return hook != nullptr && AskEqualHook(hook, a, b);
}

}  // namespace detail

struct AnyHash {
  TVM_FFI_LOCAL uint64_t operator()(const Any &value) const {
    return detail::HashOfKey(detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value));
  }
};

/** Equality of keys: Int 1, Float 1.0 and true differ, a NaN equals one with the same bits. */
struct AnyEqual {
  TVM_FFI_LOCAL bool operator()(const Any &a, const Any &b) const {
    return detail::KeysEqual(detail::AnyUnsafe::TVMFFIAnyPtrFromAny(a),
                             detail::AnyUnsafe::TVMFFIAnyPtrFromAny(b));
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_ANY_HASH_H_
