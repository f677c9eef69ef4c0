/* SPDX-License-Identifier: Apache-2.0 */
/* A relocatable ELF file of any machine, written without binutils: sections one behind the other,
 * the table of sections last. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "embed/embed.h"

/* SHF_X86_64_LARGE: data that need not be near the code. */
#define LARGE_FLAG 0x10000000u

enum { kBytes = 1, kTable, kRelocations, kStack, kSymbols, kStrings, kSectionNames, kNumSections };

typedef struct {
  const char *name;
  unsigned type;
  uint64_t flags, align, entry_size;
  unsigned link, info;
  text data;
} section;

typedef struct {
  const machine *to;
  section sections[kNumSections];
  size_t num_symbols;
} object;

/* ---- Numbers -----------------------------------------------------------------------------------
 */

static void add_number(const object *of, text *to, uint64_t value, size_t size) {
  unsigned char bytes[8];
  size_t i;
  for (i = 0; i < size; ++i) {
    size_t place = of->to->is_big_endian ? size - 1 - i : i;
    bytes[place] = (unsigned char)(value >> (8 * i));
  }
  text_add_bytes(to, bytes, size);
}

static size_t word_size(const object *of) {
  return (size_t)of->to->bits / 8;
}

static void add_word(const object *of, text *to, uint64_t value) {
  add_number(of, to, value, word_size(of));
}

static void align_to(text *to, size_t align) {
  while (to->size % align != 0) text_add_bytes(to, "", 1);
}

/* ---- Symbols -----------------------------------------------------------------------------------
 */

typedef struct {
  unsigned name, info, other, section;
  uint64_t value, size;
} symbol;

static void add_symbol(object *of, const symbol *one) {
  text *to = &of->sections[kSymbols].data;
  add_number(of, to, one->name, 4);
  if (of->to->bits == 64) {
    add_number(of, to, one->info, 1);
    add_number(of, to, one->other, 1);
    add_number(of, to, one->section, 2);
    add_word(of, to, one->value);
    add_word(of, to, one->size);
  } else {
    add_word(of, to, one->value);
    add_word(of, to, one->size);
    add_number(of, to, one->info, 1);
    add_number(of, to, one->other, 1);
    add_number(of, to, one->section, 2);
  }
  ++of->num_symbols;
}

/* The number of the symbol. */
static size_t add_object_symbol(object *of, const embedding *from, const char *name,
                                const char *suffix, unsigned in, uint64_t value, uint64_t size) {
  text *names = &of->sections[kStrings].data;
  symbol one;
  one.name = (unsigned)names->size;
  text_add(names, "%s%s", name, suffix);
  text_add_bytes(names, "", 1);
  one.info = STB_GLOBAL << 4 | (size > 0 ? STT_OBJECT : STT_NOTYPE);
  one.other = from->is_exported ? STV_DEFAULT : STV_HIDDEN;
  one.section = in;
  one.value = value;
  one.size = size;
  add_symbol(of, &one);
  return of->num_symbols - 1;
}

/* ---- Contents ----------------------------------------------------------------------------------
 */

static void add_relocation(object *of, size_t symbol_number, uint64_t addend) {
  text *to = &of->sections[kRelocations].data, *table = &of->sections[kTable].data;
  unsigned type = of->to->pointer;
  add_word(of, to, table->size);
  add_word(of, to,
           of->to->bits == 64 ? (uint64_t)symbol_number << 32 | type : symbol_number << 8 | type);
  if (!of->to->has_implicit_zeros) add_word(of, to, addend);
  add_word(of, table, of->to->has_implicit_zeros ? addend : 0);
}

/* Symbol 1 is the section of the bytes; the names of the table are there too. */
static void add_contents(object *of, const embedding *from) {
  text *bytes = &of->sections[kBytes].data;
  size_t word = word_size(of), i, k;
  for (i = 0; i < from->num_blobs; ++i) {
    const blob *one = &from->blobs[i];
    size_t begin, number;
    align_to(bytes, from->align);
    begin = bytes->size;
    for (k = 0; k < one->num_pieces; ++k) {
      text_add_bytes(bytes, one->pieces[k].bytes, one->pieces[k].size);
    }
    number = add_object_symbol(of, from, one->symbol, "", kBytes, begin, one->size);
    if (from->has_end) {
      add_object_symbol(of, from, one->symbol, "_end", kBytes, bytes->size, 0);
      text_add_bytes(bytes, "", 1);
    }
    if (!from->has_table) continue;
    add_relocation(of, 1, bytes->size);
    text_add_bytes(bytes, one->title, strlen(one->title) + 1);
    add_relocation(of, number, 0);
    add_word(of, &of->sections[kTable].data, one->size);
    align_to(bytes, word);
    add_object_symbol(of, from, one->symbol, "_size", kBytes, bytes->size, word);
    add_word(of, bytes, one->size);
  }
  if (from->has_table) {
    text *table = &of->sections[kTable].data;
    for (i = 0; i < 3; ++i) add_word(of, table, 0);
    add_object_symbol(of, from, from->name, "_files", kTable, 0, table->size);
  }
}

/* ---- The file ----------------------------------------------------------------------------------
 */

static void init_section(object *of, int which, const char *name, unsigned type, uint64_t flags,
                         uint64_t align) {
  section *one = &of->sections[which];
  one->name = name;
  one->type = type;
  one->flags = flags;
  one->align = align;
}

static void init_sections(object *of, const embedding *from) {
  static const char kLarge[] = ".lrodata";
  const char *place = from->section != NULL ? from->section : ".rodata";
  bool is_large = of->to->number == EM_X86_64 && strncmp(place, kLarge, strlen(kLarge)) == 0;
  size_t word = word_size(of);
  init_section(of, kBytes, place, SHT_PROGBITS, SHF_ALLOC | (is_large ? LARGE_FLAG : 0),
               from->align > word ? from->align : word);
  init_section(of, kTable, ".data.rel.ro", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, word);
  init_section(of, kRelocations,
               of->to->has_implicit_zeros ? ".rel.data.rel.ro" : ".rela.data.rel.ro",
               of->to->has_implicit_zeros ? SHT_REL : SHT_RELA, SHF_INFO_LINK, word);
  of->sections[kRelocations].link = kSymbols;
  of->sections[kRelocations].info = kTable;
  of->sections[kRelocations].entry_size = word * (of->to->has_implicit_zeros ? 2 : 3);
  init_section(of, kStack, ".note.GNU-stack", SHT_PROGBITS, 0, 1);
  init_section(of, kSymbols, ".symtab", SHT_SYMTAB, 0, word);
  of->sections[kSymbols].link = kStrings;
  of->sections[kSymbols].info = 2; /* the first that is global */
  of->sections[kSymbols].entry_size = of->to->bits == 64 ? 24 : 16;
  init_section(of, kStrings, ".strtab", SHT_STRTAB, 0, 1);
  init_section(of, kSectionNames, ".shstrtab", SHT_STRTAB, 0, 1);
}

static void add_header(const object *of, uint64_t sections_at, text *out) {
  size_t word = word_size(of);
  unsigned char identity[EI_NIDENT] = {0x7f, 'E', 'L', 'F'};
  identity[EI_CLASS] = word == 8 ? ELFCLASS64 : ELFCLASS32;
  identity[EI_DATA] = of->to->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB;
  identity[EI_VERSION] = EV_CURRENT;
  text_add_bytes(out, identity, sizeof identity);
  add_number(of, out, ET_REL, 2);
  add_number(of, out, of->to->number, 2);
  add_number(of, out, EV_CURRENT, 4);
  add_word(of, out, 0);
  add_word(of, out, 0);
  add_word(of, out, sections_at);
  add_number(of, out, of->to->flags, 4);
  add_number(of, out, word == 8 ? 64 : 52, 2);
  add_number(of, out, 0, 2);
  add_number(of, out, 0, 2);
  add_number(of, out, word == 8 ? 64 : 40, 2);
  add_number(of, out, kNumSections, 2);
  add_number(of, out, kSectionNames, 2);
}

static void add_section_header(const object *of, const section *one, size_t name, uint64_t at,
                               text *out) {
  add_number(of, out, name, 4);
  add_number(of, out, one->type, 4);
  add_word(of, out, one->flags);
  add_word(of, out, 0);
  add_word(of, out, at);
  add_word(of, out, one->data.size);
  add_number(of, out, one->link, 4);
  add_number(of, out, one->info, 4);
  add_word(of, out, one->align);
  add_word(of, out, one->entry_size);
}

static void add_file(object *of, text *out) {
  size_t names[kNumSections] = {0}, i;
  uint64_t places[kNumSections] = {0}, at = of->to->bits == 64 ? 64 : 52;
  text *section_names = &of->sections[kSectionNames].data;
  text_add_bytes(section_names, "", 1);
  for (i = 1; i < kNumSections; ++i) {
    names[i] = section_names->size;
    text_add_bytes(section_names, of->sections[i].name, strlen(of->sections[i].name) + 1);
  }
  for (i = 1; i < kNumSections; ++i) {
    at = (at + of->sections[i].align - 1) / of->sections[i].align * of->sections[i].align;
    places[i] = at;
    at += of->sections[i].data.size;
  }
  at = (at + 7) / 8 * 8;
  add_header(of, at, out);
  for (i = 1; i < kNumSections; ++i) {
    while (out->size < places[i]) text_add_bytes(out, "", 1);
    text_add_bytes(out, of->sections[i].data.data, of->sections[i].data.size);
  }
  align_to(out, 8);
  for (i = 0; i < kNumSections; ++i) {
    add_section_header(of, &of->sections[i], names[i], places[i], out);
  }
}

bool embed_write_object(const embedding *from, const machine *to, text *out) {
  object of;
  symbol bytes = {0, STB_LOCAL << 4 | STT_SECTION, STV_DEFAULT, kBytes, 0, 0};
  symbol none = {0, 0, 0, 0, 0, 0};
  size_t i;
  if (from->has_table && to->pointer == 0) {
    report_error(
        "the table of contents needs a relocation of %s that is not known here; "
        "--library-bin and --cubin do without one",
        to->name);
    return false;
  }
  memset(&of, 0, sizeof of);
  of.to = to;
  init_sections(&of, from);
  text_add_bytes(&of.sections[kStrings].data, "", 1);
  add_symbol(&of, &none);
  add_symbol(&of, &bytes);
  add_contents(&of, from);
  add_file(&of, out);
  for (i = 0; i < kNumSections; ++i) text_free(&of.sections[i].data);
  return true;
}
