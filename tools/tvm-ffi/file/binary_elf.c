/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ELF files. Symbols are found by the section headers, which a running program does not
 * need. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "file/binary_file.h"
#include "file/elf_format.h"

/* ---- The header and sections ---- */

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

/* A number of the size of an address. */
static uint64_t elf_take_word(const elf_header *header, byte_cursor *cursor) {
  return byte_cursor_number(cursor, header->word);
}

static size_t elf_section_header_size(const elf_header *header) {
  return header->word == 8 ? 64 : 40;
}

/* Whether a table of the file is inside it. */
static bool elf_has_table(const elf_header *header, uint64_t offset, uint64_t count, size_t size) {
  byte_range table;
  return count <= header->image.size / size &&
         byte_range_slice(&header->image, offset, count * size, &table);
}

/* A section's header; false if it is not in the file. */
static bool elf_section_read(const elf_header *header, uint64_t i, elf_section *out) {
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

/* False if the image has no header. */
static bool elf_header_parse(byte_range image, elf_header *out) {
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

/* The first section of a type; false if there is none. */
static bool elf_section_find(const elf_header *header, uint32_t type, elf_section *out) {
  uint64_t i;
  for (i = 1; i < header->num_sections; ++i) {
    if (elf_section_read(header, i, out) && out->type == type) return true;
  }
  return false;
}

/* The content of a section; false if it is not in the file. */
static bool elf_section_bytes(const elf_header *header, const elf_section *section,
                              byte_range *out) {
  return byte_range_slice(&header->image, section->offset, section->size, out);
}

/* The strings of a section; empty if it has none. */
static byte_range elf_section_strings(const elf_header *header, uint64_t i) {
  byte_range strings = {NULL, 0, false};
  elf_section section;
  if (elf_section_read(header, i, &section) && section.type == SHT_STRTAB) {
    (void)elf_section_bytes(header, &section, &strings);
  }
  return strings;
}

/* ---- Versions of imports ---- */

/* The version of an import; both are NULL for an index that no record has. */
typedef struct {
  const char *name, *library;
} version;

/* By the index that symbols have, without its highest bit: that one hides a symbol. */
typedef struct {
  version *items;
  size_t count;
} version_list;
enum { kVersionIndex = 0x7fff };

/* Returns the version of an index, for which the list is made longer. */
static version *add_version(version_list *list, unsigned index) {
  const size_t i = index & kVersionIndex;
  while (i >= list->count) {
    list->items = tool_grow(list->items, list->count, sizeof *list->items);
    memset(&list->items[list->count++], 0, sizeof *list->items);
  }
  return &list->items[i];
}

/* The section with them, whose records are chained by offsets. */
typedef struct {
  byte_range records, names;
  size_t rounds; /* how many more records there can be; ends a cycle */
} version_records;

/* The versions of one library. False if a record is not in the section. */
static bool read_library_versions(version_records *section, uint64_t at, const char *library,
                                  version_list *versions) {
  uint32_t step;
  do {
    byte_cursor cursor = byte_cursor_start(&section->records, at);
    version *out;
    byte_cursor_skip(&cursor, 4 + 2); /* hash, flags */
    out = add_version(versions, byte_cursor_u16(&cursor));
    out->name = byte_range_text(&section->names, byte_cursor_u32(&cursor));
    out->library = library;
    step = byte_cursor_u32(&cursor);
    if (cursor.is_past_end || section->rounds-- == 0) return false;
    at += step;
  } while (step != 0);
  return true;
}

static bool read_all_versions(version_records *section, version_list *versions) {
  uint64_t at = 0;
  uint32_t step;
  do {
    byte_cursor cursor = byte_cursor_start(&section->records, at);
    const char *library;
    uint64_t first;
    byte_cursor_skip(&cursor, 2 + 2); /* version of the record, number of versions */
    library = byte_range_text(&section->names, byte_cursor_u32(&cursor));
    first = at + byte_cursor_u32(&cursor);
    step = byte_cursor_u32(&cursor);
    if (cursor.is_past_end || !read_library_versions(section, first, library, versions)) {
      return false;
    }
    at += step;
  } while (step != 0);
  return true;
}

static bool read_versions(const binary_file *file, const elf_header *header,
                          version_list *versions) {
  enum { kRecordSize = 16 };
  version_records records;
  elf_section section;
  if (!elf_section_find(header, SHT_GNU_verneed, &section) || section.size == 0) return true;
  if (elf_section_bytes(header, &section, &records.records)) {
    records.names = elf_section_strings(header, section.link);
    records.rounds = records.records.size / kRecordSize;
    if (read_all_versions(&records, versions)) return true;
  }
  return binary_reader_refuse(file, "the versions of its imports extend past their section");
}

/* ---- Symbols ---- */

static size_t symbol_size(const elf_header *header) {
  return header->word == 8 ? 24 : 16;
}

typedef struct {
  uint32_t name;
  unsigned binding, type, visibility, section;
  uint64_t value, size;
} elf_symbol;

static elf_symbol take_symbol(const elf_header *header, byte_cursor *cursor) {
  elf_symbol symbol;
  unsigned info;
  symbol.name = byte_cursor_u32(cursor);
  if (header->word == 4) symbol.value = byte_cursor_u32(cursor);
  if (header->word == 4) symbol.size = byte_cursor_u32(cursor);
  info = byte_cursor_u8(cursor);
  symbol.visibility = byte_cursor_u8(cursor) & 3u;
  symbol.section = byte_cursor_u16(cursor);
  if (header->word == 8) symbol.value = byte_cursor_u64(cursor);
  if (header->word == 8) symbol.size = byte_cursor_u64(cursor);
  symbol.binding = info >> 4;
  symbol.type = info & 15;
  return symbol;
}

static bool is_hidden(const elf_symbol *symbol) {
  return symbol->visibility == STV_HIDDEN || symbol->visibility == STV_INTERNAL;
}

/* A symbol table and what is parallel to it; ranges that the file does not have are empty. */
typedef struct {
  byte_range symbols, names;
  size_t count;
  byte_range sections; /* for each symbol, the index of its section if that does not fit into it */
  byte_range versions; /* for each symbol, the index of its version */
} symbol_table;

/* False if a table is not in the file. The count is 0 if there are no symbols. */
static bool open_table(const elf_header *header, uint32_t type, symbol_table *out) {
  elf_section section;
  memset(out, 0, sizeof *out);
  if (!elf_section_find(header, type, &section)) return true;
  out->names = elf_section_strings(header, section.link);
  if (!elf_section_bytes(header, &section, &out->symbols)) return false;
  out->count = out->symbols.size / symbol_size(header);
  if (type == SHT_SYMTAB) {
    return !elf_section_find(header, SHT_SYMTAB_SHNDX, &section) ||
           elf_section_bytes(header, &section, &out->sections);
  }
  return !elf_section_find(header, SHT_GNU_versym, &section) ||
         elf_section_bytes(header, &section, &out->versions);
}

/* The number of a symbol in a table parallel to the symbols, in *out. False if it has none. */
static bool read_parallel(const byte_range *table, size_t i, size_t size, uint64_t *out) {
  byte_cursor cursor = byte_cursor_start(table, (uint64_t)i * size);
  *out = byte_cursor_number(&cursor, size);
  return !cursor.is_past_end;
}

static bool find_symbol_section(const binary_file *file, const symbol_table *table, size_t i,
                                const elf_symbol *symbol, binary_symbol *out) {
  uint64_t section = symbol->section < SHN_LORESERVE ? symbol->section : 0;
  if (symbol->section == SHN_XINDEX && !read_parallel(&table->sections, i, 4, &section)) {
    return binary_reader_refuse(file, "the section index of a symbol is outside its table");
  }
  if (section >= file->num_sections) {
    return binary_reader_refuse(file, "a symbol is in a section that does not exist");
  }
  out->section = (size_t)section;
  out->is_common = symbol->section == SHN_COMMON;
  out->is_writable = out->is_common || file->sections[section].is_writable;
  return true;
}

/* The version of an import. */
static bool find_symbol_version(const binary_file *file, const symbol_table *table, size_t i,
                                const version_list *versions, binary_symbol *out) {
  uint64_t index;
  if (table->versions.data == NULL || out->is_defined) return true;
  if (!read_parallel(&table->versions, i, 2, &index)) {
    return binary_reader_refuse(file, "the version of a symbol is outside its table");
  }
  index &= kVersionIndex;
  if (index >= versions->count) return true;
  out->version = versions->items[index].name;
  out->version_of = versions->items[index].library;
  return true;
}

/* Adds a symbol unless it is local or has no name. */
static bool add_symbol(binary_file *file, const symbol_table *table, size_t i,
                       const elf_symbol *symbol, const version_list *versions) {
  binary_symbol *out = &file->symbols[file->num_symbols];
  memset(out, 0, sizeof *out);
  if (symbol->binding != STB_GLOBAL && symbol->binding != STB_WEAK &&
      symbol->binding != STB_GNU_UNIQUE) {
    return true;
  }
  out->name = byte_range_text(&table->names, symbol->name);
  if (out->name == NULL) {
    return binary_reader_refuse(file, "the name of a symbol is outside its string table");
  }
  out->value = symbol->value;
  out->size = symbol->size;
  out->is_defined = symbol->section != SHN_UNDEF;
  out->is_function = symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
  out->is_weak = symbol->binding == STB_WEAK;
  out->is_unique = symbol->binding == STB_GNU_UNIQUE;
  out->is_hidden = is_hidden(symbol);
  if (!find_symbol_section(file, table, i, symbol, out) ||
      !find_symbol_version(file, table, i, versions, out)) {
    return false;
  }
  if (*out->name != '\0') ++file->num_symbols;
  return true;
}

static bool read_table(binary_file *file, const elf_header *header, const version_list *versions) {
  symbol_table table;
  byte_cursor cursor;
  size_t i;
  if (!open_table(header, file->is_object ? SHT_SYMTAB : SHT_DYNSYM, &table)) {
    return binary_reader_refuse(file, "its symbol table extends past the end of the file");
  }
  file->symbols = tool_alloc(table.count * sizeof *file->symbols);
  cursor = byte_cursor_start(&table.symbols, 0);
  for (i = 0; i < table.count; ++i) {
    const elf_symbol symbol = take_symbol(header, &cursor);
    if (i > 0 && !add_symbol(file, &table, i, &symbol, versions)) return false;
  }
  return true;
}

/* Fills the symbols of a file whose sections are listed; false after a report. */
static bool elf_symbols_read(binary_file *file, const elf_header *header) {
  version_list versions = {NULL, 0};
  const bool good = read_versions(file, header, &versions) && read_table(file, header, &versions);
  free(versions.items);
  return good;
}

/* See binary_file_visit_hidden(). */
static void elf_symbols_visit_hidden(const elf_header *header,
                                     void (*visit)(void *context, const char *name),
                                     void *context) {
  symbol_table table;
  byte_cursor cursor;
  size_t i;
  if (!open_table(header, SHT_SYMTAB, &table)) return;
  cursor = byte_cursor_start(&table.symbols, 0);
  for (i = 0; i < table.count; ++i) {
    const elf_symbol symbol = take_symbol(header, &cursor);
    const bool is_seen = symbol.binding != STB_LOCAL && !is_hidden(&symbol);
    const char *name = NULL;
    if (symbol.section != SHN_UNDEF && symbol.type == STT_FUNC && !is_seen) {
      name = byte_range_text(&table.names, symbol.name);
    }
    if (name != NULL) visit(context, name);
  }
}

/* ---- What the header says of the file ---- */

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
        file, "its header is truncated, or its class, byte order or version is unknown");
  }
  file->bits = (int)header->word * 8;
  file->is_big_endian = header->image.is_big_endian;
  file->is_object = header->type == ET_REL;
  file->is_program = header->type == ET_EXEC; /* read_dynamic() finds those that are PIE */
  file->machine = header->machine;
  if (file->image[EI_OSABI] == ELFOSABI_FREEBSD) file->elf.system = "FreeBSD";
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

/* Owners of notes, each the name of the system that the file is for. */
static const char *const kElfSystems[] = {"Android", "FreeBSD", "NetBSD", "OpenBSD", NULL};

/* Reads the system and the build id, if notes in the segment have them. */
static void read_notes(binary_file *file, const elf_header *header, const elf_segment *segment) {
  enum { kLongestBuildId = 64 };
  byte_range notes, content;
  byte_cursor cursor;
  if (!byte_range_slice(&header->image, segment->offset, segment->file_size, &notes)) return;
  cursor = byte_cursor_start(&notes, 0);
  while (!cursor.is_past_end && cursor.range.size > 0) {
    const uint64_t name_size = byte_cursor_u32(&cursor), size = byte_cursor_u32(&cursor);
    const uint32_t type = byte_cursor_u32(&cursor);
    const char *owner = byte_range_text(&cursor.range, 0);
    if (owner != NULL && file->elf.system == NULL) {
      file->elf.system = text_find(owner, kElfSystems);
    }
    if (owner != NULL && strcmp(owner, "GNU") == 0 && type == NT_GNU_BUILD_ID &&
        size <= kLongestBuildId &&
        byte_range_slice(&cursor.range, (name_size + 3) / 4 * 4, size, &content)) {
      binary_reader_set_build_id(file, content.data, content.size);
    }
    byte_cursor_skip(&cursor, (name_size + 3) / 4 * 4 + (size + 3) / 4 * 4);
  }
}

/* False after a report that a loaded segment lies beyond the end of the file of `size` bytes. */
static bool check_length(const elf_header *header, const char *name, uint64_t size) {
  uint64_t i;
  for (i = 0; i < header->num_segments; ++i) {
    const elf_segment segment = read_segment(header, i);
    if (segment.type != PT_LOAD) continue;
    if (segment.offset <= size && segment.file_size <= size - segment.offset) continue;
    return report_error("%s: malformed ELF file: it is truncated after %llu bytes", name,
                        (unsigned long long)size);
  }
  return true;
}

static bool read_segments(binary_file *file, const elf_header *header) {
  uint64_t i;
  if (!has_segment_headers(header)) {
    return binary_reader_refuse(
        file, "it is truncated: its program headers extend past the end of the file");
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
      case PT_INTERP:
        file->elf.interpreter = byte_range_text(&header->image, segment.offset);
        break;
      case PT_NOTE:
        read_notes(file, header, &segment);
        break;
      default:
        break;
    }
  }
  return true;
}

/* ---- The list of sections ---- */

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
    return binary_reader_refuse(file, "its dynamic section extends past the end of the file");
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
      return binary_reader_refuse(file,
                                  "a name in the dynamic section is outside its string table");
    }
    if (tag == DT_NEEDED) {
      file->needed[file->num_needed++] = name;
    } else if (tag == DT_SONAME) {
      file->soname = name;
    } else {
      if (tag == DT_RPATH && file->search_path != NULL) continue; /* DT_RUNPATH counts */
      file->search_path = name;
      file->elf.is_rpath = tag == DT_RPATH;
    }
  }
  return true;
}

/* ---- The reader ---- */

static bool read_sections(binary_file *file, const elf_header *header) {
  if (header->num_sections == 0) {
    return binary_reader_refuse(file,
                                "it has no section headers, which are needed to find symbols");
  }
  if (!elf_has_table(header, header->sections_at, header->num_sections,
                     elf_section_header_size(header))) {
    return binary_reader_refuse(
        file, "it is truncated: its section headers extend past the end of the file");
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
    kFormatElf, &recognise, &read_elf, &visit_hidden, &is_whole,
};
