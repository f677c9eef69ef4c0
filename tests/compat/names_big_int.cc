// SPDX-License-Identifier: Apache-2.0
// BigInt: the results of its operators, conversions and texts.
#include <tvm/ffi/big_int.h>

#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <vector>

#include "names.h"

namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::vector<BigInt> MakeNumbers() {
  std::vector<BigInt> numbers = {0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 10,
                                 4294967295,
                                 4294967296,
                                 kMax,
                                 uint64_t{1} << 63,
                                 std::numeric_limits<uint64_t>::max()};
  for (int bits : {64, 65, 100, 127, 128, 191, 255}) {
    const BigInt power = BigInt(1) << bits;
    numbers.insert(numbers.end(), {power - 1, power, power + 12345, power * 3 - 1});
  }
  for (size_t i = 1, n = numbers.size(); i < n; ++i) numbers.push_back(-numbers[i]);
  return numbers;
}

/** Prints the result and how it is stored. */
void Put(const BigInt &value) {
  Show(value, detail::BigIntUnsafe::GetArrayView(value).size(), Any(value).type_index());
}

void ShowPairs(const std::vector<BigInt> &numbers) {
  for (const BigInt &a : numbers) {
    for (const BigInt &b : numbers) {
      Line("pair", [&] {
        Show(a, b, a == b, a != b, a<b, a <= b, a> b, a >= b);
        Put(a + b);
        Put(a - b);
        Put(a * b);
        Put(a & b);
        Put(a | b);
        Put(a ^ b);
        Put(min(a, b));
        Put(max(a, b));
        Put(a / b);
        Put(a % b);
        Put(truncdiv(a, b));
        Put(truncmod(a, b));
        Put(floordiv(a, b));
        Put(floormod(a, b));
      });
    }
  }
}

template <typename Int>
void PutAs(const BigInt &value) {
  const std::optional<Int> read = value.as<Int>();
  if (read.has_value()) {
    Show(+*read);
  } else {
    Show("none");
  }
}

void ShowEach(const std::vector<BigInt> &numbers) {
  for (const BigInt &a : numbers) {
    Line("each", [&] {
      Put(-a);
      Put(+a);
      Put(~a);
      for (int count : {0, 1, 13, 63, 64, 65, 130}) {
        Put(a << count);
        Put(a >> count);
      }
      BigInt b = a;
      Put(b++);
      Put(++b);
      Put(b--);
      Put(--b);
      Show(a.hash(), std::hash<BigInt>()(a), AnyHash()(a), static_cast<bool>(a));
      Show(std::setprecision(17), static_cast<double>(a), BigInt(static_cast<double>(a)));
    });
    Line("as", [&] {
      PutAs<int8_t>(a);
      PutAs<uint8_t>(a);
      PutAs<int16_t>(a);
      PutAs<uint32_t>(a);
      PutAs<int64_t>(a);
      PutAs<uint64_t>(a);
      PutAs<bool>(a);
      Show(static_cast<int64_t>(a));
    });
    Line("int64", [&] {
      for (int64_t b : {int64_t{-1}, int64_t{3}, kMin, kMax}) {
        Put(a + b);
        Put(b - a);
        Put(a * b);
        Put(b & a);
        Put(a / b);
        Put(floormod(a, b));
        Show(a < b, b < a, a == b, b >= a, min(b, a));
      }
    });
    Line("changed", [&] {
      BigInt b = a;
      Put(b += 5);
      Put(b -= a);
      Put(b *= a);
      Put(b <<= 70);
      Put(b |= 9);
      Put(b ^= a);
      Put(b &= (BigInt(1) << 100) - 1);
      Put(b >>= 3);
      Put(b %= (BigInt(1) << 66) + 1);
      Put(b /= 3);
    });
  }
}

void ShowErrors() {
  const BigInt wide = BigInt(1) << 100;
  Line("div", [&] { Put(wide / 0); });
  Line("div", [&] { Put(BigInt(3) % 0); });
  Line("div", [&] { Put(floordiv(3, wide - wide)); });
  Line("qualified", [&] {
    Put(tvm::ffi::floordiv(wide, int64_t{7}));
    Put(tvm::ffi::floormod(int64_t{-7}, wide));
    Put(tvm::ffi::truncdiv(wide, wide));
    Put(tvm::ffi::truncmod(int64_t{-7}, wide));
    Put(tvm::ffi::min(wide, int64_t{7}));
    Put(tvm::ffi::max(wide, wide + wide));
    BigInt (*divide)(const BigInt &, const BigInt &) = &tvm::ffi::floordiv;
    Put(divide(wide, 3));
  });
  Line("div", [&] { Put(floormod(wide, 0)); });
  Line("shift", [&] { Put(wide << -1); });
  Line("shift", [&] { Put(BigInt(0) << -1); });
  Line("shift", [&] { Put(wide << -wide); });
  Line("shift", [&] { Put(wide >> -1); });
  Line("shift", [&] { Put(wide << wide); });
  Line("shift", [&] { Put(BigInt(0) << wide); });
  Line("shift", [&] { Put(wide >> wide); });
  Line("shift", [&] { Put(-wide >> wide); });
  Line("shift", [&] { Put(-wide >> kMax); });
  Line("int64", [&] { Show(static_cast<int64_t>(wide)); });
  Line("int64", [&] { Show(static_cast<int64_t>(-wide)); });
  Line("double", [&] { Show(static_cast<double>(BigInt(1) << 1024)); });
  Line("double", [&] { Show(static_cast<double>((BigInt(1) << 1024) - 1)); });
  Line("double", [&] { Show(static_cast<double>((BigInt(1) << 1024) - (BigInt(1) << 970))); });
  Line("double", [&] { Show(static_cast<double>((BigInt(1) << 1024) - (BigInt(1) << 970) - 1)); });
  Line("double", [&] { Put(BigInt(std::nan(""))); });
  Line("double", [&] { Put(BigInt(INFINITY)); });
  Line("double", [&] { Put(BigInt(-INFINITY)); });
  Line("any", [&] { Any(wide).cast<int64_t>(); });
  Line("any", [&] { Any(wide).cast<double>(); });
  Line("any", [&] { Any(1.0).cast<BigInt>(); });
  Line("any", [&] { Any(nullptr).cast<BigInt>(); });
  Line("any", [&] { Any("1").as_or_throw<BigInt>(); });
}

void ShowDoubles() {
  for (double value :
       {0.5, -0.5, 1.5, -7.9, 4503599627370497.5, 9223372036854774784.0, 9223372036854775808.0,
        -9223372036854775808.0, -9223372036854777856.0, 1e19, 1.8446744073709552e19, 1e40, -1e100,
        1e300, 1.7976931348623157e308, 5e-324}) {
    Line("double", [&] { Put(BigInt(value)); });
  }
  // Around the midpoint between two neighbouring doubles.
  for (int bits : {64, 100, 180}) {
    for (int64_t half : {-1, 0, 1}) {
      for (int64_t odd : {0, 1}) {
        Line("nearest", [&] {
          const BigInt unit = BigInt(1) << (bits - 52);
          const BigInt value = (BigInt(1) << bits) + unit * odd + (unit >> 1) + half;
          Show(std::setprecision(17), static_cast<double>(value), static_cast<double>(-value));
        });
      }
    }
  }
}

void ShowTexts() {
  const BigInt wide = -(BigInt(1) << 100);
  Line("out", [&] {
    Show(std::setw(40), wide, std::setw(6), BigInt(5), std::left, std::setfill('*'), std::setw(40),
         wide, std::right, std::setfill(' '));
    Show(std::showpos, std::hex, wide, BigInt(255), std::dec, std::noshowpos);
  });
  for (const char *text : {"",
                           " ",
                           "+",
                           "-",
                           "-x",
                           "x",
                           "12",
                           "  12 13",
                           "+12",
                           "- 12",
                           "--12",
                           "0012",
                           "12.5",
                           "1e5",
                           "000000000000000000000000000000000000000000001",
                           "9223372036854775807",
                           "9223372036854775808",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "99999999999999999999999999999999999999999999999999999999999x",
                           "0x12",
                           "\n\t7"}) {
    Line("in", [&] {
      std::istringstream is(text);
      BigInt value = 77;
      is >> value;
      Show(value, is.fail(), is.eof());
      is.clear();
      Show(static_cast<int>(is.peek()));
    });
  }
  Line("in", [] {
    std::istringstream is(" 12");
    BigInt value = 77;
    is >> std::noskipws >> value;
    Show(value, is.fail());
  });
}

void ShowValues() {
  const BigInt wide = BigInt(1) << 100;
  Line("any", [&] {
    Show(Any(true).cast<BigInt>(), Any(true).as<BigInt>().has_value(), Any(5).cast<BigInt>(),
         Any(wide).as<int64_t>().has_value(), Any(wide).cast<BigInt>() == wide,
         Any(wide).GetTypeKey(), AnyEqual()(wide, wide + 1 - 1), AnyEqual()(wide, wide + 1),
         Any(wide).as<Object>() != nullptr);
  });
  Line("moved", [&] {
    BigInt a = wide, b = std::move(a);
    Show(a, b);
    std::swap(a, b);
    Show(a, b);
    a.swap(b);
    Show(a, b);
    const Any any(std::move(b));
    Show(b, any.cast<BigInt>());
    b = any.cast<BigInt>();
    BigInt &self = b;
    b = self;
    b = std::move(self);
    Show(b);
  });
  Line("types", [&] {
    Show(TypeTraits<BigInt>::TypeStr(), TypeTraits<BigInt>::TypeSchema(),
         TypeTraits<BigInt>::field_static_type_index, TypeTraits<BigInt>::storage_enabled,
         TypeTraits<Optional<BigInt>>::TypeSchema(), sizeof(BigInt), sizeof(Optional<BigInt>),
         sizeof(detail::BigIntObj), detail::BigIntObj::_type_final);
    Show(std::is_convertible_v<bool, BigInt>, std::is_convertible_v<char, BigInt>,
         std::is_convertible_v<unsigned long long, BigInt>, std::is_convertible_v<float, BigInt>,
         std::is_constructible_v<BigInt, float>, std::is_constructible_v<BigInt, const char *>,
         std::is_constructible_v<int, BigInt>, std::is_convertible_v<BigInt, int64_t>,
         std::is_nothrow_move_constructible_v<BigInt>);
  });
  Line("call", [&] {
    const Function f =
        Function::FromTyped([](BigInt a, Optional<BigInt> b) { return a * b.value(); });
    Show(f(wide, 3).cast<BigInt>(), f(true, wide).cast<BigInt>());
    f(wide, "x");
  });
  Line("map", [&] {
    Map<Any, int64_t> map{{wide, 1}, {-wide, 2}, {7, 3}};
    map.Set(wide + 1 - 1, 9);
    Show(map.size(), map[wide], map[-wide], map.count(wide + 1), map[BigInt(7)]);
  });
  Line("repr", [&] { Show(Function::GetGlobalRequired("ffi.ReprPrint")(wide).cast<String>()); });
}

}  // namespace

int main() {
  const std::vector<BigInt> numbers = MakeNumbers();
  ShowPairs(numbers);
  ShowEach(numbers);
  ShowErrors();
  ShowDoubles();
  ShowTexts();
  ShowValues();
  return 0;
}
