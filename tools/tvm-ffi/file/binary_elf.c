/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ELF files. Symbols are found by the section headers, which a running program does not
 * need. */
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "file/binary_reader.h"
#include "file/elf_format.h"
#include "file/elf_header.h"
#include "file/elf_symbols.h"

/* ---- Header ---- */

static bool recognise(const char *image, size_t size) {
  return size >= SELFMAG && memcmp(image, ELFMAG, SELFMAG) == 0;
}

static byte_range get_image(const binary_file *file) {
  const byte_range image = {(const unsigned char *)file->image, file->size, false};
  return image;
}

static bool read_header(binary_file *file, elf_header *header) {
  if (!elf_header_parse(get_image(file), header)) {
    return binary_reader_refuse(
        file, "its header is cut off, or its class, byte order or version is unknown");
  }
  file->bits = (int)header->word * 8;
  file->is_big_endian = header->image.is_big_endian;
  file->is_object = header->type == ET_REL;
  file->is_program = header->type == ET_EXEC; /* read_dynamic() finds those that are PIE */
  file->machine = header->machine;
  if (header->type != ET_REL && header->type != ET_DYN && header->type != ET_EXEC) {
    return binary_reader_refuse(file, "neither a library nor an object file");
  }
  return true;
}

/* ---- Segments ---- */

typedef struct {
  uint32_t type, flags;
  uint64_t offset, file_size;
} elf_segment;

static size_t segment_header_size(const elf_header *header) {
  return header->word == 8 ? 56 : 32;
}

static bool has_segment_headers(const elf_header *header) {
  return elf_has_table(header, header->segments_at, header->num_segments,
                       segment_header_size(header));
}

/* For a segment whose header is in the file. */
static elf_segment read_segment(const elf_header *header, uint64_t i) {
  byte_cursor cursor =
      byte_cursor_start(&header->image, header->segments_at + i * segment_header_size(header));
  elf_segment segment;
  segment.type = byte_cursor_u32(&cursor);
  if (header->word == 8) segment.flags = byte_cursor_u32(&cursor);
  segment.offset = elf_take_word(header, &cursor);
  byte_cursor_skip(&cursor, 2 * header->word); /* virtual and physical address */
  segment.file_size = elf_take_word(header, &cursor);
  byte_cursor_skip(&cursor, header->word); /* size in memory */
  if (header->word == 4) segment.flags = byte_cursor_u32(&cursor);
  return segment;
}

/* False after a report that a loaded segment lies beyond the end of the file of `size` bytes. */
static bool check_length(const elf_header *header, const char *name, uint64_t size) {
  uint64_t i;
  for (i = 0; i < header->num_segments; ++i) {
    const elf_segment segment = read_segment(header, i);
    if (segment.type != PT_LOAD) continue;
    if (segment.offset <= size && segment.file_size <= size - segment.offset) continue;
    report_error("%s: malformed ELF file: it is cut off after %llu bytes", name,
                 (unsigned long long)size);
    return false;
  }
  return true;
}

static bool read_segments(binary_file *file, const elf_header *header) {
  uint64_t i;
  if (!has_segment_headers(header)) {
    return binary_reader_refuse(file, "it is cut off: its program headers are behind its end");
  }
  if (!check_length(header, file->path, file->size)) return false;
  for (i = 0; i < header->num_segments; ++i) {
    const elf_segment segment = read_segment(header, i);
    const bool is_code = (segment.flags & PF_X) != 0;
    switch (segment.type) {
      case PT_GNU_STACK:
        file->elf.has_stack_header = true;
        file->elf.is_stack_executable = is_code;
        break;
      case PT_GNU_RELRO:
        file->elf.has_relro = true;
        break;
      case PT_LOAD:
        if (is_code && (segment.flags & PF_W) != 0) file->has_writable_code = true;
        break;
      default:
        break;
    }
  }
  return true;
}

/* ---- Sections ---- */

static void list_sections(binary_file *file, const elf_header *header) {
  size_t i;
  file->num_sections = (size_t)header->num_sections;
  file->sections = tool_alloc(file->num_sections * sizeof *file->sections);
  memset(file->sections, 0, file->num_sections * sizeof *file->sections);
  for (i = 1; i < file->num_sections; ++i) {
    binary_section *out = &file->sections[i];
    elf_section section;
    if (!elf_section_read(header, i, &section)) continue;
    out->start = file->is_object ? 0 : section.address;
    out->offset = section.offset;
    out->size = section.size;
    out->has_bytes = section.type != SHT_NOBITS;
    out->is_writable = (section.flags & SHF_WRITE) != 0;
  }
}

/* Reads what an object file requests for the stack. */
static void read_stack_section(binary_file *file, const elf_header *header) {
  const byte_range names = elf_section_strings(header, header->section_names);
  elf_section section;
  uint64_t i;
  for (i = 1; file->is_object && i < header->num_sections; ++i) {
    const char *name = NULL;
    if (elf_section_read(header, i, &section)) name = byte_range_text(&names, section.name);
    if (name == NULL || strcmp(name, ".note.GNU-stack") != 0) continue;
    file->elf.has_stack_header = true;
    file->elf.is_stack_executable = (section.flags & SHF_EXECINSTR) != 0;
  }
}

/* ---- The dynamic section ---- */

static void read_flag(binary_file *file, uint64_t tag, uint64_t value) {
  const bool is_flags = tag == DT_FLAGS, is_more_flags = tag == DT_FLAGS_1;
  if (tag == DT_TEXTREL || (is_flags && (value & DF_TEXTREL) != 0)) {
    file->elf.has_text_relocations = true;
  }
  if (tag == DT_BIND_NOW || (is_flags && (value & DF_BIND_NOW) != 0) ||
      (is_more_flags && (value & DF_1_NOW) != 0)) {
    file->elf.binds_now = true;
  }
  if (is_more_flags && (value & DF_1_PIE) != 0) file->is_program = true;
}

static bool read_dynamic(binary_file *file, const elf_header *header) {
  elf_section section;
  byte_range entries, names;
  byte_cursor cursor;
  size_t i, count;
  if (!elf_section_find(header, SHT_DYNAMIC, &section)) return true;
  if (!elf_section_bytes(header, &section, &entries)) {
    return binary_reader_refuse(file, "its dynamic section is behind its end");
  }
  names = elf_section_strings(header, section.link);
  count = entries.size / (2 * header->word);
  file->needed = tool_alloc(count * sizeof *file->needed);
  cursor = byte_cursor_start(&entries, 0);
  for (i = 0; i < count; ++i) {
    const uint64_t tag = elf_take_word(header, &cursor), value = elf_take_word(header, &cursor);
    const char *name;
    if (tag == DT_NULL) break;
    read_flag(file, tag, value);
    if (tag != DT_NEEDED && tag != DT_SONAME && tag != DT_RPATH && tag != DT_RUNPATH) continue;
    name = byte_range_text(&names, value);
    if (name == NULL) {
      return binary_reader_refuse(file, "a name of the dynamic section is not in its strings");
    }
    if (tag == DT_NEEDED) {
      file->needed[file->num_needed++] = name;
    } else if (tag == DT_SONAME) {
      file->soname = name;
    } else {
      file->search_path = name;
    }
  }
  return true;
}

/* ---- The reader ---- */

static bool read_sections(binary_file *file, const elf_header *header) {
  if (header->num_sections == 0) {
    return binary_reader_refuse(file, "it has no section headers to find symbols by");
  }
  if (!elf_has_table(header, header->sections_at, header->num_sections,
                     elf_section_header_size(header))) {
    return binary_reader_refuse(file, "it is cut off: its section headers are behind its end");
  }
  list_sections(file, header);
  read_stack_section(file, header);
  return read_dynamic(file, header) && elf_symbols_read(file, header);
}

static bool read_elf(binary_file *file) {
  elf_header header;
  return read_header(file, &header) && read_segments(file, &header) && read_sections(file, &header);
}

static void visit_hidden(const binary_file *file, void (*visit)(void *context, const char *name),
                         void *context) {
  elf_header header;
  if (elf_header_parse(get_image(file), &header)) {
    elf_symbols_visit_hidden(&header, visit, context);
  }
}

/* Reads the first bytes of a file, and its header. False if it has none. */
static bool read_beginning(file_reader *reader, uint64_t size, elf_header *out) {
  byte_range image = {NULL, 0, false};
  if (!file_reader_fill(reader, (size_t)size)) return false;
  image.data = (const unsigned char *)reader->bytes;
  image.size = reader->size;
  return elf_header_parse(image, out);
}

/* Reads no further than the program headers. Files with other damage are refused when they are
 * opened. */
static bool is_whole(file_reader *reader, const char *name) {
  enum { kLongerHeader = 64 };
  elf_header header;
  uint64_t end;
  if (!read_beginning(reader, kLongerHeader, &header)) return true;
  end = header.segments_at + header.num_segments * segment_header_size(&header);
  if (end > reader->known_size || !read_beginning(reader, end, &header) ||
      !has_segment_headers(&header)) {
    return true;
  }
  return check_length(&header, name, reader->known_size);
}

const binary_reader kElfReader = {
    kFormatElf, "ELF", &recognise, &read_elf, &visit_hidden, &is_whole,
};
