/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/call.h
 * Calling a C++ callable with values of the ABI.
 *
 * One small reader per parameter, tried in order; the first that fails leaves its number, and one
 * function that all signatures share puts the error together. A wrong argument throws nothing.
 */
#ifndef TVM_FFI_DETAIL_CALL_H_
#define TVM_FFI_DETAIL_CALL_H_

#include <tvm/ffi/any.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** A signature as types, and what errors need to know of it. */
template <typename R, typename... Params>
struct TVM_FFI_LOCAL Signature {
  using Result = R;
  TVM_FFI_LOCAL static constexpr size_t num_params = sizeof...(Params);
  /** The result, then the parameters. */
  TVM_FFI_LOCAL static constexpr const TypeRecord *records[] = {&TypeRecordOf<R>::value,
                                                                &TypeRecordOf<Params>::value...};

  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    [[maybe_unused]] const char *separator = "";
    sink.Put("{\"type\":\"ffi.Function\",\"named_args\":{\"return\":[");
    detail::PutSchema<R>(sink);
    sink.Put("],\"params\":[");
    ((sink.Put(separator), detail::PutSchema<Params>(sink), separator = ","), ...);
    sink.Put("]}}");
  }
  TVM_FFI_LOCAL static constexpr bool HasConstantSchema() {
    return HasConstantText<R>() && (HasConstantText<Params>() && ...);
  }
};

/* What a callable takes and gives; noexcept converts away. */
template <typename R, typename... Params>
TVM_FFI_LOCAL Signature<R, Params...> SignatureOfFunction(R (*)(Params...));
template <typename C, typename R, typename... Params>
TVM_FFI_LOCAL Signature<R, Params...> SignatureOfOperator(R (C::*)(Params...));
template <typename C, typename R, typename... Params>
TVM_FFI_LOCAL Signature<R, Params...> SignatureOfOperator(R (C::*)(Params...) const);

template <typename F, typename = void>
struct SignatureOfImpl {
  using type = decltype(SignatureOfOperator(&F::operator()));
};
template <typename F>
struct SignatureOfImpl<F, std::enable_if_t<std::is_function_v<std::remove_pointer_t<F>>>> {
  using type = decltype(SignatureOfFunction(static_cast<std::decay_t<F>>(nullptr)));
};
template <typename F>
using SignatureOf = typename SignatureOfImpl<std::remove_cv_t<std::remove_reference_t<F>>>::type;

/** `name(0: T0, 1: T1) -> R` */
TVM_FFI_LOCAL_COLD void PutSignature(Text &text, const char *name, const TypeRecord *const *records,
                                     size_t num_params) {
  text.Put(name);
  text.Put('(');
  for (size_t i = 0; i < num_params; ++i) {
    if (i != 0) text.Put(", ");
    text.PutUint(i);
    text.Put(": ");
    PutRecord(text, *records[i + 1]);
  }
  text.Put(") -> ");
  PutRecord(text, *records[0]);
}

TVM_FFI_LOCAL_COLD int RaiseCount(const char *name, const TypeRecord *const *records,
                                  size_t num_params, int32_t num_args) {
  Text text;
  text.Put("Mismatched number of arguments when calling: `");
  PutSignature(text, name, records, num_params);
  text.Put("`. Expected ");
  text.PutUint(num_params);
  text.Put(" but got ");
  text.PutInt(num_args);
  text.Put(" arguments");
  return RaiseText("TypeError", text);
}

TVM_FFI_LOCAL_COLD int RaiseArgument(const char *name, const TypeRecord *const *records,
                                     size_t num_params, const TVMFFIAny *args, int32_t i, int why) {
  if (why == kReadRaised) return -1;
  Text text;
  text.Put("Mismatched type on argument #");
  text.PutInt(i);
  text.Put(" when calling: `");
  PutSignature(text, name, records, num_params);
  text.Put("`. Expected `");
  PutRecord(text, *records[i + 1]);
  text.Put("` but got `");
  PutRecordGot(text, *records[i + 1], args + i);
  text.Put('`');
  return RaiseText("TypeError", text);
}

template <typename R>
TVM_FFI_LOCAL_INLINE void WriteResult(R &&value, TVMFFIAny *result) {
  using D = std::remove_cv_t<std::remove_reference_t<R>>;
  if constexpr (std::is_same_v<D, Any>) {
    Any any(static_cast<R &&>(value));
    *result = AnyUnsafe::MoveAnyToTVMFFIAny(static_cast<Any &&>(any));
  } else if constexpr (std::is_same_v<D, AnyView>) {
    *result = AnyUnsafe::MoveAnyToTVMFFIAny(Any(value));
  } else {
    static_assert(TypeTraits<D>::convert_enabled, "a result of this type cannot be returned");
    TypeTraits<D>::MoveToAny(static_cast<R &&>(value), result);
  }
}

template <typename Param>
struct ReaderOfParam {
  static_assert(!std::is_lvalue_reference_v<Param> ||
                    std::is_const_v<std::remove_reference_t<Param>>,
                "a parameter must not be a reference to what is not const");
  using D = std::remove_cv_t<std::remove_reference_t<Param>>;
  static_assert(is_any_v<D> || TypeTraits<D>::convert_enabled,
                "a parameter of this type cannot be read from an argument");
  using type = Reader<D>;
};

template <typename Sig, typename F, size_t... I, typename... Readers>
TVM_FFI_LOCAL_INLINE int CallWithReaders(F &f, const char *name, const TVMFFIAny *args,
                                         TVMFFIAny *result, std::index_sequence<I...>,
                                         Readers &&...readers) {
  [[maybe_unused]] int32_t bad = 0;
  [[maybe_unused]] int why = kReadOk;
  if (TVM_FFI_PREDICT_FALSE(!(... && ((why = readers.Read(args + I)) == kReadOk ||
                                      (bad = static_cast<int32_t>(I), false))))) {
    return RaiseArgument(name, Sig::records, sizeof...(I), args, bad, why);
  }
  if constexpr (std::is_void_v<typename Sig::Result>) {
    f(readers.Take()...);
    SetNone(result);
  } else {
    WriteResult<typename Sig::Result>(f(readers.Take()...), result);
  }
  return 0;
}

template <typename F, typename R, typename... Params>
TVM_FFI_LOCAL_INLINE int CallTypedAs(Signature<R, Params...> *, F &f, const char *name,
                                     const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  using Sig = Signature<R, Params...>;
  if (TVM_FFI_PREDICT_FALSE(num_args != static_cast<int32_t>(sizeof...(Params)))) {
    return RaiseCount(name, Sig::records, sizeof...(Params), num_args);
  }
  return CallWithReaders<Sig>(f, name, args, result, std::index_sequence_for<Params...>(),
                              typename ReaderOfParam<Params>::type()...);
}

/** Calls f; may throw what f throws. 0, or -1 with an error raised. */
template <typename F>
TVM_FFI_LOCAL_INLINE int CallTyped(F &f, const char *name, const TVMFFIAny *args, int32_t num_args,
                                   TVMFFIAny *result) {
  return CallTypedAs(static_cast<SignatureOf<F> *>(nullptr), f, name, args, num_args, result);
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_CALL_H_
