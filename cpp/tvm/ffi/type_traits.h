/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/type_traits.h
 * How C++ types travel in values of the ABI.
 *
 * TypeTraits<T> may be specialised for classes of one's own: derive from TypeTraitsBase, or for
 * references from ObjectRefTypeTraitsBase<T>, and provide
 *
 *     CopyToAnyView(const T &, TVMFFIAny *out)        writes a view
 *     MoveToAny(T, TVMFFIAny *out)                    writes an owned value
 *     TryCastFromAnyView(const TVMFFIAny *)           std::optional<T>, with conversions
 *     CheckAnyStrict(const TVMFFIAny *)               whether it is exactly this type as stored
 *     CopyFromAnyViewAfterCheck(const TVMFFIAny *)    after a strict check that was true
 *     MoveFromAnyAfterCheck(TVMFFIAny *)              the same; leaves None behind for objects
 *     TypeStr(), TypeSchema()                         text in errors; JSON
 *
 * The last three before the texts are for types with storage_enabled only.
 */
#ifndef TVM_FFI_TYPE_TRAITS_H_
#define TVM_FFI_TYPE_TRAITS_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>

TVM_FFI_NAMESPACE_BEGIN

class Any;
class AnyView;

template <typename T, typename = void>
struct TypeTraits;

template <typename T>
using TypeTraitsNoCR = TypeTraits<std::remove_cv_t<std::remove_reference_t<T>>>;

/** False for a reference class with TypeTraits of its own. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v = true;

struct TypeTraitsBase {
  TVM_FFI_LOCAL static constexpr bool convert_enabled = true;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = true;
  /** The index put in field info. */
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIAny;
  /** What errors say they got. */
  template <class S = std::string>
  TVM_FFI_LOCAL static S GetMismatchTypeInfo(const TVMFFIAny *source) {
    return detail::MakeString<S>(detail::TypeKeyOf(source->type_index));
  }
};

namespace detail {

/** What reading a value came to. */
enum ReadResult : int {
  kReadOk = 0,
  kReadMismatch = 1,
  /** The thread's slot has the error. */
  kReadRaised = 2
};

/** Whether traits are this layer's: then they have Read, and write their texts to sinks. */
template <typename Traits, typename = void>
struct IsOwn : std::false_type {};
template <typename Traits>
struct IsOwn<Traits, std::void_t<typename Traits::TvmFfiOwn>> : std::true_type {};

/** Whether the texts are known at compile time. */
template <typename T>
TVM_FFI_LOCAL constexpr bool HasConstantText() {
  using D = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_void_v<D> || std::is_same_v<D, Any> || std::is_same_v<D, AnyView>) {
    return true;
  } else if constexpr (IsOwn<TypeTraits<D>>::value) {
    return TypeTraits<D>::text_is_constant;
  } else {
    return false;
  }
}

template <typename Traits, typename Sink>
TVM_FFI_LOCAL void PutForeign(Sink &sink, bool schema) {
  const auto text = schema ? Traits::TypeSchema() : Traits::TypeStr();
  for (const char c : text) sink.Put(c);
}

template <typename T, typename Sink>
TVM_FFI_LOCAL constexpr void PutTypeStr(Sink &sink) {
  using D = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_void_v<D>) {
    sink.Put("void");
  } else if constexpr (std::is_same_v<D, Any>) {
    sink.Put("Any");
  } else if constexpr (std::is_same_v<D, AnyView>) {
    sink.Put("AnyView");
  } else if constexpr (IsOwn<TypeTraits<D>>::value) {
    TypeTraits<D>::PutTypeStr(sink);
  } else {
    PutForeign<TypeTraits<D>>(sink, false);
  }
}

template <typename T, typename Sink>
TVM_FFI_LOCAL constexpr void PutSchema(Sink &sink) {
  using D = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_void_v<D>) {
    sink.Put("{\"type\":\"None\"}");
  } else if constexpr (std::is_same_v<D, Any> || std::is_same_v<D, AnyView>) {
    sink.Put("{\"type\":\"Any\"}");
  } else if constexpr (IsOwn<TypeTraits<D>>::value) {
    TypeTraits<D>::PutSchema(sink);
  } else {
    PutForeign<TypeTraits<D>>(sink, true);
  }
}

/** `Name<A, B>` and `{"type":"name","args":[A,B]}`. */
template <typename... Args, typename Sink>
TVM_FFI_LOCAL constexpr void PutTypeStrOf(Sink &sink, const char *name) {
  [[maybe_unused]] const char *separator = "";
  sink.Put(name);
  sink.Put('<');
  ((sink.Put(separator), PutTypeStr<Args>(sink), separator = ", "), ...);
  sink.Put('>');
}
template <typename... Args, typename Sink>
TVM_FFI_LOCAL constexpr void PutSchemaOf(Sink &sink, const char *name) {
  [[maybe_unused]] const char *separator = "";
  sink.Put("{\"type\":\"");
  sink.Put(name);
  sink.Put("\",\"args\":[");
  ((sink.Put(separator), PutSchema<Args>(sink), separator = ","), ...);
  sink.Put("]}");
}

template <typename T>
struct TypeStrWriter {
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void Write(Sink &sink) {
    PutTypeStr<T>(sink);
  }
};
template <typename T>
struct SchemaWriter {
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void Write(Sink &sink) {
    PutSchema<T>(sink);
  }
};
template <typename T>
struct TypeStrText {
  TVM_FFI_LOCAL static constexpr auto value = MakeText<TypeStrWriter<T>>();
};

/** What errors need to know about a type. */
struct TypeRecord {
  /** NULL when put has to be asked. */
  const char *text;
  void (*put)(Text &text);
  /** NULL: the type key. */
  void (*put_got)(Text &text, const TVMFFIAny *source);
};

template <typename Traits, typename = void>
struct HasPutGot : std::false_type {};
template <typename Traits>
struct HasPutGot<Traits, std::void_t<decltype(&Traits::PutGot)>> : std::true_type {};

template <typename Traits, typename = void>
struct HasTypeName : std::false_type {};
template <typename Traits>
struct HasTypeName<Traits, std::void_t<decltype(Traits::type_str)>> : std::true_type {};

template <typename T>
struct TypeRecordOf {
 private:
  using D = std::remove_cv_t<std::remove_reference_t<T>>;
  TVM_FFI_LOCAL static void Put(Text &text) { PutTypeStr<D>(text); }
  TVM_FFI_LOCAL static void PutForeignGot(Text &text, const TVMFFIAny *source) {
    const auto got = TypeTraits<D>::GetMismatchTypeInfo(source);
    text.Put(got.data(), got.size());
  }
  TVM_FFI_LOCAL static constexpr TypeRecord Make() {
    if constexpr (std::is_void_v<D>) {
      return {"void", nullptr, nullptr};
    } else if constexpr (std::is_same_v<D, Any>) {
      return {"Any", nullptr, nullptr};
    } else if constexpr (std::is_same_v<D, AnyView>) {
      return {"AnyView", nullptr, nullptr};
    } else if constexpr (!IsOwn<TypeTraits<D>>::value) {
      return {nullptr, Put, PutForeignGot};
    } else {
      TypeRecord record = {nullptr, nullptr, nullptr};
      if constexpr (HasTypeName<TypeTraits<D>>::value) {
        record.text = TypeTraits<D>::type_str;
      } else if constexpr (HasConstantText<D>()) {
        record.text = TypeStrText<D>::value.data;
      } else {
        record.put = Put;
      }
      if constexpr (HasPutGot<TypeTraits<D>>::value) record.put_got = TypeTraits<D>::PutGot;
      return record;
    }
  }

 public:
  TVM_FFI_LOCAL static constexpr TypeRecord value = Make();
};

TVM_FFI_LOCAL_COLD void PutRecord(Text &text, const TypeRecord &record) {
  if (record.text != nullptr) {
    text.Put(record.text);
  } else {
    record.put(text);
  }
}
TVM_FFI_LOCAL_COLD void PutRecordGot(Text &text, const TypeRecord &record,
                                     const TVMFFIAny *source) {
  if (record.put_got != nullptr) {
    record.put_got(text, source);
  } else {
    text.Put(TypeKeyOf(source->type_index));
  }
}
template <typename T>
TVM_FFI_LOCAL_COLD void PutGotOf(Text &text, const TVMFFIAny *source) {
  PutRecordGot(text, TypeRecordOf<T>::value, source);
}

/** ``<before><got>` <between> `<type>` ``, raised as a TypeError. */
TVM_FFI_LOCAL_COLD int RaiseMismatch(const char *before, const char *between,
                                     const TypeRecord &record, const TVMFFIAny *source) {
  Text text;
  text.Put(before);
  PutRecordGot(text, record, source);
  text.Put(between);
  PutRecord(text, record);
  text.Put('`');
  return RaiseText("TypeError", text);
}
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowCannotConvert(const TypeRecord &record,
                                                        const TVMFFIAny *source, int why) {
  if (why != kReadRaised) {
    RaiseMismatch("Cannot convert from type `", "` to `", record, source);
  }
  ThrowRaised();
}
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowCannotTreat(const TypeRecord &record,
                                                      const TVMFFIAny *source) {
  RaiseMismatch("Cannot treat type `", "` as type `", record, source);
  ThrowRaised();
}

TVM_FFI_LOCAL_INLINE void SetNone(TVMFFIAny *out) {
  out->type_index = kTVMFFINone;
  out->zero_padding = 0;
  out->v_int64 = 0;
}
TVM_FFI_LOCAL_INLINE void SetInt(TVMFFIAny *out, int32_t type_index, int64_t value) {
  out->type_index = type_index;
  out->zero_padding = 0;
  out->v_int64 = value;
}
TVM_FFI_LOCAL_INLINE void SetPointer(TVMFFIAny *out, int32_t type_index, const void *value) {
  out->type_index = type_index;
  out->zero_padding = 0;
  TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(out);
  out->v_ptr = const_cast<void *>(value);
}
/** An object, or None for null. */
TVM_FFI_LOCAL_INLINE void SetObject(TVMFFIAny *out, TVMFFIObject *value) {
  SetPointer(out, value != nullptr ? value->type_index : static_cast<int32_t>(kTVMFFINone), value);
}

/** A T that is about to be filled in. */
template <typename T>
TVM_FFI_LOCAL_INLINE T MakeEmpty() {
  if constexpr (std::is_constructible_v<T, UnsafeInit>) {
    return T(UnsafeInit{});
  } else {
    return T{};
  }
}

/** Reads one argument: Read, and after kReadOk once Take. */
template <typename T, typename = void>
struct Reader {
  std::optional<T> value;
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    if constexpr (std::is_same_v<decltype(TypeTraits<T>::TryCastFromAnyView(source)),
                                 std::optional<T>>) {
      value = TypeTraits<T>::TryCastFromAnyView(source);
    } else if (auto result = TypeTraits<T>::TryCastFromAnyView(source)) {
      value.emplace(*std::move(result));
    }
    return value.has_value() ? kReadOk : kReadMismatch;
  }
  TVM_FFI_LOCAL_INLINE T &&Take() { return static_cast<T &&>(*value); }
};
template <typename T>
struct Reader<T, std::enable_if_t<IsOwn<TypeTraits<T>>::value>> {
  T value = MakeEmpty<T>();
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    return TypeTraits<T>::Read(source, &value);
  }
  TVM_FFI_LOCAL_INLINE T &&Take() { return static_cast<T &&>(value); }
};

/** What traits of this layer have in common, on top of Read and the texts. */
template <typename T>
struct ReadTraits : TypeTraitsBase {
  TVM_FFI_LOCAL static constexpr bool text_is_constant = true;

  TVM_FFI_LOCAL static std::optional<T> TryCastFromAnyView(const TVMFFIAny *source) {
    T value = MakeEmpty<T>();
    const int why = TypeTraits<T>::Read(source, &value);
    if (why == kReadRaised) ThrowRaised();
    return why == kReadOk ? std::optional<T>(static_cast<T &&>(value)) : std::nullopt;
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S TypeStr() {
    Text text;
    TypeTraits<T>::PutTypeStr(text);
    return MakeString<S>(text.bytes());
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S TypeSchema() {
    Text text;
    TypeTraits<T>::PutSchema(text);
    return MakeString<S>(text.bytes());
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S GetMismatchTypeInfo(const TVMFFIAny *source) {
    Text text;
    PutGotOf<T>(text, source);
    return MakeString<S>(text.bytes());
  }
};

/** The same for types with one name in both texts, or two. */
template <typename T>
struct NamedTraits : ReadTraits<T> {
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    sink.Put(TypeTraits<T>::type_str);
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    sink.Put("{\"type\":\"");
    sink.Put(TypeTraits<T>::type_schema);
    sink.Put("\"}");
  }
};

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

template <typename T>
struct IntTraits : NamedTraits<T> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr const char *type_str = "int";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "int";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIInt;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const T &value, TVMFFIAny *out) {
    if constexpr (sizeof(T) == 8 && static_cast<T>(-1) > static_cast<T>(0)) {
      if (TVM_FFI_PREDICT_FALSE(static_cast<int64_t>(value) < 0)) {
        ThrowTooLarge(static_cast<uint64_t>(value));
      }
    }
    SetInt(out, kTVMFFIInt, static_cast<int64_t>(value));
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
      return kReadMismatch;
    }
    *out = static_cast<T>(source->v_int64);
    return kReadOk;
  }
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

/** A reader of references; the strict check is that of TypeTraits<Ref>, which users may replace. */
template <typename Ref, typename Sink>
TVM_FFI_LOCAL constexpr void PutRefKey(Sink &sink) {
  sink.Put(Ref::ContainerType::_type_key);
}

}  // namespace detail

/** The default traits of reference classes; also a base for others. */
template <typename Ref>
struct ObjectRefTypeTraitsBase : detail::ReadTraits<Ref> {
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIObject;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Ref &value, TVMFFIAny *out) {
    detail::SetObject(out, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(value));
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Ref value, TVMFFIAny *out) {
    detail::SetObject(
        out, detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(static_cast<Ref &&>(value)));
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
  TVM_FFI_LOCAL static std::optional<Ref> TryCastFromAnyView(const TVMFFIAny *source) {
    if (!TypeTraits<Ref>::CheckAnyStrict(source)) return std::nullopt;
    return CopyFromAnyViewAfterCheck(source);
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
  TVM_FFI_LOCAL static S TypeStr() {
    detail::Text text;
    PutTypeStr(text);
    return detail::MakeString<S>(text.bytes());
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S TypeSchema() {
    detail::Text text;
    PutSchema(text);
    return detail::MakeString<S>(text.bytes());
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S GetMismatchTypeInfo(const TVMFFIAny *source) {
    return detail::MakeString<S>(detail::TypeKeyOf(source->type_index));
  }
};

namespace detail {

template <typename Ref>
struct OwnRefTraits : ObjectRefTypeTraitsBase<Ref> {
  using TvmFfiOwn = void;
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
                  "a pointer to a class that is not _type_mutable has to be const");
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

struct NoTraits {
  TVM_FFI_LOCAL static constexpr bool convert_enabled = false;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
};

/** The traits of a type that has no specialisation of its own. */
template <typename T>
TVM_FFI_LOCAL auto SelectTraits() {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<IntTraits<T> *>(nullptr);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<FloatTraits<T> *>(nullptr);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<IntTraits<T> *>(nullptr);
  } else if constexpr (std::is_pointer_v<T>) {
    if constexpr (std::is_class_v<std::remove_pointer_t<T>>) {
      if constexpr (std::is_base_of_v<Object, std::remove_cv_t<std::remove_pointer_t<T>>>) {
        return static_cast<NodePtrTraits<std::remove_pointer_t<T>> *>(nullptr);
      } else {
        return static_cast<NoTraits *>(nullptr);
      }
    } else {
      return static_cast<NoTraits *>(nullptr);
    }
  } else if constexpr (std::is_class_v<T>) {
    if constexpr (std::is_base_of_v<ObjectRef, T> && use_default_type_traits_v<T>) {
      return static_cast<OwnRefTraits<T> *>(nullptr);
    } else {
      return static_cast<NoTraits *>(nullptr);
    }
  } else {
    return static_cast<NoTraits *>(nullptr);
  }
}

}  // namespace detail

template <typename T, typename>
struct TypeTraits : std::remove_pointer_t<decltype(detail::SelectTraits<T>())> {};

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

/** A bool that takes no integers. */
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

/** Borrowed text; kept as a String. */
template <>
struct TypeTraits<const char *> : detail::NamedTraits<const char *> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr const char *type_str = "const char*";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "const char*";
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const char *const &value, TVMFFIAny *out) {
    if (TVM_FFI_PREDICT_FALSE(value == nullptr)) {
      detail::Throw("InternalError", "a null pointer stands for no string");
    }
    detail::SetPointer(out, kTVMFFIRawStr, value);
  }
  TVM_FFI_LOCAL static void MoveToAny(const char *value, TVMFFIAny *out) {
    TVMFFIByteArray text;
    TVMFFIAny view;
    CopyToAnyView(value, &view);
    text = detail::BytesOf(value);
    detail::CheckSafeCall(TVMFFIStringFromByteArray(&text, out));
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, const char **out) {
    if (source->type_index != kTVMFFIRawStr) return detail::kReadMismatch;
    *out = source->v_c_str;
    return detail::kReadOk;
  }
};

template <size_t N>
struct TypeTraits<char[N]> : TypeTraitsBase {
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const char (&value)[N], TVMFFIAny *out) {
    detail::SetPointer(out, kTVMFFIRawStr, value);
  }
  TVM_FFI_LOCAL static void MoveToAny(const char (&value)[N], TVMFFIAny *out) {
    TypeTraits<const char *>::MoveToAny(value, out);
  }
};

/** Borrowed bytes; kept as Bytes. */
template <>
struct TypeTraits<TVMFFIByteArray *> : detail::NamedTraits<TVMFFIByteArray *> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr const char *type_str = "TVMFFIByteArray*";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "TVMFFIByteArray*";
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(TVMFFIByteArray *const &value, TVMFFIAny *out) {
    if (TVM_FFI_PREDICT_FALSE(value == nullptr)) {
      detail::Throw("InternalError", "a null pointer stands for no bytes");
    }
    detail::SetPointer(out, kTVMFFIByteArrayPtr, value);
  }
  TVM_FFI_LOCAL static void MoveToAny(TVMFFIByteArray *value, TVMFFIAny *out) {
    TVMFFIAny view;
    CopyToAnyView(value, &view);
    detail::CheckSafeCall(TVMFFIBytesFromByteArray(value, out));
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, TVMFFIByteArray **out) {
    if (source->type_index != kTVMFFIByteArrayPtr) return detail::kReadMismatch;
    *out = static_cast<TVMFFIByteArray *>(source->v_ptr);
    return detail::kReadOk;
  }
};

template <typename T>
struct TypeTraits<ObjectPtr<T>> : detail::ReadTraits<ObjectPtr<T>> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIObject;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const ObjectPtr<T> &value, TVMFFIAny *out) {
    detail::SetObject(out, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(value));
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(ObjectPtr<T> value, TVMFFIAny *out) {
    detail::SetObject(out, detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
                               static_cast<ObjectPtr<T> &&>(value)));
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

/* ---- Asking about types -----------------------------------------------------------------------*/

template <typename T>
struct TypeToFieldStaticTypeIndex {
  TVM_FFI_LOCAL static constexpr int32_t value = TypeTraits<T>::field_static_type_index;
};

template <typename T>
struct TypeToRuntimeTypeIndex {
  TVM_FFI_LOCAL static int32_t v() {
    if constexpr (std::is_base_of_v<ObjectRef, T>) {
      return T::ContainerType::RuntimeTypeIndex();
    } else {
      return TypeToFieldStaticTypeIndex<T>::value;
    }
  }
};
template <typename T>
struct TypeToRuntimeTypeIndex<ObjectPtr<T>> {
  TVM_FFI_LOCAL static int32_t v() { return T::RuntimeTypeIndex(); }
};

namespace detail {

template <typename T>
TVM_FFI_LOCAL inline constexpr bool storage_enabled_v =
    std::is_same_v<T, Any> || TypeTraits<T>::storage_enabled;

template <typename Target, typename Source>
struct Subsumes
    : std::bool_constant<std::is_same_v<Target, Any> || std::is_same_v<Target, Source> ||
                         std::is_base_of_v<Target, Source>> {};
template <typename Base, typename Derived>
struct Subsumes<ObjectPtr<Base>, ObjectPtr<Derived>> : std::is_base_of<Base, Derived> {};

template <typename T>
struct Type2Str {
  template <class S = std::string>
  TVM_FFI_LOCAL static S v() {
    Text text;
    PutTypeStr<T>(text);
    return MakeString<S>(text.bytes());
  }
};
template <typename T>
struct TypeSchema {
  template <class S = std::string>
  TVM_FFI_LOCAL static S v() {
    Text text;
    PutSchema<T>(text);
    return MakeString<S>(text.bytes());
  }
};

}  // namespace detail

/** Whether every value of Source is one of Target as it stands. */
template <typename Target, typename Source>
TVM_FFI_LOCAL inline constexpr bool type_subsumes_v = detail::Subsumes<Target, Source>::value;

/* ---- Declared with ObjectRef
 * -------------------------------------------------------------------*/

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
  detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(static_cast<ObjectRef &&>(*this));
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
  detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(static_cast<ObjectRef &&>(*this));
  return TypeTraits<T>::MoveFromAnyAfterCheck(&view);
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_TYPE_TRAITS_H_
