/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "platform/stack.h"
#include "platform/win32.h"

/* The call reads the thread's own block of memory, so there is nothing to gain by keeping bounds.
 */
size_t tvmffi_stack_left(void) {
  uintptr_t address = (uintptr_t)__builtin_frame_address(0);
  ULONG_PTR lowest = 0, highest = 0;
  GetCurrentThreadStackLimits(&lowest, &highest);
  /* A coroutine runs on a stack of its own, unless it is a fiber. */
  if (address < lowest || address >= highest) return SIZE_MAX;
  return (size_t)(address - lowest);
}
