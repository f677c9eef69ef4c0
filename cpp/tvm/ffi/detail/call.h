/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/call.h
 * Calling a C++ callable with values of the ABI.
 *
 * Each parameter has a small reader, and they run in order. The first that fails leaves its number,
 * and one function that all signatures share formats the error. A wrong argument throws nothing.
 */
#ifndef TVM_FFI_DETAIL_CALL_H_
#define TVM_FFI_DETAIL_CALL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/detail/travel_check.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** The types of a signature, and the records that errors need. */
template <typename R, typename... Params>
struct TVM_FFI_LOCAL Signature {
  using Indices = std::index_sequence_for<Params...>;
  /** The result, then the parameters, then a null pointer. */
  TVM_FFI_LOCAL static constexpr const TypeRecord *records[] = {
      &TypeRecordOf<R>::value, &TypeRecordOf<Params>::value..., nullptr};

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

/* The signature of a callable; noexcept is dropped by conversion. */
template <typename R, typename... Params>
TVM_FFI_LOCAL Signature<R, Params...> SignatureOfFunction(R (*)(Params...));
template <typename C, typename R, typename... Params>
TVM_FFI_LOCAL Signature<R, Params...> SignatureOfOperator(R (C::*)(Params...));
template <typename C, typename R, typename... Params>
TVM_FFI_LOCAL Signature<R, Params...> SignatureOfOperator(R (C::*)(Params...) const);

/* Of what cannot be called, or in more than one way. */
template <typename F, typename = void>
struct SignatureOfImpl {
  static_assert(
      !std::is_member_pointer_v<F>,
      "a member needs an object: write a lambda that takes the object and calls its method");
  static_assert(std::is_member_pointer_v<F> || std::is_class_v<F>,
                "a value of this type cannot be called: give a function or a lambda");
  static_assert(!std::is_class_v<F>,
                "the callable has no operator(), or more than one: give each parameter of a lambda "
                "a type instead of auto, or write a lambda around the call");
  using type = Signature<void>;
};
template <typename F>
struct SignatureOfImpl<F, std::void_t<decltype(SignatureOfOperator(&F::operator()))>> {
  using type = decltype(SignatureOfOperator(&F::operator()));
};
template <typename F>
struct SignatureOfImpl<F, std::enable_if_t<std::is_function_v<std::remove_pointer_t<F>>>> {
  using type = decltype(SignatureOfFunction(static_cast<std::decay_t<F>>(nullptr)));
};
template <typename F>
using SignatureOf = typename SignatureOfImpl<std::remove_cv_t<std::remove_reference_t<F>>>::type;

/** @param bad The argument that does not fit, or -1: their number is wrong. */
TVM_FFI_LOCAL_COLD void PutMismatch(Text &text, int32_t bad) {
  text.Put("Mismatched ");
  if (bad < 0) {
    text.Put("number of arguments");
  } else {
    text.Put("type on argument #");
    text.PutInt(bad);
  }
  text.Put(" when calling: `");
}

TVM_FFI_LOCAL_COLD void PutTypes(Text &text, const TypeRecord &expected, const TVMFFIAny *arg) {
  text.Put('`');
  PutRecord(text, expected);
  text.Put("` but got `");
  PutRecordGot(text, expected, arg);
  text.Put('`');
}

/** @param bad The argument that could not be read, or -1 if their number is wrong. */
TVM_FFI_LOCAL_COLD int RaiseArguments(const char *name, const TypeRecord *const *records,
                                      const TVMFFIAny *args, int32_t num_args, int32_t bad,
                                      int status) {
  if (status == kReadRaised) return -1;
  if (status == kReadUnfit && records[bad + 1]->raise_unfit != nullptr) {
    return records[bad + 1]->raise_unfit(name, records, args + bad, bad);
  }
  Text text;
  PutMismatch(text, bad);
  const size_t num_params = PutSignature(text, name, records);
  text.Put("`. Expected ");
  if (bad < 0) {
    text.PutUint(num_params);
    text.Put(" but got ");
    text.PutInt(num_args);
    text.Put(" arguments");
  } else {
    PutTypes(text, *records[bad + 1], args + bad);
  }
  return RaiseText("TypeError", text);
}

template <typename R>
TVM_FFI_LOCAL_INLINE void WriteResult(R &&value, TVMFFIAny *result) {
  using D = std::remove_cv_t<std::remove_reference_t<R>>;
  if constexpr (std::is_same_v<D, Any>) {
    Any any(static_cast<R &&>(value));
    *result = AnyUnsafe::MoveAnyToTVMFFIAny(std::move(any));
  } else if constexpr (std::is_same_v<D, AnyView>) {
    *result = AnyUnsafe::MoveAnyToTVMFFIAny(Any(value));
  } else {
    TypeTraits<D>::MoveToAny(static_cast<R &&>(value), result);
  }
}

template <typename Param>
struct ReaderOfParam {
  static_assert(!std::is_lvalue_reference_v<Param> ||
                    std::is_const_v<std::remove_reference_t<Param>>,
                "a parameter must not be a reference to what is not const: take it by value or by "
                "const reference; results are returned, or written to a tensor");
  using D = std::remove_cv_t<std::remove_reference_t<Param>>;
  TVM_FFI_LOCAL static constexpr bool checked = sizeof(CheckParam<D>) != 0;
  using type = Reader<D>;
};

template <size_t kIndex, typename Param>
struct TVM_FFI_LOCAL IndexedReader {
  typename ReaderOfParam<Param>::type reader;
};

/**
 * The whole call is one function that is inlined into each caller. Were it several inline
 * functions, clang would optimise the innermost code again in each function around it.
 */
template <typename Sig, typename Indices = typename Sig::Indices>
struct TVM_FFI_TAGGED Caller;
template <typename R, typename... Params, size_t... kIndex>
struct Caller<Signature<R, Params...>, std::index_sequence<kIndex...>> {
  static_assert((ReaderOfParam<Params>::checked && ...));
  static_assert(sizeof(CheckResult<std::remove_cv_t<std::remove_reference_t<R>>>) != 0);
  struct TVM_FFI_HIDDEN Readers : IndexedReader<kIndex, Params>... {};

  /** Calls f; may throw what f throws. Returns 0, or -1 with an error raised. */
  template <typename F>
  TVM_FFI_LOCAL_INLINE static int Call(F &f, const char *name, const TVMFFIAny *args,
                                       int32_t num_args, TVMFFIAny *result) {
    [[maybe_unused]] Readers all;
    int32_t bad = -1;
    int status = kReadMismatch;
    if (TVM_FFI_PREDICT_FALSE(
            num_args != static_cast<int32_t>(sizeof...(Params)) ||
            (... || (bad = static_cast<int32_t>(kIndex),
                     (status = static_cast<IndexedReader<kIndex, Params> &>(all).reader.Read(
                          args + kIndex)) != kReadOk)))) {
      return RaiseArguments(name, Signature<R, Params...>::records, args, num_args, bad, status);
    }
    if constexpr (std::is_void_v<R>) {
      f(static_cast<IndexedReader<kIndex, Params> &>(all).reader.Take()...);
      SetNone(result);
    } else {
      WriteResult<R>(f(static_cast<IndexedReader<kIndex, Params> &>(all).reader.Take()...), result);
    }
    return 0;
  }
};
template <typename F>
using CallerOf = Caller<SignatureOf<F>>;

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_CALL_H_
