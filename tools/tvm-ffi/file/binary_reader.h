/* SPDX-License-Identifier: Apache-2.0 */
/* What readers of file formats share: numbers and texts in bytes, and what binary_file.c needs of
 * each reader. */
#ifndef TVM_FFI_TOOL_BINARY_READER_H_
#define TVM_FFI_TOOL_BINARY_READER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/files.h"
#include "file/binary_file.h"

/* ---- Numbers and texts in the bytes of a file ---- */

/* The file is not trusted: offsets may be any number, and
 * nothing is read outside the bytes. */

typedef struct {
  const unsigned char *data;
  size_t size;
  bool is_big_endian;
} byte_range;

/* A part of the range; false, and nothing written, if it is not inside. */
bool byte_range_slice(const byte_range *range, uint64_t offset, uint64_t size, byte_range *out);
/* The text at an offset; NULL if it does not end inside the range. */
const char *byte_range_text(const byte_range *range, uint64_t offset);

/* Reads numbers one after the other. One that is not inside the range is 0, and so are all that
 * follow; is_past_end says that this happened. */
typedef struct {
  byte_range range; /* what is still to be read */
  bool is_past_end;
} byte_cursor;

byte_cursor byte_cursor_start(const byte_range *range, uint64_t offset);
/* A number of up to 8 bytes. */
uint64_t byte_cursor_number(byte_cursor *cursor, size_t size);
uint8_t byte_cursor_u8(byte_cursor *cursor);
uint16_t byte_cursor_u16(byte_cursor *cursor);
uint32_t byte_cursor_u32(byte_cursor *cursor);
uint64_t byte_cursor_u64(byte_cursor *cursor);
void byte_cursor_skip(byte_cursor *cursor, uint64_t size);

/* ---- Readers of file formats ---- */

enum { kLongestMagic = 20 };

typedef struct {
  binary_format format;
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
