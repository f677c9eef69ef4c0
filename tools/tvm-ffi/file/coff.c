/* SPDX-License-Identifier: Apache-2.0 */
#include "file/coff.h"

#include <string.h>

bool coff_read_header(const byte_range *image, uint64_t at, coff_header *out) {
  byte_cursor cursor = byte_cursor_start(image, at);
  byte_range sections;
  uint64_t symbols_at;
  memset(out, 0, sizeof *out);
  out->image = *image;
  out->machine = byte_cursor_u16(&cursor);
  out->num_sections = byte_cursor_u16(&cursor);
  byte_cursor_skip(&cursor, 4); /* time */
  symbols_at = byte_cursor_u32(&cursor);
  out->num_symbols = byte_cursor_u32(&cursor);
  out->optional_at = at + kCoffHeaderSize;
  out->optional_size = byte_cursor_u16(&cursor);
  out->flags = byte_cursor_u16(&cursor);
  if (cursor.is_past_end ||
      !byte_range_slice(image, out->optional_at + out->optional_size,
                        (uint64_t)out->num_sections * kCoffSectionSize, &sections)) {
    return false;
  }
  if (symbols_at == 0) out->num_symbols = 0;
  if (out->num_symbols == 0) return true;
  /* The names follow the symbols, and begin with their length. */
  return byte_range_slice(image, symbols_at, (uint64_t)out->num_symbols * kCoffSymbolSize,
                          &out->symbols) &&
         byte_range_slice(image, symbols_at + out->symbols.size,
                          image->size - symbols_at - out->symbols.size, &out->names);
}

coff_section coff_read_section(const coff_header *header, size_t i) {
  byte_cursor cursor = byte_cursor_start(
      &header->image, header->optional_at + header->optional_size + i * kCoffSectionSize);
  coff_section section;
  byte_cursor_skip(&cursor, 8); /* name */
  section.virtual_size = byte_cursor_u32(&cursor);
  section.address = byte_cursor_u32(&cursor);
  section.size = byte_cursor_u32(&cursor);
  section.offset = byte_cursor_u32(&cursor);
  byte_cursor_skip(&cursor, 12); /* relocations, line numbers */
  section.flags = byte_cursor_u32(&cursor);
  return section;
}

coff_symbol coff_read_symbol(const coff_header *header, size_t i) {
  byte_cursor cursor = byte_cursor_start(&header->symbols, (uint64_t)i * kCoffSymbolSize + 8);
  coff_symbol symbol;
  symbol.value = byte_cursor_u32(&cursor);
  symbol.section = (int16_t)byte_cursor_u16(&cursor);
  symbol.is_function = byte_cursor_u16(&cursor) == 0x20;
  symbol.storage_class = byte_cursor_u8(&cursor);
  symbol.num_more = byte_cursor_u8(&cursor);
  return symbol;
}

const char *coff_read_name(const coff_header *header, size_t i, char buffer[kCoffShortName + 1]) {
  const uint64_t at = (uint64_t)i * kCoffSymbolSize;
  byte_cursor cursor = byte_cursor_start(&header->symbols, at);
  if (byte_cursor_u32(&cursor) == 0) {
    return byte_range_text(&header->names, byte_cursor_u32(&cursor));
  }
  memcpy(buffer, header->symbols.data + at, kCoffShortName);
  buffer[kCoffShortName] = '\0';
  return buffer;
}

size_t coff_read_default(const coff_header *header, size_t i) {
  byte_cursor cursor = byte_cursor_start(&header->symbols, ((uint64_t)i + 1) * kCoffSymbolSize);
  return byte_cursor_u32(&cursor);
}
