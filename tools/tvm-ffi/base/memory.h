/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a program that has nothing better to do than to end when there is none. */
#ifndef TVM_FFI_TOOL_MEMORY_H_
#define TVM_FFI_TOOL_MEMORY_H_

#include <stddef.h>

#ifdef __GNUC__
#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TOOL_PRINTF(text, first)
#endif

/* Never NULL; of free(). */
void *tool_alloc(size_t size);
void *tool_realloc(void *block, size_t size);
char *tool_copy(const char *text, size_t size); /* ends with NUL */
char *tool_format(const char *format, ...) TOOL_PRINTF(1, 2);

#endif /* TVM_FFI_TOOL_MEMORY_H_ */
