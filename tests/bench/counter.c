/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts blocks: preloaded (LD_PRELOAD), it replaces malloc and its relatives for every library of
 * the process, operator new included. A library of its own, so that timing can run without it.
 */
#include <errno.h>
#include <stddef.h>

/* The names under which glibc exports its own functions. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *memalign(size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **out, size_t alignment, size_t size);
void free(void *block);
void bench_counter_read(size_t counts[2]);

static size_t num_allocated, num_released;

static void count(size_t *number) {
  (void)__atomic_add_fetch(number, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size) {
  count(&num_allocated);
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  count(&num_allocated);
  return __libc_calloc(items, size);
}

/* Counts a reallocation as releasing the old block and allocating a new one. */
void *realloc(void *block, size_t size) {
  if (block != NULL) count(&num_released);
  if (block == NULL || size != 0) count(&num_allocated);
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  count(&num_allocated);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  void *block = memalign(alignment, size);
  if (block == NULL) return ENOMEM;
  *out = block;
  return 0;
}

void free(void *block) {
  if (block != NULL) count(&num_released);
  __libc_free(block);
}

/* Gives the numbers of blocks allocated and released. */
void bench_counter_read(size_t counts[2]) {
  counts[0] = __atomic_load_n(&num_allocated, __ATOMIC_RELAXED);
  counts[1] = __atomic_load_n(&num_released, __ATOMIC_RELAXED);
}
