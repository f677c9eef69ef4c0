/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8 (RFC 3629, section 4). */
#ifndef TVM_FFI_TOOL_UTF8_H_
#define TVM_FFI_TOOL_UTF8_H_

#include <stddef.h>

/* How many of the bytes, at least one of them, the character takes that begins there; 0 where none
 * does. */
size_t utf8_measure(const void *bytes, size_t size);
/* So many of the bytes, or as many less as leave the last character whole. */
size_t utf8_cut(const void *bytes, size_t size);

#endif /* TVM_FFI_TOOL_UTF8_H_ */
