/* SPDX-License-Identifier: Apache-2.0 */
/* BigInt: the laws of arithmetic on random numbers, the parts with several implementations for
 * different compilers, and functions that only this layer has. tests/compat/names_big_int.cc
 * compares values, texts and errors with those of the package's headers. */
#include <gtest/gtest.h>
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

#include <random>
#include <sstream>

#include "caught.h"

namespace ffi = tvm::ffi;
namespace int_ops = tvm::ffi::detail::int_ops;
using ffi::Any;
using ffi::BigInt;
using Unsafe = ffi::detail::BigIntUnsafe;

namespace {

std::string Print(const BigInt &value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

BigInt Parse(const std::string &text) {
  std::istringstream is(text);
  BigInt value;
  is >> value;
  return value;
}

/** A number of up to 7 words, often with words of only zero bits or only one bits. */
BigInt Random(std::mt19937_64 *random) {
  BigInt value;
  for (uint64_t i = (*random)() % 7 + 1; i-- > 0;) {
    const uint64_t kind = (*random)() % 4;
    value = (value << 64) + (kind == 0 ? 0 : kind == 1 ? ~uint64_t{0} : (*random)());
  }
  value >>= static_cast<int64_t>((*random)() % 64);
  return (*random)() % 2 == 0 ? value : -value;
}

/** Checks that no word is redundant, and that the ABI's functions read the same number. */
void ExpectWellFormed(const BigInt &value) {
  const BigInt::ArrayView words = Unsafe::GetArrayView(value);
  EXPECT_EQ(int_ops::NeededWords(&words[0], words.size()), words.size());
  EXPECT_EQ(Any(value).type_index() == kTVMFFIInt, words.size() == 1);
  const TVMFFIByteArray bytes{reinterpret_cast<const char *>(&words[0]), words.size() * 8};
  TVMFFIAny read;
  ASSERT_EQ(TVMFFIBigIntFromByteArray(&bytes, &read), 0);
  EXPECT_EQ(ffi::detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(read).cast<BigInt>(), value);
}

TEST(BigInt, KeepsTheLawsOfArithmetic) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const BigInt a = Random(&random), b = Random(&random), c = Random(&random);
    ExpectWellFormed(a);
    ExpectWellFormed(a + b);
    ExpectWellFormed(a * b);
    EXPECT_EQ(a + b - b, a);
    EXPECT_EQ((a + b) * c, a * c + b * c);
    EXPECT_EQ(a - b, -(b - a));
    EXPECT_EQ(a ^ b, (a | b) - (a & b));
    EXPECT_EQ(a + b, (a ^ b) + ((a & b) << 1));
    EXPECT_EQ(~a, -a - 1);
    EXPECT_EQ(a<b, b - a> 0);
    EXPECT_EQ(a == b, a - b == 0);
    if (b == 0) continue;
    ExpectWellFormed(a / b);
    ExpectWellFormed(a % b);
    EXPECT_EQ(a / b * b + a % b, a);
    EXPECT_EQ(floordiv(a, b) * b + floormod(a, b), a);
    EXPECT_LT(max(a % b, -(a % b)), max(b, -b));
    EXPECT_TRUE(floormod(a, b) == 0 || (floormod(a, b) < 0) == (b < 0));
    EXPECT_TRUE(a % b == 0 || (a % b < 0) == (a < 0));
  }
}

TEST(BigInt, FunctionsHaveQualifiedNames) {
  const BigInt wide = BigInt(1) << 100, minus_seven = -7;
  EXPECT_EQ(ffi::floordiv(minus_seven, 2), -4);
  EXPECT_EQ(ffi::floormod(minus_seven, int64_t{2}), 1);
  EXPECT_EQ(ffi::truncdiv(int64_t{7}, minus_seven), -1);
  EXPECT_EQ(ffi::truncmod(wide + 5, wide), 5);
  EXPECT_EQ(ffi::min(wide, 3), 3);
  EXPECT_EQ(ffi::max(int64_t{3}, wide), wide);
  EXPECT_EQ(ffi::operator+(wide, wide), wide << 1);
  using Function = BigInt (*)(const BigInt &, const BigInt &);
  for (const Function divide : {Function{&ffi::floordiv}, Function{&ffi::floormod},
                                Function{&ffi::truncdiv}, Function{&ffi::truncmod}}) {
    EXPECT_EQ(Caught([&] { divide(wide, 0); }), "ZeroDivisionError: Division by zero");
  }
}

TEST(BigInt, ShiftsAsItMultiplies) {
  std::mt19937_64 random(2);
  for (int64_t count = 0; count < 300; ++count) {
    const BigInt a = Random(&random), power = BigInt(1) << count;
    ExpectWellFormed(a << count);
    ExpectWellFormed(a >> count);
    EXPECT_EQ(a << count, a * power);
    EXPECT_EQ(a >> count, floordiv(a, power));
  }
}

TEST(BigInt, ReadsWhatItPrints) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const BigInt a = Random(&random);
    EXPECT_EQ(Parse(Print(a)), a);
    EXPECT_EQ(ffi::ReprPrint(a), Print(a));
  }
  EXPECT_EQ(Print(Parse("-" + std::string(2000, '9')) - 1), "-1" + std::string(2000, '0'));
  EXPECT_EQ(Print(INT64_MIN), "-9223372036854775808");
}

TEST(BigInt, ConvertsToTheNearestDouble) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    const BigInt a = Random(&random);
    const double value = static_cast<double>(a);
    std::istringstream text(Print(a));
    double wanted;
    text >> wanted;
    EXPECT_EQ(value, wanted) << Print(a);
    EXPECT_EQ(static_cast<double>(BigInt(value)), value);
  }
}

/* The implementation for compilers without 128-bit integers, and for other processors. */
TEST(BigInt, MultipliesAndDividesByHalves) {
  std::mt19937_64 random(5);
  const uint64_t special[] = {0, 1, 0xffffffff, 0x100000000, ~uint64_t{0}, uint64_t{1} << 63};
  for (int i = 0; i < 20000; ++i) {
    uint64_t x[4];
    for (uint64_t &word : x) word = random() % 3 == 0 ? special[random() % 6] : random();
    const int_ops::TwoWords product = int_ops::Multiply(x[0], x[1]);
    const int_ops::TwoWords halves = int_ops::MultiplyByHalves(x[0], x[1]);
    EXPECT_EQ(product.low, halves.low);
    EXPECT_EQ(product.high, halves.high);
    if (x[2] == 0) continue;
    uint64_t rest = 0, rest_by_halves = 0;
    const int_ops::TwoWords dividend{x[0], x[3] % x[2]};
    EXPECT_EQ(int_ops::Divide(dividend, x[2], &rest),
              int_ops::DivideByHalves(dividend, x[2], &rest_by_halves));
    EXPECT_EQ(rest, rest_by_halves);
  }
}

TEST(BigInt, HashesAsTheRuntimeDoes) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 100; ++i) {
    const BigInt a = Random(&random), b = a + 1 - 1;
    const BigInt::ArrayView words = Unsafe::GetArrayView(a);
    EXPECT_EQ(std::hash<BigInt>()(a), std::hash<BigInt>()(b));
    EXPECT_EQ(ffi::AnyHash()(a), ffi::AnyHash()(b));
    if (words.size() == 1) continue;
    EXPECT_EQ(a.hash(), ffi::detail::StableHashBytes(&words[0], words.size() * 8));
    EXPECT_EQ(ffi::AnyHash()(a), ffi::detail::StableHashCombine(kTVMFFIBigInt, a.hash()));
  }
}

TEST(BigInt, TravelsInContainersAndCalls) {
  const BigInt wide = BigInt(1) << 70;
  const ffi::Array<BigInt> array{1, wide, -wide};
  EXPECT_EQ(array[1], wide);
  const ffi::Map<BigInt, ffi::String> map{{wide, "wide"}, {5, "small"}};
  EXPECT_EQ(map[(BigInt(1) << 35) << 35], "wide");
  EXPECT_EQ(map[5], "small");
  ffi::Optional<BigInt> maybe;
  EXPECT_FALSE(maybe.has_value());
  maybe = wide;
  EXPECT_EQ(maybe.value(), wide);
  const auto add = ffi::Function::FromTyped([](BigInt a, const BigInt &b) { return a + b; });
  EXPECT_EQ(add(wide, -wide).cast<int64_t>(), 0);
  EXPECT_EQ(add(true, 2).cast<BigInt>(), 3);
  EXPECT_EQ(Caught([&] { add(1, 2.5); }),
            "TypeError: Mismatched type on argument #1 when calling: `(0: BigInt, 1: BigInt) -> "
            "BigInt`. Expected `BigInt` but got `float`");
}

/* All copies share one object; the last one frees it. */
TEST(BigInt, SharesItsObject) {
  BigInt a = BigInt(1) << 70;
  const Any any(a);
  const ffi::Object *obj = any.as<ffi::Object>();
  EXPECT_EQ(obj->use_count(), 2u);
  {
    const BigInt b = a, c = any.cast<BigInt>();
    EXPECT_EQ(obj->use_count(), 4u);
  }
  const Any moved(std::move(a));
  EXPECT_EQ(a, 0);
  EXPECT_EQ(obj->use_count(), 2u);
  BigInt &self = a;
  a = any.cast<BigInt>();
  a = self;
  a = std::move(self);
  EXPECT_EQ(a, any.cast<BigInt>());
  a += 1;
  EXPECT_EQ(any.cast<BigInt>(), a - 1);
}

}  // namespace
