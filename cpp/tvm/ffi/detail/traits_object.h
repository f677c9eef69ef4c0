/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/traits_object.h
 * Objects as values: references, counted pointers, plain pointers to object classes.
 */
#ifndef TVM_FFI_DETAIL_TRAITS_OBJECT_H_
#define TVM_FFI_DETAIL_TRAITS_OBJECT_H_

#include <tvm/ffi/detail/traits_base.h>

TVM_FFI_NAMESPACE_BEGIN

/** The default traits of reference classes; also a base for others. */
template <typename Ref>
struct ObjectRefTypeTraitsBase : detail::ReadTraits<Ref> {
  using ContainerType = typename Ref::ContainerType;
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIObject;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Ref &value, TVMFFIAny *out) {
    detail::SetObject(out, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(value));
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Ref value, TVMFFIAny *out) {
    detail::SetObject(out, detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(value)));
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    if (source->type_index == kTVMFFINone) return Ref::_type_is_nullable;
    return source->type_index >= kTVMFFIStaticObjectBegin &&
           detail::IsObjectInstance<typename Ref::ContainerType>(source->type_index);
  }
  TVM_FFI_LOCAL_INLINE static Ref CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    Ref value{UnsafeInit{}};
    if (source->type_index != kTVMFFINone) {
      detail::ObjectUnsafe::SetUnowned(&value, source->v_obj);
    }
    return value;
  }
  TVM_FFI_LOCAL_INLINE static Ref MoveFromAnyAfterCheck(TVMFFIAny *source) {
    TVMFFIObject *header = source->type_index != kTVMFFINone ? source->v_obj : nullptr;
    detail::SetNone(source);
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<Ref>(
        detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(header));
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Ref *out) {
    if (!TypeTraits<Ref>::CheckAnyStrict(source)) return detail::kReadMismatch;
    if (source->type_index != kTVMFFINone) {
      detail::ObjectUnsafe::SetUnowned(out, source->v_obj);
    }
    return detail::kReadOk;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    sink.Put(Ref::ContainerType::_type_key);
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    sink.Put("{\"type\":\"");
    sink.Put(Ref::ContainerType::_type_key);
    sink.Put("\"}");
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S GetMismatchTypeInfo(const TVMFFIAny *source) {
    return detail::MakeString<S>(detail::TypeKeyOf(source->type_index));
  }
};

namespace detail {

/** The same, for classes of this layer. */
template <typename Ref>
struct OwnRefTraits : ObjectRefTypeTraitsBase<Ref> {
  using TvmFfiOwn = void;
  template <class S = std::string>
  TVM_FFI_LOCAL static S GetMismatchTypeInfo(const TVMFFIAny *source) {
    return ReadTraits<Ref>::template GetMismatchTypeInfo<S>(source);
  }
};

/** `T *` for object classes: borrowed as an argument, owning when stored. */
template <typename T>
struct NodePtrTraits : ReadTraits<T *> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(T *const &value, TVMFFIAny *out) {
    SetObject(out, value != nullptr ? ObjectUnsafe::GetHeader(value) : nullptr);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(T *value, TVMFFIAny *out) {
    CopyToAnyView(value, out);
    if (value != nullptr) Retain(out->v_obj);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index >= kTVMFFIStaticObjectBegin &&
           IsObjectInstance<std::remove_const_t<T>>(source->type_index);
  }
  TVM_FFI_LOCAL_INLINE static T *CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    static_assert(std::is_const_v<T> || T::_type_mutable,
                  "a pointer to a class that is not _type_mutable has to be const: ask for const T "
                  "*, or declare _type_mutable = true in the class");
    return ObjectUnsafe::RawObjectPtrFromUnowned<T>(source->v_obj);
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, T **out) {
    if (!CheckAnyStrict(source)) return kReadMismatch;
    *out = CopyFromAnyViewAfterCheck(source);
    return kReadOk;
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

/** Only pointers to object classes can be passed. A class may contain a pointer to itself, so this
 * must not ask what a class inherits from while it is incomplete; g++ 16 warns even of asking
 * whether it is complete. */
template <typename T>
using IfObjectClass =
    std::enable_if_t<std::is_same_v<T, std::remove_cv_t<T>> && std::is_class_v<T>>;

}  // namespace detail

template <typename T>
struct TypeTraits<ObjectPtr<T>, detail::IfObjectClass<T>> : detail::ReadTraits<ObjectPtr<T>> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIObject;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const ObjectPtr<T> &value, TVMFFIAny *out) {
    detail::SetObject(out, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(value));
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(ObjectPtr<T> value, TVMFFIAny *out) {
    detail::SetObject(out, detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(value)));
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFINone || (source->type_index >= kTVMFFIStaticObjectBegin &&
                                                 detail::IsObjectInstance<T>(source->type_index));
  }
  TVM_FFI_LOCAL_INLINE static ObjectPtr<T> CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return detail::ObjectUnsafe::ObjectPtrFromUnowned<T>(
        source->type_index != kTVMFFINone ? source->v_obj : nullptr);
  }
  TVM_FFI_LOCAL_INLINE static ObjectPtr<T> MoveFromAnyAfterCheck(TVMFFIAny *source) {
    TVMFFIObject *header = source->type_index != kTVMFFINone ? source->v_obj : nullptr;
    detail::SetNone(source);
    return detail::ObjectUnsafe::ObjectPtrFromOwned<T>(header);
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, ObjectPtr<T> *out) {
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
    sink.Put("{\"type\":\"Optional\",\"args\":[{\"type\":\"");
    sink.Put(T::_type_key);
    sink.Put("\"}]}");
  }
};

/* ---- Declared with ObjectRef ---- */

template <typename T, typename, int>
TVM_FFI_LOCAL std::optional<T> ObjectRef::as() const & {
  TVMFFIAny view;
  detail::SetObject(&view, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this));
  if (!TypeTraits<T>::CheckAnyStrict(&view)) return std::nullopt;
  return TypeTraits<T>::CopyFromAnyViewAfterCheck(&view);
}
template <typename T, typename, int>
TVM_FFI_LOCAL std::optional<T> ObjectRef::as() && {
  TVMFFIAny view;
  detail::SetObject(&view, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this));
  if (!TypeTraits<T>::CheckAnyStrict(&view)) return std::nullopt;
  detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(*this));
  return TypeTraits<T>::MoveFromAnyAfterCheck(&view);
}
template <typename T>
TVM_FFI_LOCAL T ObjectRef::as_or_throw() const & {
  TVMFFIAny view;
  detail::SetObject(&view, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this));
  if (!TypeTraits<T>::CheckAnyStrict(&view)) {
    detail::ThrowCannotTreat(detail::TypeRecordOf<T>::value, &view);
  }
  return TypeTraits<T>::CopyFromAnyViewAfterCheck(&view);
}
template <typename T>
TVM_FFI_LOCAL T ObjectRef::as_or_throw() && {
  TVMFFIAny view;
  detail::SetObject(&view, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this));
  if (!TypeTraits<T>::CheckAnyStrict(&view)) {
    detail::ThrowCannotTreat(detail::TypeRecordOf<T>::value, &view);
  }
  detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(*this));
  return TypeTraits<T>::MoveFromAnyAfterCheck(&view);
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TRAITS_OBJECT_H_
