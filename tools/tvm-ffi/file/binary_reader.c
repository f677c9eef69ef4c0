/* SPDX-License-Identifier: Apache-2.0 */
#include "file/binary_file.h"

#include <string.h>

#include "base/report.h"

/* ---- Bytes ---- */

/* An empty range may have a null pointer, to which C adds not even 0. */
static const unsigned char *move(const unsigned char *data, uint64_t offset) {
  return offset > 0 ? data + offset : data;
}

bool byte_range_slice(const byte_range *range, uint64_t offset, uint64_t size, byte_range *out) {
  if (offset > range->size || size > range->size - offset) return false;
  out->data = move(range->data, offset);
  out->size = (size_t)size;
  out->is_big_endian = range->is_big_endian;
  return true;
}

const char *byte_range_text(const byte_range *range, uint64_t offset) {
  if (offset >= range->size) return NULL;
  if (memchr(range->data + offset, '\0', range->size - (size_t)offset) == NULL) return NULL;
  return (const char *)range->data + offset;
}

/* ---- Numbers ---- */

byte_cursor byte_cursor_start(const byte_range *range, uint64_t offset) {
  byte_cursor cursor = {*range, false};
  byte_cursor_skip(&cursor, offset);
  return cursor;
}

/* Returns the next bytes, and moves on past them; NULL if there are fewer. */
static const unsigned char *take(byte_cursor *cursor, uint64_t size) {
  const unsigned char *taken = cursor->range.data;
  if (size > cursor->range.size) {
    cursor->range.size = 0;
    cursor->is_past_end = true;
    return NULL;
  }
  cursor->range.data = move(taken, size);
  cursor->range.size -= (size_t)size;
  return taken;
}

void byte_cursor_skip(byte_cursor *cursor, uint64_t size) {
  (void)take(cursor, size);
}

uint64_t byte_cursor_number(byte_cursor *cursor, size_t size) {
  const unsigned char *bytes = take(cursor, size);
  uint64_t number = 0;
  size_t i;
  for (i = 0; bytes != NULL && i < size; ++i) {
    number = number << 8 | bytes[cursor->range.is_big_endian ? i : size - 1 - i];
  }
  return number;
}

uint8_t byte_cursor_u8(byte_cursor *cursor) {
  return (uint8_t)byte_cursor_number(cursor, 1);
}

uint16_t byte_cursor_u16(byte_cursor *cursor) {
  return (uint16_t)byte_cursor_number(cursor, 2);
}

uint32_t byte_cursor_u32(byte_cursor *cursor) {
  return (uint32_t)byte_cursor_number(cursor, 4);
}

uint64_t byte_cursor_u64(byte_cursor *cursor) {
  return byte_cursor_number(cursor, 8);
}

/* ---- Formats ---- */

const char *binary_format_name(binary_format format) {
  static const char *const kNames[] = {"ELF", "PE", "Mach-O"};
  return kNames[format];
}

void binary_reader_set_build_id(binary_file *file, const unsigned char *bytes, size_t size) {
  text_buf digits = {NULL, 0, 0};
  size_t i;
  for (i = 0; i < size && file->build_id == NULL; ++i) text_add(&digits, "%02x", bytes[i]);
  if (digits.data != NULL) file->build_id = digits.data;
}

bool binary_reader_refuse(const binary_file *file, const char *problem) {
  return report_error("%s: malformed %s file: %s", file->path, binary_format_name(file->format),
                      problem);
}
