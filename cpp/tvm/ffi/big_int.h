/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/big_int.h
 * Integers without a limit. A value that fits an int64_t is an int of the ABI, and costs little
 * more than one; any other is an immutable object, which values share.
 *
 *     BigInt x = BigInt(1) << 100;
 *     std::cout << x * 3 + 1 << "\n";
 *
 * Python's ints beyond 64 bits arrive as BigInt, and BigInts as Python ints.
 */
#ifndef TVM_FFI_BIG_INT_H_
#define TVM_FFI_BIG_INT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/detail/big_int_object.h>
#ifndef TVM_FFI_LEAN
#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#endif

TVM_FFI_NAMESPACE_BEGIN
namespace detail {
namespace int_ops {

/* All of these accept any words, including values that fit an int64_t. */
TVM_FFI_LOCAL inline BigInt Add(WordView a, WordView b);
TVM_FFI_LOCAL inline BigInt Subtract(WordView a, WordView b);
TVM_FFI_LOCAL inline BigInt Multiply(WordView a, WordView b);
TVM_FFI_LOCAL inline BigInt And(WordView a, WordView b);
TVM_FFI_LOCAL inline BigInt Or(WordView a, WordView b);
TVM_FFI_LOCAL inline BigInt Xor(WordView a, WordView b);
TVM_FFI_LOCAL inline BigInt Invert(WordView a);
/* Trunc rounds towards zero, Floor towards negative infinity. Errors: ZeroDivisionError. */
TVM_FFI_LOCAL inline BigInt TruncDiv(WordView a, WordView b);
TVM_FFI_LOCAL inline BigInt TruncMod(WordView a, WordView b);
TVM_FFI_LOCAL inline BigInt FloorDiv(WordView a, WordView b);
TVM_FFI_LOCAL inline BigInt FloorMod(WordView a, WordView b);
/** The quotient rounded towards zero, and its remainder. */
TVM_FFI_LOCAL inline std::pair<BigInt, BigInt> DivRemFallback(WordView a, WordView b);
/* Errors: ValueError (a negative count), OverflowError (a count beyond int64_t), memory. */
TVM_FFI_LOCAL inline BigInt ShiftLeft(WordView a, WordView count);
TVM_FFI_LOCAL inline BigInt ShiftRight(WordView a, WordView count);

/**
 * Applies one of them to two values. They are passed by value and not by address, so that an int
 * that is combined with a BigInt stays in a register.
 */
template <BigInt (*op)(WordView, WordView)>
TVM_FFI_LOCAL BigInt OfWords(TVMFFIAny a, TVMFFIAny b);

TVM_FFI_LOCAL inline BigInt FromUint64(uint64_t value);
TVM_FFI_LOCAL inline uint64_t Hash(WordView a);
/* Errors: ValueError (not a number), OverflowError (infinite; too large). */
TVM_FFI_LOCAL inline BigInt FromDouble(double value);
TVM_FFI_LOCAL inline double ToDouble(WordView a);
/** For values of more than one word. */
TVM_FFI_LOCAL inline void PutDecimal(Text &text, WordView a);
/** [borrow] Writes NUL-terminated digits that finish at `end`; returns their start. */
TVM_FFI_LOCAL inline const char *WriteDecimal(int64_t value, char *end);

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowZeroDivision() {
  Throw("ZeroDivisionError", "Division by zero");
}

}  // namespace int_ops
}  // namespace detail

class BigInt {
 public:
  /** The words of a value: `[i]`, `size()`. */
  using ArrayView = detail::WordView;

  TVM_FFI_LOCAL_INLINE BigInt() { detail::SetInt(&data_, kTVMFFIInt, 0); }
  template <typename Int,
            typename = std::enable_if_t<std::is_integral_v<Int> && sizeof(Int) <= sizeof(int64_t)>>
  TVM_FFI_LOCAL_INLINE BigInt(Int value) {
    detail::SetInt(&data_, kTVMFFIInt, static_cast<int64_t>(value));
    if constexpr (sizeof(Int) == sizeof(int64_t) && std::is_unsigned_v<Int>) {
      if (data_.v_int64 < 0) *this = detail::int_ops::FromUint64(value);
    }
  }
  /** Truncates towards zero. Errors: ValueError (not a number), OverflowError (infinite). */
  TVM_FFI_LOCAL explicit BigInt(double value) : BigInt(detail::int_ops::FromDouble(value)) {}
  TVM_FFI_LOCAL_INLINE BigInt(const BigInt &other) : data_(other.data_) {
    if (!IsInt64()) detail::Retain(data_.v_obj);
  }
  /** Leaves 0. */
  TVM_FFI_LOCAL_INLINE BigInt(BigInt &&other) noexcept : data_(other.data_) {
    detail::SetInt(&other.data_, kTVMFFIInt, 0);
  }
  TVM_FFI_LOCAL_INLINE BigInt &operator=(const BigInt &other) {
    BigInt(other).swap(*this);
    return *this;
  }
  TVM_FFI_LOCAL_INLINE BigInt &operator=(BigInt &&other) noexcept {
    BigInt(std::move(other)).swap(*this);
    return *this;
  }
  TVM_FFI_LOCAL_INLINE ~BigInt() {
    if (!IsInt64()) detail::Release(data_.v_obj);
  }
  TVM_FFI_LOCAL_INLINE void swap(BigInt &other) noexcept {
    const TVMFFIAny data = data_;
    data_ = other.data_;
    other.data_ = data;
  }

  TVM_FFI_LOCAL_INLINE explicit operator bool() const { return !IsInt64() || data_.v_int64 != 0; }
  /** Errors: OverflowError. */
  TVM_FFI_LOCAL_INLINE explicit operator int64_t() const {
    if (!IsInt64()) detail::Throw("OverflowError", "BigInt does not fit int64_t");
    return data_.v_int64;
  }
  /** The nearest double, ties to even. Errors: OverflowError. */
  TVM_FFI_LOCAL_INLINE explicit operator double() const {
    return IsInt64() ? static_cast<double>(data_.v_int64) : detail::int_ops::ToDouble(view());
  }
  /** Absent if the value does not fit. */
  template <typename Int,
            typename = std::enable_if_t<std::is_integral_v<Int> && sizeof(Int) <= sizeof(int64_t)>>
  TVM_FFI_LOCAL std::optional<Int> as() const {
    if constexpr (sizeof(Int) == sizeof(int64_t) && std::is_unsigned_v<Int>) {
      const ArrayView words = view();
      if (words.size() == 2 && words[1] == 0) return static_cast<Int>(words[0]);
      if (words.size() > 1 || words[0] < 0) return std::nullopt;
      return static_cast<Int>(words[0]);
    } else {
      if (!IsInt64() || static_cast<int64_t>(static_cast<Int>(data_.v_int64)) != data_.v_int64) {
        return std::nullopt;
      }
      return static_cast<Int>(data_.v_int64);
    }
  }
  /** The same in every process. */
  TVM_FFI_LOCAL uint64_t hash() const {
    return IsInt64() ? static_cast<uint64_t>(data_.v_int64) : detail::int_ops::Hash(view());
  }

  TVM_FFI_LOCAL_INLINE BigInt operator+() const { return *this; }
  TVM_FFI_LOCAL_INLINE BigInt operator-() const { return 0 - *this; }
  TVM_FFI_LOCAL_INLINE BigInt operator~() const {
    return IsInt64() ? BigInt(~data_.v_int64) : detail::int_ops::Invert(view());
  }

  TVM_FFI_LOCAL_INLINE friend BigInt operator+(const BigInt &a, const BigInt &b) {
    int64_t value;
    if (BothInt64(a, b) && !__builtin_add_overflow(a.data_.v_int64, b.data_.v_int64, &value)) {
      return value;
    }
    return detail::int_ops::OfWords<detail::int_ops::Add>(a.data_, b.data_);
  }
  TVM_FFI_LOCAL_INLINE friend BigInt operator-(const BigInt &a, const BigInt &b) {
    int64_t value;
    if (BothInt64(a, b) && !__builtin_sub_overflow(a.data_.v_int64, b.data_.v_int64, &value)) {
      return value;
    }
    return detail::int_ops::OfWords<detail::int_ops::Subtract>(a.data_, b.data_);
  }
  TVM_FFI_LOCAL_INLINE friend BigInt operator*(const BigInt &a, const BigInt &b) {
    int64_t value;
    if (BothInt64(a, b) && !__builtin_mul_overflow(a.data_.v_int64, b.data_.v_int64, &value)) {
      return value;
    }
    return detail::int_ops::OfWords<detail::int_ops::Multiply>(a.data_, b.data_);
  }
  TVM_FFI_LOCAL_INLINE friend BigInt operator&(const BigInt &a, const BigInt &b) {
    return BothInt64(a, b) ? BigInt(a.data_.v_int64 & b.data_.v_int64)
                           : detail::int_ops::OfWords<detail::int_ops::And>(a.data_, b.data_);
  }
  TVM_FFI_LOCAL_INLINE friend BigInt operator|(const BigInt &a, const BigInt &b) {
    return BothInt64(a, b) ? BigInt(a.data_.v_int64 | b.data_.v_int64)
                           : detail::int_ops::OfWords<detail::int_ops::Or>(a.data_, b.data_);
  }
  TVM_FFI_LOCAL_INLINE friend BigInt operator^(const BigInt &a, const BigInt &b) {
    return BothInt64(a, b) ? BigInt(a.data_.v_int64 ^ b.data_.v_int64)
                           : detail::int_ops::OfWords<detail::int_ops::Xor>(a.data_, b.data_);
  }
  /** Errors: ValueError (a negative count), OverflowError (a count beyond int64_t), memory. */
  TVM_FFI_LOCAL_INLINE friend BigInt operator<<(const BigInt &a, const BigInt &count) {
    int64_t value;
    if (BothInt64(a, count) && count.data_.v_int64 >= 0 && count.data_.v_int64 < 63 &&
        !__builtin_mul_overflow(a.data_.v_int64, int64_t{1} << count.data_.v_int64, &value)) {
      return value;
    }
    return detail::int_ops::OfWords<detail::int_ops::ShiftLeft>(a.data_, count.data_);
  }
  /** Errors: ValueError (a negative count). */
  TVM_FFI_LOCAL_INLINE friend BigInt operator>>(const BigInt &a, const BigInt &count) {
    if (BothInt64(a, count) && count.data_.v_int64 >= 0 && count.data_.v_int64 < 64) {
      return a.data_.v_int64 >> count.data_.v_int64;
    }
    return detail::int_ops::OfWords<detail::int_ops::ShiftRight>(a.data_, count.data_);
  }

  /** Rounds towards zero: 7 / -2 is -3, and 7 % -2 is 1. Errors: ZeroDivisionError. */
  TVM_FFI_LOCAL_INLINE friend BigInt truncdiv(const BigInt &a, const BigInt &b) {
    if (CanDivide(a, b)) return a.data_.v_int64 / b.data_.v_int64;
    return detail::int_ops::OfWords<detail::int_ops::TruncDiv>(a.data_, b.data_);
  }
  TVM_FFI_LOCAL_INLINE friend BigInt truncmod(const BigInt &a, const BigInt &b) {
    if (CanDivide(a, b)) return a.data_.v_int64 % b.data_.v_int64;
    return detail::int_ops::OfWords<detail::int_ops::TruncMod>(a.data_, b.data_);
  }
  /** Rounds towards negative infinity: 7 and -2 give -4 and -1. Errors: ZeroDivisionError. */
  TVM_FFI_LOCAL_INLINE friend BigInt floordiv(const BigInt &a, const BigInt &b) {
    if (!CanDivide(a, b))
      return detail::int_ops::OfWords<detail::int_ops::FloorDiv>(a.data_, b.data_);
    const int64_t x = a.data_.v_int64, y = b.data_.v_int64, rest = x % y;
    return x / y - (rest != 0 && (rest < 0) != (y < 0) ? 1 : 0);
  }
  TVM_FFI_LOCAL_INLINE friend BigInt floormod(const BigInt &a, const BigInt &b) {
    if (!CanDivide(a, b))
      return detail::int_ops::OfWords<detail::int_ops::FloorMod>(a.data_, b.data_);
    const int64_t y = b.data_.v_int64, rest = a.data_.v_int64 % y;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  }
  TVM_FFI_LOCAL_INLINE friend BigInt operator/(const BigInt &a, const BigInt &b) {
    return truncdiv(a, b);
  }
  TVM_FFI_LOCAL_INLINE friend BigInt operator%(const BigInt &a, const BigInt &b) {
    return truncmod(a, b);
  }

  TVM_FFI_LOCAL_INLINE friend bool operator==(const BigInt &a, const BigInt &b) {
    if (a.IsInt64()) return b.IsInt64() && a.data_.v_int64 == b.data_.v_int64;
    return !b.IsInt64() && detail::int_ops::Compare(a.view(), b.view()) == 0;
  }
  TVM_FFI_LOCAL_INLINE friend bool operator<(const BigInt &a, const BigInt &b) {
    return BothInt64(a, b) ? a.data_.v_int64 < b.data_.v_int64
                           : detail::int_ops::Compare(a.view(), b.view()) < 0;
  }
  TVM_FFI_LOCAL_INLINE friend bool operator!=(const BigInt &a, const BigInt &b) {
    return !(a == b);
  }
  TVM_FFI_LOCAL_INLINE friend bool operator>(const BigInt &a, const BigInt &b) { return b < a; }
  TVM_FFI_LOCAL_INLINE friend bool operator<=(const BigInt &a, const BigInt &b) { return !(b < a); }
  TVM_FFI_LOCAL_INLINE friend bool operator>=(const BigInt &a, const BigInt &b) { return !(a < b); }
  TVM_FFI_LOCAL_INLINE friend BigInt min(const BigInt &a, const BigInt &b) { return b < a ? b : a; }
  TVM_FFI_LOCAL_INLINE friend BigInt max(const BigInt &a, const BigInt &b) { return a < b ? b : a; }

  TVM_FFI_LOCAL_INLINE BigInt &operator+=(const BigInt &other) { return *this = *this + other; }
  TVM_FFI_LOCAL_INLINE BigInt &operator-=(const BigInt &other) { return *this = *this - other; }
  TVM_FFI_LOCAL_INLINE BigInt &operator*=(const BigInt &other) { return *this = *this * other; }
  TVM_FFI_LOCAL_INLINE BigInt &operator/=(const BigInt &other) { return *this = *this / other; }
  TVM_FFI_LOCAL_INLINE BigInt &operator%=(const BigInt &other) { return *this = *this % other; }
  TVM_FFI_LOCAL_INLINE BigInt &operator&=(const BigInt &other) { return *this = *this & other; }
  TVM_FFI_LOCAL_INLINE BigInt &operator|=(const BigInt &other) { return *this = *this | other; }
  TVM_FFI_LOCAL_INLINE BigInt &operator^=(const BigInt &other) { return *this = *this ^ other; }
  TVM_FFI_LOCAL_INLINE BigInt &operator<<=(const BigInt &count) { return *this = *this << count; }
  TVM_FFI_LOCAL_INLINE BigInt &operator>>=(const BigInt &count) { return *this = *this >> count; }
  TVM_FFI_LOCAL_INLINE BigInt &operator++() { return *this += 1; }
  TVM_FFI_LOCAL_INLINE BigInt &operator--() { return *this -= 1; }
  TVM_FFI_LOCAL_INLINE BigInt operator++(int) {
    BigInt before(*this);
    ++*this;
    return before;
  }
  TVM_FFI_LOCAL_INLINE BigInt operator--(int) {
    BigInt before(*this);
    --*this;
    return before;
  }

 private:
  TVM_FFI_LOCAL_INLINE bool IsInt64() const { return data_.type_index == kTVMFFIInt; }
  TVM_FFI_LOCAL_INLINE static bool BothInt64(const BigInt &a, const BigInt &b) {
    return TVM_FFI_PREDICT_TRUE(a.IsInt64() && b.IsInt64());
  }
  /** Whether the processor can divide; not by -1, which overflows for the lowest int64_t. */
  TVM_FFI_LOCAL_INLINE static bool CanDivide(const BigInt &a, const BigInt &b) {
    return BothInt64(a, b) && b.data_.v_int64 != 0 && b.data_.v_int64 != -1;
  }
  TVM_FFI_LOCAL_INLINE ArrayView view() const { return detail::BigIntUnsafe::GetArrayView(*this); }

  TVMFFIAny data_;

  friend struct detail::BigIntUnsafe;
  friend struct TypeTraits<BigInt>;
};

/* Friends are found by argument only; these declarations let them be named as tvm::ffi::floordiv.
 */
TVM_FFI_LOCAL_INLINE BigInt truncdiv(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt truncmod(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt floordiv(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt floormod(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt min(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt max(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator+(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator-(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator*(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator/(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator%(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator&(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator|(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator^(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator<<(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE BigInt operator>>(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE bool operator==(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE bool operator!=(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE bool operator<(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE bool operator>(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE bool operator<=(const BigInt &a, const BigInt &b);
TVM_FFI_LOCAL_INLINE bool operator>=(const BigInt &a, const BigInt &b);

namespace detail {

TVM_FFI_LOCAL_INLINE bool BigIntUnsafe::CheckInt64(const BigInt &value) {
  return value.IsInt64();
}
TVM_FFI_LOCAL_INLINE int64_t BigIntUnsafe::GetInt64(const BigInt &value) {
  return value.data_.v_int64;
}
TVM_FFI_LOCAL_INLINE WordView BigIntUnsafe::GetArrayView(const BigInt &value) {
  return GetArrayView(value.data_);
}
TVM_FFI_LOCAL inline BigInt BigIntUnsafe::Normalize(ObjectPtr<BigIntObj> &&obj) {
  const int64_t *words = GetMutableData(obj);
  const size_t size = int_ops::NeededWords(words, obj->size_);
  if (size == 1) return words[0];
  BigInt value;
  ShrinkSize(obj, size);
  SetObject(&value.data_, ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(obj)));
  return value;
}

}  // namespace detail

template <>
struct TypeTraits<BigInt> : detail::NamedTraits<BigInt> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr const char *type_str = "BigInt";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "ffi.BigInt";
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const BigInt &value, TVMFFIAny *out) {
    *out = value.data_;
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(BigInt value, TVMFFIAny *out) {
    *out = value.data_;
    detail::SetInt(&value.data_, kTVMFFIInt, 0);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIInt || source->type_index == kTVMFFIBigInt;
  }
  TVM_FFI_LOCAL_INLINE static BigInt CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    TVMFFIAny copy = *source;
    if (copy.type_index != kTVMFFIInt) detail::Retain(copy.v_obj);
    return MoveFromAnyAfterCheck(&copy);
  }
  TVM_FFI_LOCAL_INLINE static BigInt MoveFromAnyAfterCheck(TVMFFIAny *source) {
    BigInt value;
    value.data_ = *source;
    detail::SetNone(source);
    return value;
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, BigInt *out) {
    if (source->type_index == kTVMFFIBool) {
      *out = source->v_int64;
    } else if (CheckAnyStrict(source)) {
      *out = CopyFromAnyViewAfterCheck(source);
    } else {
      return detail::kReadMismatch;
    }
    return detail::kReadOk;
  }
};

/** Decimal; width and fill are respected. */
template <typename Traits>
TVM_FFI_LOCAL std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &os,
                                                           const BigInt &value) {
  if (detail::BigIntUnsafe::CheckInt64(value)) {
    char digits[24];
    return os << detail::int_ops::WriteDecimal(detail::BigIntUnsafe::GetInt64(value),
                                               digits + sizeof digits);
  }
  detail::Text text;
  detail::int_ops::PutDecimal(text, detail::BigIntUnsafe::GetArrayView(value));
  return os << detail::WholeText(text).data;
}

/** Reads an optional sign and digits. Without digits the stream fails and the value stays. */
template <typename Traits>
TVM_FFI_LOCAL std::basic_istream<char, Traits> &operator>>(std::basic_istream<char, Traits> &is,
                                                           BigInt &value);

TVM_FFI_NAMESPACE_END

#include <tvm/ffi/detail/big_int_ops.h>

template <>
struct std::hash<::tvm::ffi::BigInt> {
  TVM_FFI_LOCAL_INLINE size_t operator()(const ::tvm::ffi::BigInt &value) const {
    return static_cast<size_t>(value.hash());
  }
};

#endif  // TVM_FFI_BIG_INT_H_
