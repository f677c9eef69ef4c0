/* SPDX-License-Identifier: Apache-2.0 */
/* Names that may stand in sources: ASCII letters, digits and _, a digit not first. */
#ifndef TVM_FFI_TOOL_IDENTIFIER_H_
#define TVM_FFI_TOOL_IDENTIFIER_H_

#include <stdbool.h>
#include <stddef.h>

/* Whether it may stand behind the first character. */
bool identifier_has(char c);
bool identifier_is(const char *bytes, size_t size);
/* The same with _ for what no identifier has; a digit may be first. Of free(). */
char *identifier_make(const char *bytes, size_t size);

#endif /* TVM_FFI_TOOL_IDENTIFIER_H_ */
