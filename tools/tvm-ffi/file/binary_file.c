/* SPDX-License-Identifier: Apache-2.0 */
#include "file/binary_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "system/system.h"

/* ---- File format ---- */

/* In the order of binary_format. */
static const binary_reader *const kReaders[] = {&kElfReader, &kPeReader, &kMachOReader};

/* NULL if no reader knows these magic bytes. */
static const binary_reader *find_reader(const char *image, size_t size) {
  size_t i;
  for (i = 0; i < sizeof kReaders / sizeof *kReaders; ++i) {
    if (kReaders[i]->recognise(image, size)) return kReaders[i];
  }
  return NULL;
}

bool binary_file_is_known(const char *image, size_t size) {
  return find_reader(image, size) != NULL;
}

static bool is_archive(const char *image, size_t size) {
  return size >= 8 && (memcmp(image, "!<arch>\n", 8) == 0 || memcmp(image, "!<thin>\n", 8) == 0);
}

/* The reader of a file that begins with these bytes; NULL after a report. */
static const binary_reader *choose_reader(const char *name, const char *image, size_t size) {
  const binary_reader *reader = find_reader(image, size);
  if (reader != NULL) return reader;
  if (is_archive(image, size)) {
    report_error(
        "%s: not an ELF, PE or Mach-O file but an archive; its members can be read one by one (ar "
        "x)",
        name);
  } else if (size == 0) {
    report_error("%s: not an ELF, PE or Mach-O file: it is empty", name);
  } else {
    report_error("%s: not an ELF, PE or Mach-O file", name);
  }
  return NULL;
}

const char *binary_file_kind(const binary_file *file) {
  switch (file->format) {
    case kFormatPe:
      return file->is_object ? "COFF" : file->bits == 64 ? "PE32+" : "PE32";
    case kFormatMachO:
      return "Mach-O";
    default:
      return file->bits == 64 ? "ELF64" : "ELF32";
  }
}

/* ---- Opening ---- */

static int compare_names(const void *a, const void *b) {
  const binary_symbol *first = a, *second = b;
  int order = strcmp(first->name, second->name);
  return order != 0 ? order : (first->value > second->value) - (first->value < second->value);
}

binary_file *binary_file_open_image(const char *path, char *image, size_t size) {
  binary_file *file = tool_alloc(sizeof *file);
  const binary_reader *reader = choose_reader(path, image, size);
  memset(file, 0, sizeof *file);
  file->path = path;
  file->image = image;
  file->size = size;
  if (reader != NULL) {
    file->format = reader->format;
    if (reader->read(file)) {
      if (file->num_symbols > 0) {
        qsort(file->symbols, file->num_symbols, sizeof *file->symbols, compare_names);
      }
      return file;
    }
  }
  binary_file_close(file);
  return NULL;
}

char *binary_file_read(const char *path, const char *name, size_t *out_size) {
  file_reader reader;
  if (!file_reader_open(path, &reader)) return NULL;
  if (file_reader_fill(&reader, kLongestMagic) &&
      choose_reader(name, reader.bytes, reader.size) != NULL) {
    return file_reader_take(&reader, out_size);
  }
  file_reader_close(&reader);
  return NULL;
}

void binary_file_close(binary_file *file) {
  if (file == NULL) return;
  free(file->symbols);
  free(file->sections);
  free((void *)file->needed);
  free(file->image);
  free(file->names);
  free(file->build_id);
  free(file);
}

bool binary_file_is_whole(const char *path, const char *name) {
  const binary_reader *format;
  file_reader reader;
  file_status status;
  bool good;
  /* A FIFO must not block; what cannot be opened is reported by the loader. */
  if (!file_status_get(path, &status) || !status.is_regular) return true;
  if (!file_reader_open(path, &reader)) return false;
  good = file_reader_fill(&reader, kLongestMagic);
  if (good) {
    format = find_reader(reader.bytes, reader.size);
    if (format != NULL && format->is_whole != NULL) good = format->is_whole(&reader, name);
  }
  file_reader_close(&reader);
  return good;
}

/* ---- Symbols ---- */

/* Binary search: the index of the first symbol whose name is not less. */
static size_t find_first(const binary_file *file, const char *name) {
  size_t low = 0, high = file->num_symbols;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(file->symbols[middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static const binary_symbol *find(const binary_file *file, const char *name, bool is_defined,
                                 bool may_be_hidden) {
  size_t i = find_first(file, name);
  for (; i < file->num_symbols && strcmp(file->symbols[i].name, name) == 0; ++i) {
    const binary_symbol *symbol = &file->symbols[i];
    if (symbol->is_defined == is_defined && (may_be_hidden || !symbol->is_hidden)) return symbol;
  }
  return NULL;
}

const binary_symbol *binary_file_find(const binary_file *file, const char *name) {
  return find(file, name, true, true);
}

const binary_symbol *binary_file_find_exported(const binary_file *file, const char *name) {
  return find(file, name, true, false);
}

const binary_symbol *binary_file_find_import(const binary_file *file, const char *name) {
  return find(file, name, false, true);
}

void binary_file_visit_hidden(const binary_file *file,
                              void (*visit)(void *context, const char *name), void *context) {
  kReaders[file->format]->visit_hidden(file, visit, context);
}

const unsigned char *binary_file_bytes(const binary_file *file, const binary_symbol *symbol,
                                       size_t *out_size) {
  const binary_section *section;
  uint64_t offset, rest;
  if (symbol->section == 0 || symbol->section >= file->num_sections) return NULL;
  section = &file->sections[symbol->section];
  if (!section->has_bytes) return NULL;
  if (section->offset > file->size || section->size > file->size - section->offset) return NULL;
  offset = symbol->value - section->start;
  if (offset > section->size) return NULL;
  rest = section->size - offset;
  if (symbol->size > rest) return NULL;
  *out_size = (size_t)(symbol->size > 0 ? symbol->size : rest);
  return (const unsigned char *)file->image + section->offset + offset;
}
