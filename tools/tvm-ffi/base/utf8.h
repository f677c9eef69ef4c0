/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8 (RFC 3629, section 4). */
#ifndef TVM_FFI_TOOL_UTF8_H_
#define TVM_FFI_TOOL_UTF8_H_

#include <stddef.h>

/* How many of the bytes, at least one of them, the character takes that begins there; 0 where none
 * does. */
size_t utf8_measure(const void *bytes, size_t size);

#endif /* TVM_FFI_TOOL_UTF8_H_ */
