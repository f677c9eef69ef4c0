/* SPDX-License-Identifier: Apache-2.0 */
/* Any, AnyView, String, Bytes, Optional, Variant, data types, devices, objects. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::AnyView;
using ffi::Optional;
using ffi::String;

namespace {

class NumberObj : public ffi::Object {
 public:
  explicit NumberObj(int64_t initial) : value(initial) { ++alive; }
  NumberObj(const NumberObj &other) : ffi::Object(other), value(other.value) { ++alive; }
  ~NumberObj() { --alive; }
  int64_t value;
  static int alive;
  static constexpr bool _type_mutable = true;
  static constexpr int32_t _type_child_slots = 1;
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.Number", NumberObj, ffi::Object);
};
int NumberObj::alive = 0;

class ThrowingObj : public ffi::Object {
 public:
  ThrowingObj() { throw 3; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Throwing", ThrowingObj, ffi::Object);
};

class Number : public ffi::ObjectRef {
 public:
  explicit Number(int64_t value)
      : ffi::ObjectRef(ffi::ObjectPtr<ffi::Object>(ffi::make_object<NumberObj>(value))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Number, ffi::ObjectRef, NumberObj);
};

class SpecialObj : public NumberObj {
 public:
  SpecialObj() : NumberObj(7) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Special", SpecialObj, NumberObj);
};

class Strict : public ffi::ObjectRef {
 public:
  explicit Strict(ffi::ObjectPtr<NumberObj> data) : ffi::ObjectRef(ffi::UnsafeInit{}) {
    data_ = std::move(data);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Strict, ffi::ObjectRef, NumberObj);
};

static_assert(sizeof(Any) == 16 && sizeof(AnyView) == 16 && sizeof(String) == 16, "");
static_assert(sizeof(ffi::Error) == 2 * sizeof(void *) && sizeof(ffi::Expected<int>) == 16, "");
static_assert(sizeof(Optional<int64_t>) == 16 && sizeof(Optional<String>) == 16, "");
static_assert(sizeof(Optional<Number>) == sizeof(void *) &&
                  sizeof(Optional<ffi::ObjectPtr<NumberObj>>) == sizeof(void *),
              "");
static_assert(sizeof(Optional<ffi::TensorView>) == sizeof(DLTensor) + 8 &&
                  sizeof(ffi::TensorView) == sizeof(DLTensor),
              "");
static_assert(sizeof(ffi::Variant<int, String>) == 16 &&
                  sizeof(ffi::Tuple<int, int>) == sizeof(void *),
              "");
static_assert(std::is_trivially_copyable_v<ffi::TensorView> &&
                  std::is_standard_layout_v<ffi::TensorView> &&
                  std::is_trivially_copyable_v<AnyView> && std::is_standard_layout_v<AnyView>,
              "");
static_assert(sizeof(void *) != 8 || (sizeof(ffi::FunctionObj) == 40 &&
                                      sizeof(ffi::ShapeObj) == 40 && sizeof(ffi::ArrayObj) == 56 &&
                                      sizeof(ffi::TensorObj) == 72 && sizeof(ffi::ErrorObj) == 96),
              "");
static_assert(!std::is_constructible_v<ffi::Variant<double, String>, Number>, "");
static_assert(std::is_constructible_v<ffi::TensorView, const ffi::Tensor &> &&
                  !std::is_constructible_v<ffi::TensorView, ffi::Tensor>,
              "");

TEST(Any, NumbersConvertAndStrictOnesDoNot) {
  Any value = 3;
  EXPECT_EQ(value.cast<int64_t>(), 3);
  EXPECT_EQ(value.cast<double>(), 3.0);
  EXPECT_FALSE(value.as<double>().has_value());
  EXPECT_EQ(value.as<int>().value(), 3);
  value = true;
  EXPECT_EQ(value.type_index(), ffi::TypeIndex::kTVMFFIBool);
  EXPECT_EQ(value.cast<int>(), 1);
  EXPECT_FALSE(value.as<int>().has_value());
  EXPECT_EQ(value.GetTypeKey(), "bool");
  value = nullptr;
  EXPECT_TRUE(value == nullptr);
  EXPECT_EQ(Caught([&] { value.cast<int>(); }),
            "TypeError: Cannot convert from type `None` to `int`");
  value = "a text that is long";
  EXPECT_EQ(Caught([&] { value.as_or_throw<double>(); }),
            "TypeError: Cannot treat type `ffi.String` as type `float`");
  EXPECT_EQ(Caught([] { Any too_large = UINT64_MAX; }),
            "OverflowError: Integer value 18446744073709551615 is too large to fit in int64_t. "
            "Consider explicitly casting to int64_t first if this is intentional.");
}

TEST(Any, OwnsWhatAViewBorrows) {
  Number number(5);
  EXPECT_EQ(number.use_count(), 1);
  AnyView view = number;
  EXPECT_EQ(number.use_count(), 1);
  Any owned = view;
  EXPECT_EQ(number.use_count(), 2);
  Any moved = std::move(owned);
  EXPECT_TRUE(owned == nullptr);
  EXPECT_EQ(moved.as<NumberObj>()->value, 5);
  EXPECT_TRUE(moved.same_as(number));
  Number back = std::move(moved).cast<Number>();
  EXPECT_TRUE(moved == nullptr);
  EXPECT_TRUE(back.same_as(number));
  DLTensor tensor{};
  EXPECT_EQ(Caught([&] { Any held = AnyView(&tensor); }),
            "RuntimeError: DLTensor* cannot be held in Any as it does not retain ownership, use "
            "Tensor instead");
}

TEST(Object, LivesAsLongAsItsReferences) {
  ASSERT_EQ(NumberObj::alive, 0);
  {
    Number a(1);
    const Number b = a;
    EXPECT_EQ(NumberObj::alive, 1);
    EXPECT_FALSE(a.unique());
    ffi::ObjectPtr<NumberObj> copy = ffi::make_object<NumberObj>(*a.get());
    EXPECT_TRUE(copy.unique());
    EXPECT_EQ(NumberObj::alive, 2);
    a->value = 9;
    EXPECT_EQ(b->value, 9);
    EXPECT_EQ(copy->value, 1);
    a = Number();
    EXPECT_FALSE(a.defined());
    EXPECT_TRUE(b.unique());
  }
  EXPECT_EQ(NumberObj::alive, 0);
}

TEST(Object, KnowsItsClass) {
  const ffi::ObjectRef special(ffi::ObjectPtr<ffi::Object>(ffi::make_object<SpecialObj>()));
  const ffi::ObjectRef number = Number(1);
  EXPECT_NE(special.as<SpecialObj>(), nullptr);
  EXPECT_NE(special.as<NumberObj>(), nullptr);
  EXPECT_EQ(number.as<SpecialObj>(), nullptr);
  EXPECT_EQ(special.GetTypeKey(), "test.cpp.Special");
  EXPECT_TRUE(special.as<Number>().has_value());
  EXPECT_TRUE(ffi::ObjectRef().as<Number>().has_value());
  EXPECT_FALSE(ffi::ObjectRef().as<Strict>().has_value());
  EXPECT_EQ(Caught([] { ffi::ObjectRef().as_or_throw<Strict>(); }),
            "TypeError: Cannot treat type `None` as type `test.cpp.Number`");
  EXPECT_TRUE(ffi::GetRef<Number>(special.as<NumberObj>()).same_as(special));
  EXPECT_EQ(ffi::TypeKeyToIndex("test.cpp.Special"), SpecialObj::RuntimeTypeIndex());
  EXPECT_EQ(Caught([] { ffi::TypeKeyToIndex("no.such"); }).substr(0, 13), "InternalError");
}

TEST(Object, PassesOnWhatItsConstructorThrows) {
  EXPECT_THROW(ffi::make_object<ThrowingObj>(), int);  // LeakSanitizer checks its memory
}

TEST(String, SmallAndLarge) {
  String small = "seven77", large = "eight888", none;
  EXPECT_EQ(Any(small).type_index(), kTVMFFISmallStr);
  EXPECT_EQ(Any(large).type_index(), kTVMFFIStr);
  EXPECT_EQ(Any(String(std::string("ab"))).type_index(), kTVMFFIStr);
  EXPECT_STREQ(large.c_str(), "eight888");
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(small + large, "seven77eight888");
  EXPECT_EQ("x" + small, std::string("xseven77"));
  EXPECT_LT(large, small);
  EXPECT_TRUE(std::string("seven77") == small && small != "seven7" && small >= "seven7");
  EXPECT_EQ(large.find("88"), 5u);
  EXPECT_EQ(large.find("9"), String::npos);
  EXPECT_EQ(large.substr(5, 2), "88");
  EXPECT_TRUE(large.starts_with("eig") && large.ends_with(String("888")));
  EXPECT_THROW(large.at(8), std::out_of_range);
  EXPECT_THROW(large.substr(9), std::out_of_range);
  const String commas = "a,,b";
  const auto parts = commas.Split(',');
  EXPECT_EQ(parts, (std::vector<std::string_view>{"a", "", "b"}));
  const std::string copied = large;
  EXPECT_EQ(copied, "eight888");
  std::ostringstream os;
  os << small;
  EXPECT_EQ(os.str(), "seven77");
  const char with_nul[] = {'a', '\0', 'b'};
  EXPECT_EQ(String(with_nul, 3).size(), 3u);
  EXPECT_NE(String(with_nul, 3), "a");
  const std::unordered_map<String, int> by_name = {{"one", 1}, {"two", 2}};
  EXPECT_EQ(by_name.at("two"), 2);
  EXPECT_EQ(std::hash<String>()("one"), std::hash<std::string_view>()("one"));
  EXPECT_TRUE(ffi::Bytes("ab", 2) == ffi::Bytes(std::string("ab")));
  const char *null = nullptr;
  EXPECT_EQ(Caught([&] { String text(null); }).substr(0, 14), "InternalError:");
  EXPECT_EQ(Caught([&] { ffi::Bytes bytes(null); }).substr(0, 14), "InternalError:");
}

TEST(Bytes, CompareWithText) {
  const ffi::Bytes bytes("text");
  EXPECT_TRUE(bytes == "text" && "text" == bytes && bytes == std::string("text"));
  EXPECT_TRUE(bytes != "other" && std::string("other") != bytes && bytes == String("text"));
  EXPECT_TRUE(bytes == ffi::Bytes("text"));
}

// None is a value of Any, so an Optional<Any> may hold it. A None argument gives an empty Optional.
TEST(Optional, OfAny) {
  Optional<Any> held = Any(nullptr);
  EXPECT_TRUE(held.has_value());
  held = std::nullopt;
  EXPECT_FALSE(held.has_value());
  held = nullptr;
  EXPECT_TRUE(held.has_value());
  held = 3;
  EXPECT_EQ((*held).cast<int>(), 3);
  EXPECT_EQ(held->cast<int>(), 3);
  EXPECT_EQ(sizeof(held), sizeof(std::optional<Any>));
  const tvm::ffi::Function given =
      tvm::ffi::Function::FromTyped([](Optional<Any> value) { return value.has_value(); });
  EXPECT_FALSE(given(nullptr).cast<bool>());
  EXPECT_TRUE(given(5).cast<bool>());
  EXPECT_TRUE(given(Optional<Any>(5)).cast<bool>());
  EXPECT_FALSE(given(Optional<Any>()).cast<bool>());
}

TEST(Optional, OfEachForm) {
  Optional<int64_t> number;
  EXPECT_FALSE(number.has_value());
  EXPECT_EQ(Caught([&] { number.value(); }), "RuntimeError: Back optional access");
  number = 3;
  EXPECT_EQ(*number, 3);
  EXPECT_TRUE(number == 3 && number != 4 && number != std::nullopt);
  EXPECT_EQ(Optional<int64_t>().value_or(4), 4);
  EXPECT_EQ(Optional<int64_t>().value_or({}), 0);
  EXPECT_EQ(Optional<String>(String("text")).value_or({}), "text");
  Optional<String> text = "hello";
  text = "a longer text";
  EXPECT_EQ(text.value(), "a longer text");
  Optional<Number> ref = Number(2);
  EXPECT_TRUE(ref.defined());
  EXPECT_EQ(ref.get()->value, 2);
  Optional<Number> moved = std::move(ref);
  EXPECT_FALSE(ref.has_value());
  EXPECT_EQ(moved.value()->value, 2);
  moved = nullptr;
  EXPECT_TRUE(moved == nullptr);
  const Optional<ffi::Function> nothing = ffi::Function(nullptr);
  EXPECT_FALSE(nothing.has_value());
  DLTensor tensor{};
  tensor.ndim = 3;
  Optional<ffi::TensorView> view = ffi::TensorView(&tensor);
  const std::optional<ffi::TensorView> as_std = view;
  EXPECT_EQ(as_std->ndim(), 3);
  EXPECT_EQ(Optional<ffi::TensorView>(as_std).value().ndim(), 3);
  EXPECT_FALSE(Any(nullptr).cast<Optional<int64_t>>().has_value());
  EXPECT_EQ(ffi::TypeTraits<Optional<int64_t>>::TypeStr(), "Optional<int>");
  EXPECT_EQ(ffi::TypeTraits<Optional<int64_t>>::TypeSchema(),
            R"({"type":"Optional","args":[{"type":"int"}]})");
}

TEST(Optional, NullIsAbsentWhereAPointerIsStored) {
  const auto is_given = [](const Optional<Number> &number) { return number.has_value(); };
  EXPECT_FALSE(is_given(nullptr));
  EXPECT_FALSE(Optional<ffi::ObjectPtr<NumberObj>>(nullptr).has_value());
  EXPECT_FALSE(Optional<ffi::Function>(nullptr).has_value());
  EXPECT_TRUE(Optional<void *>(nullptr).has_value());
  // The same for a flag beside the value; but nothing that would be made of null is.
  EXPECT_TRUE(Optional<ffi::Any>(nullptr).has_value());
  static_assert(!std::is_constructible_v<Optional<ffi::TensorView>, std::nullptr_t>);
  static_assert(!std::is_constructible_v<Optional<std::string>, std::nullptr_t>);
  EXPECT_FALSE((std::is_convertible_v<std::nullptr_t, Optional<String>>));
}

TEST(Optional, SameAs) {
  const Number number(1);
  const Optional<Number> held(number), nothing;
  EXPECT_TRUE(held.same_as(number));
  EXPECT_TRUE(held.same_as(Optional<Number>(number)));
  EXPECT_FALSE(held.same_as(Number(1)));
  EXPECT_FALSE(held.same_as(nullptr));
  EXPECT_TRUE(nothing.same_as(nullptr));
  const Optional<int64_t> one(1), none;
  EXPECT_TRUE(one.same_as(1));
  EXPECT_FALSE(one.same_as(none));
  EXPECT_FALSE(one.same_as(number));
  EXPECT_TRUE(none.same_as(ffi::ObjectRef()));
  const ffi::ObjectPtr<NumberObj> pointer = ffi::make_object<NumberObj>(2);
  EXPECT_TRUE(Optional<ffi::ObjectPtr<NumberObj>>(pointer).same_as(pointer));
  EXPECT_FALSE(Optional<ffi::ObjectPtr<NumberObj>>(pointer).same_as(nullptr));
}

TEST(Variant, HoldsOneOfItsTypes) {
  ffi::Variant<double, String> value = 1.5;
  EXPECT_EQ(value.as<double>().value(), 1.5);
  EXPECT_FALSE(value.as<String>().has_value());
  value = String("text");
  EXPECT_EQ(value.get<String>(), "text");
  EXPECT_EQ((Any(3).cast<ffi::Variant<double, String>>().get<double>()), 3.0);
  EXPECT_EQ(Caught([] { Any(nullptr).cast<ffi::Variant<double, String>>(); }),
            "TypeError: Cannot convert from type `None` to `Variant<float, str>`");
}

TEST(DType, TextBothWays) {
  EXPECT_EQ(ffi::DLDataTypeToString(DLDataType{kDLFloat, 32, 1}), "float32");
  EXPECT_EQ(ffi::StringToDLDataType("int8x4"), (DLDataType{kDLInt, 8, 4}));
  EXPECT_NE(ffi::StringToDLDataType("int8"), (DLDataType{kDLUInt, 8, 1}));
  EXPECT_EQ(Any("bfloat16").cast<DLDataType>(), (DLDataType{kDLBfloat, 16, 1}));
  EXPECT_EQ(Caught([] { Any("nonsense").cast<DLDataType>(); }).substr(0, 11), "ValueError:");
  std::ostringstream os;
  os << DLDataType{kDLFloat, 16, 2};
  EXPECT_EQ(os.str(), "float16x2");
}

TEST(Device, IsReadAsItIsPrinted) {
  int count = 0;
  for (int type = -1; type < 64; ++type) {
    std::ostringstream stream;
    stream << DLDevice{static_cast<DLDeviceType>(type), 7};
    const std::optional<DLDevice> read = Any(stream.str()).try_cast<DLDevice>();
    if (!read.has_value()) {
      EXPECT_EQ(stream.str(), "device(" + std::to_string(type) + "):7");
      continue;
    }
    EXPECT_EQ(static_cast<int>(read->device_type), type) << stream.str();
    EXPECT_EQ(read->device_id, 7);
    ++count;
  }
  EXPECT_EQ(count, 16);
  EXPECT_EQ(Caught([] {
              TVM_FFI_THROW(E) << "on " << DLDevice{kDLCUDAManaged, 1};
            }),
            "E: on cuda_managed:1");
}

TEST(Device, FromText) {
  EXPECT_EQ(Any("cuda:3").cast<DLDevice>().device_id, 3);
  EXPECT_EQ(Any("mps").cast<DLDevice>().device_type, kDLMetal);
  EXPECT_EQ(Any("cpu extra").cast<DLDevice>().device_type, kDLCPU);
  EXPECT_EQ(Any("wgpu").cast<DLDevice>().device_type, kDLWebGPU);
  for (const char *bad : {"cuda:", "cuda:x", "gpu", "cuda:99999999999", ""}) {
    EXPECT_EQ(Caught([&] { Any(bad).cast<DLDevice>(); }).substr(0, 27),
              "TypeError: Cannot convert f")
        << bad;
  }
}

}  // namespace
