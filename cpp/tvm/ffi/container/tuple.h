/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/tuple.h
 * Tuples: Arrays whose size and element types are known.
 */
#ifndef TVM_FFI_CONTAINER_TUPLE_H_
#define TVM_FFI_CONTAINER_TUPLE_H_

#include <tvm/ffi/container/array.h>

TVM_FFI_NAMESPACE_BEGIN

template <typename... Types>
class Tuple;

namespace detail {

template <size_t I, typename... Types>
struct TypeAt {};
template <size_t I, typename T, typename... Rest>
struct TypeAt<I, T, Rest...> : TypeAt<I - 1, Rest...> {};
template <typename T, typename... Rest>
struct TypeAt<0, T, Rest...> {
  using type = T;
};

template <typename T>
struct IsTuple : std::false_type {};
template <typename... Types>
struct IsTuple<Tuple<Types...>> : std::true_type {};

template <typename From, typename... Types>
struct TupleSubsumes : std::false_type {};
template <typename... From, typename... Types>
struct TupleSubsumes<Tuple<From...>, Types...> {
  TVM_FFI_LOCAL static constexpr bool Test() {
    if constexpr (sizeof...(From) == sizeof...(Types)) {
      return (type_subsumes_v<Types, From> && ...);
    } else {
      return false;
    }
  }
  TVM_FFI_LOCAL static constexpr bool value = Test();
};

}  // namespace detail

template <typename... Types>
class Tuple : public ObjectRef {
  static_assert((detail::storage_enabled_v<Types> && ...),
                "elements of this type cannot be stored: " TVM_FFI_DETAIL_STORE_INSTEAD);

  /** Whether the arguments are the elements of a new tuple, and not a tuple to copy. */
  template <typename... Args>
  TVM_FFI_LOCAL static constexpr bool TakesElements() {
    if constexpr (sizeof...(Args) != sizeof...(Types) || sizeof...(Args) == 0) {
      return false;
    } else if constexpr (sizeof...(Args) == 1) {
      return !((std::is_base_of_v<Tuple, Args> || std::is_same_v<UnsafeInit, Args> ||
                detail::TupleSubsumes<Args, Types...>::value) ||
               ...);
    } else {
      return true;
    }
  }

  /** Whether `return {a, b};` may make one: each argument converts implicitly to its element. */
  template <typename... Args>
  TVM_FFI_LOCAL static constexpr bool TakesImplicitly() {
    if constexpr (sizeof...(Args) != sizeof...(Types) || sizeof...(Args) < 2) {
      return false;
    } else {
      return (std::is_convertible_v<Args, Types> && ...);
    }
  }

 public:
  using ContainerType = ArrayObj;
  TVM_FFI_LOCAL static constexpr bool _type_is_nullable = false;
  TVM_FFI_LOCAL static constexpr bool _type_container_is_exact = false;
  template <size_t I>
  using Element = typename detail::TypeAt<I, Types...>::type;

  TVM_FFI_LOCAL Tuple() : ObjectRef(Make(Types()...)) {}
  TVM_FFI_LOCAL_INLINE explicit Tuple(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Tuple)
  template <typename... From,
            typename = std::enable_if_t<!std::is_same_v<Tuple<From...>, Tuple> &&
                                        detail::TupleSubsumes<Tuple<From...>, Types...>::value>>
  TVM_FFI_LOCAL_INLINE Tuple(const Tuple<From...> &other) : ObjectRef(other) {}
  /** From the elements. Explicit unless there are several and each converts implicitly. */
  template <typename... Args, typename = std::enable_if_t<TakesElements<std::decay_t<Args>...>() &&
                                                          !TakesImplicitly<Args &&...>()>>
  TVM_FFI_LOCAL_INLINE explicit Tuple(Args &&...args)
      : ObjectRef(Make(static_cast<Args &&>(args)...)) {}
  template <typename... Args, typename = std::enable_if_t<TakesImplicitly<Args &&...>()>, int = 0>
  TVM_FFI_LOCAL_INLINE Tuple(Args &&...args) : ObjectRef(Make(static_cast<Args &&>(args)...)) {}
  /** The same for elements in nested braces, which have no type yet: `{1, {2, 3}}`. */
  template <size_t N = sizeof...(Types), typename = std::enable_if_t<(N >= 2)>>
  TVM_FFI_LOCAL_INLINE Tuple(const Types &...elements) : ObjectRef(Make(elements...)) {}

  template <size_t I>
  TVM_FFI_LOCAL_INLINE auto get() const & {
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<Element<I>>(array()->begin()[I]);
  }
  /** Moves the element out if the tuple is not shared. */
  template <size_t I>
  TVM_FFI_LOCAL_INLINE auto get() && {
    if (!unique()) return static_cast<const Tuple &>(*this).template get<I>();
    return detail::AnyUnsafe::MoveFromAnyAfterCheck<Element<I>>(std::move(array()->items()[I]));
  }
  template <size_t I, typename U>
  TVM_FFI_LOCAL_INLINE void Set(U &&value) {
    Any item(Element<I>(static_cast<U &&>(value)));
    detail::PrepareArray(&data_, 0)->items()[I].swap(item);
  }

 private:
  TVM_FFI_LOCAL_INLINE ArrayObj *array() const { return static_cast<ArrayObj *>(data_.get()); }
  template <typename... Args>
  TVM_FFI_LOCAL_INLINE static ObjectPtr<Object> Make(Args &&...args) {
    ObjectPtr<ArrayObj> made = ArrayObj::New(static_cast<int64_t>(sizeof...(Types)));
    (made->Append(Any(Types(static_cast<Args &&>(args)))), ...);
    return made;
  }
};

template <typename... Args>
Tuple(Args &&...) -> Tuple<std::decay_t<Args>...>;

template <size_t I, typename... Types>
TVM_FFI_LOCAL_INLINE auto get(const Tuple<Types...> &tuple) {
  return tuple.template get<I>();
}
template <size_t I, typename... Types>
TVM_FFI_LOCAL_INLINE auto get(Tuple<Types...> &&tuple) {
  return std::move(tuple).template get<I>();
}

template <typename... Types>
TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v<Tuple<Types...>> = false;

template <typename... To, typename... From>
struct detail::Subsumes<Tuple<To...>, Tuple<From...>>
    : detail::TupleSubsumes<Tuple<From...>, To...> {};

template <typename... Types>
struct TypeTraits<Tuple<Types...>> : detail::OwnRefTraits<Tuple<Types...>> {
  using Self = Tuple<Types...>;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = (detail::HasConstantText<Types>() && ...);
  TVM_FFI_LOCAL static bool CheckAnyStrict(const TVMFFIAny *source) {
    if (source->type_index != kTVMFFIArray) return false;
    const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(source->v_obj);
    [[maybe_unused]] const TVMFFIAny *item = static_cast<const TVMFFIAny *>(cell->data);
    return cell->size == static_cast<int64_t>(sizeof...(Types)) && (IsStrict<Types>(item++) && ...);
  }
  TVM_FFI_LOCAL static int Read(const TVMFFIAny *source, Self *out) {
    if (source->type_index != kTVMFFIArray) return detail::kReadMismatch;
    if (CheckAnyStrict(source)) {
      detail::ObjectUnsafe::SetUnowned(out, source->v_obj);
      return detail::kReadOk;
    }
    const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(source->v_obj);
    if (cell->size != static_cast<int64_t>(sizeof...(Types))) return detail::kReadMismatch;
    [[maybe_unused]] const TVMFFIAny *item = static_cast<const TVMFFIAny *>(cell->data);
    ObjectPtr<ArrayObj> made = ArrayObj::New(cell->size);
    int status = detail::kReadOk;
    if (!(((status = ReadItem<Types>(item++, made.get())) == detail::kReadOk) && ...)) {
      return status;
    }
    *out = detail::ObjectUnsafe::ObjectRefFromObjectPtr<Self>(std::move(made));
    return detail::kReadOk;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    detail::PutTypeStrOf<Types...>(sink, "Tuple");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    detail::PutSchemaOf<Types...>(sink, "Tuple");
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    if (source->type_index != kTVMFFIArray) {
      text.Put(detail::TypeKeyOf(source->type_index));
      return;
    }
    const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(source->v_obj);
    [[maybe_unused]] const TVMFFIAny *items = static_cast<const TVMFFIAny *>(cell->data);
    if (cell->size != static_cast<int64_t>(sizeof...(Types))) {
      text.Put("Array[size=");
      text.PutInt(cell->size);
      text.Put(']');
      return;
    }
    [[maybe_unused]] int64_t i = 0;
    if (!((!PutItemGot<Types>(text, items + i, i) && (++i, true)) && ...)) return;
    text.Put(detail::TypeKeyOf(source->type_index));
  }

 private:
  template <typename T>
  TVM_FFI_LOCAL_INLINE static bool IsStrict(const TVMFFIAny *item) {
    if constexpr (std::is_same_v<T, Any>) {
      return true;
    } else {
      return TypeTraits<T>::CheckAnyStrict(item);
    }
  }
  template <typename T>
  TVM_FFI_LOCAL_INLINE static int ReadItem(const TVMFFIAny *item, ArrayObj *target) {
    detail::Reader<T> reader;
    const int status = reader.Read(item);
    if (status == detail::kReadOk) target->Append(Any(T(reader.Take())));
    return status;
  }
  template <typename T>
  TVM_FFI_LOCAL_INLINE static bool PutItemGot(detail::Text &text, const TVMFFIAny *item,
                                              int64_t i) {
    detail::Reader<T> reader;
    if (reader.Read(item) == detail::kReadOk) return false;
    text.Put("Array[index ");
    text.PutInt(i);
    text.Put(": ");
    detail::PutGotOf<T>(text, item);
    text.Put(']');
    return true;
  }
};

TVM_FFI_NAMESPACE_END

template <typename... Types>
struct std::tuple_size<::tvm::ffi::Tuple<Types...>>
    : std::integral_constant<size_t, sizeof...(Types)> {};
template <size_t I, typename... Types>
struct std::tuple_element<I, ::tvm::ffi::Tuple<Types...>>
    : ::tvm::ffi::detail::TypeAt<I, Types...> {};

#endif  // TVM_FFI_CONTAINER_TUPLE_H_
