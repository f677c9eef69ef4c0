/* SPDX-License-Identifier: Apache-2.0 */
/* Files read and written whole. */
#ifndef TVM_FFI_TOOL_FILES_H_
#define TVM_FFI_TOOL_FILES_H_

#include <stdbool.h>
#include <stddef.h>

/* All of a file ("-": stdin), with a NUL behind; NULL when reported. */
char *tool_read_file(const char *path, size_t *out_size);
/* Whether it is there to be read; false when reported. */
bool tool_can_read(const char *path);

typedef struct {
  const char *path; /* "-": stdout */
  const void *bytes;
  size_t size;
} file_content;

/* Writes all of the files or none of them; false when reported. What was there before stays until
 * every byte of every file is written: a new file takes its place then, with its mode and behind
 * its links. Only devices and pipes are written as they stand. */
bool tool_write_files(const file_content *files, size_t count);
bool tool_write_file(const char *path, const void *bytes, size_t size);

/* Whether two paths are one file, by other names or links too: one that is written, and one that is
 * read or written as well. Devices are not: what goes to /dev/null may go there twice. */
bool tool_is_same_file(const char *written, const char *other, bool other_is_read);

#endif /* TVM_FFI_TOOL_FILES_H_ */
