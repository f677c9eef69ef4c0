/* SPDX-License-Identifier: Apache-2.0 */
#include "file/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "file/binary_reader.h"
#include "file/elf_format.h"

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
  if (i >= list->count) {
    list->items = tool_realloc(list->items, (i + 1) * sizeof *list->items);
    memset(list->items + list->count, 0, (i + 1 - list->count) * sizeof *list->items);
    list->count = i + 1;
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
  return binary_reader_refuse(file, "the versions of its imports are not in their section");
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
    return binary_reader_refuse(file, "the section of a symbol is not in its table");
  }
  if (section >= file->num_sections) {
    return binary_reader_refuse(file, "a symbol of a section that is not there");
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
    return binary_reader_refuse(file, "the version of a symbol is not in its table");
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
    return binary_reader_refuse(file, "the name of a symbol is not in its strings");
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
    return binary_reader_refuse(file, "its symbol table is behind its end");
  }
  file->symbols = tool_alloc(table.count * sizeof *file->symbols);
  cursor = byte_cursor_start(&table.symbols, 0);
  for (i = 0; i < table.count; ++i) {
    const elf_symbol symbol = take_symbol(header, &cursor);
    if (i > 0 && !add_symbol(file, &table, i, &symbol, versions)) return false;
  }
  return true;
}

bool elf_symbols_read(binary_file *file, const elf_header *header) {
  version_list versions = {NULL, 0};
  const bool good = read_versions(file, header, &versions) && read_table(file, header, &versions);
  free(versions.items);
  return good;
}

void elf_symbols_visit_hidden(const elf_header *header,
                              void (*visit)(void *context, const char *name), void *context) {
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
