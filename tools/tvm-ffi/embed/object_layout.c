/* SPDX-License-Identifier: Apache-2.0 */
#include "embed/embed.h"

#include <stdlib.h>
#include <string.h>

#include "base/report.h"

/* ---- Numbers ---- */

size_t object_word(const machine *target) {
  return (size_t)target->bits / 8;
}

static void store_number(const machine *target, void *bytes, uint64_t value, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    size_t place = target->is_big_endian ? size - 1 - i : i;
    ((unsigned char *)bytes)[place] = (unsigned char)(value >> (8 * i));
  }
}

void object_add_number(const machine *target, text_buf *out, uint64_t value, size_t size) {
  unsigned char bytes[8];
  store_number(target, bytes, value, size);
  text_add_bytes(out, bytes, size);
}

void object_align(text_buf *out, uint64_t align) {
  while (out->size % align != 0) text_add_bytes(out, "", 1);
}

/* ---- Contents ---- */

static void add_word(object_layout *layout, text_buf *out, uint64_t value) {
  object_add_number(layout->target, out, value, object_word(layout->target));
}

/* Returns the index of the new symbol. */
static size_t add_symbol(object_layout *layout, const char *name, const char *suffix,
                         bool is_in_table, uint64_t value, uint64_t size) {
  object_symbol *entry = &layout->symbols[layout->num_symbols];
  entry->name = tool_format("%s%s", name, suffix);
  entry->is_in_table = is_in_table;
  entry->value = value;
  entry->size = size;
  return layout->num_symbols++;
}

static void add_pointer(object_layout *layout, int64_t symbol, uint64_t addend) {
  object_pointer *entry = &layout->pointers[layout->num_pointers++];
  entry->offset = layout->table.size;
  entry->symbol = symbol;
  entry->addend = addend;
  add_word(layout, &layout->table, 0);
}

/* The titles in the table are stored after the bytes, without symbols of their own. */
static void add_blob(object_layout *layout, const embedding *content, const blob *entry) {
  text_buf *bytes = &layout->bytes;
  size_t symbol, begin, k;
  object_align(bytes, content->align);
  begin = bytes->size;
  for (k = 0; k < entry->num_pieces; ++k) {
    text_add_bytes(bytes, entry->pieces[k].bytes, entry->pieces[k].size);
  }
  symbol = add_symbol(layout, entry->symbol, "", false, begin, entry->size);
  if (content->has_end) {
    add_symbol(layout, entry->symbol, "_end", false, bytes->size, 0);
    text_add_bytes(bytes, "", 1);
  }
  if (!content->has_table) return;
  add_pointer(layout, kBytesSection, bytes->size);
  text_add_bytes(bytes, entry->title, strlen(entry->title) + 1);
  add_pointer(layout, (int64_t)symbol, 0);
  add_word(layout, &layout->table, entry->size);
  object_align(bytes, object_word(layout->target));
  add_symbol(layout, entry->symbol, "_size", false, bytes->size, object_word(layout->target));
  add_word(layout, bytes, entry->size);
}

void object_layout_make(const embedding *content, const machine *target, object_layout *out) {
  size_t i;
  memset(out, 0, sizeof *out);
  out->target = target;
  out->bytes_align = content->align > object_word(target) ? content->align : object_word(target);
  out->symbols = tool_alloc((2 * content->num_blobs + 1) * sizeof *out->symbols);
  out->pointers = tool_alloc(2 * content->num_blobs * sizeof *out->pointers);
  for (i = 0; i < content->num_blobs; ++i) add_blob(out, content, &content->blobs[i]);
  if (!content->has_table) return;
  for (i = 0; i < 3; ++i) add_word(out, &out->table, 0);
  add_symbol(out, content->name, "_files", true, 0, out->table.size);
}

void object_layout_store_addends(object_layout *layout) {
  size_t i;
  for (i = 0; i < layout->num_pointers; ++i) {
    const object_pointer *entry = &layout->pointers[i];
    store_number(layout->target, layout->table.data + entry->offset, entry->addend,
                 object_word(layout->target));
  }
}

void object_layout_free(object_layout *layout) {
  size_t i;
  for (i = 0; i < layout->num_symbols; ++i) free(layout->symbols[i].name);
  free(layout->symbols);
  free(layout->pointers);
  text_free(&layout->bytes);
  text_free(&layout->table);
}

bool object_check_size(const char *format, const text_buf *out) {
  const uint64_t size = out->size; /* a type that has more than 4 GiB on every system */
  if (size <= UINT32_MAX) return true;
  return report_error("a %s file holds at most 4 GiB", format);
}
