/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of macOS: Mach-O, of any machine and byte order. Names of symbols begin with _, which
 * is left out. */
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "file/binary_file.h"

/* ---- The header ---- */

enum { kObjectFile = 1, kProgram = 2, kLibrary = 6, kBundle = 8, kLibraryStub = 9 };
enum { kTwoLevelNames = 0x80, kAllowStackExecution = 0x20000 }; /* flags of the file */

/* Load commands. */
#define IS_REQUIRED 0x80000000u
enum {
  kSegment = 1,
  kSymbolTable = 2,
  kLoadLibrary = 0xc,
  kLibraryId = 0xd,
  kLoadWeakLibrary = 0x18,
  kSegment64 = 0x19,
  kUuid = 0x1b,
  kSearchPath = 0x1c,
  kCodeSignature = 0x1d,
  kReexportLibrary = 0x1f,
  kLazyLoadLibrary = 0x20,
  kLoaderInfo = 0x22,
  kLoadUpwardLibrary = 0x23,
  kExportsTrie = 0x33
};

typedef struct {
  byte_range image; /* of one machine */
  uint64_t at;      /* where it is in the file */
  size_t word;      /* the size of an address: 4 or 8 */
  uint32_t cpu, type, flags;
  byte_range commands;
  uint64_t base; /* the address of its first byte */
  byte_range symbols, names, exports;
  size_t num_symbols;
} macho;

typedef struct {
  uint32_t kind; /* without IS_REQUIRED */
  byte_range bytes;
} macho_command;

enum { kMaxSlices = 40 }; /* a class of Java begins with the same bytes, and a larger number */

/* The number of files in a universal one; 0 for others. */
static uint32_t count_slices(byte_range image, bool *out_is_64) {
  byte_cursor cursor;
  uint32_t magic, count;
  image.is_big_endian = true;
  cursor = byte_cursor_start(&image, 0);
  magic = byte_cursor_u32(&cursor);
  count = byte_cursor_u32(&cursor);
  *out_is_64 = magic == 0xcafebabf;
  return (magic == 0xcafebabe || *out_is_64) && count < kMaxSlices ? count : 0;
}

/* Reads the magic bytes; false if they are of another format. */
static bool read_magic(byte_range *image, size_t *out_word) {
  byte_cursor cursor;
  uint32_t magic;
  image->is_big_endian = image->size > 0 && image->data[0] == 0xfe;
  cursor = byte_cursor_start(image, 0);
  magic = byte_cursor_u32(&cursor);
  *out_word = magic == 0xfeedfacf ? 8 : 4;
  return magic == 0xfeedface || magic == 0xfeedfacf;
}

/* Whether a file begins like one of these, or like a universal one. */
static bool macho_recognise(const char *image, size_t size) {
  byte_range range = {(const unsigned char *)image, size, false};
  bool is_64;
  size_t word;
  return count_slices(range, &is_64) > 0 || read_magic(&range, &word);
}

static bool is_own(uint32_t cpu) {
  const machine *found = machine_find_macho(cpu);
  return found != NULL && machine_is_own(found->number, found->bits, found->is_big_endian);
}

/* Chooses a part of a universal file; false if it is not in the file. */
static bool choose_slice(byte_range image, macho *out) {
  bool is_64, has_own = false;
  const uint32_t count = count_slices(image, &is_64);
  uint64_t at = 0, size = image.size;
  byte_cursor cursor;
  uint32_t i;
  image.is_big_endian = true;
  cursor = byte_cursor_start(&image, 8);
  for (i = 0; i < count && !has_own; ++i) {
    const uint32_t cpu = byte_cursor_u32(&cursor);
    uint64_t slice_at, slice_size;
    byte_cursor_skip(&cursor, 4); /* subtype */
    slice_at = byte_cursor_number(&cursor, is_64 ? 8 : 4);
    slice_size = byte_cursor_number(&cursor, is_64 ? 8 : 4);
    byte_cursor_skip(&cursor, is_64 ? 8 : 4); /* alignment */
    has_own = is_own(cpu);
    if (i > 0 && !has_own) continue;
    at = slice_at;
    size = slice_size;
  }
  out->at = at;
  return !cursor.is_past_end && byte_range_slice(&image, at, size, &out->image);
}

/* Reads the header; of a universal file, that for this machine, or else the first. False if it or
 * the load commands are not in the file. */
static bool macho_parse(const binary_file *file, macho *out) {
  const byte_range image = {(const unsigned char *)file->image, file->size, false};
  byte_cursor cursor;
  uint32_t size;
  memset(out, 0, sizeof *out);
  if (!choose_slice(image, out) || !read_magic(&out->image, &out->word)) return false;
  cursor = byte_cursor_start(&out->image, 4);
  out->cpu = byte_cursor_u32(&cursor);
  byte_cursor_skip(&cursor, 4); /* subtype */
  out->type = byte_cursor_u32(&cursor);
  byte_cursor_skip(&cursor, 4); /* number of load commands */
  size = byte_cursor_u32(&cursor);
  out->flags = byte_cursor_u32(&cursor);
  return !cursor.is_past_end &&
         byte_range_slice(&out->image, out->word == 8 ? 32 : 28, size, &out->commands);
}

static uint64_t macho_take_word(const macho *header, byte_cursor *cursor) {
  return byte_cursor_number(cursor, header->word);
}

/* ---- Load commands ---- */

/* Takes the next command off `rest`. False at the end, and if a command is longer than the rest. */
static bool macho_next_command(byte_range *rest, macho_command *out) {
  byte_cursor cursor = byte_cursor_start(rest, 0);
  uint32_t size;
  out->kind = byte_cursor_u32(&cursor) & ~IS_REQUIRED;
  size = byte_cursor_u32(&cursor);
  return size >= 8 && byte_range_slice(rest, 0, size, &out->bytes) &&
         byte_range_slice(rest, size, rest->size - size, rest);
}

/* The range of the file that the next two fields describe; false if it is not in the file. */
static bool macho_take_range(const macho *header, byte_cursor *cursor, byte_range *out) {
  const uint32_t at = byte_cursor_u32(cursor), size = byte_cursor_u32(cursor);
  return byte_range_slice(&header->image, at, size, out);
}

/* ---- Exports: a tree whose edges are parts of names ---- */

/* The tree is walked twice: to count, and to store. */
typedef struct {
  binary_file *file;
  const macho *header;
  unsigned char *is_seen; /* by offset, whether the node was visited: a tree has no second way */
  size_t count, names_size;
  bool is_storing;
  text_buf prefix;
} export_walk;

enum { kMaxDepth = 1000, kMaxNames = 1 << 28 };

/* Numbers of 7 bits in each byte; the highest bit says that another follows. */
static uint64_t take_leb(byte_cursor *cursor) {
  uint64_t number = 0;
  unsigned shift = 0, byte;
  do {
    byte = byte_cursor_u8(cursor);
    if (shift < 64) number |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while ((byte & 0x80) != 0);
  return number;
}

static size_t find_section(const binary_file *file, uint64_t address) {
  size_t i;
  for (i = 1; i < file->num_sections; ++i) {
    const binary_section *section = &file->sections[i];
    if (address >= section->start && address - section->start < section->size) return i;
  }
  return 0;
}

/* Reads what is at the end of a name. */
static void add_export(export_walk *walk, byte_cursor *cursor) {
  enum { kWeak = 4, kReexport = 8 };
  binary_file *file = walk->file;
  const char *name = walk->prefix.data;
  const uint64_t flags = take_leb(cursor);
  binary_symbol *out;
  if (*name == '_') ++name;
  if (walk->is_storing) {
    out = &file->symbols[file->num_symbols++];
    memset(out, 0, sizeof *out);
    out->name = strcpy(file->names + walk->names_size, name);
    out->is_defined = true;
    out->is_weak = (flags & kWeak) != 0;
    if ((flags & kReexport) != 0) {
      const uint64_t library = take_leb(cursor);
      if (library > 0 && library <= file->num_needed) out->origin = file->needed[library - 1];
      out->is_function = true; /* most are */
    } else {
      out->value = walk->header->base + take_leb(cursor);
      out->section = find_section(file, out->value);
      out->is_function = file->sections[out->section].is_code;
      out->is_writable = file->sections[out->section].is_writable;
    }
  }
  ++walk->count;
  walk->names_size += strlen(name) + 1;
}

/* Adds a text that the cursor is at to the prefix, and moves on past it. */
static bool take_edge(export_walk *walk, byte_cursor *cursor) {
  const char *edge = byte_range_text(&cursor->range, 0);
  if (edge == NULL) return false;
  text_add_bytes(&walk->prefix, edge, strlen(edge));
  byte_cursor_skip(cursor, strlen(edge) + 1);
  return true;
}

/* False if the tree is malformed. */
static bool walk_exports(export_walk *walk, uint64_t at, unsigned depth) {
  byte_cursor cursor = byte_cursor_start(&walk->header->exports, at);
  const size_t length = walk->prefix.size;
  uint64_t size;
  unsigned num_children;
  byte_cursor content;
  if (cursor.range.size == 0 || walk->is_seen[at] || depth > kMaxDepth) return false;
  walk->is_seen[at] = 1;
  size = take_leb(&cursor);
  content = cursor;
  if (size > 0) add_export(walk, &content);
  byte_cursor_skip(&cursor, size);
  if (content.is_past_end || walk->names_size > kMaxNames) return false;
  for (num_children = byte_cursor_u8(&cursor); num_children > 0; --num_children) {
    if (!take_edge(walk, &cursor) || !walk_exports(walk, take_leb(&cursor), depth + 1)) {
      return false;
    }
    walk->prefix.size = length;
    walk->prefix.data[length] = '\0';
  }
  return !cursor.is_past_end;
}

static bool start_walk(export_walk *walk) {
  walk->count = walk->names_size = walk->prefix.size = 0;
  text_add_bytes(&walk->prefix, "", 0);
  memset(walk->is_seen, 0, walk->header->exports.size);
  return walk_exports(walk, 0, 0) ||
         binary_reader_refuse(walk->file, "the tree of its exports is damaged");
}

/* Reads the exports, if the file has the tree, and makes room for the symbols of the symbol table,
 * too. The sections must have been read. False after a report. */
static bool macho_read_exports(binary_file *file, const macho *header) {
  export_walk walk;
  bool good = true;
  memset(&walk, 0, sizeof walk);
  walk.file = file;
  walk.header = header;
  walk.is_seen = tool_alloc(header->exports.size);
  if (header->exports.size > 0) good = start_walk(&walk);
  file->symbols = tool_alloc((walk.count + header->num_symbols) * sizeof *file->symbols);
  file->names = tool_alloc(walk.names_size);
  if (good && walk.count > 0) {
    walk.is_storing = true;
    good = start_walk(&walk);
  }
  text_free(&walk.prefix);
  free(walk.is_seen);
  return good;
}

enum { kCanWrite = 2, kCanExecute = 4 }; /* protection of a segment */

static bool read_symbol_table(macho *header, const macho_command *entry) {
  byte_cursor cursor = byte_cursor_start(&entry->bytes, 8);
  const uint64_t at = byte_cursor_u32(&cursor), count = byte_cursor_u32(&cursor);
  header->num_symbols = (size_t)count;
  return byte_range_slice(&header->image, at, count * (8 + header->word), &header->symbols) &&
         macho_take_range(header, &cursor, &header->names);
}

/* The text whose offset in the command is its first field; NULL if there is none. */
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
  binary_section *out;
  byte_range bytes;
  char segment[16];
  uint32_t offset, flags;
  size_t i;
  file->sections = tool_grow(file->sections, file->num_sections, sizeof *file->sections);
  out = &file->sections[file->num_sections++];
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
    return binary_reader_refuse(file, "its sections extend past their load command");
  }
  if (!out->has_bytes || byte_range_slice(&header->image, offset, out->size, &bytes)) return true;
  return report_error("%s: malformed Mach-O file: it is truncated after %zu bytes", file->path,
                      file->size);
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
    return binary_reader_refuse(file, "its sections extend past their load command");
  }
  for (i = 0; i < count; ++i) {
    if (!add_section(file, header, &cursor, (protection & kCanWrite) != 0)) return false;
  }
  return true;
}

/* ---- Reading the commands ---- */

static bool add_needed(binary_file *file, const char *name) {
  if (name == NULL) {
    return binary_reader_refuse(file, "the name of a library is outside its load command");
  }
  file->needed = tool_grow((void *)file->needed, file->num_needed, sizeof *file->needed);
  file->needed[file->num_needed++] = name;
  return true;
}

static bool read_command(binary_file *file, macho *header, const macho_command *entry) {
  byte_cursor cursor = byte_cursor_start(&entry->bytes, 8);
  byte_range uuid;
  switch (entry->kind) {
    case kSegment:
    case kSegment64:
      return read_segment(file, header, entry);
    case kSymbolTable:
      return read_symbol_table(header, entry) ||
             binary_reader_refuse(file, "its symbol table extends past the end of the file");
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
    case kUuid:
      if (byte_range_slice(&entry->bytes, 8, 16, &uuid)) {
        binary_reader_set_build_id(file, uuid.data, uuid.size);
      }
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
         binary_reader_refuse(file, "its exports extend past the end of the file");
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
  return rest.size == 0 || binary_reader_refuse(file, "a load command is truncated");
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
    return binary_reader_refuse(file, "the name of a symbol is outside its string table");
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
      return binary_reader_refuse(file, "a symbol is in a section that does not exist");
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
    return binary_reader_refuse(file, "its header or its load commands are truncated");
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
    kFormatMachO, &macho_recognise, &read_macho, &visit_hidden, NULL,
};
