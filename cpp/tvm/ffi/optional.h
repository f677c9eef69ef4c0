/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/optional.h
 * A value or nothing, which is None in the ABI. For a reference it has the size of a pointer, for
 * other types that the ABI stores that of an Any, and for the rest (such as TensorView) that of a
 * std::optional.
 */
#ifndef TVM_FFI_OPTIONAL_H_
#define TVM_FFI_OPTIONAL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/string.h>

TVM_FFI_NAMESPACE_BEGIN

template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_optional_type_v = false;
template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_optional_type_v<Optional<T>> = true;

namespace detail {

template <typename T>
struct IsObjectPtr : std::false_type {};
template <typename T>
struct IsObjectPtr<ObjectPtr<T>> : std::true_type {};
template <typename T>
struct IsObjectPtr<Arc<T>> : std::true_type {};

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowAbsent(bool pointer) {
  Throw("RuntimeError", pointer ? "Bad optional access" : "Back optional access");
}

/** Whether a separate flag marks presence: for types that the ABI cannot store, and for Any,
 * because None is a value of Any. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool has_flag_v = !storage_enabled_v<T> || std::is_same_v<T, Any>;

/** Whether a pointer is stored, and null means absent. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_pointer_form_v =
    std::is_base_of_v<ObjectRef, T> || IsObjectPtr<T>::value;

/** Whether a U means that an Optional<T> is absent. Null is a value of the other forms if T takes
 * it. */
template <typename T, typename U>
TVM_FFI_LOCAL inline constexpr bool is_absent_v = std::is_same_v<U, std::nullopt_t> ||
                                                  (std::is_same_v<U, std::nullptr_t> &&
                                                   is_pointer_form_v<T>);

/** Whether a U becomes a value of an Optional<T>. Null does where it is a value itself, but not
 * where only a constructor of T takes it: no TensorView or std::string can be made of it. */
template <typename T, typename U>
TVM_FFI_LOCAL inline constexpr bool becomes_value_v =
    std::is_convertible_v<U, T> && !is_absent_v<T, std::decay_t<U>> &&
    (!std::is_same_v<std::decay_t<U>, std::nullptr_t> || std::is_pointer_v<T> ||
     std::is_same_v<T, Any>);

/** Storage for types that the ABI cannot store. */
template <typename T>
class StdOptionalBase {
 public:
  TVM_FFI_LOCAL_INLINE StdOptionalBase() = default;
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(StdOptionalBase)
  TVM_FFI_LOCAL_INLINE bool has_value() const { return data_.has_value(); }
  TVM_FFI_LOCAL_INLINE const T &Get() const & { return *data_; }
  TVM_FFI_LOCAL_INLINE T &&Get() && { return std::move(*data_); }
  TVM_FFI_LOCAL_INLINE void Set(T value) { data_.emplace(std::move(value)); }
  TVM_FFI_LOCAL_INLINE void Clear() { data_.reset(); }
  TVM_FFI_LOCAL_INLINE void PutView(TVMFFIAny *out) const {
    if (data_.has_value()) {
      TypeTraits<T>::CopyToAnyView(*data_, out);
    } else {
      SetNone(out);
    }
  }

 protected:
  std::optional<T> data_;
};

/** Storage for Any. The layout is that of std::optional<Any>, for which g++ 12 warns that the Any
 * of an absent value may be uninitialized; this one is None. */
class FlaggedAnyBase {
 public:
  TVM_FFI_LOCAL_INLINE FlaggedAnyBase() = default;
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(FlaggedAnyBase)
  TVM_FFI_LOCAL_INLINE bool has_value() const { return has_value_; }
  TVM_FFI_LOCAL_INLINE const Any &Get() const & { return data_; }
  TVM_FFI_LOCAL_INLINE Any &&Get() && { return std::move(data_); }
  TVM_FFI_LOCAL_INLINE void Set(Any value) {
    data_ = std::move(value);
    has_value_ = true;
  }
  TVM_FFI_LOCAL_INLINE void Clear() {
    data_.reset();
    has_value_ = false;
  }
  TVM_FFI_LOCAL_INLINE void PutView(TVMFFIAny *out) const {
    *out = *AnyUnsafe::TVMFFIAnyPtrFromAny(data_);
  }

 private:
  Any data_;
  bool has_value_ = false;
};

/** Storage in an Any; None means absent. */
template <typename T>
class AnyOptionalBase {
 public:
  TVM_FFI_LOCAL_INLINE AnyOptionalBase() = default;
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(AnyOptionalBase)
  TVM_FFI_LOCAL_INLINE bool has_value() const { return data_ != nullptr; }
  TVM_FFI_LOCAL_INLINE T Get() const & {
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(AnyUnsafe::TVMFFIAnyPtrFromAny(data_));
  }
  TVM_FFI_LOCAL_INLINE T Get() && {
    T value = TypeTraits<T>::MoveFromAnyAfterCheck(AnyUnsafe::Slot(&data_));
    data_.reset();
    return value;
  }
  TVM_FFI_LOCAL_INLINE void Set(T value) { data_ = Any(std::move(value)); }
  TVM_FFI_LOCAL_INLINE void Clear() { data_.reset(); }
  TVM_FFI_LOCAL_INLINE void PutView(TVMFFIAny *out) const {
    *out = *AnyUnsafe::TVMFFIAnyPtrFromAny(data_);
  }
  template <typename U>
  TVM_FFI_LOCAL_INLINE auto as() const {
    return AnyView(data_).as<U>();
  }
  template <typename U>
  TVM_FFI_LOCAL_INLINE U as_or_throw() const & {
    return data_.template as_or_throw<U>();
  }
  template <typename U>
  TVM_FFI_LOCAL_INLINE U as_or_throw() && {
    return std::move(data_).template as_or_throw<U>();
  }
  TVM_FFI_LOCAL bool same_as(const Optional<T> &other) const { return data_.same_as(other.data_); }
  /** A null reference is the same as nothing. */
  TVM_FFI_LOCAL bool same_as(const ObjectRef &other) const { return data_.same_as(other); }

 protected:
  Any data_;
};

template <typename T>
struct ContainerOf {
  using type = typename T::ContainerType;
};
template <typename T>
struct ContainerOf<ObjectPtr<T>> {
  using type = T;
};
template <typename T>
struct ContainerOf<Arc<T>> : ContainerOf<ObjectPtr<T>> {};

/** Storage in a pointer; null means absent. */
template <typename T>
class PtrOptionalBase {
 public:
  using ContainerType = typename ContainerOf<T>::type;
  using value_type = T;
  TVM_FFI_LOCAL_INLINE PtrOptionalBase() = default;
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(PtrOptionalBase)
  TVM_FFI_LOCAL_INLINE bool has_value() const { return data_ != nullptr; }
  TVM_FFI_LOCAL_INLINE bool defined() const { return data_ != nullptr; }
  TVM_FFI_LOCAL_INLINE T Get() const & { return Make(ObjectPtr<Object>(data_)); }
  TVM_FFI_LOCAL_INLINE T Get() && { return Make(std::move(data_)); }
  /** A null reference makes it absent. */
  TVM_FFI_LOCAL_INLINE void Set(T value) {
    if constexpr (IsObjectPtr<T>::value) {
      data_ = ObjectUnsafe::ObjectPtrFromOwned<Object>(
          ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(value)));
    } else {
      data_ = ObjectUnsafe::ObjectPtrFromOwned<Object>(
          ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(value)));
    }
  }
  TVM_FFI_LOCAL_INLINE void Clear() { data_.reset(); }
  TVM_FFI_LOCAL_INLINE void PutView(TVMFFIAny *out) const { SetObject(out, header()); }
  using NodePtr = std::conditional_t<IsObjectPtr<T>::value, ContainerType *, const ContainerType *>;
  TVM_FFI_LOCAL_INLINE NodePtr get() const { return static_cast<NodePtr>(data_.get()); }
  /** Of an ObjectPtr: the pointer itself, null when absent. */
  template <typename Base, typename = std::enable_if_t<IsObjectPtr<T>::value &&
                                                       std::is_base_of_v<Base, ContainerType>>>
  TVM_FFI_LOCAL_INLINE operator ObjectPtr<Base>() const {
    return ObjectUnsafe::ObjectPtrFromUnowned<ContainerType>(header());
  }
  TVM_FFI_LOCAL_INLINE bool unique() const { return data_.unique(); }
  TVM_FFI_LOCAL_INLINE int use_count() const { return data_.use_count(); }
  template <typename U>
  TVM_FFI_LOCAL_INLINE auto as() const {
    return ObjectRef(data_).as<U>();
  }
  template <typename U>
  TVM_FFI_LOCAL_INLINE U as_or_throw() const & {
    return ObjectRef(data_).as_or_throw<U>();
  }
  /** The object is moved out if it is a U. */
  template <typename U>
  TVM_FFI_LOCAL U as_or_throw() && {
    TVMFFIAny view;
    SetObject(&view, header());
    if (!TypeTraits<U>::CheckAnyStrict(&view)) ThrowCannotTreat(TypeRecordOf<U>::value, &view);
    ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(data_));
    return TypeTraits<U>::MoveFromAnyAfterCheck(&view);
  }
  TVM_FFI_LOCAL bool same_as(const Optional<T> &other) const { return data_ == other.data_; }
  TVM_FFI_LOCAL bool same_as(const ObjectRef &other) const { return data_.get() == other.get(); }

 protected:
  TVM_FFI_LOCAL_INLINE TVMFFIObject *header() const {
    return ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(data_);
  }
  TVM_FFI_LOCAL_INLINE static T Make(ObjectPtr<Object> &&data) {
    if constexpr (IsObjectPtr<T>::value) {
      ObjectPtr<ContainerType> ptr = ObjectUnsafe::ObjectPtrFromOwned<ContainerType>(
          ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(data)));
      if constexpr (std::is_same_v<T, Arc<ContainerType>>) {
        return ObjectUnsafe::ArcFromObjectPtr(std::move(ptr));
      } else {
        return ptr;
      }
    } else {
      return ObjectUnsafe::ObjectRefFromObjectPtr<T>(std::move(data));
    }
  }
  ObjectPtr<Object> data_;
};

template <typename T>
TVM_FFI_LOCAL auto SelectOptional() {
  if constexpr (std::is_same_v<T, Any>) {
    return static_cast<FlaggedAnyBase *>(nullptr);
  } else if constexpr (has_flag_v<T>) {
    return static_cast<StdOptionalBase<T> *>(nullptr);
  } else if constexpr (is_pointer_form_v<T>) {
    return static_cast<PtrOptionalBase<T> *>(nullptr);
  } else {
    return static_cast<AnyOptionalBase<T> *>(nullptr);
  }
}

}  // namespace detail

template <typename T, typename>
class Optional : public std::remove_pointer_t<decltype(detail::SelectOptional<T>())> {
  using Base = std::remove_pointer_t<decltype(detail::SelectOptional<T>())>;

 public:
  TVM_FFI_LOCAL_INLINE Optional() = default;
  TVM_FFI_LOCAL_INLINE Optional(std::nullopt_t) {}
  TVM_FFI_LOCAL_INLINE Optional(const Optional &) = default;
  TVM_FFI_LOCAL_INLINE Optional(Optional &&other) noexcept : Base(std::move(other)) {
    other.Clear();
  }
  TVM_FFI_LOCAL_INLINE Optional &operator=(const Optional &) = default;
  TVM_FFI_LOCAL_INLINE Optional &operator=(Optional &&other) noexcept {
    Base::operator=(std::move(other));
    if (this != &other) other.Clear();
    return *this;
  }
  TVM_FFI_LOCAL_INLINE ~Optional() = default;
  template <
      typename U,
      typename = std::enable_if_t<std::is_same_v<U, std::nullptr_t> && detail::is_absent_v<T, U>>,
      int = 0>
  TVM_FFI_LOCAL_INLINE Optional(U) {}
  template <typename U, typename = std::enable_if_t<detail::becomes_value_v<T, U &&> &&
                                                    !std::is_base_of_v<Optional, std::decay_t<U>>>>
  TVM_FFI_LOCAL_INLINE Optional(U &&value) {
    this->Set(T(static_cast<U &&>(value)));
  }
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U, T>>>
  TVM_FFI_LOCAL_INLINE Optional(std::optional<U> value) {
    if (value.has_value()) this->Set(T(*std::move(value)));
  }
  template <typename U = T, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, U>>>
  TVM_FFI_LOCAL_INLINE explicit Optional(UnsafeInit) {}
  template <typename U,
            typename = std::enable_if_t<std::is_convertible_v<U &&, T> &&
                                        !std::is_same_v<std::decay_t<U>, std::nullptr_t> &&
                                        !std::is_base_of_v<Optional, std::decay_t<U>>>>
  TVM_FFI_LOCAL_INLINE Optional &operator=(U &&value) {
    this->Set(T(static_cast<U &&>(value)));
    return *this;
  }
  TVM_FFI_LOCAL_INLINE Optional &operator=(std::nullopt_t) {
    this->Clear();
    return *this;
  }
  template <
      typename U,
      typename = std::enable_if_t<std::is_same_v<U, std::nullptr_t> && !detail::has_flag_v<T>>,
      int = 0>
  TVM_FFI_LOCAL_INLINE Optional &operator=(U) {
    this->Clear();
    return *this;
  }
  TVM_FFI_LOCAL_INLINE operator std::optional<T>() const {
    return this->has_value() ? std::optional<T>(Base::Get()) : std::nullopt;
  }

  using Base::has_value;
  TVM_FFI_LOCAL_INLINE explicit operator bool() const { return has_value(); }
  /** Errors: RuntimeError (absent). */
  TVM_FFI_LOCAL_INLINE decltype(auto) value() const & {
    Require();
    return Base::Get();
  }
  TVM_FFI_LOCAL_INLINE T value() && {
    Require();
    return std::move(*this).Get();
  }
  template <typename U = std::remove_cv_t<T>>
  TVM_FFI_LOCAL_INLINE T value_or(U &&other) const {
    return has_value() ? T(Base::Get()) : T(static_cast<U &&>(other));
  }
  TVM_FFI_LOCAL_INLINE decltype(auto) operator*() const & { return Base::Get(); }
  TVM_FFI_LOCAL_INLINE T operator*() && { return std::move(*this).Get(); }
  TVM_FFI_LOCAL_INLINE auto operator->() const {
    if constexpr (detail::has_flag_v<T>) {
      return &Base::Get();
    } else {
      return this->get();
    }
  }

  TVM_FFI_LOCAL bool operator==(std::nullopt_t) const { return !has_value(); }
  TVM_FFI_LOCAL bool operator!=(std::nullopt_t) const { return has_value(); }
  TVM_FFI_LOCAL bool operator==(std::nullptr_t) const { return !has_value(); }
  TVM_FFI_LOCAL bool operator!=(std::nullptr_t) const { return has_value(); }
  TVM_FFI_LOCAL bool operator==(const Optional &other) const {
    return has_value() == other.has_value() &&
           (!has_value() || Base::Get() == static_cast<const Base &>(other).Get());
  }
  TVM_FFI_LOCAL bool operator!=(const Optional &other) const { return !(*this == other); }
  TVM_FFI_LOCAL bool operator==(const std::optional<T> &other) const {
    return has_value() == other.has_value() && (!has_value() || Base::Get() == *other);
  }
  TVM_FFI_LOCAL bool operator!=(const std::optional<T> &other) const { return !(*this == other); }
  template <typename U, typename = decltype(std::declval<const T &>() == std::declval<const U &>()),
            typename = std::enable_if_t<!std::is_base_of_v<Optional, U> &&
                                        !std::is_same_v<U, std::nullptr_t>>>
  TVM_FFI_LOCAL_INLINE bool operator==(const U &other) const {
    return has_value() && Base::Get() == other;
  }
  template <typename U, typename = decltype(std::declval<const T &>() == std::declval<const U &>()),
            typename = std::enable_if_t<!std::is_base_of_v<Optional, U> &&
                                        !std::is_same_v<U, std::nullptr_t>>>
  TVM_FFI_LOCAL_INLINE bool operator!=(const U &other) const {
    return !(*this == other);
  }

 private:
  TVM_FFI_LOCAL_INLINE void Require() const {
    if (TVM_FFI_PREDICT_FALSE(!has_value())) detail::ThrowAbsent(detail::IsObjectPtr<T>::value);
  }
};

template <typename T>
struct TypeTraits<Optional<T>> : detail::ReadTraits<Optional<T>> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool convert_enabled =
      detail::is_any_v<T> || TypeTraits<T>::convert_enabled;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = detail::storage_enabled_v<T>;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = detail::HasConstantText<T>();
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Optional<T> &value, TVMFFIAny *out) {
    value.PutView(out);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Optional<T> value, TVMFFIAny *out) {
    if (value.has_value()) {
      TypeTraits<T>::MoveToAny(*std::move(value), out);
    } else {
      detail::SetNone(out);
    }
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFINone || TypeTraits<T>::CheckAnyStrict(source);
  }
  TVM_FFI_LOCAL_INLINE static Optional<T> CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    Optional<T> value;
    if (source->type_index != kTVMFFINone) {
      value.Set(TypeTraits<T>::CopyFromAnyViewAfterCheck(source));
    }
    return value;
  }
  TVM_FFI_LOCAL_INLINE static Optional<T> MoveFromAnyAfterCheck(TVMFFIAny *source) {
    Optional<T> value;
    if (source->type_index != kTVMFFINone) {
      value.Set(TypeTraits<T>::MoveFromAnyAfterCheck(source));
    }
    return value;
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Optional<T> *out) {
    if (source->type_index == kTVMFFINone) return detail::kReadOk;
    detail::Reader<T> reader;
    const int status = reader.Read(source);
    if (status == detail::kReadOk) out->Set(reader.Take());
    return status;
  }
  template <typename Sink>
  TVM_FFI_LOCAL_INLINE static constexpr void PutTypeStr(Sink &sink) {
    detail::PutTypeStrOf<T>(sink, "Optional");
  }
  template <typename Sink>
  TVM_FFI_LOCAL_INLINE static constexpr void PutSchema(Sink &sink) {
    detail::PutSchemaOf<T>(sink, "Optional");
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    detail::PutGotOf<T>(text, source);
  }
  TVM_FFI_LOCAL static constexpr detail::RaiseUnfitFn raise_unfit =
      detail::TypeRecordOf<T>::value.raise_unfit;
};

template <typename T>
TVM_FFI_LOCAL inline constexpr bool detail::travels_as_copy_v<Optional<T>> =
    detail::travels_as_copy_v<T>;

/** Like the other GetRef, but absent for a null pointer. */
template <typename Opt, typename T>
TVM_FFI_LOCAL std::enable_if_t<is_optional_type_v<Opt>, Opt> GetRef(const T *ptr) {
  using Ref = typename Opt::value_type;
  if (ptr == nullptr) return std::nullopt;
  return GetRef<Ref>(ptr);
}

namespace detail {

/** Holds the Reader of the value, not an Optional, which Take would have to copy. */
template <typename T>
struct Reader<Optional<T>> {
  Reader<T> reader;
  bool present = false;
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    present = source->type_index != kTVMFFINone;
    return present ? reader.Read(source) : kReadOk;
  }
  TVM_FFI_LOCAL_INLINE Optional<T> Take() {
    Optional<T> value;
    if (present) value.Set(reader.Take());
    return value;
  }
};

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_OPTIONAL_H_
