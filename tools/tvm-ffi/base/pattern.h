/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns for names, as shells have them. */
#ifndef TVM_FFI_TOOL_PATTERN_H_
#define TVM_FFI_TOOL_PATTERN_H_

#include <stdbool.h>

/* Whether the pattern matches the whole of the text: * is any number of bytes, ? is one byte,
 * [a-z_] is one of these and [!a-z_] is another one, also with classes as in [[:digit:]]. \ takes
 * the special meaning from the next byte; so does [ have none without a ]. */
bool pattern_matches(const char *pattern, const char *text);

#endif /* TVM_FFI_TOOL_PATTERN_H_ */
