/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/big_int_ops.h
 * The arithmetic that big_int.h declares, for values of several words. Multiplication and division
 * take time proportional to the product of the sizes, conversions of text to their square.
 */
#ifndef TVM_FFI_DETAIL_BIG_INT_OPS_H_
#define TVM_FFI_DETAIL_BIG_INT_OPS_H_

#include <tvm/ffi/big_int.h>
#include <tvm/ffi/endian.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {
namespace int_ops {

TVM_FFI_LOCAL_INLINE BigInt Result::Take() {
  return BigIntUnsafe::Normalize(std::move(obj_));
}
TVM_FFI_LOCAL_INLINE BigInt Result::TakeSigned(bool negative) {
  if (negative) Negate(words(), size_);
  return Take();
}

template <BigInt (*op)(WordView, WordView)>
TVM_FFI_LOCAL TVM_FFI_NO_INLINE BigInt OfWords(TVMFFIAny a, TVMFFIAny b) {
  return op(BigIntUnsafe::GetArrayView(a), BigIntUnsafe::GetArrayView(b));
}

/* ---- Sums and products ---- */

/** `a + b`, or `a - b` with flip = ~0. */
TVM_FFI_LOCAL inline BigInt Sum(WordView a, WordView b, uint64_t flip) {
  const uint64_t a_sign = SignWord(a), b_sign = SignWord(b) ^ flip;
  const size_t common = a.size() < b.size() ? a.size() : b.size();
  Result result(a.size() + b.size() - common + 1);
  uint64_t *words = result.words(), carry = flip & 1;
  for (size_t i = 0; i < common; ++i) {
    words[i] = static_cast<uint64_t>(b[i]) ^ flip;
    carry = AddCarry(static_cast<uint64_t>(a[i]), &words[i], carry);
  }
  for (size_t i = common; i < a.size(); ++i) {
    words[i] = b_sign;
    carry = AddCarry(static_cast<uint64_t>(a[i]), &words[i], carry);
  }
  for (size_t i = common; i < b.size(); ++i) {
    words[i] = static_cast<uint64_t>(b[i]) ^ flip;
    carry = AddCarry(a_sign, &words[i], carry);
  }
  words[result.size() - 1] = a_sign + b_sign + carry;
  return result.Take();
}
TVM_FFI_LOCAL inline BigInt Add(WordView a, WordView b) {
  return Sum(a, b, 0);
}
TVM_FFI_LOCAL inline BigInt Subtract(WordView a, WordView b) {
  return Sum(a, b, ~uint64_t{0});
}

/** Multiplies the words as unsigned, then subtracts 2^64n times the other operand for each negative
 * operand of n words. */
TVM_FFI_LOCAL inline BigInt Multiply(WordView a, WordView b) {
  Result result(a.size() + b.size());
  uint64_t *words = result.words();
  const uint64_t *a_words = reinterpret_cast<const uint64_t *>(&a[0]);
  const uint64_t *b_words = reinterpret_cast<const uint64_t *>(&b[0]);
  for (size_t i = 0; i < b.size(); ++i) words[i] = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    words[i + b.size()] = AddProduct(words + i, b_words, b.size(), a_words[i]);
  }
  if (IsNegative(a)) SubtractWords(words + a.size(), b_words, b.size());
  if (IsNegative(b)) SubtractWords(words + b.size(), a_words, a.size());
  return result.Take();
}

/* ---- Bits ---- */

template <typename F>
TVM_FFI_LOCAL BigInt MapWords(WordView a, WordView b, const F &f) {
  const WordView &longer = a.size() < b.size() ? b : a, &shorter = a.size() < b.size() ? a : b;
  const uint64_t sign = SignWord(shorter);
  Result result(longer.size());
  uint64_t *words = result.words();
  for (size_t i = 0; i < shorter.size(); ++i) {
    words[i] = f(static_cast<uint64_t>(longer[i]), static_cast<uint64_t>(shorter[i]));
  }
  for (size_t i = shorter.size(); i < longer.size(); ++i) {
    words[i] = f(static_cast<uint64_t>(longer[i]), sign);
  }
  return result.Take();
}
TVM_FFI_LOCAL inline BigInt And(WordView a, WordView b) {
  return MapWords(a, b, [](uint64_t x, uint64_t y) { return x & y; });
}
TVM_FFI_LOCAL inline BigInt Or(WordView a, WordView b) {
  return MapWords(a, b, [](uint64_t x, uint64_t y) { return x | y; });
}
TVM_FFI_LOCAL inline BigInt Xor(WordView a, WordView b) {
  return MapWords(a, b, [](uint64_t x, uint64_t y) { return x ^ y; });
}
TVM_FFI_LOCAL inline BigInt Invert(WordView a) {
  return MapWords(a, a, [](uint64_t x, uint64_t) { return ~x; });
}

/** Returns whether the count exceeds an int64_t; *out is valid if it does not. */
TVM_FFI_LOCAL inline bool ReadShiftCount(WordView count, uint64_t *out) {
  if (IsNegative(count)) Throw("ValueError", "Negative BigInt shift count");
  *out = static_cast<uint64_t>(count[0]);
  return count.size() > 1;
}
TVM_FFI_LOCAL inline BigInt ShiftLeft(WordView a, WordView count) {
  uint64_t bits;
  const bool too_large = ReadShiftCount(count, &bits);
  if (IsNormalizedZero(a)) return 0;
  if (too_large) Throw("OverflowError", "BigInt shift count is too large");
  const size_t num_words = static_cast<size_t>(bits / 64);
  Result result(a.size() + num_words + 1);
  for (size_t i = 0; i < num_words; ++i) result[i] = 0;
  const int shift = static_cast<int>(bits % 64);
  const uint64_t carry = ShiftWordsLeft(result.words() + num_words,
                                        reinterpret_cast<const uint64_t *>(&a[0]), a.size(), shift);
  result[a.size() + num_words] = SignWord(a) << shift | carry;
  return result.Take();
}
TVM_FFI_LOCAL inline BigInt ShiftRight(WordView a, WordView count) {
  uint64_t bits;
  if (ReadShiftCount(count, &bits) || bits / 64 >= a.size()) return IsNegative(a) ? -1 : 0;
  const size_t num_words = static_cast<size_t>(bits / 64);
  Result result(a.size() - num_words);
  ShiftWordsRight(result.words(), reinterpret_cast<const uint64_t *>(&a[0]) + num_words,
                  result.size(), static_cast<int>(bits % 64), SignWord(a));
  return result.Take();
}

/* ---- Quotients ---- */

/** The value with this magnitude and sign. */
TVM_FFI_LOCAL inline BigInt FromSigned(const uint64_t *magnitude, size_t size, bool negative) {
  Result result(size + 1);
  for (size_t i = 0; i < size; ++i) result[i] = magnitude[i];
  result[size] = 0;
  return result.TakeSigned(negative);
}
TVM_FFI_LOCAL inline BigInt FromSigned(uint64_t magnitude, bool negative) {
  if (magnitude >> 63 != 0) return FromSigned(&magnitude, 1, negative);
  return negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
}
TVM_FFI_LOCAL inline BigInt FromUint64(uint64_t value) {
  return FromSigned(value, false);
}

/** Divides by a divisor of one word. The quotient may be NULL. */
TVM_FFI_LOCAL inline BigInt DivRemWord(const Magnitude &a, const Magnitude &b, BigInt *quotient) {
  uint64_t rest = 0;
  if (quotient == nullptr) {
    rest = a.Modulo(b[0]);
  } else {
    Result result(a.size() + 1);
    a.CopyTo(result.words());
    result[a.size()] = 0;
    rest = DivideByWord(result.words(), a.size(), b[0]);
    *quotient = result.TakeSigned(a.negative() != b.negative());
  }
  return FromSigned(rest, a.negative());
}
/** Divides by a divisor of several words, not more than the dividend has. */
TVM_FFI_LOCAL inline BigInt DivRemWords(const Magnitude &a, const Magnitude &b, BigInt *quotient) {
  const size_t num_words = a.size() - b.size() + 1;
  const int shift = LeadingZeros(b[b.size() - 1]);
  Scratch scratch(a.size() + 1 + b.size());
  uint64_t *value = scratch.words(), *divisor = value + a.size() + 1;
  a.CopyTo(value);
  b.CopyTo(divisor);
  value[a.size()] = ShiftWordsLeft(value, value, a.size(), shift);
  ShiftWordsLeft(divisor, divisor, b.size(), shift);
  if (quotient == nullptr) {
    DivideWords(value, a.size(), divisor, b.size(), nullptr);
  } else {
    Result result(num_words + 1);
    result[num_words] = 0;
    DivideWords(value, a.size(), divisor, b.size(), result.words());
    *quotient = result.TakeSigned(a.negative() != b.negative());
  }
  ShiftWordsRight(value, value, b.size(), shift, 0);
  return FromSigned(value, b.size(), a.negative());
}
/** Returns the remainder, which has the sign of a. The quotient may be NULL.
 * Errors: ZeroDivisionError. */
TVM_FFI_LOCAL inline BigInt DivRem(WordView a, WordView b, BigInt *quotient) {
  if (IsNormalizedZero(b)) ThrowZeroDivision();
  const Magnitude dividend(a), divisor(b);
  if (divisor.size() == 1) return DivRemWord(dividend, divisor, quotient);
  if (dividend.size() >= divisor.size()) return DivRemWords(dividend, divisor, quotient);
  Result rest(a.size());
  for (size_t i = 0; i < a.size(); ++i) rest[i] = static_cast<uint64_t>(a[i]);
  return rest.Take();
}

TVM_FFI_LOCAL inline std::pair<BigInt, BigInt> DivRemFallback(WordView a, WordView b) {
  std::pair<BigInt, BigInt> result;
  result.second = DivRem(a, b, &result.first);
  return result;
}
TVM_FFI_LOCAL inline BigInt TruncDiv(WordView a, WordView b) {
  BigInt quotient;
  DivRem(a, b, &quotient);
  return quotient;
}
TVM_FFI_LOCAL inline BigInt TruncMod(WordView a, WordView b) {
  return DivRem(a, b, nullptr);
}
/** Whether the quotient rounded towards zero differs from the one rounded towards -infinity. */
TVM_FFI_LOCAL inline bool NeedsFloor(const BigInt &rest, WordView b) {
  return static_cast<bool>(rest) && IsNegative(BigIntUnsafe::GetArrayView(rest)) != IsNegative(b);
}
TVM_FFI_LOCAL inline BigInt FloorDiv(WordView a, WordView b) {
  BigInt quotient;
  return NeedsFloor(DivRem(a, b, &quotient), b) ? quotient - 1 : quotient;
}
TVM_FFI_LOCAL inline BigInt FloorMod(WordView a, WordView b) {
  const BigInt rest = DivRem(a, b, nullptr);
  return NeedsFloor(rest, b) ? Add(BigIntUnsafe::GetArrayView(rest), b) : rest;
}

/* ---- Conversions ---- */

/** StableHashBytes of the words as they are in memory, computed a word at a time. */
TVM_FFI_LOCAL inline uint64_t Hash(WordView a) {
  constexpr uint64_t kMultiplier = 1099511628211U, kModulus = 2147483647U;
  uint64_t hash = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const uint64_t word = static_cast<uint64_t>(a[i]);
    hash =
        (hash * kMultiplier + (TVM_FFI_LITTLE_ENDIAN ? word : __builtin_bswap64(word))) % kModulus;
  }
  return hash;
}

constexpr int kFractionBits = 52;
constexpr int kExponentBias = 1023;

TVM_FFI_LOCAL inline BigInt FromDouble(double value) {
  uint64_t bits;
  if (value >= -9223372036854775808.0 && value < 9223372036854775808.0) {
    return static_cast<int64_t>(value);
  }
  if (value != value) Throw("ValueError", "Cannot convert NaN to BigInt");
  std::memcpy(&bits, &value, sizeof bits);
  const int exponent = static_cast<int>(bits >> kFractionBits & 0x7ff);
  if (exponent == 0x7ff) Throw("OverflowError", "Cannot convert infinity to BigInt");
  const uint64_t fraction = bits & ((uint64_t{1} << kFractionBits) - 1);
  const BigInt magnitude = BigInt(fraction | uint64_t{1} << kFractionBits)
                           << (exponent - kExponentBias - kFractionBits);
  return bits >> 63 != 0 ? -magnitude : magnitude;
}

/** The highest 64 bits. The lowest of them is sticky: it is also set if any bit below is. */
TVM_FFI_LOCAL inline uint64_t TopBits(const Magnitude &a, int shift) {
  uint64_t low = 0;
  for (size_t i = 0; i + 2 < a.size(); ++i) low |= a[i];
  const uint64_t high = a[a.size() - 1], next = a.size() > 1 ? a[a.size() - 2] : 0;
  if (shift == 0) return high | (next != 0 || low != 0 ? 1 : 0);
  return high << shift | next >> (64 - shift) | (next << shift != 0 || low != 0 ? 1 : 0);
}
TVM_FFI_LOCAL inline double ToDouble(WordView a) {
  constexpr size_t kMaxBits = 1024;
  const Magnitude magnitude(a);
  const int shift = LeadingZeros(magnitude[magnitude.size() - 1]);
  if (magnitude.size() <= kMaxBits / 64) {
    // The conversion rounds: 64 bits are more than a double keeps, the last stands for the rest.
    const uint64_t exponent = magnitude.size() * 64 - static_cast<size_t>(shift) - 64;
    const uint64_t scale_bits = (exponent + kExponentBias) << kFractionBits;
    double scale, value = static_cast<double>(TopBits(magnitude, shift));
    std::memcpy(&scale, &scale_bits, sizeof scale);
    value *= scale;
    if (value - value == 0) return magnitude.negative() ? -value : value;
  }
  Throw("OverflowError", "BigInt does not fit finite double");
}

/* ---- Text ---- */

/** The number of decimal digits that fit in any word, and 10 to that power. */
constexpr int kDigitsOfWord = 19;
constexpr uint64_t kDecimalBase = 10000000000000000000U;

TVM_FFI_LOCAL inline const char *WriteDecimal(int64_t value, char *end) {
  uint64_t rest = value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  *--end = '\0';
  do *--end = static_cast<char>('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (value < 0) *--end = '-';
  return end;
}

TVM_FFI_LOCAL inline void PutDigits(Text &text, uint64_t value) {
  char digits[kDigitsOfWord];
  for (int i = kDigitsOfWord; i-- > 0; value /= 10) digits[i] = static_cast<char>('0' + value % 10);
  text.Put(digits, sizeof digits);
}
TVM_FFI_LOCAL inline void PutDecimal(Text &text, WordView a) {
  const Magnitude magnitude(a);
  // 19 digits take 63.1 bits, so there may be slightly more parts than words.
  Scratch value(magnitude.size()), parts(magnitude.size() + magnitude.size() / 64 + 1);
  size_t size = magnitude.size(), num_parts = 0;
  magnitude.CopyTo(value.words());
  while (size > 0) {
    parts.words()[num_parts++] = DivideByWord(value.words(), size, kDecimalBase);
    while (size > 0 && value.words()[size - 1] == 0) --size;
  }
  if (magnitude.negative()) text.Put('-');
  text.PutUint(parts.words()[--num_parts]);
  while (num_parts > 0) PutDigits(text, parts.words()[--num_parts]);
}

/** Builds a value from its decimal digits, most significant first. */
class TVM_FFI_TAGGED DecimalReader {
 public:
  TVM_FFI_LOCAL void Put(int digit) {
    empty_ = false;
    if (scale_ == kMaxScale) Flush();
    part_ = part_ * 10 + digit;
    scale_ *= 10;
  }
  TVM_FFI_LOCAL bool empty() const { return empty_; }
  TVM_FFI_LOCAL BigInt Take(bool negative) {
    Flush();
    return negative ? -value_ : value_;
  }

 private:
  static constexpr int64_t kMaxScale = 1000000000000000000;
  TVM_FFI_LOCAL void Flush() {
    value_ = value_ * scale_ + part_;
    part_ = 0;
    scale_ = 1;
  }

  BigInt value_;
  int64_t part_ = 0;
  int64_t scale_ = 1;
  bool empty_ = true;
};

}  // namespace int_ops
}  // namespace detail

template <typename Traits>
TVM_FFI_LOCAL std::basic_istream<char, Traits> &operator>>(std::basic_istream<char, Traits> &is,
                                                           BigInt &value) {
  using Stream = std::basic_istream<char, Traits>;
  const typename Stream::sentry ready(is);
  detail::int_ops::DecimalReader reader;
  if (!ready) return is;
  auto *buffer = is.rdbuf();
  auto c = buffer->sgetc();
  const bool negative = c == '-';
  if (c == '+' || c == '-') c = buffer->snextc();
  for (; c >= '0' && c <= '9'; c = buffer->snextc()) reader.Put(c - '0');
  if (!reader.empty()) value = reader.Take(negative);
  auto state = reader.empty() ? Stream::failbit : Stream::goodbit;
  if (c == Traits::eof()) state |= Stream::eofbit;
  if (state != Stream::goodbit) is.setstate(state);
  return is;
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_BIG_INT_OPS_H_
