/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/structural_mutate_default.h
 * The default mutation: hooks of types, or the fields of a copy. structural_mutate.h includes it.
 */
#ifndef TVM_FFI_DETAIL_STRUCTURAL_MUTATE_DEFAULT_H_
#define TVM_FFI_DETAIL_STRUCTURAL_MUTATE_DEFAULT_H_

#include <tvm/ffi/extra/structural_mutate.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_LOCAL inline const TVMFFITypeAttrColumn *structural_mutate_column = nullptr;
TVM_FFI_LOCAL inline const TVMFFITypeAttrColumn *structural_inplace_column = nullptr;
TVM_FFI_LOCAL inline const TVMFFITypeAttrColumn *shallow_copy_column = nullptr;

/** [lend] NULL when the type has none. */
TVM_FFI_LOCAL_INLINE const TVMFFIAny *FindMutateHook(int32_t type_index, InplaceMode mode) {
  if (mode == InplaceMode::kAllow) {
    const TVMFFIAny *hook = FindTypeAttr(&structural_inplace_column,
                                         type_attr::kStructuralMaybeInplaceMutate.name, type_index);
    if (hook != nullptr &&
        (hook->type_index == kTVMFFIOpaquePtr || hook->type_index == kTVMFFIFunction)) {
      return hook;
    }
  }
  return FindTypeAttr(&structural_mutate_column, type_attr::kStructuralMutate.name, type_index);
}

/** An owned copy of a value that is not an object. */
TVM_FFI_LOCAL_INLINE Any OwnPlainValue(AnyView value) {
  const TVMFFIAny *data = AnyUnsafe::Data(value);
  Any owned;
  if (data->type_index < kTVMFFIDLTensorPtr || data->type_index > kTVMFFIObjectRValueRef) {
    return AnyUnsafe::MoveTVMFFIAnyRawToAny(*data);
  }
  if (TVMFFIAnyViewToOwnedAny(data, AnyUnsafe::Slot(&owned)) != 0) return RaisedOutcome();
  return owned;
}

/** A copy whose fields may be set, or an Error. */
TVM_FFI_LOCAL inline Any CopyToMutate(AnyView value) {
  const TVMFFIAny *copy =
      FindTypeAttr(&shallow_copy_column, reflection::type_attr::kShallowCopy, value.type_index());
  Any made;
  if (copy == nullptr || copy->type_index != kTVMFFIFunction) {
    return TypeErrorOutcome("__ffi_shallow_copy__ must be an ffi.Function");
  }
  if (reflection::detail::CallFunctionObject(copy->v_obj, AnyUnsafe::Data(value), 1, &made) != 0) {
    return RaisedOutcome();
  }
  if (made.type_index() != value.type_index() || AnyView(made).same_as(value)) {
    return TypeErrorOutcome(
        "Shallow copy callback must return a distinct object with the same type as its input");
  }
  return made;
}

TVM_FFI_LOCAL_COLD Any CannotSet(const TVMFFITypeInfo *type, const TVMFFIFieldInfo *field) {
  Text text;
  text.Put("Cannot structurally mutate field `");
  text.Put(field->name);
  text.Put("` of type `");
  text.Put(type->type_key);
  text.Put("` because it does not define a setter");
  RaiseText("TypeError", text);
  return RaisedOutcome();
}
/** None, or the Error of the setter. */
TVM_FFI_LOCAL inline Any SetMutated(const TVMFFITypeInfo *type, const Object *object,
                                    const TVMFFIFieldInfo *field, const Any &value) {
  if (field->setter == nullptr) return CannotSet(type, field);
  if (reflection::CallFieldSetter(field, reflection::detail::FieldAddress(object, *field),
                                  AnyUnsafe::TVMFFIAnyPtrFromAny(value)) != 0) {
    return RaisedOutcome();
  }
  return Any();
}

}  // namespace detail

TVM_FFI_LOCAL inline Any StructuralMutatorObj::DefaultMutate(AnyView value,
                                                             InplaceMode inplace_mode) noexcept {
  const TVMFFIAny *hook = detail::FindMutateHook(value.type_index(), inplace_mode);
  if (hook == nullptr) {
    return value.type_index() < kTVMFFIStaticObjectBegin ? detail::OwnPlainValue(value)
                                                         : MutateObject(value);
  }
  if (hook->type_index == kTVMFFIOpaquePtr) {
    return detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(
        reinterpret_cast<FStructuralMutateABI>(hook->v_ptr)(this, value));
  }
  if (hook->type_index != kTVMFFIFunction) {
    return detail::TypeErrorOutcome("__s_mutate__ must be a direct hook pointer or ffi.Function");
  }
  return detail::CallHookFunction<Any>(hook, this, value);
}

/** Variables and nodes of graphs are recorded, so that each is mutated once. */
TVM_FFI_LOCAL inline Any StructuralMutatorObj::MutateObject(AnyView value) noexcept {
  const TVMFFITypeInfo *type = TVMFFIGetTypeInfo(value.type_index());
  const TVMFFISEqHashKind kind = detail::StructuralKindOf(type);
  const bool is_var = kind == kTVMFFISEqHashKindFreeVar;
  if (!is_var && kind != kTVMFFISEqHashKindDAGNode) return MutateFields(type, value);
  Any known = detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(vtable_->var_remap_get(this, value));
  if (known != nullptr) return known;
  if (is_var && def_region_mode_ == kTVMFFIDefRegionKindNone) return Unchanged();
  Any outcome = MutateFields(type, value);
  const bool is_kept = outcome.type_index() == kTVMFFIUnchanged;
  if (detail::IsError(outcome) ||
      (is_var && is_kept && def_region_mode_ != kTVMFFIDefRegionKindPattern)) {
    return outcome;
  }
  const Any done =
      detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(vtable_->var_remap_set(this, value, outcome));
  if (detail::IsError(done)) return done;
  return outcome;
}

TVM_FFI_LOCAL inline Any StructuralMutatorObj::MutateFields(const TVMFFITypeInfo *type,
                                                            AnyView value) noexcept {
  Any copy = detail::CopyToMutate(value);
  if (detail::IsError(copy)) return copy;
  const Object *object = detail::AnyUnsafe::RawObjectPtrFromAnyAfterCheck(copy);
  bool is_changed = false;
  Any error =
      detail::StepThroughFields(type, object, &def_region_mode_,
                                [&](const TVMFFIFieldInfo *field, AnyView child, Any *outcome) {
                                  const TVMFFIAny raw = vtable_->mutate(this, child);
                                  if (raw.type_index == kTVMFFIUnchanged) return false;
                                  Any given = detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(raw);
                                  if (AnyView(given).same_as(child)) return false;
                                  if (!detail::IsError(given))
                                    given = detail::SetMutated(type, object, field, given);
                                  is_changed = true;
                                  if (given == nullptr) return false;
                                  *outcome = std::move(given);
                                  return true;
                                });
  if (error != nullptr) return error;
  if (!is_changed) return Unchanged();
  return copy;
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_STRUCTURAL_MUTATE_DEFAULT_H_
