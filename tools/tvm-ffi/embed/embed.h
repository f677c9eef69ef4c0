/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to be embedded as symbols, and the writers: C in four forms, and object files in three
 * formats. */
#ifndef TVM_FFI_TOOL_EMBED_H_
#define TVM_FFI_TOOL_EMBED_H_

#include "base/text.h"
#include "file/binary_file.h"

/* Some bytes; for those of a file also its path, since compilers can read files themselves. */
typedef struct {
  const char *path; /* NULL if not from a file */
  const char *bytes;
  size_t size;
} piece;

typedef struct {
  const char *symbol;
  const char *title; /* in the table of contents */
  piece *pieces;     /* concatenated */
  size_t num_pieces;
  size_t size; /* of all pieces */
} blob;

typedef struct {
  const char *name; /* prefix of the symbols: an identifier */
  blob *blobs;
  size_t num_blobs;
  bool has_table; /* there is SYMBOL_size for each, NAME_files[] for all */
  bool has_end;   /* SYMBOL_end follows the last byte, where a NUL is added to terminate PTX */
  bool is_exported;
  bool is_text; /* each symbol is a union of string literals and the bytes */
  size_t align;
  const char *section; /* NULL: the compiler's choice, or .rodata */
  const char *header;  /* included for the declarations; NULL: the source has them itself */
} embedding;

/* In the order of the words of --format. */
typedef enum {
  kFormC,
  kFormString,
  kFormC23,
  kFormIncbin,
  kFormObject, /* one of the following three: that of this program's system */
  kFormElf,
  kFormCoff,
  kFormMachO,
  kFormRaw
} embed_form;

void embed_write_c(const embedding *content, embed_form form, text_buf *out);
void embed_write_header(const embedding *content, text_buf *out);
/* False after a report that the format has no such machine, or cannot hold this. */
bool embed_write_elf(const embedding *content, const machine *target, text_buf *out);
bool embed_write_coff(const embedding *content, const machine *target, text_buf *out);
bool embed_write_macho(const embedding *content, const machine *target, text_buf *out);

/* Whether a section may have this name; false after a report. */
bool embed_check_section(const char *name, embed_form form);
/* Whether a name can be quoted in #include and #embed; false after a report, in which `subject`
 * names it. */
bool embed_check_quoted(const char *subject, const char *name);
/* Adds a file name to a rule of Make; false after a report that Make has no escape for it. */
bool embed_add_make_word(text_buf *out, const char *path);

/* ---- Object files: object_layout.c ---- */

/* The contents of an object file in any format: two sections, symbols in them, and the pointers
 * that the linker fills in. */

typedef struct {
  char *name;
  bool is_in_table; /* else in the bytes */
  uint64_t value;   /* offset in its section */
  uint64_t size;    /* 0: a label */
} object_symbol;

enum { kBytesSection = -1 };

/* A pointer in the table; the table holds zeros in its place. */
typedef struct {
  uint64_t offset; /* in the table */
  int64_t symbol;  /* index of the symbol that it points to, or kBytesSection */
  uint64_t addend; /* bytes after that symbol, or after the beginning of the bytes */
} object_pointer;

typedef struct {
  const machine *target;
  uint64_t bytes_align; /* the table is aligned to a word */
  text_buf bytes;       /* all files, with the titles and sizes after each */
  text_buf table;       /* empty without a table of contents */
  object_symbol *symbols;
  size_t num_symbols;
  object_pointer *pointers; /* in the order of their offsets */
  size_t num_pointers;
} object_layout;

void object_layout_make(const embedding *content, const machine *target, object_layout *out);
/* Writes the addends into the table, for formats whose relocations have none. */
void object_layout_store_addends(object_layout *layout);
void object_layout_free(object_layout *layout);

/* The size of a pointer. */
size_t object_word(const machine *target);
/* Adds a number in the target's byte order. */
void object_add_number(const machine *target, text_buf *out, uint64_t value, size_t size);
/* Adds zeros up to a multiple of `align`. */
void object_align(text_buf *out, uint64_t align);
/* Whether the file's 32-bit offsets reach all of it; false after a report. */
bool object_check_size(const char *format, const text_buf *out);

#endif /* TVM_FFI_TOOL_EMBED_H_ */
