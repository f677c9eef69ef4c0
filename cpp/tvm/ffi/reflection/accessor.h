/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/accessor.h
 * Access by name to types: their fields, methods and attributes.
 *
 *     FieldGetter weight("my.Layer", "weight");
 *     Any value = weight(layer);
 *
 * All of it reads the type table of the runtime. The results of GetFieldInfo and GetMethodInfo
 * become invalid when more is registered for that type: do not keep them.
 */
#ifndef TVM_FFI_REFLECTION_ACCESSOR_H_
#define TVM_FFI_REFLECTION_ACCESSOR_H_

#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/attr_key.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/string.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

/* ---- Names of attributes ---- */

/** The names alone, as code written for headers up to 0.1.14 expects them. */
namespace type_attr {
TVM_FFI_LOCAL inline constexpr const char *kNew = "__ffi_new__";
TVM_FFI_LOCAL inline constexpr const char *kInit = "__ffi_init__";
TVM_FFI_LOCAL inline constexpr const char *kConvert = "__ffi_convert__";
TVM_FFI_LOCAL inline constexpr const char *kConvertTypeSchema = "__ffi_convert_type_schema__";
TVM_FFI_LOCAL inline constexpr const char *kShallowCopy = "__ffi_shallow_copy__";
TVM_FFI_LOCAL inline constexpr const char *kTypeFinal = "__ffi_type_final__";
TVM_FFI_LOCAL inline constexpr const char *kAnyHash = "__any_hash__";
TVM_FFI_LOCAL inline constexpr const char *kAnyEqual = "__any_equal__";
TVM_FFI_LOCAL inline constexpr const char *kRepr = "__ffi_repr__";
TVM_FFI_LOCAL inline constexpr const char *kHash = "__ffi_hash__";
TVM_FFI_LOCAL inline constexpr const char *kEq = "__ffi_eq__";
TVM_FFI_LOCAL inline constexpr const char *kCompare = "__ffi_compare__";
TVM_FFI_LOCAL inline constexpr const char *kSEqual = "__s_equal__";
TVM_FFI_LOCAL inline constexpr const char *kSHash = "__s_hash__";
TVM_FFI_LOCAL inline constexpr const char *kDataToJson = "__data_to_json__";
TVM_FFI_LOCAL inline constexpr const char *kDataFromJson = "__data_from_json__";
}  // namespace type_attr

}  // namespace reflection

/** The names with the types of their values; others are in dataclass.h, serialization.h and
 * structural_*.h. */
namespace type_attr {
/** Makes an object without setting its fields. */
TVM_FFI_LOCAL inline constexpr AttrKey<TypedFunction<ObjectRef()>> kNew{"__ffi_new__"};
/** The constructor. */
TVM_FFI_LOCAL inline constexpr AttrKey<Function> kInit{"__ffi_init__"};
/** Converts another value that a parameter of this type accepts to one of its objects. */
TVM_FFI_LOCAL inline constexpr AttrKey<TypedFunction<Any(AnyView)>> kConvert{"__ffi_convert__"};
TVM_FFI_LOCAL inline constexpr AttrKey<Any> kConvertTypeSchema{"__ffi_convert_type_schema__"};
TVM_FFI_LOCAL inline constexpr AttrKey<TypedFunction<ObjectRef(const Object *)>> kShallowCopy{
    "__ffi_shallow_copy__"};
TVM_FFI_LOCAL inline constexpr AttrKey<bool> kTypeFinal{"__ffi_type_final__"};
/** Hash and equality of objects that are keys of a Map; see any_hash.h. */
TVM_FFI_LOCAL inline constexpr AttrKey<reflection::NativeFunctionView<int64_t(const Any &)>>
    kAnyHash{"__any_hash__"};
TVM_FFI_LOCAL inline constexpr AttrKey<
    reflection::NativeFunctionView<bool(const Any &, const Any &)>>
    kAnyEqual{"__any_equal__"};
}  // namespace type_attr

namespace reflection {

/** [borrow] */
TVM_FFI_LOCAL inline TVMFFIByteArray AsByteArray(const char *text) {
  return ::tvm::ffi::detail::BytesOf(text);
}

namespace detail {

/** The name of an attribute, given as text or as an AttrKey. */
template <typename Name>
TVM_FFI_LOCAL TVMFFIByteArray AttrName(const Name &name) {
  return BytesOf(name);
}
template <typename T>
TVM_FFI_LOCAL TVMFFIByteArray AttrName(const AttrKey<T> &key) {
  return BytesOf(key.name);
}

TVM_FFI_LOCAL inline bool SameBytes(const TVMFFIByteArray &a, const TVMFFIByteArray &b) {
  return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
}

/** [lend] Errors: InternalError (no such type). */
TVM_FFI_LOCAL inline const TVMFFITypeInfo *TypeInfoOf(TVMFFIByteArray type_key) {
  int32_t index = 0;
  CheckSafeCall(TVMFFITypeKeyToIndex(&type_key, &index));
  return TVMFFIGetTypeInfo(index);
}

/** Throws `<before><a><between><b><after>`. */
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowNames(const char *kind, const char *before,
                                                TVMFFIByteArray a, const char *between,
                                                TVMFFIByteArray b, const char *after) {
  {
    Text text;
    text.Put(before);
    text.Put(a);
    text.Put(between);
    text.Put(b);
    text.Put(after);
    RaiseText(kind, text);
  }
  ThrowRaised();
}

/** The item with this name, or NULL. */
template <typename Info>
TVM_FFI_LOCAL const Info *FindByName(const Info *items, int32_t size, TVMFFIByteArray name) {
  for (int32_t i = 0; i < size; ++i) {
    if (SameBytes(items[i].name, name)) return &items[i];
  }
  return nullptr;
}

TVM_FFI_LOCAL_COLD const TVMFFIFieldInfo *RequireField(TVMFFIByteArray key, TVMFFIByteArray name) {
  const TVMFFITypeInfo *type = TypeInfoOf(key);
  const TVMFFIFieldInfo *field = FindByName(type->fields, type->num_fields, name);
  if (field == nullptr) {
    ThrowNames("RuntimeError", "Cannot find field  `", name, "` in ", type->type_key, "");
  }
  return field;
}
TVM_FFI_LOCAL_COLD const TVMFFIMethodInfo *RequireMethod(TVMFFIByteArray key,
                                                         TVMFFIByteArray name) {
  const TVMFFITypeInfo *type = TypeInfoOf(key);
  const TVMFFIMethodInfo *method = FindByName(type->methods, type->num_methods, name);
  if (method == nullptr) {
    ThrowNames("RuntimeError", "Cannot find method ", name, " in ", type->type_key, "");
  }
  return method;
}

/** The address of an object's field. */
TVM_FFI_LOCAL_INLINE void *FieldAddress(const Object *object, const TVMFFIFieldInfo &field) {
  return reinterpret_cast<char *>(ObjectUnsafe::GetHeader(object)) + field.offset;
}

/** Calls a Function; returns its code, with the result left in *result. */
TVM_FFI_LOCAL inline int CallFunctionObject(void *function, const TVMFFIAny *args, int32_t num_args,
                                            Any *result) {
  return TVMFFIFunctionGetCellPtr(function)->safe_call(function, args, num_args,
                                                       AnyUnsafe::Slot(result));
}

}  // namespace detail

/* ---- Fields ---- */

/** The offset of a member from the header of its object. */
template <typename Class, typename T>
TVM_FFI_LOCAL int64_t GetFieldByteOffsetToObject(T Class::*field) {
  // Computed from a made-up address, which is not read; sanitizers object to null.
  Class *const object = reinterpret_cast<Class *>(uintptr_t{1} << 16);
  return static_cast<int64_t>(
      reinterpret_cast<uintptr_t>(&(object->*field)) -
      reinterpret_cast<uintptr_t>(::tvm::ffi::detail::ObjectUnsafe::GetHeader(object)));
}

/** [lend] A field of the type itself, not of its parents. Errors: RuntimeError (no such field). */
template <typename Key, typename Name>
TVM_FFI_LOCAL const TVMFFIFieldInfo *GetFieldInfo(const Key &type_key, const Name &name) {
  return detail::RequireField(detail::BytesOf(type_key), detail::BytesOf(name));
}

/** Sets the field at this address. Returns 0, or -1 with an error raised. */
TVM_FFI_LOCAL inline int CallFieldSetter(const TVMFFIFieldInfo *field, void *address,
                                         const TVMFFIAny *value) {
  if (field->setter == nullptr) {
    ::tvm::ffi::detail::Text text;
    text.Put("Field `");
    text.Put(field->name);
    text.Put("` cannot be set: it has no setter");
    return ::tvm::ffi::detail::RaiseText("TypeError", text);
  }
  if ((field->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0) {
    TVMFFIAny args[2];
    Any result;
    ::tvm::ffi::detail::SetPointer(&args[0], kTVMFFIOpaquePtr, address);
    args[1] = *value;
    return detail::CallFunctionObject(field->setter, args, 2, &result);
  }
  return reinterpret_cast<TVMFFIFieldSetter>(field->setter)(address, value);
}

/** The same with the default value, which a factory may make. */
TVM_FFI_LOCAL inline int CallFieldSetterToDefault(const TVMFFIFieldInfo *field, void *address) {
  const TVMFFIAny *value = &field->default_value_or_factory;
  Any made;
  if ((field->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) != 0) {
    if (value->type_index != kTVMFFIFunction) return ::tvm::ffi::detail::RaiseNullCall();
    if (detail::CallFunctionObject(value->v_obj, nullptr, 0, &made) != 0) return -1;
    value = ::tvm::ffi::detail::AnyUnsafe::TVMFFIAnyPtrFromAny(made);
  }
  return CallFieldSetter(field, address, value);
}
/** Throws the error that the setter or the factory raised. */
TVM_FFI_LOCAL inline void SetFieldToDefault(const TVMFFIFieldInfo *field, void *address) {
  ::tvm::ffi::detail::CheckSafeCall(CallFieldSetterToDefault(field, address));
}

/** Reads one field of objects. */
class FieldGetter {
 public:
  TVM_FFI_LOCAL explicit FieldGetter(const TVMFFIFieldInfo *field)
      : offset_(field->offset), getter_(field->getter) {}
  /** Errors: RuntimeError (no such field). */
  template <typename Key, typename Name>
  TVM_FFI_LOCAL FieldGetter(const Key &type_key, const Name &name)
      : FieldGetter(GetFieldInfo(type_key, name)) {}

  TVM_FFI_LOCAL Any operator()(const Object *object) const {
    Any value;
    ::tvm::ffi::detail::CheckSafeCall(getter_(
        reinterpret_cast<char *>(::tvm::ffi::detail::ObjectUnsafe::GetHeader(object)) + offset_,
        ::tvm::ffi::detail::AnyUnsafe::Slot(&value)));
    return value;
  }
  TVM_FFI_LOCAL Any operator()(const ObjectPtr<Object> &object) const {
    return operator()(object.get());
  }
  TVM_FFI_LOCAL Any operator()(const ObjectRef &object) const { return operator()(object.get()); }

 private:
  int64_t offset_;
  TVMFFIFieldGetter getter_;
};

/** Sets one field, even if it is not registered as writable. */
class FieldSetter {
 public:
  TVM_FFI_LOCAL explicit FieldSetter(const TVMFFIFieldInfo *field) : field_(*field) {}
  /** Errors: RuntimeError (no such field). */
  template <typename Key, typename Name>
  TVM_FFI_LOCAL FieldSetter(const Key &type_key, const Name &name)
      : FieldSetter(GetFieldInfo(type_key, name)) {}

  /** Throws the error that the setter raised. */
  TVM_FFI_LOCAL void operator()(const Object *object, AnyView value) const {
    const TVMFFIAny view = value.CopyToTVMFFIAny();
    ::tvm::ffi::detail::CheckSafeCall(
        CallFieldSetter(&field_, detail::FieldAddress(object, field_), &view));
  }
  TVM_FFI_LOCAL void operator()(const ObjectPtr<Object> &object, AnyView value) const {
    operator()(object.get(), value);
  }
  TVM_FFI_LOCAL void operator()(const ObjectRef &object, AnyView value) const {
    operator()(object.get(), value);
  }

 private:
  TVMFFIFieldInfo field_;
};

/** Calls f for each field, ancestors' first, until it returns true. Returns whether it did. */
template <typename F>
TVM_FFI_LOCAL bool ForEachFieldInfoWithEarlyStop(const TVMFFITypeInfo *type, F &&f) {
  for (int32_t depth = 0; depth <= type->type_depth; ++depth) {
    const TVMFFITypeInfo *each = depth < type->type_depth ? type->type_ancestors[depth] : type;
    for (int32_t i = 0; i < each->num_fields; ++i) {
      if (f(&each->fields[i])) return true;
    }
  }
  return false;
}
template <typename F>
TVM_FFI_LOCAL void ForEachFieldInfo(const TVMFFITypeInfo *type, F &&f) {
  ForEachFieldInfoWithEarlyStop(type, [&f](const TVMFFIFieldInfo *field) {
    f(field);
    return false;
  });
}

/* ---- Methods and attributes ---- */

/** [lend] A method of the type itself. Errors: RuntimeError (no such method). */
template <typename Key, typename Name>
TVM_FFI_LOCAL const TVMFFIMethodInfo *GetMethodInfo(const Key &type_key, const Name &name) {
  return detail::RequireMethod(detail::BytesOf(type_key), detail::BytesOf(name));
}
template <typename Key, typename Name>
TVM_FFI_LOCAL Function GetMethod(const Key &type_key, const Name &name) {
  return AnyView::CopyFromTVMFFIAny(GetMethodInfo(type_key, name)->method)
      .template cast<Function>();
}

/** The column of one attribute for all types. */
class TypeAttrColumn {
 public:
  /** Errors: RuntimeError (no type has it). */
  template <typename Name>
  TVM_FFI_LOCAL explicit TypeAttrColumn(const Name &name) : column_(Find(detail::AttrName(name))) {}

  /** [lend] None if the type does not have the attribute. */
  TVM_FFI_LOCAL AnyView operator[](int32_t type_index) const {
    const int64_t i = static_cast<int64_t>(type_index) - column_->begin_index;
    return i >= 0 && i < column_->size ? AnyView::CopyFromTVMFFIAny(column_->data[i]) : AnyView();
  }

 private:
  TVM_FFI_LOCAL_COLD static const TVMFFITypeAttrColumn *Find(TVMFFIByteArray name) {
    const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&name);
    if (column == nullptr) {
      detail::ThrowNames("RuntimeError", "Cannot find type attribute ", name, "",
                         TVMFFIByteArray{"", 0}, "");
    }
    return column;
  }

  const TVMFFITypeAttrColumn *column_;
};

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_ACCESSOR_H_
