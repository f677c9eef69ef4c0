/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that become symbols of a program, and what writes them: C in three forms, an object file.
 */
#ifndef TVM_FFI_TOOL_EMBED_H_
#define TVM_FFI_TOOL_EMBED_H_

#include "base/text.h"
#include "file/machine.h"

/* Some bytes; those of a file also by its path, which compilers can read themselves. */
typedef struct {
  const char *path; /* NULL for others */
  const char *bytes;
  size_t size;
} piece;

typedef struct {
  const char *symbol;
  const char *title; /* in the table of contents */
  piece *pieces;     /* one after the other */
  size_t num_pieces;
  size_t size; /* of all */
} blob;

typedef struct {
  const char *name; /* what symbols begin with: an identifier */
  blob *blobs;
  size_t num_blobs;
  bool has_table; /* SYMBOL_size of each, NAME_files[] of all */
  bool has_end;   /* SYMBOL_end behind the last byte, and a NUL there, which ends PTX */
  bool is_exported;
  size_t align;
  const char *section; /* NULL: the compiler's, or .rodata */
  const char *header;  /* that C includes for its declarations; NULL: they are in it */
} embedding;

/* As the words of --format. */
typedef enum { kFormC, kFormC23, kFormIncbin, kFormObject, kFormRaw } embed_form;

void embed_write_c(const embedding *from, embed_form form, text *out);
void embed_write_header(const embedding *from, text *out);
/* False when reported: the machine is not known well enough. */
bool embed_write_object(const embedding *from, const machine *to, text *out);

/* Whether a section may be called so; false when reported. */
bool embed_check_section(const char *name, embed_form form);
/* Whether a name can stand in the quotes of #include and #embed; false when reported, by what it
 * is. */
bool embed_check_quoted(const char *what, const char *name);
/* A text of C, or of the assembler in one: those have the same escapes. */
void embed_add_literal(text *to, const char *value, bool is_nested);
/* A name in a rule of Make; false when reported: none can say it. */
bool embed_add_make_word(text *to, const char *path);

#endif /* TVM_FFI_TOOL_EMBED_H_ */
