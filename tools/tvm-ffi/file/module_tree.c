/* SPDX-License-Identifier: Apache-2.0 */
#include "file/module_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "file/binary_file.h"
#include "file/elf_format.h"

/* ---- In binary form ---- */

enum { kIntSize = 8 }; /* little-endian on every machine */

typedef struct {
  const unsigned char *pos;
  size_t size;
} rest;

static uint64_t get_int(const unsigned char *bytes) {
  uint64_t value = 0;
  int i;
  for (i = kIntSize - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

/* Reads a count and skips that many items of `unit` bytes; *out points to the items. */
static bool take_list(rest *unread, size_t unit, const unsigned char **out, size_t *out_count) {
  uint64_t count;
  if (unread->size < kIntSize) return false;
  count = get_int(unread->pos);
  if (count > (unread->size - kIntSize) / unit) return false;
  *out = unread->pos + kIntSize;
  *out_count = (size_t)count;
  unread->pos += kIntSize + *out_count * unit;
  unread->size -= kIntSize + *out_count * unit;
  return true;
}

static const char *decode_imports(const unsigned char *bounds, const unsigned char *imports,
                                  library_bin *out) {
  size_t importer, i;
  if (get_int(bounds) != 0) return "the imports do not begin at 0";
  for (i = 0; i < out->num_modules; ++i) {
    uint64_t begin = get_int(bounds + i * kIntSize), end = get_int(bounds + (i + 1) * kIntSize);
    if (end < begin || end > out->num_imports) return "the imports of a module are out of range";
    out->modules[i].first_import = (size_t)begin;
    out->modules[i].num_imports = (size_t)(end - begin);
  }
  if (get_int(bounds + out->num_modules * kIntSize) != out->num_imports) {
    return "some imports belong to no module";
  }
  for (i = 0; i < out->num_imports; ++i) {
    uint64_t number = get_int(imports + i * kIntSize);
    out->imports[i] = number < out->num_modules ? (size_t)number : out->num_modules;
  }
  return library_bin_check_imports(out, &importer);
}

static const char *decode_modules(rest *unread, library_bin *out) {
  size_t i;
  for (i = 0; i < out->num_modules; ++i) {
    bin_module *module = &out->modules[i];
    const unsigned char *kind;
    if (!take_list(unread, 1, &kind, &module->kind_size))
      return "the kind of a module is truncated";
    if (module->kind_size == 0) return "the kind of a module is empty";
    module->kind = (const char *)kind;
    module->is_self = module->kind_size == strlen(LIBRARY_BIN_SELF) &&
                      memcmp(kind, LIBRARY_BIN_SELF, module->kind_size) == 0;
    if (!module->is_self && !take_list(unread, 1, &module->payload, &module->payload_size)) {
      return "the payload of a module is truncated";
    }
  }
  out->num_unread = unread->size;
  return NULL;
}

const char *library_bin_decode(const unsigned char *bytes, size_t size, library_bin *out) {
  const unsigned char *bounds, *imports;
  size_t num_bounds;
  const char *wrong;
  rest unread;
  memset(out, 0, sizeof *out);
  if (size < kIntSize) return "its length is truncated";
  if (get_int(bytes) > size - kIntSize) return "it is longer than its symbol or file";
  unread.pos = bytes + kIntSize;
  unread.size = (size_t)get_int(bytes);
  out->size = unread.size + kIntSize;
  if (!take_list(&unread, kIntSize, &bounds, &num_bounds)) {
    return "the list of where imports begin is truncated";
  }
  if (num_bounds < 2) return "it contains no module";
  if (!take_list(&unread, kIntSize, &imports, &out->num_imports)) {
    return "the list of imports is truncated";
  }
  out->num_modules = num_bounds - 1;
  out->modules = tool_alloc(out->num_modules * sizeof *out->modules);
  memset(out->modules, 0, out->num_modules * sizeof *out->modules);
  out->imports = tool_alloc(out->num_imports * sizeof *out->imports);
  wrong = decode_imports(bounds, imports, out);
  return wrong != NULL ? wrong : decode_modules(&unread, out);
}

void library_bin_free(library_bin *tree) {
  free(tree->modules);
  free(tree->imports);
}

/* How far the imports of a module have been followed. */
typedef struct {
  enum { kNotFollowed, kOnTheWay, kFollowed } state;
  size_t num_followed;
} visit;

/* Follows the imports of a module to the end. False if they lead back to one on the way:
 * *out_module is the module that imports it. `way` has room for all modules. */
static bool follow_imports(const library_bin *tree, visit *visits, size_t *way, size_t root,
                           size_t *out_module) {
  size_t length = 0;
  way[length++] = root;
  visits[root].state = kOnTheWay;
  while (length > 0) {
    const size_t current = way[length - 1];
    const bin_module *module = &tree->modules[current];
    visit *at = &visits[current];
    size_t imported;
    if (at->num_followed == module->num_imports) {
      at->state = kFollowed;
      --length;
      continue;
    }
    imported = tree->imports[module->first_import + at->num_followed++];
    if (visits[imported].state == kOnTheWay) {
      *out_module = current;
      return false;
    }
    if (visits[imported].state == kFollowed) continue;
    visits[imported].state = kOnTheWay;
    way[length++] = imported;
  }
  return true;
}

const char *library_bin_check_imports(const library_bin *tree, size_t *out_module) {
  visit *visits;
  size_t *way, i, k;
  bool good = true;
  for (i = 0; i < tree->num_modules; ++i) {
    const bin_module *module = &tree->modules[i];
    *out_module = i;
    for (k = 0; k < module->num_imports; ++k) {
      if (tree->imports[module->first_import + k] < tree->num_modules) continue;
      return "an imported module is out of range";
    }
  }
  visits = tool_alloc(tree->num_modules * sizeof *visits);
  way = tool_alloc(tree->num_modules * sizeof *way);
  memset(visits, 0, tree->num_modules * sizeof *visits);
  for (i = 0; good && i < tree->num_modules; ++i) {
    if (visits[i].state == kNotFollowed) good = follow_imports(tree, visits, way, i, out_module);
  }
  free(way);
  free(visits);
  return good ? NULL : "modules import each other in a circle";
}

/* ---- Writing ---- */

static void set_int(unsigned char *bytes, uint64_t value) {
  int i;
  for (i = 0; i < kIntSize; ++i) bytes[i] = (unsigned char)(value >> (8 * i));
}

static void add_int(text_buf *out, uint64_t value) {
  unsigned char bytes[kIntSize];
  set_int(bytes, value);
  text_add_bytes(out, bytes, sizeof bytes);
}

static void add_list(text_buf *out, const void *bytes, size_t size) {
  add_int(out, size);
  text_add_bytes(out, bytes, size);
}

void library_bin_encode(const library_bin *tree, text_buf *out, size_t *payloads_at) {
  size_t begin = out->size, i;
  add_int(out, 0);
  add_int(out, tree->num_modules + 1);
  for (i = 0; i < tree->num_modules; ++i) add_int(out, tree->modules[i].first_import);
  add_int(out, tree->num_imports);
  add_int(out, tree->num_imports);
  for (i = 0; i < tree->num_imports; ++i) add_int(out, tree->imports[i]);
  for (i = 0; i < tree->num_modules; ++i) {
    const bin_module *module = &tree->modules[i];
    add_list(out, module->kind, module->kind_size);
    if (!module->is_self) add_list(out, module->payload, module->payload_size);
    payloads_at[i] = out->size - module->payload_size;
  }
  set_int((unsigned char *)out->data + begin, out->size - begin - kIntSize);
}

/* ---- Describing ---- */

/* Finds a text within the bytes; NULL if there is none. */
static const unsigned char *find(const unsigned char *bytes, size_t size, const char *pattern) {
  size_t length = strlen(pattern);
  const unsigned char *end = bytes + size, *cursor = bytes;
  while ((size_t)(end - cursor) >= length &&
         (cursor = memchr(cursor, *pattern, (size_t)(end - cursor))) != NULL) {
    if ((size_t)(end - cursor) < length) return NULL;
    if (memcmp(cursor, pattern, length) == 0) return cursor;
    ++cursor;
  }
  return NULL;
}

/* Describes an ELF file in a payload: the machine, or the generation of a GPU. */
enum { kElfHeaderSize = 52 }; /* the shorter one, of 32 bits */
static const char *describe_elf(const unsigned char *header, char buffer[32]) {
  bool is_big_endian = header[EI_DATA] == ELFDATA2MSB;
  int bits = header[EI_CLASS] == ELFCLASS64 ? 64 : 32;
  unsigned number = is_big_endian ? header[18] * 256u + header[19] : header[18] + header[19] * 256u;
  char name[24];
  if (number == EM_CUDA && bits == 64) {
    /* Version 8 of the format moved the generation to another byte of e_flags (at 48). */
    snprintf(buffer, 32, "sm_%u", header[EI_ABIVERSION] >= 8 ? header[49] : header[48]);
  } else {
    snprintf(buffer, 32, "%s", machine_name(number, bits, is_big_endian, name));
  }
  return buffer;
}

const char *library_bin_describe_payload(const bin_module *module, char buffer[32]) {
  static const unsigned char kSpirv[] = {0x03, 0x02, 0x23, 0x07};
  const unsigned char *end, *found;
  int length = 0;
  if (module->payload_size == 0) return "";
  end = module->payload + module->payload_size;
  /* Some kinds put names and formats before the code. */
  found = find(module->payload, module->payload_size, ELFMAG);
  if (found != NULL && end - found >= kElfHeaderSize) return describe_elf(found, buffer);
  found = find(module->payload, module->payload_size, ".target sm_");
  if (found != NULL) {
    found += strlen(".target ");
    while (length < 12 && found + length < end && strchr(" \t\r\n,", found[length]) == NULL)
      ++length;
    if (text_is_printable(found, (size_t)length)) {
      snprintf(buffer, 32, "PTX %.*s", length, (const char *)found);
      return buffer;
    }
  }
  if (module->payload_size >= sizeof kSpirv &&
      memcmp(module->payload, kSpirv, sizeof kSpirv) == 0) {
    return "SPIR-V";
  }
  return "";
}

static void add_module(text_buf *out, const bin_module *module) {
  char buffer[32];
  const char *content = library_bin_describe_payload(module, buffer);
  text_add_escaped(out, module->kind, module->kind_size);
  if (module->is_self) return;
  text_add(out, "(%s%s", content, *content != '\0' ? ", " : "");
  text_add_size(out, module->payload_size);
  text_add(out, ")");
}

void library_bin_describe(const library_bin *tree, text_buf *out) {
  enum { kShown = 8 };
  const bin_module *root = &tree->modules[0];
  size_t i, num_shown = root->num_imports < kShown ? root->num_imports : kShown;
  add_module(out, root);
  for (i = 0; i < num_shown; ++i) {
    text_add(out, i == 0 ? " -> " : ", ");
    add_module(out, &tree->modules[tree->imports[root->first_import + i]]);
  }
  if (tree->num_modules > num_shown + 1) text_add(out, ", ...");
}

static void print_module(const library_bin *tree, const bin_module *module) {
  char buffer[32];
  size_t i;
  json_bytes("kind", module->kind, module->kind_size);
  json_uint("size", module->payload_size);
  json_text("content", library_bin_describe_payload(module, buffer));
  json_begin_array("imports");
  for (i = 0; i < module->num_imports; ++i)
    json_uint(NULL, tree->imports[module->first_import + i]);
  json_end();
}

void library_bin_print(const library_bin *tree, char *const *opt_files) {
  size_t i;
  json_begin_array("modules");
  for (i = 0; i < tree->num_modules; ++i) {
    const bin_module *module = &tree->modules[i];
    json_begin_object(NULL);
    print_module(tree, module);
    if (opt_files != NULL) json_text("file", module->is_self ? NULL : opt_files[i]);
    json_end();
  }
  json_end();
}

/* ---- Reading ---- */

typedef struct {
  const char *path; /* the list's */
  size_t line;
  const char *pos; /* position in the NUL-terminated line */
  size_t *lines;   /* by module, the line that lists it */
} cursor;

static bool refuse(const cursor *input, const char *problem) {
  return report_error("%s:%zu: %s", input->path, input->line, problem);
}

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_quoted(cursor *input, text_buf *out) {
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
        return refuse(input, "after \\ in a quoted word must come \", \\ or xNN");
      }
    }
    text_add_bytes(out, &byte, 1);
  }
  input->pos = pos + 1;
  if (strchr(" \t", *input->pos) == NULL) return refuse(input, "a space must follow a quoted word");
  return true;
}

/* Reads the next word; *out_has is false at the end of the line. A quoted "->" is not an arrow. */
static bool read_word(cursor *input, text_buf *out, bool *out_has, bool *out_is_arrow) {
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

static bool read_imports(cursor *input, text_buf *word, library_bin *tree) {
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
      return refuse(input, "-> must be followed by numbers of modules");
    }
    tree->imports = tool_grow(tree->imports, tree->num_imports, sizeof *tree->imports);
    tree->imports[tree->num_imports++] = (size_t)number;
    ++module->num_imports;
  }
}

static bool read_file(cursor *input, const text_buf *word, module_list *out) {
  bin_module *module = &out->tree.modules[out->tree.num_modules];
  char **path = &out->paths[out->tree.num_modules], *name;
  if (module->is_self) return refuse(input, "_lib has no file");
  *path = path_beside(input->path, word->data);
  name = tool_format("%s:%zu: %s", input->path, input->line, *path);
  module->payload = (unsigned char *)tool_read_file_as(*path, name, &module->payload_size);
  free(name);
  if (module->payload == NULL) return false;
  if (module->payload_size > 0) return true;
  return report_error("%s:%zu: %s is empty, and not every runtime loads an empty module",
                      input->path, input->line, *path);
}

static bool read_line(cursor *input, module_list *out) {
  library_bin *tree = &out->tree;
  bin_module *module;
  text_buf word = {NULL, 0, 0};
  bool has, is_arrow, good = read_word(input, &word, &has, &is_arrow);
  if (!good || !has) goto done;
  tree->modules = tool_grow(tree->modules, tree->num_modules, sizeof *tree->modules);
  out->paths = tool_grow((void *)out->paths, tree->num_modules, sizeof *out->paths);
  input->lines = tool_grow(input->lines, tree->num_modules, sizeof *input->lines);
  input->lines[tree->num_modules] = input->line;
  module = &tree->modules[tree->num_modules];
  memset(module, 0, sizeof *module);
  out->paths[tree->num_modules] = NULL;
  module->first_import = tree->num_imports;
  module->is_self =
      word.size == strlen(LIBRARY_BIN_SELF) && memcmp(word.data, LIBRARY_BIN_SELF, word.size) == 0;
  module->kind = tool_copy(word.data, word.size);
  module->kind_size = word.size;
  good = word.size > 0 && !is_arrow ? true
                                    : refuse(input, "a line must begin with the kind of a module");
  good = good && read_word(input, &word, &has, &is_arrow);
  if (good && has && !is_arrow) {
    good = read_file(input, &word, out) && read_word(input, &word, &has, &is_arrow);
  } else if (good && !module->is_self) {
    good = refuse(input, "a module needs a file, unless it is _lib");
  }
  if (good && has) {
    good = is_arrow ? read_imports(input, &word, tree)
                    : refuse(input, "the file can only be followed by ->");
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
      return report_error("%s:%zu: module %zu is imported, but the list has only modules 0 to %zu",
                          input->path, input->line, imported, tree->num_modules - 1);
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
                                                : refuse(&input, "a list cannot contain NUL bytes");
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
static void add_word(text_buf *out, const char *bytes, size_t size) {
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

void module_list_write(const library_bin *tree, char *const *names, text_buf *out) {
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
