/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/big_int_words.h
 * Arithmetic of arrays of 64-bit words, least significant first. Nothing here allocates memory.
 */
#ifndef TVM_FFI_DETAIL_BIG_INT_WORDS_H_
#define TVM_FFI_DETAIL_BIG_INT_WORDS_H_

#include <tvm/ffi/base_detail.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** [borrow] The words of an integer in two's complement; there is at least one. */
class TVM_FFI_TAGGED WordView {
 public:
  TVM_FFI_LOCAL_INLINE WordView(const int64_t *data, size_t size) : data_(data), size_(size) {}
  TVM_FFI_LOCAL_INLINE const int64_t &operator[](size_t i) const { return data_[i]; }
  TVM_FFI_LOCAL_INLINE size_t size() const { return size_; }

 private:
  const int64_t *data_;
  size_t size_;
};

namespace int_ops {

TVM_FFI_LOCAL_INLINE bool IsNegative(WordView value) {
  return value[value.size() - 1] < 0;
}
/** Expects a value without redundant words. */
TVM_FFI_LOCAL_INLINE bool IsNormalizedZero(WordView value) {
  return value.size() == 1 && value[0] == 0;
}
TVM_FFI_LOCAL_INLINE uint64_t SignWord(WordView value) {
  return IsNegative(value) ? ~uint64_t{0} : 0;
}

/** The number of words without the redundant ones at the top. */
TVM_FFI_LOCAL_INLINE size_t NeededWords(const int64_t *words, size_t size) {
  while (size > 1 && words[size - 1] == (words[size - 2] < 0 ? -1 : 0)) --size;
  return size;
}

/** Returns -1, 0 or 1. Expects values without redundant words. */
TVM_FFI_LOCAL inline int Compare(WordView a, WordView b) {
  size_t i = a.size() - 1;
  if (a.size() != b.size()) {
    // The value with more words is further from zero.
    return a.size() < b.size() ? (IsNegative(b) ? 1 : -1) : (IsNegative(a) ? -1 : 1);
  }
  if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  while (i-- > 0) {
    const uint64_t x = static_cast<uint64_t>(a[i]), y = static_cast<uint64_t>(b[i]);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/** Returns whether x + *y + carry overflows; leaves the sum in *y. */
TVM_FFI_LOCAL_INLINE uint64_t AddCarry(uint64_t x, uint64_t *y, uint64_t carry) {
  const uint64_t sum = x + *y, overflow = sum < x ? 1 : 0;
  *y = sum + carry;
  return overflow | (*y < sum ? 1 : 0);
}

/** Computes `-value` in place, in as many words. */
TVM_FFI_LOCAL inline void Negate(uint64_t *words, size_t size) {
  uint64_t carry = 1;
  for (size_t i = 0; i < size; ++i) {
    words[i] = ~words[i] + carry;
    carry = carry != 0 && words[i] == 0 ? 1 : 0;
  }
}

/* ---- Two words ---- */

struct TVM_FFI_TAGGED TwoWords {
  uint64_t low;
  uint64_t high;
};

/** Multiplies by 32-bit halves, for compilers without 128-bit integers. */
TVM_FFI_LOCAL inline TwoWords MultiplyByHalves(uint64_t a, uint64_t b) {
  constexpr uint64_t kLow = 0xffffffff;
  const uint64_t low = (a & kLow) * (b & kLow), high = (a >> 32) * (b >> 32);
  const uint64_t first_cross = (a >> 32) * (b & kLow) + (low >> 32);
  const uint64_t second_cross = (a & kLow) * (b >> 32) + (first_cross & kLow);
  return {second_cross << 32 | (low & kLow), high + (first_cross >> 32) + (second_cross >> 32)};
}

/** One 32-bit half of a quotient: value / divisor, where next is the dividend's next lower half. */
TVM_FFI_LOCAL inline uint64_t DivideHalf(uint64_t value, uint64_t next, uint64_t divisor,
                                         uint64_t *remainder) {
  uint64_t quotient = value / (divisor >> 32), rest = value % (divisor >> 32);
  while (quotient >> 32 != 0 || quotient * (divisor & 0xffffffff) > (rest << 32 | next)) {
    --quotient;
    rest += divisor >> 32;
    if (rest >> 32 != 0) break;
  }
  *remainder = (value << 32 | next) - quotient * divisor;
  return quotient;
}
/** Divide, computed by 32-bit halves. */
TVM_FFI_LOCAL inline uint64_t DivideByHalves(TwoWords dividend, uint64_t divisor,
                                             uint64_t *remainder) {
  int shift = 0;
  uint64_t high, low, rest;
  while (divisor >> 63 == 0) {
    divisor <<= 1;
    ++shift;
  }
  high = shift == 0 ? dividend.high : dividend.high << shift | dividend.low >> (64 - shift);
  low = dividend.low << shift;
  high = DivideHalf(high, low >> 32, divisor, &rest) << 32;
  high |= DivideHalf(rest, low & 0xffffffff, divisor, &rest);
  *remainder = rest >> shift;
  return high;
}

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 Uint128;
#endif

TVM_FFI_LOCAL_INLINE TwoWords Multiply(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  const Uint128 product = static_cast<Uint128>(a) * b;
  return {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64)};
#else
  return MultiplyByHalves(a, b);
#endif
}

/** The quotient must fit in one word: dividend.high < divisor. */
TVM_FFI_LOCAL_INLINE uint64_t Divide(TwoWords dividend, uint64_t divisor, uint64_t *remainder) {
#if defined(__x86_64__) && defined(__GNUC__)
  uint64_t quotient, rest;
  __asm__("divq %4"
          : "=a"(quotient), "=d"(rest)
          : "0"(dividend.low), "1"(dividend.high), "rm"(divisor)
          : "cc");
  *remainder = rest;
  return quotient;
#elif defined(__SIZEOF_INT128__)
  const Uint128 value = static_cast<Uint128>(dividend.high) << 64 | dividend.low;
  const uint64_t quotient = static_cast<uint64_t>(value / divisor);
  *remainder = dividend.low - quotient * divisor;
  return quotient;
#else
  return DivideByHalves(dividend, divisor, remainder);
#endif
}

/* ---- Many words ---- */

/** `target += source * factor`, in size words. Returns the word carried out. */
TVM_FFI_LOCAL inline uint64_t AddProduct(uint64_t *target, const uint64_t *source, size_t size,
                                         uint64_t factor) {
  uint64_t carry = 0;
  for (size_t i = 0; i < size; ++i) {
    TwoWords product = Multiply(source[i], factor);
    product.high += AddCarry(carry, &product.low, 0);
    product.high += AddCarry(product.low, &target[i], 0);
    carry = product.high;
  }
  return carry;
}

/** `target -= source * factor`. Returns the word borrowed. */
TVM_FFI_LOCAL inline uint64_t SubtractProduct(uint64_t *target, const uint64_t *source, size_t size,
                                              uint64_t factor) {
  uint64_t borrow = 0;
  for (size_t i = 0; i < size; ++i) {
    TwoWords product = Multiply(source[i], factor);
    product.high += AddCarry(borrow, &product.low, 0);
    borrow = product.high + (target[i] < product.low ? 1 : 0);
    target[i] -= product.low;
  }
  return borrow;
}

/** `target += source`. Returns the carry. */
TVM_FFI_LOCAL inline uint64_t AddWords(uint64_t *target, const uint64_t *source, size_t size) {
  uint64_t carry = 0;
  for (size_t i = 0; i < size; ++i) carry = AddCarry(source[i], &target[i], carry);
  return carry;
}
/** `target -= source`, modulo 2^(64 size). */
TVM_FFI_LOCAL inline void SubtractWords(uint64_t *target, const uint64_t *source, size_t size) {
  uint64_t carry = 1;
  for (size_t i = 0; i < size; ++i) carry = AddCarry(~source[i], &target[i], carry);
}

/** `value / divisor` in place. Returns the remainder. */
TVM_FFI_LOCAL inline uint64_t DivideByWord(uint64_t *value, size_t size, uint64_t divisor) {
  uint64_t rest = 0;
  for (size_t i = size; i-- > 0;) value[i] = Divide({value[i], rest}, divisor, &rest);
  return rest;
}

/** Estimates one word of a quotient, too large by at most one. value: the dividend's word just
 * above the divisor's highest. */
TVM_FFI_LOCAL inline uint64_t GuessQuotient(const uint64_t *value, const uint64_t *divisor_end) {
  const uint64_t first = divisor_end[-1], second = divisor_end[-2];
  uint64_t guess = ~uint64_t{0}, rest;
  if (value[0] < first) {
    guess = Divide({value[-1], value[0]}, first, &rest);
  } else {
    rest = value[-1] + first;
    if (rest < first) return guess;
  }
  for (;;) {
    const TwoWords product = Multiply(guess, second);
    if (product.high < rest || (product.high == rest && product.low <= value[-2])) return guess;
    --guess;
    rest += first;
    if (rest < first) return guess;
  }
}

/**
 * Long division (Knuth's algorithm D). The value has num + 1 words, and the remainder is left in
 * it. The divisor has size >= 2 words; the highest bit of the highest word is set. The quotient has
 * num - size + 1 words, or is NULL.
 */
TVM_FFI_LOCAL inline void DivideWords(uint64_t *value, size_t num, const uint64_t *divisor,
                                      size_t size, uint64_t *quotient) {
  for (size_t i = num - size + 1; i-- > 0;) {
    uint64_t word = GuessQuotient(value + i + size, divisor + size);
    const uint64_t borrow = SubtractProduct(value + i, divisor, size, word);
    const bool too_large = value[i + size] < borrow;
    value[i + size] -= borrow;
    if (too_large) {
      --word;
      value[i + size] += AddWords(value + i, divisor, size);
    }
    if (quotient != nullptr) quotient[i] = word;
  }
}

/** Returns the bits shifted out at the top. target may equal source. */
TVM_FFI_LOCAL inline uint64_t ShiftWordsLeft(uint64_t *target, const uint64_t *source, size_t size,
                                             int shift) {
  uint64_t carry = 0;
  for (size_t i = 0; i < size; ++i) {
    const uint64_t word = source[i];
    target[i] = word << shift | carry;
    carry = word >> 1 >> (63 - shift);
  }
  return carry;
}
/** The bits shifted in come from top. */
TVM_FFI_LOCAL inline void ShiftWordsRight(uint64_t *target, const uint64_t *source, size_t size,
                                          int shift, uint64_t top) {
  for (size_t i = 0; i < size; ++i) {
    const uint64_t next = i + 1 < size ? source[i + 1] : top;
    target[i] = source[i] >> shift | next << 1 << (63 - shift);
  }
}

/** The number of zero bits at the top of a word that is not 0. */
TVM_FFI_LOCAL_INLINE int LeadingZeros(uint64_t word) {
#if defined(__GNUC__)
  return __builtin_clzll(word);
#else
  int zeros = 0;
  for (; word >> 63 == 0; word <<= 1) ++zeros;
  return zeros;
#endif
}

}  // namespace int_ops
}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_BIG_INT_WORDS_H_
