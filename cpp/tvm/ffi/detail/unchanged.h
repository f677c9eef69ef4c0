/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/unchanged.h
 * The result of a mutation: a replacement, or a mark that the original stays.
 */
#ifndef TVM_FFI_DETAIL_UNCHANGED_H_
#define TVM_FFI_DETAIL_UNCHANGED_H_

#include <tvm/ffi/expected.h>

TVM_FFI_NAMESPACE_BEGIN

/** Means that the original stays. None cannot mean that, because it may be a replacement. */
struct Unchanged {};

template <>
struct TypeTraits<Unchanged> : detail::NamedTraits<Unchanged> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr const char *type_str = StaticTypeKey::kTVMFFIUnchanged;
  TVM_FFI_LOCAL static constexpr const char *type_schema = StaticTypeKey::kTVMFFIUnchanged;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Unchanged &, TVMFFIAny *out) {
    detail::SetInt(out, kTVMFFIUnchanged, 0);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Unchanged, TVMFFIAny *out) {
    detail::SetInt(out, kTVMFFIUnchanged, 0);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIUnchanged;
  }
  TVM_FFI_LOCAL_INLINE static Unchanged CopyFromAnyViewAfterCheck(const TVMFFIAny *) { return {}; }
  TVM_FFI_LOCAL_INLINE static Unchanged MoveFromAnyAfterCheck(TVMFFIAny *) { return {}; }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Unchanged *) {
    return CheckAnyStrict(source) ? detail::kReadOk : detail::kReadMismatch;
  }
};

template <typename T>
class UnchangedOr;

namespace detail {

template <typename T>
struct IsUnchangedLike : std::is_same<T, Unchanged> {};
template <typename T>
struct IsUnchangedLike<UnchangedOr<T>> : std::true_type {};

/** Whether a U converts to the T of an UnchangedOr<T>. */
template <typename T, typename U, typename D = std::remove_cv_t<std::remove_reference_t<U>>>
TVM_FFI_LOCAL inline constexpr bool is_replacement_v =
    std::is_convertible_v<U, T> && !std::is_same_v<D, T> && !IsUnchangedLike<D>::value &&
    !IsExpectedLike<D>::value;

}  // namespace detail

/** A T, or Unchanged. */
template <typename T>
class UnchangedOr {
  static_assert(detail::storage_enabled_v<T>,
                "UnchangedOr<T> stores its T in an Any: use a type that owns what it holds");

 public:
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(UnchangedOr)
  TVM_FFI_LOCAL_INLINE explicit UnchangedOr(UnsafeInit) : data_(Unchanged()) {}
  TVM_FFI_LOCAL_INLINE UnchangedOr(Unchanged) : data_(Unchanged()) {}
  TVM_FFI_LOCAL_INLINE UnchangedOr(T value) : data_(std::move(value)) {}
  template <typename U, typename = std::enable_if_t<detail::is_replacement_v<T, U>>>
  TVM_FFI_LOCAL_INLINE UnchangedOr(U &&value) : data_(T(static_cast<U &&>(value))) {}
  template <typename U,
            typename = std::enable_if_t<!std::is_same_v<T, U> && std::is_convertible_v<U, T>>>
  TVM_FFI_LOCAL_INLINE UnchangedOr(UnchangedOr<U> other) {
    if constexpr (type_subsumes_v<T, U>) {
      data_ = std::move(other.data_);
    } else {
      data_ = other.IsUnchanged() ? Any(Unchanged()) : Any(T(std::move(other).ValueUnchecked()));
    }
  }

  TVM_FFI_LOCAL_INLINE bool IsUnchanged() const { return data_.type_index() == kTVMFFIUnchanged; }
  /** Whether the original is kept, or replaced by itself. */
  TVM_FFI_LOCAL_INLINE bool UnchangedOrSameAs(const T &original) const {
    return IsUnchanged() || detail::SameBits(*detail::AnyUnsafe::TVMFFIAnyPtrFromAny(data_),
                                             AnyView(original).CopyToTVMFFIAny());
  }
  /** The replacement, or the original if there is none. */
  template <typename U>
  TVM_FFI_LOCAL_INLINE T ValueOrUnchanged(U &&original) && {
    if (IsUnchanged()) return T(static_cast<U &&>(original));
    return std::move(*this).ValueUnchecked();
  }
  /** The replacement, which must exist. */
  TVM_FFI_LOCAL_INLINE T ValueUnchecked() && {
    return detail::AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(data_));
  }
  /** Any::as of the stored value: Unchanged converts to an UnchangedOr<V>, but not to its V. */
  template <typename U>
  TVM_FFI_LOCAL auto as() && {
    return std::move(data_).template as<U>();
  }
  /** The same. Errors: TypeError. */
  template <typename U>
  TVM_FFI_LOCAL U as_or_throw() && {
    return std::move(data_).template as_or_throw<U>();
  }

 private:
  Any data_;

  template <typename>
  friend class UnchangedOr;
  friend struct TypeTraits<UnchangedOr<T>>;
};

template <typename T>
struct TypeTraits<UnchangedOr<T>> : detail::ReadTraits<UnchangedOr<T>> {
  using TvmFfiOwn = void;
  using Self = UnchangedOr<T>;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = detail::HasConstantText<T>();
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Self &value, TVMFFIAny *out) {
    *out = *detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value.data_);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Self value, TVMFFIAny *out) {
    *out = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(value.data_));
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    if constexpr (std::is_same_v<T, Any>) {
      return source->type_index != kTVMFFIError;
    } else {
      return source->type_index == kTVMFFIUnchanged || TypeTraits<T>::CheckAnyStrict(source);
    }
  }
  TVM_FFI_LOCAL_INLINE static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    Self value{UnsafeInit()};
    value.data_ = AnyView::CopyFromTVMFFIAny(*source);
    return value;
  }
  TVM_FFI_LOCAL_INLINE static Self MoveFromAnyAfterCheck(TVMFFIAny *source) {
    Self value{UnsafeInit()};
    value.data_ = detail::AnyUnsafe::MoveTVMFFIAnyToAny(source);
    return value;
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Self *out) {
    if (source->type_index == kTVMFFIUnchanged) return detail::kReadOk;
    if (source->type_index == kTVMFFIError && std::is_same_v<T, Any>) return detail::kReadMismatch;
    detail::Reader<T> reader;
    const int status = reader.Read(source);
    if (status == detail::kReadOk) out->data_ = Any(T(reader.Take()));
    return status;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    detail::PutTypeStrOf<T>(sink, "UnchangedOr");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    detail::PutSchemaOf<T>(sink, "UnchangedOr");
  }
};

namespace detail {

/** Access without checks of types. */
struct UnchangedOrUnsafe {
  /** [take] The caller knows that it is Unchanged, or a T as an Any stores it. */
  template <typename T>
  TVM_FFI_LOCAL_INLINE static UnchangedOr<T> MoveFromTVMFFIAny(TVMFFIAny data) {
    return TypeTraits<UnchangedOr<T>>::MoveFromAnyAfterCheck(&data);
  }
  /** [own] */
  template <typename T>
  TVM_FFI_LOCAL_INLINE static TVMFFIAny MoveToTVMFFIAny(UnchangedOr<T> &&value) noexcept {
    TVMFFIAny data;
    TypeTraits<UnchangedOr<T>>::MoveToAny(std::move(value), &data);
    return data;
  }
};

template <typename T, typename U>
struct Subsumes<UnchangedOr<T>, U> : Subsumes<T, U> {};
template <typename T>
struct Subsumes<UnchangedOr<T>, Unchanged> : std::true_type {};
template <typename T, typename U>
struct Subsumes<UnchangedOr<T>, UnchangedOr<U>> : Subsumes<T, U> {};

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_UNCHANGED_H_
