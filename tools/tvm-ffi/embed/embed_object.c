/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a relocatable ELF file for any machine without binutils: the sections one after the other,
 * then the section header table. */
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "embed/embed.h"
#include "file/elf_format.h"

enum { kBytes = 1, kTable, kRelocations, kStack, kSymbols, kStrings, kSectionNames, kNumSections };

typedef struct {
  const char *name;
  unsigned type;
  uint64_t flags, align, entry_size;
  unsigned link, info;
  text data;
} section;

typedef struct {
  const machine *target;
  section sections[kNumSections];
  size_t num_symbols;
} object;

/* ---- Numbers ---- */

static void add_number(const object *obj, text *out, uint64_t value, size_t size) {
  unsigned char bytes[8];
  size_t i;
  for (i = 0; i < size; ++i) {
    size_t place = obj->target->is_big_endian ? size - 1 - i : i;
    bytes[place] = (unsigned char)(value >> (8 * i));
  }
  text_add_bytes(out, bytes, size);
}

static size_t word_size(const object *obj) {
  return (size_t)obj->target->bits / 8;
}

static void add_word(const object *obj, text *out, uint64_t value) {
  add_number(obj, out, value, word_size(obj));
}

static void align_to(text *out, size_t align) {
  while (out->size % align != 0) text_add_bytes(out, "", 1);
}

/* ---- Symbols ---- */

typedef struct {
  unsigned name, info, visibility, section;
  uint64_t value, size;
} symbol;

static void add_symbol(object *obj, const symbol *entry) {
  text *out = &obj->sections[kSymbols].data;
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
  ++obj->num_symbols;
}

/* Returns the index of the new symbol. */
static size_t add_object_symbol(object *obj, const embedding *content, const char *name,
                                const char *suffix, unsigned section_index, uint64_t value,
                                uint64_t size) {
  text *names = &obj->sections[kStrings].data;
  symbol entry;
  entry.name = (unsigned)names->size;
  text_add(names, "%s%s", name, suffix);
  text_add_bytes(names, "", 1);
  entry.info = STB_GLOBAL << 4 | (size > 0 ? STT_OBJECT : STT_NOTYPE);
  entry.visibility = content->is_exported ? STV_DEFAULT : STV_HIDDEN;
  entry.section = section_index;
  entry.value = value;
  entry.size = size;
  add_symbol(obj, &entry);
  return obj->num_symbols - 1;
}

/* ---- Contents ---- */

static void add_relocation(object *obj, size_t symbol_number, uint64_t addend) {
  text *out = &obj->sections[kRelocations].data, *table = &obj->sections[kTable].data;
  unsigned type = obj->target->pointer;
  add_word(obj, out, table->size);
  add_word(
      obj, out,
      obj->target->bits == 64 ? (uint64_t)symbol_number << 32 | type : symbol_number << 8 | type);
  if (!obj->target->has_implicit_zeros) add_word(obj, out, addend);
  add_word(obj, table, obj->target->has_implicit_zeros ? addend : 0);
}

/* The titles in the table are stored behind the bytes; relocations refer to them by symbol 1, the
 * section's. */
static void add_contents(object *obj, const embedding *content) {
  text *bytes = &obj->sections[kBytes].data;
  size_t word = word_size(obj), i, k;
  for (i = 0; i < content->num_blobs; ++i) {
    const blob *entry = &content->blobs[i];
    size_t begin, number;
    align_to(bytes, content->align);
    begin = bytes->size;
    for (k = 0; k < entry->num_pieces; ++k) {
      text_add_bytes(bytes, entry->pieces[k].bytes, entry->pieces[k].size);
    }
    number = add_object_symbol(obj, content, entry->symbol, "", kBytes, begin, entry->size);
    if (content->has_end) {
      add_object_symbol(obj, content, entry->symbol, "_end", kBytes, bytes->size, 0);
      text_add_bytes(bytes, "", 1);
    }
    if (!content->has_table) continue;
    add_relocation(obj, 1, bytes->size);
    text_add_bytes(bytes, entry->title, strlen(entry->title) + 1);
    add_relocation(obj, number, 0);
    add_word(obj, &obj->sections[kTable].data, entry->size);
    align_to(bytes, word);
    add_object_symbol(obj, content, entry->symbol, "_size", kBytes, bytes->size, word);
    add_word(obj, bytes, entry->size);
  }
  if (content->has_table) {
    text *table = &obj->sections[kTable].data;
    for (i = 0; i < 3; ++i) add_word(obj, table, 0);
    add_object_symbol(obj, content, content->name, "_files", kTable, 0, table->size);
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

static void init_sections(object *obj, const embedding *content) {
  static const char kLarge[] = ".lrodata";
  const char *place = content->section != NULL ? content->section : ".rodata";
  bool is_large = obj->target->number == EM_X86_64 && strncmp(place, kLarge, strlen(kLarge)) == 0;
  size_t word = word_size(obj);
  init_section(obj, kBytes, place, SHT_PROGBITS, SHF_ALLOC | (is_large ? SHF_X86_64_LARGE : 0),
               content->align > word ? content->align : word);
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
  obj->sections[kSymbols].info = 2; /* the index of the first global symbol */
  obj->sections[kSymbols].entry_size = obj->target->bits == 64 ? 24 : 16;
  init_section(obj, kStrings, ".strtab", SHT_STRTAB, 0, 1);
  init_section(obj, kSectionNames, ".shstrtab", SHT_STRTAB, 0, 1);
}

static void add_header(const object *obj, uint64_t sections_at, text *out) {
  size_t word = word_size(obj);
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
                               uint64_t offset, text *out) {
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

static void add_file(object *obj, text *out) {
  size_t names[kNumSections] = {0}, i;
  uint64_t places[kNumSections] = {0}, offset = obj->target->bits == 64 ? 64 : 52;
  text *section_names = &obj->sections[kSectionNames].data;
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
  align_to(out, 8);
  for (i = 0; i < kNumSections; ++i) {
    add_section_header(obj, &obj->sections[i], names[i], places[i], out);
  }
}

bool embed_write_object(const embedding *content, const machine *target, text *out) {
  object obj;
  symbol bytes = {0, STB_LOCAL << 4 | STT_SECTION, STV_DEFAULT, kBytes, 0, 0};
  symbol null_symbol = {0, 0, 0, 0, 0, 0};
  size_t i;
  if (content->has_table && target->pointer == 0) {
    report_error(
        "the table of contents needs a relocation of %s that is not known here; "
        "--library-bin and --cubin do without one",
        target->name);
    return false;
  }
  memset(&obj, 0, sizeof obj);
  obj.target = target;
  init_sections(&obj, content);
  text_add_bytes(&obj.sections[kStrings].data, "", 1);
  add_symbol(&obj, &null_symbol);
  add_symbol(&obj, &bytes);
  add_contents(&obj, content);
  add_file(&obj, out);
  for (i = 0; i < kNumSections; ++i) text_free(&obj.sections[i].data);
  return true;
}
