/* SPDX-License-Identifier: Apache-2.0 */
#include "file/elf_header.h"

#include "file/elf_format.h"

uint64_t elf_take_word(const elf_header *header, byte_cursor *cursor) {
  return byte_cursor_number(cursor, header->word);
}

size_t elf_section_header_size(const elf_header *header) {
  return header->word == 8 ? 64 : 40;
}

bool elf_has_table(const elf_header *header, uint64_t offset, uint64_t count, size_t size) {
  byte_range table;
  return count <= header->image.size / size &&
         byte_range_slice(&header->image, offset, count * size, &table);
}

bool elf_section_read(const elf_header *header, uint64_t i, elf_section *out) {
  const size_t size = elf_section_header_size(header);
  byte_cursor cursor;
  if (i >= header->num_sections || !elf_has_table(header, header->sections_at, i + 1, size)) {
    return false;
  }
  cursor = byte_cursor_start(&header->image, header->sections_at + i * size);
  out->name = byte_cursor_u32(&cursor);
  out->type = byte_cursor_u32(&cursor);
  out->flags = elf_take_word(header, &cursor);
  out->address = elf_take_word(header, &cursor);
  out->offset = elf_take_word(header, &cursor);
  out->size = elf_take_word(header, &cursor);
  out->link = byte_cursor_u32(&cursor);
  out->info = byte_cursor_u32(&cursor);
  return true;
}

/* Numbers that do not fit the header are in that of section 0. */
static void read_large_numbers(elf_header *header) {
  const uint64_t num_sections = header->num_sections;
  elf_section first;
  if (num_sections == 0) header->num_sections = 1;
  if (!elf_section_read(header, 0, &first)) return;
  if (num_sections == 0) header->num_sections = first.size;
  if (header->num_segments == PN_XNUM) header->num_segments = first.info;
  if (header->section_names == SHN_XINDEX) header->section_names = first.link;
}

bool elf_header_parse(byte_range image, elf_header *out) {
  byte_cursor cursor;
  if (image.size < EI_NIDENT ||
      (image.data[EI_CLASS] != ELFCLASS32 && image.data[EI_CLASS] != ELFCLASS64) ||
      (image.data[EI_DATA] != ELFDATA2LSB && image.data[EI_DATA] != ELFDATA2MSB) ||
      image.data[EI_VERSION] != EV_CURRENT) {
    return false;
  }
  image.is_big_endian = image.data[EI_DATA] == ELFDATA2MSB;
  out->image = image;
  out->word = image.data[EI_CLASS] == ELFCLASS64 ? 8 : 4;
  cursor = byte_cursor_start(&image, EI_NIDENT);
  out->type = byte_cursor_u16(&cursor);
  out->machine = byte_cursor_u16(&cursor);
  byte_cursor_skip(&cursor, 4 + out->word); /* version, entry point */
  out->segments_at = elf_take_word(out, &cursor);
  out->sections_at = elf_take_word(out, &cursor);
  byte_cursor_skip(&cursor, 4 + 2 + 2); /* flags, sizes of this header and of a segment's */
  out->num_segments = byte_cursor_u16(&cursor);
  byte_cursor_skip(&cursor, 2); /* the size of a section's header */
  out->num_sections = byte_cursor_u16(&cursor);
  out->section_names = byte_cursor_u16(&cursor);
  if (out->segments_at == 0) out->num_segments = 0;
  if (out->sections_at == 0) {
    out->num_sections = 0;
  } else {
    read_large_numbers(out);
  }
  return !cursor.is_past_end;
}

/* ---- Sections ---- */

bool elf_section_find(const elf_header *header, uint32_t type, elf_section *out) {
  uint64_t i;
  for (i = 1; i < header->num_sections; ++i) {
    if (elf_section_read(header, i, out) && out->type == type) return true;
  }
  return false;
}

bool elf_section_bytes(const elf_header *header, const elf_section *section, byte_range *out) {
  return byte_range_slice(&header->image, section->offset, section->size, out);
}

byte_range elf_section_strings(const elf_header *header, uint64_t i) {
  byte_range strings = {NULL, 0, false};
  elf_section section;
  if (elf_section_read(header, i, &section) && section.type == SHT_STRTAB) {
    (void)elf_section_bytes(header, &section, &strings);
  }
  return strings;
}
