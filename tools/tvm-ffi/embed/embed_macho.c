/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a Mach-O object file, the format of macOS: the header with the load commands, the bytes,
 * the table, its relocations, the symbols and their names. */
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "embed/embed.h"

enum {
  kHeaderSize = 32,
  kSegmentSize = 72, /* without the sections */
  kSectionSize = 80,
  kVersionSize = 24,
  kSymbolTableSize = 24,
  kSymbolSize = 16,
  kRelocationSize = 8,
  kNameSize = 16 /* of a segment or section */
};

enum { kSegmentCommand = 0x19, kSymbolTableCommand = 2, kBuildVersionCommand = 0x32 };

/* Flags of a symbol: it is defined in a section, others see it, only the linked output sees it. */
enum { kInSection = 0xe, kExternal = 1, kPrivateExternal = 0x10 };

typedef struct {
  uint32_t type, subtype;
  uint32_t oldest; /* the oldest macOS for it, as 0xMMMMmmpp */
} macho_machine;

static const macho_machine kMachines[] = {
    {0x01000007 /* x86-64 */, 3, 0x000a0900},
    {0x0100000c /* aarch64 */, 0, 0x000b0000},
};

typedef struct {
  const object_layout *layout;
  const macho_machine *target;
  const char *section; /* "SEGMENT,SECTION" of the bytes */
  bool is_exported;
  size_t num_sections;
  uint64_t table_at; /* offset from the bytes, and address of the table */
} object;

static void add_number(const object *obj, text_buf *out, uint64_t value, size_t size) {
  object_add_number(obj->layout->target, out, value, size);
}

static void add_padded(text_buf *out, const char *name, size_t length) {
  char field[kNameSize] = {0};
  memcpy(field, name, length);
  text_add_bytes(out, field, sizeof field);
}

/* ---- Sections ---- */

static size_t commands_size(const object *obj) {
  return kSegmentSize + obj->num_sections * kSectionSize + kVersionSize + kSymbolTableSize;
}

/* Where the bytes are in the file. */
static uint64_t bytes_at(const object *obj) {
  uint64_t end = kHeaderSize + commands_size(obj), align = obj->layout->bytes_align;
  return (end + align - 1) / align * align;
}

static uint64_t contents_size(const object *obj) {
  return obj->table_at + obj->layout->table.size;
}

static unsigned log2_of(uint64_t align) {
  unsigned power = 0;
  for (; align > 1; align /= 2) ++power;
  return power;
}

/* `place` is "SEGMENT,SECTION". */
static void add_section(const object *obj, const char *place, uint64_t address, uint64_t size,
                        uint64_t align, size_t num_relocations, text_buf *out) {
  const char *comma = strchr(place, ',');
  add_padded(out, comma + 1, strlen(comma + 1));
  add_padded(out, place, (size_t)(comma - place));
  add_number(obj, out, address, 8);
  add_number(obj, out, size, 8);
  add_number(obj, out, bytes_at(obj) + address, 4);
  add_number(obj, out, log2_of(align), 4);
  add_number(obj, out, num_relocations > 0 ? bytes_at(obj) + contents_size(obj) : 0, 4);
  add_number(obj, out, num_relocations, 4);
  add_number(obj, out, 0, 4); /* plain data */
  add_number(obj, out, 0, 8); /* reserved */
  add_number(obj, out, 0, 4);
}

/* An object file has one segment without a name, whatever the segments of its sections. */
static void add_segment(const object *obj, text_buf *out) {
  enum { kReadWriteExecute = 7 };
  const object_layout *layout = obj->layout;
  add_number(obj, out, kSegmentCommand, 4);
  add_number(obj, out, kSegmentSize + obj->num_sections * kSectionSize, 4);
  add_padded(out, "", 0);
  add_number(obj, out, 0, 8);
  add_number(obj, out, contents_size(obj), 8);
  add_number(obj, out, bytes_at(obj), 8);
  add_number(obj, out, contents_size(obj), 8);
  add_number(obj, out, kReadWriteExecute, 4);
  add_number(obj, out, kReadWriteExecute, 4);
  add_number(obj, out, obj->num_sections, 4);
  add_number(obj, out, 0, 4);
  add_section(obj, obj->section, 0, layout->bytes.size, layout->bytes_align, 0, out);
  if (obj->num_sections == 1) return;
  add_section(obj, "__DATA,__const", obj->table_at, layout->table.size, object_word(layout->target),
              layout->num_pointers, out);
}

/* The addresses of the bytes begin at 0, so the addends in the table are addresses. */
static void add_relocations(const object *obj, text_buf *out) {
  const uint32_t kBytesNumber = 1, kEightBytes = 3u << 25, kIsSymbol = 1u << 27;
  size_t i;
  for (i = 0; i < obj->layout->num_pointers; ++i) {
    const object_pointer *entry = &obj->layout->pointers[i];
    const uint32_t place =
        entry->symbol == kBytesSection ? kBytesNumber : (uint32_t)entry->symbol | kIsSymbol;
    add_number(obj, out, entry->offset, 4);
    add_number(obj, out, place | kEightBytes, 4);
  }
}

/* ---- Symbols ---- */

static void add_symbols(const object *obj, text_buf *names, text_buf *out) {
  const object_layout *layout = obj->layout;
  const unsigned type = kInSection | kExternal | (obj->is_exported ? 0u : kPrivateExternal);
  size_t i;
  text_add_bytes(names, "", 1);
  for (i = 0; i < layout->num_symbols; ++i) {
    const object_symbol *entry = &layout->symbols[i];
    add_number(obj, out, names->size, 4);
    add_number(obj, out, type, 1);
    add_number(obj, out, entry->is_in_table ? 2 : 1, 1);
    add_number(obj, out, 0, 2);
    add_number(obj, out, entry->value + (entry->is_in_table ? obj->table_at : 0), 8);
    text_add(names, "_%s", entry->name);
    text_add_bytes(names, "", 1);
  }
  object_align(names, 8);
}

/* ---- The file ---- */

static void add_header(const object *obj, text_buf *out) {
  enum { kObjectFile = 1, kNumCommands = 3 };
  add_number(obj, out, 0xfeedfacf, 4);
  add_number(obj, out, obj->target->type, 4);
  add_number(obj, out, obj->target->subtype, 4);
  add_number(obj, out, kObjectFile, 4);
  add_number(obj, out, kNumCommands, 4);
  add_number(obj, out, commands_size(obj), 4);
  add_number(obj, out, 0, 8);
}

/* Linkers warn of a file without the system that it is for. */
static void add_version(const object *obj, text_buf *out) {
  enum { kMacOS = 1 };
  add_number(obj, out, kBuildVersionCommand, 4);
  add_number(obj, out, kVersionSize, 4);
  add_number(obj, out, kMacOS, 4);
  add_number(obj, out, obj->target->oldest, 4);
  add_number(obj, out, 0, 8); /* of no SDK and no tools */
}

static void add_symbol_table(const object *obj, uint64_t symbols_at, size_t names_size,
                             text_buf *out) {
  add_number(obj, out, kSymbolTableCommand, 4);
  add_number(obj, out, kSymbolTableSize, 4);
  add_number(obj, out, symbols_at, 4);
  add_number(obj, out, obj->layout->num_symbols, 4);
  add_number(obj, out, symbols_at + obj->layout->num_symbols * kSymbolSize, 4);
  add_number(obj, out, names_size, 4);
}

static void add_file(const object *obj, text_buf *out) {
  const object_layout *layout = obj->layout;
  const uint64_t symbols_at =
      bytes_at(obj) + contents_size(obj) + layout->num_pointers * kRelocationSize;
  text_buf symbols = {NULL, 0, 0}, names = {NULL, 0, 0};
  add_symbols(obj, &names, &symbols);
  add_header(obj, out);
  add_segment(obj, out);
  add_version(obj, out);
  add_symbol_table(obj, symbols_at, names.size, out);
  object_align(out, layout->bytes_align);
  text_add_bytes(out, layout->bytes.data, layout->bytes.size);
  object_align(out, object_word(layout->target));
  text_add_bytes(out, layout->table.data, layout->table.size);
  add_relocations(obj, out);
  text_add_bytes(out, symbols.data, symbols.size);
  text_add_bytes(out, names.data, names.size);
  text_free(&symbols);
  text_free(&names);
}

static const macho_machine *find_machine(const machine *target) {
  size_t i;
  for (i = 0; i < sizeof kMachines / sizeof *kMachines; ++i) {
    if (kMachines[i].type == target->macho) return &kMachines[i];
  }
  report_error("--machine must be x86-64 or aarch64 for a Mach-O file, not %s", target->name);
  return NULL;
}

static bool check_align(const embedding *content) {
  enum { kMaxAlign = 1 << 15 };
  if (content->align <= kMaxAlign) return true;
  return report_error("--align must be at most %d in a Mach-O file, not %zu", kMaxAlign,
                      content->align);
}

bool embed_write_macho(const embedding *content, const machine *target, text_buf *out) {
  object_layout layout;
  object obj;
  obj.target = find_machine(target);
  if (obj.target == NULL || !check_align(content)) return false;
  object_layout_make(content, target, &layout);
  object_layout_store_addends(&layout);
  obj.layout = &layout;
  obj.section = content->section != NULL ? content->section : "__TEXT,__const";
  obj.is_exported = content->is_exported;
  obj.num_sections = content->has_table ? 2 : 1;
  obj.table_at =
      (layout.bytes.size + object_word(target) - 1) / object_word(target) * object_word(target);
  add_file(&obj, out);
  object_layout_free(&layout);
  return object_check_size("Mach-O", out);
}
