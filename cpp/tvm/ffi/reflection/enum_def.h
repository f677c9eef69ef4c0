/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/enum_def.h
 * Adding members to enums.
 *
 *     refl::ObjectDef<ColorObj>(refl::init(false));
 *     refl::EnumDef<ColorObj>("red").set_attr("rgb", 0xff0000);
 *     refl::EnumDef<ColorObj>("green").set_attr("rgb", 0x00ff00);
 */
#ifndef TVM_FFI_REFLECTION_ENUM_DEF_H_
#define TVM_FFI_REFLECTION_ENUM_DEF_H_

#include <tvm/ffi/enum.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {
namespace detail {

using namespace ::tvm::ffi::detail;

/** The state of an enum, if there is one. Errors: TypeError (something else is there). */
TVM_FFI_LOCAL inline std::optional<EnumState> GetEnumState(int32_t type_index) {
  const TVMFFIAny *found = FindEnumState(type_index);
  if (found == nullptr) return std::nullopt;
  const AnyView state = AnyView::CopyFromTVMFFIAny(*found);
  if (!TypeTraits<EnumState>::CheckAnyStrict(found)) {
    {
      Text text;
      text.Put("Expected `ffi.EnumState` in enum state column, but got `");
      text.Put(TypeKeyOf(found->type_index));
      text.Put('`');
      RaiseText("TypeError", text);
    }
    ThrowRaised();
  }
  return state.as_or_throw<EnumState>();
}
TVM_FFI_LOCAL inline EnumState GetOrMakeEnumState(int32_t type_index) {
  if (std::optional<EnumState> found = GetEnumState(type_index)) return *std::move(found);
  const TVMFFIByteArray name = BytesOf(::tvm::ffi::type_attr::kEnumState.name);
  const Any made(make_object<EnumStateObj>());
  CheckSafeCall(TVMFFITypeRegisterAttr(type_index, &name, AnyUnsafe::TVMFFIAnyPtrFromAny(made)));
  return made.as_or_throw<EnumState>();
}

/** The part of EnumDef that knows the enum only by its index. */
class TVM_FFI_LOCAL EnumDefBase {
 protected:
  TVM_FFI_LOCAL explicit EnumDefBase(int32_t type_index) : state_(GetOrMakeEnumState(type_index)) {}
  TVM_FFI_LOCAL ~EnumDefBase() = default;

  /** Errors: ValueError (a member already has that number or name). */
  TVM_FFI_LOCAL void Add(const ObjectPtr<EnumObj> &member) {
    if (state_->indexes.count(member->_int_index) != 0 ||
        state_->indexes.count(member->_str_index) != 0) {
      ThrowNames("ValueError", "Duplicate enum index for type `", TypeKeyOf(member->type_index()),
                 "`", TVMFFIByteArray{"", 0}, "");
    }
    member_ = ObjectRef(member);
    List<ObjectRef>(state_->entries).push_back(member_);
    Dict<Any, ObjectRef> indexes = state_->indexes;
    indexes.Set(member->_int_index, member_);
    indexes.Set(member->_str_index, member_);
  }
  TVM_FFI_LOCAL void SetAttr(const String &name, Any value) {
    std::optional<Dict<ObjectRef, Any>> column = state_->attrs.Get(name);
    if (!column.has_value()) {
      column = Dict<ObjectRef, Any>();
      Dict<String, Dict<ObjectRef, Any>>(state_->attrs).Set(name, *column);
    }
    column->Set(member_, std::move(value));
  }
  TVM_FFI_LOCAL int64_t num_members() const { return static_cast<int64_t>(state_->entries.size()); }

 private:
  EnumState state_;
  ObjectRef member_;
};

}  // namespace detail

/** Adds one member and its attributes. Members live as long as the process. */
template <typename EnumT>
class TVM_FFI_HIDDEN EnumDef : public detail::EnumDefBase {
  static_assert(std::is_base_of_v<EnumObj, EnumT>,
                "EnumDef adds members to classes that derive from EnumObj: derive the class from "
                "EnumObj or IntEnumObj");
  TVM_FFI_LOCAL static constexpr bool kIsInt = std::is_base_of_v<IntEnumObj, EnumT>;

 public:
  /** The member gets the next number. Errors: ValueError (the name is taken). */
  TVM_FFI_LOCAL explicit EnumDef(const char *name)
      : EnumDefBase(EnumT::_GetOrAllocRuntimeTypeIndex()) {
    static_assert(!kIsInt, "a member of an IntEnum has a number: EnumDef<T>(name, number)");
    AddMember(num_members(), name);
  }
  /** Errors: ValueError (the name or the number is taken). */
  TVM_FFI_LOCAL EnumDef(const char *name, int64_t value)
      : EnumDefBase(EnumT::_GetOrAllocRuntimeTypeIndex()) {
    static_assert(kIsInt, "only members of an IntEnum have a number: EnumDef<T>(name)");
    AddMember(value, name);
  }

  /** Sets an attribute, replacing any earlier value. */
  template <typename V>
  TVM_FFI_LOCAL EnumDef &set_attr(const char *name, V &&value) {
    SetAttr(name, Any(static_cast<V &&>(value)));
    return *this;
  }
  /** The value is converted to the type of the key. */
  template <typename T, typename V>
  TVM_FFI_LOCAL EnumDef &set_attr(const AttrKey<T> &key, V &&value) {
    SetAttr(key.name, Any(T(static_cast<V &&>(value))));
    return *this;
  }
  /** A C++ function, for a key that takes native ones: it returns an R or an Expected<R>. */
  template <auto fn, typename F>
  TVM_FFI_LOCAL EnumDef &set_native_fn_attr(const AttrKey<NativeFunctionView<F>> &key) {
    SetAttr(key.name, Any(NativeFunctionView<F>::template FromNative<fn>()));
    return *this;
  }

  /** Whether the enum has a member of that name. */
  TVM_FFI_LOCAL static bool IsDefined(const String &name) {
    const std::optional<EnumState> state =
        detail::GetEnumState(EnumT::_GetOrAllocRuntimeTypeIndex());
    return state.has_value() && (*state)->indexes.count(name) != 0;
  }

 private:
  TVM_FFI_LOCAL void AddMember(int64_t number, const char *name) {
    ObjectPtr<EnumT> member = make_object<EnumT>();
    member->_int_index = number;
    member->_str_index = name;
    Add(member);
  }
};

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_ENUM_DEF_H_
