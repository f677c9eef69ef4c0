/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/method_def.h
 * Registration of functions, global ones and methods: the record that the runtime takes.
 */
#ifndef TVM_FFI_DETAIL_METHOD_DEF_H_
#define TVM_FFI_DETAIL_METHOD_DEF_H_

#include <tvm/ffi/function.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {
namespace detail {

using namespace ::tvm::ffi::detail;

/** A member function as a callable with its object, by pointer or value, as the first parameter. */
template <typename Self, typename M, typename R, typename... Params>
struct TVM_FFI_TAGGED BoundMethod {
  M method;
  TVM_FFI_LOCAL R operator()(Self self, Params... params) const {
    if constexpr (std::is_pointer_v<Self>) {
      return (self->*method)(static_cast<Params &&>(params)...);
    } else {
      return (self.*method)(static_cast<Params &&>(params)...);
    }
  }
};
template <typename C, typename R, typename... Params>
TVM_FFI_LOCAL auto BindMethod(R (C::*method)(Params...)) {
  using Self = std::conditional_t<std::is_base_of_v<Object, C>, C *, C>;
  return BoundMethod<Self, decltype(method), R, Params...>{method};
}
template <typename C, typename R, typename... Params>
TVM_FFI_LOCAL auto BindMethod(R (C::*method)(Params...) const) {
  using Self = std::conditional_t<std::is_base_of_v<Object, C>, const C *, C>;
  return BoundMethod<Self, decltype(method), R, Params...>{method};
}

/** Returns a callable as it is, unless it is a member function: that is bound. */
template <typename F>
TVM_FFI_LOCAL decltype(auto) AsCallable(F &&f) {
  if constexpr (std::is_member_function_pointer_v<std::decay_t<F>>) {
    return BindMethod(f);
  } else {
    return static_cast<F &&>(f);
  }
}

/** Optional details of a function. The JSON gets its closing brace when it is registered. */
struct TVM_FFI_LOCAL MethodExtras {
  Text metadata;
  TVMFFIByteArray doc = {"", 0};
  int64_t flags = 0;
};
TVM_FFI_LOCAL inline void Apply(MethodExtras &extras, const char *doc) {
  extras.doc = BytesOf(doc);
}

/** Begins the JSON of a callable with the signature Sig. */
template <typename Sig>
TVM_FFI_LOCAL void PutCallable(MethodExtras &extras) {
  EscapingSink<Text> schema{&extras.metadata};
  extras.metadata.Put("{\"type_schema\":\"");
  Sig::PutSchema(schema);
  extras.metadata.Put('"');
}

/** The ABI's record of a function, which [borrow]s all of it. */
TVM_FFI_LOCAL inline TVMFFIMethodInfo MakeMethodInfo(const char *name, const Function &function,
                                                     int64_t flags, MethodExtras &extras) {
  TVMFFIMethodInfo info;
  extras.metadata.Put('}');
  info.name = BytesOf(name);
  info.doc = extras.doc;
  info.metadata = WholeText(extras.metadata);
  info.flags = flags | extras.flags;
  info.method = AnyView(function).CopyToTVMFFIAny();
  return info;
}

}  // namespace detail
namespace details = detail;

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_METHOD_DEF_H_
