/* SPDX-License-Identifier: Apache-2.0 */
#include "system/own_program.h"

#include <string.h>

#include "platform/win32.h"

bool own_program_find(char *out, size_t out_size) {
  const DWORD size = GetModuleFileNameA(NULL, out, (DWORD)out_size);
  char *at;
  if (size == 0 || size == out_size) return false;
  for (at = out; *at != '\0'; ++at) {
    if (*at == '\\') *at = '/';
  }
  return true;
}
