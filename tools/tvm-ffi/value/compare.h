/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a value is what was expected. */
#ifndef TVM_FFI_TOOL_COMPARE_H_
#define TVM_FFI_TOOL_COMPARE_H_

#include <tvm/ffi/c.h>

#include "base/text.h"

/* A number may differ by absolute + relative * |expected|. Negative: what befits the type; integers
 * are to be the same then. */
typedef struct {
  double absolute, relative;
} tolerance;

typedef struct {
  bool is_same;
  bool has_numbers; /* and so a max_error */
  double max_error; /* the largest |value - expected| */
  text difference;  /* the first, "element [1] is 5, expected 6"; empty where there is none */
} comparison;

/* Elements of tensors, NaN and infinities as equal as any; numbers by value, texts, lists item by
 * item; all else as the runtime compares it. */
void compare_values(const TVMFFIAny *value, const TVMFFIAny *expected, const tolerance *allowed,
                    comparison *out);
void comparison_free(comparison *of);

#endif /* TVM_FFI_TOOL_COMPARE_H_ */
