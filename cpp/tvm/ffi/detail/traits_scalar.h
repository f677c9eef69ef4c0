/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/traits_scalar.h
 * Numbers, bool, nullptr and void * as values.
 */
#ifndef TVM_FFI_DETAIL_TRAITS_SCALAR_H_
#define TVM_FFI_DETAIL_TRAITS_SCALAR_H_

#include <tvm/ffi/detail/traits_base.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowTooLarge(uint64_t value) {
  {
    Text text;
    text.Put("Integer value ");
    text.PutUint(value);
    text.Put(
        " is too large to fit in int64_t. Consider explicitly casting to int64_t first if "
        "this is intentional.");
    RaiseText("OverflowError", text);
  }
  ThrowRaised();
}

}  // namespace detail

/** Base of traits of an integer type; those of users may replace its members. */
template <typename T>
struct TypeTraitsIntBase : detail::NamedTraits<T> {
  TVM_FFI_LOCAL static constexpr const char *type_str = "int";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "int";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIInt;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const T &value, TVMFFIAny *out) {
    if constexpr (sizeof(T) == 8 && static_cast<T>(-1) > static_cast<T>(0)) {
      if (TVM_FFI_PREDICT_FALSE(static_cast<int64_t>(value) < 0)) {
        detail::ThrowTooLarge(static_cast<uint64_t>(value));
      }
    }
    detail::SetInt(out, kTVMFFIInt, static_cast<int64_t>(value));
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(T value, TVMFFIAny *out) { CopyToAnyView(value, out); }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIInt;
  }
  TVM_FFI_LOCAL_INLINE static T CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return static_cast<T>(source->v_int64);
  }
  TVM_FFI_LOCAL_INLINE static T MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return static_cast<T>(source->v_int64);
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, T *out) {
    if (source->type_index != kTVMFFIInt && source->type_index != kTVMFFIBool) {
      return detail::kReadMismatch;
    }
    *out = static_cast<T>(source->v_int64);
    return detail::kReadOk;
  }
};

namespace detail {

template <typename T>
struct IntTraits : TypeTraitsIntBase<T> {
  using TvmFfiOwn = void;
};

template <typename T>
struct FloatTraits : NamedTraits<T> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr const char *type_str = "float";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "float";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIFloat;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const T &value, TVMFFIAny *out) {
    out->type_index = kTVMFFIFloat;
    out->zero_padding = 0;
    out->v_float64 = static_cast<double>(value);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(T value, TVMFFIAny *out) { CopyToAnyView(value, out); }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIFloat;
  }
  TVM_FFI_LOCAL_INLINE static T CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return static_cast<T>(source->v_float64);
  }
  TVM_FFI_LOCAL_INLINE static T MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return static_cast<T>(source->v_float64);
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, T *out) {
    if (source->type_index == kTVMFFIFloat) {
      *out = static_cast<T>(source->v_float64);
    } else if (source->type_index == kTVMFFIInt || source->type_index == kTVMFFIBool) {
      *out = static_cast<T>(source->v_int64);
    } else {
      return kReadMismatch;
    }
    return kReadOk;
  }
};

}  // namespace detail

template <>
struct TypeTraits<std::nullptr_t> : detail::NamedTraits<std::nullptr_t> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr const char *type_str = "None";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "None";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFINone;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const std::nullptr_t &, TVMFFIAny *out) {
    detail::SetNone(out);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(std::nullptr_t, TVMFFIAny *out) {
    detail::SetNone(out);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFINone;
  }
  TVM_FFI_LOCAL_INLINE static std::nullptr_t CopyFromAnyViewAfterCheck(const TVMFFIAny *) {
    return nullptr;
  }
  TVM_FFI_LOCAL_INLINE static std::nullptr_t MoveFromAnyAfterCheck(TVMFFIAny *) { return nullptr; }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, std::nullptr_t *) {
    return source->type_index == kTVMFFINone ? detail::kReadOk : detail::kReadMismatch;
  }
};

/** A bool that does not accept integers. */
class StrictBool {
 public:
  TVM_FFI_LOCAL StrictBool() : value_(false) {}
  TVM_FFI_LOCAL StrictBool(bool value) : value_(value) {}
  TVM_FFI_LOCAL operator bool() const { return value_; }

 private:
  bool value_;
};

namespace detail {

template <typename T, bool kTakesInt>
struct BoolTraits : NamedTraits<T> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr const char *type_str = "bool";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "bool";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIBool;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const T &value, TVMFFIAny *out) {
    SetInt(out, kTVMFFIBool, value ? 1 : 0);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(T value, TVMFFIAny *out) { CopyToAnyView(value, out); }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIBool;
  }
  TVM_FFI_LOCAL_INLINE static T CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return source->v_int64 != 0;
  }
  TVM_FFI_LOCAL_INLINE static T MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return source->v_int64 != 0;
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, T *out) {
    if (source->type_index != kTVMFFIBool && !(kTakesInt && source->type_index == kTVMFFIInt)) {
      return kReadMismatch;
    }
    *out = source->v_int64 != 0;
    return kReadOk;
  }
};

}  // namespace detail

template <>
struct TypeTraits<bool> : detail::BoolTraits<bool, true> {};
template <>
struct TypeTraits<StrictBool> : detail::BoolTraits<StrictBool, false> {};

template <>
struct TypeTraits<void *> : detail::NamedTraits<void *> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr const char *type_str = "void*";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "void*";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIOpaquePtr;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(void *const &value, TVMFFIAny *out) {
    detail::SetPointer(out, kTVMFFIOpaquePtr, value);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(void *value, TVMFFIAny *out) {
    CopyToAnyView(value, out);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIOpaquePtr;
  }
  TVM_FFI_LOCAL_INLINE static void *CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return source->v_ptr;
  }
  TVM_FFI_LOCAL_INLINE static void *MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return source->v_ptr;
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, void **out) {
    if (source->type_index != kTVMFFIOpaquePtr && source->type_index != kTVMFFINone) {
      return detail::kReadMismatch;
    }
    *out = source->type_index == kTVMFFINone ? nullptr : source->v_ptr;
    return detail::kReadOk;
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TRAITS_SCALAR_H_
