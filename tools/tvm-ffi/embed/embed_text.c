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

/* A text of C, or of the assembler in one: those have the same escapes. */
static void add_literal(text *to, const char *value, bool is_nested) {
  const char *quote = is_nested ? "\\\"" : "\"";
  text_add(to, "%s", quote);
  for (; *value != '\0'; ++value) {
    if (*value == '"' || *value == '\\') {
      text_add(to, is_nested ? "\\\\\\%c" : "\\%c", *value);
    } else if ((unsigned char)*value < 0x20) {
      text_add(to, is_nested ? "\\\\%03o" : "\\%03o", (unsigned)(unsigned char)*value);
    } else {
      text_add_bytes(to, value, 1);
    }
  }
  text_add(to, "%s", quote);
}

/* Numbers with commas between them, in lines that begin and end like this. */
static void add_numbers(text *to, const piece *from, const char *begin, const char *end,
                        const char *last_end) {
  enum { kPerLine = 24 };
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

static void add_assembler(const embedding *from, const blob *one, text *out) {
  size_t i;
  text_add(out,
           "\n__asm__(\".pushsection %s,\\\"a\\\"\\n.balign %zu\\n.globl %s\\n"
           ".type %s,%%object\\n.size %s,%zu\\n%s:\\n\"\n",
           from->section != NULL ? from->section : ".rodata", from->align, one->symbol, one->symbol,
           one->symbol, one->size, one->symbol);
  for (i = 0; i < one->num_pieces; ++i) {
    if (one->pieces[i].path != NULL) {
      text_add(out, "        \".incbin ");
      add_literal(out, one->pieces[i].path, true);
      text_add(out, "\\n\"\n");
    } else {
      add_numbers(out, &one->pieces[i], "        \".byte ", "\\n\"\n", "\\n\"\n");
    }
  }
  if (from->has_end) {
    text_add(out, "        \".globl %s_end\\n%s_end:\\n.byte 0\\n\"\n", one->symbol, one->symbol);
  }
  if (!from->is_exported) {
    text_add(out, "        \".hidden %s\\n\"\n", one->symbol);
    if (from->has_end) text_add(out, "        \".hidden %s_end\\n\"\n", one->symbol);
  }
  text_add(out, "        \".popsection\\n\");\n");
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
    add_literal(out, one->title, false);
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
