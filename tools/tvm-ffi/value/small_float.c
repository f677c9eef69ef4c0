/* SPDX-License-Identifier: Apache-2.0 */
#include "value/small_float.h"

#include <math.h>
#include <stddef.h>

/* DLPack has the codes from 7 on since version 1.1. */
static const small_float kFormats[] = {
    {kDLFloat, 16, 5, 10, 15, kSmallIeee}, {kDLBfloat, 16, 8, 7, 127, kSmallIeee},
    {7, 8, 3, 4, 3, kSmallIeee},           {8, 8, 4, 3, 7, kSmallIeee},
    {9, 8, 4, 3, 11, kSmallFnuz},          {10, 8, 4, 3, 7, kSmallFinite},
    {11, 8, 4, 3, 8, kSmallFnuz},          {12, 8, 5, 2, 15, kSmallIeee},
    {13, 8, 5, 2, 16, kSmallFnuz},         {14, 8, 8, 0, 127, kSmallExponent},
    {15, 6, 2, 3, 1, kSmallSaturate},      {16, 6, 3, 2, 3, kSmallSaturate},
    {17, 4, 2, 1, 1, kSmallSaturate},
};

const small_float *small_float_find(DLDataType dtype) {
  size_t i;
  for (i = 0; i < sizeof kFormats / sizeof *kFormats; ++i) {
    if (kFormats[i].code == dtype.code && kFormats[i].bits == dtype.bits) return &kFormats[i];
  }
  return NULL;
}

static uint32_t get_sign_bit(const small_float *f) {
  return f->kind == kSmallExponent ? 0 : (uint32_t)1 << (f->bits - 1);
}

/* All bits of the exponent set, none of the mantissa. */
static uint32_t get_exponent_mask(const small_float *f) {
  return (((uint32_t)1 << f->exponent) - 1) << f->mantissa;
}

/* The bits of NaN, or of the largest number if the format has no NaN. */
static uint32_t get_nan(const small_float *f) {
  switch (f->kind) {
    case kSmallIeee:
      return get_exponent_mask(f) | (uint32_t)1 << (f->mantissa - 1);
    case kSmallFnuz:
      return get_sign_bit(f);
    default:
      return get_exponent_mask(f) | (((uint32_t)1 << f->mantissa) - 1);
  }
}

static uint32_t get_largest(const small_float *f) {
  switch (f->kind) {
    case kSmallIeee:
      return get_exponent_mask(f) - 1;
    case kSmallFinite:
    case kSmallExponent:
      return get_nan(f) - 1;
    default:
      return get_exponent_mask(f) | (((uint32_t)1 << f->mantissa) - 1);
  }
}

double small_float_decode(const small_float *f, uint32_t bits) {
  uint32_t sign = bits & get_sign_bit(f), magnitude = bits & ~get_sign_bit(f);
  uint32_t exponent = magnitude >> f->mantissa;
  uint32_t mantissa = magnitude & (((uint32_t)1 << f->mantissa) - 1);
  double value;
  if (f->kind == kSmallFnuz ? bits == get_nan(f) : magnitude > get_largest(f)) {
    bool infinite = f->kind == kSmallIeee && mantissa == 0;
    value = infinite ? HUGE_VAL : (double)NAN;
  } else if (f->kind == kSmallExponent) {
    value = ldexp(1, (int)bits - f->bias);
  } else if (exponent == 0) {
    value = ldexp(mantissa, 1 - f->bias - f->mantissa);
  } else {
    value = ldexp(mantissa + ((uint32_t)1 << f->mantissa), (int)exponent - f->bias - f->mantissa);
  }
  return sign != 0 ? -value : value;
}

/* Rounds to the nearest power of two, ties to the even code. */
static uint32_t encode_exponent(const small_float *f, double value) {
  int exponent;
  double part;
  if (!(value > 0) || isinf(value)) return get_nan(f);
  part = frexp(value, &exponent); /* 0.5 <= part < 1 */
  exponent += f->bias - 1;
  if (part > 0.75 || (part == 0.75 && exponent % 2 != 0)) ++exponent;
  if (exponent < 0) return 0;
  return exponent > (int)get_largest(f) ? get_nan(f) : (uint32_t)exponent;
}

uint32_t small_float_encode(const small_float *f, double value) {
  uint32_t sign = signbit(value) ? get_sign_bit(f) : 0, code;
  int exponent, lowest = 1 - f->bias;
  if (f->kind == kSmallExponent) return encode_exponent(f, value);
  if (isnan(value)) return f->kind == kSmallFnuz ? get_nan(f) : sign | get_nan(f);
  code = get_largest(f) + 1;
  if (!isinf(value)) {
    frexp(value, &exponent);
    --exponent;
    if (value == 0 || exponent < lowest) exponent = lowest;
    if (exponent <= f->bias + 1) { /* otherwise it is too large, and the sum could overflow */
      /* A mantissa that rounds up to a power of two carries into the exponent. */
      code = (uint32_t)rint(ldexp(fabs(value), f->mantissa - exponent)) +
             ((uint32_t)(exponent - lowest) << f->mantissa);
    }
  }
  if (code > get_largest(f)) {
    code = f->kind == kSmallIeee       ? get_exponent_mask(f)
           : f->kind == kSmallSaturate ? get_largest(f)
                                       : get_nan(f);
  }
  if (f->kind == kSmallFnuz && (code == 0 || code == get_nan(f))) return code;
  return sign | code;
}
