/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/object_ptr.h
 * Less common pointers to objects: Arc<T>, which is not null, and WeakObjectPtr<T>, which does not
 * keep its object alive. With TVM_FFI_LEAN nothing else includes this header.
 *
 * Threads: same object, as for ObjectPtr: counts are atomic, but the pointer itself is not.
 */
#ifndef TVM_FFI_OBJECT_PTR_H_
#define TVM_FFI_OBJECT_PTR_H_

#include <tvm/ffi/type_traits.h>

TVM_FFI_NAMESPACE_BEGIN

/** A strong reference that is null only after it was moved from. make_arc makes it. */
template <typename T>
class Arc : public ObjectPtr<T> {
 public:
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Arc)
  TVM_FFI_LOCAL_INLINE explicit Arc(UnsafeInit) {}
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  TVM_FFI_LOCAL_INLINE Arc(const Arc<U> &other) : ObjectPtr<T>(other) {}
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  TVM_FFI_LOCAL_INLINE Arc(Arc<U> &&other) noexcept : ObjectPtr<T>(std::move(other)) {}

 private:
  using ObjectPtr<T>::reset;
  using ObjectPtr<T>::swap;

  friend struct detail::ObjectUnsafe;
};

/** A reference that does not keep its object alive; lock() gives the object while it lives. */
template <typename T>
class WeakObjectPtr {
 public:
  TVM_FFI_LOCAL_INLINE WeakObjectPtr() = default;
  TVM_FFI_LOCAL_INLINE WeakObjectPtr(std::nullptr_t) {}
  TVM_FFI_LOCAL_INLINE WeakObjectPtr(const WeakObjectPtr &other) : data_(other.data_) { Retain(); }
  TVM_FFI_LOCAL_INLINE WeakObjectPtr(WeakObjectPtr &&other) noexcept : data_(other.data_) {
    other.data_ = nullptr;
  }
  /* Not constrained, as those of ObjectPtr. */
  template <typename U>
  TVM_FFI_LOCAL_INLINE WeakObjectPtr(const WeakObjectPtr<U> &other) : data_(other.data_) {
    detail::RequireDerived<T, U>();
    Retain();
  }
  template <typename U>
  TVM_FFI_LOCAL_INLINE WeakObjectPtr(WeakObjectPtr<U> &&other) noexcept : data_(other.data_) {
    detail::RequireDerived<T, U>();
    other.data_ = nullptr;
  }
  template <typename U>
  TVM_FFI_LOCAL_INLINE WeakObjectPtr(const ObjectPtr<U> &other)
      : data_(detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(other)) {
    detail::RequireDerived<T, U>();
    Retain();
  }
  TVM_FFI_LOCAL_INLINE ~WeakObjectPtr() {
    if (data_ != nullptr) detail::ReleaseWeak(data_);
  }
  TVM_FFI_LOCAL_INLINE WeakObjectPtr &operator=(WeakObjectPtr other) noexcept {
    swap(other);
    return *this;
  }

  /** The object; null if the last strong reference is gone. */
  TVM_FFI_LOCAL ObjectPtr<T> lock() const {
    if (data_ == nullptr) return nullptr;
    uint64_t count = __atomic_load_n(&data_->combined_ref_count, __ATOMIC_RELAXED);
    while (static_cast<uint32_t>(count) != 0) {
      if (__atomic_compare_exchange_n(&data_->combined_ref_count, &count,
                                      count + detail::kStrongOne, true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED)) {
        return detail::ObjectUnsafe::ObjectPtrFromOwned<T>(data_);
      }
    }
    return nullptr;
  }
  TVM_FFI_LOCAL_INLINE bool expired() const { return use_count() == 0; }
  /** The number of strong references. */
  TVM_FFI_LOCAL_INLINE int use_count() const {
    return data_ == nullptr ? 0 : static_cast<int>(detail::UseCount(data_));
  }
  TVM_FFI_LOCAL_INLINE void reset() { *this = WeakObjectPtr(); }
  TVM_FFI_LOCAL_INLINE void swap(WeakObjectPtr &other) noexcept { std::swap(data_, other.data_); }

 private:
  TVM_FFI_LOCAL_INLINE void Retain() {
    if (data_ != nullptr) {
      __atomic_fetch_add(&data_->combined_ref_count, detail::kWeakOne, __ATOMIC_RELAXED);
    }
  }

  TVMFFIObject *data_ = nullptr;

  template <typename>
  friend class WeakObjectPtr;
};

/* ---- As values ---- */

template <typename T>
struct TypeTraits<Arc<T>, detail::IfObjectClass<T>> : detail::ReadTraits<Arc<T>> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIObject;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Arc<T> &value, TVMFFIAny *out) {
    TypeTraits<ObjectPtr<T>>::CopyToAnyView(value, out);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Arc<T> value, TVMFFIAny *out) {
    TypeTraits<ObjectPtr<T>>::MoveToAny(std::move(value), out);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index != kTVMFFINone && TypeTraits<ObjectPtr<T>>::CheckAnyStrict(source);
  }
  TVM_FFI_LOCAL_INLINE static Arc<T> CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return detail::ObjectUnsafe::ArcFromObjectPtr(
        TypeTraits<ObjectPtr<T>>::CopyFromAnyViewAfterCheck(source));
  }
  TVM_FFI_LOCAL_INLINE static Arc<T> MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return detail::ObjectUnsafe::ArcFromObjectPtr(
        TypeTraits<ObjectPtr<T>>::MoveFromAnyAfterCheck(source));
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Arc<T> *out) {
    if (!CheckAnyStrict(source)) return detail::kReadMismatch;
    *out = CopyFromAnyViewAfterCheck(source);
    return detail::kReadOk;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    sink.Put(T::_type_key);
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    sink.Put("{\"type\":\"");
    sink.Put(T::_type_key);
    sink.Put("\"}");
  }
};

template <typename T>
struct TypeToRuntimeTypeIndex<Arc<T>> : TypeToRuntimeTypeIndex<ObjectPtr<T>> {};

/* An ObjectPtr accepts an Arc, but not the other way round. */
template <typename Base, typename Derived>
struct detail::Subsumes<ObjectPtr<Base>, Arc<Derived>> : std::is_base_of<Base, Derived> {};
template <typename Base, typename Derived>
struct detail::Subsumes<Arc<Base>, Arc<Derived>> : std::is_base_of<Base, Derived> {};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_OBJECT_PTR_H_
