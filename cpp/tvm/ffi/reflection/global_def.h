/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/global_def.h
 * Registration of global functions; that of types is in reflection/registry.h.
 */
#ifndef TVM_FFI_REFLECTION_GLOBAL_DEF_H_
#define TVM_FFI_REFLECTION_GLOBAL_DEF_H_

#include <tvm/ffi/detail/method_def.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

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

#endif  // TVM_FFI_REFLECTION_GLOBAL_DEF_H_
