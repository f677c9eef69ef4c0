/* SPDX-License-Identifier: Apache-2.0 */
/* What the systems of a manylinux platform have (PEP 600 and the policies of auditwheel). */
#ifndef TVM_FFI_TOOL_MANYLINUX_H_
#define TVM_FFI_TOOL_MANYLINUX_H_

#include <stdbool.h>

enum { kNumFamilies = 4 };
extern const char *const kFamilies[kNumFamilies]; /* beginnings of versions, "GLIBC_" first */

typedef struct {
  char name[16];                    /* "2_28" */
  const char *newest[kNumFamilies]; /* versions without the beginning */
  char glibc[16];
} manylinux;

/* "2_28", or "manylinux_2_28"; false when reported. `out` is not to be copied. */
bool manylinux_parse(const char *text, manylinux *out);

/* Of versions such as "3.4.29": below, at or above 0. What is no number is beyond all. */
int manylinux_compare(const char *a, const char *b);

#endif /* TVM_FFI_TOOL_MANYLINUX_H_ */
