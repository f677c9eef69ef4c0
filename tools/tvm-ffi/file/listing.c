/* SPDX-License-Identifier: Apache-2.0 */
#include "file/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "value/schema.h"

#define FUNCTION_PREFIX "__tvm_ffi_"

void listing_set_metadata(listed_function *of, const char *bytes, size_t size) {
  of->metadata = tool_copy(bytes, size);
  of->type = schema_describe(bytes, size);
  if (of->type == NULL) of->type = shown_text(bytes, size); /* of some other tool */
}

/* A text that our headers put beside a function: an array of char; NULL. */
static const char *find_text(const elf_file *file, const char *prefix, const char *name,
                             size_t *out_size) {
  char *symbol_name = tool_format("%s%s", prefix, name);
  const elf_symbol *symbol = elf_file_find(file, symbol_name);
  const char *bytes = NULL, *end;
  free(symbol_name);
  if (symbol != NULL && !symbol->is_function) {
    bytes = (const char *)elf_file_bytes(file, symbol, out_size);
  }
  end = bytes != NULL ? memchr(bytes, '\0', *out_size) : NULL;
  if (end != NULL) *out_size = (size_t)(end - bytes);
  return bytes;
}

static void read_texts(const elf_file *file, listed_function *of) {
  char *metadata = tool_format("__tvm_ffi__metadata_%s", of->name);
  size_t size;
  const char *bytes = find_text(file, "__tvm_ffi__schema_", of->name, &size);
  if (bytes != NULL) listing_set_metadata(of, bytes, size);
  bytes = find_text(file, "__tvm_ffi__doctext_", of->name, &size);
  if (bytes != NULL) of->doc = shown_lines(bytes, size);
  of->can_ask = elf_file_find(file, metadata) != NULL;
  free(metadata);
}

static bool is_exported_function(const elf_symbol *symbol) {
  size_t length = strlen(FUNCTION_PREFIX);
  return symbol->is_defined && !symbol->is_hidden && symbol->is_function &&
         strncmp(symbol->name, FUNCTION_PREFIX, length) == 0 && symbol->name[length] != '_';
}

static int compare_sizes(const void *a, const void *b) {
  const listed_function *one = a, *other = b;
  if (one->size != other->size) return one->size < other->size ? 1 : -1;
  return strcmp(one->name, other->name);
}

static void collect_functions(listing *of, const arguments *asked, bool by_size) {
  const elf_file *file = of->file;
  size_t i;
  of->functions = tool_alloc(file->num_symbols * sizeof *of->functions);
  for (i = 0; i < file->num_symbols; ++i) { /* by name */
    listed_function *next = &of->functions[of->num_functions];
    const char *name = file->symbols[i].name + strlen(FUNCTION_PREFIX);
    if (!is_exported_function(&file->symbols[i])) continue;
    if (asked != NULL && !arguments_match(asked, "match", name)) continue;
    memset(next, 0, sizeof *next);
    next->name = name;
    next->size = file->symbols[i].size;
    read_texts(file, next);
    ++of->num_functions;
  }
  if (by_size) {
    qsort(of->functions, of->num_functions, sizeof *of->functions, compare_sizes);
  }
}

static void collect_bin(listing *of) {
  const elf_symbol *symbol = elf_file_find(of->file, LIBRARY_BIN_SYMBOL);
  size_t size;
  if (symbol == NULL) return;
  of->bin_bytes = elf_file_bytes(of->file, symbol, &size);
  of->bin_wrong = of->bin_bytes == NULL ? "the file holds no bytes for it"
                                        : library_bin_decode(of->bin_bytes, size, &of->bin);
}

void listing_collect(const elf_file *file, const arguments *asked, bool by_size, listing *out) {
  memset(out, 0, sizeof *out);
  out->file = file;
  collect_functions(out, asked, by_size);
  collect_bin(out);
}

void listing_free(listing *of) {
  size_t i;
  for (i = 0; i < of->num_functions; ++i) {
    free(of->functions[i].metadata);
    free(of->functions[i].type);
    free(of->functions[i].doc);
    free(of->functions[i].wrong);
  }
  free(of->functions);
  library_bin_free(&of->bin);
}
