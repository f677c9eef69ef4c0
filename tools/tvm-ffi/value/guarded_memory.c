/* SPDX-License-Identifier: Apache-2.0 */
#include "value/layout.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/text.h"
#include "platform/platform.h"
#include "process/supervise.h"
#include "system/system.h"

/* ---- Pages, and what to say of a crash in them ---- */

/* With the messages for a crash, which a signal handler cannot format. Never freed, as a fault may
 * read them, but used again for other pages: see keep_closed(). */
struct memory_pages {
  struct memory_pages *next, *next_unused;
  char *begin, *end; /* with the inaccessible pages */
  char *data;
  size_t size;
  bool is_freed, is_listed;
  char before[80], behind[80], within[80], late[80];
};

static struct memory_pages *volatile all_pages;

static tvmffi_mutex lock =
    TVMFFI_MUTEX_INIT; /* of all lists here, of which a fault reads one, and of counts */

static void explain_fault(const void *fault) {
  const char *address = fault;
  const struct memory_pages *pages;
  for (pages = all_pages; pages != NULL; pages = pages->next) {
    if (address < pages->begin || address >= pages->end) continue;
    supervise_note(pages->is_freed                                  ? pages->late
                   : address < pages->data                          ? pages->before
                   : address - pages->data < (ptrdiff_t)pages->size ? pages->within
                                                                    : pages->behind);
  }
}

/* ---- Pages of released blocks ----
 * They stay closed, so that a late access faults, and the message says whose they were. But calls
 * that follow each other in one process would use up the address space and its mappings: the oldest
 * are given back. */

enum { kMaxClosed = 256 };
static struct memory_pages *closed[kMaxClosed]; /* a ring; under the lock, as the others */
static size_t next_closed, closed_size;
static struct memory_pages *unused; /* by next_unused; they are in all_pages, too */

/* Gives the oldest back. */
static void release_closed(size_t at) {
  struct memory_pages *oldest = closed[at];
  const size_t size = (size_t)(oldest->end - oldest->begin);
  char *begin = oldest->begin;
  oldest->end = oldest->begin; /* no fault is in them any more */
  pages_release(begin, size);
  closed_size -= size;
  closed[at] = NULL;
  oldest->next_unused = unused;
  unused = oldest;
}

/* Takes the pages of a block that was released. */
static void keep_closed(struct memory_pages *pages) {
  const size_t most = SIZE_MAX / 16; /* where addresses are scarce, also fewer than kMaxClosed */
  const size_t size = (size_t)(pages->end - pages->begin);
  size_t i;
  tvmffi_mutex_lock(&lock);
  for (i = 0; i < kMaxClosed; ++i) {
    const size_t at = (next_closed + i) % kMaxClosed;
    if (closed[at] != NULL && (i == 0 || closed_size + size > most)) release_closed(at);
  }
  closed[next_closed] = pages;
  next_closed = (next_closed + 1) % kMaxClosed;
  closed_size += size;
  tvmffi_mutex_unlock(&lock);
}

static struct memory_pages *note_pages(char *begin, char *end, char *data, size_t size,
                                       memory_kind kind) {
  struct memory_pages *pages;
  tvmffi_mutex_lock(&lock);
  pages = unused;
  if (pages != NULL) unused = pages->next_unused;
  tvmffi_mutex_unlock(&lock);
  if (pages == NULL) {
    pages = tool_alloc(sizeof *pages);
    pages->is_listed = false;
  }
  pages->begin = begin;
  pages->end = end;
  pages->data = data;
  pages->size = size;
  pages->is_freed = false;
  snprintf(pages->before, sizeof pages->before, "it reached before a tensor of %zu bytes", size);
  snprintf(pages->behind, sizeof pages->behind, "it reached beyond a tensor of %zu bytes", size);
  snprintf(pages->within, sizeof pages->within,
           kind == kMemoryReserved ? "it used a tensor of %zu bytes, which has no memory"
                                   : "it wrote to a read-only tensor of %zu bytes",
           size);
  snprintf(pages->late, sizeof pages->late, "it used a tensor of %zu bytes after its release",
           size);
  return pages;
}

static bool fail_memory(void) {
  tvm_ffi_error_raise_memory();
  return false;
}

static bool open_pages(void *begin, size_t size, memory_access access) {
  bool (*const kOpen[])(void *, size_t) = {pages_close, pages_open_read, pages_open};
  if (size == 0 || kOpen[access](begin, size)) return true;
  return fail_memory();
}

/* An inaccessible page, the pages with the data, another inaccessible page. */
static bool take_pages(memory_block *out, size_t misaligned, tensor_guard guard) {
  const size_t page = pages_size(), margin = guard == kGuardNone ? kMemoryAlignment : 0;
  size_t middle;
  char *block;
  if (out->size > SIZE_MAX / 2) return fail_memory();
  middle = (out->size + misaligned + 2 * margin + page - 1) / page * page;
  block = pages_reserve(middle + 2 * page);
  if (block == NULL) return fail_memory();
  if (out->kind != kMemoryReserved && !open_pages(block + page, middle, kAccessWrite)) {
    pages_release(block, middle + 2 * page);
    return false;
  }
  out->low = block + page;
  out->high = out->low + middle;
  out->begin = guard == kGuardEnd ? out->high - out->size : out->low + margin + misaligned;
  out->pages = note_pages(block, out->high + page, out->begin, out->size, out->kind);
  return true;
}

/* ---- Blocks that need no pages of their own ---- */

static bool take_block(memory_block *out, size_t misaligned) {
  const size_t margins = 2 * kMemoryAlignment + misaligned;
  char *block = out->size <= SIZE_MAX - margins - kMemoryAlignment
                    ? aligned_block(out->size + margins, kMemoryAlignment)
                    : NULL;
  if (block == NULL) return fail_memory();
  memset(block, 0, out->size + margins);
  out->low = block;
  out->high = block + out->size + margins;
  out->begin = block + kMemoryAlignment + misaligned;
  out->pages = NULL;
  return true;
}

/* ---- All of them ---- */

typedef struct live {
  memory_block block; /* first, so that one is the address of the other */
  struct live *next;
} live;

static live *all_live;

memory_block *memory_new(size_t size, size_t misaligned, tensor_guard guard, memory_kind kind) {
  live *made = tool_alloc(sizeof *made);
  memory_block *block = &made->block;
  block->size = size;
  block->references = 1;
  block->kind = kind == kMemoryPlain && guard != kGuardNone ? kMemoryPages : kind;
  if (guard != kGuardNone) misaligned = 0;
  if (!(block->kind == kMemoryPlain ? take_block(block, misaligned)
                                    : take_pages(block, misaligned, guard))) {
    free(made);
    return NULL;
  }
  tvmffi_mutex_lock(&lock);
  made->next = all_live;
  all_live = made;
  if (block->pages != NULL && !block->pages->is_listed) {
    if (all_pages == NULL) faults_watch(explain_fault);
    block->pages->is_listed = true;
    block->pages->next = all_pages;
    all_pages = block->pages;
  }
  tvmffi_mutex_unlock(&lock);
  return block;
}

void memory_name(const memory_block *block, const char *name) {
  snprintf(block->pages->behind, sizeof block->pages->behind, "it reached beyond %s", name);
}

bool memory_protect(memory_block *block, memory_access access) {
  return open_pages(block->low, (size_t)(block->high - block->low), access);
}

memory_block *memory_share(memory_block *block) {
  tvmffi_mutex_lock(&lock);
  ++block->references;
  tvmffi_mutex_unlock(&lock);
  return block;
}

void memory_release(memory_block *block) {
  bool is_last;
  live *made = (live *)block, **link;
  tvmffi_mutex_lock(&lock);
  is_last = --block->references == 0;
  if (is_last) {
    for (link = &all_live; *link != made; link = &(*link)->next) continue;
    *link = made->next;
  }
  tvmffi_mutex_unlock(&lock);
  if (!is_last) return;
  if (block->pages != NULL) {
    block->pages->is_freed = true;
    (void)pages_discard(block->low, (size_t)(block->high - block->low));
    keep_closed(block->pages);
  } else {
    aligned_free(block->low);
  }
  free(made);
}

bool memory_find(const void *address, memory_kind *out) {
  const char *wanted = address;
  const live *made;
  tvmffi_mutex_lock(&lock);
  for (made = all_live; made != NULL; made = made->next) {
    if (wanted >= made->block.low && wanted <= made->block.high) break;
  }
  if (made != NULL) *out = made->block.kind;
  tvmffi_mutex_unlock(&lock);
  return made != NULL;
}
