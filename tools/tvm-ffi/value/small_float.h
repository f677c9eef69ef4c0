/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point formats that C has no type for: float16, bfloat16, and those of 8, 6 and 4 bits.
 */
#ifndef TVM_FFI_TOOL_SMALL_FLOAT_H_
#define TVM_FFI_TOOL_SMALL_FLOAT_H_

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stdint.h>

/* What a number becomes that is too large, and whether there are infinities and a negative zero. */
typedef enum {
  kSmallIeee,     /* infinities and NaNs as IEEE 754 has them */
  kSmallFinite,   /* "fn": all ones are NaN, which is also what is too large */
  kSmallFnuz,     /* "fnuz": negative zero's bits are NaN, which is also what is too large */
  kSmallSaturate, /* neither infinity nor NaN: the largest number stands for them */
  kSmallExponent  /* "e8m0fnu": powers of two, and NaN for everything without one */
} small_float_kind;

typedef struct {
  uint8_t code, bits, exponent, mantissa;
  int16_t bias;
  small_float_kind kind;
} small_float;

/* NULL where the dtype is no such format; lanes do not matter. */
const small_float *small_float_find(DLDataType dtype);

double small_float_decode(const small_float *format, uint32_t bits);
/* Rounds to the nearest, ties to even. */
uint32_t small_float_encode(const small_float *format, double value);

#endif /* TVM_FFI_TOOL_SMALL_FLOAT_H_ */
