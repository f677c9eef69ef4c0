/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/registry.h
 * Registering global functions.
 *
 *     TVM_FFI_STATIC_INIT_BLOCK() {
 *       namespace refl = tvm::ffi::reflection;
 *       refl::GlobalDef().def("my.add", [](int64_t a, int64_t b) { return a + b; }, "Adds.");
 *     }
 */
#ifndef TVM_FFI_REFLECTION_REGISTRY_H_
#define TVM_FFI_REFLECTION_REGISTRY_H_

#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {
namespace detail {

using namespace ::tvm::ffi::detail;

/** Gives a member function its object as the first parameter. */
template <typename M>
struct MethodOf;
template <typename C, typename R, typename... Params>
struct MethodOf<R (C::*)(Params...)> {
  using Self = std::conditional_t<std::is_base_of_v<Object, C>, C *, C>;
  R (C::*method)(Params...);
  TVM_FFI_LOCAL R operator()(Self self, Params... params) const {
    if constexpr (std::is_pointer_v<Self>) {
      return (self->*method)(static_cast<Params &&>(params)...);
    } else {
      return (self.*method)(static_cast<Params &&>(params)...);
    }
  }
};
template <typename C, typename R, typename... Params>
struct MethodOf<R (C::*)(Params...) const> {
  using Self = std::conditional_t<std::is_base_of_v<Object, C>, const C *, C>;
  R (C::*method)(Params...) const;
  TVM_FFI_LOCAL R operator()(Self self, Params... params) const {
    if constexpr (std::is_pointer_v<Self>) {
      return (self->*method)(static_cast<Params &&>(params)...);
    } else {
      return (self.*method)(static_cast<Params &&>(params)...);
    }
  }
};

}  // namespace detail
namespace details = detail;

/** Each call registers one function; the extra arguments of def are doc strings. */
class GlobalDef {
 public:
  TVM_FFI_LOCAL GlobalDef() = default;
  /** Errors: RuntimeError (the name is taken). */
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL GlobalDef &def(const char *name, F &&f, Extra &&...extra) {
    using Sig = ::tvm::ffi::detail::SignatureOf<std::decay_t<F>>;
    ::tvm::ffi::detail::Text metadata;
    ::tvm::ffi::detail::MetadataWriter<Sig>::Write(metadata);
    Register(name, Function::FromTyped(static_cast<F &&>(f), name), metadata, Doc(extra...));
    return *this;
  }
  /** Of a function that looks at its arguments itself. */
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL GlobalDef &def_packed(const char *name, F &&f, Extra &&...extra) {
    ::tvm::ffi::detail::Text metadata;
    metadata.Put("{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\"}\"}");
    Register(name, Function::FromPacked(static_cast<F &&>(f)), metadata, Doc(extra...));
    return *this;
  }
  /** Of a member function: the object is the first argument. */
  template <typename M, typename... Extra>
  TVM_FFI_LOCAL GlobalDef &def_method(const char *name, M &&method, Extra &&...extra) {
    if constexpr (std::is_member_function_pointer_v<std::decay_t<M>>) {
      return def(name, detail::MethodOf<std::decay_t<M>>{method}, static_cast<Extra &&>(extra)...);
    } else {
      return def(name, static_cast<M &&>(method), static_cast<Extra &&>(extra)...);
    }
  }

 private:
  TVM_FFI_LOCAL_INLINE static const char *Doc() { return ""; }
  TVM_FFI_LOCAL_INLINE static const char *Doc(const char *doc) { return doc; }

  TVM_FFI_LOCAL_COLD static void Register(const char *name, const Function &f,
                                          const ::tvm::ffi::detail::Text &metadata,
                                          const char *doc) {
    TVMFFIMethodInfo info;
    info.name = ::tvm::ffi::detail::BytesOf(name);
    info.doc = ::tvm::ffi::detail::BytesOf(doc);
    info.metadata = metadata.bytes();
    info.flags = 0;
    info.method = AnyView(f).CopyToTVMFFIAny();
    ::tvm::ffi::detail::CheckSafeCall(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0));
  }
};

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_REGISTRY_H_
