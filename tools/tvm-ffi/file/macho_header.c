/* SPDX-License-Identifier: Apache-2.0 */
#include "file/macho_header.h"

#include <string.h>

#include "file/machine.h"

enum { kMaxSlices = 40 }; /* a class of Java begins with the same bytes, and a larger number */

/* The number of files in a universal one; 0 for others. */
static uint32_t count_slices(byte_range image, bool *out_is_64) {
  byte_cursor cursor;
  uint32_t magic, count;
  image.is_big_endian = true;
  cursor = byte_cursor_start(&image, 0);
  magic = byte_cursor_u32(&cursor);
  count = byte_cursor_u32(&cursor);
  *out_is_64 = magic == 0xcafebabf;
  return (magic == 0xcafebabe || *out_is_64) && count < kMaxSlices ? count : 0;
}

/* Reads the magic bytes; false if they are of another format. */
static bool read_magic(byte_range *image, size_t *out_word) {
  byte_cursor cursor;
  uint32_t magic;
  image->is_big_endian = image->size > 0 && image->data[0] == 0xfe;
  cursor = byte_cursor_start(image, 0);
  magic = byte_cursor_u32(&cursor);
  *out_word = magic == 0xfeedfacf ? 8 : 4;
  return magic == 0xfeedface || magic == 0xfeedfacf;
}

bool macho_recognise(const char *image, size_t size) {
  byte_range range = {(const unsigned char *)image, size, false};
  bool is_64;
  size_t word;
  return count_slices(range, &is_64) > 0 || read_magic(&range, &word);
}

static bool is_own(uint32_t cpu) {
  const machine *found = machine_find_macho(cpu);
  return found != NULL && machine_is_own(found->number, found->bits, found->is_big_endian);
}

/* Chooses a part of a universal file; false if it is not in the file. */
static bool choose_slice(byte_range image, macho *out) {
  bool is_64, has_own = false;
  const uint32_t count = count_slices(image, &is_64);
  uint64_t at = 0, size = image.size;
  byte_cursor cursor;
  uint32_t i;
  image.is_big_endian = true;
  cursor = byte_cursor_start(&image, 8);
  for (i = 0; i < count && !has_own; ++i) {
    const uint32_t cpu = byte_cursor_u32(&cursor);
    uint64_t slice_at, slice_size;
    byte_cursor_skip(&cursor, 4); /* subtype */
    slice_at = byte_cursor_number(&cursor, is_64 ? 8 : 4);
    slice_size = byte_cursor_number(&cursor, is_64 ? 8 : 4);
    byte_cursor_skip(&cursor, is_64 ? 8 : 4); /* alignment */
    has_own = is_own(cpu);
    if (i > 0 && !has_own) continue;
    at = slice_at;
    size = slice_size;
  }
  out->at = at;
  return !cursor.is_past_end && byte_range_slice(&image, at, size, &out->image);
}

bool macho_parse(const binary_file *file, macho *out) {
  const byte_range image = {(const unsigned char *)file->image, file->size, false};
  byte_cursor cursor;
  uint32_t size;
  memset(out, 0, sizeof *out);
  if (!choose_slice(image, out) || !read_magic(&out->image, &out->word)) return false;
  cursor = byte_cursor_start(&out->image, 4);
  out->cpu = byte_cursor_u32(&cursor);
  byte_cursor_skip(&cursor, 4); /* subtype */
  out->type = byte_cursor_u32(&cursor);
  byte_cursor_skip(&cursor, 4); /* number of load commands */
  size = byte_cursor_u32(&cursor);
  out->flags = byte_cursor_u32(&cursor);
  return !cursor.is_past_end &&
         byte_range_slice(&out->image, out->word == 8 ? 32 : 28, size, &out->commands);
}

uint64_t macho_take_word(const macho *header, byte_cursor *cursor) {
  return byte_cursor_number(cursor, header->word);
}

/* ---- Load commands ---- */

bool macho_next_command(byte_range *rest, macho_command *out) {
  byte_cursor cursor = byte_cursor_start(rest, 0);
  uint32_t size;
  out->kind = byte_cursor_u32(&cursor) & ~IS_REQUIRED;
  size = byte_cursor_u32(&cursor);
  return size >= 8 && byte_range_slice(rest, 0, size, &out->bytes) &&
         byte_range_slice(rest, size, rest->size - size, rest);
}

bool macho_take_range(const macho *header, byte_cursor *cursor, byte_range *out) {
  const uint32_t at = byte_cursor_u32(cursor), size = byte_cursor_u32(cursor);
  return byte_range_slice(&header->image, at, size, out);
}
