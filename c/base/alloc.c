/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/platform.h"

static TVMFFIRuntimeMemoryHooks memory_hooks; /* allocate == NULL: malloc and free */
static int in_use; /* an allocation was made since the start or a shutdown */

void *tvmffi_alloc(size_t size) {
  if (TVMFFI_UNLIKELY(!tvmffi_atomic_load_relaxed_int(&in_use))) {
    tvmffi_atomic_store_relaxed_int(&in_use, 1);
  }
  if (size == 0) size = 1;
  if (TVMFFI_LIKELY(memory_hooks.allocate == NULL)) return malloc(size);
  return memory_hooks.allocate(memory_hooks.context, size);
}

void *tvmffi_alloc_zeroed(size_t count, size_t size) {
  size_t bytes;
  void *memory;
  if (!tvmffi_checked_mul_size(count, size, &bytes)) return NULL;
  memory = tvmffi_alloc(bytes);
  if (memory != NULL) memset(memory, 0, bytes);
  return memory;
}

void tvmffi_free(void *ptr) {
  if (ptr == NULL) return;
  if (TVMFFI_LIKELY(memory_hooks.deallocate == NULL)) {
    free(ptr);
  } else {
    memory_hooks.deallocate(memory_hooks.context, ptr);
  }
}

void *tvmffi_alloc_plain(size_t size) {
  return malloc(size != 0 ? size : 1);
}

void tvmffi_free_plain(void *ptr) {
  free(ptr);
}

int tvmffi_alloc_set_hooks(const TVMFFIRuntimeMemoryHooks *new_hooks) {
  if (tvmffi_atomic_load_relaxed_int(&in_use)) return -1;
  memory_hooks = *new_hooks;
  return 0;
}

/* Header of a block in the list; the union aligns the memory that follows it for any type. */
typedef union kept_block {
  union kept_block *next;
  long double align_long_double;
  int64_t align_int64;
} kept_block;

static kept_block *kept_blocks;
static tvmffi_mutex kept_mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockMemory, NULL);

void *tvmffi_alloc_until_shutdown(size_t size) {
  kept_block *block;
  if (size > SIZE_MAX - sizeof *block) return NULL;
  block = tvmffi_alloc(sizeof *block + size);
  if (block == NULL) return NULL;
  tvmffi_mutex_lock(&kept_mutex);
  block->next = kept_blocks;
  kept_blocks = block;
  tvmffi_mutex_unlock(&kept_mutex);
  memset(block + 1, 0, size);
  return block + 1;
}

void tvmffi_alloc_shutdown(void) {
  kept_block *block = kept_blocks;
  kept_blocks = NULL;
  while (block != NULL) {
    kept_block *next = block->next;
    tvmffi_free(block);
    block = next;
  }
  tvmffi_atomic_store_relaxed_int(&in_use, 0);
}
