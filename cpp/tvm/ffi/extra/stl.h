/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/stl.h
 * Classes of the standard library as parameters and results of functions:
 *
 *     std::vector<float> Scale(std::vector<float> values, std::optional<double> factor);
 *
 *     std::vector<T>                        from an Array or List; to an Array
 *     std::array<T, N>, std::tuple<T...>    from an Array of that size; to an Array
 *     std::map<K, V>, std::unordered_map    from a Map; to a Map
 *     std::function<R(P...)>                from a Function, or empty from None; to a Function
 *     std::optional<T>                      None or what T accepts
 *     std::variant<T...>                    the first of the types that accepts the value
 *
 * All except the last two are copied, element by element; Array<T>, Map<K, V> and TypedFunction<F>
 * share the caller's object instead. An AnyView cannot own such a copy, so it cannot be made from
 * these types; an Any can, and a call owns its arguments' copies.
 */
#ifndef TVM_FFI_EXTRA_STL_H_
#define TVM_FFI_EXTRA_STL_H_

#include <tvm/ffi/container/map_base.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/optional.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/* ---- Shared by the traits ---- */

/** The schemas of Parts, separated by `comma`. */
template <typename... Parts, typename Sink>
TVM_FFI_LOCAL constexpr void PutSchemas(Sink &sink, const char *comma) {
  [[maybe_unused]] const char *separator = "";
  ((sink.Put(separator), PutSchema<Parts>(sink), separator = comma), ...);
}

/** Traits based on a Reader and a std_name, which each of the types below defines. */
template <typename T, typename... Parts>
struct StdTraits : ReadTraits<T> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool convert_enabled = (TypeTraits<Parts>::convert_enabled && ...);
  TVM_FFI_LOCAL static constexpr bool storage_enabled = (TypeTraits<Parts>::storage_enabled && ...);
  TVM_FFI_LOCAL static constexpr bool text_is_constant = (HasConstantText<Parts>() && ...);
  /** std::tuple and std::variant, which have a list of types, use ", " as they always have. */
  TVM_FFI_LOCAL static constexpr const char *schema_comma = ",";
  TVM_FFI_LOCAL static std::optional<T> TryCastFromAnyView(const TVMFFIAny *source) {
    Reader<T> reader;
    const int status = reader.Read(source);
    if (status == kReadRaised) ThrowRaised();
    return status == kReadOk ? std::optional<T>(reader.Take()) : std::nullopt;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    PutTypeStrOf<Parts...>(sink, TypeTraits<T>::std_name);
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    sink.Put("{\"type\":\"");
    sink.Put(TypeTraits<T>::std_name);
    sink.Put("\",\"args\":[");
    PutSchemas<Parts...>(sink, TypeTraits<T>::schema_comma);
    sink.Put("]}");
  }
};

/** The same for types whose values are passed as a copy in an object. */
template <typename T, typename... Parts>
struct StdCopyTraits : StdTraits<T, Parts...> {
  TVM_FFI_LOCAL static constexpr bool convert_enabled =
      ((std::is_same_v<Parts, Any> || TypeTraits<Parts>::convert_enabled) && ...);
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static void CopyToAnyView(const T &, TVMFFIAny *) {
    static_assert(sizeof(T) == 0,
                  "an AnyView does not own the copy that a value of this type travels as; pass the "
                  "value to a function, or make an Any of it");
  }
};

/** Makes an array of the elements of a range, which are moved out of it. */
template <typename T, typename Iterator>
TVM_FFI_LOCAL void MoveToArray(Iterator first, size_t size, TVMFFIAny *out) {
  ObjectPtr<ArrayObj> made = ArrayObj::New(static_cast<int64_t>(size));
  for (size_t i = 0; i < size; ++i, ++first) made->Append(Any(T(std::move(*first))));
  TypeTraits<ObjectPtr<ArrayObj>>::MoveToAny(std::move(made), out);
}

/** [lend] The elements of an Array of this size, or NULL for any other value. */
TVM_FFI_LOCAL inline const TVMFFISeqCell *ArrayOfSize(const TVMFFIAny *source, size_t size) {
  if (source->type_index != kTVMFFIArray) return nullptr;
  const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(source->v_obj);
  return cell->size == static_cast<int64_t>(size) ? cell : nullptr;
}

/**
 * Keeps a container alive, and Arrays and Maps unchanged (shared ones are copied on write), while
 * elements are converted, which may run foreign code.
 */
TVM_FFI_LOCAL inline ObjectPtr<Object> Hold(const TVMFFIAny *source) {
  return ObjectUnsafe::ObjectPtrFromUnowned<Object>(source->v_obj);
}

/**
 * Whether a value of the right type may not fit. Not asked of raise_unfit: with
 * -fsanitize=undefined g++ takes no comparison of an address for a constant.
 */
template <typename Traits, typename = void>
struct MayBeUnfit : std::false_type {};
template <typename Traits>
struct MayBeUnfit<Traits, std::void_t<decltype(Traits::raise_unfit)>> : std::true_type {};
template <typename T>
TVM_FFI_LOCAL inline constexpr bool may_be_unfit_v = MayBeUnfit<TypeTraits<T>>::value;
template <typename T>
TVM_FFI_LOCAL inline constexpr bool may_be_unfit_v<Optional<T>> = may_be_unfit_v<T>;
template <typename T>
TVM_FFI_LOCAL inline constexpr bool may_be_unfit_v<std::optional<T>> = may_be_unfit_v<T>;

/**
 * Puts `Array[index 1: <inner>]` if item i cannot be read as a T, for a T that checks more than the
 * type of a value: then the container's type key alone would not say what is wrong.
 */
template <typename T>
TVM_FFI_LOCAL bool PutItemGot([[maybe_unused]] Text &text, [[maybe_unused]] const TVMFFIAny *source,
                              [[maybe_unused]] int64_t i) {
  if constexpr (may_be_unfit_v<T>) {
    const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(source->v_obj);
    const TVMFFIAny *item = static_cast<const TVMFFIAny *>(cell->data) + i;
    Reader<T> reader;
    if (i >= cell->size || reader.Read(item) == kReadOk) return false;
    text.Put(source->type_index == kTVMFFIArray ? "Array[index " : "List[index ");
    text.PutInt(i);
    text.Put(": ");
    PutGotOf<T>(text, item);
    text.Put(']');
    return true;
  }
  return false;
}
/** The same for the first such item; the container's type key if all can be read. */
template <typename T>
TVM_FFI_LOCAL void PutItemsGot(Text &text, const TVMFFIAny *source, const TVMFFISeqCell *cell) {
  for (int64_t i = 0; cell != nullptr && i < cell->size; ++i) {
    if (PutItemGot<T>(text, source, i)) return;
  }
  text.Put(TypeKeyOf(source->type_index));
}

/* ---- std::vector ---- */

template <typename T>
TVM_FFI_LOCAL inline constexpr bool travels_as_copy_v<std::vector<T>> = true;

template <typename T>
struct Reader<std::vector<T>> {
  std::vector<T> value;
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL int Read(const TVMFFIAny *source) {
    if (source->type_index != kTVMFFIArray && source->type_index != kTVMFFIList) {
      return kReadMismatch;
    }
    const ObjectPtr<Object> held = Hold(source);
    const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(source->v_obj);
    value.reserve(static_cast<size_t>(cell->size));
    // Size and data are read again each time, as conversions may change a shared list.
    for (int64_t i = 0; i < cell->size; ++i) {
      Reader<T> item;
      const int status = item.Read(static_cast<const TVMFFIAny *>(cell->data) + i);
      if (status != kReadOk) return status;
      value.push_back(item.Take());
    }
    return kReadOk;
  }
  TVM_FFI_LOCAL_INLINE std::vector<T> &&Take() { return std::move(value); }
};

}  // namespace detail

template <typename T>
struct TypeTraits<std::vector<T>> : detail::StdCopyTraits<std::vector<T>, T> {
  TVM_FFI_LOCAL static constexpr const char *std_name = "std::vector";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIArray;
  TVM_FFI_LOCAL static void MoveToAny(std::vector<T> value, TVMFFIAny *out) {
    detail::MoveToArray<T>(value.begin(), value.size(), out);
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    const bool items = source->type_index == kTVMFFIArray || source->type_index == kTVMFFIList;
    detail::PutItemsGot<T>(text, source, items ? TVMFFISeqGetCellPtr(source->v_obj) : nullptr);
  }
};

/* ---- std::array ---- */

namespace detail {

template <typename T, size_t N>
TVM_FFI_LOCAL inline constexpr bool travels_as_copy_v<std::array<T, N>> = true;

template <typename T, size_t N>
struct Reader<std::array<T, N>> {
  Reader<T> items[N == 0 ? 1 : N];
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL int Read(const TVMFFIAny *source) {
    const TVMFFISeqCell *cell = ArrayOfSize(source, N);
    if (cell == nullptr) return kReadMismatch;
    const ObjectPtr<Object> held = Hold(source);
    for (size_t i = 0; i < N; ++i) {
      const int status = items[i].Read(static_cast<const TVMFFIAny *>(cell->data) + i);
      if (status != kReadOk) return status;
    }
    return kReadOk;
  }
  TVM_FFI_LOCAL_INLINE std::array<T, N> Take() { return TakeAll(std::make_index_sequence<N>()); }

 private:
  template <size_t... kIndex>
  TVM_FFI_LOCAL_INLINE std::array<T, N> TakeAll(std::index_sequence<kIndex...>) {
    return {{T(items[kIndex].Take())...}};
  }
};

}  // namespace detail

template <typename T, size_t N>
struct TypeTraits<std::array<T, N>> : detail::StdCopyTraits<std::array<T, N>, T> {
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIArray;
  TVM_FFI_LOCAL static void MoveToAny(std::array<T, N> value, TVMFFIAny *out) {
    detail::MoveToArray<T>(value.begin(), N, out);
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    detail::PutItemsGot<T>(text, source, detail::ArrayOfSize(source, N));
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    sink.Put("std::array<");
    detail::PutTypeStr<T>(sink);
    sink.Put(", ");
    detail::PutSize(sink, N);
    sink.Put('>');
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    sink.Put("{\"type\":\"std::array\",\"args\":[");
    detail::PutSchema<T>(sink);
    sink.Put(',');
    detail::PutSize(sink, N);
    sink.Put("]}");
  }
};

/* ---- std::tuple ---- */

namespace detail {

template <typename... T>
TVM_FFI_LOCAL inline constexpr bool travels_as_copy_v<std::tuple<T...>> = true;

/** Like IndexedReader of a call, whose class is hidden. */
template <size_t kIndex, typename T>
struct TVM_FFI_TAGGED TupleItemReader {
  Reader<T> reader;
  TVM_FFI_LOCAL_INLINE TupleItemReader() = default;
  TVM_FFI_LOCAL_INLINE ~TupleItemReader() = default;
};
template <typename Indices, typename... T>
struct TVM_FFI_TAGGED TupleReader;
template <size_t... kIndex, typename... T>
struct TupleReader<std::index_sequence<kIndex...>, T...> : TupleItemReader<kIndex, T>... {
  TVM_FFI_LOCAL_INLINE TupleReader() = default;
  TVM_FFI_LOCAL_INLINE ~TupleReader() = default;
  TVM_FFI_LOCAL int Read(const TVMFFIAny *source) {
    const TVMFFISeqCell *cell = ArrayOfSize(source, sizeof...(T));
    if (cell == nullptr) return kReadMismatch;
    const ObjectPtr<Object> held = Hold(source);
    [[maybe_unused]] const TVMFFIAny *items = static_cast<const TVMFFIAny *>(cell->data);
    int status = kReadOk;
    static_cast<void>(
        (... && ((status = static_cast<TupleItemReader<kIndex, T> &>(*this).reader.Read(
                      items + kIndex)) == kReadOk)));
    return status;
  }
  TVM_FFI_LOCAL_INLINE std::tuple<T...> Take() {
    return std::tuple<T...>(static_cast<TupleItemReader<kIndex, T> &>(*this).reader.Take()...);
  }
};
template <typename... T>
struct Reader<std::tuple<T...>> : TupleReader<std::index_sequence_for<T...>, T...> {
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
};

}  // namespace detail

template <typename... T>
struct TypeTraits<std::tuple<T...>> : detail::StdCopyTraits<std::tuple<T...>, T...> {
  TVM_FFI_LOCAL static constexpr const char *std_name = "std::tuple";
  TVM_FFI_LOCAL static constexpr const char *schema_comma = ", ";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIArray;
  TVM_FFI_LOCAL static void MoveToAny(std::tuple<T...> value, TVMFFIAny *out) {
    ObjectPtr<ArrayObj> made = ArrayObj::New(static_cast<int64_t>(sizeof...(T)));
    std::apply([&](T &...items) { (made->Append(Any(std::move(items))), ...); }, value);
    TypeTraits<ObjectPtr<ArrayObj>>::MoveToAny(std::move(made), out);
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    [[maybe_unused]] int64_t i = 0;
    if (detail::ArrayOfSize(source, sizeof...(T)) != nullptr &&
        (... || detail::PutItemGot<T>(text, source, i++))) {
      return;
    }
    text.Put(detail::TypeKeyOf(source->type_index));
  }
};

/* ---- std::map, std::unordered_map ---- */

namespace detail {

template <typename K, typename V>
TVM_FFI_LOCAL inline constexpr bool travels_as_copy_v<std::map<K, V>> = true;
template <typename K, typename V>
TVM_FFI_LOCAL inline constexpr bool travels_as_copy_v<std::unordered_map<K, V>> = true;

/** Of several keys that convert to the same key, the first one stays. */
template <typename StdMap>
struct TVM_FFI_TAGGED StdMapReader {
  StdMap value;
  TVM_FFI_LOCAL_INLINE StdMapReader() = default;
  TVM_FFI_LOCAL_INLINE ~StdMapReader() = default;
  TVM_FFI_LOCAL int Read(const TVMFFIAny *source) {
    if (source->type_index != kTVMFFIMap) return kReadMismatch;
    const ObjectPtr<Object> held = Hold(source);
    const auto *map = ObjectUnsafe::RawObjectPtrFromUnowned<const MapObj>(source->v_obj);
    for (const MapBaseObj::KVType &entry : *map) {
      Reader<typename StdMap::key_type> key;
      Reader<typename StdMap::mapped_type> item;
      int status = key.Read(AnyUnsafe::TVMFFIAnyPtrFromAny(entry.first));
      if (status == kReadOk) status = item.Read(AnyUnsafe::TVMFFIAnyPtrFromAny(entry.second));
      if (status != kReadOk) return status;
      value.emplace(key.Take(), item.Take());
    }
    return kReadOk;
  }
  TVM_FFI_LOCAL_INLINE StdMap &&Take() { return std::move(value); }
};
template <typename K, typename V>
struct Reader<std::map<K, V>> : StdMapReader<std::map<K, V>> {
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
};
template <typename K, typename V>
struct Reader<std::unordered_map<K, V>> : StdMapReader<std::unordered_map<K, V>> {
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
};

template <typename StdMap>
struct StdMapTraits
    : StdCopyTraits<StdMap, typename StdMap::key_type, typename StdMap::mapped_type> {
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIMap;
  TVM_FFI_LOCAL static void MoveToAny(StdMap value, TVMFFIAny *out) {
    ObjectPtr<ArrayObj> items = ArrayObj::New(static_cast<int64_t>(2 * value.size()));
    for (auto &entry : value) {
      items->Append(Any(entry.first));
      items->Append(Any(std::move(entry.second)));
    }
    TypeTraits<ObjectPtr<Object>>::MoveToAny(
        MapAccess::New(true, reinterpret_cast<const AnyView *>(items->begin()),
                       static_cast<int32_t>(items->size())),
        out);
  }
};

}  // namespace detail

template <typename K, typename V>
struct TypeTraits<std::map<K, V>> : detail::StdMapTraits<std::map<K, V>> {
  TVM_FFI_LOCAL static constexpr const char *std_name = "std::map";
};

template <typename K, typename V>
struct TypeTraits<std::unordered_map<K, V>> : detail::StdMapTraits<std::unordered_map<K, V>> {
  TVM_FFI_LOCAL static constexpr const char *std_name = "std::unordered_map";
};

/* ---- std::function ---- */

namespace detail {

template <typename F>
TVM_FFI_LOCAL inline constexpr bool travels_as_copy_v<std::function<F>> = true;

/** The std::function and its copies own the Function. */
template <typename F>
struct Reader<std::function<F>> {
  Function packed;
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    return TypeTraits<Function>::Read(source, &packed);
  }
  TVM_FFI_LOCAL std::function<F> Take() {
    if (packed == nullptr) return nullptr;
    return TypedFunction<F>(std::move(packed));
  }
};

}  // namespace detail

template <typename R, typename... Params>
struct TypeTraits<std::function<R(Params...)>>
    : detail::StdCopyTraits<std::function<R(Params...)>> {
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIFunction;
  TVM_FFI_LOCAL static constexpr bool text_is_constant =
      detail::Signature<R, Params...>::HasConstantSchema();
  TVM_FFI_LOCAL static void MoveToAny(std::function<R(Params...)> value, TVMFFIAny *out) {
    TypeTraits<Function>::MoveToAny(Function::FromTyped(std::move(value)), out);
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    [[maybe_unused]] const char *separator = "";
    sink.Put("std::function<");
    detail::PutTypeStr<R>(sink);
    sink.Put('(');
    ((sink.Put(separator), detail::PutTypeStr<Params>(sink), separator = ", "), ...);
    sink.Put(")>");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    sink.Put("{\"type\":\"std::function\",\"named_args\":{\"return\":[");
    detail::PutSchema<R>(sink);
    sink.Put("],\"params\":[");
    detail::PutSchemas<Params...>(sink, ", ");
    sink.Put("]}}");
  }
};

/* ---- std::optional ---- */

namespace detail {

template <typename T>
TVM_FFI_LOCAL inline constexpr bool travels_as_copy_v<std::optional<T>> = travels_as_copy_v<T>;

template <typename T>
struct Reader<std::optional<T>> {
  Reader<T> reader;
  bool present = false;
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    present = source->type_index != kTVMFFINone;
    return present ? reader.Read(source) : kReadOk;
  }
  TVM_FFI_LOCAL_INLINE std::optional<T> Take() {
    return present ? std::optional<T>(reader.Take()) : std::nullopt;
  }
};

}  // namespace detail

template <typename T>
struct TypeTraits<std::optional<T>> : detail::StdTraits<std::optional<T>, T> {
  TVM_FFI_LOCAL static constexpr const char *std_name = "std::optional";
  using Self = std::optional<T>;
  TVM_FFI_LOCAL static void CopyToAnyView(const Self &value, TVMFFIAny *out) {
    if (value) {
      TypeTraits<T>::CopyToAnyView(*value, out);
    } else {
      detail::SetNone(out);
    }
  }
  TVM_FFI_LOCAL static void MoveToAny(Self value, TVMFFIAny *out) {
    if (value) {
      TypeTraits<T>::MoveToAny(*std::move(value), out);
    } else {
      detail::SetNone(out);
    }
  }
  TVM_FFI_LOCAL static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFINone || TypeTraits<T>::CheckAnyStrict(source);
  }
  TVM_FFI_LOCAL static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    if (source->type_index == kTVMFFINone) return std::nullopt;
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(source);
  }
  TVM_FFI_LOCAL static Self MoveFromAnyAfterCheck(TVMFFIAny *source) {
    if (source->type_index == kTVMFFINone) return std::nullopt;
    return TypeTraits<T>::MoveFromAnyAfterCheck(source);
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    detail::PutGotOf<T>(text, source);
  }
  TVM_FFI_LOCAL static constexpr detail::RaiseUnfitFn raise_unfit =
      detail::TypeRecordOf<T>::value.raise_unfit;
};

/* ---- std::variant ---- */

namespace detail {

template <typename... T>
TVM_FFI_LOCAL inline constexpr bool travels_as_copy_v<std::variant<T...>> = (travels_as_copy_v<T> ||
                                                                             ...);

template <typename... T>
struct Reader<std::variant<T...>> {
  using Variant = std::variant<T...>;
  std::optional<Variant> value;
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    return ReadFirst(source, std::index_sequence_for<T...>());
  }
  TVM_FFI_LOCAL_INLINE Variant &&Take() { return *std::move(value); }

 private:
  template <size_t... kIndex>
  TVM_FFI_LOCAL_INLINE int ReadFirst(const TVMFFIAny *source, std::index_sequence<kIndex...>) {
    int status = kReadMismatch;
    static_cast<void>((... || Ends(status = ReadAs<kIndex, T>(source))));
    return status;
  }
  /** Stops when an alternative fits or its reader raised an error; otherwise another may fit. */
  TVM_FFI_LOCAL_INLINE static bool Ends(int status) {
    return status == kReadOk || status == kReadRaised;
  }
  template <size_t kIndex, typename Alternative>
  TVM_FFI_LOCAL_INLINE int ReadAs(const TVMFFIAny *source) {
    Reader<Alternative> reader;
    const int status = reader.Read(source);
    if (status == kReadOk) value.emplace(std::in_place_index_t<kIndex>(), reader.Take());
    return status;
  }
};

}  // namespace detail

template <typename... T>
struct TypeTraits<std::variant<T...>> : detail::StdTraits<std::variant<T...>, T...> {
  TVM_FFI_LOCAL static constexpr const char *std_name = "std::variant";
  TVM_FFI_LOCAL static constexpr const char *schema_comma = ", ";
  using Self = std::variant<T...>;
  TVM_FFI_LOCAL static void CopyToAnyView(const Self &value, TVMFFIAny *out) {
    std::visit([out](const auto &held) { Put<decltype(held)>::CopyToAnyView(held, out); }, value);
  }
  TVM_FFI_LOCAL static void MoveToAny(Self value, TVMFFIAny *out) {
    std::visit([out](auto &held) { Put<decltype(held)>::MoveToAny(std::move(held), out); }, value);
  }
  /* A stored value comes back as the alternative it was, not as the first that would accept it. */
  TVM_FFI_LOCAL static bool CheckAnyStrict(const TVMFFIAny *source) {
    return (TypeTraits<T>::CheckAnyStrict(source) || ...);
  }
  TVM_FFI_LOCAL static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return FirstStrict(source, std::index_sequence_for<T...>());
  }
  TVM_FFI_LOCAL static Self MoveFromAnyAfterCheck(TVMFFIAny *source) {
    const Any owned = detail::AnyUnsafe::MoveTVMFFIAnyToAny(source);
    return CopyFromAnyViewAfterCheck(detail::AnyUnsafe::TVMFFIAnyPtrFromAny(owned));
  }
  /** Uses the text of the first alternative that checks more than the type. */
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    if (!(... || PutGotAs<T>(text, source))) text.Put(detail::TypeKeyOf(source->type_index));
  }

 private:
  template <typename Alternative>
  TVM_FFI_LOCAL static bool PutGotAs(detail::Text &text, const TVMFFIAny *source) {
    if (detail::TypeRecordOf<Alternative>::value.raise_unfit == nullptr) return false;
    detail::PutGotOf<Alternative>(text, source);
    return true;
  }
  template <typename Held>
  using Put = TypeTraitsNoCR<Held>;
  template <size_t... kIndex>
  TVM_FFI_LOCAL_INLINE static Self FirstStrict(const TVMFFIAny *source,
                                               std::index_sequence<kIndex...>) {
    std::optional<Self> value;
    static_cast<void>((... || TakeStrict<kIndex, T>(source, &value)));
    return *std::move(value);
  }
  template <size_t kIndex, typename Alternative>
  TVM_FFI_LOCAL_INLINE static bool TakeStrict(const TVMFFIAny *source, std::optional<Self> *out) {
    if (!TypeTraits<Alternative>::CheckAnyStrict(source)) return false;
    out->emplace(std::in_place_index_t<kIndex>(),
                 TypeTraits<Alternative>::CopyFromAnyViewAfterCheck(source));
    return true;
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_STL_H_
