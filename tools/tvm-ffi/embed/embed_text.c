/* SPDX-License-Identifier: Apache-2.0 */
/* Writes C source with the bytes: as numbers, by #embed, or by the assembler's .incbin. */
#include <string.h>

#include "embed/embed.h"

static void add_declarations(const embedding *content, text *out) {
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
    text_add(out, "extern %s_SEEN const unsigned char %s[%zu];\n", content->name, symbol,
             content->blobs[i].size);
    if (content->has_table) {
      text_add(out, "extern %s_SEEN const size_t %s_size;\n", content->name, symbol);
    }
    if (content->has_end) {
      text_add(out, "extern %s_SEEN const unsigned char %s_end[];\n", content->name, symbol);
    }
  }
  if (content->has_table) {
    text_add(out,
             "/* %zu, and one without a name behind them. */\n"
             "extern %s_SEEN const %s_file %s_files[%zu];\n",
             content->num_blobs, content->name, content->name, content->name,
             content->num_blobs + 1);
  }
  text_add(out, "#ifdef __cplusplus\n}\n#endif\n");
}

/* Defines NAME_SEEN, the visibility of the symbols: for other libraries too, or only within the
 * linked output. */
static void add_visibility(const embedding *content, text *out) {
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

void embed_write_header(const embedding *content, text *out) {
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
static void add_numbers(text *out, const piece *part, const char *begin, const char *end,
                        const char *last_end) {
  size_t i;
  for (i = 0; i < part->size; ++i) {
    const char *separator = i + 1 == part->size ? last_end : (i + 1) % kPerLine == 0 ? end : ",";
    text_add(out, "%s%u%s", i % kPerLine == 0 ? begin : "", (unsigned char)part->bytes[i],
             separator);
  }
}

static void add_array(const embedding *content, const blob *entry, embed_form form, text *out) {
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

static void begin_assembler(const embedding *content, text *out) {
  text_add(out, "\n__asm__(\".pushsection %s,\\\"a\\\"\\n\"\n",
           content->section != NULL ? content->section : ".rodata");
}

static void end_assembler(text *out) {
  text_add(out, "        \".popsection\\n\");\n");
}

static void add_label(const embedding *content, const char *symbol, const char *suffix, text *out) {
  text_add(out, "        \".globl %s%s\\n\"\n", symbol, suffix);
  if (!content->is_exported) text_add(out, "        \".hidden %s%s\\n\"\n", symbol, suffix);
  text_add(out, "        \"%s%s:\\n\"\n", symbol, suffix);
}

static void add_assembler_piece(const embedding *content, const piece *whole, text *out) {
  enum { kPart = kPerLine * kMaxLines };
  piece part = *whole;
  size_t offset;
  if (whole->path != NULL) {
    begin_assembler(content, out);
    text_add(out, "        \".incbin ");
    embed_add_literal(out, whole->path, true);
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
static void add_assembler(const embedding *content, const blob *entry, text *out) {
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

static void add_place(const embedding *content, text *out) {
  text_add(out, "#if defined(_MSC_VER)\n#define %s_PLACE __declspec(align(%zu))\n#else\n",
           content->name, content->align);
  text_add(out, "#define %s_PLACE __attribute__((aligned(%zu)", content->name, content->align);
  if (content->section != NULL) text_add(out, ", section(\"%s\")", content->section);
  text_add(out, "))\n#endif\n");
}

static void add_table(const embedding *content, text *out) {
  size_t i;
  text_add(out, "\nconst %s_file %s_files[%zu] = {\n", content->name, content->name,
           content->num_blobs + 1);
  for (i = 0; i < content->num_blobs; ++i) {
    const blob *entry = &content->blobs[i];
    text_add(out, "    {");
    embed_add_literal(out, entry->title, false);
    text_add(out, ", %s, %zu},\n", entry->symbol, entry->size);
  }
  text_add(out, "    {NULL, NULL, 0},\n};\n");
}

void embed_write_c(const embedding *content, embed_form form, text *out) {
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
  for (i = 0; i < content->num_blobs; ++i) {
    const blob *entry = &content->blobs[i];
    if (form == kFormIncbin) {
      add_assembler(content, entry, out);
    } else {
      add_array(content, entry, form, out);
    }
    if (content->has_table) {
      text_add(out, "const size_t %s_size = %zu;\n", entry->symbol, entry->size);
    }
  }
  if (content->has_table) add_table(content, out);
}
