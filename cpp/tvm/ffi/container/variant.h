/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/variant.h
 * A value of one of several types; 16 bytes, like the value itself.
 */
#ifndef TVM_FFI_CONTAINER_VARIANT_H_
#define TVM_FFI_CONTAINER_VARIANT_H_

#include <tvm/ffi/optional.h>

TVM_FFI_NAMESPACE_BEGIN

template <typename... V>
class Variant {
  static_assert((detail::storage_enabled_v<V> && ...),
                "members of this type cannot be stored: " TVM_FFI_DETAIL_STORE_INSTEAD);
  template <typename T>
  TVM_FFI_LOCAL static constexpr bool Contains() {
    return (type_subsumes_v<V, T> || ...);
  }

 public:
  TVM_FFI_LOCAL static constexpr bool _type_container_is_exact = false;

  TVM_FFI_LOCAL_INLINE explicit Variant(UnsafeInit) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Variant)
  template <typename T, typename = std::enable_if_t<Contains<std::decay_t<T>>()>>
  TVM_FFI_LOCAL_INLINE Variant(T &&value) : data_(static_cast<T &&>(value)) {}
  template <typename T, typename = std::enable_if_t<Contains<std::decay_t<T>>()>>
  TVM_FFI_LOCAL_INLINE Variant &operator=(T &&value) {
    data_ = Any(static_cast<T &&>(value));
    return *this;
  }

  /** The value as one of the types, if it has that type. */
  template <typename T, typename = std::enable_if_t<Contains<T>()>>
  TVM_FFI_LOCAL_INLINE std::optional<T> as() const {
    return data_.template as<T>();
  }
  template <typename T, typename = std::enable_if_t<std::is_base_of_v<Object, T>>, int = 0>
  TVM_FFI_LOCAL_INLINE const T *as() const {
    return data_.template as<T>();
  }
  /** Errors: TypeError. */
  template <typename T, typename = std::enable_if_t<Contains<T>()>>
  TVM_FFI_LOCAL_INLINE T get() const & {
    return data_.template cast<T>();
  }
  template <typename T, typename = std::enable_if_t<Contains<T>()>>
  TVM_FFI_LOCAL_INLINE T get() && {
    return std::move(data_).template cast<T>();
  }
  TVM_FFI_LOCAL_INLINE bool same_as(const Variant &other) const {
    return data_.same_as(other.data_);
  }
  template <class S = std::string>
  TVM_FFI_LOCAL_INLINE S GetTypeKey() const {
    return data_.GetTypeKey<S>();
  }

 private:
  Any data_;

  friend struct TypeTraits<Variant<V...>>;
};

/** Lets ObjectPtrHash and ObjectPtrEqual take Variants of references to objects. */
template <typename... V>
struct detail::ObjectIn<Variant<V...>> {
  static_assert((std::is_base_of_v<ObjectRef, V> && ...),
                "not all types of this Variant refer to objects: ask with as<T>() before you ask "
                "for the object");
  TVM_FFI_LOCAL static const Object *Get(const Variant<V...> &value) {
    return value.template as<Object>();
  }
};

template <typename... To, typename From>
struct detail::Subsumes<Variant<To...>, From>
    : std::bool_constant<(detail::Subsumes<To, From>::value || ...)> {};
template <typename... To, typename... From>
struct detail::Subsumes<Variant<To...>, Variant<From...>>
    : std::bool_constant<(detail::Subsumes<Variant<To...>, From>::value && ...)> {};

template <typename... V>
struct TypeTraits<Variant<V...>> : detail::ReadTraits<Variant<V...>> {
  using TvmFfiOwn = void;
  using Self = Variant<V...>;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = (detail::HasConstantText<V>() && ...);
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Self &value, TVMFFIAny *out) {
    *out = *detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value.data_);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Self value, TVMFFIAny *out) {
    *out = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(value.data_));
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return (TypeTraits<V>::CheckAnyStrict(source) || ...);
  }
  TVM_FFI_LOCAL_INLINE static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    Self value{UnsafeInit{}};
    value.data_ = AnyView::CopyFromTVMFFIAny(*source);
    return value;
  }
  TVM_FFI_LOCAL_INLINE static Self MoveFromAnyAfterCheck(TVMFFIAny *source) {
    Self value{UnsafeInit{}};
    value.data_ = detail::AnyUnsafe::MoveTVMFFIAnyToAny(source);
    return value;
  }
  /** The value as it is if it has one of the types, otherwise as the first that it converts to. */
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Self *out) {
    if (CheckAnyStrict(source)) {
      *out = CopyFromAnyViewAfterCheck(source);
      return detail::kReadOk;
    }
    int status = detail::kReadMismatch;
    static_cast<void>((... || Ends(status = ReadAs<V>(source, out))));
    return status;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    detail::PutTypeStrOf<V...>(sink, "Variant");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    detail::PutSchemaOf<V...>(sink, "Variant");
  }

 private:
  /** Stops when a type fits or its reader raised an error; otherwise another type may fit. */
  TVM_FFI_LOCAL_INLINE static bool Ends(int status) {
    return status == detail::kReadOk || status == detail::kReadRaised;
  }
  template <typename T>
  TVM_FFI_LOCAL_INLINE static int ReadAs(const TVMFFIAny *source, Self *out) {
    detail::Reader<T> reader;
    const int status = reader.Read(source);
    if (status == detail::kReadOk) out->data_ = Any(T(reader.Take()));
    return status;
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_VARIANT_H_
