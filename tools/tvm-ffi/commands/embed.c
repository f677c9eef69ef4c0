/* SPDX-License-Identifier: Apache-2.0 */
/* Files, or a tree of modules, made into C or an object file. */
#define _XOPEN_SOURCE 700
#include "embed/embed.h"

#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/files.h"
#include "base/identifier.h"
#include "base/json_out.h"
#include "base/path.h"
#include "base/report.h"
#include "embed/module_list.h"

/* ---- Names -------------------------------------------------------------------------------------
 */

/* What symbols begin with, or are: --name, or the output's name without its ending. */
static char *choose_name(const arguments *args, bool is_list) {
  const char *given = arguments_text(args, "name", is_list ? LIBRARY_BIN_SYMBOL : NULL);
  const char *base = path_base(arguments_text(args, "output", "-"));
  char *name;
  if (given != NULL) {
    if (identifier_is(given, strlen(given))) return tool_copy(given, strlen(given));
    report_error("--name must be an identifier of C, not \"%s\"", given);
    return NULL;
  }
  if (strcmp(base, "-") == 0) base = "embedded";
  name = identifier_make(base, strcspn(base, "."));
  if (identifier_is(name, strlen(name))) return name;
  report_error("no identifier can be made of \"%s\": give --name", base);
  free(name);
  return NULL;
}

static embed_form choose_form(const arguments *args) {
  const char *output = arguments_text(args, "output", "-");
  const size_t length = strlen(output);
  const bool is_object = length > 2 && strcmp(output + length - 2, ".o") == 0;
  return (embed_form)arguments_word(args, "format", is_object ? kFormObject : kFormC);
}

/* ---- What is embedded --------------------------------------------------------------------------
 */

/* Everything that the embedding borrows. */
typedef struct {
  embedding what;
  char *name;
  char **owned; /* bytes and paths */
  size_t num_owned;
  module_list list;
  text bin;
} input;

static char *keep(input *in, char *owned) {
  in->owned = tool_realloc((void *)in->owned, (in->num_owned + 1) * sizeof *in->owned);
  in->owned[in->num_owned++] = owned;
  return owned;
}

static blob *add_blob(input *in, char *symbol, size_t max_pieces) {
  blob *one;
  in->what.blobs = tool_realloc(in->what.blobs, (in->what.num_blobs + 1) * sizeof *in->what.blobs);
  one = &in->what.blobs[in->what.num_blobs++];
  memset(one, 0, sizeof *one);
  one->symbol = keep(in, symbol);
  one->pieces = tool_alloc(max_pieces * sizeof *one->pieces);
  return one;
}

/* Compilers look for files elsewhere than we do: they get whole paths. */
static void add_piece(input *in, blob *to, const char *path, const char *bytes, size_t size) {
  piece *one = &to->pieces[to->num_pieces];
  char *whole;
  if (size == 0) return;
  whole = path != NULL ? realpath(path, NULL) : NULL;
  one->path = whole != NULL ? keep(in, whole) : path;
  one->bytes = bytes;
  one->size = size;
  to->size += size;
  ++to->num_pieces;
}

static bool add_file(input *in, const char *path, bool is_cubin) {
  size_t size, i;
  char *bytes = tool_read_file(path, &size), *base, *symbol;
  blob *one;
  if (bytes == NULL) return false;
  keep(in, bytes);
  if (size == 0) {
    report_error("%s is empty", path);
    return false;
  }
  base = identifier_make(path_base(path), strlen(path_base(path)));
  symbol = is_cubin ? tool_format("__tvm_ffi__cubin_%s", in->name)
                    : tool_format("%s_%s", in->name, base);
  free(base);
  for (i = 0; i < in->what.num_blobs; ++i) {
    if (strcmp(in->what.blobs[i].symbol, symbol) != 0) continue;
    report_error("%s and %s would both be the symbol %s", in->what.blobs[i].title, path, symbol);
    free(symbol);
    return false;
  }
  one = add_blob(in, symbol, 1);
  one->title = path_base(path);
  add_piece(in, one, path, bytes, size);
  return true;
}

/* The bytes between payloads are pieces too. */
static bool add_modules(input *in, const char *path, const char *symbol) {
  size_t *payloads_at, at = 0, i;
  library_bin *tree = &in->list.tree;
  blob *one;
  if (!module_list_read(path, &in->list)) return false;
  payloads_at = tool_alloc(tree->num_modules * sizeof *payloads_at);
  library_bin_encode(tree, &in->bin, payloads_at);
  one = add_blob(in, tool_copy(symbol, strlen(symbol)), 2 * tree->num_modules + 1);
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

static void free_input(input *in) {
  size_t i;
  for (i = 0; i < in->what.num_blobs; ++i) free(in->what.blobs[i].pieces);
  for (i = 0; i < in->num_owned; ++i) free(in->owned[i]);
  free((void *)in->owned);
  free(in->what.blobs);
  free(in->name);
  text_free(&in->bin);
  module_list_free(&in->list);
}

static bool read_input(input *in, const arguments *args) {
  size_t i, count = arguments_num_operands(args);
  bool is_list = arguments_has(args, "library-bin"), is_cubin = arguments_has(args, "cubin");
  long long align;
  if (!arguments_int(args, "align", 64, 1, 1 << 20, &align)) return false;
  if ((align & (align - 1)) != 0) {
    report_error("--align must be a power of 2, not %lld", align);
    return false;
  }
  in->what.align = (size_t)align;
  in->what.section = arguments_text(args, "section", NULL);
  in->what.header = arguments_text(args, "header", NULL);
  if (in->what.header != NULL) in->what.header = path_base(in->what.header);
  if ((is_list || is_cubin) && count != 1) {
    report_error("--%s takes one file", is_list ? "library-bin" : "cubin");
    return false;
  }
  in->name = choose_name(args, is_list);
  if (in->name == NULL) return false;
  if (is_list) {
    in->what.is_exported = true;
    in->what.name = "tvm_ffi_embed"; /* of its macros */
    return add_modules(in, arguments_operand(args, 0), in->name);
  }
  in->what.name = in->name;
  in->what.has_table = !is_cubin;
  in->what.has_end = is_cubin;
  in->what.is_exported = arguments_has(args, "export");
  for (i = 0; i < count; ++i) {
    if (!add_file(in, arguments_operand(args, i), is_cubin)) return false;
  }
  return true;
}

/* ---- What is written ---------------------------------------------------------------------------
 */

static void add_make_word(text *to, const char *path) {
  for (; *path != '\0'; ++path) {
    if (strchr(" #\\", *path) != NULL) text_add(to, "\\");
    if (*path == '$') text_add(to, "$");
    text_add_bytes(to, path, 1);
  }
}

/* The rule of Make that names everything that was read. */
static bool write_depfile(const input *in, const arguments *args) {
  const char *path = arguments_text(args, "depfile", NULL);
  text rule = {NULL, 0, 0};
  bool good;
  size_t i;
  if (path == NULL) return true;
  add_make_word(&rule, arguments_text(args, "output", "-"));
  text_add(&rule, ":");
  for (i = 0; i < arguments_num_operands(args); ++i) {
    text_add(&rule, " ");
    add_make_word(&rule, arguments_operand(args, i));
  }
  for (i = 0; i < in->list.tree.num_modules; ++i) {
    if (in->list.paths[i] == NULL) continue;
    text_add(&rule, " ");
    add_make_word(&rule, in->list.paths[i]);
  }
  text_add(&rule, "\n");
  good = tool_write_file(path, rule.data, rule.size);
  text_free(&rule);
  return good;
}

static bool write_header(const input *in, const arguments *args) {
  const char *path = arguments_text(args, "header", NULL);
  text header = {NULL, 0, 0};
  bool good;
  if (path == NULL) return true;
  embed_write_header(&in->what, &header);
  good = tool_write_file(path, header.data, header.size);
  text_free(&header);
  return good;
}

static bool write_output(const input *in, const arguments *args, embed_form form) {
  text out = {NULL, 0, 0};
  machine to;
  bool good = true;
  if (form == kFormObject) {
    good = machine_parse(arguments_text(args, "machine", ""), &to) &&
           embed_write_object(&in->what, &to, &out);
  } else if (form == kFormRaw) {
    text_add_bytes(&out, in->bin.data, in->bin.size);
  } else {
    embed_write_c(&in->what, form, &out);
  }
  good = good && tool_write_file(arguments_text(args, "output", "-"), out.data, out.size);
  text_free(&out);
  return good;
}

/* What was made, where that is not on stdout itself. */
static void write_summary(const input *in, const arguments *args) {
  size_t i;
  if (!arguments_has(args, "json") || strcmp(arguments_text(args, "output", "-"), "-") == 0) return;
  json_begin_object(NULL);
  json_text("output", arguments_text(args, "output", "-"));
  json_begin_array("symbols");
  for (i = 0; i < in->what.num_blobs; ++i) {
    json_begin_object(NULL);
    json_text("name", in->what.blobs[i].symbol);
    json_uint("size", in->what.blobs[i].size);
    json_end();
  }
  json_end();
  json_end();
}

static bool check_form(const arguments *args, embed_form form) {
  if (form == kFormRaw && !arguments_has(args, "library-bin")) {
    report_error("--format=raw is for --library-bin");
    return false;
  }
  if (arguments_has(args, "cubin") && form != kFormObject && form != kFormIncbin) {
    report_error("--cubin needs --format=obj or incbin: C has no symbol behind an array");
    return false;
  }
  if (arguments_has(args, "machine") && form != kFormObject) {
    report_error("--machine is for --format=obj");
    return false;
  }
  return true;
}

int run_embed(const arguments *args) {
  input in;
  const embed_form form = choose_form(args);
  bool good;
  memset(&in, 0, sizeof in);
  good = check_form(args, form) && read_input(&in, args) && write_output(&in, args, form) &&
         write_header(&in, args) && write_depfile(&in, args);
  if (good) write_summary(&in, args);
  free_input(&in);
  return good ? kExitOk : kExitUsage;
}
