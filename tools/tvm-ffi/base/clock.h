/* SPDX-License-Identifier: Apache-2.0 */
/* A monotonic clock. */
#ifndef TVM_FFI_TOOL_CLOCK_H_
#define TVM_FFI_TOOL_CLOCK_H_

#include <stdint.h>

uint64_t clock_nanoseconds(void);
double clock_seconds(void);

#endif /* TVM_FFI_TOOL_CLOCK_H_ */
