/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point formats without a type in C: float16, bfloat16, and those of 8, 6 and 4 bits. */
#ifndef TVM_FFI_TOOL_SMALL_FLOAT_H_
#define TVM_FFI_TOOL_SMALL_FLOAT_H_

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stdint.h>

/* Decides what numbers too large become, and whether there are infinities and a negative zero. */
typedef enum {
  kSmallIeee,     /* infinities and NaNs as in IEEE 754 */
  kSmallFinite,   /* "fn": all ones are NaN, also used for numbers too large */
  kSmallFnuz,     /* "fnuz": the bits of negative zero are NaN, also used for numbers too large */
  kSmallSaturate, /* no infinity and no NaN: the largest number replaces them */
  kSmallExponent  /* "e8m0fnu": powers of two, and NaN for anything without one */
} small_float_kind;

typedef struct {
  uint8_t code, bits, exponent, mantissa;
  int16_t bias;
  small_float_kind kind;
} small_float;

/* NULL if the dtype is no such format; lanes are ignored. */
const small_float *small_float_find(DLDataType dtype);

double small_float_decode(const small_float *format, uint32_t bits);
/* Rounds to the nearest, ties to even. */
uint32_t small_float_encode(const small_float *format, double value);

#endif /* TVM_FFI_TOOL_SMALL_FLOAT_H_ */
