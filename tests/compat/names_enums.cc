// SPDX-License-Identifier: Apache-2.0
// Enums of all kinds: adding members, finding them, passing them to functions of the runtime.
#include <tvm/ffi/enum.h>
#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/reflection/registry.h>

#include "names.h"

namespace refl = tvm::ffi::reflection;

namespace {

class ColorObj : public EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Color", ColorObj, EnumObj);
};
class Color : public Enum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Color, Enum, ColorObj);
};

class LevelObj : public IntEnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Level", LevelObj, IntEnumObj);
};
class Level : public IntEnum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Level, IntEnum, LevelObj);
};

class ModeObj : public StrEnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Mode", ModeObj, StrEnumObj);
};
class Mode : public StrEnum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Mode, StrEnum, ModeObj);
};

/* An enum class with a field of its own and a subclass. */
class WiderObj : public EnumObj {
 public:
  int64_t width = 4;
  TVM_FFI_DECLARE_OBJECT_INFO("names.Wider", WiderObj, EnumObj);
};
class WidestObj : public WiderObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Widest", WidestObj, WiderObj);
};

class EmptyObj : public EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Empty", EmptyObj, EnumObj);
};
class SpoiltObj : public EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Spoilt", SpoiltObj, EnumObj);
};

int64_t Twice(int64_t x) {
  return 2 * x;
}

constexpr refl::AttrKey<double> kWeight{"weight"};
constexpr refl::AttrKey<refl::NativeFunctionView<int64_t(int64_t)>> kTwice{"twice"};

std::string Repr(const Any &value) {
  return Function::GetGlobalRequired("ffi.ReprPrint")(value).cast<std::string>();
}

void Define() {
  refl::ObjectDef<ColorObj>(refl::init(false));
  refl::ObjectDef<LevelObj>(refl::init(false)).def_convert<Level>();
  refl::ObjectDef<ModeObj>(refl::init(false)).def_convert<Mode>();
  Line("color", [] {
    refl::EnumDef<ColorObj>("red").set_attr("rgb", 0xff0000).set_attr("doc", String("the first"));
    refl::EnumDef<ColorObj>("green").set_attr("rgb", 0x00ff00).set_attr("rgb", 255);
    refl::EnumDef<ColorObj>("blue").set_attr(kWeight, 1).set_native_fn_attr<&Twice>(kTwice);
  });
  Line("color", [] { refl::EnumDef<ColorObj>("red"); });
  Line("level", [] {
    refl::EnumDef<LevelObj>("low", -7);
    refl::EnumDef<LevelObj>("high", 100).set_attr("doc", "up");
  });
  Line("level", [] { refl::EnumDef<LevelObj>("other", 100); });
  Line("level", [] { refl::EnumDef<LevelObj>("low", 5); });
  Line("mode", [] {
    refl::EnumDef<ModeObj>("r");
    refl::EnumDef<ModeObj>("read and write");
  });
  Line("wider", [] {
    refl::EnumDef<WiderObj>("one");
    refl::EnumDef<WidestObj>("two");
  });
  Line("spoilt", [] {
    refl::TypeAttrDef<SpoiltObj>().def("__ffi_enum__", 5);
    refl::EnumDef<SpoiltObj>("a");
  });
  Line("spoilt", [] { refl::EnumDef<SpoiltObj>::IsDefined("a"); });
  Line("spoilt", [] { EnumObj::_GetByStrIndex<SpoiltObj>("a"); });
}

void ShowStates() {
  for (const char *key :
       {"names.Color", "names.Level", "names.Mode", "names.Wider", "names.Widest"}) {
    Line(key, [&] {
      const AnyView value = refl::TypeAttrColumn(type_attr::kEnumState)[TypeKeyToIndex(key)];
      const EnumState state = type_attr::kEnumState.ValueFrom(value).value();
      Show(state->GetTypeKey(), Repr(state->entries), Repr(state->indexes), state->attrs.size());
      for (const ObjectRef &entry : state->entries) {
        const EnumObj *member = entry.as<EnumObj>();
        Show(member->_int_index, member->_str_index, member->GetTypeKey(),
             state->indexes.at(member->_int_index).same_as(entry),
             state->indexes.at(member->_str_index).same_as(entry));
      }
    });
  }
  Line("attributes", [] {
    const EnumState state =
        refl::TypeAttrColumn("__ffi_enum__")[ColorObj::RuntimeTypeIndex()].cast<EnumState>();
    const Enum blue = EnumObj::_GetByStrIndex<ColorObj>("blue");
    Show(Repr(state->attrs.at("rgb")), Repr(state->attrs.at("doc")),
         Repr(state->attrs.at("weight")),
         kTwice.ValueFrom(state->attrs.at("twice").at(blue)).value()(21));
  });
  Line("empty", [] { Show(Repr(make_object<EnumStateObj>())); });
}

void ShowFinding() {
  Line("get", [] {
    const Enum red = EnumObj::_GetByIntIndex<ColorObj>(0);
    Show(red->_str_index, red.same_as(EnumObj::_GetByStrIndex<ColorObj>("red")),
         red.same_as(EnumObj::_GetByIntIndex(ColorObj::RuntimeTypeIndex(), 0)),
         red.same_as(EnumObj::_GetByStrIndex(ColorObj::RuntimeTypeIndex(), "red")),
         red.as<ColorObj>() != nullptr, red.as<Level>().has_value(), Repr(red));
  });
  Line("get", [] { EnumObj::_GetByIntIndex<ColorObj>(77); });
  Line("get", [] { EnumObj::_GetByIntIndex<LevelObj>(0); });
  Line("get", [] { EnumObj::_GetByStrIndex<ColorObj>("a name that is long"); });
  Line("get", [] { EnumObj::_GetByStrIndex<EmptyObj>("none"); });
  Line("get", [] { EnumObj::_GetByStrIndex<WiderObj>("two"); });
  Line("get", [] { EnumObj::_GetByIntIndex(kTVMFFIArray, 1); });
  Line("defined", [] {
    using ColorDef = refl::EnumDef<ColorObj>;
    Show(ColorDef::IsDefined("red"), ColorDef::IsDefined("Red"), ColorDef::IsDefined("0"),
         ColorDef::IsDefined(String("red\0x", 5)), refl::EnumDef<EmptyObj>::IsDefined("red"),
         refl::EnumDef<LevelObj>::IsDefined("low"), refl::EnumDef<WiderObj>::IsDefined("two"));
  });
}

void ShowConverting() {
  const Any low = EnumObj::_GetByStrIndex<LevelObj>("low");
  Line("convert", [&] {
    Show(low.cast<Level>()->_int_index, low.cast<IntEnum>()->_str_index,
         low.cast<Enum>()->_str_index, low.try_cast<Color>().has_value());
  });
  Line("convert", [&] { low.cast<StrEnum>(); });
  Line("convert", [] { Any(-7).cast<Level>(); });
  Line("convert", [] { Any("r").cast<Mode>(); });
  Line("convert", [] { Any(nullptr).cast<Enum>(); });
  Line("convert", [] { Any(nullptr).cast<EnumState>(); });
  Line("graph", [&] {
    const Any graph = Function::GetGlobalRequired("ffi.ToJSONGraph")(low, nullptr);
    Show(Repr(graph), Function::GetGlobalRequired("ffi.FromJSONGraph")(graph).same_as(low));
  });
  Line("structure", [&] {
    const Function equal = Function::GetGlobalRequired("ffi.StructuralEqual");
    Show(equal(low, low, false, false).cast<bool>(),
         equal(low, EnumObj::_GetByStrIndex<LevelObj>("high"), false, false).cast<bool>(),
         Function::GetGlobalRequired("ffi.DeepCopy")(low).same_as(low));
  });
}

void ShowTypes() {
  Line("types", [] {
    Show(sizeof(EnumObj), sizeof(EnumStateObj), static_cast<int>(EnumObj::_type_s_eq_hash_kind),
         static_cast<int>(EnumStateObj::_type_s_eq_hash_kind), EnumObj::_type_mutable,
         EnumStateObj::_type_mutable, EnumObj::_type_final, EnumStateObj::_type_final,
         IntEnumObj::_type_final, EnumObj::_type_depth, StrEnumObj::_type_depth,
         ColorObj::_type_depth);
    Show(TypeTraits<Level>::TypeStr(), TypeTraits<Enum>::TypeSchema(),
         TypeTraits<Optional<StrEnum>>::TypeSchema(), EnumObj(3, "x")._str_index,
         std::is_default_constructible_v<Enum>, std::is_default_constructible_v<EnumState>,
         std::is_constructible_v<IntEnum, int64_t>, std::is_constructible_v<StrEnum, String>);
  });
}

}  // namespace

int main() {
  Define();
  ShowStates();
  ShowFinding();
  ShowConverting();
  ShowTypes();
  return 0;
}
