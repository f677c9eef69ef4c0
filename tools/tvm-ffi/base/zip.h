/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that other tools open: zip, whose files are stored as they are. */
#ifndef TVM_FFI_TOOL_ZIP_H_
#define TVM_FFI_TOOL_ZIP_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

typedef struct {
  text_buf bytes, list; /* the files, and the list of them that ends the archive */
  size_t count;
  bool is_too_large;
} zip_writer;

/* Starts with zeros. `name` is UTF-8 with / between folders. An archive has up to 4 GiB and 65,534
 * files: more make it too large. */
void zip_add(zip_writer *zip, const char *name, const void *bytes, size_t size);
/* Writes the archive to a file ("-": stdout), and releases it. False after a report. */
bool zip_write(zip_writer *zip, const char *path);

typedef struct {
  const char *name; /* [lend] not NUL-terminated */
  size_t name_size;
  const void *bytes; /* [lend] */
  size_t size;
} zip_file;

/* Goes through the files of an archive: *position is 0 at first. False at the end, and with *wrong
 * set if it is no archive whose files are stored, or damaged. */
bool zip_next(const void *bytes, size_t size, size_t *position, zip_file *out, const char **wrong);

#endif /* TVM_FFI_TOOL_ZIP_H_ */
