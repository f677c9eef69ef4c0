/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a packed tensor as numbers and as text. An element of several lanes, or a complex
 * one, is as many numbers, which follow each other. */
#ifndef TVM_FFI_TOOL_TENSOR_TEXT_H_
#define TVM_FFI_TOOL_TENSOR_TEXT_H_

#include <dlpack/dlpack.h>

#include "base/text.h"

typedef struct {
  enum { kNumberInt, kNumberUInt, kNumberReal } kind;
  int64_t i; /* whichever it is */
  uint64_t u;
  double real; /* always, as near as a double comes */
} number;

/* Whether elements of that type can be read and written here. */
bool numbers_known(DLDataType dtype);
/* Numbers in an element. */
size_t numbers_per_element(DLDataType dtype);

/* The i-th number; the dtype is a known one. */
number number_get(DLDataType dtype, const void *data, size_t i);

/* What an integer is written in: 16 behind 0x, and else 10, for 010 is ten to most people. */
int number_base(const char *word);
/* The i-th number from a text up to its end, rounded where the type asks for it. NULL; or what is
 * wrong: "does not fit int8". */
const char *number_set(DLDataType dtype, void *data, size_t i, const char *word);
/* The i-th number from a double, to the nearest; integers hold it exactly. */
void number_set_real(DLDataType dtype, void *data, size_t i, double value);

void number_copy(DLDataType dtype, void *data, size_t from, size_t to);

/* The shortest text that reads as the same number of that type. */
void number_write(text *to, DLDataType dtype, const void *data, size_t i);

/* "2x2xf32"; "f32" where there are no dimensions. */
void tensor_type_write(text *to, DLDataType dtype, const int64_t *shape, int32_t ndim);
/* "2x2xf32=[1 2][3 4]", with "..." behind max_elements of them. */
void tensor_write(text *to, DLDataType dtype, const int64_t *shape, int32_t ndim, const void *data,
                  size_t max_elements);

#endif /* TVM_FFI_TOOL_TENSOR_TEXT_H_ */
