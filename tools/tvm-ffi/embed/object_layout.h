/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of an object file in any format: two sections, symbols in them, and the pointers
 * that the linker fills in. */
#ifndef TVM_FFI_TOOL_OBJECT_LAYOUT_H_
#define TVM_FFI_TOOL_OBJECT_LAYOUT_H_

#include "embed/embed.h"

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

#endif /* TVM_FFI_TOOL_OBJECT_LAYOUT_H_ */
