/* SPDX-License-Identifier: Apache-2.0 */
/* Type traits of classes that are converted from values of other types. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::AnyView;

namespace {

class AmountObj : public ffi::Object {
 public:
  explicit AmountObj(int64_t initial) : value(initial) {}
  int64_t value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Amount", AmountObj, ffi::Object);
};

class Amount : public ffi::ObjectRef {
 public:
  explicit Amount(ffi::ObjectPtr<AmountObj> data) : ffi::ObjectRef(ffi::UnsafeInit{}) {
    data_ = std::move(data);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Amount, ffi::ObjectRef, AmountObj);
};

struct Distance {
  double meters;
};

}  // namespace

namespace tvm {
namespace ffi {

template <>
[[maybe_unused]] inline constexpr bool use_default_type_traits_v<Amount> = false;
template <>
struct TypeTraits<Amount> : ObjectRefWithFallbackTraitsBase<Amount, StrictBool, int64_t> {
  static Amount ConvertFallbackValue(StrictBool value) {
    return Amount(make_object<AmountObj>(value ? -1 : -2));
  }
  static Amount ConvertFallbackValue(int64_t value) {
    return Amount(make_object<AmountObj>(value));
  }
};
template <>
struct TypeTraits<Distance> : FallbackOnlyTraitsBase<Distance, double, String> {
  static std::string TypeStr() { return "Distance"; }
  static Distance ConvertFallbackValue(double value) { return Distance{value}; }
  static Distance ConvertFallbackValue(const String &value) {
    return Distance{static_cast<double>(value.size())};
  }
};

}  // namespace ffi
}  // namespace tvm

namespace {

TEST(Fallback, OtherValuesMakeOne) {
  EXPECT_EQ(AnyView(true).cast<Amount>()->value, -1);
  EXPECT_EQ(AnyView(7).cast<Amount>()->value, 7);
  const Amount same(ffi::make_object<AmountObj>(9));
  EXPECT_TRUE(AnyView(same).cast<Amount>().same_as(same));
  EXPECT_EQ(Caught([] { AnyView(1.5).cast<Amount>(); }),
            "TypeError: Cannot convert from type `float` to `test.cpp.Amount`");
  EXPECT_EQ(Caught([] { AnyView(nullptr).cast<Amount>(); }),
            "TypeError: Cannot convert from type `None` to `test.cpp.Amount`");
  EXPECT_EQ(Any(ffi::Array<Any>{1, true, same}).cast<ffi::Array<Amount>>()[0]->value, 1);
  EXPECT_EQ(AnyView(2).cast<Distance>().meters, 2.0);
  EXPECT_EQ(AnyView("abc").cast<Distance>().meters, 3.0);
  EXPECT_FALSE(AnyView(nullptr).try_cast<Distance>().has_value());
  EXPECT_FALSE(AnyView(1).try_cast<ffi::StrictBool>().has_value());
}

TEST(Fallback, TypesAreTriedInTheGivenOrder) {
  using AmountTraits = ffi::TypeTraits<Amount>;
  const auto read = [](AnyView value) { return value.CopyToTVMFFIAny(); };
  const TVMFFIAny truth = read(true), seven = read(7);
  EXPECT_EQ((*AmountTraits::TryFallbackTypes<ffi::StrictBool, int64_t>(&truth))->value, -1);
  EXPECT_EQ((*AmountTraits::TryFallbackTypes<int64_t, ffi::StrictBool>(&truth))->value, 1);
  EXPECT_FALSE(AmountTraits::TryFallbackTypes<ffi::StrictBool>(&seven).has_value());
  const Amount amount(ffi::make_object<AmountObj>(9));
  const TVMFFIAny itself = read(amount);
  EXPECT_FALSE((AmountTraits::TryFallbackTypes<ffi::StrictBool, int64_t>(&itself).has_value()));
  EXPECT_EQ(ffi::TypeTraits<Distance>::TryFallbackTypes<double>(&seven)->meters, 7.0);
  EXPECT_FALSE(ffi::TypeTraits<Distance>::TryFallbackTypes<ffi::String>(&seven).has_value());
}

TEST(Traits, OfIntegersMayBeDerivedFrom) {
  struct Short : ffi::TypeTraitsIntBase<short> {};
  const TVMFFIAny truth = AnyView(true).CopyToTVMFFIAny(), text = AnyView("x").CopyToTVMFFIAny();
  EXPECT_FALSE(Short::CheckAnyStrict(&truth));
  EXPECT_EQ(Short::TryCastFromAnyView(&truth), std::optional<short>(short{1}));
  EXPECT_FALSE(Short::TryCastFromAnyView(&text).has_value());
  EXPECT_EQ(Short::TypeStr(), "int");
}

TEST(Names, OfTypesThatClassesHave) {
  using ffi::Function;
  static_assert(std::is_same_v<Function::__PtrType, const ffi::FunctionObj *>);
  static_assert(std::is_same_v<Amount::__PtrType, const AmountObj *>);
  static_assert(
      std::is_same_v<ffi::ObjectRefTypeTraitsBase<Amount>::ContainerType, Amount::ContainerType>);
  static_assert(std::is_same_v<ffi::FunctionObj::FCall, void (*)(const ffi::FunctionObj *,
                                                                 const AnyView *, int32_t, Any *)>);
  static_assert(ffi::is_valid_iterator_v<int, const int *>);
  static_assert(ffi::is_valid_iterator_v<Any, std::string *>);
  static_assert(ffi::is_valid_iterator<ffi::ObjectRef, Function *>::value);
  static_assert(!ffi::is_valid_iterator_v<Function, ffi::ObjectRef *>);
  const ffi::Array<int> array{1, 2, 3};
  const ffi::List<int> list{1, 2, 3};
  const ffi::Array<int>::reverse_iterator last = array.rbegin();
  const ffi::List<int>::reverse_iterator last_of_list = list.rbegin();
  EXPECT_EQ(*last, 3);
  EXPECT_EQ(*last_of_list, 3);
  const ffi::Shape shape{2, 3, 4};
  EXPECT_EQ(static_cast<const ffi::ShapeObj *>(shape.get())->Product(), 24);
}

}  // namespace
