/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is taken from the system. Functions return NULL or false, and set errno, when there
 * is none left. One implementation per system: pages_<system>.c. */
#ifndef TVM_FFI_TOOL_PAGES_H_
#define TVM_FFI_TOOL_PAGES_H_

#include <stdbool.h>
#include <stddef.h>

/* Access is allowed or refused for whole pages of this size. */
size_t pages_size(void);

/* Pages that nobody may access; release with pages_release(). */
void *pages_reserve(size_t size);
/* Lets some of them be read and written. They are zeros. */
bool pages_open(void *begin, size_t size);
void pages_release(void *begin, size_t size);

/* Zeros that this process has in common with copies of it, where there can be copies; release with
 * pages_release(). */
void *pages_share(size_t size);

/* A block for a tensor; release with aligned_free(). */
void *aligned_block(size_t size, size_t alignment);
void aligned_free(void *block);

#endif /* TVM_FFI_TOOL_PAGES_H_ */
