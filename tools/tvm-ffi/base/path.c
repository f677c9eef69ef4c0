/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "system/system.h"

static bool is_separator(char letter) {
  return letter != '\0' && strchr(kConventions.path_separators, letter) != NULL;
}

/* What follows the drive, if there is one. */
static const char *skip_drive(const char *path) {
  const bool has = kConventions.has_drives && isalpha((unsigned char)path[0]) && path[1] == ':';
  return has ? path + 2 : path;
}

const char *path_base(const char *path) {
  const char *base = skip_drive(path), *at;
  for (at = base; *at != '\0'; ++at) {
    if (is_separator(*at)) base = at + 1;
  }
  return base;
}

bool path_has_folder(const char *path) {
  return path_base(path) != path;
}

bool path_is_absolute(const char *path) {
  return is_separator(*skip_drive(path));
}

char *path_beside(const char *path, const char *name) {
  const bool has_drive = skip_drive(name) != name; /* "D:x" is in the current folder of D: */
  const size_t folder = has_drive || path_is_absolute(name) ? 0 : (size_t)(path_base(path) - path);
  const size_t size = strlen(name);
  char *made = tool_alloc(folder + size + 1);
  memcpy(made, path, folder);
  memcpy(made + folder, name, size + 1);
  return made;
}
