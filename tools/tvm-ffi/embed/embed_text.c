/* SPDX-License-Identifier: Apache-2.0 */
/* C with the bytes: as numbers, by #embed, or by the assembler's .incbin. */
#include <string.h>

#include "embed/embed.h"

static void add_declarations(const embedding *from, text *out) {
  size_t i;
  text_add(out, "#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
  if (from->has_table) {
    text_add(out,
             "typedef struct {\n  const char *name;\n  const unsigned char *data;\n  size_t size;\n"
             "} %s_file;\n\n",
             from->name);
  }
  for (i = 0; i < from->num_blobs; ++i) {
    const char *symbol = from->blobs[i].symbol;
    text_add(out, "extern %s_SEEN const unsigned char %s[%zu];\n", from->name, symbol,
             from->blobs[i].size);
    if (from->has_table) {
      text_add(out, "extern %s_SEEN const size_t %s_size;\n", from->name, symbol);
    }
    if (from->has_end) {
      text_add(out, "extern %s_SEEN const unsigned char %s_end[];\n", from->name, symbol);
    }
  }
  if (from->has_table) {
    text_add(out,
             "/* %zu, and one without a name behind them. */\n"
             "extern %s_SEEN const %s_file %s_files[%zu];\n",
             from->num_blobs, from->name, from->name, from->name, from->num_blobs + 1);
  }
  text_add(out, "#ifdef __cplusplus\n}\n#endif\n");
}

/* Who sees the symbols: other libraries, or only those that are linked with them. */
static void add_visibility(const embedding *from, text *out) {
  text_add(out, "#if defined(__GNUC__)\n#define %s_SEEN __attribute__((visibility(\"%s\")))\n",
           from->name, from->is_exported ? "default" : "hidden");
  if (from->is_exported) {
    text_add(out, "#elif defined(_WIN32)\n#define %s_SEEN __declspec(dllexport)\n", from->name);
  }
  text_add(out, "#else\n#define %s_SEEN\n#endif\n", from->name);
}

void embed_write_header(const embedding *from, text *out) {
  text_add(out, "/* Written by tvm-ffi embed. */\n#ifndef %s_FILES_H_\n#define %s_FILES_H_\n\n",
           from->name, from->name);
  add_visibility(from, out);
  add_declarations(from, out);
  text_add(out, "\n#undef %s_SEEN\n#endif\n", from->name);
}

/* Numbers of this many lines, and a path, are no longer than a text of C99 may be. */
enum { kPerLine = 24, kMaxLines = 24 };

/* Numbers with commas between them, in lines that begin and end like this. */
static void add_numbers(text *to, const piece *from, const char *begin, const char *end,
                        const char *last_end) {
  size_t i;
  for (i = 0; i < from->size; ++i) {
    const char *behind = i + 1 == from->size ? last_end : (i + 1) % kPerLine == 0 ? end : ",";
    text_add(to, "%s%u%s", i % kPerLine == 0 ? begin : "", (unsigned char)from->bytes[i], behind);
  }
}

static void add_array(const embedding *from, const blob *one, embed_form form, text *out) {
  size_t i;
  text_add(out, "\n%s_PLACE const unsigned char %s[%zu] = {\n", from->name, one->symbol, one->size);
  for (i = 0; i < one->num_pieces; ++i) {
    if (i > 0) text_add(out, ",\n");
    if (form == kFormC23 && one->pieces[i].path != NULL) {
      text_add(out, "#embed \"%s\"", one->pieces[i].path);
    } else {
      add_numbers(out, &one->pieces[i], "", ",\n", "");
    }
    /* The comma behind #embed must be on a line of its own. */
    if (form == kFormC23 && i + 1 < one->num_pieces) text_add(out, "\n");
  }
  text_add(out, "\n};\n");
}

static void begin_assembler(const embedding *from, text *out) {
  text_add(out, "\n__asm__(\".pushsection %s,\\\"a\\\"\\n\"\n",
           from->section != NULL ? from->section : ".rodata");
}

static void end_assembler(text *out) {
  text_add(out, "        \".popsection\\n\");\n");
}

static void add_label(const embedding *from, const char *symbol, const char *suffix, text *out) {
  text_add(out, "        \".globl %s%s\\n\"\n", symbol, suffix);
  if (!from->is_exported) text_add(out, "        \".hidden %s%s\\n\"\n", symbol, suffix);
  text_add(out, "        \"%s%s:\\n\"\n", symbol, suffix);
}

static void add_assembler_piece(const embedding *from, const piece *one, text *out) {
  enum { kPart = kPerLine * kMaxLines };
  piece part = *one;
  size_t at;
  if (one->path != NULL) {
    begin_assembler(from, out);
    text_add(out, "        \".incbin ");
    embed_add_literal(out, one->path, true);
    text_add(out, "\\n\"\n");
    end_assembler(out);
    return;
  }
  for (at = 0; at < one->size; at += part.size) {
    part.bytes = one->bytes + at;
    part.size = one->size - at < kPart ? one->size - at : kPart;
    begin_assembler(from, out);
    add_numbers(out, &part, "        \".byte ", "\\n\"\n", "\\n\"\n");
    end_assembler(out);
  }
}

/* Nothing comes between statements that follow each other. */
static void add_assembler(const embedding *from, const blob *one, text *out) {
  size_t i;
  begin_assembler(from, out);
  text_add(out, "        \".balign %zu\\n.type %s,%%object\\n.size %s,%zu\\n\"\n", from->align,
           one->symbol, one->symbol, one->size);
  add_label(from, one->symbol, "", out);
  end_assembler(out);
  for (i = 0; i < one->num_pieces; ++i) add_assembler_piece(from, &one->pieces[i], out);
  if (!from->has_end) return;
  begin_assembler(from, out);
  add_label(from, one->symbol, "_end", out);
  text_add(out, "        \".byte 0\\n\"\n");
  end_assembler(out);
}

static void add_place(const embedding *from, text *out) {
  text_add(out, "#if defined(_MSC_VER)\n#define %s_PLACE __declspec(align(%zu))\n#else\n",
           from->name, from->align);
  text_add(out, "#define %s_PLACE __attribute__((aligned(%zu)", from->name, from->align);
  if (from->section != NULL) text_add(out, ", section(\"%s\")", from->section);
  text_add(out, "))\n#endif\n");
}

static void add_table(const embedding *from, text *out) {
  size_t i;
  text_add(out, "\nconst %s_file %s_files[%zu] = {\n", from->name, from->name, from->num_blobs + 1);
  for (i = 0; i < from->num_blobs; ++i) {
    const blob *one = &from->blobs[i];
    text_add(out, "    {");
    embed_add_literal(out, one->title, false);
    text_add(out, ", %s, %zu},\n", one->symbol, one->size);
  }
  text_add(out, "    {NULL, NULL, 0},\n};\n");
}

void embed_write_c(const embedding *from, embed_form form, text *out) {
  size_t i;
  text_add(out, "/* Written by tvm-ffi embed. */\n");
  if (from->header != NULL) {
    text_add(out, "#include \"%s\"\n", from->header);
  } else {
    add_visibility(from, out);
    add_declarations(from, out);
  }
  text_add(out, "\n");
  if (form != kFormIncbin) add_place(from, out);
  for (i = 0; i < from->num_blobs; ++i) {
    const blob *one = &from->blobs[i];
    if (form == kFormIncbin) {
      add_assembler(from, one, out);
    } else {
      add_array(from, one, form, out);
    }
    if (from->has_table) text_add(out, "const size_t %s_size = %zu;\n", one->symbol, one->size);
  }
  if (from->has_table) add_table(from, out);
}
