/* SPDX-License-Identifier: Apache-2.0 */
/* The one-line calls of extra/: what the layer does, not the runtime. tests/compat/names_extra.cc
 * has their results. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Array;
using ffi::Function;
using ffi::String;

namespace {

class Extra : public testing::Test {
 protected:
  void SetUp() override {
    if (!Function::GetGlobal("ffi.ReprPrint")) GTEST_SKIP() << "this build has none of extra/";
  }
};

/* No other test may call RecursiveGe: a function that was found once is kept. */
TEST_F(Extra, AFunctionThatIsMissingIsAskedForAgain) {
  const Function kept = Function::GetGlobalRequired("ffi.RecursiveGe");
  Function::RemoveGlobal("ffi.RecursiveGe");
  EXPECT_EQ(Caught([] { ffi::RecursiveGe(1, 1); }),
            "ValueError: Function ffi.RecursiveGe not found");
  Function::SetGlobal("ffi.RecursiveGe", kept);
  EXPECT_TRUE(ffi::RecursiveGe(1, 1));
}

TEST_F(Extra, JsonErrorsAreThrownOrTold) {
  String message = "before";
  EXPECT_EQ(Caught([] { ffi::json::Parse("{"); }).substr(0, 11), "ValueError:");
  EXPECT_TRUE(ffi::json::Parse("{", &message) == nullptr);
  EXPECT_FALSE(message.empty());
  EXPECT_EQ(ffi::json::Parse("[7]", &message).cast<ffi::json::Array>()[0].cast<int>(), 7);
  EXPECT_TRUE(message.empty());
  EXPECT_TRUE(ffi::json::Parse("null", &message) == nullptr);
  EXPECT_TRUE(message.empty());
  EXPECT_EQ(ffi::json::Stringify(ffi::json::Object{{"a", 1}}, 1), "{\n \"a\": 1\n}");
}

TEST_F(Extra, KeysHoldWhatTheyStandFor) {
  Array<int> value{1, 2};
  const ffi::StructuralKey key(value);
  EXPECT_EQ(value.use_count(), 2);
  EXPECT_TRUE(key->key.same_as(value));
  const ffi::StructuralKey same(Array<int>{1, 2});
  EXPECT_EQ(ffi::make_object<ffi::StructuralKeyObj>()->hash_i64, 0);
  EXPECT_TRUE(key == same);
  EXPECT_FALSE(key.same_as(same));
  ffi::Map<ffi::StructuralKey, int> map{{key, 1}};
  EXPECT_EQ(map[same], 1);
  EXPECT_EQ(map.find(same) == map.end(), false);
  EXPECT_EQ(map[Any(ffi::make_object<ffi::StructuralKeyObj>(value)).cast<ffi::StructuralKey>()], 1);
  EXPECT_EQ(Caught([&] { map.at(ffi::StructuralKey(Any(1))); }), "KeyError: key is not in Map");
}

TEST_F(Extra, TensorsAreComparedAsAsked) {
  const auto make = [](float value) {
    struct Alloc {
      void AllocData(DLTensor *tensor) { tensor->data = new float[1]; }
      void FreeData(DLTensor *tensor) { delete[] static_cast<float *>(tensor->data); }
    };
    ffi::Tensor tensor =
        ffi::Tensor::FromNDAlloc(Alloc(), {1}, DLDataType{kDLFloat, 32, 1}, DLDevice{kDLCPU, 0});
    *static_cast<float *>(tensor.data_ptr()) = value;
    return tensor;
  };
  const ffi::Tensor first = make(1), second = make(2);
  EXPECT_FALSE(ffi::StructuralEqual::Equal(first, second));
  EXPECT_TRUE(ffi::StructuralEqual::Equal(first, second, false, true));
  EXPECT_TRUE(ffi::StructuralEqual::GetFirstMismatch(first, second).has_value());
  EXPECT_NE(ffi::StructuralHash::Hash(first), ffi::StructuralHash::Hash(second));
  EXPECT_EQ(ffi::StructuralHash::Hash(first, false, true),
            ffi::StructuralHash::Hash(second, false, true));
}

TEST_F(Extra, GraphsComeBack) {
  const ffi::List<Any> shared{1};
  const auto back = ffi::FromJSONGraph(ffi::ToJSONGraph(Array<Any>{shared, shared}))
                        .cast<Array<ffi::List<Any>>>();
  EXPECT_TRUE(back[0].same_as(back[1]));
  EXPECT_FALSE(back[0].same_as(shared));
  const Any copy = ffi::DeepCopy(back);
  EXPECT_FALSE(copy.cast<Array<Any>>()[0].same_as(back[0]));
  EXPECT_TRUE(ffi::RecursiveEq(copy, back));
}

/* A reference that also converts to bool, so that more than one operator<< fits. */
class Truthy : public ffi::ObjectRef {
 public:
  using ffi::ObjectRef::ObjectRef;
  operator bool() const { return defined(); }
};

TEST_F(Extra, StreamsTakeReferencesThatConvert) {
  std::ostringstream os;
  const Array<int> array = {1};
  os << Truthy(ffi::GetObjectPtr<ffi::Object>(array.GetArrayObj())) << ffi::ObjectRef()
     << ffi::Optional<Array<int>>(Array<int>{2});
  EXPECT_EQ(os.str(), "(1,)None(2,)");
}

TEST_F(Extra, StreamsTakeValues) {
  std::ostringstream os;
  os << Any(Array<Any>{1, "a"}) << ffi::Optional<int>() << ffi::Variant<int, String>(2)
     << String("s") << ffi::Shape{1} << '.' << 1.5 << "t";
  EXPECT_EQ(os.str(), "(1, \"a\")None2s[1].1.5t");
  EXPECT_EQ(Caught([] { TVM_FFI_THROW(ValueError) << "got " << Array<int>{1}; }),
            "ValueError: got (1,)");
  EXPECT_EQ(Caught([] { TVM_FFI_CHECK(false, TypeError) << Any(nullptr) << ffi::AnyView(1); }),
            "TypeError: Check failed: (false) is false: None1");
}

}  // namespace
