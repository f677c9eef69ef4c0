/* SPDX-License-Identifier: Apache-2.0 */
#include "library/library_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/report.h"
#include "process/temporary.h"

static char *from_stdin;

static bool is_stdin(const char *name) {
  return strcmp(name, "-") == 0;
}

bool library_file_fetch(const char *name) {
  size_t size;
  char *bytes;
  if (!is_stdin(name)) return tool_can_read(name);
  if (from_stdin != NULL) return true;
  bytes = elf_file_read(name, name, &size);
  if (bytes != NULL) from_stdin = temporary_file(bytes, size);
  free(bytes);
  return from_stdin != NULL;
}

char *library_file_find(const char *name) {
  char *path;
  if (!library_file_fetch(name)) return NULL;
  if (is_stdin(name)) {
    path = tool_copy(from_stdin, strlen(from_stdin));
  } else {
    path = tool_format("%s%s", strchr(name, '/') != NULL ? "" : "./", name);
  }
  if (elf_file_is_whole(path, name)) return path;
  free(path);
  return NULL;
}

elf_file *library_file_read(const char *name) {
  char *image;
  size_t size;
  if (!library_file_fetch(name)) return NULL;
  image = elf_file_read(is_stdin(name) ? from_stdin : name, name, &size);
  return image != NULL ? elf_file_open_image(name, image, size) : NULL;
}

/* A malformed file is reported by library_file_read(), in the same words in all commands; the
 * loader's reason is used only for files that are well-formed. It often begins with the path, or
 * has it after a redundant introduction: both are cut off. */
void library_file_refuse(const char *name, const char *path, const char *reason) {
  elf_file *file = library_file_read(name);
  char *prefix, *line, *cursor;
  const char *found;
  if (file == NULL) return;
  elf_file_close(file);
  prefix = tool_format("%s: ", path);
  found = strstr(reason, prefix);
  line = tool_format("%s", found != NULL ? found + strlen(prefix) : reason);
  for (cursor = line; *cursor != '\0'; ++cursor) {
    if (*cursor == '\n') *cursor = ' ';
  }
  report_error("%s: cannot be loaded: %s", name, line);
  free(line);
  free(prefix);
}
