/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, the messages of the macros, and errors as values. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include <clocale>
#include <locale>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Error;
using ffi::Expected;

namespace printed {
struct Point {
  int x, y;
};
std::ostream &operator<<(std::ostream &os, const Point &p) {
  return os << p.x << '/' << p.y;
}
enum Color { kRed = 2 };
enum Shade { kDark };
std::ostream &operator<<(std::ostream &os, Shade) {
  return os << "dark";
}
struct Quoted {
  const char *data() const { return "text"; }
  size_t size() const { return 4; }
};
std::ostream &operator<<(std::ostream &os, const Quoted &) {
  return os << "'text'";
}
struct Count {
  operator int() const { return 42; }
};
}  // namespace printed

/* Operators for types of other namespaces: only code in this namespace finds them. */
namespace scoped {
std::ostream &operator<<(std::ostream &os, DLDevice device) {
  return os << "device " << device.device_id;
}
std::ostream &operator<<(std::ostream &os, DLDeviceType type) {
  return os << "type " << static_cast<int>(type);
}
std::ostream &operator<<(std::ostream &os, const std::pair<int, int> &pair) {
  return os << pair.first << ':' << pair.second;
}
template <typename T>
std::ostream &operator<<(std::ostream &os, const std::vector<T> &items) {
  return os << items.size() << " items";
}
enum class Level { kHigh = 3 };
template <typename T, typename = std::enable_if_t<std::is_same_v<T, Level>>>
std::ostream &operator<<(std::ostream &os, T level) {
  return os << "level " << static_cast<int>(level);
}
bool operator==(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

namespace inner {

void Throw(DLDevice device) {
  TVM_FFI_THROW(E) << device << ", " << 1;
}
void Check(DLDevice device) {
  TVM_FFI_CHECK(device == DLDevice{}, E) << "got " << device << ' ' << kDLCUDA;
}
void CheckEq(DLDevice device) {
  TVM_FFI_ICHECK_EQ(device.device_id, 0) << device << std::pair<int, int>(1, 2);
}
Expected<int> Unexpect(DLDevice device) {
  return TVM_FFI_UNEXPECTED(E) << "no " << device << std::hex << ' ' << 255;
}
Expected<int> RetCheck(DLDevice device) {
  TVM_FFI_RET_CHECK(device == DLDevice{}, E) << std::vector<int>{1, 2} << ' ' << device;
  return 1;
}

}  // namespace inner
}  // namespace scoped

/* Pass a statement on from one macro to another. */
#define HANDED_ON(statement) statement
#define AS_ONE_ARGUMENT(statement) HANDED_ON(statement)

namespace {

TEST(Throw, FormatsAsAStreamDoes) {
  const void *none = nullptr;
  std::ostringstream expected;
  const auto put = [&](auto &&os) -> auto & {
    os << 1 << ' ' << -2L << ' ' << 3ull << ' ' << 1.5f << ' ' << 1e300 << ' ' << 0.1 << ' ' << true
       << ' ' << 'c' << ' ' << "text" << ' ' << std::string("std") << ' ' << none << ' '
       << std::string_view("view") << ' ' << printed::kRed << ' ' << static_cast<short>(-5) << ' '
       << static_cast<unsigned char>('u') << ' ' << nullptr << ' ' << DLDataType{kDLInt, 8, 1};
    return os;
  };
  put(expected);
  EXPECT_EQ(Caught([&] {
              TVM_FFI_THROW(ValueError)
                  << 1 << ' ' << -2L << ' ' << 3ull << ' ' << 1.5f << ' ' << 1e300 << ' ' << 0.1
                  << ' ' << true << ' ' << 'c' << ' ' << "text" << ' ' << std::string("std") << ' '
                  << none << ' ' << std::string_view("view") << ' ' << printed::kRed << ' '
                  << static_cast<short>(-5) << ' ' << static_cast<unsigned char>('u') << ' '
                  << nullptr << ' ' << DLDataType{kDLInt, 8, 1};
            }),
            "ValueError: " + expected.str());
  const int local = 3;
  std::ostringstream pointer;
  pointer << &local;
  EXPECT_EQ(Caught([&] { TVM_FFI_THROW(E) << &local; }), "E: " + pointer.str());
}

class Comma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(Throw, WritesAPointWhateverTheGlobalLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new Comma));
  const std::string caught = Caught([] {
    TVM_FFI_THROW(E) << printed::Point{1, 2} << ' ' << 1.5 << ' ' << 2000;
  });
  std::locale::global(before);
  EXPECT_EQ(caught, "E: 1/2 1.5 2000");
}

/** Streams do not take the locale of the C library. */
TEST(Throw, WritesAPointInEveryLocale) {
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) GTEST_SKIP();
  const std::string caught =
      Caught([] { TVM_FFI_THROW(E) << 1.5f << ' ' << -1e-300 << ' ' << 2.0; });
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(caught, "E: 1.5 -1e-300 2");
}

TEST(Throw, TakesWhatOnlyAStreamKnows) {
  EXPECT_EQ(Caught([] {
              TVM_FFI_THROW(E) << "at " << printed::Point{1, 2} << ", " << 3;
            }),
            "E: at 1/2, 3");
  EXPECT_EQ(Caught([] { TVM_FFI_THROW(E) << 10 << ' ' << std::hex << 255 << std::setw(4) << 1; }),
            "E: 10 ff   1");
  EXPECT_EQ(Caught([] { TVM_FFI_THROW(E) << printed::kDark << std::endl; }), "E: dark\n");
  EXPECT_EQ(Caught([] {
              TVM_FFI_THROW(E) << ffi::String("own") << ffi::Shape({1, 2});
            }),
            "E: own[1, 2]");
}

TEST(Throw, FindsOperatorsWhereItIsWritten) {
  const DLDevice device{kDLCUDA, 7};
  EXPECT_EQ(Caught([&] { scoped::inner::Throw(device); }), "E: device 7, 1");
  EXPECT_EQ(Caught([&] { scoped::inner::Check(device); }),
            "E: Check failed: (device == DLDevice{}) is false: got device 7 type 2");
  EXPECT_EQ(Caught([&] { scoped::inner::CheckEq(device); }),
            "InternalError: Check failed: device.device_id == 0 (7 vs. 0) : device 71:2");
  EXPECT_EQ(scoped::inner::Unexpect(device).error().message(), "no device 7 ff");
  EXPECT_EQ(scoped::inner::RetCheck(device).error().message(),
            "Check failed: (device == DLDevice{}) is false: 2 items device 7");
  EXPECT_EQ(Caught([] { TVM_FFI_THROW(E) << scoped::Level::kHigh; }), "E: level 3");
}

TEST(Throw, PrefersOperatorsToConversions) {
  enum Letter : unsigned char { kA = 65 };
  EXPECT_EQ(Caught([] { TVM_FFI_THROW(E) << printed::Quoted() << std::string(" s"); }),
            "E: 'text' s");
  EXPECT_EQ(Caught([] { TVM_FFI_THROW(E) << printed::Count() << ' ' << kA << ' ' << kDLCPU; }),
            "E: 42 A 1");
}

TEST(Throw, StandsInOtherMacros) {
  int x = 1;
  EXPECT_THROW({ TVM_FFI_THROW(ValueError) << x << ", "; }, Error);
  EXPECT_THROW(TVM_FFI_LOG_AND_THROW(ValueError) << x, Error);
  EXPECT_THROW({ TVM_FFI_CHECK(x == 2, ValueError) << x; }, Error);
  EXPECT_THROW(TVM_FFI_CHECK_EQ(x, 2, ValueError) << x, Error);
  EXPECT_THROW(TVM_FFI_ICHECK(false) << x, Error);
  EXPECT_THROW(TVM_FFI_ICHECK_NE(x, 1) << x, Error);
  EXPECT_THROW(TVM_FFI_CHECK_NOTNULL(static_cast<int *>(nullptr), ValueError), Error);
  EXPECT_THROW(TVM_FFI_ICHECK_NOTNULL(static_cast<int *>(nullptr)), Error);
  EXPECT_NO_THROW(TVM_FFI_DCHECK_LT(x, 2) << x);
  EXPECT_NO_THROW(TVM_FFI_CHECK_SAFE_CALL(x - 1));
  const auto checked = [](int y) -> Expected<int> {
    AS_ONE_ARGUMENT(TVM_FFI_RET_CHECK(y > 0, ValueError) << y;
                    TVM_FFI_RET_CHECK_EQ(y, 1, KeyError) << y);
    AS_ONE_ARGUMENT(if (y == 1) return TVM_FFI_UNEXPECTED(TypeError) << y);
    return y;
  };
  EXPECT_EQ(checked(0).error().kind(), "ValueError");
  EXPECT_EQ(checked(2).error().kind(), "KeyError");
  EXPECT_EQ(checked(1).error().message(), "1");
}

TEST(Throw, SaysWhere) {
  try {
    TVM_FFI_THROW(CustomKind) << "message";
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), "CustomKind");
    EXPECT_NE(error.FullMessage().find("CustomKind: message\n"), std::string::npos);
    EXPECT_NE(error.FullMessage().find("line "), std::string::npos);
    EXPECT_NE(error.backtrace().find("test_error.cc"), std::string::npos);
  }
}

TEST(Check, Texts) {
  int evaluated = 0;
  EXPECT_EQ(Caught([&] { TVM_FFI_CHECK(++evaluated == 2, TypeError) << "more"; }),
            "TypeError: Check failed: (++evaluated == 2) is false: more");
  EXPECT_EQ(evaluated, 1);
  EXPECT_EQ(Caught([&] {
              TVM_FFI_ICHECK_EQ(++evaluated, 3)
              "pasted "
                  << "more";
            }),
            "InternalError: Check failed: ++evaluated == 3 (2 vs. 3) : pasted more");
  const size_t unsigned_size = 3;
  EXPECT_EQ(Caught([&] { TVM_FFI_CHECK_LT(unsigned_size, 2, ValueError); }),
            "ValueError: Check failed: unsigned_size < 2 (3 vs. 2) : ");
  EXPECT_EQ(
      Caught([] {
        TVM_FFI_ICHECK_EQ((DLDataType{kDLInt, 8, 1}), (DLDataType{kDLInt, 16, 1}));
      }),
      "InternalError: Check failed: (DLDataType{kDLInt, 8, 1}) == (DLDataType{kDLInt, 16, 1}) "
      "(int8 vs. int16) : ");
  void *none = nullptr;
  EXPECT_EQ(Caught([&] { TVM_FFI_ICHECK_NE(none, nullptr); }),
            "InternalError: Check failed: none != nullptr (0 vs. nullptr) : ");
  EXPECT_EQ(Caught([&] { TVM_FFI_CHECK_NOTNULL(none, ValueError); }),
            "ValueError: Check not null: none ");
  EXPECT_EQ(*TVM_FFI_ICHECK_NOTNULL(&evaluated), 2);
  EXPECT_EQ(Caught([] { TVM_FFI_ICHECK_EQ(printed::kRed, 3); }),
            "InternalError: Check failed: printed::kRed == 3 (2 vs. 3) : ");
  EXPECT_EQ(Caught([] { TVM_FFI_ICHECK_GE(1.5, 2); }),
            "InternalError: Check failed: 1.5 >= 2 (1.5 vs. 2) : ");
}

TEST(Check, ElseBelongsToTheIfInFront) {
  bool otherwise = false;
  if (otherwise)
    TVM_FFI_CHECK(true, ValueError) << "unused";
  else
    otherwise = true;
  EXPECT_TRUE(otherwise);
  for (int i = 0; i < 2; ++i) TVM_FFI_ICHECK_GE(i, 0) << "unused";
}

TEST(Error, CarriesCauseAndContext) {
  const Error cause("KeyError", "inner", "");
  const Error error("ValueError", std::string("outer"), "  File \"a\", line 1, in f\n  b\n", cause,
                    ffi::ObjectRef(ffi::Shape({1})));
  EXPECT_EQ(error.cause_chain()->message(), "inner");
  EXPECT_TRUE(error.cause_chain()->same_as(cause));
  EXPECT_TRUE(error.extra_context()->as<ffi::Shape>().has_value());
  EXPECT_FALSE(cause.cause_chain().has_value());
  EXPECT_EQ(error.TracebackMostRecentCallLast(), "  b\n  File \"a\", line 1, in f\n");
  EXPECT_EQ(error.FullMessage(),
            "Traceback (most recent call last):\n  b\n  File \"a\", line 1, in f\nValueError: "
            "outer\n");
}

TEST(Error, IsTheSameObjectOnBothSidesOfACall) {
  const Error thrown("ValueError", "kept", "");
  const ffi::Function f = ffi::Function::FromTyped([&]() { throw thrown; });
  try {
    f();
    FAIL();
  } catch (const Error &caught) {
    EXPECT_TRUE(caught.same_as(thrown));
  }
  const ffi::Function std_error =
      ffi::Function::FromTyped([]() { throw std::runtime_error("std text"); });
  EXPECT_EQ(Caught([&] { std_error(); }), "InternalError: std text");
  const ffi::Function number = ffi::Function::FromTyped([]() { throw 3; });
  EXPECT_EQ(Caught([&] { number(); }).substr(0, 15), "InternalError: ");
}

int Callback(void *, const TVMFFIAny *args, int32_t, TVMFFIAny *result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  const int64_t x = reinterpret_cast<const ffi::AnyView *>(args)[0].cast<int64_t>();
  reinterpret_cast<ffi::Any *>(result)[0] = x + 1;
  TVM_FFI_SAFE_CALL_END();
}

TEST(SafeCall, MakesCallbacksOfBodiesThatThrow) {
  EXPECT_EQ(ffi::Function::InvokeExternC(nullptr, Callback, 3).cast<int>(), 4);
  EXPECT_EQ(Caught([] { ffi::Function::InvokeExternC(nullptr, Callback, "x"); }),
            "TypeError: Cannot convert from type `const char*` to `int`");
}

Expected<int64_t> CheckedHalf(int64_t x) noexcept {
  TVM_FFI_RET_CHECK(x % 2 == 0, ValueError) << x << " is odd";
  TVM_FFI_RET_CHECK_NE(x, 8, KeyError) << printed::Point{1, 2} << std::hex << 255;
  if (x == 6) return TVM_FFI_UNEXPECTED(RuntimeError) << "six" << std::endl;
  return x / 2;
}

TEST(Expected, ValueOrError) {
  EXPECT_EQ(CheckedHalf(4).value(), 2);
  EXPECT_EQ(CheckedHalf(3).error().message(), "Check failed: (x % 2 == 0) is false: 3 is odd");
  EXPECT_EQ(CheckedHalf(8).error().message(), "Check failed: x != 8 (8 vs. 8) : 1/2ff");
  EXPECT_EQ(CheckedHalf(6).error().kind(), "RuntimeError");
  EXPECT_EQ(CheckedHalf(6).error().message(), "six\n");
  EXPECT_NE(CheckedHalf(6).error().backtrace().find("in "), std::string::npos);
  EXPECT_EQ(CheckedHalf(3).value_or(-1), -1);
  EXPECT_EQ(Caught([] { CheckedHalf(3).value(); }).substr(0, 11), "ValueError:");
  EXPECT_EQ(Caught([] { CheckedHalf(4).error(); }),
            "RuntimeError: Bad expected access: contains value, not error");
  const Expected<ffi::Any> any = CheckedHalf(4);
  EXPECT_EQ(any.as_or_error<int64_t>().value(), 2);
  EXPECT_EQ(any.as_or_error<ffi::String>().error().message(),
            "Cannot treat type `int` as type `str`");
  Expected<ffi::Any> string = ffi::Any(ffi::Shape({1}));
  EXPECT_TRUE(std::move(string).as_or_error<ffi::String>().is_err());
  EXPECT_EQ(string.as_or_error<ffi::Shape>().value().use_count(), 2);
  EXPECT_EQ(std::move(string).as_or_error<ffi::Shape>().value().use_count(), 1);
  EXPECT_EQ(string.type_index(), kTVMFFINone);
  EXPECT_TRUE(Expected<void>().is_ok());
}

TEST(Expected, TravelsAsAValue) {
  const ffi::Any number = Expected<int64_t>(3);
  EXPECT_EQ(number.try_cast<Expected<double>>().value().value(), 3.0);
  EXPECT_FALSE(number.try_cast<Expected<ffi::String>>().has_value());
  EXPECT_FALSE(number.try_cast<Expected<void>>().has_value());
  EXPECT_TRUE(ffi::Any(Expected<void>()).cast<Expected<void>>().is_ok());
  const ffi::Any error = Expected<int64_t>(Error("KeyError", "kept", ""));
  EXPECT_EQ(error.cast<Expected<void>>().error().message(), "kept");
  EXPECT_EQ(error.cast<Expected<ffi::String>>().error().kind(), "KeyError");
  static_assert(!std::is_convertible_v<Expected<void>, Expected<ffi::Any>>);
}

TEST(Expected, OfCalls) {
  const ffi::Function f = ffi::Function::FromTyped([](int64_t x) {
    if (x == 0) TVM_FFI_THROW(ValueError) << "zero";
    return x;
  });
  EXPECT_EQ(f.CallExpected<double>(3).value(), 3.0);
  EXPECT_EQ(f.CallExpected<int>(0).error().message(), "zero");
  EXPECT_EQ(f.CallExpected<ffi::String>(1).error().message(),
            "CallExpected: result type mismatch, expected str, but got int");
  EXPECT_TRUE(ffi::Function::FromTyped([] {}).CallExpected<void>().is_ok());
}

}  // namespace
