/* SPDX-License-Identifier: Apache-2.0 */
#include "system/temporary_place.h"

#include "platform/win32.h"

const char *temporary_place(void) {
  enum { kMaxPath = 1024 };
  static char place[kMaxPath];
  const DWORD size = GetTempPathA(kMaxPath, place); /* it has a backslash at its end */
  if (size == 0 || size >= kMaxPath) return ".";
  place[size - 1] = '\0';
  return place;
}
