/* SPDX-License-Identifier: Apache-2.0 */
#include "system/own_program.h"

#include <mach-o/dyld.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "system/file_system.h"

bool own_program_find(char *out, size_t out_size) {
  char given[4096], *path;
  uint32_t size = sizeof given;
  bool fits;
  if (_NSGetExecutablePath(given, &size) != 0) return false;
  path = file_resolve(given);
  fits = path != NULL && strlen(path) < out_size;
  if (fits) strcpy(out, path);
  free(path);
  return fits;
}
