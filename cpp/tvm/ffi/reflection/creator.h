/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/creator.h
 * Creation of objects of types that are known by name.
 *
 *     ObjectCreator layer("my.Layer");
 *     Any made = layer(Map<String, Any>{{"name", "dense"}, {"width", 128}});
 */
#ifndef TVM_FFI_REFLECTION_CREATOR_H_
#define TVM_FFI_REFLECTION_CREATOR_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {
namespace detail {

/** [lend] The function that creates objects of a type without a creator, or NULL. */
TVM_FFI_LOCAL inline TVMFFIObject *FindNew(const TVMFFITypeInfo *type) {
  const TVMFFIByteArray name = BytesOf(::tvm::ffi::type_attr::kNew.name);
  const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&name);
  const int64_t i = column != nullptr ? int64_t{type->type_index} - column->begin_index : -1;
  if (i < 0 || i >= column->size || column->data[i].type_index != kTVMFFIFunction) return nullptr;
  return column->data[i].v_obj;
}

}  // namespace detail
}  // namespace reflection

/** Whether CreateEmptyObject can create objects of a type. */
TVM_FFI_LOCAL inline bool HasCreator(const TVMFFITypeInfo *type) {
  return (type->metadata != nullptr && type->metadata->creator != nullptr) ||
         reflection::detail::FindNew(type) != nullptr;
}

/**
 * An object as its default constructor leaves it. Errors: RuntimeError (there is none), TypeError
 * (the function that replaces it returned something else).
 */
TVM_FFI_LOCAL inline ObjectPtr<Object> CreateEmptyObject(const TVMFFITypeInfo *type) {
  TVMFFIObject *make;
  if (type->metadata != nullptr && type->metadata->creator != nullptr) {
    TVMFFIObjectHandle made = nullptr;
    detail::CheckSafeCall(type->metadata->creator(&made));
    return detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(made));
  }
  make = reflection::detail::FindNew(type);
  if (make == nullptr) {
    reflection::detail::ThrowNames("RuntimeError", "Type `", type->type_key,
                                   "` does not support reflection creation (no native creator or ",
                                   detail::BytesOf(reflection::type_attr::kNew), " type attr)");
  }
  Any made;
  detail::CheckSafeCall(reflection::detail::CallFunctionObject(make, nullptr, 0, &made));
  // Fields are set by offset, so the object must be of this type or a subtype.
  if (made.type_index() < kTVMFFIStaticObjectBegin ||
      (made.type_index() != type->type_index &&
       !detail::HasAncestor(made.type_index(), type->type_depth, type->type_index))) {
    reflection::detail::ThrowNames("TypeError", "__ffi_new__ of `", type->type_key, "` gave `",
                                   detail::TypeKeyOf(made.type_index()), "`");
  }
  return std::move(made).cast<ObjectPtr<Object>>();
}

namespace reflection {

/** Creates objects of one type. */
class ObjectCreator {
 public:
  /** Errors: RuntimeError (objects of this type cannot be made without arguments). */
  TVM_FFI_LOCAL explicit ObjectCreator(const TVMFFITypeInfo *type) : type_(type) {
    if (!HasCreator(type)) {
      detail::ThrowNames("RuntimeError", "Type `", type->type_key,
                         "` does not support default constructor, as a result cannot be created "
                         "via reflection",
                         TVMFFIByteArray{"", 0}, "");
    }
  }
  template <typename Key, typename = decltype(detail::BytesOf(std::declval<const Key &>()))>
  TVM_FFI_LOCAL explicit ObjectCreator(const Key &type_key)
      : ObjectCreator(detail::TypeInfoOf(detail::BytesOf(type_key))) {}

  /**
   * Fields that are not given get their default. Errors: TypeError (one has none, or the type has
   * no field of that name), and those of setters and factories.
   */
  template <typename Dependent = void>
  TVM_FFI_LOCAL Any
  operator()(const typename ::tvm::ffi::detail::DependOn<Map<String, Any>, Dependent>::type &fields)
      const {
    const ObjectPtr<Object> object = CreateEmptyObject(type_);
    ForEachFieldInfo(type_,
                     [&](const TVMFFIFieldInfo *field) { SetField(object.get(), field, fields); });
    CheckNames(fields);
    return object;
  }

 private:
  template <typename Fields>
  TVM_FFI_LOCAL void SetField(const Object *object, const TVMFFIFieldInfo *field,
                              const Fields &fields) const {
    void *address = detail::FieldAddress(object, *field);
    if (const std::optional<Any> given = fields.Get(String(field->name))) {
      const TVMFFIAny view = AnyView(*given).CopyToTVMFFIAny();
      detail::CheckSafeCall(CallFieldSetter(field, address, &view));
    } else if ((field->flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0) {
      SetFieldToDefault(field, address);
    } else {
      detail::ThrowNames("TypeError", "Required field `", field->name, "` not set in type `",
                         type_->type_key, "`");
    }
  }
  /** Throws unless the type has a field for each name. */
  TVM_FFI_LOCAL void CheckNames(const Map<String, Any> &fields) const {
    for (const std::pair<String, Any> &given : fields) {
      const TVMFFIByteArray name = detail::BytesOf(given.first);
      if (!ForEachFieldInfoWithEarlyStop(type_, [&name](const TVMFFIFieldInfo *field) {
            return detail::SameBytes(field->name, name);
          })) {
        detail::ThrowNames("TypeError", "Type `", type_->type_key, "` does not have field `", name,
                           "`");
      }
    }
  }

  const TVMFFITypeInfo *type_;
};

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_CREATOR_H_
