/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation that ends the program when memory runs out. */
#ifndef TVM_FFI_TOOL_MEMORY_H_
#define TVM_FFI_TOOL_MEMORY_H_

#include <stddef.h>

#include "platform/compiler.h"

#define TOOL_PRINTF(text, first) TVMFFI_PRINTF(text, first)

/* All return memory to release with free(), never NULL. */
void *tool_alloc(size_t size);
void *tool_realloc(void *block, size_t size);
char *tool_copy(const char *text, size_t size); /* NUL-terminated */
char *tool_format(const char *format, ...) TOOL_PRINTF(1, 2);

#endif /* TVM_FFI_TOOL_MEMORY_H_ */
