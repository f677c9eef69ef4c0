/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing whole files. */
#ifndef TVM_FFI_TOOL_FILES_H_
#define TVM_FFI_TOOL_FILES_H_

#include <stdbool.h>
#include <stddef.h>

/* The content of a file ("-": stdin), followed by a NUL; release with free(). NULL after a
 * report. */
char *tool_read_file(const char *path, size_t *out_size);
/* Whether the file exists and may be read; false after a report. */
bool tool_can_read(const char *path);

typedef struct {
  const char *path; /* "-": stdout */
  const void *bytes;
  size_t size;
} file_content;

/* Writes all of the files or none of them; false after a report. Each content goes to a temporary
 * file first, and existing files are replaced only when all of these are complete; a replacement
 * keeps the old file's mode, and symbolic links to it stay. Only devices and pipes are written in
 * place. */
bool tool_write_files(const file_content *files, size_t count);
bool tool_write_file(const char *path, const void *bytes, size_t size);

/* Whether two paths name the same file, also through links: one that is written, and one that is
 * read or written as well. Not for devices: two outputs may both go to /dev/null. */
bool tool_is_same_file(const char *written, const char *second, bool second_is_read);

#endif /* TVM_FFI_TOOL_FILES_H_ */
