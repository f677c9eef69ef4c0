/* SPDX-License-Identifier: Apache-2.0 */
#include "file/pe_header.h"

#include <string.h>

#include "file/binary_reader.h"
#include "file/machine.h"

/* False if it is not in the image. */
static bool read_optional_header(const byte_range *image, binary_file *file, pe_header *out) {
  enum { kMagic32 = 0x10b, kMagic64 = 0x20b };
  enum { kHighEntropy = 0x20, kRandomBase = 0x40, kNoExecution = 0x100 };
  byte_range range;
  byte_cursor cursor;
  unsigned magic, traits, i;
  uint32_t count;
  if (!byte_range_slice(image, out->coff.optional_at, out->coff.optional_size, &range)) {
    return false;
  }
  cursor = byte_cursor_start(&range, 0);
  magic = byte_cursor_u16(&cursor);
  if (magic != kMagic32 && magic != kMagic64) return false;
  file->bits = magic == kMagic64 ? 64 : 32;
  byte_cursor_skip(&cursor, file->bits == 64 ? 22 : 26);
  out->base = byte_cursor_number(&cursor, (size_t)file->bits / 8);
  byte_cursor_skip(&cursor, 28); /* alignments, versions, size of the image */
  out->headers_size = byte_cursor_u32(&cursor);
  byte_cursor_skip(&cursor, 6); /* checksum, subsystem */
  traits = byte_cursor_u16(&cursor);
  byte_cursor_skip(&cursor, (size_t)file->bits / 8 * 4 + 4); /* sizes of stack and heap */
  count = byte_cursor_u32(&cursor);
  if (cursor.is_past_end) return false;
  for (i = 0; i < kNumDirectories && i < count; ++i) {
    out->directories[i].address = byte_cursor_u32(&cursor);
    out->directories[i].size = byte_cursor_u32(&cursor);
  }
  file->pe.has_nx = (traits & kNoExecution) != 0;
  file->pe.has_random_base = (traits & kRandomBase) != 0;
  file->pe.has_high_entropy = (traits & kHighEntropy) != 0;
  return true;
}

bool pe_read_header(binary_file *file, pe_header *out) {
  const byte_range image = {(const unsigned char *)file->image, file->size, false};
  byte_cursor cursor = byte_cursor_start(&image, 0x3c);
  const uint64_t at = byte_cursor_u32(&cursor);
  const machine *found;
  memset(out, 0, sizeof *out);
  cursor = byte_cursor_start(&image, at);
  if (byte_cursor_u32(&cursor) != 0x4550 /* "PE\0\0" */) {
    return binary_reader_refuse(file, "it has no PE header, like programs of MS-DOS");
  }
  if (!coff_read_header(&image, at + 4, &out->coff) || !read_optional_header(&image, file, out)) {
    return binary_reader_refuse(file, "its header is cut off, or of an unknown kind");
  }
  found = machine_find_coff(out->coff.machine);
  file->machine = found != NULL ? found->number : 0;
  file->is_program = (out->coff.flags & kCoffLibrary) == 0;
  return true;
}

/* ---- Addresses ---- */

size_t pe_find_section(const pe_header *header, uint64_t address) {
  size_t i;
  for (i = 0; i < header->coff.num_sections; ++i) {
    const coff_section section = coff_read_section(&header->coff, i);
    const uint32_t size = section.virtual_size > section.size ? section.virtual_size : section.size;
    if (address >= section.address && address - section.address < size) return i + 1;
  }
  return 0;
}

byte_range pe_get_bytes(const pe_header *header, uint64_t address) {
  byte_range bytes = {NULL, 0, false};
  const size_t number = pe_find_section(header, address);
  if (number > 0) {
    const coff_section section = coff_read_section(&header->coff, number - 1);
    const uint64_t skipped = address - section.address;
    if (skipped < section.size) {
      (void)byte_range_slice(&header->coff.image, section.offset + skipped, section.size - skipped,
                             &bytes);
    }
  } else if (address < header->headers_size) {
    (void)byte_range_slice(&header->coff.image, address, header->headers_size - address, &bytes);
  }
  return bytes;
}

const char *pe_get_text(const pe_header *header, uint64_t address) {
  const byte_range bytes = pe_get_bytes(header, address);
  return byte_range_text(&bytes, 0);
}
