/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/win32.h"
#include "system/clock.h"

uint64_t clock_nanoseconds(void) {
  enum { kNanoseconds = 1000000000 };
  static uint64_t frequency; /* ticks per second */
  LARGE_INTEGER ticks;
  uint64_t count;
  if (frequency == 0) {
    (void)QueryPerformanceFrequency(&ticks);
    frequency = (uint64_t)ticks.QuadPart;
  }
  (void)QueryPerformanceCounter(&ticks);
  count = (uint64_t)ticks.QuadPart;
  /* In two parts, whose products do not overflow. */
  return count / frequency * kNanoseconds + count % frequency * kNanoseconds / frequency;
}
