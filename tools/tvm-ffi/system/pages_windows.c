/* SPDX-License-Identifier: Apache-2.0 */
#include "system/pages.h"

#include <errno.h>
#include <malloc.h>

#include "platform/win32.h"

static void *allocate(void *begin, size_t size, DWORD kind, DWORD access) {
  void *got = VirtualAlloc(begin, size, kind, access);
  if (got == NULL) errno = ENOMEM;
  return got;
}

size_t pages_size(void) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  return system.dwPageSize;
}

void *pages_reserve(size_t size) {
  return allocate(NULL, size, MEM_RESERVE, PAGE_NOACCESS);
}

bool pages_open(void *begin, size_t size) {
  return allocate(begin, size, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

void pages_release(void *begin, size_t size) {
  (void)size;
  (void)VirtualFree(begin, 0, MEM_RELEASE);
}

void *pages_share(size_t size) {
  return allocate(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void *aligned_block(size_t size, size_t alignment) {
  return _aligned_malloc(size > 0 ? size : 1, alignment);
}

void aligned_free(void *block) {
  _aligned_free(block);
}
