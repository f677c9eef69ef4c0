/* SPDX-License-Identifier: Apache-2.0 */
/* First fit over a list of the gaps, which is sorted by address, so that neighbours are joined. */
#include "arena.h"

#include <stdint.h>

#ifndef ARENA_BYTES
#define ARENA_BYTES (24 * 1024)
#endif

/* Precedes each block and each gap; a union, so that what follows is aligned for any type. */
typedef union front {
  struct {
    union front *next; /* gap */
    size_t count;      /* fronts that it takes, with itself */
  } s;
  double for_alignment[2];
} front;

enum { kNumFronts = ARENA_BYTES / sizeof(front) };

static front arena[kNumFronts];
static front list;      /* its next is the first gap */
static size_t num_used; /* fronts */
static size_t most_used;
static long allocations_left = -1;

static void begin(void) {
  arena[0].s.next = NULL;
  arena[0].s.count = kNumFronts;
  list.s.next = arena;
  list.s.count = 1; /* it has begun */
}

void *arena_allocate(void *context, size_t size) {
  size_t count = size / sizeof(front) + 2;
  front *before, *gap;
  (void)context;
  if (list.s.count == 0) begin();
  if (allocations_left == 0) return NULL;
  if (allocations_left > 0) --allocations_left;
  for (before = &list; (gap = before->s.next) != NULL; before = gap) {
    if (gap->s.count < count) continue;
    if (gap->s.count == count) {
      before->s.next = gap->s.next;
    } else { /* take the end of the gap */
      gap->s.count -= count;
      gap += gap->s.count;
      gap->s.count = count;
    }
    num_used += count;
    if (num_used > most_used) most_used = num_used;
    return gap + 1;
  }
  return NULL;
}

void arena_deallocate(void *context, void *ptr) {
  front *block = (front *)ptr - 1, *before = &list, *after;
  (void)context;
  num_used -= block->s.count;
  while ((after = before->s.next) != NULL && after < block) before = after;
  block->s.next = after;
  before->s.next = block;
  if (after != NULL && block + block->s.count == after) {
    block->s.count += after->s.count;
    block->s.next = after->s.next;
  }
  if (before != &list && before + before->s.count == block) {
    before->s.count += block->s.count;
    before->s.next = block->s.next;
  }
}

size_t arena_used(void) {
  return num_used * sizeof(front);
}

size_t arena_peak(void) {
  return most_used * sizeof(front);
}

void arena_fail_after(long num_more) {
  allocations_left = num_more;
}
