/* SPDX-License-Identifier: Apache-2.0 */
/* The command: turns files, or a tree of modules, into C source or an object file. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"
#include "base/report.h"
#include "build_info.h"
#include "commands/commands.h"
#include "embed/embed.h"
#include "file/module_tree.h"
#include "system/system.h"

/* ---- The input ---- */

/* A symbol of the output, and the input it belongs to. */
typedef struct {
  const char *symbol, *owner;
} taken_name;

/* What is to be embedded, with everything that `content` borrows. */
typedef struct {
  embedding content;
  char *name;   /* [own] prefix of the symbols, or the symbol; set before the first call, freed
                   with free() */
  char **owned; /* bytes and paths */
  size_t num_owned;
  taken_name *taken;
  size_t num_taken;
  module_list list;
  text_buf bin;
} embed_input;

static char *keep(embed_input *input, char *owned) {
  input->owned = tool_grow((void *)input->owned, input->num_owned, sizeof *input->owned);
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
  input->taken = tool_grow(input->taken, input->num_taken, sizeof *input->taken);
  input->taken[input->num_taken].symbol = symbol;
  input->taken[input->num_taken++].owner = owner;
  return symbol;
}

/* Reserves the names that the generated sources use themselves. */
static void take_own_names(embed_input *input) {
  static const char *const kSignals[] = {"_files", "_file", "_SEEN", "_PLACE", "_FILES_H_"};
  size_t i;
  for (i = 0; i < sizeof kSignals / sizeof *kSignals; ++i) {
    take_name(input, input->name, kSignals[i], "the table of contents");
  }
}

static blob *add_blob(embed_input *input, const char *symbol, size_t max_pieces) {
  blob *entry;
  input->content.blobs =
      tool_grow(input->content.blobs, input->content.num_blobs, sizeof *input->content.blobs);
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
  if (size == 0) return report_error("%s is empty", path);
  entry = add_blob(input, symbol, 1);
  entry->title = path_base(path);
  add_piece(input, entry, path, bytes, size);
  return true;
}

/* Adds a file as NAME_<file>. Like those below, false after a report. */
static bool embed_input_add_file(embed_input *input, const char *path) {
  const char *file = path_base(path), *symbol;
  char *prefix = keep(input, tool_format("%s_", input->name));
  input->content.name = input->name;
  input->content.has_table = true;
  if (input->num_taken == 0) take_own_names(input);
  symbol = take_name(input, prefix, keep(input, identifier_make(file, strlen(file))), path);
  return symbol != NULL && take_name(input, symbol, "_size", path) != NULL &&
         (!input->content.is_text || take_name(input, symbol, "_text", path) != NULL) &&
         add_file(input, path, symbol);
}

/* Adds the one file for TVM_FFI_EMBED_CUBIN(NAME). */
static bool embed_input_add_cubin(embed_input *input, const char *path) {
  input->content.name = input->name;
  input->content.has_end = true;
  return add_file(input, path, keep(input, tool_format("__tvm_ffi__cubin_%s", input->name)));
}

/* Adds the modules of a list, as one symbol. The bytes between payloads become pieces too. */
static bool embed_input_add_modules(embed_input *input, const char *path) {
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

static void embed_input_free(embed_input *input) {
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

/* ---- Options ---- */

enum { kOutput, kHeader, kDepfile, kNumOutputs };
static const char *const kOutputNames[] = {"output", "header", "depfile"};

typedef struct {
  text_list files;
  const char *outputs[kNumOutputs]; /* NULL: no such output */
  embed_form form;                  /* never kFormObject, but the format that it stands for */
  const char *name, *section;       /* NULL: not given */
  const char *machine;
  size_t align;
  bool is_list, is_cubin, is_exported, as_json;
} embed_options;

static bool is_object(embed_form form) {
  return form == kFormElf || form == kFormCoff || form == kFormMachO;
}

static embed_form choose_form(const arguments *args, const char *output) {
  const embed_form by_name = file_has_ending(output, ".obj") ? kFormCoff
                             : file_has_ending(output, ".o") ? kFormObject
                                                             : kFormC;
  const embed_form form = (embed_form)arguments_word(args, kOptionFormat, by_name);
  return form == kFormObject ? TOOL_OBJECT_FORM : form;
}

/* Whether the options fit the form; reported. */
static bool check_form(const arguments *args, embed_form form) {
  static const int kSymbolOptions[] = {kOptionHeader, kOptionName, kOptionAlign, kOptionSection,
                                       kOptionExport};
  size_t i;
  if (form == kFormRaw && !arguments_has(args, kOptionLibraryBin)) {
    return report_error("--format=raw is only for --library-bin");
  }
  if (arguments_has(args, kOptionCubin) && !is_object(form) && form != kFormIncbin) {
    return report_error("--cubin needs --format=obj or incbin: C has no symbol after an array");
  }
  if (arguments_has(args, kOptionMachine) && !is_object(form)) {
    return report_error("--machine is only for --format=obj");
  }
  for (i = 0; form == kFormRaw && i < sizeof kSymbolOptions / sizeof *kSymbolOptions; ++i) {
    if (!arguments_has(args, kSymbolOptions[i])) continue;
    return report_error("--%s is not for --format=raw, which has no symbol",
                        arguments_name(args, kSymbolOptions[i]));
  }
  return true;
}

/* Checks the names that are written into sources and rules. */
static bool check_names(const embed_options *options) {
  const char *header = options->outputs[kHeader];
  if (options->section != NULL && !embed_check_section(options->section, options->form)) {
    return false;
  }
  if (header != NULL && !embed_check_quoted("--header", path_base(header))) return false;
  if (options->outputs[kDepfile] != NULL && strcmp(options->outputs[kOutput], "-") == 0) {
    return report_error("--depfile needs --output: a rule needs a file");
  }
  return true;
}

static bool read_options(const arguments *args, embed_options *out) {
  long long align;
  out->files = arguments_operands(args);
  out->outputs[kOutput] = arguments_text(args, kOptionOutput, "-");
  out->outputs[kHeader] = arguments_text(args, kOptionHeader, NULL);
  out->outputs[kDepfile] = arguments_text(args, kOptionDepfile, NULL);
  out->form = choose_form(args, out->outputs[kOutput]);
  out->name = arguments_text(args, kOptionName, NULL);
  out->section = arguments_text(args, kOptionSection, NULL);
  out->machine = arguments_text(args, kOptionMachine, "");
  out->is_list = arguments_has(args, kOptionLibraryBin);
  out->is_cubin = arguments_has(args, kOptionCubin);
  out->is_exported = arguments_has(args, kOptionExport);
  out->as_json = arguments_has(args, kOptionJson);
  if (!check_form(args, out->form) || !check_names(out) ||
      !arguments_int(args, kOptionAlign, 64, 1, 1 << 20, &align)) {
    return false;
  }
  if ((align & (align - 1)) != 0) {
    return report_error("--align must be a power of 2, not %lld", align);
  }
  out->align = (size_t)align;
  if ((out->is_list || out->is_cubin) && out->files.count != 1) {
    return report_error("--%s takes one file",
                        arguments_name(args, out->is_list ? kOptionLibraryBin : kOptionCubin));
  }
  return true;
}

/* ---- Names ---- */

/* The prefix of the symbols, or for a list the symbol itself: --name, or the output's name without
 * its extension. */
static char *choose_name(const embed_options *options) {
  const bool is_list = options->is_list;
  const char *given = options->name == NULL && is_list ? LIBRARY_BIN_SYMBOL : options->name;
  const char *base = path_base(options->outputs[kOutput]);
  char *name;
  if (given != NULL) {
    /* Only for a list is the name a whole symbol, which must not be a keyword. */
    const bool is_word = is_list && identifier_is_c_word(given);
    if (identifier_is(given, strlen(given)) && !is_word) return tool_copy(given, strlen(given));
    report_error("--name must be %s, not \"%s\"",
                 is_word ? "a name that is not a keyword of C or C++" : "an identifier of C",
                 given);
    return NULL;
  }
  if (strcmp(base, "-") == 0) base = "embedded";
  name = identifier_make(base, strcspn(base, "."));
  if (identifier_is(name, strlen(name))) return name;
  report_error("no identifier can be made from \"%s\": give --name", base);
  free(name);
  return NULL;
}

/* ---- Inputs ---- */

static bool read_input(embed_input *input, const embed_options *options) {
  size_t i;
  input->content.align = options->align;
  input->content.section = options->section;
  input->content.is_text = options->form == kFormString;
  input->content.header = options->outputs[kHeader];
  if (input->content.header != NULL) input->content.header = path_base(input->content.header);
  input->name = choose_name(options);
  if (input->name == NULL) return false;
  input->content.is_exported = options->is_exported;
  if (options->is_list) return embed_input_add_modules(input, options->files.items[0]);
  if (options->is_cubin) return embed_input_add_cubin(input, options->files.items[0]);
  for (i = 0; i < options->files.count; ++i) {
    if (!embed_input_add_file(input, options->files.items[i])) return false;
  }
  return true;
}

/* ---- Outputs ---- */

static bool add_prerequisite(text_buf *out, const char *path) {
  if (strcmp(path, "-") == 0) return true;
  text_add(out, " ");
  return embed_add_make_word(out, path);
}

/* Makes the rule for --depfile, with every file that was read as a prerequisite. */
static bool make_rule(const embed_input *input, const embed_options *options, text_buf *out) {
  size_t i;
  if (!embed_add_make_word(out, options->outputs[kOutput])) return false;
  text_add(out, ":");
  for (i = 0; i < options->files.count; ++i) {
    if (!add_prerequisite(out, options->files.items[i])) return false;
  }
  for (i = 0; i < input->list.tree.num_modules; ++i) {
    if (input->list.paths[i] != NULL && !add_prerequisite(out, input->list.paths[i])) return false;
  }
  text_add(out, "\n");
  return true;
}

static bool make_object(const embedding *content, const embed_options *options, text_buf *out) {
  machine target;
  if (!machine_parse(options->machine, &target)) return false;
  return options->form == kFormCoff    ? embed_write_coff(content, &target, out)
         : options->form == kFormMachO ? embed_write_macho(content, &target, out)
                                       : embed_write_elf(content, &target, out);
}

static bool make_output(const embed_input *input, const embed_options *options, text_buf *out) {
  size_t i, k;
  if (is_object(options->form)) return make_object(&input->content, options, out);
  if (options->form == kFormRaw) {
    text_add_bytes(out, input->bin.data, input->bin.size);
    return true;
  }
  for (i = 0; options->form == kFormC23 && i < input->content.num_blobs; ++i) {
    const blob *entry = &input->content.blobs[i];
    for (k = 0; k < entry->num_pieces; ++k) {
      if (entry->pieces[k].path == NULL) continue;
      if (!embed_check_quoted("a file of --format=c23", entry->pieces[k].path)) return false;
    }
  }
  embed_write_c(&input->content, options->form, out);
  return true;
}

/* Writes all outputs or none; *out_size is the size of the first, for the summary. */
static bool write_outputs(const embed_input *input, const embed_options *options,
                          size_t *out_size) {
  text_buf contents[kNumOutputs] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
  file_content files[kNumOutputs];
  size_t count = 0, i;
  bool good = make_output(input, options, &contents[0]);
  embed_write_header(&input->content, &contents[1]);
  good = good &&
         (options->outputs[kDepfile] == NULL || make_rule(input, options, &contents[kDepfile]));
  for (i = 0; i < kNumOutputs; ++i) {
    if (options->outputs[i] == NULL) continue;
    files[count].path = options->outputs[i];
    files[count].bytes = contents[i].data;
    files[count++].size = contents[i].size;
  }
  good = good && tool_write_files(files, count);
  *out_size = contents[0].size;
  for (i = 0; i < kNumOutputs; ++i) text_free(&contents[i]);
  return good;
}

/* Prints what was written, as JSON. */
static void print_summary(const embed_input *input, const embed_options *options, size_t size) {
  size_t i;
  json_begin_object(NULL);
  for (i = 0; i < kNumOutputs; ++i) {
    json_text(kOutputNames[i], options->outputs[i]);
  }
  json_uint("size", size);
  json_begin_array("symbols");
  for (i = 0; i < input->content.num_blobs; ++i) {
    json_begin_object(NULL);
    json_text("name", input->content.blobs[i].symbol);
    json_uint("size", input->content.blobs[i].size);
    json_text("file", input->content.blobs[i].title);
    json_end();
  }
  json_end();
  if (options->is_list) {
    library_bin_print(&input->list.tree, input->list.paths);
  }
  json_end();
}

/* ---- The command ---- */

/* Whether an output would overwrite another output or an input, or mix with JSON on stdout;
 * reported. */
static bool is_overwriting(const embed_input *input, const embed_options *options, size_t output) {
  const char *path = options->outputs[output], *name = kOutputNames[output];
  size_t i;
  for (i = 0; i < output; ++i) {
    if (options->outputs[i] == NULL || !tool_is_same_file(path, options->outputs[i], false)) {
      continue;
    }
    report_error("--%s and --%s are the same file: %s", kOutputNames[i], name, path);
    return true;
  }
  for (i = 0; i < options->files.count + input->list.tree.num_modules; ++i) {
    const size_t num_files = options->files.count;
    const char *read = i < num_files ? options->files.items[i] : input->list.paths[i - num_files];
    if (read == NULL || !tool_is_same_file(path, read, true)) continue;
    report_error("--%s would overwrite %s, which is embedded", name, read);
    return true;
  }
  if (!options->as_json || !tool_is_same_file(path, "-", false)) return false;
  report_error("--json prints on stdout what was written: --%s must be a file", name);
  return true;
}

static bool check_outputs(const embed_input *input, const embed_options *options) {
  size_t i;
  for (i = 0; i < kNumOutputs; ++i) {
    if (options->outputs[i] != NULL && is_overwriting(input, options, i)) return false;
  }
  return true;
}

/* Whether the names of the output and the header fit what is written. With --format, endings of no
 * known kind fit, too. */
static bool check_ending(const arguments *args, const embed_options *options) {
  const unsigned sources =
      options->form == kFormString ? 1u << kHoldsC : 1u << kHoldsC | 1u << kHoldsCxx;
  const unsigned objects = 1u << kHoldsObject;
  const bool is_chosen = arguments_has(args, kOptionFormat);
  const char *header = options->outputs[kHeader];
  if (header != NULL &&
      !file_check_ending("header", header, 1u << kHoldsC | 1u << kHoldsCxx | 1u << kHoldsUnknown)) {
    return false;
  }
  if (options->form == kFormRaw) return true;
  return file_check_ending("output", options->outputs[kOutput],
                           !is_chosen                 ? sources | objects
                           : is_object(options->form) ? objects | 1u << kHoldsUnknown
                                                      : sources | 1u << kHoldsUnknown);
}

static int command_embed(const arguments *args) {
  embed_input input;
  embed_options options;
  size_t size = 0;
  bool good;
  memset(&input, 0, sizeof input);
  good = read_options(args, &options) && read_input(&input, &options) &&
         check_outputs(&input, &options) && check_ending(args, &options) &&
         write_outputs(&input, &options, &size);
  if (good && options.as_json) print_summary(&input, &options, size);
  embed_input_free(&input);
  return good ? kExitOk : kExitUsage;
}

/* ---- Options and help ---- */

static const option kEmbedOptions[] = {
    {kOptionOutput, "output", 'o', "FILE", false, "the file to write (default: standard output)"},
    {kOptionHeader, "header", 'H', "FILE", false, "also write a header with the declarations"},
    {kOptionFormat, "format", 0, "c|string|c23|incbin|obj|elf|coff|macho|raw", false,
     "what to write: numbers, string literals, #embed, the GNU assembler's .incbin for ELF, an "
     "object file for this system, Linux, Windows or macOS, or the bytes of --library-bin alone "
     "(default: obj for an output that ends in .o, coff for .obj, else c)"},
    {kOptionName, "name", 0, "NAME", false,
     "the prefix of symbols (default: the name of the output); with --library-bin, the symbol"},
    {kOptionLibraryBin, "library-bin", 0, NULL, false,
     "FILE is a list of modules, which become " LIBRARY_BIN_SYMBOL},
    {kOptionCubin, "cubin", 0, NULL, false,
     "for TVM_FFI_EMBED_CUBIN(NAME): write __tvm_ffi__cubin_NAME and its _end, followed by a NUL"},
    {kOptionMachine, "machine", 0, "MACHINE", false,
     "the processor of an object file: x86-64, aarch64, i386, arm, riscv64, riscv32, ppc64le, "
     "ppc64, powerpc, "
     "s390x, loongarch64, or e_machine as NUMBER:BITS:le or NUMBER:BITS:be; coff supports the "
     "first three, macho the first two (default: this machine)"},
    {kOptionAlign, "align", 0, "BYTES", false, "the alignment of each file (default 64)"},
    {kOptionSection, "section", 0, "NAME", false,
     "the section of the bytes, such as .lrodata for more than 2 GiB: letters, digits and . _ $ + "
     "/ -; in an object file, any name; in macho, SEGMENT,SECTION"},
    {kOptionExport, "export", 0, NULL, false, "make the symbols visible to other libraries"},
    {kOptionDepfile, "depfile", 0, "FILE", false,
     "write a rule for Make that has all files that were read"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kEmbedText[] =
    "Each file becomes an array NAME_<file> and a number NAME_<file>_size, where <file> is its\n"
    "name with _ in place of everything but letters and digits. NAME_files is a table of {name,\n"
    "data, size} that ends with a NULL name. The same files always give the same bytes; only c23\n"
    "and incbin contain full paths. Either all outputs are written or none, and no output may be\n"
    "one of the embedded files. --json prints a list of what was written, and needs\n"
    "--output=FILE.\n\n"
    "A list of modules has one line for each module, the root first: KIND [FILE] [-> NUMBER...].\n"
    "The kind _lib is the library itself and has no FILE; every other kind has one, relative to\n"
    "the folder of the list. The numbers are those of imported modules; the first line is 0. A\n"
    "word may be in double quotes, where \\\", \\\\ and \\xNN stand for bytes; # begins a comment.";

const command kEmbedCommand = {
    .name = "embed",
    .operands = "FILE...",
    .summary = "Turn files, or modules for a library, into C or an object file",
    .description = kEmbedText,
    .options = kEmbedOptions,
    .min_operands = 1,
    .max_operands = -1,
    .run = command_embed,
};
