/* SPDX-License-Identifier: Apache-2.0 */
/* Extracts what embed has put into a library. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/report.h"
#include "commands/commands.h"
#include "file/binary_file.h"
#include "file/module_tree.h"
#include "system/system.h"

/* A library, or the bytes of a module tree without a library. */
typedef struct {
  const char *path;
  binary_file *file; /* NULL if there is no library */
  char *bytes;       /* those of the tree; NULL for a library */
  size_t size;
} source;

static bool open_source(const char *path, source *out) {
  library_bin bin;
  memset(out, 0, sizeof *out);
  out->path = path;
  out->bytes = tool_read_file(path, &out->size);
  if (out->bytes == NULL) return false;
  if (!binary_file_is_known(out->bytes, out->size)) {
    bool is_tree = library_bin_decode((const unsigned char *)out->bytes, out->size, &bin) == NULL;
    library_bin_free(&bin);
    if (is_tree) return true;
  }
  out->file = binary_file_open_image(path, out->bytes, out->size);
  out->bytes = NULL;
  return out->file != NULL;
}

static void close_source(source *input) {
  binary_file_close(input->file);
  free(input->bytes);
}

/* Decodes the module tree of a source; false after a report. */
static bool get_tree(const source *input, library_bin *out) {
  const unsigned char *bytes = (const unsigned char *)input->bytes;
  size_t size = input->size;
  const char *wrong;
  memset(out, 0, sizeof *out);
  if (input->file != NULL) {
    const binary_symbol *symbol = binary_file_find(input->file, LIBRARY_BIN_SYMBOL);
    if (symbol == NULL) {
      return report_error("%s: no embedded modules: it has no " LIBRARY_BIN_SYMBOL, input->path);
    }
    bytes = binary_file_bytes(input->file, symbol, &size);
  }
  wrong = bytes == NULL ? "the file has no bytes for it" : library_bin_decode(bytes, size, out);
  if (wrong == NULL) return true;
  report_error("%s: malformed " LIBRARY_BIN_SYMBOL ": %s", input->path, wrong);
  library_bin_free(out);
  return false;
}

/* ---- One module or symbol ---- */

/* The I-th module of a kind by "KIND[I]", or of all by "[I]"; NULL if there is none. */
static const bin_module *find_module(const library_bin *tree, const char *selector) {
  const char *bracket = strrchr(selector, '[');
  size_t kind_size = (size_t)(bracket - selector), i;
  char *end;
  unsigned long number = strtoul(bracket + 1, &end, 10);
  if (!isdigit((unsigned char)bracket[1]) || strcmp(end, "]") != 0) return NULL;
  for (i = 0; i < tree->num_modules; ++i) {
    const bin_module *module = &tree->modules[i];
    if (kind_size > 0 &&
        (module->kind_size != kind_size || memcmp(module->kind, selector, kind_size) != 0)) {
      continue;
    }
    if (number-- == 0) return module;
  }
  return NULL;
}

/* Writes the bytes; `key` is "module" or "symbol", for the JSON. */
static int write_bytes(bool as_json, const char *output, const char *key, const char *name,
                       const void *bytes, size_t size) {
  if (!tool_write_file(output, bytes, size)) return kExitUsage;
  if (!as_json) return kExitOk;
  json_begin_object(NULL);
  json_text("output", output);
  json_uint("size", size);
  json_text(key, name);
  json_end();
  return kExitOk;
}

static int extract_module(const source *input, const char *selector, bool as_json,
                          const char *output) {
  library_bin tree;
  const bin_module *module;
  int code;
  if (!get_tree(input, &tree)) return kExitLoad;
  module = find_module(&tree, selector);
  if (module == NULL) {
    text_buf have = {NULL, 0, 0};
    library_bin_describe(&tree, &have);
    code = report_fail(kExitUsage, "%s: no module %s; it has %s", input->path, selector, have.data);
    text_free(&have);
  } else if (module->is_self) {
    code = report_fail(kExitUsage, "%s: %s is the library itself and has no bytes", input->path,
                       selector);
  } else {
    code = write_bytes(as_json, output, "module", selector, module->payload, module->payload_size);
  }
  library_bin_free(&tree);
  return code;
}

static int extract_symbol(const source *input, const char *name, bool as_json, const char *output) {
  const binary_symbol *symbol = input->file != NULL ? binary_file_find(input->file, name) : NULL;
  const unsigned char *bytes;
  size_t size;
  if (symbol == NULL) return report_fail(kExitUsage, "%s: no symbol %s", input->path, name);
  if (symbol->size == 0) {
    return report_fail(kExitUsage, "%s: the symbol %s has no size", input->path, name);
  }
  bytes = binary_file_bytes(input->file, symbol, &size);
  if (bytes == NULL) {
    return report_fail(kExitLoad, "%s: the file has no bytes for the symbol %s", input->path, name);
  }
  return write_bytes(as_json, output, "symbol", name, bytes, size);
}

/* ---- The whole tree ---- */

/* A file name for a module, from its number and the characters of its kind that are safe in file
 * names. */
static char *name_file(const bin_module *module, size_t number) {
  enum { kLongest = 40 };
  size_t size = module->kind_size < kLongest ? module->kind_size : kLongest;
  char *kind = tool_copy(module->kind, size), *name;
  size_t i;
  for (i = 0; i < size; ++i) {
    bool is_fit =
        (unsigned char)kind[i] < 0x80 && (isalnum((unsigned char)kind[i]) || kind[i] == '-');
    if (!is_fit) kind[i] = '_';
  }
  name = tool_format("%zu-%s.bin", number, kind);
  free(kind);
  return name;
}

/* Whether the output is the file being unpacked; reported. */
static bool is_source(const source *input, const char *output) {
  if (!tool_is_same_file(output, input->path, true)) return false;
  report_error("--output would overwrite %s, which is unpacked", input->path);
  return true;
}

/* Writes a file for each module and one for the list; all of them or none. */
static bool write_tree(const source *input, const library_bin *tree, char *const *names,
                       const char *folder) {
  file_content *files = tool_alloc((tree->num_modules + 1) * sizeof *files);
  text_buf list = {NULL, 0, 0};
  size_t count = 0, i;
  bool good = true;
  text_add(&list, "# tvm-ffi embed --library-bin makes the same bytes from this.\n");
  module_list_write(tree, names, &list);
  for (i = 0; i <= tree->num_modules; ++i) {
    const bool is_list = i == tree->num_modules;
    file_content *file = &files[count];
    if (!is_list && tree->modules[i].is_self) continue;
    file->path = tool_format("%s/%s", folder, is_list ? "modules.txt" : names[i]);
    file->bytes = is_list ? list.data : (const char *)tree->modules[i].payload;
    file->size = is_list ? list.size : tree->modules[i].payload_size;
    good = good && !is_source(input, file->path);
    ++count;
  }
  good = good && tool_write_files(files, count);
  for (i = 0; i < count; ++i) free((void *)files[i].path);
  free(files);
  text_free(&list);
  return good;
}

static void print_tree(const library_bin *tree, char *const *names, const char *folder,
                       bool as_json) {
  size_t i;
  if (as_json) {
    json_begin_object(NULL);
    json_text("folder", folder);
    json_text("list", "modules.txt");
    library_bin_print(tree, names);
    json_end();
    return;
  }
  for (i = 0; i < tree->num_modules; ++i) {
    if (!tree->modules[i].is_self) printf("%s/%s\n", folder, names[i]);
  }
  printf("%s/modules.txt\n", folder);
}

static int unpack_tree(const source *input, const char *folder, bool as_json) {
  library_bin tree;
  char **names;
  bool is_new, good;
  size_t i;
  if (!get_tree(input, &tree)) return kExitLoad;
  if (tree.num_unread > 0) {
    library_bin_free(&tree);
    return report_fail(kExitLoad,
                       "%s: bytes of " LIBRARY_BIN_SYMBOL
                       " belong to no module: "
                       "--extract takes out one",
                       input->path);
  }
  is_new = folder_make(folder, false);
  if (!is_new && errno != EEXIST) {
    library_bin_free(&tree);
    return report_fail(kExitUsage, "%s: %s", folder, strerror(errno));
  }
  names = tool_alloc(tree.num_modules * sizeof *names);
  for (i = 0; i < tree.num_modules; ++i) names[i] = name_file(&tree.modules[i], i);
  good = write_tree(input, &tree, names, folder);
  if (good) print_tree(&tree, names, folder, as_json);
  if (!good && is_new) folder_remove(folder);
  for (i = 0; i < tree.num_modules; ++i) free(names[i]);
  free((void *)names);
  library_bin_free(&tree);
  return good ? kExitOk : kExitUsage;
}

static int command_unpack(const arguments *args) {
  const char *selector = arguments_text(args, kOptionExtract, NULL);
  const char *output = arguments_text(args, kOptionOutput, selector != NULL ? "-" : "unpacked");
  const bool as_json = arguments_has(args, kOptionJson);
  source input;
  int code;
  if (selector != NULL && as_json && tool_is_same_file(output, "-", false)) {
    return report_fail(kExitUsage,
                       "--json prints on stdout what was written: --output must be a file");
  }
  if (selector == NULL && (*output == '\0' || strcmp(output, "-") == 0)) {
    return report_fail(kExitUsage, "--output must be a folder without --extract, not \"%s\"",
                       output);
  }
  if (!open_source(arguments_operand(args, 0), &input)) {
    close_source(&input);
    return kExitLoad;
  }
  if (selector != NULL && is_source(&input, output)) {
    code = kExitUsage;
  } else if (selector == NULL) {
    code = unpack_tree(&input, output, as_json);
  } else if (strchr(selector, '[') != NULL) {
    code = extract_module(&input, selector, as_json, output);
  } else {
    code = extract_symbol(&input, selector, as_json, output);
  }
  close_source(&input);
  return code;
}

/* ---- Options and help ---- */

static const option kUnpackOptions[] = {
    {kOptionExtract, "extract", 'x', "WHAT", false,
     "write only the bytes of one module, KIND[I] or [I], or of a symbol"},
    {kOptionOutput, "output", 'o', "PATH", false,
     "the folder to write to (default: unpacked); with --extract, the file (default: standard "
     "output)"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kUnpackText[] =
    "LIB is a library, an object file, a file with only the bytes of the modules, or - for\n"
    "standard input. The folder gets a file for each module, and modules.txt, from which embed\n"
    "--library-bin makes the same bytes again. --json prints a list of what was written; with\n"
    "--extract it needs --output=FILE.";

const command kUnpackCommand = {
    .name = "unpack",
    .operands = "LIB",
    .summary = "Take modules out of a library",
    .description = kUnpackText,
    .options = kUnpackOptions,
    .min_operands = 1,
    .max_operands = 1,
    .run = command_unpack,
};
