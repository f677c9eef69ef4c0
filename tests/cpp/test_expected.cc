/* SPDX-License-Identifier: Apache-2.0 */
/* Macros that return errors to the caller, and functions that return errors instead of throwing. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/tvm_ffi.h>

#include <memory>
#include <string>
#include <utility>

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Expected;
using ffi::Tensor;

namespace {

constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};
constexpr DLDevice kCPU = {kDLCPU, 0};

/* "Kind: message" for an error, "nothing" for a value. */
template <typename T>
std::string ErrorOf(const Expected<T> &outcome) {
  if (outcome.is_ok()) return "nothing";
  return outcome.error().kind() + ": " + outcome.error().message();
}

Expected<int64_t> Half(int64_t x) {
  if (x % 2 != 0) return TVM_FFI_UNEXPECTED(ValueError) << x << " is odd";
  return x / 2;
}

/* The macro in parentheses, as in an expression that another macro takes as an argument. */
Expected<int64_t> HalfInParentheses(int64_t x) {
  if (x == 1) return (TVM_FFI_UNEXPECTED(ValueError));
  if (x % 2 != 0) return (TVM_FFI_UNEXPECTED(TypeError) << x) << " is " << ffi::String("odd");
  return x / 2;
}

/* Two template parameters, so that a call may have a comma outside of parentheses. */
template <typename A, typename B>
Expected<int64_t> Third(A a, B b) {
  return a + b;
}

Expected<ffi::String> Quarter(int64_t x, int *reached) {
  TVM_FFI_ASSIGN_OR_RETURN(const int64_t half, Half(x));
  ++*reached;
  int64_t quarter = 0;
  TVM_FFI_ASSIGN_OR_RETURN(quarter, Half(half));
  TVM_FFI_ASSIGN_OR_RETURN(auto same, Third<int64_t, int64_t>(quarter, 0));
  ++*reached;
  return ffi::String(std::to_string(same));
}

TEST(Unexpected, InParentheses) {
  EXPECT_EQ(HalfInParentheses(4).value(), 2);
  EXPECT_EQ(ErrorOf(HalfInParentheses(1)), "ValueError: ");
  EXPECT_EQ(ErrorOf(HalfInParentheses(3)), "TypeError: 3 is odd");
  EXPECT_NE(HalfInParentheses(3).error().backtrace().find("HalfInParentheses"), std::string::npos);
}

TEST(Expected, IsAssignedOrReturned) {
  int reached = 0;
  EXPECT_EQ(Quarter(8, &reached).value(), "2");
  EXPECT_EQ(reached, 2);
  EXPECT_EQ(ErrorOf(Quarter(6, &reached)), "ValueError: 3 is odd");
  EXPECT_EQ(reached, 3);
  EXPECT_EQ(ErrorOf(Quarter(5, &reached)), "ValueError: 5 is odd");
  EXPECT_EQ(reached, 3);
}

/* Fails like a function of the C ABI. */
int RaiseTwo() {
  TVMFFIErrorSetRaisedFromCStr("MemoryError", "two");
  return -1;
}

Expected<void> Each(const Expected<int64_t> &kept, int code) {
  TVM_FFI_RETURN_IF_ERROR(kept);
  if (code == 1)
    TVM_FFI_RETURN_IF_ERROR(Half(1));
  else
    TVM_FFI_RETURN_IF_ERROR(code == 2 ? RaiseTwo() : 0);
  TVM_FFI_RETURN_IF_ERROR([&]() -> Expected<void> {
    TVM_FFI_RETURN_IF_ERROR(Half(code - 1));
    return {};
  }());
  return {};
}

TEST(Expected, ErrorIsReturned) {
  const Expected<int64_t> good = 3, bad = ffi::Error("KeyError", "kept", "");
  const void *identity = bad.error().get();
  EXPECT_EQ(ErrorOf(Each(good, 3)), "nothing");
  EXPECT_EQ(ErrorOf(Each(good, 1)), "ValueError: 1 is odd");
  EXPECT_EQ(ErrorOf(Each(good, 2)), "MemoryError: two");
  EXPECT_EQ(ErrorOf(Each(good, 4)), "ValueError: 3 is odd");
  EXPECT_EQ(Each(bad, 3).error().get(), identity);
  EXPECT_EQ(bad.error().get(), identity);  // a variable keeps its error
  const auto unexpected = [&]() -> ffi::Unexpected<> {
    TVM_FFI_RETURN_IF_ERROR(bad);
    return ffi::Unexpected(ffi::Error("ValueError", "other", ""));
  };
  EXPECT_EQ(unexpected().error().get(), identity);
}

TEST(Expected, ValueIsMovedOut) {
  const auto use_count = []() -> Expected<int64_t> {
    TVM_FFI_ASSIGN_OR_RETURN(const ffi::Array<int> items,
                             Expected<ffi::Array<int>>(ffi::Array<int>{1, 2}));
    return static_cast<int64_t>(items.use_count());
  };
  EXPECT_EQ(use_count().value(), 1);
}

struct CountingAlloc {
  int *live;
  Expected<void> AllocData(DLTensor *tensor, int64_t limit = 100) {
    const size_t size = ffi::GetDataSize(*tensor);
    if (static_cast<int64_t>(size) > limit)
      return TVM_FFI_UNEXPECTED(MemoryError) << size << " bytes";
    tensor->data = std::malloc(size);
    ++*live;
    return {};
  }
  void FreeData(DLTensor *tensor) {
    std::free(tensor->data);
    --*live;
  }
};
struct ThrowingAlloc {
  void AllocData(DLTensor *) { TVM_FFI_THROW(MemoryError) << "thrown"; }
  void FreeData(DLTensor *) { ADD_FAILURE() << "there is nothing to free"; }
};

/* A class without a move constructor: moving copies it, which may fail. */
struct ThrowingCopies {
  int *copies;
  explicit ThrowingCopies(int *left) : copies(left) {}
  ThrowingCopies(const ThrowingCopies &other) : copies(other.copies) {
    if (--*copies < 0) TVM_FFI_THROW(MemoryError) << "copied";
  }
  void AllocData(DLTensor *tensor) { tensor->data = nullptr; }
  void FreeData(DLTensor *) {}
};
struct MoveOnlyAlloc {
  std::unique_ptr<float[]> data;
  void AllocData(DLTensor *tensor) { tensor->data = data.get(); }
  void FreeData(DLTensor *) { data.reset(); }
};

TEST(Expected, OfAllocation) {
  int live = 0;
  {
    const Expected<Tensor> made =
        Tensor::FromNDAllocExpected(CountingAlloc{&live}, {2, 3}, kFloat32, kCPU);
    EXPECT_EQ(made.value().stride(0), 3);
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
  EXPECT_EQ(ErrorOf(Tensor::FromNDAllocExpected(CountingAlloc{&live}, {20, 3}, kFloat32, kCPU)),
            "MemoryError: 240 bytes");
  EXPECT_EQ(ErrorOf(Tensor::FromNDAllocExpected(CountingAlloc{&live}, {2}, kFloat32, kCPU, 7)),
            "MemoryError: 8 bytes");
  EXPECT_THROW(Tensor::FromNDAlloc(CountingAlloc{&live}, {20, 3}, kFloat32, kCPU), ffi::Error);
  EXPECT_EQ(Tensor::FromNDAllocStridedExpected(CountingAlloc{&live}, {2, 3}, {1, 2}, kFloat32, kCPU)
                .value()
                .stride(1),
            2);
  EXPECT_EQ(ErrorOf(Tensor::FromNDAllocStridedExpected(CountingAlloc{&live}, {2, 3}, {1}, kFloat32,
                                                       kCPU)),
            "ValueError: FromNDAllocStrided: shape and strides must have the same size.");
  EXPECT_EQ(live, 0);
  EXPECT_EQ(ErrorOf(Tensor::FromNDAllocExpected(ThrowingAlloc(), {2}, kFloat32, kCPU)),
            "MemoryError: thrown");
  int copies = 0;
  EXPECT_EQ(ErrorOf(Tensor::FromNDAllocExpected(ThrowingCopies(&copies), {2}, kFloat32, kCPU)),
            "MemoryError: copied");
  copies = 1;
  EXPECT_TRUE(Tensor::FromNDAllocExpected(ThrowingCopies(&copies), {2}, kFloat32, kCPU).is_ok());
  EXPECT_EQ(
      ErrorOf(Tensor::FromEnvAllocExpected(
          [](DLTensor *, TVMFFIObjectHandle *) { return RaiseTwo(); }, {2, 3}, kFloat32, kCPU)),
      "MemoryError: two");
}

TEST(Expected, AllocatorIsMoved) {
  MoveOnlyAlloc first{std::make_unique<float[]>(2)}, second{std::make_unique<float[]>(2)};
  const float *first_data = first.data.get(), *second_data = second.data.get();
  EXPECT_EQ(Tensor::FromNDAlloc(std::move(first), {2}, kFloat32, kCPU).data_ptr(), first_data);
  EXPECT_EQ(Tensor::FromNDAllocStridedExpected(std::move(second), {2}, {1}, kFloat32, kCPU)
                .value()
                .data_ptr(),
            second_data);
  EXPECT_TRUE(Tensor::FromNDAllocExpected(MoveOnlyAlloc(), {2}, kFloat32, kCPU).is_ok());
  EXPECT_FALSE(
      Tensor::FromNDAllocStrided(MoveOnlyAlloc(), {2, 2}, {1, 2}, kFloat32, kCPU).IsContiguous());
}

TEST(Expected, OfTensors) {
  int live = 0;
  const Tensor x = Tensor::FromNDAlloc(CountingAlloc{&live}, {2, 3}, kFloat32, kCPU);
  EXPECT_EQ(x.as_strided_expected({3, 2}, {1, 3}).value().size(0), 3);
  EXPECT_EQ(ErrorOf(x.as_strided_expected({3, 2}, {1})),
            "ValueError: as_strided: shape and strides must have the same size.");
  EXPECT_EQ(ErrorOf(x.as_strided_expected({1}, {1}, -1)),
            "ValueError: as_strided: element_offset must not be negative.");
  EXPECT_EQ(ErrorOf(Tensor().as_strided_expected({1}, {1})),
            "InternalError: a null Tensor has no view");
  EXPECT_THROW(Tensor().as_strided({1}, {1}), ffi::Error);
  const Tensor odd = x.as_strided({2, 2}, {3, 1});
  DLManagedTensor *exported = odd.ToDLPack();
  const Expected<Tensor> refused = Tensor::FromDLPackExpected(exported, 0, true);
  EXPECT_EQ(refused.error().kind(), "RuntimeError");
  EXPECT_EQ(Tensor::FromDLPackExpected(exported).value().size(1), 2);  // not taken before
  DLManagedTensorVersioned *versioned = odd.ToDLPackVersioned();
  EXPECT_TRUE(Tensor::FromDLPackVersionedExpected(versioned, 0, true).is_err());
  EXPECT_EQ(Tensor::FromDLPackVersionedExpected(versioned).value().data_ptr(), odd.data_ptr());
}

TEST(Expected, OfValues) {
  const Any number = 3, text = ffi::String("three");
  EXPECT_EQ(number.cast_expected<double>().value(), 3.0);
  EXPECT_EQ(ErrorOf(text.cast_expected<int>()),
            "TypeError: Cannot convert from type `ffi.SmallStr` to `int`");
  EXPECT_EQ(ffi::AnyView(7).cast_expected<int>().value(), 7);
  EXPECT_EQ(ErrorOf(ffi::AnyView(text).cast_expected<DLDataType>()).substr(0, 11), "ValueError:");
  EXPECT_EQ(ffi::StringToDLDataTypeExpected("float32").value().bits, 32);
  EXPECT_EQ(ffi::StringToDLDataTypeExpected("three").error().kind(), "ValueError");
}

/* An AnyView may be an argument that any caller passed. */
TEST(Expected, OfBorrowedValues) {
  DLTensor tensor{};
  const ffi::AnyView view(&tensor);
  EXPECT_EQ(ErrorOf(view.cast_expected<Any>()),
            "RuntimeError: DLTensor* cannot be held in Any as it does not retain ownership, use "
            "Tensor instead");
  EXPECT_EQ(ErrorOf(view.cast_expected<Tensor>()).substr(0, 10), "TypeError:");
  EXPECT_EQ(ffi::AnyView("text").cast_expected<Any>().value().cast<ffi::String>(), "text");
  EXPECT_EQ(ffi::AnyView("text").cast_expected<ffi::String>().value(), "text");
  EXPECT_EQ(ffi::AnyView(1).cast_expected<Any>().value().cast<int>(), 1);
  const ffi::Array<int> array = {1};
  EXPECT_EQ(ffi::AnyView(array).cast_expected<Any>().value().as<ffi::ArrayObj>(), array.get());
  EXPECT_EQ(array.use_count(), 1);
  EXPECT_TRUE(view.try_cast<ffi::TensorView>().has_value());
}

TEST(Expected, OfValuesThatAreMoved) {
  Any owner = ffi::Array<int>{1, 2};
  ffi::Array<int> items = owner.cast_expected<ffi::Array<int>>().value();
  EXPECT_EQ(items.use_count(), 2);
  items = ffi::Array<int>();
  items = std::move(owner).cast_expected<ffi::Array<int>>().value();
  EXPECT_TRUE(items.unique());
  EXPECT_TRUE(owner == nullptr);
  owner = std::move(items);
  EXPECT_EQ(ErrorOf(std::move(owner).cast_expected<int>()),
            "TypeError: Cannot convert from type `ffi.Array` to `int`");
  EXPECT_EQ(owner.as<ffi::ArrayObj>()->size(), 2u);  // a failed cast does not move the value out
  const Any moved = std::move(owner).cast_expected<Any>().value();
  EXPECT_EQ(moved.as<ffi::ArrayObj>()->use_count(), 1);
  EXPECT_EQ(Any(3).cast_expected<double>().value(), 3.0);
}

TEST(Expected, OfContainers) {
  const ffi::Array<int> array = {1, 2};
  const ffi::List<int> list = {1, 2};
  const ffi::Map<ffi::String, int> map = {{"a", 1}};
  EXPECT_EQ(array.at_expected(1).value(), 2);
  EXPECT_EQ(ErrorOf(array.at_expected(2)), "IndexError: Index 2 out of bounds 2");
  EXPECT_EQ(ErrorOf(list.at_expected(-1)), "IndexError: Index -1 out of bounds 2");
  EXPECT_EQ(map.at_expected("a").value(), 1);
  EXPECT_EQ(ErrorOf(map.at_expected("b")), "KeyError: key is not in Map");
  ffi::Array<int> moved = array;
  const ffi::Array<int> taken = std::move(moved);
  EXPECT_EQ(ErrorOf(moved.at_expected(0)), "IndexError: cannot index a null array");
  EXPECT_EQ(taken.GetArrayObj()->at_expected(0).value().cast<int>(), 1);
}

TEST(Expected, OfFunctions) {
  const ffi::Function odd = ffi::Function::FromTyped([](int64_t x) { return x % 2 == 1; });
  EXPECT_TRUE(ffi::Function::SetGlobalExpected("test.cpp.odd", odd).is_ok());
  EXPECT_EQ(ffi::Function::SetGlobalExpected("test.cpp.odd", odd).error().kind(), "RuntimeError");
  EXPECT_TRUE(ffi::Function::GetGlobalRequiredExpected("test.cpp.odd").value().same_as(odd));
  EXPECT_EQ(ErrorOf(ffi::Function::GetGlobalRequiredExpected("test.cpp.even")),
            "ValueError: Function test.cpp.even not found");
  const ffi::TypedFunction<bool(int64_t)> typed(odd);
  EXPECT_TRUE(typed.CallExpected(3).value());
  const ffi::TypedFunction<bool(ffi::String)> wrong(odd);
  EXPECT_EQ(wrong.CallExpected("x").error().kind(), "TypeError");
  const auto *cell = odd.get();
  void *self = const_cast<void *>(static_cast<const void *>(cell));
  EXPECT_TRUE(ffi::Function::InvokeExternCExpected<bool>(self, cell->safe_call, 3).value());
  EXPECT_EQ(ffi::Function::InvokeExternCExpected(self, cell->safe_call, "x").error().kind(),
            "TypeError");
}

TEST(Expected, OfModulesAndText) {
  EXPECT_TRUE(ffi::Module::LoadFromFileExpected("/nowhere/none.so").is_err());
  EXPECT_EQ(ffi::json::ParseExpected("[1, 2]").value().cast<ffi::Array<int>>()[1], 2);
  EXPECT_EQ(ffi::json::ParseExpected("[1").error().kind(), "ValueError");
  EXPECT_EQ(ffi::json::StringifyExpected(ffi::Array<int>{1}).value(), "[1]");
}

ffi::Module WithoutExceptions() {
  return ffi::Module::LoadFromFile(std::string(std::getenv("TVM_FFI_TEST_CPP_MODULES")) +
                                   "/kernels_noexcept.so");
}

TEST(Expected, OfFunctionsOfModules) {
  const ffi::Module module = WithoutExceptions();
  EXPECT_TRUE(module->GetFunctionExpected("half").is_ok());
  EXPECT_EQ(ErrorOf(module->GetFunctionExpected("absent")),
            "AttributeError: Module has no function `absent`");
}

TEST(Expected, WithoutExceptions) {
  const ffi::Module module = WithoutExceptions();
  DLTensor tensor{};
  int64_t size = 3;
  tensor.ndim = 1;
  tensor.shape = &size;
  const ffi::Function keep = module->GetFunctionExpected("keep").value();
  EXPECT_EQ(ErrorOf(keep.CallExpected(&tensor)).substr(0, 24), "RuntimeError: DLTensor* ");
  EXPECT_EQ(keep.CallExpected<ffi::String>("kept").value(), "kept");
  const ffi::Function numel = module->GetFunctionExpected("numel_of").value();
  EXPECT_EQ(numel.CallExpected<int64_t>(&tensor).value(), 3);
  EXPECT_EQ(ErrorOf(numel.CallExpected<int64_t>(1)),
            "TypeError: Check failed: (view.has_value()) is false: no tensor");
}

#if GTEST_HAS_DEATH_TEST
TEST(Expected, WithoutExceptionsTheEndHasAMessage) {
  const ffi::Function size = WithoutExceptions()->GetFunctionExpected("size_at").value();
  EXPECT_DEATH(size(ffi::Shape({1}), 4),
               "IndexError: indexing 4 on a Shape of size 1 \\(thrown by code that");
}
#endif

}  // namespace
