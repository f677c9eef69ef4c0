/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a COFF object file, the format of Windows: the header with the sections' headers, the
 * sections, the relocations of the table, the symbols and their names. */
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "embed/embed.h"

enum { kHeaderSize = 20, kSectionHeaderSize = 40, kRelocationSize = 10, kMaxRelocations = 0xffff };

enum {
  kInitializedData = 0x40,
  kLinkerInfo = 0x200,
  kRemoved = 0x800, /* not part of what is linked */
  kReadable = 0x40000000
};

enum { kExternalClass = 2, kStaticClass = 3 };

typedef struct {
  unsigned number;    /* IMAGE_FILE_MACHINE_* */
  unsigned pointer;   /* the relocation type that stores an address */
  const char *prefix; /* of the names of symbols */
} coff_machine;

static const coff_machine kMachines[] = {
    {0x8664, 1 /* IMAGE_REL_AMD64_ADDR64 */, ""},
    {0xaa64, 14 /* IMAGE_REL_ARM64_ADDR64 */, ""},
    {0x14c, 6 /* IMAGE_REL_I386_DIR32 */, "_"},
};

enum { kMaxSections = 3 };

typedef struct {
  const char *name;
  const text_buf *content;
  uint32_t flags;
  size_t num_relocations;
} section;

typedef struct {
  const object_layout *layout;
  const coff_machine *target;
  section sections[kMaxSections]; /* the bytes, and the table and the linker's options if any */
  size_t num_sections;
  text_buf options; /* for the linker: what a DLL exports */
  text_buf names; /* those of more than 8 bytes; the offsets count from their length before them */
} object;

static void add_number(const object *obj, text_buf *out, uint64_t value, size_t size) {
  object_add_number(obj->layout->target, out, value, size);
}

/* ---- Names ---- */

/* Stores a name outside of its header; returns the offset to find it by. */
static size_t store_name(object *obj, const char *prefix, const char *name) {
  size_t offset = 4 + obj->names.size;
  text_add_bytes(&obj->names, prefix, strlen(prefix));
  text_add_bytes(&obj->names, name, strlen(name) + 1);
  return offset;
}

static void add_padded(text_buf *out, const char *prefix, const char *name) {
  char field[8] = {0};
  memcpy(field, prefix, strlen(prefix));
  memcpy(field + strlen(prefix), name, strlen(name));
  text_add_bytes(out, field, sizeof field);
}

/* ---- Sections ---- */

static void add_section(object *obj, const char *name, const text_buf *content, uint32_t flags,
                        size_t num_relocations) {
  section *entry = &obj->sections[obj->num_sections++];
  entry->name = name;
  entry->content = content;
  entry->flags = flags;
  entry->num_relocations = num_relocations;
}

/* The flags for an alignment, a power of 2. */
static uint32_t align_flags(uint64_t align) {
  uint32_t number = 1;
  for (; align > 1; align /= 2) ++number;
  return number << 20;
}

static void add_sections(object *obj, const embedding *content) {
  const object_layout *layout = obj->layout;
  const uint32_t data = kInitializedData | kReadable;
  size_t i;
  add_section(obj, content->section != NULL ? content->section : ".rdata", &layout->bytes,
              data | align_flags(layout->bytes_align), 0);
  if (content->has_table) {
    add_section(obj, ".rdata", &layout->table, data | align_flags(object_word(layout->target)),
                layout->num_pointers);
  }
  if (!content->is_exported) return;
  for (i = 0; i < layout->num_symbols; ++i) {
    text_add(&obj->options, " -export:%s,data", layout->symbols[i].name);
  }
  add_section(obj, ".drectve", &obj->options, kLinkerInfo | kRemoved | align_flags(1), 0);
}

static void add_section_header(object *obj, const section *entry, size_t *offset, text_buf *out) {
  const size_t content_size = entry->content->size;
  if (strlen(entry->name) <= 8) {
    add_padded(out, "", entry->name);
  } else {
    char field[8];
    text_buf number = {NULL, 0, 0};
    text_add(&number, "/%zu", store_name(obj, "", entry->name));
    memset(field, 0, sizeof field);
    memcpy(field, number.data, number.size);
    text_add_bytes(out, field, sizeof field);
    text_free(&number);
  }
  add_number(obj, out, 0, 8); /* no addresses in an object file */
  add_number(obj, out, content_size, 4);
  add_number(obj, out, *offset, 4);
  *offset += content_size;
  add_number(obj, out, entry->num_relocations > 0 ? *offset : 0, 4);
  *offset += entry->num_relocations * kRelocationSize;
  add_number(obj, out, 0, 4); /* no line numbers */
  add_number(obj, out, entry->num_relocations, 2);
  add_number(obj, out, 0, 2);
  add_number(obj, out, entry->flags, 4);
}

/* The symbols begin with that of the bytes. */
static void add_relocations(const object *obj, text_buf *out) {
  size_t i;
  for (i = 0; i < obj->layout->num_pointers; ++i) {
    const object_pointer *entry = &obj->layout->pointers[i];
    add_number(obj, out, entry->offset, 4);
    add_number(obj, out, entry->symbol == kBytesSection ? 0 : 1 + (uint64_t)entry->symbol, 4);
    add_number(obj, out, obj->target->pointer, 2);
  }
}

/* ---- Symbols ---- */

static void add_symbol(object *obj, const char *prefix, const char *name, uint64_t value,
                       unsigned section_number, unsigned storage_class, text_buf *out) {
  if (strlen(prefix) + strlen(name) <= 8) {
    add_padded(out, prefix, name);
  } else {
    add_number(obj, out, 0, 4);
    add_number(obj, out, store_name(obj, prefix, name), 4);
  }
  add_number(obj, out, value, 4);
  add_number(obj, out, section_number, 2);
  add_number(obj, out, 0, 2); /* no type: data */
  add_number(obj, out, storage_class, 1);
  add_number(obj, out, 0, 1); /* no further records */
}

static void add_symbols(object *obj, text_buf *out) {
  const object_layout *layout = obj->layout;
  size_t i;
  add_symbol(obj, "", obj->sections[0].name, 0, 1, kStaticClass, out);
  for (i = 0; i < layout->num_symbols; ++i) {
    const object_symbol *entry = &layout->symbols[i];
    add_symbol(obj, obj->target->prefix, entry->name, entry->value, entry->is_in_table ? 2 : 1,
               kExternalClass, out);
  }
}

/* ---- The file ---- */

static void add_file(object *obj, text_buf *out) {
  size_t offset = kHeaderSize + obj->num_sections * kSectionHeaderSize, i;
  text_buf headers = {NULL, 0, 0};
  for (i = 0; i < obj->num_sections; ++i) {
    add_section_header(obj, &obj->sections[i], &offset, &headers);
  }
  add_number(obj, out, obj->target->number, 2);
  add_number(obj, out, obj->num_sections, 2);
  add_number(obj, out, 0, 4); /* no time, so that the same files make the same bytes */
  add_number(obj, out, offset, 4);
  add_number(obj, out, 1 + obj->layout->num_symbols, 4);
  add_number(obj, out, 0, 4);
  text_add_bytes(out, headers.data, headers.size);
  for (i = 0; i < obj->num_sections; ++i) {
    text_add_bytes(out, obj->sections[i].content->data, obj->sections[i].content->size);
    if (obj->sections[i].num_relocations > 0) add_relocations(obj, out);
  }
  add_symbols(obj, out);
  add_number(obj, out, 4 + obj->names.size, 4);
  text_add_bytes(out, obj->names.data, obj->names.size);
  text_free(&headers);
}

/* Whether the format can hold it; false after a report. */
static bool check_limits(const embedding *content) {
  enum { kMaxAlign = 8192 };
  if (content->align > kMaxAlign) {
    return report_error("--align must be at most %d in a COFF file, not %zu", kMaxAlign,
                        content->align);
  }
  if (content->has_table && content->num_blobs > kMaxRelocations / 2) {
    return report_error("a COFF file has a table of contents of at most %d files, not %zu",
                        kMaxRelocations / 2, content->num_blobs);
  }
  return true;
}

static const coff_machine *find_machine(const machine *target) {
  size_t i;
  for (i = 0; i < sizeof kMachines / sizeof *kMachines; ++i) {
    if (kMachines[i].number == target->coff) return &kMachines[i];
  }
  report_error("--machine must be x86-64, aarch64 or i386 for a COFF file, not %s", target->name);
  return NULL;
}

bool embed_write_coff(const embedding *content, const machine *target, text_buf *out) {
  object_layout layout;
  object obj;
  memset(&obj, 0, sizeof obj);
  obj.target = find_machine(target);
  if (obj.target == NULL || !check_limits(content)) return false;
  object_layout_make(content, target, &layout);
  object_layout_store_addends(&layout);
  obj.layout = &layout;
  add_sections(&obj, content);
  add_file(&obj, out);
  object_layout_free(&layout);
  text_free(&obj.options);
  text_free(&obj.names);
  return object_check_size("COFF", out);
}
