/* SPDX-License-Identifier: Apache-2.0 */
#include "file/macho_exports.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "file/binary_reader.h"

/* The tree is walked twice: to count, and to store. */
typedef struct {
  binary_file *file;
  const macho *header;
  unsigned char *is_seen; /* by offset, whether the node was visited: a tree has no second way */
  size_t count, names_size;
  bool is_storing;
  text prefix;
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

/* Adds a text that the cursor is at to the prefix, and goes on behind it. */
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

bool macho_read_exports(binary_file *file, const macho *header) {
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
