/* SPDX-License-Identifier: Apache-2.0 */
/* What embed has put into a library, out of it again. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/files.h"
#include "base/json_out.h"
#include "base/report.h"
#include "embed/module_list.h"
#include "file/elf_file.h"

/* A library, or the bytes of a tree alone. */
typedef struct {
  const char *path;
  elf_file *file; /* NULL: there is none */
  char *bytes;    /* of a tree alone */
  size_t size;
} source;

static bool open_source(const char *path, source *out) {
  library_bin bin;
  memset(out, 0, sizeof *out);
  out->path = path;
  out->bytes = tool_read_file(path, &out->size);
  if (out->bytes == NULL) return false;
  if (out->size < 4 || memcmp(out->bytes, "\177ELF", 4) != 0) {
    bool is_tree = library_bin_decode((const unsigned char *)out->bytes, out->size, &bin) == NULL;
    library_bin_free(&bin);
    if (is_tree) return true;
  }
  out->file = elf_file_open_image(path, out->bytes, out->size);
  out->bytes = NULL;
  return out->file != NULL;
}

static void close_source(source *of) {
  elf_file_close(of->file);
  free(of->bytes);
}

/* The tree that a source has; false when reported. */
static bool get_tree(const source *of, library_bin *out) {
  const unsigned char *bytes = (const unsigned char *)of->bytes;
  size_t size = of->size;
  const char *wrong;
  memset(out, 0, sizeof *out);
  if (of->file != NULL) {
    const elf_symbol *symbol = elf_file_find(of->file, LIBRARY_BIN_SYMBOL);
    if (symbol == NULL) {
      report_error("%s: no embedded modules: it has no " LIBRARY_BIN_SYMBOL, of->path);
      return false;
    }
    bytes = elf_file_bytes(of->file, symbol, &size);
  }
  wrong = bytes == NULL ? "the file holds no bytes for it" : library_bin_decode(bytes, size, out);
  if (wrong == NULL) return true;
  report_error("%s: malformed " LIBRARY_BIN_SYMBOL ": %s", of->path, wrong);
  library_bin_free(out);
  return false;
}

/* ---- One thing ---------------------------------------------------------------------------------
 */

/* "KIND[I]", or "[I]" of any kind; NULL when there is none such. */
static const bin_module *find_module(const library_bin *tree, const char *which) {
  const char *bracket = strrchr(which, '[');
  size_t kind_size = (size_t)(bracket - which), i;
  char *end;
  unsigned long number = strtoul(bracket + 1, &end, 10);
  if (!isdigit((unsigned char)bracket[1]) || strcmp(end, "]") != 0) return NULL;
  for (i = 0; i < tree->num_modules; ++i) {
    const bin_module *one = &tree->modules[i];
    if (kind_size > 0 &&
        (one->kind_size != kind_size || memcmp(one->kind, which, kind_size) != 0)) {
      continue;
    }
    if (number-- == 0) return one;
  }
  return NULL;
}

/* Writes what is called so, a "module" or a "symbol". */
static int write_bytes(const arguments *args, const char *output, const char *what,
                       const char *name, const void *bytes, size_t size) {
  if (!tool_write_file(output, bytes, size)) return kExitUsage;
  if (!arguments_has(args, "json")) return kExitOk;
  json_begin_object(NULL);
  json_text("output", output);
  json_uint("size", size);
  json_text(what, name);
  json_end();
  return kExitOk;
}

static int extract_module(const source *from, const char *which, const arguments *args,
                          const char *output) {
  library_bin tree;
  const bin_module *one;
  int code;
  if (!get_tree(from, &tree)) return kExitLoad;
  one = find_module(&tree, which);
  if (one == NULL) {
    text have = {NULL, 0, 0};
    library_bin_describe(&tree, &have);
    code = report_fail(kExitUsage, "%s: no module %s; it has %s", from->path, which, have.data);
    text_free(&have);
  } else if (one->is_self) {
    code =
        report_fail(kExitUsage, "%s: %s is the library itself and has no bytes", from->path, which);
  } else {
    code = write_bytes(args, output, "module", which, one->payload, one->payload_size);
  }
  library_bin_free(&tree);
  return code;
}

static int extract_symbol(const source *from, const char *name, const arguments *args,
                          const char *output) {
  const elf_symbol *symbol = from->file != NULL ? elf_file_find(from->file, name) : NULL;
  const unsigned char *bytes;
  size_t size;
  if (symbol == NULL) return report_fail(kExitUsage, "%s: no symbol %s", from->path, name);
  if (symbol->size == 0) {
    return report_fail(kExitUsage, "%s: the symbol %s has no size", from->path, name);
  }
  bytes = elf_file_bytes(from->file, symbol, &size);
  if (bytes == NULL) {
    return report_fail(kExitLoad, "%s: the file holds no bytes for the symbol %s", from->path,
                       name);
  }
  return write_bytes(args, output, "symbol", name, bytes, size);
}

/* ---- All of a tree -----------------------------------------------------------------------------
 */

/* A name for a module's file; of its kind only what is fit for names of files. */
static char *name_file(const bin_module *one, size_t number) {
  enum { kLongest = 40 };
  size_t size = one->kind_size < kLongest ? one->kind_size : kLongest;
  char *kind = tool_copy(one->kind, size), *name;
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

/* Whether it is the file that is unpacked; reported. */
static bool is_source(const source *from, const char *output) {
  if (!tool_is_same_file(output, from->path, true)) return false;
  report_error("--output would overwrite %s, which is unpacked", from->path);
  return true;
}

/* A file for each module and one for the list, all of them or none. */
static bool write_tree(const source *from, const library_bin *tree, char *const *names,
                       const char *folder) {
  file_content *files = tool_alloc((tree->num_modules + 1) * sizeof *files);
  text list = {NULL, 0, 0};
  size_t count = 0, i;
  bool good = true;
  text_add(&list, "# tvm-ffi embed --library-bin makes the same of this.\n");
  module_list_write(tree, names, &list);
  for (i = 0; i <= tree->num_modules; ++i) {
    const bool is_list = i == tree->num_modules;
    file_content *one = &files[count];
    if (!is_list && tree->modules[i].is_self) continue;
    one->path = tool_format("%s/%s", folder, is_list ? "modules.txt" : names[i]);
    one->bytes = is_list ? list.data : (const char *)tree->modules[i].payload;
    one->size = is_list ? list.size : tree->modules[i].payload_size;
    good = good && !is_source(from, one->path);
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

static int unpack_tree(const source *from, const char *folder, bool as_json) {
  library_bin tree;
  char **names;
  bool is_new, good;
  size_t i;
  if (!get_tree(from, &tree)) return kExitLoad;
  if (tree.num_unread > 0) {
    library_bin_free(&tree);
    return report_fail(kExitLoad,
                       "%s: bytes of " LIBRARY_BIN_SYMBOL
                       " belong to no module: "
                       "--extract takes out one",
                       from->path);
  }
  is_new = mkdir(folder, 0777) == 0;
  if (!is_new && errno != EEXIST) {
    library_bin_free(&tree);
    return report_fail(kExitUsage, "%s: %s", folder, strerror(errno));
  }
  names = tool_alloc(tree.num_modules * sizeof *names);
  for (i = 0; i < tree.num_modules; ++i) names[i] = name_file(&tree.modules[i], i);
  good = write_tree(from, &tree, names, folder);
  if (good) print_tree(&tree, names, folder, as_json);
  if (!good && is_new) rmdir(folder);
  for (i = 0; i < tree.num_modules; ++i) free(names[i]);
  free((void *)names);
  library_bin_free(&tree);
  return good ? kExitOk : kExitUsage;
}

int run_unpack(const arguments *args) {
  const char *which = arguments_text(args, "extract", NULL);
  const char *output = arguments_text(args, "output", which != NULL ? "-" : "unpacked");
  source from;
  int code;
  if (which != NULL && arguments_has(args, "json") && tool_is_same_file(output, "-", false)) {
    return report_fail(kExitUsage,
                       "--json says on stdout what was written: --output must be a file");
  }
  if (which == NULL && (*output == '\0' || strcmp(output, "-") == 0)) {
    return report_fail(kExitUsage, "--output must be a folder without --extract, not \"%s\"",
                       output);
  }
  if (!open_source(arguments_operand(args, 0), &from)) {
    close_source(&from);
    return kExitLoad;
  }
  if (which != NULL && is_source(&from, output)) {
    code = kExitUsage;
  } else if (which == NULL) {
    code = unpack_tree(&from, output, arguments_has(args, "json"));
  } else if (strchr(which, '[') != NULL) {
    code = extract_module(&from, which, args, output);
  } else {
    code = extract_symbol(&from, which, args, output);
  }
  close_source(&from);
  return code;
}
