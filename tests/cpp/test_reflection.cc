/* SPDX-License-Identifier: Apache-2.0 */
/* Reflection: functions that only this layer has, and errors. tests/compat/names_reflection.cc has
 * the rest, compared with the headers of the package. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
using ffi::Any;
using ffi::AnyView;
using ffi::Error;
using ffi::Function;
using ffi::String;

namespace {

/** Its conversion throws a value that is not an Error. */
struct Even {
  int64_t value;
};

}  // namespace

template <>
struct tvm::ffi::TypeTraits<Even> : tvm::ffi::TypeTraitsBase {
  static void CopyToAnyView(const Even &source, TVMFFIAny *out) {
    TypeTraits<int64_t>::CopyToAnyView(source.value, out);
  }
  static void MoveToAny(Even source, TVMFFIAny *out) { CopyToAnyView(source, out); }
  static bool CheckAnyStrict(const TVMFFIAny *source) { return source->type_index == kTVMFFIInt; }
  static Even CopyFromAnyViewAfterCheck(const TVMFFIAny *source) { return {source->v_int64}; }
  static Even MoveFromAnyAfterCheck(TVMFFIAny *source) { return {source->v_int64}; }
  static std::optional<Even> TryCastFromAnyView(const TVMFFIAny *source) {
    if (!CheckAnyStrict(source)) return std::nullopt;
    if (source->v_int64 % 2 != 0) throw std::domain_error("odd");
    return Even{source->v_int64};
  }
  static std::string TypeStr() { return "Even"; }
};

namespace {

struct Alive {
  Alive() { ++count; }
  Alive(const Alive &) { ++count; }
  ~Alive() { --count; }
  static inline int count = 0;
};

class ItemObj : public ffi::Object {
 public:
  ItemObj() = default;
  explicit ItemObj(int64_t size) : width(size) {
    if (size < 0) throw std::length_error("below 0");
    if (size > 100) TVM_FFI_THROW(ValueError) << "above 100";
  }
  int64_t Width() const noexcept { return width; }
  void Widen(int64_t amount) noexcept { width += amount; }

  Alive alive;
  int64_t width = 1;
  ffi::Array<int64_t> tags;
  ffi::ObjectPtr<ItemObj> inner;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.Item", ItemObj, ffi::Object);
};
class Item : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Item, ffi::ObjectRef, ItemObj);
};

class HalfObj : public ffi::Object {
 public:
  int64_t x = 0;
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.Half", HalfObj, ffi::Object);
};

/* A user-defined extra. */
struct Unit : refl::InfoTrait {
  const char *name;
  explicit Unit(const char *unit) : name(unit) {}
  void Apply(refl::FieldInfoBuilder *info) const {
    info->metadata_.emplace_back("unit", name);
    info->metadata_.push_back({"field", String(info->name)});
    info->flags |= kTVMFFIFieldFlagBitMaskReprOff | kTVMFFIFieldFlagBitMaskHasDefault;
    info->default_value_or_factory = AnyView(7).CopyToTVMFFIAny();
  }
};
struct Cost : refl::InfoTrait {
  void Apply(refl::MethodInfoBuilder *info) const {
    info->metadata_.emplace_back("cost", 3);
    info->doc = TVMFFIByteArray{"dear", 4};
  }
};
struct Documented : refl::InfoTrait {
  void Apply(TVMFFITypeMetadata *info) const { info->doc = TVMFFIByteArray{"by a trait", 10}; }
};
class ExtrasObj : public ffi::Object {
 public:
  int64_t length = 0;
  int64_t Length() const { return length; }
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.Extras", ExtrasObj, ffi::Object);
};

class TakenObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.Taken", TakenObj, ffi::Object);
};

/* Two overloads; the type registers only one of them, chosen by its signature. */
int64_t Scale(int64_t x) {
  return 2 * x;
}
[[maybe_unused]] int64_t Scale(int64_t x, int64_t y) {
  return x * y;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ExtrasObj>(Documented())
      .def_ro("length", &ExtrasObj::length, "doc", Unit("mm"), refl::Metadata({{"last", true}}))
      .def("get_length", &ExtrasObj::Length, Cost());
  refl::GlobalDef().def(
      "test.cpp.extras", [] { return 1; }, Cost());
  refl::ObjectDef<ItemObj>()
      .def(refl::init<int64_t>())
      .def_rw("width", &ItemObj::width, refl::default_(4), refl::Metadata({{"a\"b", "c"}}))
      .def_ro("tags", &ItemObj::tags, refl::default_factory([] {
                return ffi::Array<int64_t>{1, 2, 3};
              }))
      .def_ro("inner", &ItemObj::inner, refl::default_value(ffi::make_object<ItemObj>(8)))
      .def("width_of", &ItemObj::Width)
      .def("widen", &ItemObj::Widen)
      .def_static("scale", refl::overload_cast<int64_t>(&Scale));
}

template <typename F>
std::string Raised(const F &f) {
  try {
    f();
  } catch (const Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "nothing";
}

const TVMFFITypeInfo *InfoOf(int32_t type_index) {
  return TVMFFIGetTypeInfo(type_index);
}

}  // namespace

TEST(Reflection, ExtrasOfTheUsersAreApplied) {
  const TVMFFITypeInfo *type = InfoOf(ExtrasObj::RuntimeTypeIndex());
  EXPECT_EQ(ffi::ToStringView(type->metadata->doc), "by a trait");
  const TVMFFIFieldInfo *field = refl::GetFieldInfo("test.cpp.Extras", "length");
  EXPECT_EQ(ffi::ToStringView(field->metadata),
            "{\"type_schema\":\"{\\\"type\\\":\\\"int\\\"}\",\"unit\":\"mm\",\"field\":\"length\","
            "\"last\":true}");
  EXPECT_EQ(ffi::ToStringView(field->doc), "doc");
  EXPECT_NE(field->flags & kTVMFFIFieldFlagBitMaskReprOff, 0);
  EXPECT_EQ(field->default_value_or_factory.v_int64, 7);
  const TVMFFIMethodInfo *method = refl::GetMethodInfo("test.cpp.Extras", "get_length");
  EXPECT_EQ(ffi::ToStringView(method->doc), "dear");
  EXPECT_NE(ffi::ToStringView(method->metadata).find("\"cost\":3}"), std::string::npos);
}

TEST(Reflection, ExtrasChangeADescriptionOfAField) {
  TVMFFIFieldInfo info{};
  const ffi::Array<int> list{1};
  const refl::DefaultFactory factory = refl::default_factory([] { return 1; });
  const refl::DefaultValue value(list);
  factory.Apply(&info);
  EXPECT_EQ(info.flags,
            kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory);
  EXPECT_EQ(info.default_value_or_factory.type_index, kTVMFFIFunction);
  value.Apply(&info);
  EXPECT_EQ(info.flags, kTVMFFIFieldFlagBitMaskHasDefault);
  EXPECT_EQ(info.default_value_or_factory.v_obj, AnyView(list).CopyToTVMFFIAny().v_obj);
  EXPECT_EQ(list.use_count(), 2);  // the description borrows it
  info.flags = 0;
  refl::repr(false).Apply(&info);
  refl::compare(false).Apply(&info);
  refl::hash(false).Apply(&info);
  refl::init(false).Apply(&info);
  refl::kw_only(true).Apply(&info);
  refl::AttachFieldFlag::SEqHashIgnore().Apply(&info);
  const int64_t all = kTVMFFIFieldFlagBitMaskReprOff | kTVMFFIFieldFlagBitMaskCompareOff |
                      kTVMFFIFieldFlagBitMaskHashOff | kTVMFFIFieldFlagBitMaskInitOff |
                      kTVMFFIFieldFlagBitMaskKwOnly | kTVMFFIFieldFlagBitMaskSEqHashIgnore;
  EXPECT_EQ(info.flags, all);
  refl::repr(true).Apply(&info);
  EXPECT_EQ(info.flags, all & ~kTVMFFIFieldFlagBitMaskReprOff);
}

TEST(Reflection, DefaultsAndFactories) {
  const refl::ObjectCreator create("test.cpp.Item");
  const Item a = create({}).cast<Item>(), b = create({{"width", 7}}).cast<Item>();
  EXPECT_EQ(a->width, 4);
  EXPECT_EQ(b->width, 7);
  EXPECT_EQ(a->tags.size(), 3u);
  EXPECT_FALSE(a->tags.same_as(b->tags));
  EXPECT_EQ(a->inner->width, 8);
  EXPECT_EQ(a->inner, b->inner);
}

TEST(Reflection, MethodsWithoutExceptions) {
  const Item item(ffi::make_object<ItemObj>(3));
  refl::GetMethod("test.cpp.Item", "widen")(item, 2);
  EXPECT_EQ(refl::GetMethod("test.cpp.Item", "width_of")(item).cast<int64_t>(), 5);
  EXPECT_EQ(refl::GetMethod("test.cpp.Item", "scale")(4).cast<int64_t>(), 8);
}

TEST(Reflection, ConstructorsThatThrowLeaveNothing) {
  const Function init = refl::GetMethod("test.cpp.Item", "__ffi_init__");
  const int before = Alive::count;
  EXPECT_EQ(Raised([&] { init(-1); }), "InternalError: below 0");
  EXPECT_EQ(Raised([&] { init(101); }), "ValueError: above 100");
  EXPECT_EQ(Alive::count, before);
  {
    const Any made = init(5);
    EXPECT_EQ(Alive::count, before + 1);
  }
  EXPECT_EQ(Alive::count, before);
}

TEST(Reflection, MetadataIsJson) {
  const TVMFFIFieldInfo *field = refl::GetFieldInfo("test.cpp.Item", "width");
  EXPECT_EQ(std::string(field->metadata.data, field->metadata.size),
            R"({"type_schema":"{\"type\":\"int\"}","a\"b":"c"})");
}

TEST(Reflection, MetadataHoldsFewTypes) {
  const auto define = [](const refl::Metadata &metadata) {
    return Raised([&] {
      refl::GlobalDef().def(
          "test.cpp.metadata", [] {}, metadata);
    });
  };
  EXPECT_EQ(define({{"k", 1.5}}),
            "TypeError: Metadata can be only int, bool or string, but on key `k`, the type is "
            "float");
  EXPECT_EQ(define({{"b", true}, {"k", Any()}}),
            "TypeError: Metadata can be only int, bool or string, but on key `k`, the type is "
            "None");
}

TEST(Reflection, MetadataIsAddedToDescriptions) {
  refl::Metadata metadata({{"unit", "mm"}});
  {
    const refl::Metadata other({{"limit", 3}, {"exact", false}});
    refl::FieldInfoBuilder field;
    metadata.Apply(&field);
    metadata = other;
    metadata.Apply(&field);
    ASSERT_EQ(field.metadata_.size(), 3u);
    EXPECT_EQ(field.metadata_[0].first, "unit");
    EXPECT_EQ(field.metadata_[0].second.cast<String>(), "mm");
    EXPECT_EQ(field.metadata_[1].second.cast<int>(), 3);
  }
  refl::MethodInfoBuilder method;
  refl::Metadata(metadata).Apply(&method);
  ASSERT_EQ(method.metadata_.size(), 2u);
  EXPECT_EQ(method.metadata_[1].first, "exact");
  EXPECT_FALSE(method.metadata_[1].second.cast<bool>());
}

TEST(Reflection, AClassIsRegisteredOnce) {
  const std::string raised = Raised([] { refl::ObjectDef<ItemObj>(); });
  EXPECT_EQ(raised.find("RuntimeError: Overriding test.cpp.Item"), 0u) << raised;
}

TEST(Reflection, WhatFailedHalfwayIsNotFinished) {
  const std::string raised =
      Raised([] { refl::ObjectDef<HalfObj>().def_ro("x", &HalfObj::x).def_ro("x", &HalfObj::x); });
  EXPECT_EQ(raised.find("InternalError: "), 0u) << raised;
  EXPECT_NE(raised.find("Duplicate field name \"x\""), std::string::npos) << raised;
  EXPECT_EQ(refl::TypeAttrColumn(ffi::type_attr::kNew)[HalfObj::RuntimeTypeIndex()], nullptr);
  EXPECT_EQ(InfoOf(HalfObj::RuntimeTypeIndex())->num_fields, 1);
}

TEST(Reflection, AnEndThatFailsThrows) {
  refl::TypeAttrDef<TakenObj>().attr(ffi::type_attr::kTypeFinal, true);
  const std::string raised = Raised([] { refl::ObjectDef<TakenObj>(); });
  EXPECT_EQ(raised.find("RuntimeError: TypeAttr `__ffi_type_final__` is already"), 0u) << raised;
}

TEST(Reflection, SettersOfOthers) {
  const Function function = Function::FromTyped([](void *address, int64_t value) {
    TVM_FFI_CHECK(value >= 0, ValueError) << "no width: " << value;
    *static_cast<int64_t *>(address) = 10 * value;
  });
  TVMFFIFieldInfo field = *refl::GetFieldInfo("test.cpp.Item", "width");
  const Item item(ffi::make_object<ItemObj>());
  field.setter = ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(function);
  field.flags |= kTVMFFIFieldFlagBitSetterIsFunctionObj;
  const refl::FieldSetter set(&field);
  set(item, 3);
  EXPECT_EQ(item->width, 30);
  EXPECT_EQ(Raised([&] { set(item, -3); }),
            "ValueError: Check failed: (value >= 0) is false: no width: -3");
  field.setter = nullptr;
  const refl::FieldSetter unset(&field);
  EXPECT_EQ(Raised([&] { unset(item, 3); }),
            "TypeError: Field `width` cannot be set: it has no setter");
}

TEST(Reflection, TypesOfOtherLanguagesAreMadeByAttribute) {
  const TVMFFIByteArray key = refl::AsByteArray("test.cpp.Foreign");
  const int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  ASSERT_GE(index, 0);
  EXPECT_FALSE(ffi::HasCreator(InfoOf(index)));
  const Function make = Function::FromTyped([index] {
    const auto made = ffi::make_object<ItemObj>(9);
    ffi::detail::ObjectUnsafe::GetHeader(made.get())->type_index = index;
    return made;
  });
  const TVMFFIByteArray name = refl::AsByteArray(ffi::type_attr::kNew.name);
  const TVMFFIAny value = AnyView(make).CopyToTVMFFIAny();
  ASSERT_EQ(TVMFFITypeRegisterAttr(index, &name, &value), 0);
  ASSERT_TRUE(ffi::HasCreator(InfoOf(index)));
  EXPECT_EQ(Item(ffi::GetObjectPtr<ItemObj>(
                     static_cast<ItemObj *>(ffi::CreateEmptyObject(InfoOf(index)).get())))
                ->width,
            9);
}

TEST(Reflection, WhatAnAttributeMakesIsOfTheType) {
  const TVMFFIByteArray key = refl::AsByteArray("test.cpp.WrongNew");
  const int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  ASSERT_GE(index, 0);
  Any gives = ffi::make_object<ItemObj>(9);
  const Function make = Function::FromTyped([&gives] { return gives; });
  const TVMFFIByteArray name = refl::AsByteArray(ffi::type_attr::kNew.name);
  const TVMFFIAny value = AnyView(make).CopyToTVMFFIAny();
  ASSERT_EQ(TVMFFITypeRegisterAttr(index, &name, &value), 0);
  const refl::ObjectCreator create(InfoOf(index));
  EXPECT_EQ(Raised([&] { create({}); }),
            "TypeError: __ffi_new__ of `test.cpp.WrongNew` gave `test.cpp.Item`");
  gives = nullptr;
  EXPECT_EQ(Raised([&] { create({}); }),
            "TypeError: __ffi_new__ of `test.cpp.WrongNew` gave `None`");
}

TEST(Reflection, AFactoryIsNotNull) {
  EXPECT_EQ(Raised([] { refl::default_factory(Function()); }),
            "ValueError: a null Function is no default factory");
  TVMFFIFieldInfo field = *refl::GetFieldInfo("test.cpp.Item", "tags");
  const Item item(ffi::make_object<ItemObj>());
  field.default_value_or_factory = AnyView().CopyToTVMFFIAny();
  EXPECT_EQ(Raised([&] {
              refl::SetFieldToDefault(&field, const_cast<ffi::Array<int64_t> *>(&item->tags));
            }),
            "RuntimeError: a null Function was called");
}

TEST(Reflection, NamesOfBothSpellings) {
  EXPECT_STREQ(refl::type_attr::kInit, ffi::type_attr::kInit.name);
  EXPECT_STREQ(refl::type_attr::kAnyHash, ffi::type_attr::kAnyHash.name);
  EXPECT_EQ(ffi::type_attr::kConvertTypeSchema.ValueFrom(3)->cast<int>(), 3);
  EXPECT_FALSE(ffi::type_attr::kConvertTypeSchema.ValueFrom(nullptr).has_value());
}

ffi::Expected<int64_t> NativeWidth(const Any &value) noexcept {
  const ItemObj *item = value.as<ItemObj>();
  TVM_FFI_RET_CHECK(item != nullptr, TypeError) << "no item";
  return item->width;
}
void NativeNothing(AnyView value) {
  if (value == nullptr) throw 3;
}

TEST(NativeFunction, OwnedAndBorrowed) {
  using Owned = refl::NativeFunction<int64_t(const Any &)>;
  using View = refl::NativeFunctionView<int64_t(const Any &)>;
  const Any item = ffi::make_object<ItemObj>(6);
  const Owned owned = Owned::FromNative<&NativeWidth>();
  const View view = owned;
  EXPECT_EQ(view(item), 6);
  EXPECT_EQ(Raised([&] { view(Any(1)); }),
            "TypeError: Check failed: (item != nullptr) is false: no item");
  Any stored = owned;
  EXPECT_EQ(std::move(stored).cast<Owned>()(item), 6);
  const ffi::TypedFunction<int64_t(const Any &)> null;
  EXPECT_EQ(Raised([&] { View{null}; }),
            "ValueError: NativeFunctionView requires a non-null typed function");
}

TEST(NativeFunction, WithoutAResult) {
  using View = refl::NativeFunctionView<void(AnyView)>;
  const View native = View::FromNative<&NativeNothing>();
  EXPECT_TRUE(native.CallExpected(AnyView(1)).is_ok());
  EXPECT_EQ(native.CallExpected(AnyView()).error().message(),
            "an exception that is no std::exception");
  const ffi::TypedFunction<void(AnyView)> typed(
      Function::FromTyped([](AnyView x) { return Any(x); }));
  const View packed = typed;
  EXPECT_TRUE(packed.CallExpected(AnyView()).is_ok());
  EXPECT_EQ(packed.CallExpected(AnyView(1)).error().message(), "Packed hook result type mismatch");
}

TEST(NativeFunction, AResultThatCannotBeConvertedIsAnError) {
  using View = refl::NativeFunctionView<Even(int64_t)>;
  const ffi::TypedFunction<Even(int64_t)> typed(Function::FromTyped([](int64_t x) { return x; }));
  const View view = typed;
  EXPECT_EQ(view(4).value, 4);
  EXPECT_EQ(Raised([&] { view(5); }), "InternalError: odd");
}

TEST(NativeFunction, WhatWasMovedFromIsNotCalled) {
  refl::NativeFunction<int64_t(const Any &)> f =
      refl::NativeFunction<int64_t(const Any &)>::FromNative<&NativeWidth>();
  const auto moved = std::move(f);
  EXPECT_EQ(moved(ffi::make_object<ItemObj>(6)), 6);
  EXPECT_EQ(Raised([&] { f(Any(1)); }), "RuntimeError: a null Function was called");
}

TEST(NativeFunction, KeyHooksAreFunctions) {
  refl::TypeAttrDef<HalfObj>().native_fn_attr<&NativeWidth>(ffi::type_attr::kAnyHash);
  const AnyView hook = refl::TypeAttrColumn(ffi::type_attr::kAnyHash)[HalfObj::RuntimeTypeIndex()];
  ASSERT_EQ(hook.type_index(), kTVMFFIFunction);
  const Function function = hook.cast<Function>();
  EXPECT_EQ(function(ffi::make_object<ItemObj>(6)).cast<int64_t>(), 6);
  EXPECT_EQ(Raised([&] { function(ffi::make_object<HalfObj>()); }),
            "TypeError: Check failed: (item != nullptr) is false: no item");
  EXPECT_EQ(Raised([&] { function(); }),
            "TypeError: Mismatched number of arguments when calling: `__any_hash__(0: Any) -> "
            "Expected<int>`. Expected 1 but got 0 arguments");
}
