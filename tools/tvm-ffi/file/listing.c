/* SPDX-License-Identifier: Apache-2.0 */
#include "file/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "base/text.h"
#include "value/schema.h"

void listing_set_metadata(listed_function *function, const char *bytes, size_t size) {
  function->metadata = tool_copy(bytes, size);
  function->type = schema_describe(bytes, size);
  if (function->type == NULL) function->type = text_escape(bytes, size); /* another tool's format */
}

/* A text that our headers store beside a function as an array of char; NULL if there is none. */
static const char *find_text(const binary_file *file, const char *prefix, const char *name,
                             size_t *out_size) {
  char *symbol_name = tool_format("%s%s", prefix, name);
  const binary_symbol *symbol = binary_file_find(file, symbol_name);
  const char *bytes = NULL, *end;
  free(symbol_name);
  if (symbol != NULL && !symbol->is_function) {
    bytes = (const char *)binary_file_bytes(file, symbol, out_size);
  }
  end = bytes != NULL ? memchr(bytes, '\0', *out_size) : NULL;
  if (end != NULL) *out_size = (size_t)(end - bytes);
  return bytes;
}

static void read_texts(const binary_file *file, listed_function *function) {
  char *metadata = tool_format("__tvm_ffi__metadata_%s", function->name);
  size_t size;
  const char *bytes = find_text(file, "__tvm_ffi__schema_", function->name, &size);
  if (bytes != NULL) listing_set_metadata(function, bytes, size);
  bytes = find_text(file, "__tvm_ffi__doctext_", function->name, &size);
  if (bytes != NULL) function->doc = text_escape_lines(bytes, size);
  function->can_ask = binary_file_find(file, metadata) != NULL;
  free(metadata);
}

static bool is_exported_function(const binary_symbol *symbol) {
  size_t length = strlen(FUNCTION_PREFIX);
  return symbol->is_defined && !symbol->is_hidden && symbol->is_function &&
         strncmp(symbol->name, FUNCTION_PREFIX, length) == 0 && symbol->name[length] != '_';
}

static int compare_sizes(const void *a, const void *b) {
  const listed_function *first = a, *second = b;
  if (first->size != second->size) return first->size < second->size ? 1 : -1;
  return strcmp(first->name, second->name);
}

static void collect_functions(listing *list, text_list patterns, bool by_size) {
  const binary_file *file = list->file;
  size_t i;
  list->functions = tool_alloc(file->num_symbols * sizeof *list->functions);
  for (i = 0; i < file->num_symbols; ++i) { /* sorted by name */
    listed_function *next = &list->functions[list->num_functions];
    const char *name = file->symbols[i].name + strlen(FUNCTION_PREFIX);
    if (!is_exported_function(&file->symbols[i])) continue;
    if (!patterns_match(patterns.items, patterns.count, name)) continue;
    memset(next, 0, sizeof *next);
    next->name = name;
    next->size = file->symbols[i].size;
    read_texts(file, next);
    ++list->num_functions;
  }
  if (by_size) {
    qsort(list->functions, list->num_functions, sizeof *list->functions, compare_sizes);
  }
}

static void collect_bin(listing *list) {
  const binary_symbol *symbol = binary_file_find(list->file, LIBRARY_BIN_SYMBOL);
  size_t size;
  if (symbol == NULL) return;
  list->bin_bytes = binary_file_bytes(list->file, symbol, &size);
  list->bin_wrong = list->bin_bytes == NULL ? "the file has no bytes for it"
                                            : library_bin_decode(list->bin_bytes, size, &list->bin);
}

void listing_collect(const binary_file *file, text_list patterns, bool by_size, listing *out) {
  memset(out, 0, sizeof *out);
  out->file = file;
  collect_functions(out, patterns, by_size);
  collect_bin(out);
}

void listing_collect_all(const binary_file *file, listing *out) {
  const text_list none = {NULL, 0};
  listing_collect(file, none, false, out);
}

void listing_free(listing *list) {
  size_t i;
  for (i = 0; i < list->num_functions; ++i) {
    free(list->functions[i].metadata);
    free(list->functions[i].type);
    free(list->functions[i].doc);
    free(list->functions[i].wrong);
  }
  free(list->functions);
  library_bin_free(&list->bin);
}
