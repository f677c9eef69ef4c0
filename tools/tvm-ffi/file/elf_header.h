/* SPDX-License-Identifier: Apache-2.0 */
/* The header of an ELF file, and its sections. */
#ifndef TVM_FFI_TOOL_ELF_HEADER_H_
#define TVM_FFI_TOOL_ELF_HEADER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/bytes.h"

typedef struct {
  byte_range image;
  size_t word; /* the size of an address: 4 or 8 */
  unsigned type, machine;
  uint64_t segments_at, num_segments, sections_at, num_sections;
  uint64_t section_names; /* the index of the section with their names */
} elf_header;

typedef struct {
  uint32_t name, type, link, info;
  uint64_t flags, address, offset, size;
} elf_section;

/* False if the image has no header. */
bool elf_header_parse(byte_range image, elf_header *out);
/* A number of the size of an address. */
uint64_t elf_take_word(const elf_header *header, byte_cursor *cursor);
/* Whether a table of the file is inside it. */
bool elf_has_table(const elf_header *header, uint64_t offset, uint64_t count, size_t size);

/* ---- Sections ---- */

size_t elf_section_header_size(const elf_header *header);
/* A section's header; false if it is not in the file. */
bool elf_section_read(const elf_header *header, uint64_t i, elf_section *out);
/* The first section of a type; false if there is none. */
bool elf_section_find(const elf_header *header, uint32_t type, elf_section *out);
/* The content of a section; false if it is not in the file. */
bool elf_section_bytes(const elf_header *header, const elf_section *section, byte_range *out);
/* The strings of a section; empty if it has none. */
byte_range elf_section_strings(const elf_header *header, uint64_t i);

#endif /* TVM_FFI_TOOL_ELF_HEADER_H_ */
