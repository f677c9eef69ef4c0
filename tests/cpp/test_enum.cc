/* SPDX-License-Identifier: Apache-2.0 */
/* Enums: members that are added in several places. tests/compat/names_enums.cc compares texts of
 * errors and the contents of the state with those of the package's headers. */
#include <gtest/gtest.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/reflection/registry.h>

#include "caught.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
using ffi::Any;
using ffi::Enum;
using ffi::EnumObj;

namespace {

class FruitObj : public ffi::EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Fruit", FruitObj, ffi::EnumObj);
};
class Fruit : public ffi::Enum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Fruit, ffi::Enum, FruitObj);
};
class BitsObj : public ffi::IntEnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Bits", BitsObj, ffi::IntEnumObj);
};
class Bits : public ffi::IntEnum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Bits, ffi::IntEnum, BitsObj);
};
class OtherObj : public ffi::EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.OtherEnum", OtherObj, ffi::EnumObj);
};

constexpr refl::AttrKey<refl::NativeFunctionView<int64_t(int64_t)>> kPrice{"price"};

ffi::Expected<int64_t> PriceOf(int64_t count) {
  if (count < 0) return ffi::Error("ValueError", "below 0", "");
  return count * 3;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<FruitObj>(refl::init(false)).def_convert<Fruit>();
  refl::EnumDef<FruitObj>("apple").set_native_fn_attr<&PriceOf>(kPrice).set_attr("round", true);
  refl::EnumDef<FruitObj>("pear");
  refl::ObjectDef<BitsObj>(refl::init(false));
  refl::EnumDef<BitsObj>("one", 1);
  refl::EnumDef<BitsObj>("four", 4);
}

ffi::EnumState StateOf(int32_t type_index) {
  return refl::TypeAttrColumn(ffi::type_attr::kEnumState)[type_index].cast<ffi::EnumState>();
}

TEST(Enum, IsOneObjectPerMember) {
  const Enum pear = EnumObj::_GetByStrIndex<FruitObj>("pear");
  EXPECT_TRUE(pear.same_as(EnumObj::_GetByIntIndex<FruitObj>(1)));
  EXPECT_TRUE(ffi::DeepCopy(pear).same_as(pear));
  EXPECT_TRUE(ffi::FromJSONGraph(ffi::ToJSONGraph(pear)).same_as(pear));
  EXPECT_EQ(ffi::ReprPrint(pear), "test.cpp.Fruit.pear");
  EXPECT_EQ(EnumObj::_GetByStrIndex<BitsObj>("four")->_int_index, 4);
  EXPECT_EQ(Caught([] { EnumObj::_GetByIntIndex<BitsObj>(2); }),
            "ValueError: Enum `test.cpp.Bits` has no instance with index 2");
}

TEST(Enum, IsAKeyAndAnArgument) {
  const Fruit apple = EnumObj::_GetByStrIndex<FruitObj>("apple").as_or_throw<Fruit>();
  const ffi::Map<Fruit, int64_t> stock{{apple, 5}};
  const auto count =
      ffi::Function::FromTyped([&](const Fruit &fruit) { return stock.Get(fruit).value_or(0); });
  EXPECT_EQ(count(apple).cast<int64_t>(), 5);
  EXPECT_EQ(count(EnumObj::_GetByStrIndex<FruitObj>("pear")).cast<int64_t>(), 0);
  EXPECT_EQ(Caught([&] { count(EnumObj::_GetByStrIndex<BitsObj>("one")); }),
            "TypeError: Mismatched type on argument #0 when calling: `(0: test.cpp.Fruit) -> int`. "
            "Expected `test.cpp.Fruit` but got `test.cpp.Bits`");
}

TEST(Enum, HasAttributesOfMembers) {
  const ffi::EnumState state = StateOf(FruitObj::RuntimeTypeIndex());
  const Enum apple = EnumObj::_GetByStrIndex<FruitObj>("apple");
  const auto price = kPrice.ValueFrom(state->attrs.at("price").at(apple));
  ASSERT_TRUE(price.has_value());
  EXPECT_EQ((*price)(4), 12);
  EXPECT_EQ(Caught([&] { (*price)(-1); }), "ValueError: below 0");
  EXPECT_EQ(state->attrs.at("round").size(), 1u);
  EXPECT_EQ(state->attrs.at("round").count(EnumObj::_GetByStrIndex<FruitObj>("pear")), 0u);
}

/* A member that is added through the state is visible to all. Python adds members like this. */
TEST(Enum, SeesMembersThatOthersAdd) {
  const ffi::EnumState state = StateOf(BitsObj::RuntimeTypeIndex());
  const ffi::ObjectPtr<BitsObj> made = ffi::make_object<BitsObj>();
  made->_int_index = 8;
  made->_str_index = "eight";
  ffi::List<ffi::ObjectRef>(state->entries).push_back(ffi::ObjectRef(made));
  ffi::Dict<Any, ffi::ObjectRef>(state->indexes).Set(8, ffi::ObjectRef(made));
  ffi::Dict<Any, ffi::ObjectRef>(state->indexes).Set("eight", ffi::ObjectRef(made));
  EXPECT_EQ(EnumObj::_GetByIntIndex<BitsObj>(8)->_str_index, "eight");
  EXPECT_TRUE(refl::EnumDef<BitsObj>::IsDefined("eight"));
  EXPECT_EQ(Caught([] { refl::EnumDef<BitsObj>("other", 8); }),
            "ValueError: Duplicate enum index for type `test.cpp.Bits`");
}

TEST(Enum, HasNoStateBeforeItsFirstMember) {
  EXPECT_FALSE(refl::EnumDef<OtherObj>::IsDefined("a"));
  EXPECT_EQ(refl::TypeAttrColumn(ffi::type_attr::kEnumState)[OtherObj::RuntimeTypeIndex()],
            nullptr);
  const refl::EnumDef<OtherObj> first("a");
  EXPECT_TRUE(refl::EnumDef<OtherObj>::IsDefined("a"));
  EXPECT_EQ(StateOf(OtherObj::RuntimeTypeIndex())->entries.size(), 1u);
}

}  // namespace
