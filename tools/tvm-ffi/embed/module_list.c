/* SPDX-License-Identifier: Apache-2.0 */
#include "embed/module_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/path.h"
#include "base/report.h"

/* ---- Reading -----------------------------------------------------------------------------------
 */

typedef struct {
  const char *path; /* of the list */
  size_t line;
  const char *at; /* within the line, which ends with NUL */
} cursor;

static bool refuse(const cursor *at, const char *what) {
  report_error("%s:%zu: %s", at->path, at->line, what);
  return false;
}

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_quoted(cursor *from, text *out) {
  const char *at = from->at + 1;
  for (; *at != '"'; ++at) {
    char byte = *at;
    if (byte == '\0') return refuse(from, "a quoted word does not end");
    if (byte == '\\') {
      ++at;
      if (*at == 'x' && digit(at[1]) >= 0 && digit(at[2]) >= 0) {
        byte = (char)(digit(at[1]) << 4 | digit(at[2]));
        at += 2;
      } else if (*at == '"' || *at == '\\') {
        byte = *at;
      } else {
        return refuse(from, "behind \\ in a quoted word comes \", \\ or xNN");
      }
    }
    text_add_bytes(out, &byte, 1);
  }
  from->at = at + 1;
  if (strchr(" \t", *from->at) == NULL) return refuse(from, "a blank must follow a quoted word");
  return true;
}

/* The next word; *out_has is false at the end. A quoted "->" is a word like any other. */
static bool read_word(cursor *from, text *out, bool *out_has, bool *out_is_arrow) {
  size_t length;
  out->size = 0;
  text_add_bytes(out, "", 0);
  *out_is_arrow = false;
  from->at += strspn(from->at, " \t");
  *out_has = *from->at != '\0' && *from->at != '#';
  if (!*out_has) return true;
  if (*from->at == '"') return read_quoted(from, out);
  length = strcspn(from->at, " \t");
  *out_is_arrow = length == 2 && memcmp(from->at, "->", 2) == 0;
  text_add_bytes(out, from->at, length);
  from->at += length;
  return true;
}

static bool read_imports(cursor *from, text *word, library_bin *tree) {
  bin_module *one = &tree->modules[tree->num_modules];
  bool has, is_arrow;
  for (;;) {
    char *end;
    unsigned long long number;
    if (!read_word(from, word, &has, &is_arrow)) return false;
    if (!has) return one->num_imports > 0 || refuse(from, "no number follows ->");
    errno = 0;
    number = strtoull(word->data, &end, 10);
    if (digit(*word->data) < 0 || *end != '\0' || errno != 0 || number >= SIZE_MAX) {
      return refuse(from, "behind -> come numbers of modules");
    }
    tree->imports = tool_realloc(tree->imports, (tree->num_imports + 1) * sizeof *tree->imports);
    tree->imports[tree->num_imports++] = (size_t)number;
    ++one->num_imports;
  }
}

static bool read_file(cursor *from, const text *word, module_list *out) {
  bin_module *one = &out->tree.modules[out->tree.num_modules];
  char **path = &out->paths[out->tree.num_modules];
  if (one->is_self) return refuse(from, "_lib has no file");
  *path = path_beside(from->path, word->data);
  one->payload = (unsigned char *)tool_read_file(*path, &one->payload_size);
  if (one->payload == NULL) return false;
  if (one->payload_size > 0) return true;
  report_error("%s:%zu: %s is empty, and not every runtime loads a module of no bytes", from->path,
               from->line, *path);
  return false;
}

static bool read_line(cursor *from, module_list *out) {
  library_bin *tree = &out->tree;
  bin_module *one;
  text word = {NULL, 0, 0};
  bool has, is_arrow, good = read_word(from, &word, &has, &is_arrow);
  if (!good || !has) goto done;
  tree->modules = tool_realloc(tree->modules, (tree->num_modules + 1) * sizeof *tree->modules);
  out->paths = tool_realloc((void *)out->paths, (tree->num_modules + 1) * sizeof *out->paths);
  one = &tree->modules[tree->num_modules];
  memset(one, 0, sizeof *one);
  out->paths[tree->num_modules] = NULL;
  one->first_import = tree->num_imports;
  one->is_self =
      word.size == strlen(LIBRARY_BIN_SELF) && memcmp(word.data, LIBRARY_BIN_SELF, word.size) == 0;
  one->kind = tool_copy(word.data, word.size);
  one->kind_size = word.size;
  good =
      word.size > 0 && !is_arrow ? true : refuse(from, "a line begins with the kind of a module");
  good = good && read_word(from, &word, &has, &is_arrow);
  if (good && has && !is_arrow) {
    good = read_file(from, &word, out) && read_word(from, &word, &has, &is_arrow);
  } else if (good && !one->is_self) {
    good = refuse(from, "a module needs a file, unless it is _lib");
  }
  if (good && has) {
    good = is_arrow ? read_imports(from, &word, tree)
                    : refuse(from, "behind the file comes -> or nothing");
  }
  ++tree->num_modules; /* what it owns is freed with the list */
done:
  text_free(&word);
  return good;
}

bool module_list_read(const char *path, module_list *out) {
  size_t size;
  char *lines = tool_read_file(path, &size), *at;
  cursor from;
  bool good = lines != NULL;
  memset(out, 0, sizeof *out);
  from.path = path;
  from.line = 0;
  for (at = lines; good && at < lines + size;) {
    char *end = memchr(at, '\n', (size_t)(lines + size - at));
    if (end == NULL) end = lines + size;
    *end = '\0';
    ++from.line;
    from.at = at;
    good = strlen(at) == (size_t)(end - at) ? read_line(&from, out)
                                            : refuse(&from, "a list has no bytes of 0");
    at = end + 1;
  }
  free(lines);
  if (good && out->tree.num_modules == 0) good = refuse(&from, "no module is listed");
  if (good) {
    const char *wrong = library_bin_check_imports(&out->tree);
    if (wrong != NULL) {
      report_error("%s: %s", path, wrong);
      good = false;
    }
  }
  if (!good) module_list_free(out);
  return good;
}

void module_list_free(module_list *of) {
  size_t i;
  for (i = 0; i < of->tree.num_modules; ++i) {
    free((void *)of->tree.modules[i].kind);
    free((void *)of->tree.modules[i].payload);
    free(of->paths[i]);
  }
  free((void *)of->paths);
  library_bin_free(&of->tree);
  memset(of, 0, sizeof *of);
}

/* ---- Writing -----------------------------------------------------------------------------------
 */

/* Quoted where it would be read as something else. */
static void add_word(text *to, const char *bytes, size_t size) {
  static const char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+/";
  bool is_plain = !(size == 2 && memcmp(bytes, "->", 2) == 0);
  size_t i;
  for (i = 0; i < size; ++i) {
    is_plain = is_plain && bytes[i] != '\0' && strchr(kPlain, bytes[i]) != NULL;
  }
  if (is_plain) {
    text_add_bytes(to, bytes, size);
    return;
  }
  text_add(to, "\"");
  for (i = 0; i < size; ++i) {
    unsigned char byte = (unsigned char)bytes[i];
    if (byte == '"' || byte == '\\') {
      text_add(to, "\\%c", byte);
    } else if (byte < 0x20 || byte >= 0x7f) {
      text_add(to, "\\x%02x", byte);
    } else {
      text_add_bytes(to, &bytes[i], 1);
    }
  }
  text_add(to, "\"");
}

void module_list_write(const library_bin *tree, char *const *names, text *out) {
  size_t i, j;
  for (i = 0; i < tree->num_modules; ++i) {
    const bin_module *one = &tree->modules[i];
    add_word(out, one->kind, one->kind_size);
    if (!one->is_self) {
      text_add(out, " ");
      add_word(out, names[i], strlen(names[i]));
    }
    for (j = 0; j < one->num_imports; ++j) {
      text_add(out, j == 0 ? " -> %zu" : " %zu", tree->imports[one->first_import + j]);
    }
    text_add(out, "\n");
  }
}
