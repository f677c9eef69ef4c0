/* SPDX-License-Identifier: Apache-2.0 */
/* Types that the tests of structural visits and mutations share. */
#ifndef TVM_FFI_TESTS_CPP_STRUCTURAL_TYPES_H_
#define TVM_FFI_TESTS_CPP_STRUCTURAL_TYPES_H_

#include <tvm/ffi/tvm_ffi.h>

#include <string>

namespace structural {

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::AnyView;

/** A variable; its type may mention others. */
class VarObj : public ffi::Object {
 public:
  explicit VarObj(ffi::String name_, Any type_ = nullptr) : name(name_), type(type_) {}
  ffi::String name;
  Any type;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.structural.Var", VarObj, ffi::Object);
};
class Var : public ffi::ObjectRef {
 public:
  explicit Var(const char *name, Any type = nullptr) {
    data_ = ffi::make_object<VarObj>(name, type);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Var, ffi::ObjectRef, VarObj);
};

/** Defines variables, by a pattern field and by a simple one. */
class LetObj : public ffi::Object {
 public:
  LetObj(Any pattern_, Any simple_, Any body_) : pattern(pattern_), simple(simple_), body(body_) {}
  Any pattern, simple, body;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.structural.Let", LetObj, ffi::Object);
};
class Let : public ffi::ObjectRef {
 public:
  Let(Any pattern, Any simple, Any body) {
    data_ = ffi::make_object<LetObj>(pattern, simple, body);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Let, ffi::ObjectRef, LetObj);
};

class PairObj : public ffi::Object {
 public:
  PairObj(Any first_, Any second_) : first(first_), second(second_) {}
  Any first, second;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.structural.Pair", PairObj, ffi::Object);
};
class Pair : public ffi::ObjectRef {
 public:
  Pair(Any first, Any second) { data_ = ffi::make_object<PairObj>(first, second); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Pair, ffi::ObjectRef, PairObj);
};

/** Registers the types, once. False if the runtime has no structural functions. */
inline bool Prepare() {
  namespace refl = tvm::ffi::reflection;
  if (!ffi::Function::GetGlobal("ffi.StructuralWalk")) return false;
  static const bool registered = [] {
    refl::ObjectDef<VarObj>(refl::init(false))
        .def_ro("name", &VarObj::name, refl::AttachFieldFlag::SEqHashIgnore())
        .def_ro("type", &VarObj::type);
    refl::ObjectDef<LetObj>(refl::init(false))
        .def_ro("pattern", &LetObj::pattern, refl::AttachFieldFlag::SEqHashDefPattern())
        .def_ro("simple", &LetObj::simple, refl::AttachFieldFlag::SEqHashDefSimple())
        .def_ro("body", &LetObj::body);
    refl::ObjectDef<PairObj>(refl::init(false))
        .def_ro("first", &PairObj::first)
        .def_ro("second", &PairObj::second);
    return true;
  }();
  return registered;
}

/** A short text for a value. */
inline std::string Brief(AnyView value) {
  if (value == nullptr) return "none";
  if (auto number = value.as<int64_t>()) return std::to_string(*number);
  if (const VarObj *var = value.as<VarObj>()) return std::string(var->name.data());
  const std::string key = value.GetTypeKey();
  return key.substr(key.rfind('.') + 1);
}

}  // namespace structural

#endif /* TVM_FFI_TESTS_CPP_STRUCTURAL_TYPES_H_ */
