/* SPDX-License-Identifier: Apache-2.0 */
/* What binary_file.c needs of a file format: one reader for each. */
#ifndef TVM_FFI_TOOL_BINARY_READER_H_
#define TVM_FFI_TOOL_BINARY_READER_H_

#include "base/files.h"
#include "file/binary_file.h"

enum { kLongestMagic = 20 };

typedef struct {
  binary_format format;
  const char *name; /* "ELF" */
  /* Whether the magic bytes are those of the format. At most kLongestMagic bytes are looked at. */
  bool (*recognise)(const char *image, size_t size);
  /* Fills all of `file` but path, size, format and image, in allocated lists; symbols may be in any
   * order. False after a report. */
  bool (*read)(binary_file *file);
  /* See binary_file_visit_hidden(). */
  void (*visit_hidden)(const binary_file *file, void (*visit)(void *context, const char *name),
                       void *context);
  /* See binary_file_is_whole(). NULL if the system's loader looks at the length. */
  bool (*is_whole)(file_reader *reader, const char *name);
} binary_reader;

extern const binary_reader kElfReader, kPeReader, kMachOReader;

/* Reports "PATH: malformed ELF file: PROBLEM"; returns false. */
bool binary_reader_refuse(const binary_file *file, const char *problem);

#endif /* TVM_FFI_TOOL_BINARY_READER_H_ */
