/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* dladdr */
#include "base/places.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>
#include <unistd.h>

#include "base/path.h"
#include "base/report.h"
#include "build_info.h"

bool place_has(const char *folder, const char *name) {
  char *path = tool_format("%s/%s", folder, name);
  bool found = access(path, F_OK) == 0;
  free(path);
  return found;
}

/* The path of the running program, with symbolic links resolved. */
static char *find_program(void) {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0 || (size_t)size == sizeof path) return NULL;
  return tool_copy(path, (size_t)size);
}

char *place_of_library(void) {
  Dl_info info;
  union {
    void (*function)(TVMFFIVersion *);
    void *data;
  } address;
  address.function = TVMFFIGetVersion;
  if (dladdr(address.data, &info) == 0 || info.dli_fname == NULL) return NULL;
  return realpath(info.dli_fname, NULL);
}

char *place_under(const char *prefix, const char *folder) {
  return *folder == '/' ? tool_copy(folder, strlen(folder)) : tool_format("%s/%s", prefix, folder);
}

/* What precedes "/FOLDER/NAME"; NULL if the path does not end that way. */
static char *strip_folder(const char *path, const char *folder) {
  const char *name = path_base(path);
  size_t size = name > path ? (size_t)(name - 1 - path) : 0, tail = strlen(folder);
  if (size <= tail || path[size - tail - 1] != '/' ||
      strncmp(path + size - tail, folder, tail) != 0) {
    return NULL;
  }
  return tool_copy(path, size - tail - 1);
}

static bool is_complete(const char *program, const char *prefix) {
  static const char *const kNeeded[][2] = {{TOOL_INCLUDEDIR, "tvm/ffi/c_api.h"},
                                           {TOOL_LIBDIR, TOOL_LIBRARY}};
  size_t i;
  for (i = 0; i < sizeof kNeeded / sizeof *kNeeded; ++i) {
    char *folder = place_under(prefix, kNeeded[i][0]);
    bool found = place_has(folder, kNeeded[i][1]);
    if (!found) {
      report_error("%s is not installed: there is no %s/%s", program, folder, kNeeded[i][1]);
    }
    free(folder);
    if (!found) return false;
  }
  return true;
}

char *place_of_prefix(void) {
  char *program = find_program(), *prefix = NULL;
  if (program == NULL) {
    report_error("cannot tell where this program lies: /proc/self/exe cannot be read");
    return NULL;
  }
  prefix =
      *TOOL_BINDIR == '/' ? tool_format("%s", TOOL_PREFIX) : strip_folder(program, TOOL_BINDIR);
  if (prefix == NULL) {
    report_error("%s is not installed: it does not lie in a folder %s", program, TOOL_BINDIR);
  } else if (!is_complete(program, prefix)) {
    free(prefix);
    prefix = NULL;
  }
  free(program);
  return prefix;
}
