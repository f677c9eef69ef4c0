/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "embed/embed_input.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/identifier.h"
#include "base/path.h"
#include "base/report.h"

static char *keep(embed_input *in, char *owned) {
  in->owned = tool_realloc((void *)in->owned, (in->num_owned + 1) * sizeof *in->owned);
  in->owned[in->num_owned++] = owned;
  return owned;
}

/* NAME and its ending, which nobody else may have; NULL when reported. */
static const char *take_name(embed_input *in, const char *name, const char *ending,
                             const char *owner) {
  const char *symbol = keep(in, tool_format("%s%s", name, ending));
  size_t i;
  for (i = 0; i < in->num_taken; ++i) {
    if (strcmp(in->taken[i].symbol, symbol) != 0) continue;
    report_error("%s and %s would both be the symbol %s", in->taken[i].owner, owner, symbol);
    return NULL;
  }
  in->taken = tool_realloc(in->taken, (in->num_taken + 1) * sizeof *in->taken);
  in->taken[in->num_taken].symbol = symbol;
  in->taken[in->num_taken++].owner = owner;
  return symbol;
}

/* What sources have besides the files. */
static void take_own_names(embed_input *in) {
  static const char *const kEndings[] = {"_files", "_file", "_SEEN", "_PLACE", "_FILES_H_"};
  size_t i;
  for (i = 0; i < sizeof kEndings / sizeof *kEndings; ++i) {
    take_name(in, in->name, kEndings[i], "the table of contents");
  }
}

static blob *add_blob(embed_input *in, const char *symbol, size_t max_pieces) {
  blob *one;
  in->what.blobs = tool_realloc(in->what.blobs, (in->what.num_blobs + 1) * sizeof *in->what.blobs);
  one = &in->what.blobs[in->what.num_blobs++];
  memset(one, 0, sizeof *one);
  one->symbol = symbol;
  one->pieces = tool_alloc(max_pieces * sizeof *one->pieces);
  return one;
}

/* Compilers look for files elsewhere than we do: they get whole paths. What has none, such as a
 * pipe, is written as numbers. */
static void add_piece(embed_input *in, blob *to, const char *path, const char *bytes, size_t size) {
  piece *one = &to->pieces[to->num_pieces];
  char *whole;
  if (size == 0) return;
  whole = path != NULL ? realpath(path, NULL) : NULL;
  one->path = whole != NULL ? keep(in, whole) : NULL;
  one->bytes = bytes;
  one->size = size;
  to->size += size;
  ++to->num_pieces;
}

static bool add_file(embed_input *in, const char *path, const char *symbol) {
  size_t size;
  char *bytes = tool_read_file(path, &size);
  blob *one;
  if (bytes == NULL) return false;
  keep(in, bytes);
  if (size == 0) {
    report_error("%s is empty", path);
    return false;
  }
  one = add_blob(in, symbol, 1);
  one->title = path_base(path);
  add_piece(in, one, path, bytes, size);
  return true;
}

bool embed_input_add_file(embed_input *in, const char *path) {
  const char *file = path_base(path), *symbol;
  char *prefix = keep(in, tool_format("%s_", in->name));
  in->what.name = in->name;
  in->what.has_table = true;
  if (in->num_taken == 0) take_own_names(in);
  symbol = take_name(in, prefix, keep(in, identifier_make(file, strlen(file))), path);
  return symbol != NULL && take_name(in, symbol, "_size", path) != NULL &&
         add_file(in, path, symbol);
}

bool embed_input_add_cubin(embed_input *in, const char *path) {
  in->what.name = in->name;
  in->what.has_end = true;
  return add_file(in, path, keep(in, tool_format("__tvm_ffi__cubin_%s", in->name)));
}

/* The bytes between payloads are pieces too. */
bool embed_input_add_modules(embed_input *in, const char *path) {
  size_t *payloads_at, at = 0, i;
  library_bin *tree = &in->list.tree;
  blob *one;
  in->what.name = "tvm_ffi_embed"; /* of its macros */
  in->what.is_exported = true;
  if (!module_list_read(path, &in->list)) return false;
  payloads_at = tool_alloc(tree->num_modules * sizeof *payloads_at);
  library_bin_encode(tree, &in->bin, payloads_at);
  one = add_blob(in, in->name, 2 * tree->num_modules + 1);
  for (i = 0; i < tree->num_modules; ++i) {
    if (tree->modules[i].is_self) continue;
    add_piece(in, one, NULL, in->bin.data + at, payloads_at[i] - at);
    add_piece(in, one, in->list.paths[i], in->bin.data + payloads_at[i],
              tree->modules[i].payload_size);
    at = payloads_at[i] + tree->modules[i].payload_size;
  }
  add_piece(in, one, NULL, in->bin.data + at, in->bin.size - at);
  free(payloads_at);
  return true;
}

void embed_input_free(embed_input *in) {
  size_t i;
  for (i = 0; i < in->what.num_blobs; ++i) free(in->what.blobs[i].pieces);
  for (i = 0; i < in->num_owned; ++i) free(in->owned[i]);
  free((void *)in->owned);
  free(in->what.blobs);
  free(in->taken);
  free(in->name);
  text_free(&in->bin);
  module_list_free(&in->list);
}
