/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include <string.h>

#include "base/memory.h"

const char *path_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

char *path_beside(const char *path, const char *name) {
  const size_t folder = *name == '/' ? 0 : (size_t)(path_base(path) - path);
  const size_t size = strlen(name);
  char *made = tool_alloc(folder + size + 1);
  memcpy(made, path, folder);
  memcpy(made + folder, name, size + 1);
  return made;
}
