/* SPDX-License-Identifier: Apache-2.0 */
#include "embed/module_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/path.h"
#include "base/report.h"

/* ---- Reading ---- */

typedef struct {
  const char *path; /* the list's */
  size_t line;
  const char *pos; /* position in the NUL-terminated line */
  size_t *lines;   /* by module, the line that lists it */
} cursor;

static bool refuse(const cursor *input, const char *problem) {
  report_error("%s:%zu: %s", input->path, input->line, problem);
  return false;
}

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_quoted(cursor *input, text *out) {
  const char *pos = input->pos + 1;
  for (; *pos != '"'; ++pos) {
    char byte = *pos;
    if (byte == '\0') return refuse(input, "a quoted word does not end");
    if (byte == '\\') {
      ++pos;
      if (*pos == 'x' && digit(pos[1]) >= 0 && digit(pos[2]) >= 0) {
        byte = (char)(digit(pos[1]) << 4 | digit(pos[2]));
        pos += 2;
      } else if (*pos == '"' || *pos == '\\') {
        byte = *pos;
      } else {
        return refuse(input, "behind \\ in a quoted word comes \", \\ or xNN");
      }
    }
    text_add_bytes(out, &byte, 1);
  }
  input->pos = pos + 1;
  if (strchr(" \t", *input->pos) == NULL) return refuse(input, "a blank must follow a quoted word");
  return true;
}

/* Reads the next word; *out_has is false at the end of the line. A quoted "->" is no arrow. */
static bool read_word(cursor *input, text *out, bool *out_has, bool *out_is_arrow) {
  size_t length;
  out->size = 0;
  text_add_bytes(out, "", 0);
  *out_is_arrow = false;
  input->pos += strspn(input->pos, " \t");
  *out_has = *input->pos != '\0' && *input->pos != '#';
  if (!*out_has) return true;
  if (*input->pos == '"') return read_quoted(input, out);
  length = strcspn(input->pos, " \t");
  *out_is_arrow = length == 2 && memcmp(input->pos, "->", 2) == 0;
  text_add_bytes(out, input->pos, length);
  input->pos += length;
  return true;
}

static bool read_imports(cursor *input, text *word, library_bin *tree) {
  bin_module *module = &tree->modules[tree->num_modules];
  bool has, is_arrow;
  for (;;) {
    char *end;
    unsigned long long number;
    if (!read_word(input, word, &has, &is_arrow)) return false;
    if (!has) return module->num_imports > 0 || refuse(input, "no number follows ->");
    errno = 0;
    number = strtoull(word->data, &end, 10);
    if (digit(*word->data) < 0 || *end != '\0' || errno != 0 || number >= SIZE_MAX) {
      return refuse(input, "behind -> come numbers of modules");
    }
    tree->imports = tool_realloc(tree->imports, (tree->num_imports + 1) * sizeof *tree->imports);
    tree->imports[tree->num_imports++] = (size_t)number;
    ++module->num_imports;
  }
}

static bool read_file(cursor *input, const text *word, module_list *out) {
  bin_module *module = &out->tree.modules[out->tree.num_modules];
  char **path = &out->paths[out->tree.num_modules], *name;
  if (module->is_self) return refuse(input, "_lib has no file");
  *path = path_beside(input->path, word->data);
  name = tool_format("%s:%zu: %s", input->path, input->line, *path);
  module->payload = (unsigned char *)tool_read_file_as(*path, name, &module->payload_size);
  free(name);
  if (module->payload == NULL) return false;
  if (module->payload_size > 0) return true;
  report_error("%s:%zu: %s is empty, and not every runtime loads a module of no bytes", input->path,
               input->line, *path);
  return false;
}

static bool read_line(cursor *input, module_list *out) {
  library_bin *tree = &out->tree;
  bin_module *module;
  text word = {NULL, 0, 0};
  bool has, is_arrow, good = read_word(input, &word, &has, &is_arrow);
  if (!good || !has) goto done;
  tree->modules = tool_realloc(tree->modules, (tree->num_modules + 1) * sizeof *tree->modules);
  out->paths = tool_realloc((void *)out->paths, (tree->num_modules + 1) * sizeof *out->paths);
  input->lines = tool_realloc(input->lines, (tree->num_modules + 1) * sizeof *input->lines);
  input->lines[tree->num_modules] = input->line;
  module = &tree->modules[tree->num_modules];
  memset(module, 0, sizeof *module);
  out->paths[tree->num_modules] = NULL;
  module->first_import = tree->num_imports;
  module->is_self =
      word.size == strlen(LIBRARY_BIN_SELF) && memcmp(word.data, LIBRARY_BIN_SELF, word.size) == 0;
  module->kind = tool_copy(word.data, word.size);
  module->kind_size = word.size;
  good =
      word.size > 0 && !is_arrow ? true : refuse(input, "a line begins with the kind of a module");
  good = good && read_word(input, &word, &has, &is_arrow);
  if (good && has && !is_arrow) {
    good = read_file(input, &word, out) && read_word(input, &word, &has, &is_arrow);
  } else if (good && !module->is_self) {
    good = refuse(input, "a module needs a file, unless it is _lib");
  }
  if (good && has) {
    good = is_arrow ? read_imports(input, &word, tree)
                    : refuse(input, "behind the file comes -> or nothing");
  }
  ++tree->num_modules; /* module_list_free() frees it, incomplete or not */
done:
  text_free(&word);
  return good;
}

/* Checks the imports of a complete list. */
static bool check_imports(cursor *input, const library_bin *tree) {
  const char *wrong;
  size_t importer, i;
  for (importer = 0; importer < tree->num_modules; ++importer) {
    const bin_module *module = &tree->modules[importer];
    input->line = input->lines[importer];
    for (i = 0; i < module->num_imports; ++i) {
      const size_t imported = tree->imports[module->first_import + i];
      if (imported < tree->num_modules) continue;
      report_error("%s:%zu: module %zu is imported, but the list has only modules 0 to %zu",
                   input->path, input->line, imported, tree->num_modules - 1);
      return false;
    }
  }
  wrong = library_bin_check_imports(tree, &importer);
  if (wrong == NULL) return true;
  input->line = input->lines[importer];
  return refuse(input, wrong);
}

bool module_list_read(const char *path, module_list *out) {
  size_t size;
  char *lines = tool_read_file(path, &size), *line;
  cursor input;
  bool good = lines != NULL;
  memset(out, 0, sizeof *out);
  input.path = path;
  input.line = 0;
  input.lines = NULL;
  for (line = lines; good && line < lines + size;) {
    char *end = memchr(line, '\n', (size_t)(lines + size - line));
    if (end == NULL) end = lines + size;
    *end = '\0';
    ++input.line;
    input.pos = line;
    good = strlen(line) == (size_t)(end - line) ? read_line(&input, out)
                                                : refuse(&input, "a list has no bytes of 0");
    line = end + 1;
  }
  free(lines);
  if (good && out->tree.num_modules == 0) good = refuse(&input, "no module is listed");
  good = good && check_imports(&input, &out->tree);
  free(input.lines);
  if (!good) module_list_free(out);
  return good;
}

void module_list_free(module_list *list) {
  size_t i;
  for (i = 0; i < list->tree.num_modules; ++i) {
    free((void *)list->tree.modules[i].kind);
    free((void *)list->tree.modules[i].payload);
    free(list->paths[i]);
  }
  free((void *)list->paths);
  library_bin_free(&list->tree);
  memset(list, 0, sizeof *list);
}

/* ---- Writing ---- */

/* Adds a word, quoted if it could be misread otherwise. */
static void add_word(text *out, const char *bytes, size_t size) {
  static const char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+/";
  bool is_plain = !(size == 2 && memcmp(bytes, "->", 2) == 0);
  size_t i;
  for (i = 0; i < size; ++i) {
    is_plain = is_plain && bytes[i] != '\0' && strchr(kPlain, bytes[i]) != NULL;
  }
  if (is_plain) {
    text_add_bytes(out, bytes, size);
    return;
  }
  text_add(out, "\"");
  for (i = 0; i < size; ++i) {
    unsigned char byte = (unsigned char)bytes[i];
    if (byte == '"' || byte == '\\') {
      text_add(out, "\\%c", byte);
    } else if (byte < 0x20 || byte >= 0x7f) {
      text_add(out, "\\x%02x", byte);
    } else {
      text_add_bytes(out, &bytes[i], 1);
    }
  }
  text_add(out, "\"");
}

void module_list_write(const library_bin *tree, char *const *names, text *out) {
  size_t i, j;
  for (i = 0; i < tree->num_modules; ++i) {
    const bin_module *module = &tree->modules[i];
    add_word(out, module->kind, module->kind_size);
    if (!module->is_self) {
      text_add(out, " ");
      add_word(out, names[i], strlen(names[i]));
    }
    for (j = 0; j < module->num_imports; ++j) {
      text_add(out, j == 0 ? " -> %zu" : " %zu", tree->imports[module->first_import + j]);
    }
    text_add(out, "\n");
  }
}
