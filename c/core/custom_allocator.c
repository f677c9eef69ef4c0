/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocator that binaries built with 0.1.13 itself ask for in their inline code. This library
 * makes none of its own objects with it.
 */
#include "core/custom_allocator.h"

#include <stdint.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "core/error.h"
#include "platform/atomic.h"

/* In front of an object's body: the start of its block, then the header that the ABI requires. */
typedef struct {
  void *block;
  TVMFFIObjectAllocHeader header;
} body_prefix;

static void delete_space(void *body) {
  body_prefix prefix;
  memcpy(&prefix, (char *)body - sizeof prefix, sizeof prefix);
  tvmffi_free(prefix.block);
}

static void *allocate_body(size_t size, size_t alignment, int32_t type_index, void *context) {
  body_prefix prefix;
  char *block, *body;
  size_t bytes;
  (void)type_index;
  (void)context;
  if (alignment < sizeof(void *)) alignment = sizeof(void *);
  if ((alignment & (alignment - 1)) != 0) {
    tvmffi_error_raisef("ValueError", "Alignment must be a power of two, got %zu", alignment);
    return NULL;
  }
  if (!tvmffi_checked_add_size(size, alignment - 1, &bytes) ||
      !tvmffi_checked_add_size(bytes, sizeof prefix, &bytes) ||
      (block = tvmffi_alloc(bytes)) == NULL) {
    tvmffi_error_raise_memory();
    return NULL;
  }
  body = block + sizeof prefix;
  body += (alignment - ((uintptr_t)body & (alignment - 1))) & (alignment - 1);
  prefix.block = block;
  prefix.header.delete_space = delete_space;
  memcpy(body - sizeof prefix, &prefix, sizeof prefix);
  return body;
}

static TVMFFICustomAllocator default_allocator = {allocate_body, NULL};
static TVMFFICustomAllocator *current = &default_allocator;

TVMFFICustomAllocator *TVMFFIGetCustomAllocator(void) {
  return tvmffi_atomic_load_acquire_ptr(&current);
}

int TVMFFISetCustomAllocator(TVMFFICustomAllocator *allocator) {
  tvmffi_atomic_store_release_ptr(&current, allocator != NULL ? allocator : &default_allocator);
  return 0;
}

void tvmffi_custom_allocator_shutdown(void) {
  (void)TVMFFISetCustomAllocator(NULL);
}
