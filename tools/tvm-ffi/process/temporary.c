/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "process/temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/report.h"
#include "system/memory_file.h"

static char *folder, *file;
static pid_t owner;

void temporary_remove(void) {
  if (file == NULL || getpid() != owner) return; /* forked children must not remove it */
  unlink(file);
  rmdir(folder);
}

/* Creates a file in a folder that other users cannot access. */
static char *make_in_folder(const void *bytes, size_t size) {
  const char *place = getenv("TMPDIR");
  folder = tool_format("%s/tvm-ffi-XXXXXX", place != NULL && *place != '\0' ? place : "/tmp");
  if (mkdtemp(folder) == NULL) {
    report_error("%s: %s", folder, strerror(errno));
    return NULL;
  }
  owner = getpid();
  file = tool_format("%s/library.so", folder);
  atexit(temporary_remove);
  return tool_write_file(file, bytes, size) ? tool_copy(file, strlen(file)) : NULL;
}

char *temporary_file(const void *bytes, size_t size) {
  char path[kMemoryFilePath];
  if (memory_file_create(bytes, size, path)) return tool_copy(path, strlen(path));
  return make_in_folder(bytes, size);
}
