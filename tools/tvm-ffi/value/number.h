/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of any data type: names of the types, and elements of tensors; names of devices. */
#ifndef TVM_FFI_TOOL_NUMBER_H_
#define TVM_FFI_TOOL_NUMBER_H_

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* ---- Names of data types ---- */

/* Names of data types, as IREE writes them ("f32", "bf16", "f8e4m3fn") and as DLPack's users do
 * ("float32"). */

/* Parses a name of either kind, optionally with lanes ("f32x4"); false if it is none, with no error
 * raised. */
bool dtype_read(const char *name, size_t size, DLDataType *out);

enum { kDtypeTextSize = 64 };
/* Writes IREE's name, or "bool", or DLPack's name if there is neither, to a buffer of that size,
 * and returns it. */
char *dtype_write(DLDataType dtype, char *buffer);

/* ---- Names of devices ---- */

/* Adds the names of all kinds of devices, with commas. */
void device_list(text_buf *out);

/* ---- Small floating-point formats ---- */

/* Floating-point formats without a type in C: float16, bfloat16, and those of 8, 6 and 4 bits. */

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

/* ---- Elements of tensors ---- */

/* Elements of a packed tensor as numbers and as text. An element with several lanes, or a complex
 * one, consists of that many consecutive numbers. */

typedef struct {
  enum { kNumberInt, kNumberUInt, kNumberReal } kind;
  int64_t i; /* the integer; i and u are both set */
  uint64_t u;
  double real; /* always set, rounded to double */
} number;

/* Whether elements of this type can be read and written. */
bool numbers_known(DLDataType dtype);
/* The numbers in one element. */
size_t numbers_per_element(DLDataType dtype);

/* The i-th number; the dtype must be known. */
number number_get(DLDataType dtype, const void *data, size_t i);
/* How many steps from one floating-point number to the next are between the i-th of two tensors
 * (ULP). False for other types, for those below a byte, and for NaN. */
bool number_count_steps(DLDataType dtype, const void *a, const void *b, size_t i, uint64_t *out);

/* The base of an integer: 16 after 0x, otherwise 10, since most people read 010 as ten. */
int number_base(const char *word);
/* Sets the i-th number from a text, rounded to the type. Returns NULL, or what is wrong: "does not
 * fit int8". */
const char *number_set(DLDataType dtype, void *data, size_t i, const char *word);
/* Sets the i-th number from a double, rounded to nearest; for integer types it must be a
 * representable integer. */
void number_set_real(DLDataType dtype, void *data, size_t i, double value);

void number_copy(DLDataType dtype, void *data, size_t source, size_t dest);

/* The shortest text that reads as the same number of that type. */
void number_write(text_buf *out, DLDataType dtype, const void *data, size_t i);

#endif /* TVM_FFI_TOOL_NUMBER_H_ */
