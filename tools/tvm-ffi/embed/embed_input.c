/* SPDX-License-Identifier: Apache-2.0 */
#include "embed/embed_input.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/identifier.h"
#include "base/path.h"
#include "base/report.h"
#include "system/system.h"

static char *keep(embed_input *input, char *owned) {
  input->owned = tool_realloc((void *)input->owned, (input->num_owned + 1) * sizeof *input->owned);
  input->owned[input->num_owned++] = owned;
  return owned;
}

/* Reserves the symbol `name` + `ending`, which must not be taken yet; NULL after a report. */
static const char *take_name(embed_input *input, const char *name, const char *ending,
                             const char *owner) {
  const char *symbol = keep(input, tool_format("%s%s", name, ending));
  size_t i;
  for (i = 0; i < input->num_taken; ++i) {
    if (strcmp(input->taken[i].symbol, symbol) != 0) continue;
    report_error("%s and %s would both be the symbol %s", input->taken[i].owner, owner, symbol);
    return NULL;
  }
  input->taken = tool_realloc(input->taken, (input->num_taken + 1) * sizeof *input->taken);
  input->taken[input->num_taken].symbol = symbol;
  input->taken[input->num_taken++].owner = owner;
  return symbol;
}

/* Reserves the names that the generated sources use themselves. */
static void take_own_names(embed_input *input) {
  static const char *const kEndings[] = {"_files", "_file", "_SEEN", "_PLACE", "_FILES_H_"};
  size_t i;
  for (i = 0; i < sizeof kEndings / sizeof *kEndings; ++i) {
    take_name(input, input->name, kEndings[i], "the table of contents");
  }
}

static blob *add_blob(embed_input *input, const char *symbol, size_t max_pieces) {
  blob *entry;
  input->content.blobs = tool_realloc(
      input->content.blobs, (input->content.num_blobs + 1) * sizeof *input->content.blobs);
  entry = &input->content.blobs[input->content.num_blobs++];
  memset(entry, 0, sizeof *entry);
  entry->symbol = symbol;
  entry->pieces = tool_alloc(max_pieces * sizeof *entry->pieces);
  return entry;
}

/* The path is made absolute, since compilers look for files elsewhere than we do. Without one, as
 * for a pipe, the bytes are written as numbers. */
static void add_piece(embed_input *input, blob *entry, const char *path, const char *bytes,
                      size_t size) {
  piece *part = &entry->pieces[entry->num_pieces];
  char *whole;
  if (size == 0) return;
  whole = path != NULL ? file_resolve(path) : NULL;
  part->path = whole != NULL ? keep(input, whole) : NULL;
  part->bytes = bytes;
  part->size = size;
  entry->size += size;
  ++entry->num_pieces;
}

static bool add_file(embed_input *input, const char *path, const char *symbol) {
  size_t size;
  char *bytes = tool_read_file(path, &size);
  blob *entry;
  if (bytes == NULL) return false;
  keep(input, bytes);
  if (size == 0) {
    report_error("%s is empty", path);
    return false;
  }
  entry = add_blob(input, symbol, 1);
  entry->title = path_base(path);
  add_piece(input, entry, path, bytes, size);
  return true;
}

bool embed_input_add_file(embed_input *input, const char *path) {
  const char *file = path_base(path), *symbol;
  char *prefix = keep(input, tool_format("%s_", input->name));
  input->content.name = input->name;
  input->content.has_table = true;
  if (input->num_taken == 0) take_own_names(input);
  symbol = take_name(input, prefix, keep(input, identifier_make(file, strlen(file))), path);
  return symbol != NULL && take_name(input, symbol, "_size", path) != NULL &&
         add_file(input, path, symbol);
}

bool embed_input_add_cubin(embed_input *input, const char *path) {
  input->content.name = input->name;
  input->content.has_end = true;
  return add_file(input, path, keep(input, tool_format("__tvm_ffi__cubin_%s", input->name)));
}

/* The bytes between payloads become pieces too. */
bool embed_input_add_modules(embed_input *input, const char *path) {
  size_t *payloads_at, offset = 0, i;
  library_bin *tree = &input->list.tree;
  blob *entry;
  input->content.name = "tvm_ffi_embed"; /* the prefix of the generated macros */
  input->content.is_exported = true;
  if (!module_list_read(path, &input->list)) return false;
  payloads_at = tool_alloc(tree->num_modules * sizeof *payloads_at);
  library_bin_encode(tree, &input->bin, payloads_at);
  entry = add_blob(input, input->name, 2 * tree->num_modules + 1);
  for (i = 0; i < tree->num_modules; ++i) {
    if (tree->modules[i].is_self) continue;
    add_piece(input, entry, NULL, input->bin.data + offset, payloads_at[i] - offset);
    add_piece(input, entry, input->list.paths[i], input->bin.data + payloads_at[i],
              tree->modules[i].payload_size);
    offset = payloads_at[i] + tree->modules[i].payload_size;
  }
  add_piece(input, entry, NULL, input->bin.data + offset, input->bin.size - offset);
  free(payloads_at);
  return true;
}

void embed_input_free(embed_input *input) {
  size_t i;
  for (i = 0; i < input->content.num_blobs; ++i) free(input->content.blobs[i].pieces);
  for (i = 0; i < input->num_owned; ++i) free(input->owned[i]);
  free((void *)input->owned);
  free(input->content.blobs);
  free(input->taken);
  free(input->name);
  text_free(&input->bin);
  module_list_free(&input->list);
}
