/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/report.h"

char *tool_read_file(const char *path, size_t *out_size) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  size_t capacity = 1 << 16, size = 0, got;
  char *bytes;
  if (file == NULL) {
    report_error("%s: %s", path, strerror(errno));
    return NULL;
  }
  bytes = tool_alloc(capacity);
  errno = 0;
  while ((got = fread(bytes + size, 1, capacity - 1 - size, file)) > 0) {
    size += got;
    if (size == capacity - 1) bytes = tool_realloc(bytes, capacity *= 2);
  }
  bytes[size] = '\0';
  if (ferror(file)) {
    report_error("%s: %s", path, strerror(errno));
    free(bytes);
    bytes = NULL;
  }
  if (file != stdin) fclose(file);
  *out_size = size;
  return bytes;
}

bool tool_write_file(const char *path, const void *bytes, size_t size) {
  bool to_stdout = strcmp(path, "-") == 0;
  FILE *file = to_stdout ? stdout : fopen(path, "wb");
  struct stat about;
  bool good;
  if (file == NULL) {
    report_error("%s: %s", path, strerror(errno));
    return false;
  }
  good = fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
  if (!good) report_error("%s: %s", path, strerror(errno));
  if (!to_stdout) {
    bool is_file = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode);
    good = fclose(file) == 0 && good;
    if (!good && is_file) remove(path);
  }
  return good;
}
