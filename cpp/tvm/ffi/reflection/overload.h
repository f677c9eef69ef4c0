/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/overload.h
 * Registration of classes whose methods have overloads.
 *
 *     refl::OverloadObjectDef<VectorObj>()
 *         .def(refl::init<int64_t>())
 *         .def(refl::init<String>())
 *         .def("scale", &VectorObj::ScaleByInt)
 *         .def("scale", &VectorObj::ScaleByFloat);
 *
 * Among overloads of one name, the first that accepts the arguments is called, in the order of
 * registration. Register int before float, because float parameters accept ints as well.
 */
#ifndef TVM_FFI_REFLECTION_OVERLOAD_H_
#define TVM_FFI_REFLECTION_OVERLOAD_H_

#include <tvm/ffi/detail/overloads.h>
#include <tvm/ffi/reflection/registry.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

/** Like ObjectDef, but a name may be used several times, and so may init. */
template <typename Class>
class TVM_FFI_HIDDEN OverloadObjectDef : public ObjectDef<Class> {
  using Base = ObjectDef<Class>;

 public:
  template <typename... Extra>
  TVM_FFI_LOCAL explicit OverloadObjectDef(Extra... extra) : Base(extra...) {}
  TVM_FFI_LOCAL ~OverloadObjectDef() noexcept(false) {
    while (first_ != nullptr) {
      Name *next = first_->next;
      delete first_;
      first_ = next;
    }
  }

  template <typename C, typename T, typename... Extra>
  TVM_FFI_LOCAL OverloadObjectDef &def_ro(const char *name, T C::*field, Extra... extra) {
    Base::def_ro(name, field, extra...);
    return *this;
  }
  template <typename C, typename T, typename... Extra>
  TVM_FFI_LOCAL OverloadObjectDef &def_rw(const char *name, T C::*field, Extra... extra) {
    Base::def_rw(name, field, extra...);
    return *this;
  }
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL OverloadObjectDef &def(const char *name, F &&f, Extra... extra) {
    return DefOverload(name, static_cast<F &&>(f), false, extra...);
  }
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL OverloadObjectDef &def_static(const char *name, F &&f, Extra... extra) {
    return DefOverload(name, static_cast<F &&>(f), true, extra...);
  }
  template <typename... Args, typename... Extra>
  TVM_FFI_LOCAL OverloadObjectDef &def(init<Args...>, Extra... extra) {
    static_assert(std::is_constructible_v<Class, Args...>,
                  "init: there is no such constructor: add one with these parameters to the class, "
                  "or list the types of one that it has");
    const bool is_new = Find(type_attr::kInit) == nullptr;
    DefOverload(type_attr::kInit, detail::InitObject<Class, Args...>(), true, extra...);
    if (is_new) this->SendAttr(type_attr::kInit, Find(type_attr::kInit)->function);
    this->automatic_init_ = false;
    return *this;
  }
  template <typename V>
  TVM_FFI_LOCAL OverloadObjectDef &def_type_attr(const char *name, V &&value) {
    Base::def_type_attr(name, static_cast<V &&>(value));
    return *this;
  }
  template <typename Ref>
  TVM_FFI_LOCAL OverloadObjectDef &def_convert() {
    Base::template def_convert<Ref>();
    return *this;
  }

 private:
  /** The overloads registered under one name; `name` points into the function. */
  struct TVM_FFI_HIDDEN Name {
    Name *next;
    TVMFFIByteArray name;
    ::tvm::ffi::detail::OverloadsObj *overloads;
    Function function;
  };

  TVM_FFI_LOCAL Name *Find(const char *name) const {
    for (Name *each = first_; each != nullptr; each = each->next) {
      if (detail::SameBytes(each->name, ::tvm::ffi::detail::BytesOf(name))) return each;
    }
    return nullptr;
  }
  TVM_FFI_LOCAL Name *FindOrMake(const char *name) {
    if (Name *found = Find(name)) return found;
    ::tvm::ffi::detail::Text full;
    full.Put(Class::_type_key);
    full.Put('.');
    const size_t prefix_size = full.size();
    full.Put(name);
    auto made = make_object<::tvm::ffi::detail::OverloadsObj>(::tvm::ffi::detail::WholeText(full));
    const TVMFFIByteArray kept = made->name();
    first_ = new Name{first_, TVMFFIByteArray{kept.data + prefix_size, kept.size - prefix_size},
                      made.get(), Function(ObjectPtr<FunctionObj>(made))};
    return first_;
  }
  template <typename F, typename... Extra>
  TVM_FFI_LOCAL OverloadObjectDef &DefOverload(const char *name, F &&f, bool is_static,
                                               const Extra &...extra) {
    using Callable = decltype(detail::AsCallable(static_cast<F &&>(f)));
    Name *found = FindOrMake(name);
    found->overloads->Add(detail::AsCallable(static_cast<F &&>(f)));
    this->template SendFunction<Callable>(name, found->function, is_static, extra...);
    return *this;
  }

  Name *first_ = nullptr;
};

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_OVERLOAD_H_
