/* SPDX-License-Identifier: Apache-2.0 */
/* The newest symbol versions on a manylinux platform (PEP 600 and the policies of auditwheel). */
#ifndef TVM_FFI_TOOL_MANYLINUX_H_
#define TVM_FFI_TOOL_MANYLINUX_H_

#include <stdbool.h>

enum { kNumFamilies = 4 };
extern const char *const kFamilies[kNumFamilies]; /* prefixes of versions, "GLIBC_" first */

typedef struct {
  char name[16];                    /* "2_28" */
  const char *newest[kNumFamilies]; /* versions without the prefix */
  char glibc[16];
} manylinux;

/* Parses "2_28" or "manylinux_2_28"; false after a report. `out` must not be copied: newest[0]
 * points into it. */
bool manylinux_parse(const char *text, manylinux *out);

/* Compares versions such as "3.4.29" like strcmp(); one that is not a number is the greatest. */
int manylinux_compare(const char *a, const char *b);

#endif /* TVM_FFI_TOOL_MANYLINUX_H_ */
