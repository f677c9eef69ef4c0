/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of macOS: Mach-O, of any machine and byte order. Names of symbols begin with _, which
 * is left out. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "file/binary_reader.h"
#include "file/machine.h"
#include "file/macho_exports.h"

enum { kCanWrite = 2, kCanExecute = 4 }; /* protection of a segment */

static bool read_symbol_table(macho *header, const macho_command *entry) {
  byte_cursor cursor = byte_cursor_start(&entry->bytes, 8);
  const uint64_t at = byte_cursor_u32(&cursor), count = byte_cursor_u32(&cursor);
  header->num_symbols = (size_t)count;
  return byte_range_slice(&header->image, at, count * (8 + header->word), &header->symbols) &&
         macho_take_range(header, &cursor, &header->names);
}

/* The text whose offset in the command is its first field; NULL. */
static const char *get_text(const macho_command *entry) {
  byte_cursor cursor = byte_cursor_start(&entry->bytes, 8);
  return byte_range_text(&entry->bytes, byte_cursor_u32(&cursor));
}

/* ---- Segments and sections ---- */

static bool has_no_bytes(uint32_t section_flags) {
  const uint32_t type = section_flags & 0xff;
  return type == 1 || type == 12 || type == 18; /* kinds of data that begin as zeros */
}

static bool add_section(binary_file *file, const macho *header, byte_cursor *cursor,
                        bool is_writable) {
  binary_section *out = &file->sections[file->num_sections++];
  byte_range bytes;
  char segment[16];
  uint32_t offset, flags;
  size_t i;
  byte_cursor_skip(cursor, 16); /* name */
  for (i = 0; i < sizeof segment; ++i) segment[i] = (char)byte_cursor_u8(cursor);
  out->start = macho_take_word(header, cursor);
  out->size = macho_take_word(header, cursor);
  offset = byte_cursor_u32(cursor);
  byte_cursor_skip(cursor, 12); /* alignment, relocations */
  flags = byte_cursor_u32(cursor);
  byte_cursor_skip(cursor, header->word == 8 ? 12 : 8);
  out->offset = header->at + offset;
  out->has_bytes = !has_no_bytes(flags);
  /* In an object file the sections of all segments are in one. */
  out->is_writable =
      file->is_object ? memcmp(segment, "__TEXT", sizeof "__TEXT") != 0 : is_writable;
  out->is_code = (flags & 0x80000400u) != 0;
  if (cursor->is_past_end) {
    return binary_reader_refuse(file, "its sections are not in its load commands");
  }
  if (!out->has_bytes || byte_range_slice(&header->image, offset, out->size, &bytes)) return true;
  report_error("%s: malformed Mach-O file: it is cut off after %zu bytes", file->path, file->size);
  return false;
}

static bool read_segment(binary_file *file, macho *header, const macho_command *entry) {
  byte_cursor cursor = byte_cursor_start(&entry->bytes, 8 + 16);
  const uint64_t address = macho_take_word(header, &cursor);
  uint64_t offset, size;
  uint32_t protection, count, i;
  byte_cursor_skip(&cursor, header->word);
  offset = macho_take_word(header, &cursor);
  size = macho_take_word(header, &cursor);
  byte_cursor_skip(&cursor, 4); /* the most protection that it may get */
  protection = byte_cursor_u32(&cursor);
  count = byte_cursor_u32(&cursor);
  byte_cursor_skip(&cursor, 4);
  if (offset == 0 && size > 0) header->base = address;
  if (!file->is_object && (protection & kCanWrite) != 0 && (protection & kCanExecute) != 0) {
    file->has_writable_code = true;
  }
  if (count > entry->bytes.size / (header->word == 8 ? 80 : 68)) {
    return binary_reader_refuse(file, "its sections are not in its load commands");
  }
  file->sections =
      tool_realloc(file->sections, (file->num_sections + count) * sizeof *file->sections);
  for (i = 0; i < count; ++i) {
    if (!add_section(file, header, &cursor, (protection & kCanWrite) != 0)) return false;
  }
  return true;
}

/* ---- Reading the commands ---- */

static bool add_needed(binary_file *file, const char *name) {
  if (name == NULL) {
    return binary_reader_refuse(file, "the name of a library is not in its load command");
  }
  file->needed = tool_realloc((void *)file->needed, (file->num_needed + 1) * sizeof *file->needed);
  file->needed[file->num_needed++] = name;
  return true;
}

static bool read_command(binary_file *file, macho *header, const macho_command *entry) {
  byte_cursor cursor = byte_cursor_start(&entry->bytes, 8);
  switch (entry->kind) {
    case kSegment:
    case kSegment64:
      return read_segment(file, header, entry);
    case kSymbolTable:
      return read_symbol_table(header, entry) ||
             binary_reader_refuse(file, "its symbol table is behind its end");
    case kLoadLibrary:
    case kLoadWeakLibrary:
    case kReexportLibrary:
    case kLazyLoadLibrary:
    case kLoadUpwardLibrary:
      return add_needed(file, get_text(entry));
    case kLibraryId:
      file->soname = get_text(entry);
      return true;
    case kSearchPath:
      if (file->search_path == NULL) file->search_path = get_text(entry);
      return true;
    case kCodeSignature:
      file->macho.has_signature = true;
      return true;
    case kLoaderInfo:
      byte_cursor_skip(&cursor, 32); /* what is adjusted and imported */
      break;
    case kExportsTrie:
      break;
    default:
      return true;
  }
  return macho_take_range(header, &cursor, &header->exports) ||
         binary_reader_refuse(file, "its exports are behind its end");
}

static bool read_commands(binary_file *file, macho *header) {
  byte_range rest = header->commands;
  macho_command entry;
  /* Section 0 is not used. */
  file->num_sections = 1;
  file->sections = tool_alloc(sizeof *file->sections);
  memset(file->sections, 0, sizeof *file->sections);
  while (macho_next_command(&rest, &entry)) {
    if (!read_command(file, header, &entry)) return false;
  }
  return rest.size == 0 || binary_reader_refuse(file, "a load command is not whole");
}

/* ---- Symbols ---- */

typedef struct {
  uint32_t name;
  unsigned type, section, description;
  uint64_t value;
} macho_symbol;

/* Parts of the type of a symbol. */
enum { kForDebugger = 0xe0, kPrivate = 0x10, kKind = 0xe, kExternal = 1 };
enum { kUndefined = 0, kInSection = 0xe };

static macho_symbol take_symbol(const macho *header, byte_cursor *cursor) {
  macho_symbol symbol;
  symbol.name = byte_cursor_u32(cursor);
  symbol.type = byte_cursor_u8(cursor);
  symbol.section = byte_cursor_u8(cursor);
  symbol.description = byte_cursor_u16(cursor);
  symbol.value = macho_take_word(header, cursor);
  return symbol;
}

static const char *get_name(const macho *header, const macho_symbol *symbol) {
  const char *name = byte_range_text(&header->names, symbol->name);
  return name != NULL && *name == '_' ? name + 1 : name;
}

/* The library that an import is expected in; NULL if any may have it. */
static const char *find_library(const binary_file *file, const macho *header,
                                const macho_symbol *symbol) {
  const unsigned number = symbol->description >> 8;
  if ((header->flags & kTwoLevelNames) == 0 || number == 0 || number > file->num_needed) {
    return NULL;
  }
  return file->needed[number - 1];
}

static bool add_symbol(binary_file *file, const macho *header, const macho_symbol *symbol) {
  enum { kWeakReference = 0x40, kWeakDefinition = 0x80 };
  binary_symbol *out = &file->symbols[file->num_symbols];
  const bool is_undefined = (symbol->type & kKind) == kUndefined;
  memset(out, 0, sizeof *out);
  out->name = get_name(header, symbol);
  if (out->name == NULL) {
    return binary_reader_refuse(file, "the name of a symbol is not in its strings");
  }
  out->value = symbol->value;
  out->is_common = is_undefined && symbol->value != 0 && file->is_object;
  out->is_defined = !is_undefined || out->is_common;
  out->is_hidden = (symbol->type & kPrivate) != 0;
  out->is_weak = (symbol->description & (out->is_defined ? kWeakDefinition : kWeakReference)) != 0;
  out->is_writable = out->is_common;
  if (!out->is_defined) out->origin = find_library(file, header, symbol);
  if ((symbol->type & kKind) == kInSection) {
    if (symbol->section == 0 || symbol->section >= file->num_sections) {
      return binary_reader_refuse(file, "a symbol of a section that is not there");
    }
    out->section = symbol->section;
    out->is_function = file->sections[out->section].is_code;
    out->is_writable = file->sections[out->section].is_writable;
  }
  ++file->num_symbols;
  return true;
}

/* What the loader finds is in the exports, if there are any; the rest is in the symbol table. */
static bool read_symbols(binary_file *file, const macho *header) {
  byte_cursor cursor = byte_cursor_start(&header->symbols, 0);
  const bool has_exports = header->exports.size > 0;
  size_t i;
  for (i = 0; i < header->num_symbols; ++i) {
    const macho_symbol symbol = take_symbol(header, &cursor);
    if ((symbol.type & kForDebugger) != 0 || (symbol.type & kExternal) == 0) continue;
    if (has_exports && (symbol.type & kKind) != kUndefined) continue;
    if (!add_symbol(file, header, &symbol)) return false;
  }
  return true;
}

/* ---- The reader ---- */

static bool read_header(binary_file *file, macho *header) {
  const machine *found;
  if (!macho_parse(file, header)) {
    return binary_reader_refuse(file, "its header or its load commands are cut off");
  }
  found = machine_find_macho(header->cpu);
  file->machine = found != NULL ? found->number : 0;
  file->bits = (int)header->word * 8;
  file->is_big_endian = header->image.is_big_endian;
  file->is_object = header->type == kObjectFile;
  file->is_program = header->type == kProgram;
  file->macho.is_stack_executable = (header->flags & kAllowStackExecution) != 0;
  return file->is_object || file->is_program || header->type == kLibrary ||
         header->type == kBundle || header->type == kLibraryStub ||
         binary_reader_refuse(file, "neither a library nor an object file");
}

static bool read_macho(binary_file *file) {
  macho header;
  return read_header(file, &header) && read_commands(file, &header) &&
         macho_read_exports(file, &header) && read_symbols(file, &header);
}

static void visit_hidden(const binary_file *file, void (*visit)(void *context, const char *name),
                         void *context) {
  macho header;
  byte_range rest;
  byte_cursor cursor;
  macho_command entry;
  size_t i;
  if (!macho_parse(file, &header)) return;
  rest = header.commands;
  while (macho_next_command(&rest, &entry)) {
    if (entry.kind == kSymbolTable && !read_symbol_table(&header, &entry)) return;
  }
  cursor = byte_cursor_start(&header.symbols, 0);
  for (i = 0; i < header.num_symbols; ++i) {
    const macho_symbol symbol = take_symbol(&header, &cursor);
    const bool is_seen = (symbol.type & kExternal) != 0 && (symbol.type & kPrivate) == 0;
    const char *name = get_name(&header, &symbol);
    if ((symbol.type & kForDebugger) == 0 && (symbol.type & kKind) == kInSection && !is_seen &&
        name != NULL && symbol.section > 0 && symbol.section < file->num_sections &&
        file->sections[symbol.section].is_code) {
      visit(context, name);
    }
  }
}

const binary_reader kMachOReader = {
    kFormatMachO, "Mach-O", &macho_recognise, &read_macho, &visit_hidden, NULL,
};
