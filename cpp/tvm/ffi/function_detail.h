/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/function_detail.h
 * Information about a callable's signature, and calls with packed arguments. With TVM_FFI_LEAN
 * function.h does not include this header.
 */
#ifndef TVM_FFI_FUNCTION_DETAIL_H_
#define TVM_FFI_FUNCTION_DETAIL_H_

#include <tvm/ffi/function.h>

#include <string>
#include <tuple>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

template <typename Sig>
struct TVM_FFI_TAGGED FunctionInfoOf;
template <typename R, typename... Params>
struct TVM_FFI_HIDDEN FunctionInfoOf<Signature<R, Params...>> {
  using RetType = R;
  using ArgType = std::tuple<Params...>;
  using FType = R(Params...);
  TVM_FFI_LOCAL static constexpr size_t num_args = sizeof...(Params);
  TVM_FFI_LOCAL static std::string Sig() {
    Text text;
    PutSignature(text, "", Signature<R, Params...>::records);
    return std::string(text.data(), text.size());
  }
  TVM_FFI_LOCAL static std::string TypeSchema() {
    Text text;
    Signature<R, Params...>::PutSchema(text);
    return std::string(text.data(), text.size());
  }
};

/** For a function, a pointer to one, or a class with an operator(). */
template <typename F, typename = void>
struct TVM_FFI_LOCAL FunctionInfo : FunctionInfoOf<SignatureOf<F>> {};
/** For a member function of an Object class: a pointer to the object comes first. */
template <typename C, typename R, typename... Params>
struct TVM_FFI_HIDDEN
    FunctionInfo<R (C::*)(Params...), std::enable_if_t<std::is_base_of_v<Object, C>>>
    : FunctionInfoOf<Signature<R, C *, Params...>> {};
template <typename C, typename R, typename... Params>
struct TVM_FFI_HIDDEN
    FunctionInfo<R (C::*)(Params...) const, std::enable_if_t<std::is_base_of_v<Object, C>>>
    : FunctionInfoOf<Signature<R, const C *, Params...>> {};

/**
 * Calls f with as many arguments as there are indices, and stores its result.
 * @param name [borrow] The name of f in errors; NULL for none.
 * Errors: TypeError (number or type of the arguments), and those that f throws.
 */
template <typename R, size_t... I, typename F>
TVM_FFI_LOCAL void unpack_call(std::index_sequence<I...>, const std::string *name, F &&f,
                               const AnyView *args, int32_t num_args, Any *result) {
  using D = std::remove_reference_t<F>;
  using Sig = SignatureOf<D>;
  static_assert(std::is_same_v<typename Sig::Indices, std::index_sequence<I...>> &&
                    std::is_same_v<R, typename FunctionInfoOf<Sig>::RetType>,
                "unpack_call: the callable has another signature: R has to be its result, and the "
                "index_sequence as long as its parameters");
  result->reset();
  CheckSafeCall(Caller<Sig>::Call(f, name != nullptr ? name->c_str() : "",
                                  reinterpret_cast<const TVMFFIAny *>(args), num_args,
                                  AnyUnsafe::Slot(result)));
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_FUNCTION_DETAIL_H_
