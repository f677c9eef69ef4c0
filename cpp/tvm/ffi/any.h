/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/any.h
 * Values of any type: AnyView borrows its value, Any owns it. Both have the 16 bytes of a
 * TVMFFIAny and may be cast from and to one.
 */
#ifndef TVM_FFI_ANY_H_
#define TVM_FFI_ANY_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/type_traits.h>
#ifndef TVM_FFI_LEAN
#include <limits>
#endif

TVM_FFI_NAMESPACE_BEGIN

/** Defined in expected.h: include it to call a function that returns one. */
template <typename T>
class Expected;
class TensorView;

namespace detail {

struct AnyUnsafe;

template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_any_v = std::is_same_v<T, Any> || std::is_same_v<T, AnyView>;

/** Whether T is a view of a tensor, which is only valid during the call it is passed to. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_borrowed_v = false;
template <>
TVM_FFI_LOCAL inline constexpr bool is_borrowed_v<TensorView> = true;
template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_borrowed_v<Optional<T>> = is_borrowed_v<T>;

TVM_FFI_LOCAL_INLINE bool SameBits(const TVMFFIAny &a, const TVMFFIAny &b) {
  return a.type_index == b.type_index && a.zero_padding == b.zero_padding && a.v_int64 == b.v_int64;
}

TVM_FFI_LOCAL_COLD int RaiseNotOwned() {
  TVMFFIErrorSetRaisedFromCStr(
      "RuntimeError",
      "DLTensor* cannot be held in Any as it does not retain ownership, use Tensor instead");
  return -1;
}
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowNotOwned() {
  RaiseNotOwned();
  ThrowRaised();
}
/** Turns strings, byte arrays and rvalue references into owned values; leaves others alone. Returns
 * 0, or -1 with an error raised (always for a DLTensor pointer) and the value None. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline int OwnSpecial(TVMFFIAny *value) {
  const TVMFFIAny view = *value;
  SetNone(value);
  if (view.type_index == kTVMFFIDLTensorPtr) return RaiseNotOwned();
  return TVMFFIAnyViewToOwnedAny(&view, value);
}

/** Turns a borrowed value into an owned one. Returns the same as OwnSpecial. */
TVM_FFI_LOCAL_INLINE int OwnOrRaise(TVMFFIAny *value) {
  if (value->type_index >= kTVMFFIStaticObjectBegin) {
    Retain(value->v_obj);
  } else if (TVM_FFI_PREDICT_FALSE(value->type_index >= kTVMFFIDLTensorPtr &&
                                   value->type_index <= kTVMFFIObjectRValueRef)) {
    return OwnSpecial(value);
  }
  return 0;
}
TVM_FFI_LOCAL_INLINE void InplaceConvertAnyViewToAny(TVMFFIAny *value) {
  CheckSafeCall(OwnOrRaise(value));
}

template <typename T>
TVM_FFI_LOCAL T CastView(const TVMFFIAny *source) {
  Reader<T> reader;
  const int status = reader.Read(source);
  if (TVM_FFI_PREDICT_FALSE(status != kReadOk)) {
    ThrowCannotConvert(TypeRecordOf<T>::value, source, status);
  }
  return reader.Take();
}

}  // namespace detail

/** A borrowed value; trivially copyable. */
class AnyView {
 public:
  TVM_FFI_LOCAL_INLINE AnyView() { detail::SetNone(&data_); }
  TVM_FFI_LOCAL_INLINE AnyView(const AnyView &) = default;
  TVM_FFI_LOCAL_INLINE AnyView &operator=(const AnyView &) = default;
  template <typename T,
            typename = std::enable_if_t<!detail::is_any_v<T> && TypeTraits<T>::convert_enabled>>
  TVM_FFI_LOCAL_INLINE AnyView(const T &value) {
    TypeTraits<T>::CopyToAnyView(value, &data_);
  }
  template <typename T,
            typename = std::enable_if_t<!detail::is_any_v<T> && TypeTraits<T>::convert_enabled>>
  TVM_FFI_LOCAL_INLINE AnyView &operator=(const T &value) {
    TypeTraits<T>::CopyToAnyView(value, &data_);
    return *this;
  }

  TVM_FFI_LOCAL_INLINE void reset() { detail::SetNone(&data_); }
  TVM_FFI_LOCAL_INLINE void swap(AnyView &other) noexcept {
    const TVMFFIAny data = data_;
    data_ = other.data_;
    other.data_ = data;
  }

  /** If it is stored as exactly a T. For an object class: a pointer, null on mismatch. */
  template <typename T, typename = std::enable_if_t<!std::is_base_of_v<Object, T>>>
  TVM_FFI_LOCAL std::optional<T> as() const {
    if (!TypeTraits<T>::CheckAnyStrict(&data_)) return std::nullopt;
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(&data_);
  }
  template <typename T, typename = std::enable_if_t<std::is_base_of_v<Object, T>>, int = 0>
  TVM_FFI_LOCAL const T *as() const {
    return TypeTraits<const T *>::CheckAnyStrict(&data_)
               ? TypeTraits<const T *>::CopyFromAnyViewAfterCheck(&data_)
               : nullptr;
  }
  /** The same. Errors: TypeError. */
  template <typename T>
  TVM_FFI_LOCAL T as_or_throw() const {
    if (!TypeTraits<T>::CheckAnyStrict(&data_)) {
      detail::ThrowCannotTreat(detail::TypeRecordOf<T>::value, &data_);
    }
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(&data_);
  }
  /** With conversion. Errors: TypeError, and what a conversion raises. */
  template <typename T>
  TVM_FFI_LOCAL T cast() const;
  template <typename T>
  TVM_FFI_LOCAL std::optional<T> try_cast() const;
  /** As cast, but returns the error. T must own its value: for a TensorView use try_cast. */
  template <typename T>
  TVM_FFI_LOCAL Expected<T> cast_expected() const;

  TVM_FFI_LOCAL_INLINE bool operator==(std::nullptr_t) const {
    return data_.type_index == kTVMFFINone;
  }
  TVM_FFI_LOCAL_INLINE bool operator!=(std::nullptr_t) const {
    return data_.type_index != kTVMFFINone;
  }
  TVM_FFI_LOCAL_INLINE bool same_as(const AnyView &other) const {
    return detail::SameBits(data_, other.data_);
  }
  TVM_FFI_LOCAL_INLINE int32_t type_index() const { return data_.type_index; }
  template <class S = std::string>
  TVM_FFI_LOCAL S GetTypeKey() const {
    return TypeIndexToTypeKey<S>(data_.type_index);
  }
  TVM_FFI_LOCAL_INLINE TVMFFIAny CopyToTVMFFIAny() const { return data_; }
  TVM_FFI_LOCAL_INLINE static AnyView CopyFromTVMFFIAny(TVMFFIAny data) {
    AnyView view;
    view.data_ = data;
    return view;
  }

 private:
  TVMFFIAny data_;

  friend class Any;
  friend struct detail::AnyUnsafe;
};

/** An owned value. */
class Any {
 public:
  TVM_FFI_LOCAL_INLINE Any() { detail::SetNone(&data_); }
  TVM_FFI_LOCAL_INLINE ~Any() {
    if (data_.type_index >= kTVMFFIStaticObjectBegin) detail::Release(data_.v_obj);
  }
  TVM_FFI_LOCAL_INLINE Any(const Any &other) : data_(other.data_) {
    if (data_.type_index >= kTVMFFIStaticObjectBegin) detail::Retain(data_.v_obj);
  }
  TVM_FFI_LOCAL_INLINE Any(Any &&other) noexcept : data_(other.data_) {
    detail::SetNone(&other.data_);
  }
  TVM_FFI_LOCAL_INLINE Any &operator=(const Any &other) {
    Any(other).swap(*this);
    return *this;
  }
  TVM_FFI_LOCAL_INLINE Any &operator=(Any &&other) noexcept {
    Any(std::move(other)).swap(*this);
    return *this;
  }
  /** Borrowed text and bytes are copied. Errors: RuntimeError (a DLTensor pointer). */
  TVM_FFI_LOCAL_INLINE Any(const AnyView &view) : data_(view.data_) {
    detail::InplaceConvertAnyViewToAny(&data_);
  }
  TVM_FFI_LOCAL_INLINE Any &operator=(const AnyView &view) {
    Any(view).swap(*this);
    return *this;
  }
  template <typename T, typename D = std::remove_cv_t<std::remove_reference_t<T>>,
            typename = std::enable_if_t<!detail::is_any_v<D> && TypeTraits<D>::convert_enabled>>
  TVM_FFI_LOCAL_INLINE Any(T &&value) {
    detail::SetNone(&data_);
    TypeTraits<D>::MoveToAny(static_cast<T &&>(value), &data_);
  }
  template <typename T, typename D = std::remove_cv_t<std::remove_reference_t<T>>,
            typename = std::enable_if_t<!detail::is_any_v<D> && TypeTraits<D>::convert_enabled>>
  TVM_FFI_LOCAL_INLINE Any &operator=(T &&value) {
    Any(static_cast<T &&>(value)).swap(*this);
    return *this;
  }
  TVM_FFI_LOCAL_INLINE operator AnyView() const { return AnyView::CopyFromTVMFFIAny(data_); }

  TVM_FFI_LOCAL_INLINE void reset() { Any().swap(*this); }
  TVM_FFI_LOCAL_INLINE void swap(Any &other) noexcept {
    const TVMFFIAny data = data_;
    data_ = other.data_;
    other.data_ = data;
  }

  /** If it is stored as exactly a T. For an object class: a pointer, null on mismatch. */
  template <typename T, typename = std::enable_if_t<!std::is_base_of_v<Object, T>>>
  TVM_FFI_LOCAL std::optional<T> as() const & {
    if constexpr (std::is_same_v<T, Any>) {
      return *this;
    } else {
      if (!TypeTraits<T>::CheckAnyStrict(&data_)) return std::nullopt;
      return TypeTraits<T>::CopyFromAnyViewAfterCheck(&data_);
    }
  }
  template <typename T, typename = std::enable_if_t<!std::is_base_of_v<Object, T>>>
  TVM_FFI_LOCAL std::optional<T> as() && {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(*this);
    } else {
      static_assert(TypeTraits<T>::storage_enabled,
                    "an Any never stores a value of this type, so it cannot be moved out of one: "
                    "copy it with cast<T>() or try_cast<T>()");
      if (!TypeTraits<T>::CheckAnyStrict(&data_)) return std::nullopt;
      return TypeTraits<T>::MoveFromAnyAfterCheck(&data_);
    }
  }
  template <typename T, typename = std::enable_if_t<std::is_base_of_v<Object, T>>, int = 0>
  TVM_FFI_LOCAL const T *as() const & {
    return AnyView(*this).as<T>();
  }
  /** The same. Errors: TypeError. */
  template <typename T>
  TVM_FFI_LOCAL T as_or_throw() const & {
    if constexpr (std::is_same_v<T, Any>) {
      return *this;
    } else {
      return AnyView(*this).as_or_throw<T>();
    }
  }
  template <typename T>
  TVM_FFI_LOCAL T as_or_throw() && {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(*this);
    } else {
      if (!TypeTraits<T>::CheckAnyStrict(&data_)) {
        detail::ThrowCannotTreat(detail::TypeRecordOf<T>::value, &data_);
      }
      return TypeTraits<T>::MoveFromAnyAfterCheck(&data_);
    }
  }
  /** With conversion. Errors: TypeError, and what a conversion raises. */
  template <typename T>
  TVM_FFI_LOCAL T cast() const & {
    return detail::CastView<T>(&data_);
  }
  template <typename T>
  TVM_FFI_LOCAL T cast() && {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(*this);
    } else {
      if constexpr (TypeTraits<T>::storage_enabled && !std::is_pointer_v<T>) {
        if (TypeTraits<T>::CheckAnyStrict(&data_)) {
          return TypeTraits<T>::MoveFromAnyAfterCheck(&data_);
        }
      }
      return detail::CastView<T>(&data_);
    }
  }
  template <typename T>
  TVM_FFI_LOCAL std::optional<T> try_cast() const {
    if constexpr (std::is_same_v<T, Any>) {
      return *this;
    } else {
      return TypeTraits<T>::TryCastFromAnyView(&data_);
    }
  }
  /** As cast, but returns the error. */
  template <typename T>
  TVM_FFI_LOCAL Expected<T> cast_expected() const &;
  template <typename T>
  TVM_FFI_LOCAL Expected<T> cast_expected() &&;

  TVM_FFI_LOCAL_INLINE bool operator==(std::nullptr_t) const {
    return data_.type_index == kTVMFFINone;
  }
  TVM_FFI_LOCAL_INLINE bool operator!=(std::nullptr_t) const {
    return data_.type_index != kTVMFFINone;
  }
  TVM_FFI_LOCAL_INLINE bool same_as(const Any &other) const {
    return detail::SameBits(data_, other.data_);
  }
  TVM_FFI_LOCAL_INLINE bool same_as(const ObjectRef &other) const {
    TVMFFIAny view;
    detail::SetObject(&view, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(other));
    return detail::SameBits(data_, view);
  }
  TVM_FFI_LOCAL_INLINE int32_t type_index() const { return data_.type_index; }
  template <class S = std::string>
  TVM_FFI_LOCAL S GetTypeKey() const {
    return TypeIndexToTypeKey<S>(data_.type_index);
  }

 private:
  TVMFFIAny data_;

  friend struct detail::AnyUnsafe;
};

namespace detail {

/** Access to the raw data, without checks of types. */
struct AnyUnsafe : ObjectUnsafe {
  TVM_FFI_LOCAL_INLINE static TVMFFIAny MoveAnyToTVMFFIAny(Any &&any) {
    const TVMFFIAny data = any.data_;
    SetNone(&any.data_);
    return data;
  }
  TVM_FFI_LOCAL_INLINE static Any MoveTVMFFIAnyToAny(TVMFFIAny *data) {
    Any any;
    any.data_ = *data;
    SetNone(data);
    return any;
  }
  TVM_FFI_LOCAL_INLINE static Any MoveTVMFFIAnyRawToAny(TVMFFIAny data) {
    Any any;
    any.data_ = data;
    return any;
  }
  TVM_FFI_LOCAL_INLINE static const TVMFFIAny *TVMFFIAnyPtrFromAny(const Any &any) {
    return &any.data_;
  }
  /** Where a function can write its result; the old value must not be an object. */
  TVM_FFI_LOCAL_INLINE static TVMFFIAny *Slot(Any *any) { return &any->data_; }
  TVM_FFI_LOCAL_INLINE static const TVMFFIAny *Data(const AnyView &view) { return &view.data_; }
  template <typename T>
  TVM_FFI_LOCAL static bool CheckAnyStrict(const Any &any) {
    if constexpr (std::is_same_v<T, Any>) {
      return true;
    } else {
      return TypeTraits<T>::CheckAnyStrict(&any.data_);
    }
  }
  template <typename T>
  TVM_FFI_LOCAL static bool CheckAnyViewStrict(const AnyView &view) {
    if constexpr (std::is_same_v<T, Any>) {
      return true;
    } else {
      return TypeTraits<T>::CheckAnyStrict(&view.data_);
    }
  }
  template <typename T>
  TVM_FFI_LOCAL static T CopyFromAnyViewAfterCheck(const Any &any) {
    if constexpr (std::is_same_v<T, Any>) {
      return any;
    } else {
      return TypeTraits<T>::CopyFromAnyViewAfterCheck(&any.data_);
    }
  }
  template <typename T>
  TVM_FFI_LOCAL static T MoveFromAnyAfterCheck(Any &&any) {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(any);
    } else {
      return TypeTraits<T>::MoveFromAnyAfterCheck(&any.data_);
    }
  }
  template <typename T = Object>
  TVM_FFI_LOCAL static T *RawObjectPtrFromAnyAfterCheck(const Any &any) {
    return RawObjectPtrFromUnowned<T>(any.data_.v_obj);
  }
  template <typename T = Object>
  TVM_FFI_LOCAL static T *ObjectPtrFromAnyAfterCheck(const Any &any) {
    return RawObjectPtrFromUnowned<T>(any.data_.v_obj);
  }
  template <typename T = Object>
  TVM_FFI_LOCAL static T *RawObjectPtrFromAnyViewAfterCheck(const AnyView &view) {
    return RawObjectPtrFromUnowned<T>(view.data_.v_obj);
  }
  template <typename T, class S = std::string>
  TVM_FFI_LOCAL static S GetMismatchTypeInfo(const Any &any) {
    Text text;
    PutGotOf<T>(text, &any.data_);
    return MakeString<S>(text.bytes());
  }
};

template <>
struct Reader<AnyView> {
  AnyView value;
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    value = AnyView::CopyFromTVMFFIAny(*source);
    return kReadOk;
  }
  TVM_FFI_LOCAL_INLINE AnyView &&Take() { return std::move(value); }
};
template <>
struct Reader<Any> {
  Any value;
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    value = AnyView::CopyFromTVMFFIAny(*source);
    return kReadOk;
  }
  TVM_FFI_LOCAL_INLINE Any &&Take() { return std::move(value); }
};

}  // namespace detail

template <typename T>
TVM_FFI_LOCAL T AnyView::cast() const {
  return detail::CastView<T>(&data_);
}
template <typename T>
TVM_FFI_LOCAL std::optional<T> AnyView::try_cast() const {
  if constexpr (std::is_same_v<T, Any>) {
    return Any(*this);
  } else {
    return TypeTraits<T>::TryCastFromAnyView(&data_);
  }
}

TVM_FFI_NAMESPACE_END

namespace tvm {
using ffi::Any;
using ffi::AnyView;
}  // namespace tvm

#include <tvm/ffi/string.h>
#ifndef TVM_FFI_LEAN
#include <tvm/ffi/any_hash.h>
#endif

#endif  // TVM_FFI_ANY_H_
