/* SPDX-License-Identifier: Apache-2.0 */
/* Functions made in place, called through the C ABI, and their properties. */
#include <gtest/gtest.h>
#include <tvm/ffi/function_details.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::AnyView;
using ffi::Function;
using ffi::String;

namespace {

struct Counter {
  Counter(int initial, int *count) : value(initial), alive(count) { ++*alive; }
  Counter(const Counter &) = delete;
  ~Counter() { --*alive; }
  void operator()(ffi::PackedArgs args, Any *result) { *result = value += args.size(); }
  int value;
  int *alive;
};

class CellObj : public ffi::Object {
 public:
  int Add(int64_t) { return 0; }
  bool Has(String) const { return false; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Cell", CellObj, ffi::Object);
};

TEST(FromPackedInplace, GivesTheCallableToo) {
  int alive = 0;
  {
    auto [function, counter] = Function::FromPackedInplace<Counter>(5, &alive);
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(function(1, 2).cast<int>(), 7);
    counter->value = 10;
    EXPECT_EQ(function().cast<int>(), 10);
  }
  EXPECT_EQ(alive, 0);
}

TEST(UnpackCall, ChecksAndCalls) {
  const auto add = [](int a, const String &b) { return a + static_cast<int>(b.size()); };
  const std::string name = "add";
  const std::string *no_name = nullptr;
  const AnyView args[] = {1, "abc", 2.5};
  const std::index_sequence<0, 1> two;
  Any result = String("an object that was there before");
  ffi::detail::unpack_call<int>(two, &name, add, args, 2, &result);
  EXPECT_EQ(result.cast<int>(), 4);
  EXPECT_EQ(Caught([&] { ffi::detail::unpack_call<int>(two, no_name, add, args, 3, &result); }),
            "TypeError: Mismatched number of arguments when calling: `(0: int, 1: str) -> int`. "
            "Expected 2 but got 3 arguments");
  EXPECT_EQ(Caught([&] { ffi::detail::unpack_call<int>(two, &name, add, args + 1, 2, &result); }),
            "TypeError: Mismatched type on argument #0 when calling: "
            "`add(0: int, 1: str) -> int`. Expected `int` but got `const char*`");
}

TEST(FunctionInfo, OfFunctionsAndMembers) {
  using Info = ffi::details::FunctionInfo<int (*)(int64_t, String)>;
  using Add = ffi::detail::FunctionInfo<decltype(&CellObj::Add)>;
  using Has = ffi::detail::FunctionInfo<decltype(&CellObj::Has)>;
  static_assert(std::is_same_v<Info::RetType, int> && Info::num_args == 2, "");
  static_assert(std::is_same_v<Info::ArgType, std::tuple<int64_t, String>>, "");
  static_assert(std::is_same_v<Info::FType, int(int64_t, String)>, "");
  static_assert(std::is_same_v<Add::ArgType, std::tuple<CellObj *, int64_t>>, "");
  static_assert(std::is_same_v<Has::ArgType, std::tuple<const CellObj *, String>>, "");
  EXPECT_EQ(Info::Sig(), "(0: int, 1: str) -> int");
  EXPECT_EQ(Has::Sig(), "(0: test.cpp.Cell, 1: str) -> bool");
  EXPECT_EQ(Add::TypeSchema(),
            "{\"type\":\"ffi.Function\",\"named_args\":{\"return\":[{\"type\":\"int\"}],"
            "\"params\":[{\"type\":\"test.cpp.Cell\"},{\"type\":\"int\"}]}}");
}

TEST(ExpectedUnsafe, ValueAs) {
  const ffi::Expected<Any> expected = Any(3);
  EXPECT_EQ(ffi::detail::ExpectedUnsafe::ValueAs<int>(expected), 3);
  EXPECT_TRUE((ffi::type_subsumes_v<ffi::Expected<Any>, ffi::Expected<int>>));
  EXPECT_FALSE((ffi::type_subsumes_v<ffi::Expected<Any>, int>));
}

}  // namespace
