/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a value with the expected one. */
#ifndef TVM_FFI_TOOL_COMPARE_H_
#define TVM_FFI_TOOL_COMPARE_H_

#include <tvm/ffi/c.h>

#include "base/text.h"

/* A number may differ by absolute + relative * |expected|. Negative values stand for the default of
 * the type, which for integers is 0. */
typedef struct {
  double absolute, relative;
} tolerance;

typedef struct {
  bool is_same;
  bool has_numbers; /* numbers were compared, and max_error is set */
  double max_error; /* the largest |value - expected| */
  text difference;  /* the first one, "element [1] is 5, expected 6"; empty if there is none */
} comparison;

/* Compares tensors element by element, numbers by value, and lists item by item; NaN equals NaN,
 * and an infinity itself. Everything else is compared by the runtime. */
void compare_values(const TVMFFIAny *value, const TVMFFIAny *expected, const tolerance *allowed,
                    comparison *out);
void comparison_free(comparison *result);

#endif /* TVM_FFI_TOOL_COMPARE_H_ */
