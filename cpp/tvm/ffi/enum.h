/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/enum.h
 * Enums whose members are objects, each of them unique and shared by all languages of a process. A
 * class that derives from EnumObj, IntEnumObj or StrEnumObj is an enum; reflection/enum_def.h or
 * Python adds its members.
 *
 *     class ColorObj : public EnumObj {
 *      public:
 *       TVM_FFI_DECLARE_OBJECT_INFO_FINAL("my.Color", ColorObj, EnumObj);
 *     };
 *     Enum red = EnumObj::_GetByStrIndex<ColorObj>("red");
 */
#ifndef TVM_FFI_ENUM_H_
#define TVM_FFI_ENUM_H_

#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/detail/lazy_type_index.h>
#include <tvm/ffi/reflection/accessor.h>

TVM_FFI_NAMESPACE_BEGIN

class Enum;

/** A member of an enum. */
class EnumObj : public Object {
 public:
  /** The member's number: its value in an IntEnum, otherwise its position among the members. */
  int64_t _int_index = 0;
  /** Its name, which in a StrEnum is also its value. */
  String _str_index;

  TVM_FFI_LOCAL EnumObj() = default;
  TVM_FFI_LOCAL EnumObj(int64_t int_index, String str_index)
      : _int_index(int_index), _str_index(std::move(str_index)) {}
  TVM_FFI_LOCAL_INLINE EnumObj(const EnumObj &) = default;
  TVM_FFI_LOCAL_INLINE ~EnumObj() = default;

  /** Find a member of an enum. Errors: ValueError (no such member). */
  TVM_FFI_LOCAL static Enum _GetByIntIndex(int32_t type_index, int64_t int_index);
  TVM_FFI_LOCAL static Enum _GetByStrIndex(int32_t type_index, const String &str_index);
  template <typename T>
  TVM_FFI_LOCAL static Enum _GetByIntIndex(int64_t int_index);
  template <typename T>
  TVM_FFI_LOCAL static Enum _GetByStrIndex(const String &str_index);

  TVM_FFI_LOCAL static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind =
      kTVMFFISEqHashKindUniqueInstance;
  TVM_FFI_DETAIL_LAZY_TYPE("ffi.Enum", EnumObj, Object);
};

class Enum : public ObjectRef {
 public:
  TVM_FFI_LOCAL_INLINE ~Enum() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Enum, ObjectRef, EnumObj);
};

/** An enum member with a number as its value. */
class IntEnumObj : public EnumObj {
 public:
  TVM_FFI_LOCAL IntEnumObj() = default;
  using EnumObj::EnumObj;
  TVM_FFI_LOCAL_INLINE IntEnumObj(const IntEnumObj &) = default;
  TVM_FFI_LOCAL_INLINE ~IntEnumObj() = default;
  TVM_FFI_DETAIL_LAZY_TYPE("ffi.IntEnum", IntEnumObj, EnumObj);
};

class IntEnum : public Enum {
 public:
  TVM_FFI_LOCAL_INLINE ~IntEnum() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(IntEnum, Enum, IntEnumObj);
};

/** An enum member with a text as its value. */
class StrEnumObj : public EnumObj {
 public:
  TVM_FFI_LOCAL StrEnumObj() = default;
  using EnumObj::EnumObj;
  TVM_FFI_LOCAL_INLINE StrEnumObj(const StrEnumObj &) = default;
  TVM_FFI_LOCAL_INLINE ~StrEnumObj() = default;
  TVM_FFI_DETAIL_LAZY_TYPE("ffi.StrEnum", StrEnumObj, EnumObj);
};

class StrEnum : public Enum {
 public:
  TVM_FFI_LOCAL_INLINE ~StrEnum() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StrEnum, Enum, StrEnumObj);
};

/** The state of an enum, stored as an attribute of its type. */
class EnumStateObj : public Object {
 public:
  /** The members, in the order in which they were added. */
  List<ObjectRef> entries;
  /** The members by number and by name. */
  Dict<Any, ObjectRef> indexes;
  /** The attributes of members, by name and then by member. */
  Dict<String, Dict<ObjectRef, Any>> attrs;

  TVM_FFI_LOCAL EnumStateObj() = default;
  TVM_FFI_LOCAL_INLINE EnumStateObj(const EnumStateObj &) = default;
  TVM_FFI_LOCAL_INLINE ~EnumStateObj() = default;
  TVM_FFI_DETAIL_LAZY_TYPE_FINAL("ffi.EnumState", EnumStateObj, Object);
};

class EnumState : public ObjectRef {
 public:
  TVM_FFI_LOCAL_INLINE ~EnumState() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(EnumState, ObjectRef, EnumStateObj);
};

namespace type_attr {
TVM_FFI_LOCAL inline constexpr AttrKey<EnumState> kEnumState{"__ffi_enum__"};
}  // namespace type_attr
namespace reflection {
namespace type_attr {
TVM_FFI_LOCAL inline constexpr const char *kEnumState = "__ffi_enum__";
}  // namespace type_attr
}  // namespace reflection

/* ---- Bodies ---- */

namespace detail {

TVM_FFI_LOCAL inline const TVMFFITypeAttrColumn *enum_state_column = nullptr;

/** [lend] The enum state of a type, or NULL. */
TVM_FFI_LOCAL inline const TVMFFIAny *FindEnumState(int32_t type_index) {
  return FindTypeAttr(&enum_state_column, type_attr::kEnumState.name, type_index);
}

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowNoMember(int32_t type_index, const AnyView &index) {
  const TVMFFIAny *value = AnyUnsafe::Data(index);
  {
    Text text;
    text.Put("Enum `");
    text.Put(TypeKeyOf(type_index));
    text.Put("` has no instance with index ");
    if (value->type_index == kTVMFFIInt) {
      text.PutInt(value->v_int64);
    } else {
      text.Put(BytesOf(TypeTraits<String>::CopyFromAnyViewAfterCheck(value)));
    }
    RaiseText("ValueError", text);
  }
  ThrowRaised();
}

/** Finds a member by an int or a String. Errors: ValueError (no such member), TypeError (the state
 * is not one of an enum). */
TVM_FFI_LOCAL inline Enum FindMember(int32_t type_index, const AnyView &index) {
  if (const TVMFFIAny *state = FindEnumState(type_index)) {
    const EnumState found = AnyView::CopyFromTVMFFIAny(*state).as_or_throw<EnumState>();
    if (const std::optional<ObjectRef> member = found->indexes.Get(Any(index))) {
      return member->as_or_throw<Enum>();
    }
  }
  ThrowNoMember(type_index, index);
}

}  // namespace detail

TVM_FFI_LOCAL inline Enum EnumObj::_GetByIntIndex(int32_t type_index, int64_t int_index) {
  return detail::FindMember(type_index, int_index);
}
TVM_FFI_LOCAL inline Enum EnumObj::_GetByStrIndex(int32_t type_index, const String &str_index) {
  return detail::FindMember(type_index, str_index);
}
template <typename T>
TVM_FFI_LOCAL Enum EnumObj::_GetByIntIndex(int64_t int_index) {
  static_assert(
      std::is_base_of_v<EnumObj, T>,
      "an enum is a class that derives from EnumObj: give that class as T, not its reference");
  return _GetByIntIndex(T::_GetOrAllocRuntimeTypeIndex(), int_index);
}
template <typename T>
TVM_FFI_LOCAL Enum EnumObj::_GetByStrIndex(const String &str_index) {
  static_assert(
      std::is_base_of_v<EnumObj, T>,
      "an enum is a class that derives from EnumObj: give that class as T, not its reference");
  return _GetByStrIndex(T::_GetOrAllocRuntimeTypeIndex(), str_index);
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_ENUM_H_
