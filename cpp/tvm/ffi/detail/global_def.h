/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/global_def.h
 * Registration of global functions; that of types is in reflection/registry.h.
 */
#ifndef TVM_FFI_DETAIL_GLOBAL_DEF_H_
#define TVM_FFI_DETAIL_GLOBAL_DEF_H_

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

/** Each call registers one function; the extra arguments are a doc string, or Metadata. */
class GlobalDef {
 public:
  TVM_FFI_LOCAL GlobalDef() = default;
  /** Errors: RuntimeError (the name is taken). */
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL GlobalDef &def(const char *name, F &&f, Extra... extra) {
    detail::MethodExtras extras;
    detail::PutCallable<::tvm::ffi::detail::SignatureOf<F>>(extras);
    (Apply(extras, extra), ...);
    return Register(name, Function::FromTyped(static_cast<F &&>(f), name), extras);
  }
  /** Registers a function that reads its arguments itself. */
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL GlobalDef &def_packed(const char *name, F &&f, Extra... extra) {
    detail::MethodExtras extras;
    extras.metadata.Put("{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\"}\"");
    (Apply(extras, extra), ...);
    return Register(name, Function::FromPacked(static_cast<F &&>(f)), extras);
  }
  /** Registers a member function; its object is the first argument. */
  template <typename M, typename... Extra>
  TVM_FFI_LOCAL GlobalDef &def_method(const char *name, M &&method, Extra... extra) {
    return def(name, detail::AsCallable(static_cast<M &&>(method)), extra...);
  }

 private:
  TVM_FFI_LOCAL_COLD GlobalDef &Register(const char *name, const Function &f,
                                         detail::MethodExtras &extras) {
    const TVMFFIMethodInfo info = detail::MakeMethodInfo(name, f, 0, extras);
    ::tvm::ffi::detail::CheckSafeCall(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0));
    return *this;
  }
};

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_GLOBAL_DEF_H_
