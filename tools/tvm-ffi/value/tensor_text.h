/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a packed tensor as numbers and as text. An element with several lanes, or a complex
 * one, consists of that many consecutive numbers. */
#ifndef TVM_FFI_TOOL_TENSOR_TEXT_H_
#define TVM_FFI_TOOL_TENSOR_TEXT_H_

#include <dlpack/dlpack.h>

#include "base/text.h"

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
void number_write(text *out, DLDataType dtype, const void *data, size_t i);

/* "2x2xf32"; "f32" without dimensions. */
void tensor_type_write(text *out, DLDataType dtype, const int64_t *shape, int32_t ndim);
/* How much of a tensor is written. */
typedef struct {
  size_t max_elements; /* so many, and "..." if there are more */
  size_t max_unelided; /* a tensor with more is elided: of a long dimension, the first and last few
                          are written, with "..." between them */
} tensor_detail;

extern const tensor_detail kTensorWhole;
/* At most a thousand elements. */
extern const tensor_detail kTensorElided;

/* "2x2xf32=[1 2][3 4]" */
void tensor_write(text *out, DLDataType dtype, const int64_t *shape, int32_t ndim, const void *data,
                  const tensor_detail *detail);

#endif /* TVM_FFI_TOOL_TENSOR_TEXT_H_ */
