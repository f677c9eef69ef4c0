/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "embed/embed.h"

/* ---- Names ---- */

/* Checks and quotes names of files and sections, which may contain any character, for sources and
 * rules. */

/* Sections that every object file has already, or names that assemblers take for tables of
 * relocations. */
static bool is_own_section(const char *name) {
  static const char *const kOwn[] = {".symtab",         ".strtab",  ".shstrtab",
                                     ".note.GNU-stack", ".drectve", NULL};
  return text_find(name, kOwn) != NULL || text_begins(name, ".rel");
}

static bool refuse(const char *subject, const char *expected, const char *name) {
  char *shown = text_escape(name, strlen(name));
  report_error("%s must be %s, not \"%s\"", subject, expected, shown);
  free(shown);
  return false;
}

/* Whether the name is "SEGMENT,SECTION", the two names that a section has in a Mach-O file. */
static bool is_pair(const char *name) {
  enum { kLongest = 16 };
  const char *comma = strchr(name, ',');
  const size_t length = comma != NULL ? strlen(comma + 1) : 0;
  return comma != NULL && comma > name && comma - name <= kLongest && length > 0 &&
         length <= kLongest && strchr(comma + 1, ',') == NULL;
}

bool embed_check_section(const char *name, embed_form form) {
  const char *cursor = name;
  if (is_own_section(name)) return refuse("--section", "a section for data", name);
  if (form == kFormElf || form == kFormCoff) {
    return *name != '\0' || refuse("--section", "a name", name);
  }
  if (form == kFormMachO) {
    return is_pair(name) || refuse("--section", "SEGMENT,SECTION of 1 to 16 bytes each", name);
  }
  /* Compilers copy the name unquoted into the assembler source. */
  while (*cursor != '\0' && (identifier_has(*cursor) || strchr("._$+/-", *cursor) != NULL)) {
    ++cursor;
  }
  if (cursor > name && *cursor == '\0') return true;
  return refuse("--section", "a name of letters, digits and . _ $ + / -", name);
}

/* Between these quotes there are no escape sequences. */
bool embed_check_quoted(const char *subject, const char *name) {
  const char *cursor;
  for (cursor = name; *cursor != '\0'; ++cursor) {
    const bool is_trigraph = cursor[0] == '?' && cursor[1] == '?'; /* or the beginning of one */
    if (is_trigraph || (unsigned char)*cursor < 0x20 || strchr("\"\\\177", *cursor) != NULL) {
      return refuse(subject, "a name without \" and \\, ?? and control characters", name);
    }
  }
  return true;
}

/* Adds a C string literal, or with `is_nested` one of the assembler within one of C; their escapes
 * are the same. */
static void add_literal(text_buf *out, const char *value, bool is_nested) {
  const char *quote = is_nested ? "\\\"" : "\"";
  text_add(out, "%s", quote);
  for (; *value != '\0'; ++value) {
    const unsigned char byte = (unsigned char)*value;
    if (byte == '"' || byte == '\\') {
      text_add(out, is_nested ? "\\\\\\%c" : "\\%c", byte);
    } else if (byte < 0x20 || byte >= 0x7f) {
      text_add(out, is_nested ? "\\\\%03o" : "\\%03o", (unsigned)byte);
    } else {
      /* \? prevents a trigraph. */
      text_add(out, byte == '?' ? "\\%c" : "%c", byte);
    }
  }
  text_add(out, "%s", quote);
}

/* Whether Make's rules can express the path: some characters have no escape. */
static bool can_rule(const char *path) {
  const size_t size = strlen(path);
  return path[strcspn(path, "\n\r;|=")] == '\0' && size > 0 &&
         strchr(" \t\\", path[size - 1]) == NULL;
}

/* Backslashes are escaped only before a character that itself needs one. */
bool embed_add_make_word(text_buf *out, const char *path) {
  size_t backslashes = 0;
  const char *cursor;
  if (!can_rule(path)) {
    char *shown = text_escape(path, strlen(path));
    report_error(
        "--depfile: no rule can have a file whose name contains ; | = or a line break, or ends "
        "with a space or \\: \"%s\"",
        shown);
    free(shown);
    return false;
  }
  for (cursor = path; *cursor != '\0'; ++cursor) {
    if (*cursor == '$') text_add(out, "$");
    if (strchr(" \t#:", *cursor) != NULL) {
      while (backslashes-- > 0) text_add(out, "\\");
      text_add(out, "\\");
    }
    backslashes = *cursor == '\\' ? backslashes + 1 : 0;
    text_add_bytes(out, cursor, 1);
  }
  return true;
}

/* ---- Sources ---- */

/* Writes C source with the bytes: as numbers, as string literals, by #embed, or by the assembler's
 * .incbin. */

/* Compilers read string literals 15 to 30 times as fast as numbers. C99 guarantees 4095 characters
 * in one, so a symbol is an array of rows, each a literal of lines, and what is left. It is a union
 * with the bytes, which a macro of its name stands for. */
enum { kLineBytes = 64, kRowBytes = 63 * kLineBytes };

/* Appends the type SYMBOL_text. */
static void add_text_type(const blob *entry, text_buf *out) {
  const size_t num_rows = entry->size / kRowBytes, rest = entry->size % kRowBytes;
  text_add(out, "typedef union {\n  struct {\n");
  if (num_rows > 0) text_add(out, "    unsigned char rows[%zu][%d];\n", num_rows, kRowBytes);
  if (rest > 0) text_add(out, "    unsigned char rest[%zu];\n", rest);
  text_add(out, "  } text;\n  unsigned char bytes[%zu];\n} %s_text;\n", entry->size, entry->symbol);
}

static void add_declarations(const embedding *content, text_buf *out) {
  size_t i;
  text_add(out, "#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
  if (content->has_table) {
    text_add(out,
             "typedef struct {\n  const char *name;\n  const unsigned char *data;\n  size_t size;\n"
             "} %s_file;\n\n",
             content->name);
  }
  for (i = 0; i < content->num_blobs; ++i) {
    const char *symbol = content->blobs[i].symbol;
    if (content->is_text) {
      add_text_type(&content->blobs[i], out);
      text_add(out, "extern %s_SEEN const %s_text %s;\n#define %s (%s.bytes)\n", content->name,
               symbol, symbol, symbol, symbol);
    } else {
      text_add(out, "extern %s_SEEN const unsigned char %s[%zu];\n", content->name, symbol,
               content->blobs[i].size);
    }
    if (content->has_table) {
      text_add(out, "extern %s_SEEN const size_t %s_size;\n", content->name, symbol);
    }
    if (content->has_end) {
      text_add(out, "extern %s_SEEN const unsigned char %s_end[];\n", content->name, symbol);
    }
  }
  if (content->has_table) {
    text_add(out,
             "/* %zu, and one without a name after them. */\n"
             "extern %s_SEEN const %s_file %s_files[%zu];\n",
             content->num_blobs, content->name, content->name, content->name,
             content->num_blobs + 1);
  }
  text_add(out, "#ifdef __cplusplus\n}\n#endif\n");
}

/* Defines NAME_SEEN, the visibility of the symbols: for other libraries too, or only within the
 * linked output. */
static void add_visibility(const embedding *content, text_buf *out) {
  const char *name = content->name;
  if (content->is_exported) {
    text_add(out, "#if defined(_WIN32)\n#define %s_SEEN __declspec(dllexport)\n", name);
  }
  text_add(out, "%s\n#define %s_SEEN __attribute__((visibility(\"%s\")))\n",
           content->is_exported ? "#elif defined(__GNUC__)"
                                : "#if defined(__GNUC__) && !defined(_WIN32)",
           name, content->is_exported ? "default" : "hidden");
  text_add(out, "#else\n#define %s_SEEN\n#endif\n", name);
}

void embed_write_header(const embedding *content, text_buf *out) {
  text_add(out, "/* Written by tvm-ffi embed. */\n#ifndef %s_FILES_H_\n#define %s_FILES_H_\n\n",
           content->name, content->name);
  add_visibility(content, out);
  add_declarations(content, out);
  text_add(out, "\n#undef %s_SEEN\n#endif\n", content->name);
}

/* String literals of this many lines, or with a path, stay within the limit of C99 (4095
 * characters). */
enum { kPerLine = 24, kMaxLines = 24 };

/* Adds comma-separated numbers, in lines enclosed in `begin` and `end`. */
static void add_numbers(text_buf *out, const piece *part, const char *begin, const char *end,
                        const char *last_end) {
  size_t i;
  for (i = 0; i < part->size; ++i) {
    const char *separator = i + 1 == part->size ? last_end : (i + 1) % kPerLine == 0 ? end : ",";
    text_add(out, "%s%u%s", i % kPerLine == 0 ? begin : "", (unsigned char)part->bytes[i],
             separator);
  }
}

static void add_array(const embedding *content, const blob *entry, embed_form form, text_buf *out) {
  size_t i;
  text_add(out, "\n%s_PLACE const unsigned char %s[%zu] = {\n", content->name, entry->symbol,
           entry->size);
  for (i = 0; i < entry->num_pieces; ++i) {
    if (i > 0) text_add(out, ",\n");
    if (form == kFormC23 && entry->pieces[i].path != NULL) {
      text_add(out, "#embed \"%s\"", entry->pieces[i].path);
    } else {
      add_numbers(out, &entry->pieces[i], "", ",\n", "");
    }
    /* The comma after #embed must be on a line of its own. */
    if (form == kFormC23 && i + 1 < entry->num_pieces) text_add(out, "\n");
  }
  text_add(out, "\n};\n");
}

/* Adds a line of a string literal. An escape sequence of octal digits ends before a character that
 * is none, or after three; \? prevents a trigraph. */
static void add_line(text_buf *out, const unsigned char *bytes, size_t size) {
  char line[4 * kLineBytes + 2], *end = line;
  size_t i;
  *end++ = '"';
  for (i = 0; i < size; ++i) {
    const unsigned char byte = bytes[i];
    const bool is_plain = byte >= 0x20 && byte < 0x7f;
    const bool is_long = i + 1 < size && bytes[i + 1] >= '0' && bytes[i + 1] <= '7';
    if (!is_plain || strchr("\"\\?", byte) != NULL) *end++ = '\\';
    if (is_plain) {
      *end++ = (char)byte;
      continue;
    }
    if (is_long || byte >= 0100) *end++ = (char)('0' + (byte >> 6));
    if (is_long || byte >= 010) *end++ = (char)('0' + (byte >> 3 & 7));
    *end++ = (char)('0' + (byte & 7));
  }
  *end++ = '"';
  text_add_bytes(out, line, (size_t)(end - line));
}

static void add_lines(text_buf *out, const unsigned char *bytes, size_t size) {
  size_t i;
  for (i = 0; i < size; i += kLineBytes) {
    text_add(out, "\n");
    add_line(out, bytes + i, size - i < kLineBytes ? size - i : kLineBytes);
  }
}

static void add_text(const embedding *content, const blob *entry, text_buf *out) {
  unsigned char *bytes = tool_alloc(entry->size);
  size_t offset = 0, i;
  for (i = 0; i < entry->num_pieces; ++i) {
    memcpy(bytes + offset, entry->pieces[i].bytes, entry->pieces[i].size);
    offset += entry->pieces[i].size;
  }
  text_add(out, "\n#undef %s\n%s_PLACE const %s_text %s = {{", entry->symbol, content->name,
           entry->symbol, entry->symbol);
  for (offset = 0; offset + kRowBytes <= entry->size; offset += kRowBytes) {
    text_add(out, offset == 0 ? "\n{" : ",\n");
    add_lines(out, bytes + offset, kRowBytes);
  }
  if (offset > 0) text_add(out, "\n}");
  if (offset > 0 && offset < entry->size) text_add(out, ",");
  add_lines(out, bytes + offset, entry->size - offset);
  text_add(out, "\n}};\n#define %s (%s.bytes)\n", entry->symbol, entry->symbol);
  free(bytes);
}

/* A literal that fills its array has no NUL, which C++ refuses, and which new compilers warn of. */
static void begin_texts(text_buf *out) {
  text_add(out,
           "#if defined(__cplusplus)\n"
           "#error \"a file of tvm-ffi embed --format=string is C: compile it as C\"\n"
           "#elif 'A' != 65 || '~' != 126\n"
           "#error \"string literals must have the codes of ASCII\"\n"
           "#endif\n"
           "#if defined(__clang__)\n"
           "#pragma clang diagnostic push\n"
           "#if __has_warning(\"-Wunterminated-string-initialization\")\n"
           "#pragma clang diagnostic ignored \"-Wunterminated-string-initialization\"\n"
           "#endif\n"
           "#elif defined(__GNUC__) && __GNUC__ >= 15\n"
           "#pragma GCC diagnostic push\n"
           "#pragma GCC diagnostic ignored \"-Wunterminated-string-initialization\"\n"
           "#endif\n");
}

static void end_texts(text_buf *out) {
  text_add(out,
           "\n"
           "#if defined(__clang__)\n"
           "#pragma clang diagnostic pop\n"
           "#elif defined(__GNUC__) && __GNUC__ >= 15\n"
           "#pragma GCC diagnostic pop\n"
           "#endif\n");
}

static void begin_assembler(const embedding *content, text_buf *out) {
  text_add(out, "\n__asm__(\".pushsection %s,\\\"a\\\"\\n\"\n",
           content->section != NULL ? content->section : ".rodata");
}

static void end_assembler(text_buf *out) {
  text_add(out, "        \".popsection\\n\");\n");
}

static void add_label(const embedding *content, const char *symbol, const char *suffix,
                      text_buf *out) {
  text_add(out, "        \".globl %s%s\\n\"\n", symbol, suffix);
  if (!content->is_exported) text_add(out, "        \".hidden %s%s\\n\"\n", symbol, suffix);
  text_add(out, "        \"%s%s:\\n\"\n", symbol, suffix);
}

static void add_assembler_piece(const embedding *content, const piece *whole, text_buf *out) {
  enum { kPart = kPerLine * kMaxLines };
  piece part = *whole;
  size_t offset;
  if (whole->path != NULL) {
    begin_assembler(content, out);
    text_add(out, "        \".incbin ");
    add_literal(out, whole->path, true);
    text_add(out, "\\n\"\n");
    end_assembler(out);
    return;
  }
  for (offset = 0; offset < whole->size; offset += part.size) {
    part.bytes = whole->bytes + offset;
    part.size = whole->size - offset < kPart ? whole->size - offset : kPart;
    begin_assembler(content, out);
    add_numbers(out, &part, "        \".byte ", "\\n\"\n", "\\n\"\n");
    end_assembler(out);
  }
}

/* Several statements are safe: the compiler puts nothing between consecutive ones. */
static void add_assembler(const embedding *content, const blob *entry, text_buf *out) {
  size_t i;
  begin_assembler(content, out);
  text_add(out, "        \".balign %zu\\n.type %s,%%object\\n.size %s,%zu\\n\"\n", content->align,
           entry->symbol, entry->symbol, entry->size);
  add_label(content, entry->symbol, "", out);
  end_assembler(out);
  for (i = 0; i < entry->num_pieces; ++i) add_assembler_piece(content, &entry->pieces[i], out);
  if (!content->has_end) return;
  begin_assembler(content, out);
  add_label(content, entry->symbol, "_end", out);
  text_add(out, "        \".byte 0\\n\"\n");
  end_assembler(out);
}

static void add_place(const embedding *content, text_buf *out) {
  text_add(out, "#if defined(_MSC_VER)\n#define %s_PLACE __declspec(align(%zu))\n#else\n",
           content->name, content->align);
  text_add(out, "#define %s_PLACE __attribute__((aligned(%zu)", content->name, content->align);
  if (content->section != NULL) text_add(out, ", section(\"%s\")", content->section);
  text_add(out, "))\n#endif\n");
}

static void add_table(const embedding *content, text_buf *out) {
  size_t i;
  text_add(out, "\nconst %s_file %s_files[%zu] = {\n", content->name, content->name,
           content->num_blobs + 1);
  for (i = 0; i < content->num_blobs; ++i) {
    const blob *entry = &content->blobs[i];
    text_add(out, "    {");
    add_literal(out, entry->title, false);
    text_add(out, ", %s, %zu},\n", entry->symbol, entry->size);
  }
  text_add(out, "    {NULL, NULL, 0},\n};\n");
}

void embed_write_c(const embedding *content, embed_form form, text_buf *out) {
  size_t i;
  text_add(out, "/* Written by tvm-ffi embed. */\n");
  if (content->header != NULL) {
    text_add(out, "#include \"%s\"\n", content->header);
  } else {
    add_visibility(content, out);
    add_declarations(content, out);
  }
  text_add(out, "\n");
  if (form != kFormIncbin) add_place(content, out);
  if (form == kFormString) begin_texts(out);
  for (i = 0; i < content->num_blobs; ++i) {
    const blob *entry = &content->blobs[i];
    if (form == kFormIncbin) {
      add_assembler(content, entry, out);
    } else if (form == kFormString) {
      add_text(content, entry, out);
    } else {
      add_array(content, entry, form, out);
    }
    if (content->has_table) {
      text_add(out, "const size_t %s_size = %zu;\n", entry->symbol, entry->size);
    }
  }
  if (content->has_table) add_table(content, out);
  if (form == kFormString) end_texts(out);
  /* The next file of the same source may have the same name, and other values. */
  text_add(out, "\n");
  if (form != kFormIncbin) text_add(out, "#undef %s_PLACE\n", content->name);
  if (content->header != NULL) return;
  text_add(out, "#undef %s_SEEN\n", content->name);
  for (i = 0; form == kFormString && i < content->num_blobs; ++i) {
    text_add(out, "#undef %s\n", content->blobs[i].symbol);
  }
}
