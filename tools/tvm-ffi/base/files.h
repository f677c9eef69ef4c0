/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing whole files. */
#ifndef TVM_FFI_TOOL_FILES_H_
#define TVM_FFI_TOOL_FILES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "system/system.h"

/* A file that is read only as far as it is needed: a device or a pipe may never end. */
typedef struct {
  const char *path;
  FILE *stream; /* NULL: all of it is read */
  char *bytes;  /* what was read, followed by a NUL */
  size_t size, capacity;
  uint64_t known_size; /* of a regular file, when it was opened; 0 */
} file_reader;

/* Opens a file ("-": stdin). `path` [borrow] until it is closed. False after a report. */
bool file_reader_open(const char *path, file_reader *out);
/* Reads until there are at least `size` bytes or the file ends; false after a report. */
bool file_reader_fill(file_reader *reader, size_t size);
/* Reads all the rest; false after a report, also for a device or pipe that does not end. */
bool file_reader_fill_all(file_reader *reader);
void file_reader_close(file_reader *reader);
/* Closes it and returns all of its bytes; release with free(). NULL and no size after a report. */
char *file_reader_take(file_reader *reader, size_t *out_size);

/* The content of a file ("-": stdin), followed by a NUL; release with free(). NULL after a
 * report. */
char *tool_read_file(const char *path, size_t *out_size);
/* The same; messages call the file `name`, which may say where it is mentioned: "list:3: a.bin". */
char *tool_read_file_as(const char *path, const char *name, size_t *out_size);
/* The same of a regular file alone, which is opened without waiting. */
bool file_reader_open_regular(const char *path, file_links links, file_reader *out);
char *tool_read_regular_file(const char *path, file_links links, size_t *out_size);
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

/* What files hold, as their names end. */
typedef enum {
  kHoldsC,
  kHoldsCxx,
  kHoldsPython,
  kHoldsRust,
  kHoldsAssembler,
  kHoldsObject,
  kHoldsLibrary,
  kHoldsUnknown /* another ending, or none */
} file_kind;

file_kind file_kind_of(const char *path);
/* Whether its name ends so, in letters of any case. */
bool file_has_ending(const char *path, const char *ending);
/* Whether the file of --OPTION may be named like this: `kinds` is of bits, 1u << kHoldsC and so on.
 * A name without an ending, like "-" or /dev/null, may always be. False after a report, which names
 * the endings. */
bool file_check_ending(const char *option, const char *path, unsigned kinds);

/* Whether two paths lead to one file or folder, which exists. */
bool tool_is_one_file(const char *a, const char *b);
/* Whether two paths name the same file, also through links: one that is written, and one that is
 * read or written as well. Not for devices: two outputs may both go to /dev/null. */
bool tool_is_same_file(const char *written, const char *second, bool second_is_read);

#endif /* TVM_FFI_TOOL_FILES_H_ */
