/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of Windows: PE files, which are libraries and programs, and COFF object files.
 * Addresses in a PE file are relative to where it is loaded. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "file/binary_reader.h"
#include "file/machine.h"
#include "file/pe_imports.h"

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
    report_error("%s: malformed PE file: it is cut off after %zu bytes", file->path, file->size);
    return false;
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
    return out->origin != NULL || binary_reader_refuse(file, "a forwarded export without a name");
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
    return binary_reader_refuse(file, "its exports are not in its sections");
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
      return binary_reader_refuse(file, "an export without a name or an address");
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
  if (name == NULL) return binary_reader_refuse(file, "the name of a symbol is not in its names");
  out->name = skip_prefix(file, name);
  out->value = symbol.value;
  out->is_function = symbol.is_function;
  out->is_weak = symbol.storage_class == kCoffWeak;
  if (out->is_weak) {
    const size_t other = coff_read_default(header, i);
    if (other >= header->num_symbols) {
      return binary_reader_refuse(file, "a weak symbol without one that takes its place");
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
    return binary_reader_refuse(file, "a symbol of a section that is not there");
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
    return binary_reader_refuse(file, "it is cut off: its sections or symbols are behind its end");
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
    kFormatPe, "PE", &recognise, &read_pe, &visit_hidden, NULL,
};
