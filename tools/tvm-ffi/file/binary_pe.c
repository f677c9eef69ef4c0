/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of Windows: PE files, which are libraries and programs, and COFF object files.
 * Addresses in a PE file are relative to where it is loaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "file/binary_file.h"

/* ---- COFF: what object files and libraries have in common ---- */

enum { kCoffHeaderSize = 20, kCoffSectionSize = 40, kCoffSymbolSize = 18, kCoffShortName = 8 };

/* Flags of the file. */
enum { kCoffLibrary = 0x2000 };

/* Flags of a section. */
enum { kCoffCode = 0x20, kCoffComdat = 0x1000, kCoffExecutable = 0x20000000 };
#define COFF_WRITABLE 0x80000000u

/* Kinds of symbols that others see. */
enum { kCoffExternal = 2, kCoffWeak = 105 };

typedef struct {
  byte_range image; /* the whole file */
  unsigned machine, flags;
  size_t num_sections;
  uint64_t optional_at, optional_size; /* the header after this one */
  byte_range symbols, names;           /* empty if the file has none */
  size_t num_symbols;
} coff_header;

typedef struct {
  uint32_t virtual_size, address, size, offset, flags;
} coff_section;

typedef struct {
  uint32_t value;
  int section; /* from 1 on; 0: undefined; else absolute or for debuggers */
  bool is_function;
  unsigned storage_class, num_more; /* records that follow it */
} coff_symbol;

/* False if the headers or the symbols are not in the image. */
static bool coff_read_header(const byte_range *image, uint64_t at, coff_header *out) {
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

/* For i < num_sections. */
static coff_section coff_read_section(const coff_header *header, size_t i) {
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

/* For i < num_symbols. */
static coff_symbol coff_read_symbol(const coff_header *header, size_t i) {
  byte_cursor cursor = byte_cursor_start(&header->symbols, (uint64_t)i * kCoffSymbolSize + 8);
  coff_symbol symbol;
  symbol.value = byte_cursor_u32(&cursor);
  symbol.section = (int16_t)byte_cursor_u16(&cursor);
  symbol.is_function = byte_cursor_u16(&cursor) == 0x20;
  symbol.storage_class = byte_cursor_u8(&cursor);
  symbol.num_more = byte_cursor_u8(&cursor);
  return symbol;
}

/* The name of a symbol: a text of the image, or written to the caller's buffer. NULL if it is not
 * in the image. */
static const char *coff_read_name(const coff_header *header, size_t i,
                                  char buffer[kCoffShortName + 1]) {
  const uint64_t at = (uint64_t)i * kCoffSymbolSize;
  byte_cursor cursor = byte_cursor_start(&header->symbols, at);
  if (byte_cursor_u32(&cursor) == 0) {
    return byte_range_text(&header->names, byte_cursor_u32(&cursor));
  }
  memcpy(buffer, header->symbols.data + at, kCoffShortName);
  buffer[kCoffShortName] = '\0';
  return buffer;
}

/* The index of the symbol that takes the place of a weak one if no other is found. */
static size_t coff_read_default(const coff_header *header, size_t i) {
  byte_cursor cursor = byte_cursor_start(&header->symbols, ((uint64_t)i + 1) * kCoffSymbolSize);
  return byte_cursor_u32(&cursor);
}

/* ---- The header of PE files ---- */

enum { kExportDirectory, kImportDirectory, kDelayDirectory = 13, kNumDirectories = 16 };

typedef struct {
  uint32_t address, size;
} pe_directory;

typedef struct {
  coff_header coff;
  uint64_t base; /* where it would like to be loaded */
  uint32_t headers_size;
  pe_directory directories[kNumDirectories]; /* address 0: not there */
} pe_header;

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

/* Also fills in what the header says of the file. False after a report. */
static bool pe_read_header(binary_file *file, pe_header *out) {
  const byte_range image = {(const unsigned char *)file->image, file->size, false};
  byte_cursor cursor = byte_cursor_start(&image, 0x3c);
  const uint64_t at = byte_cursor_u32(&cursor);
  const machine *found;
  memset(out, 0, sizeof *out);
  cursor = byte_cursor_start(&image, at);
  if (byte_cursor_u32(&cursor) != 0x4550 /* "PE\0\0" */) {
    return binary_reader_refuse(file, "it has no PE header, like MS-DOS programs");
  }
  if (!coff_read_header(&image, at + 4, &out->coff) || !read_optional_header(&image, file, out)) {
    return binary_reader_refuse(file, "its header is truncated, or of an unknown kind");
  }
  found = machine_find_coff(out->coff.machine);
  file->machine = found != NULL ? found->number : 0;
  file->is_program = (out->coff.flags & kCoffLibrary) == 0;
  return true;
}

/* ---- Addresses ---- */

/* The number of the section that an address is in; 0. */
static size_t pe_find_section(const pe_header *header, uint64_t address) {
  size_t i;
  for (i = 0; i < header->coff.num_sections; ++i) {
    const coff_section section = coff_read_section(&header->coff, i);
    const uint32_t size = section.virtual_size > section.size ? section.virtual_size : section.size;
    if (address >= section.address && address - section.address < size) return i + 1;
  }
  return 0;
}

/* The bytes of the file from an address up to the end of the section; empty if there are none. */
static byte_range pe_get_bytes(const pe_header *header, uint64_t address) {
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

/* The text at an address; NULL if there is none. */
static const char *pe_get_text(const pe_header *header, uint64_t address) {
  const byte_range bytes = pe_get_bytes(header, address);
  return byte_range_text(&bytes, 0);
}

/* ---- Imports ---- */

/* What is imported from one library. */
typedef struct {
  const char *library;
  byte_range entries; /* names or ordinals, up to one of 0 */
  uint64_t base;      /* subtracted from addresses */
} import_list;

/* Goes through the records of libraries, of both directories of imports. */
typedef struct {
  const pe_header *header;
  bool is_delayed, is_there;
  byte_cursor cursor;
} import_records;

static import_records start_imports(const pe_header *header, bool is_delayed) {
  const uint32_t address =
      header->directories[is_delayed ? kDelayDirectory : kImportDirectory].address;
  const byte_range bytes = pe_get_bytes(header, address);
  import_records records = {header, is_delayed, address != 0, {{NULL, 0, false}, false}};
  records.cursor = byte_cursor_start(&bytes, 0);
  return records;
}

/* False at the end. The library is NULL if its name is not in the file. */
static bool next_imports(import_records *records, import_list *out) {
  byte_cursor *cursor = &records->cursor;
  uint64_t name, entries;
  if (!records->is_there) return false;
  out->base = 0;
  if (records->is_delayed) {
    /* Files of old compilers have addresses as if they were loaded where they would like to be. */
    if ((byte_cursor_u32(cursor) & 1) == 0) out->base = records->header->base;
    name = byte_cursor_u32(cursor);
    byte_cursor_skip(cursor, 8); /* handle, addresses */
    entries = byte_cursor_u32(cursor);
    byte_cursor_skip(cursor, 12);
  } else {
    entries = byte_cursor_u32(cursor);
    byte_cursor_skip(cursor, 8); /* time, forwarders */
    name = byte_cursor_u32(cursor);
    if (entries == 0) {
      entries = byte_cursor_u32(cursor);
    } else {
      byte_cursor_skip(cursor, 4);
    }
  }
  if (cursor->is_past_end || name == 0) return false;
  out->library = pe_get_text(records->header, name - out->base);
  out->entries = pe_get_bytes(records->header, entries - out->base);
  return true;
}

/* The next entry of a list; 0 at the end. */
static uint64_t take_entry(const binary_file *file, byte_cursor *cursor, bool *out_is_ordinal) {
  const uint64_t entry = byte_cursor_number(cursor, (size_t)file->bits / 8);
  *out_is_ordinal = entry >> (file->bits - 1) != 0;
  return entry;
}

typedef struct {
  size_t libraries, imports, ordinals;
} import_counts;

/* False after a report. A file in which lists overlap has more imports than there is room for. */
static bool count_imports(const binary_file *file, const pe_header *header, bool is_delayed,
                          import_counts *counts) {
  import_records records = start_imports(header, is_delayed);
  import_list list;
  for (; next_imports(&records, &list); ++counts->libraries) {
    byte_cursor cursor = byte_cursor_start(&list.entries, 0);
    bool is_ordinal;
    if (list.library == NULL) {
      return binary_reader_refuse(file, "the name of a library that it needs is outside the file");
    }
    while (take_entry(file, &cursor, &is_ordinal) != 0) {
      if (is_ordinal) ++counts->ordinals;
      if (++counts->imports > file->size / 4) {
        return binary_reader_refuse(file, "it has more imports than would fit into it");
      }
    }
    if (cursor.is_past_end) {
      return binary_reader_refuse(file, "the list of its imports has no end");
    }
  }
  return !records.cursor.is_past_end ||
         binary_reader_refuse(file, "the list of libraries that it needs has no end");
}

/* Adds "#12" to the names of the file, of which *at is the end. */
static const char *add_ordinal(binary_file *file, size_t *at, uint64_t ordinal) {
  char *name = file->names + *at;
  *at += (size_t)snprintf(name, sizeof "#65535", "#%u", (unsigned)(ordinal & 0xffff)) + 1;
  return name;
}

static bool add_imports(binary_file *file, const pe_header *header, bool is_delayed,
                        size_t *names_at) {
  import_records records = start_imports(header, is_delayed);
  import_list list;
  while (next_imports(&records, &list)) {
    byte_cursor cursor = byte_cursor_start(&list.entries, 0);
    uint64_t entry;
    bool is_ordinal;
    file->needed[file->num_needed++] = list.library;
    while ((entry = take_entry(file, &cursor, &is_ordinal)) != 0) {
      binary_symbol *out = &file->symbols[file->num_symbols++];
      memset(out, 0, sizeof *out);
      out->origin = list.library;
      /* A number to look first precedes the name. */
      out->name = is_ordinal ? add_ordinal(file, names_at, entry)
                             : pe_get_text(header, (entry & 0x7fffffff) - list.base + 2);
      if (out->name == NULL) {
        return binary_reader_refuse(file, "the name of an import is outside the file");
      }
    }
  }
  return true;
}

/* Adds the imports to the symbols, and their libraries to those that are needed. False after a
 * report. */
static bool pe_read_imports(binary_file *file, const pe_header *header) {
  import_counts counts = {0, 0, 0};
  size_t names_at = 0;
  if (!count_imports(file, header, false, &counts) || !count_imports(file, header, true, &counts)) {
    return false;
  }
  file->needed = tool_alloc(counts.libraries * sizeof *file->needed);
  file->names = tool_alloc(counts.ordinals * sizeof "#65535");
  file->symbols =
      tool_realloc(file->symbols, (file->num_symbols + counts.imports) * sizeof *file->symbols);
  return add_imports(file, header, false, &names_at) && add_imports(file, header, true, &names_at);
}

static byte_range get_image(const binary_file *file) {
  const byte_range image = {(const unsigned char *)file->image, file->size, false};
  return image;
}

/* ---- Recognising ---- */

/* Object files have no magic bytes, only a known machine and what an object file has to have: some
 * sections and symbols, and no header of a program. */
static bool is_object(const byte_range *image) {
  byte_cursor cursor = byte_cursor_start(image, 0);
  const unsigned machine_number = byte_cursor_u16(&cursor), num_sections = byte_cursor_u16(&cursor);
  uint32_t symbols_at, num_symbols;
  byte_cursor_skip(&cursor, 4); /* time */
  symbols_at = byte_cursor_u32(&cursor);
  num_symbols = byte_cursor_u32(&cursor);
  return machine_find_coff(machine_number) != NULL && num_sections > 0 && num_symbols > 0 &&
         symbols_at >= kCoffHeaderSize + num_sections * kCoffSectionSize &&
         byte_cursor_u16(&cursor) == 0 && !cursor.is_past_end;
}

/* The bytes of a tree of modules begin with their length, of which the last bytes are 0. */
static bool is_dos(const byte_range *image) {
  static const unsigned char kZeros[6] = {0};
  return image->size >= 8 && memcmp(image->data, "MZ", 2) == 0 &&
         memcmp(image->data + 2, kZeros, sizeof kZeros) != 0;
}

static bool recognise(const char *image, size_t size) {
  const byte_range range = {(const unsigned char *)image, size, false};
  return is_dos(&range) || is_object(&range);
}

/* ---- Sections ---- */

/* Lists those of a file of either kind. */
static bool list_sections(binary_file *file, const coff_header *header) {
  size_t i;
  file->num_sections = header->num_sections + 1;
  file->sections = tool_alloc(file->num_sections * sizeof *file->sections);
  memset(file->sections, 0, file->num_sections * sizeof *file->sections);
  for (i = 1; i < file->num_sections; ++i) {
    const coff_section section = coff_read_section(header, i - 1);
    binary_section *out = &file->sections[i];
    out->start = file->is_object ? 0 : section.address;
    out->offset = section.offset;
    /* In a PE file it is filled up to whole blocks. */
    out->size = !file->is_object && section.virtual_size < section.size ? section.virtual_size
                                                                        : section.size;
    out->has_bytes = section.offset != 0 && section.size != 0;
    out->is_writable = (section.flags & COFF_WRITABLE) != 0;
    out->is_code = (section.flags & (kCoffCode | kCoffExecutable)) != 0;
    if (out->is_writable && (section.flags & kCoffExecutable) != 0) file->has_writable_code = true;
    if (!out->has_bytes || (out->offset <= file->size && out->size <= file->size - out->offset)) {
      continue;
    }
    return report_error("%s: malformed PE file: it is truncated after %zu bytes", file->path,
                        file->size);
  }
  return true;
}

/* ---- Exports ---- */

typedef struct {
  size_t count, num_names;
  byte_range addresses, names, ordinals;
} export_table;

/* Whether the lists are in the file. */
static bool open_exports(binary_file *file, const pe_header *header, export_table *out) {
  const byte_range bytes = pe_get_bytes(header, header->directories[kExportDirectory].address);
  byte_cursor cursor = byte_cursor_start(&bytes, 12);
  file->soname = pe_get_text(header, byte_cursor_u32(&cursor));
  byte_cursor_skip(&cursor, 4); /* the first ordinal */
  out->count = byte_cursor_u32(&cursor);
  out->num_names = byte_cursor_u32(&cursor);
  out->addresses = pe_get_bytes(header, byte_cursor_u32(&cursor));
  out->names = pe_get_bytes(header, byte_cursor_u32(&cursor));
  out->ordinals = pe_get_bytes(header, byte_cursor_u32(&cursor));
  return !cursor.is_past_end && out->count <= out->addresses.size / 4 &&
         out->num_names <= out->names.size / 4 && out->num_names <= out->ordinals.size / 2;
}

/* Fills in what is at the address of an export. */
static bool locate_export(const binary_file *file, const pe_header *header, uint32_t address,
                          binary_symbol *out) {
  const pe_directory *exports = &header->directories[kExportDirectory];
  out->value = address;
  if (address >= exports->address && address - exports->address < exports->size) {
    out->origin = pe_get_text(header, address);
    out->is_function = true; /* most are */
    return out->origin != NULL || binary_reader_refuse(file, "a forwarded export has no name");
  }
  out->section = pe_find_section(header, address);
  out->is_function = file->sections[out->section].is_code;
  out->is_writable = file->sections[out->section].is_writable;
  return true;
}

static bool read_exports(binary_file *file, const pe_header *header) {
  export_table table;
  byte_cursor names, ordinals;
  size_t i;
  if (header->directories[kExportDirectory].address == 0) return true;
  if (!open_exports(file, header, &table)) {
    return binary_reader_refuse(file, "its exports are outside its sections");
  }
  names = byte_cursor_start(&table.names, 0);
  ordinals = byte_cursor_start(&table.ordinals, 0);
  file->symbols = tool_alloc(table.num_names * sizeof *file->symbols);
  for (i = 0; i < table.num_names; ++i) {
    binary_symbol *out = &file->symbols[file->num_symbols];
    const size_t ordinal = byte_cursor_u16(&ordinals);
    byte_cursor cursor = byte_cursor_start(&table.addresses, 4 * (uint64_t)ordinal);
    const uint32_t address = byte_cursor_u32(&cursor);
    memset(out, 0, sizeof *out);
    out->name = pe_get_text(header, byte_cursor_u32(&names));
    out->is_defined = true;
    if (out->name == NULL || ordinal >= table.count) {
      return binary_reader_refuse(file, "an export has no name or no address");
    }
    if (!locate_export(file, header, address, out)) return false;
    if (address != 0) ++file->num_symbols;
  }
  return true;
}

/* ---- Symbols of an object file ---- */

/* The name as the source has it. */
static const char *skip_prefix(const binary_file *file, const char *name) {
  return file->machine == machine_find_coff(0x14c)->number && *name == '_' ? name + 1 : name;
}

static bool add_symbol(binary_file *file, const coff_header *header, size_t i, coff_symbol symbol,
                       size_t *names_at) {
  binary_symbol *out = &file->symbols[file->num_symbols];
  char buffer[kCoffShortName + 1];
  const char *name = coff_read_name(header, i, buffer);
  memset(out, 0, sizeof *out);
  if (symbol.storage_class != kCoffExternal && symbol.storage_class != kCoffWeak) return true;
  if (name == buffer) {
    name = strcpy(file->names + *names_at, buffer);
    *names_at += strlen(name) + 1;
  }
  if (name == NULL)
    return binary_reader_refuse(file, "the name of a symbol is outside its string table");
  out->name = skip_prefix(file, name);
  out->value = symbol.value;
  out->is_function = symbol.is_function;
  out->is_weak = symbol.storage_class == kCoffWeak;
  if (out->is_weak) {
    const size_t other = coff_read_default(header, i);
    if (other >= header->num_symbols) {
      return binary_reader_refuse(file, "a weak symbol has no symbol that takes its place");
    }
    symbol = coff_read_symbol(header, other);
    out->value = symbol.value;
    out->is_function = symbol.is_function;
  }
  out->is_common = symbol.section == 0 && symbol.value != 0 && !out->is_weak;
  out->is_defined = symbol.section != 0 || out->is_common;
  out->is_writable = out->is_common;
  if (symbol.section > 0 && (size_t)symbol.section < file->num_sections) {
    const coff_section section = coff_read_section(header, (size_t)symbol.section - 1);
    out->section = (size_t)symbol.section;
    out->is_writable = file->sections[out->section].is_writable;
    out->is_function = out->is_function || file->sections[out->section].is_code;
    if ((section.flags & kCoffComdat) != 0) out->is_weak = true; /* linkers keep one of several */
  } else if (symbol.section > 0) {
    return binary_reader_refuse(file, "a symbol is in a section that does not exist");
  }
  ++file->num_symbols;
  return true;
}

static bool read_object(binary_file *file) {
  const byte_range image = get_image(file);
  coff_header header;
  coff_symbol symbol;
  size_t names_at = 0, i;
  file->is_object = true;
  if (!coff_read_header(&image, 0, &header)) {
    return binary_reader_refuse(
        file, "it is truncated: its sections or symbols extend past the end of the file");
  }
  file->machine = machine_find_coff(header.machine)->number;
  file->bits = machine_find_coff(header.machine)->bits;
  if (!list_sections(file, &header)) return false;
  file->symbols = tool_alloc(header.num_symbols * sizeof *file->symbols);
  file->names = tool_alloc(header.num_symbols * (kCoffShortName + 1));
  for (i = 0; i < header.num_symbols; i += 1 + symbol.num_more) {
    symbol = coff_read_symbol(&header, i);
    if (!add_symbol(file, &header, i, symbol, &names_at)) return false;
  }
  return true;
}

/* ---- The reader ---- */

static bool read_pe(binary_file *file) {
  const byte_range image = get_image(file);
  pe_header header;
  if (!is_dos(&image)) return read_object(file);
  return pe_read_header(file, &header) && list_sections(file, &header.coff) &&
         read_exports(file, &header) && pe_read_imports(file, &header);
}

/* Libraries of MinGW-w64 have the symbols of their object files, too, unless they were stripped. */
static void visit_hidden(const binary_file *file, void (*visit)(void *context, const char *name),
                         void *context) {
  const byte_range image = get_image(file);
  byte_cursor cursor = byte_cursor_start(&image, 0x3c);
  coff_header header;
  coff_symbol symbol;
  size_t i;
  if (file->is_object || !coff_read_header(&image, byte_cursor_u32(&cursor) + 4u, &header)) return;
  for (i = 0; i < header.num_symbols; i += 1 + symbol.num_more) {
    char buffer[kCoffShortName + 1];
    const char *name = coff_read_name(&header, i, buffer);
    symbol = coff_read_symbol(&header, i);
    if (name == NULL || symbol.section <= 0 || !symbol.is_function) continue;
    visit(context, skip_prefix(file, name));
  }
}

const binary_reader kPeReader = {
    kFormatPe, &recognise, &read_pe, &visit_hidden, NULL,
};
