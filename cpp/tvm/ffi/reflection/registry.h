/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/registry.h
 * Registration of global functions, and of types with their fields, methods and attributes.
 *
 *     TVM_FFI_STATIC_INIT_BLOCK() {
 *       namespace refl = tvm::ffi::reflection;
 *       refl::GlobalDef().def("my.add", [](int64_t a, int64_t b) { return a + b; }, "Adds.");
 *       refl::ObjectDef<LayerObj>("A layer.")
 *           .def(refl::init<String, int64_t>())
 *           .def_ro("name", &LayerObj::name)
 *           .def_rw("width", &LayerObj::width, refl::default_value(64))
 *           .def("describe", &LayerObj::Describe);
 *     }
 *
 * GlobalDef is in global_def.h, extras (Metadata, default_value, init, ...) are in info_trait.h;
 * detail/type_def.h applies them and sends fields to the runtime, and what extras of your own need
 * is in info_builder.h. With TVM_FFI_LEAN tvm_ffi.h includes only global_def.h.
 */
#ifndef TVM_FFI_REFLECTION_REGISTRY_H_
#define TVM_FFI_REFLECTION_REGISTRY_H_

#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/detail/type_def.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/reflection/global_def.h>
#include <tvm/ffi/reflection/info_trait.h>
#include <tvm/ffi/string.h>
#ifndef TVM_FFI_LEAN
#include <tvm/ffi/reflection/info_builder.h>
#endif

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

/** `overload_cast<int>(&C::f, const_)` picks the const overload. */
struct const_t {};
TVM_FFI_LOCAL inline constexpr const_t const_{};

namespace detail {

/** Picks a function by all of its parameters, or by the first ones if these are unambiguous. */
template <typename... Args>
struct TVM_FFI_HIDDEN OverloadCast {
  template <typename R>
  TVM_FFI_LOCAL constexpr auto operator()(R (*f)(Args...)) const {
    return f;
  }
  template <typename R, typename... Rest>
  TVM_FFI_LOCAL constexpr auto operator()(R (*f)(Args..., Rest...)) const {
    return f;
  }
  template <typename R, typename C>
  TVM_FFI_LOCAL constexpr auto operator()(R (C::*f)(Args...)) const {
    return f;
  }
  template <typename R, typename C, typename... Rest>
  TVM_FFI_LOCAL constexpr auto operator()(R (C::*f)(Args..., Rest...)) const {
    return f;
  }
  template <typename R, typename C>
  TVM_FFI_LOCAL constexpr auto operator()(R (C::*f)(Args...) const, const_t) const {
    return f;
  }
  template <typename R, typename C, typename... Rest>
  TVM_FFI_LOCAL constexpr auto operator()(R (C::*f)(Args..., Rest...) const, const_t) const {
    return f;
  }
};

}  // namespace detail

/** `overload_cast<int64_t>(&Scale)` picks the Scale that takes an int64_t. */
template <typename... Args>
TVM_FFI_LOCAL inline constexpr detail::OverloadCast<Args...> overload_cast{};

/**
 * Registers a class: fields, methods, constructor. The destructor of ObjectDef, which may
 * throw as well, adds what it derives from these (a copy function, a constructor from the fields).
 *
 * A class is registered once per process. Errors of all: RuntimeError (registered before),
 * InternalError (two fields of one name).
 */
template <typename Class>
class TVM_FFI_HIDDEN ObjectDef : public detail::TypeDef {
  static_assert(std::is_base_of_v<Object, Class>,
                "ObjectDef registers subclasses of Object: derive the class from tvm::ffi::Object, "
                "and give it, not its reference");

 public:
  /** @param extra A doc string; `init(false)`, which leaves the automatic constructor out. */
  template <typename... Extra>
  TVM_FFI_LOCAL explicit ObjectDef(Extra... extra)
      : TypeDef(Class::_GetOrAllocRuntimeTypeIndex(), Class::_type_key) {
    detail::ClassExtras extras;
    extras.info.doc = AsByteArray("");
    extras.info.creator = detail::CreatorOf<Class>();
    extras.info.total_size = static_cast<int32_t>(sizeof(Class));
    extras.info.structural_eq_hash_kind = Class::_type_s_eq_hash_kind;
    (Apply(extras, extra), ...);
    automatic_init_ = extras.automatic_init;
    SendClass(extras);
  }
  TVM_FFI_LOCAL ~ObjectDef() noexcept(false) {
    if (std::uncaught_exceptions() > num_exceptions_) return;  // def or another member threw
    Function copy;
    if constexpr (std::is_copy_constructible_v<Class>) {
      copy = MakeFunction(type_attr::kShallowCopy, detail::CopyObject<Class>());
    }
    SendEnd(copy, detail::CreatorOf<Class>(), automatic_init_, Class::_type_final);
  }

  /** A read-only field. */
  template <typename C, typename T, typename... Extra>
  TVM_FFI_LOCAL ObjectDef &def_ro(const char *name, T C::*field, Extra... extra) {
    return DefField(name, field, 0, extra...);
  }
  /** A writable field. */
  template <typename C, typename T, typename... Extra>
  TVM_FFI_LOCAL ObjectDef &def_rw(const char *name, T C::*field, Extra... extra) {
    static_assert(Class::_type_mutable,
                  "def_rw is for classes that are _type_mutable; others have def_ro");
    return DefField(name, field, kTVMFFIFieldFlagBitMaskWritable, extra...);
  }
  /** A method: a member function, or a callable that takes the object first. */
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL ObjectDef &def(const char *name, F &&f, Extra... extra) {
    return DefMethod(name, static_cast<F &&>(f), false, extra...);
  }
  /** A static method: a callable without an object. */
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL ObjectDef &def_static(const char *name, F &&f, Extra... extra) {
    return DefMethod(name, static_cast<F &&>(f), true, extra...);
  }
  /** The constructor that takes Args. At most one; without it, one is made from the fields. */
  template <typename... Args, typename... Extra>
  TVM_FFI_LOCAL ObjectDef &def(init<Args...>, Extra... extra) {
    static_assert(std::is_constructible_v<Class, Args...>,
                  "init: there is no such constructor: add one with these parameters to the class, "
                  "or list the types of one that it has");
    using Init = detail::InitObject<Class, Args...>;
    const Function function = MakeFunction(type_attr::kInit, Init());
    SendFunction<Init>(type_attr::kInit, function, true, extra...);
    SendAttr(type_attr::kInit, function);
    automatic_init_ = false;
    return *this;
  }
  /** An attribute: a value, or a callable. */
  template <typename V>
  TVM_FFI_LOCAL ObjectDef &def_type_attr(const char *name, V &&value) {
    SendValue(name, static_cast<V &&>(value));
    return *this;
  }
  /** Lets frontends pass a value that converts to Ref where an object of this type is expected. */
  template <typename Ref>
  TVM_FFI_LOCAL ObjectDef &def_convert() {
    return def_type_attr(type_attr::kConvert, &detail::FFIConvertFromAnyViewToObjectRef<Ref>);
  }

 protected:
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL void SendFunction(const char *name, const Function &function, bool is_static,
                                  const Extra &...extra) {
    detail::MethodExtras extras;
    detail::PutCallable<detail::SignatureOf<F>>(extras);
    (Apply(extras, extra), ...);
    SendMethod(name, function, is_static, extras);
  }

  bool automatic_init_ = true;

 private:
  template <typename C, typename T, typename... Extra>
  TVM_FFI_LOCAL ObjectDef &DefField(const char *name, T C::*field, int64_t flags,
                                    const Extra &...extra) {
    static_assert(std::is_base_of_v<C, Class>,
                  "the field is of another class: give a member of the class that is registered, "
                  "or of its parents");
    static_assert(!std::is_const_v<T>,
                  "a const member cannot be set when an object is made: leave const away, and "
                  "register it with def_ro");
    detail::FieldExtras extras;
    detail::EscapingSink<detail::Text> schema{&extras.metadata};
    extras.flags = flags;
    extras.metadata.Put("{\"type_schema\":\"");
    detail::PutSchema<T>(schema);
    extras.metadata.Put('"');
    BeginField(name, GetFieldByteOffsetToObject(static_cast<T Class::*>(field)),
               detail::FieldShapeOf<T>::value, &extras.info);
    (Apply(extras, extra), ...);
    SendField(extras);
    return *this;
  }
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL ObjectDef &DefMethod(const char *name, F &&f, bool is_static,
                                     const Extra &...extra) {
    using Callable = decltype(detail::AsCallable(static_cast<F &&>(f)));
    SendFunction<Callable>(name, MakeFunction(name, static_cast<F &&>(f)), is_static, extra...);
    return *this;
  }

  int num_exceptions_ = std::uncaught_exceptions();
};

/** Registers attributes of a class that is registered elsewhere, or not at all. */
template <typename Class>
class TVM_FFI_HIDDEN TypeAttrDef : public detail::TypeDef {
 public:
  TVM_FFI_LOCAL TypeAttrDef() : TypeDef(Class::_GetOrAllocRuntimeTypeIndex(), Class::_type_key) {}

  /** A value, or a callable. Errors: RuntimeError (the type already has this attribute). */
  template <typename V>
  TVM_FFI_LOCAL TypeAttrDef &def(const char *name, V &&value) {
    SendValue(name, static_cast<V &&>(value));
    return *this;
  }
  template <typename V>
  TVM_FFI_LOCAL TypeAttrDef &attr(const char *name, V &&value) {
    SendConverted(name, value);
    return *this;
  }
  /** The value is converted to the type of the key. */
  template <typename T, typename V>
  TVM_FFI_LOCAL TypeAttrDef &attr(const AttrKey<T> &key, V &&value) {
    const T converted(static_cast<V &&>(value));
    SendConverted(key.name, converted);
    return *this;
  }
  /** A C++ function, for a key that takes native ones: it returns an R or an Expected<R>. */
  template <auto fn, typename F>
  TVM_FFI_LOCAL TypeAttrDef &native_fn_attr(const AttrKey<NativeFunctionView<F>> &key) {
    if (IsKeyHook(key.name)) {
      SendAttr(key.name, Function::FromExternC(const_cast<char *>(key.name),
                                               &detail::PackedHook<fn, NativeFunctionView<F>>::Call,
                                               nullptr));
    } else {
      SendAttr(key.name, NativeFunctionView<F>::template FromNative<fn>());
    }
    return *this;
  }
  template <typename Ref>
  TVM_FFI_LOCAL TypeAttrDef &def_convert() {
    return def(type_attr::kConvert, &detail::FFIConvertFromAnyViewToObjectRef<Ref>);
  }

 private:
  /** Before 0.1.15 pointers under these names mean something else; all versions call a Function. */
  TVM_FFI_LOCAL static bool IsKeyHook(const char *name) {
    return std::strcmp(name, type_attr::kAnyHash) == 0 ||
           std::strcmp(name, type_attr::kAnyEqual) == 0;
  }
};

/** Makes TypeAttrColumn find an attribute even if no type has it yet. */
template <typename Name>
TVM_FFI_LOCAL void EnsureTypeAttrColumn(const Name &name) {
  const TVMFFIByteArray bytes = detail::AttrName(name);
  const AnyView none;
  ::tvm::ffi::detail::CheckSafeCall(
      TVMFFITypeRegisterAttr(kTVMFFINone, &bytes, ::tvm::ffi::detail::AnyUnsafe::Data(none)));
}

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_REGISTRY_H_
