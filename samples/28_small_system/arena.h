/* SPDX-License-Identifier: Apache-2.0 */
/* All the memory of the program: an array of fixed size, from which blocks are taken. */
#ifndef SAMPLES_SMALL_SYSTEM_ARENA_H_
#define SAMPLES_SMALL_SYSTEM_ARENA_H_

#include <stddef.h>

/* Memory aligned for any type; NULL if no gap is large enough, or if it was told to fail. */
void *arena_allocate(void *context, size_t size);
void arena_deallocate(void *context, void *ptr);

/* Bytes in use now, and the most that ever were. */
size_t arena_used(void);
size_t arena_peak(void);

/* Lets num_more allocations succeed, and makes all later ones fail; -1: they succeed again. */
void arena_fail_after(long num_more);

#endif /* SAMPLES_SMALL_SYSTEM_ARENA_H_ */
