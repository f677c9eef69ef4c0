/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8 (RFC 3629, section 4). */
#ifndef TVM_FFI_TOOL_UTF8_H_
#define TVM_FFI_TOOL_UTF8_H_

#include <stddef.h>

/* The length of the character at the beginning of the bytes, of which there must be at least one; 0
 * if they begin with no valid character. */
size_t utf8_measure(const void *bytes, size_t size);
/* At most `size`: the number of bytes that does not cut the last character. */
size_t utf8_cut(const void *bytes, size_t size);

#endif /* TVM_FFI_TOOL_UTF8_H_ */
