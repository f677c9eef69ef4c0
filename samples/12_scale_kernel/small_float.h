/* SPDX-License-Identifier: Apache-2.0 */
/* float16 and bfloat16 for a CPU without such arithmetic: 16 bits that convert to float and
 * back. */
#ifndef SAMPLES_SMALL_FLOAT_H_
#define SAMPLES_SMALL_FLOAT_H_

#include <cstdint>
#include <cstring>

namespace my_kernels {

inline uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float FloatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/* Both round to the nearest, ties to even. */
class BFloat16 {
 public:
  explicit BFloat16(double value) {
    uint32_t bits = BitsOf(static_cast<float>(value));
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
      bits |= 0x00400000u; /* quiet, so that it stays a NaN */
    } else {
      bits += 0x7fffu + (bits >> 16 & 1u);
    }
    bits_ = static_cast<uint16_t>(bits >> 16);
  }
  operator float() const { return FloatOf(static_cast<uint32_t>(bits_) << 16); }

 private:
  uint16_t bits_;
};

class Half {
 public:
  explicit Half(double value) {
    const uint32_t bits = BitsOf(static_cast<float>(value));
    const uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) {
      rest = 0x7e00u; /* NaN */
    } else if (rest >= 0x477ff000u) {
      rest = 0x7c00u; /* rounds to 65536 or more: infinity */
    } else if (rest < 0x38800000u) {
      rest = BitsOf(FloatOf(rest) + 0.5f) - 0x3f000000u; /* the addition rounds to 2^-24 */
    } else {
      rest = (rest - (112u << 23) + 0xfffu + (rest >> 13 & 1u)) >> 13;
    }
    bits_ = static_cast<uint16_t>(sign | rest);
  }
  operator float() const {
    const uint32_t sign = static_cast<uint32_t>(bits_ & 0x8000u) << 16;
    const uint32_t exponent = bits_ >> 10 & 31u, mantissa = bits_ & 0x3ffu;
    if (exponent == 31) return FloatOf(sign | 0x7f800000u | mantissa << 13);
    if (exponent != 0) return FloatOf(sign | (exponent + 112u) << 23 | mantissa << 13);
    return FloatOf(sign | BitsOf(static_cast<float>(mantissa) / 16777216.0f));
  }

 private:
  uint16_t bits_;
};

}  // namespace my_kernels

#endif  // SAMPLES_SMALL_FLOAT_H_
