/* SPDX-License-Identifier: Apache-2.0 */
/* A monotonic clock. One implementation per system: clock_<system>.c. */
#ifndef TVM_FFI_TOOL_CLOCK_H_
#define TVM_FFI_TOOL_CLOCK_H_

#include <stdint.h>

uint64_t clock_nanoseconds(void);

static inline double clock_seconds(void) {
  return (double)clock_nanoseconds() * 1e-9;
}

#endif /* TVM_FFI_TOOL_CLOCK_H_ */
