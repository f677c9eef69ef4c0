/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "process/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/report.h"
#include "base/text.h"
#include "process/board.h"
#include "system/system.h"

static temporary_paths made;
static pid_t owner;

void temporary_remove_from(const temporary_paths *paths) {
  if (paths->file[0] == '\0') return;
  unlink(paths->file);
  folder_remove(paths->folder);
}

void temporary_remove(void) {
  if (getpid() == owner) temporary_remove_from(&made); /* forked children must not remove it */
}

/* Makes a folder that other users cannot access. */
static bool make_folder(char *out, size_t out_size) {
  unsigned count = 0;
  bool is_made;
  do {
    const int size =
        snprintf(out, out_size, "%s/tvm-ffi-%ld-%u", temporary_place(), (long)getpid(), count++);
    if (size < 0 || (size_t)size >= out_size) {
      errno = ENAMETOOLONG;
      return false;
    }
    is_made = folder_make(out, true);
  } while (!is_made && errno == EEXIST);
  return is_made;
}

static char *make_in_folder(const void *bytes, size_t size) {
  enum { kName = 32 };
  if (!make_folder(made.folder, sizeof made.folder - kName)) {
    report_error("%s: %s", made.folder, strerror(errno));
    return NULL;
  }
  strcpy(made.file, made.folder);
  strcat(strcat(made.file, "/library"), kConventions.library_suffix);
  owner = getpid();
  atexit(temporary_remove);
  shared_board->left = made;
  return tool_write_file(made.file, bytes, size) ? tool_copy(made.file, strlen(made.file)) : NULL;
}

char *temporary_file(const void *bytes, size_t size) {
  char path[kMemoryFilePath];
  if (memory_file_create(bytes, size, path)) return tool_copy(path, strlen(path));
  return make_in_folder(bytes, size);
}
