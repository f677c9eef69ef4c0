/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/optional_args.h
 * Functions whose last arguments are optional. Nothing else includes this header.
 *
 *     void Scale(TensorView x, Optional<double> factor, Optional<bool> round);
 *     TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, tvm::ffi::WithOptionalArgs(Scale));
 *
 * Then `scale(x)` means `scale(x, None, None)`. Without WithOptionalArgs it is a TypeError, as with
 * the headers of Apache TVM FFI. The metadata marks such parameters with `"default":null`.
 */
#ifndef TVM_FFI_EXTRA_OPTIONAL_ARGS_H_
#define TVM_FFI_EXTRA_OPTIONAL_ARGS_H_

#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** A callable that may be called with fewer arguments. */
template <typename F>
struct TVM_FFI_TAGGED OptionalArgs {
  F f;
};

template <typename Param>
TVM_FFI_LOCAL constexpr bool MayBeLeftOut() {
  using D = std::remove_cv_t<std::remove_reference_t<Param>>;
  return is_optional_type_v<D> || IsStdOptional<D>::value;
}

/**
 * Passes on all but the last character. For a schema that is the closing brace, so that
 * `,"default":null}` can follow.
 */
template <typename Sink>
struct TVM_FFI_LOCAL HoldingSink {
  Sink *sink;
  char held = '\0';
  TVM_FFI_LOCAL constexpr void Put(const char *text) {
    while (*text != '\0') Put(*text++);
  }
  TVM_FFI_LOCAL constexpr void Put(char c) {
    if (held != '\0') sink->Put(held);
    held = c;
  }
};

template <typename R, typename... Params>
struct TVM_FFI_LOCAL OptionalArgsSignature {
  using Plain = Signature<R, Params...>;
  using Indices = typename Plain::Indices;
  TVM_FFI_LOCAL static constexpr int32_t num_params = static_cast<int32_t>(sizeof...(Params));
  TVM_FFI_LOCAL static constexpr int32_t CountRequired() {
    const bool optional[] = {false, MayBeLeftOut<Params>()...};
    int32_t count = num_params;
    while (optional[count]) --count;
    return count;
  }
  TVM_FFI_LOCAL static constexpr int32_t num_required = CountRequired();
  static_assert(
      num_required < num_params,
      "WithOptionalArgs: the last parameter is no tvm::ffi::Optional or std::optional, so no "
      "argument can be left out: declare it as one of these, or leave WithOptionalArgs away");

  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    int32_t i = 0;
    sink.Put("{\"type\":\"ffi.Function\",\"named_args\":{\"return\":[");
    detail::PutSchema<R>(sink);
    sink.Put("],\"params\":[");
    (PutParam<Params>(sink, i++), ...);
    sink.Put("]}}");
  }
  TVM_FFI_LOCAL static constexpr bool HasConstantSchema() { return Plain::HasConstantSchema(); }

 private:
  template <typename Param, typename Sink>
  TVM_FFI_LOCAL static constexpr void PutParam(Sink &sink, int32_t i) {
    if (i > 0) sink.Put(',');
    if (i < num_required) {
      detail::PutSchema<Param>(sink);
    } else {
      HoldingSink<Sink> holding{&sink};
      detail::PutSchema<Param>(holding);
      sink.Put(",\"default\":null}");
    }
  }
};

template <typename R, typename... Params>
TVM_FFI_LOCAL OptionalArgsSignature<R, Params...> LetOptional(Signature<R, Params...>);
template <typename F>
struct SignatureOfImpl<OptionalArgs<F>> {
  using type = decltype(LetOptional(std::declval<SignatureOf<F>>()));
};

TVM_FFI_LOCAL_COLD int RaiseNumberOfArguments(const char *name, const TypeRecord *const *records,
                                              int32_t num_required, int32_t num_args) {
  Text text;
  text.Put("Mismatched number of arguments when calling: `");
  const size_t num_params = PutSignature(text, name, records);
  text.Put("`. Expected ");
  text.PutInt(num_required);
  text.Put(" to ");
  text.PutUint(num_params);
  text.Put(" but got ");
  text.PutInt(num_args);
  text.Put(" arguments");
  return RaiseText("TypeError", text);
}

/** Passes None for omitted arguments. */
template <typename R, typename... Params, typename Indices>
struct Caller<OptionalArgsSignature<R, Params...>, Indices> {
  template <typename F>
  TVM_FFI_LOCAL_INLINE static int Call(F &callable, const char *name, const TVMFFIAny *args,
                                       int32_t num_args, TVMFFIAny *result) {
    using Sig = OptionalArgsSignature<R, Params...>;
    TVMFFIAny all[sizeof...(Params)];
    if (num_args != Sig::num_params) {
      if (TVM_FFI_PREDICT_FALSE(num_args < Sig::num_required || num_args > Sig::num_params)) {
        return RaiseNumberOfArguments(name, Sig::Plain::records, Sig::num_required, num_args);
      }
      for (int32_t i = 0; i < Sig::num_params; ++i) {
        if (i < num_args) {
          all[i] = args[i];
        } else {
          SetNone(&all[i]);
        }
      }
      args = all;
    }
    return Caller<typename Sig::Plain>::Call(callable.f, name, args, Sig::num_params, result);
  }
};

}  // namespace detail

/**
 * Lets callers omit the parameters at the end that are an Optional or a std::optional: f gets
 * None there. For TVM_FFI_DLL_EXPORT_TYPED_FUNC, Function::FromTyped, GlobalDef, and def and
 * def_static of ObjectDef, where f is a function or a lambda: for a method, its first parameter is
 * the object. With OverloadObjectDef, write an overload for each number of arguments instead.
 * Errors of the call: TypeError (``Expected 1 to 3 but got 4 arguments``).
 */
template <typename F>
TVM_FFI_LOCAL constexpr auto WithOptionalArgs(F &&f) {
  static_assert(!std::is_member_pointer_v<std::decay_t<F>>,
                "WithOptionalArgs takes a function or a lambda: write a lambda that takes the "
                "object and calls its method");
  return detail::OptionalArgs<std::decay_t<F>>{static_cast<F &&>(f)};
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_OPTIONAL_ARGS_H_
