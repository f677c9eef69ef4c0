/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "process/temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/streams.h"

/* ---- Memory ---- */

#ifdef MFD_CLOEXEC

static bool write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t done = write(file, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= (size_t)done;
  }
  return true;
}

/* Creates a file in memory, named only by its descriptor, which children inherit. NULL if that does
 * not work. */
static char *make_in_memory(const void *bytes, size_t size) {
  int made = memfd_create("tvm-ffi", MFD_CLOEXEC), file = -1;
  char *path = NULL;
  if (made < 0) return NULL;
  if (write_all(made, bytes, size)) file = streams_copy_descriptor(made);
  close(made);
  if (file < 0) return NULL;
  path = tool_format("/proc/self/fd/%d", file);
  if (access(path, R_OK) == 0) return path;
  free(path);
  close(file);
  return NULL;
}

#else

static char *make_in_memory(const void *bytes, size_t size) {
  (void)bytes;
  (void)size;
  return NULL;
}

#endif

/* ---- A file ---- */

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
  char *path = make_in_memory(bytes, size);
  return path != NULL ? path : make_in_folder(bytes, size);
}
