/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/type_def.h
 * Registration of a field, a method or an attribute of a type: the calls of the runtime that take
 * them, with the extras of reflection/info_trait.h.
 */
#ifndef TVM_FFI_DETAIL_TYPE_DEF_H_
#define TVM_FFI_DETAIL_TYPE_DEF_H_

#include <tvm/ffi/reflection/info_trait.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

namespace detail {

/** Optional details of a field and of a class; info is filled in before the extras are applied. */
struct TVM_FFI_LOCAL FieldExtras : MethodExtras {
  TVMFFIFieldInfo info;
  Any default_value;
};
struct TVM_FFI_LOCAL ClassExtras {
  TVMFFITypeMetadata info;
  bool automatic_init = true;
};

/* Which extras may follow what: one in the wrong place has no overload here. */
TVM_FFI_LOCAL inline void Apply(MethodExtras &extras, const Metadata &metadata) {
  metadata.PutAll(extras.metadata);
}
/* For overload resolution: reflection/info_builder.h has a template for fields. */
TVM_FFI_LOCAL inline void Apply(FieldExtras &extras, const Metadata &metadata) {
  metadata.PutAll(extras.metadata);
}
TVM_FFI_LOCAL inline void Apply(FieldExtras &extras, const FieldFlag &flag) {
  extras.flags = flag.set ? extras.flags | flag.flag : extras.flags & ~flag.flag;
}
TVM_FFI_LOCAL inline void Apply(FieldExtras &extras, const init<> &init) {
  Apply(extras, FieldFlag(kTVMFFIFieldFlagBitMaskInitOff, !init.enabled));
}
TVM_FFI_LOCAL inline void Apply(FieldExtras &extras, const DefaultValue &value) {
  extras.default_value = value.value();
  Apply(extras, FieldFlag(kTVMFFIFieldFlagBitMaskHasDefault, true));
  Apply(extras, FieldFlag(kTVMFFIFieldFlagBitMaskDefaultFromFactory, false));
}
TVM_FFI_LOCAL inline void Apply(FieldExtras &extras, const DefaultFactory &factory) {
  extras.default_value = factory.factory();
  Apply(extras,
        FieldFlag(kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory,
                  true));
}
TVM_FFI_LOCAL inline void Apply(ClassExtras &extras, const char *doc) {
  extras.info.doc = BytesOf(doc);
}
TVM_FFI_LOCAL inline void Apply(ClassExtras &extras, const init<> &init) {
  extras.automatic_init = init.enabled;
}

/* ---- Callbacks of the type table ---- */

/** Getter and setter of a member at any address. */
template <typename T>
struct FieldAccess {
  TVM_FFI_LOCAL static int Get(void *field, TVMFFIAny *result) {
    const T &value = *static_cast<const T *>(field);
    TVM_FFI_DETAIL_TRY {
      WriteResult<const T &>(value, result);
      return 0;
    }
    TVM_FFI_DETAIL_CATCH
  }
  TVM_FFI_LOCAL static int Set(void *field, const TVMFFIAny *value) {
    TVM_FFI_DETAIL_TRY {
      Reader<T> reader;
      const int status = reader.Read(value);
      if (status != kReadOk) {
        RaiseCannotConvert(TypeRecordOf<T>::value, value, status);
        return -1;
      }
      *static_cast<T *>(field) = reader.Take();
      return 0;
    }
    TVM_FFI_DETAIL_CATCH
  }
};

/** What all fields of one C++ type share. */
struct TVM_FFI_TAGGED FieldShape {
  int64_t size;
  int64_t alignment;
  TVMFFIFieldGetter getter;
  TVMFFIFieldSetter setter;
  int32_t static_type_index;
};
template <typename T>
TVM_FFI_LOCAL constexpr int32_t StaticTypeIndexOfField() {
  if constexpr (std::is_same_v<T, Any>) {
    return kTVMFFIAny;
  } else {
    return TypeToFieldStaticTypeIndex<T>::value;
  }
}
template <typename T>
struct FieldShapeOf {
  TVM_FFI_LOCAL static constexpr FieldShape value = {sizeof(T), alignof(T), &FieldAccess<T>::Get,
                                                     &FieldAccess<T>::Set,
                                                     StaticTypeIndexOfField<T>()};
};

template <typename T, typename... Args>
TVM_FFI_LOCAL int CreateObject(TVMFFIObjectHandle *result) {
  TVM_FFI_DETAIL_TRY {
    *result = ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(make_object<T>(Args{}...));
    return 0;
  }
  TVM_FFI_DETAIL_CATCH
}
/** The function that makes a T without arguments, or NULL. */
template <typename T>
TVM_FFI_LOCAL constexpr TVMFFIObjectCreator CreatorOf() {
  if constexpr (std::is_default_constructible_v<T>) {
    return &CreateObject<T>;
  } else if constexpr (std::is_constructible_v<T, UnsafeInit>) {
    return &CreateObject<T, UnsafeInit>;
  } else {
    return nullptr;
  }
}

/** A creator as a callable, for Function::FromTyped. */
struct TVM_FFI_LOCAL NewObject {
  TVMFFIObjectCreator creator;
  TVM_FFI_LOCAL ObjectRef operator()() const {
    TVMFFIObjectHandle made = nullptr;
    CheckSafeCall(creator(&made));
    return ObjectRef(ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(made)));
  }
};
template <typename T>
struct TVM_FFI_LOCAL CopyObject {
  TVM_FFI_LOCAL ObjectRef operator()(const T *self) const {
    return ObjectRef(make_object<T>(*self));
  }
};
template <typename T, typename... Args>
struct TVM_FFI_LOCAL InitObject {
  TVM_FFI_LOCAL ObjectRef operator()(Args... args) const {
    return ObjectRef(make_object<T>(static_cast<Args &&>(args)...));
  }
};

/** Errors: TypeError (value is not a Ref and does not convert to one). */
template <typename Ref>
TVM_FFI_LOCAL Ref FFIConvertFromAnyViewToObjectRef(AnyView value) {
  const TVMFFIAny *source = AnyUnsafe::Data(value);
  Reader<Ref> reader;
  const int status = reader.Read(source);
  if (status == kReadMismatch) {
    Text text;
    text.Put("Cannot cast from `");
    text.Put(TypeKeyOf(source->type_index));
    text.Put("` to `");
    PutRecord(text, TypeRecordOf<Ref>::value);
    text.Put('`');
    RaiseText("TypeError", text);
  }
  if (status == kReadUnfit) RaiseCannotConvert(TypeRecordOf<Ref>::value, source, status);
  if (status != kReadOk) ThrowRaised();
  return reader.Take();
}

/** A hook fn(const Any &...) as a function of the ABI; name is its name in errors. */
template <auto fn, typename Hook>
struct PackedHook;
template <auto fn, typename R, typename... Params>
struct PackedHook<fn, NativeFunctionView<R(Params...)>> {
  TVM_FFI_LOCAL static int Call(void *name, const TVMFFIAny *args, int32_t num_args,
                                TVMFFIAny *result) {
    TVM_FFI_DETAIL_TRY {
      const auto call = [](Params... params) {
        return NativeFunctionView<R(Params...)>::template FromNative<fn>().CallExpected(params...);
      };
      if (Caller<Signature<Expected<R>, Params...>>::Call(call, static_cast<const char *>(name),
                                                          args, num_args, result) != 0) {
        return -1;
      }
    }
    TVM_FFI_DETAIL_CATCH
    if (result->type_index != kTVMFFIError) return 0;
    TVMFFIErrorSetRaised(result->v_obj);
    ObjectUnsafe::DecRefObjectHandle(result->v_obj);
    SetNone(result);
    return -1;
  }
};

/* ---- Sending ---- */

/** The part of ObjectDef and TypeAttrDef that knows the type by its index only. */
class TVM_FFI_LOCAL TypeDef {
 public:
  TypeDef(const TypeDef &) = delete;
  TypeDef &operator=(const TypeDef &) = delete;

 protected:
  TVM_FFI_LOCAL TypeDef(int32_t type_index, const char *type_key)
      : type_index_(type_index), type_key_(type_key) {}
  TVM_FFI_LOCAL ~TypeDef() = default;

  /** Makes a function that errors call `<type key>.<name>`. */
  template <typename F>
  TVM_FFI_LOCAL Function MakeFunction(const char *name, F &&f) const {
    Text full;
    full.Put(type_key_);
    full.Put('.');
    full.Put(name);
    return Function::FromTyped(AsCallable(static_cast<F &&>(f)), WholeText(full));
  }
  /** Registers a value as it is, and anything else as a callable. */
  template <typename V>
  TVM_FFI_LOCAL void SendValue(const char *name, V &&value) const {
    if constexpr (std::is_convertible_v<const std::decay_t<V> &, AnyView>) {
      SendConverted<std::decay_t<V>>(name, value);
    } else {
      SendAttr(name, MakeFunction(name, static_cast<V &&>(value)));
    }
  }
  /** Registers a value, converted as an argument would be. */
  template <typename T>
  TVM_FFI_LOCAL void SendConverted(const char *name, const T &value) const {
    if constexpr (travels_as_copy_v<T>) {
      const Any copy(value);
      SendAttr(name, copy);
    } else {
      SendAttr(name, AnyView(value));
    }
  }
  TVM_FFI_LOCAL_COLD void SendAttr(const char *name, AnyView value) const {
    const TVMFFIByteArray bytes = BytesOf(name);
    CheckSafeCall(TVMFFITypeRegisterAttr(type_index_, &bytes, AnyUnsafe::Data(value)));
  }
  TVM_FFI_LOCAL_COLD static void BeginField(const char *name, int64_t offset,
                                            const FieldShape &shape, TVMFFIFieldInfo *info) {
    info->name = BytesOf(name);
    info->size = shape.size;
    info->alignment = shape.alignment;
    info->offset = offset;
    info->getter = shape.getter;
    info->setter = reinterpret_cast<void *>(shape.setter);
    info->field_static_type_index = shape.static_type_index;
  }
  TVM_FFI_LOCAL_COLD void SendField(FieldExtras &extras) const {
    TVMFFIFieldInfo &info = extras.info;
    extras.metadata.Put('}');
    info.doc = extras.doc;
    info.metadata = WholeText(extras.metadata);
    info.flags = extras.flags;
    info.default_value_or_factory = AnyView(extras.default_value).CopyToTVMFFIAny();
    CheckSafeCall(TVMFFITypeRegisterField(type_index_, &info));
  }
  TVM_FFI_LOCAL_COLD void SendMethod(const char *name, const Function &method, bool is_static,
                                     MethodExtras &extras) const {
    const TVMFFIMethodInfo info =
        MakeMethodInfo(name, method, is_static ? kTVMFFIFieldFlagBitMaskIsStaticMethod : 0, extras);
    CheckSafeCall(TVMFFITypeRegisterMethod(type_index_, &info));
  }
  TVM_FFI_LOCAL_COLD void SendClass(const ClassExtras &extras) const {
    CheckSafeCall(TVMFFITypeRegisterMetadata(type_index_, &extras.info));
  }
  /** Registers what can only follow the fields. Compiled only for users of ObjectDef. */
  template <typename New = NewObject>
  TVM_FFI_LOCAL_COLD void SendEnd(const Function &copy, TVMFFIObjectCreator creator,
                                  bool automatic_init, bool is_final) const {
    if (copy != nullptr) SendAttr(type_attr::kShallowCopy, copy);
    if (creator != nullptr) {
      SendAttr(type_attr::kNew, MakeFunction(type_attr::kNew, New{creator}));
      if (automatic_init) SendAutomaticInit();
    }
    SendAttr(type_attr::kTypeFinal, is_final);
  }

 private:
  /** A runtime without this global function has no automatic constructors. */
  TVM_FFI_LOCAL_COLD void SendAutomaticInit() const {
    const TVMFFIByteArray name = AsByteArray("ffi._RegisterFFIInit");
    TVMFFIObjectHandle make = nullptr;
    CheckSafeCall(TVMFFIFunctionGetGlobal(&name, &make));
    if (make == nullptr) return;
    const Any keep(ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(make)));
    CallGlobal(make, type_index_);
  }

  int32_t type_index_;
  const char *type_key_;
};

}  // namespace detail
}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TYPE_DEF_H_
