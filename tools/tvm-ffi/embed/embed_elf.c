/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a relocatable ELF file for any machine without binutils: the sections one after the other,
 * then the section header table. */
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "embed/embed.h"
#include "file/elf_format.h"

/* The first symbols: none, and the beginning of the bytes. */
enum { kBytesSymbol = 1, kFirstSymbol };

enum { kBytes = 1, kTable, kRelocations, kStack, kSymbols, kStrings, kSectionNames, kNumSections };

typedef struct {
  const char *name;
  unsigned type;
  uint64_t flags, align, entry_size;
  unsigned link, info;
  text_buf data;
} section;

typedef struct {
  const machine *target;
  section sections[kNumSections];
} object;

static void add_number(const object *obj, text_buf *out, uint64_t value, size_t size) {
  object_add_number(obj->target, out, value, size);
}

static void add_word(const object *obj, text_buf *out, uint64_t value) {
  object_add_number(obj->target, out, value, object_word(obj->target));
}

/* ---- Symbols ---- */

typedef struct {
  unsigned name, info, visibility, section;
  uint64_t value, size;
} symbol;

static void add_symbol(object *obj, const symbol *entry) {
  text_buf *out = &obj->sections[kSymbols].data;
  add_number(obj, out, entry->name, 4);
  if (obj->target->bits == 64) {
    add_number(obj, out, entry->info, 1);
    add_number(obj, out, entry->visibility, 1);
    add_number(obj, out, entry->section, 2);
    add_word(obj, out, entry->value);
    add_word(obj, out, entry->size);
  } else {
    add_word(obj, out, entry->value);
    add_word(obj, out, entry->size);
    add_number(obj, out, entry->info, 1);
    add_number(obj, out, entry->visibility, 1);
    add_number(obj, out, entry->section, 2);
  }
}

static void add_symbols(object *obj, const object_layout *layout, bool is_exported) {
  static const symbol kNull = {0, 0, 0, 0, 0, 0};
  static const symbol kBytesStart = {0, STB_LOCAL << 4 | STT_SECTION, STV_DEFAULT, kBytes, 0, 0};
  text_buf *names = &obj->sections[kStrings].data;
  size_t i;
  text_add_bytes(names, "", 1);
  add_symbol(obj, &kNull);
  add_symbol(obj, &kBytesStart);
  for (i = 0; i < layout->num_symbols; ++i) {
    const object_symbol *given = &layout->symbols[i];
    symbol entry;
    entry.name = (unsigned)names->size;
    text_add_bytes(names, given->name, strlen(given->name) + 1);
    entry.info = STB_GLOBAL << 4 | (given->size > 0 ? STT_OBJECT : STT_NOTYPE);
    entry.visibility = is_exported ? STV_DEFAULT : STV_HIDDEN;
    entry.section = given->is_in_table ? kTable : kBytes;
    entry.value = given->value;
    entry.size = given->size;
    add_symbol(obj, &entry);
  }
}

/* ---- Relocations ---- */

static void add_relocations(object *obj, const object_layout *layout) {
  text_buf *out = &obj->sections[kRelocations].data;
  const machine *target = obj->target;
  size_t i;
  for (i = 0; i < layout->num_pointers; ++i) {
    const object_pointer *entry = &layout->pointers[i];
    uint64_t number =
        entry->symbol == kBytesSection ? kBytesSymbol : kFirstSymbol + (uint64_t)entry->symbol;
    add_word(obj, out, entry->offset);
    add_word(obj, out,
             target->bits == 64 ? number << 32 | target->pointer : number << 8 | target->pointer);
    if (!target->has_implicit_zeros) add_word(obj, out, entry->addend);
  }
}

/* ---- The file ---- */

static void init_section(object *obj, int number, const char *name, unsigned type, uint64_t flags,
                         uint64_t align) {
  section *entry = &obj->sections[number];
  entry->name = name;
  entry->type = type;
  entry->flags = flags;
  entry->align = align;
}

static void init_sections(object *obj, const embedding *content, uint64_t bytes_align) {
  static const char kLarge[] = ".lrodata";
  const char *place = content->section != NULL ? content->section : ".rodata";
  bool is_large = obj->target->number == EM_X86_64 && text_begins(place, kLarge);
  size_t word = object_word(obj->target);
  init_section(obj, kBytes, place, SHT_PROGBITS, SHF_ALLOC | (is_large ? SHF_X86_64_LARGE : 0),
               bytes_align);
  init_section(obj, kTable, ".data.rel.ro", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, word);
  init_section(obj, kRelocations,
               obj->target->has_implicit_zeros ? ".rel.data.rel.ro" : ".rela.data.rel.ro",
               obj->target->has_implicit_zeros ? SHT_REL : SHT_RELA, SHF_INFO_LINK, word);
  obj->sections[kRelocations].link = kSymbols;
  obj->sections[kRelocations].info = kTable;
  obj->sections[kRelocations].entry_size = word * (obj->target->has_implicit_zeros ? 2 : 3);
  init_section(obj, kStack, ".note.GNU-stack", SHT_PROGBITS, 0, 1);
  init_section(obj, kSymbols, ".symtab", SHT_SYMTAB, 0, word);
  obj->sections[kSymbols].link = kStrings;
  obj->sections[kSymbols].info = kFirstSymbol; /* the index of the first global symbol */
  obj->sections[kSymbols].entry_size = obj->target->bits == 64 ? 24 : 16;
  init_section(obj, kStrings, ".strtab", SHT_STRTAB, 0, 1);
  init_section(obj, kSectionNames, ".shstrtab", SHT_STRTAB, 0, 1);
}

static void add_header(const object *obj, uint64_t sections_at, text_buf *out) {
  size_t word = object_word(obj->target);
  unsigned char identity[EI_NIDENT] = {0x7f, 'E', 'L', 'F'};
  identity[EI_CLASS] = word == 8 ? ELFCLASS64 : ELFCLASS32;
  identity[EI_DATA] = obj->target->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB;
  identity[EI_VERSION] = EV_CURRENT;
  text_add_bytes(out, identity, sizeof identity);
  add_number(obj, out, ET_REL, 2);
  add_number(obj, out, obj->target->number, 2);
  add_number(obj, out, EV_CURRENT, 4);
  add_word(obj, out, 0);
  add_word(obj, out, 0);
  add_word(obj, out, sections_at);
  add_number(obj, out, obj->target->flags, 4);
  add_number(obj, out, word == 8 ? 64 : 52, 2);
  add_number(obj, out, 0, 2);
  add_number(obj, out, 0, 2);
  add_number(obj, out, word == 8 ? 64 : 40, 2);
  add_number(obj, out, kNumSections, 2);
  add_number(obj, out, kSectionNames, 2);
}

static void add_section_header(const object *obj, const section *entry, size_t name,
                               uint64_t offset, text_buf *out) {
  add_number(obj, out, name, 4);
  add_number(obj, out, entry->type, 4);
  add_word(obj, out, entry->flags);
  add_word(obj, out, 0);
  add_word(obj, out, offset);
  add_word(obj, out, entry->data.size);
  add_number(obj, out, entry->link, 4);
  add_number(obj, out, entry->info, 4);
  add_word(obj, out, entry->align);
  add_word(obj, out, entry->entry_size);
}

static void add_file(object *obj, text_buf *out) {
  size_t names[kNumSections] = {0}, i;
  uint64_t places[kNumSections] = {0}, offset = obj->target->bits == 64 ? 64 : 52;
  text_buf *section_names = &obj->sections[kSectionNames].data;
  text_add_bytes(section_names, "", 1);
  for (i = 1; i < kNumSections; ++i) {
    names[i] = section_names->size;
    text_add_bytes(section_names, obj->sections[i].name, strlen(obj->sections[i].name) + 1);
  }
  for (i = 1; i < kNumSections; ++i) {
    offset =
        (offset + obj->sections[i].align - 1) / obj->sections[i].align * obj->sections[i].align;
    places[i] = offset;
    offset += obj->sections[i].data.size;
  }
  offset = (offset + 7) / 8 * 8;
  add_header(obj, offset, out);
  for (i = 1; i < kNumSections; ++i) {
    while (out->size < places[i]) text_add_bytes(out, "", 1);
    text_add_bytes(out, obj->sections[i].data.data, obj->sections[i].data.size);
  }
  object_align(out, 8);
  for (i = 0; i < kNumSections; ++i) {
    add_section_header(obj, &obj->sections[i], names[i], places[i], out);
  }
}

bool embed_write_elf(const embedding *content, const machine *target, text_buf *out) {
  object_layout layout;
  object obj;
  size_t i;
  if (content->has_table && target->pointer == 0) {
    return report_error(
        "the table of contents needs a relocation that is not known for %s; --library-bin and "
        "--cubin need none",
        target->name);
  }
  object_layout_make(content, target, &layout);
  if (target->has_implicit_zeros) object_layout_store_addends(&layout);
  memset(&obj, 0, sizeof obj);
  obj.target = target;
  init_sections(&obj, content, layout.bytes_align);
  obj.sections[kBytes].data = layout.bytes;
  obj.sections[kTable].data = layout.table;
  add_symbols(&obj, &layout, content->is_exported);
  add_relocations(&obj, &layout);
  add_file(&obj, out);
  for (i = kRelocations; i < kNumSections; ++i) text_free(&obj.sections[i].data);
  object_layout_free(&layout);
  return true;
}
