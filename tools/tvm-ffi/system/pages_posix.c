/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "system/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Some systems have only the older name. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

static void *map(size_t size, int access, int sharing) {
  void *begin = mmap(NULL, size, access, sharing | MAP_ANONYMOUS, -1, 0);
  return begin != MAP_FAILED ? begin : NULL;
}

size_t pages_size(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

void *pages_reserve(size_t size) {
  return map(size, PROT_NONE, MAP_PRIVATE);
}

bool pages_open(void *begin, size_t size) {
  return mprotect(begin, size, PROT_READ | PROT_WRITE) == 0;
}

void pages_release(void *begin, size_t size) {
  munmap(begin, size);
}

void *pages_share(size_t size) {
  return map(size, PROT_READ | PROT_WRITE, MAP_SHARED);
}

void *aligned_block(size_t size, size_t alignment) {
  void *block;
  errno = posix_memalign(&block, alignment, size > 0 ? size : 1);
  return errno == 0 ? block : NULL;
}

void aligned_free(void *block) {
  free(block);
}
