/* SPDX-License-Identifier: Apache-2.0 */
#include "file/pe_imports.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file/binary_reader.h"

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
      return binary_reader_refuse(file, "the name of a library that it needs is not in it");
    }
    while (take_entry(file, &cursor, &is_ordinal) != 0) {
      if (is_ordinal) ++counts->ordinals;
      if (++counts->imports > file->size / 4) {
        return binary_reader_refuse(file, "it has more imports than it has bytes for");
      }
    }
    if (cursor.is_past_end) {
      return binary_reader_refuse(file, "the list of its imports does not end");
    }
  }
  return !records.cursor.is_past_end ||
         binary_reader_refuse(file, "the list of libraries that it needs does not end");
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
        return binary_reader_refuse(file, "the name of an import is not in it");
      }
    }
  }
  return true;
}

bool pe_read_imports(binary_file *file, const pe_header *header) {
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
