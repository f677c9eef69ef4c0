/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "system/description.h"

#include <stdio.h>
#include <sys/utsname.h>

bool description_write(char *out, size_t out_size) {
  struct utsname name;
  if (uname(&name) < 0) return false;
  snprintf(out, out_size, "%s %s %s", name.sysname, name.release, name.machine);
  return true;
}
