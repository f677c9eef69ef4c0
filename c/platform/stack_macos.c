/* SPDX-License-Identifier: Apache-2.0 */
#define _DARWIN_C_SOURCE /* pthread_get_stackaddr_np */
#include <pthread.h>
#include <stdint.h>

#include "platform/stack.h"

/* The calls read the thread's own block of memory, so there is nothing to gain by keeping bounds.
 */
size_t tvmffi_stack_left(void) {
  const pthread_t self = pthread_self();
  uintptr_t address = (uintptr_t)__builtin_frame_address(0);
  uintptr_t highest = (uintptr_t)pthread_get_stackaddr_np(self);
  uintptr_t lowest = highest - pthread_get_stacksize_np(self);
  /* A coroutine runs on a stack of its own. */
  if (address < lowest || address >= highest) return SIZE_MAX;
  return (size_t)(address - lowest);
}
