/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for the elements of tensors: aligned as asked, next to pages that nobody may access, or on
 * pages that can be protected. */
#ifndef TVM_FFI_TOOL_MEMORY_H_
#define TVM_FFI_TOOL_MEMORY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which end of a tensor adjoins inaccessible memory, in the order of the words of --guard. */
typedef enum { kGuardEnd, kGuardStart, kGuardNone } tensor_guard;

typedef enum {
  kMemoryPlain,
  kMemoryPages,   /* on pages of its own, which are not touched before somebody uses them */
  kMemoryReserved /* addresses that nobody may access: there may be more than the machine has */
} memory_kind;

/* What may be done with pages. */
typedef enum { kAccessNone, kAccessRead, kAccessWrite } memory_access;

enum { kMemoryAlignment = 64 };

typedef struct memory_block {
  char *begin; /* what was asked for */
  size_t size;
  char *low, *high; /* what surrounds it and can be accessed too: at least 64 bytes on each side
                       that has no guard */
  struct memory_pages *pages; /* NULL: it has none of its own */
  uint64_t references;
  memory_kind kind;
} memory_block;

/* Makes memory of zeros that begins `misaligned` bytes (less than 64) behind a multiple of 64, of
 * kMemoryPages so many bytes (less than 4096) behind the 64th byte of a page. With
 * a guard it has pages of its own, `misaligned` is ignored, and its begin or its end is that of a
 * page. NULL with an error raised. */
memory_block *memory_new(size_t size, size_t misaligned, tensor_guard guard, memory_kind kind);

/* Changes what may be done with its pages, `low` to `high`. False with an error raised. */
bool memory_protect(memory_block *block, memory_access access);

/* Another reference, and the end of one; in any thread. After the last, pages of its own are
 * inaccessible and not used again, so that a function is also caught if it uses them too late. */
memory_block *memory_share(memory_block *block);
void memory_release(memory_block *block);

/* Whether the address is in memory that was made here and is not released. If so, *out is its
 * kind. */
bool memory_find(const void *address, memory_kind *out);

#endif /* TVM_FFI_TOOL_MEMORY_H_ */
