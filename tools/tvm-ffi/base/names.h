/* SPDX-License-Identifier: Apache-2.0 */
/* Names: identifiers, names that were misspelt, tables of names, paths of files. */
#ifndef TVM_FFI_TOOL_NAMES_H_
#define TVM_FFI_TOOL_NAMES_H_

#include <stdbool.h>
#include <stddef.h>

/* ---- Identifiers ---- */

/* Names valid in sources: ASCII letters, digits and _, not beginning with a digit. */

/* Keywords of C, those of C++ that are none of C, and both, which cannot be names in a source that
 * is C and C++. */
/* clang-format off */
#define IDENTIFIER_ONLY_C_WORDS                                                                   \
  "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn",  \
  "_Static_assert", "_Thread_local", "alignas", "alignof", "auto", "bool", "break", "case",       \
  "char", "const", "constexpr", "continue", "default", "do", "double", "else", "enum", "extern",  \
  "false", "float", "for", "goto", "if", "inline", "int", "long", "nullptr", "register",          \
  "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "struct",         \
  "switch", "thread_local", "true", "typedef", "typeof", "typeof_unqual", "union", "unsigned",    \
  "void", "volatile", "while"
#define IDENTIFIER_CPP_WORDS                                                                      \
  "and", "and_eq", "asm", "bitand", "bitor", "catch", "char16_t", "char32_t", "char8_t",          \
  "class", "co_await", "co_return", "co_yield", "compl", "concept", "const_cast", "consteval",    \
  "constinit", "decltype", "delete", "dynamic_cast", "explicit", "export", "friend", "mutable",   \
  "namespace", "new", "noexcept", "not", "not_eq", "operator", "or", "or_eq", "private",          \
  "protected", "public", "reinterpret_cast", "requires", "static_cast", "template", "this",       \
  "throw", "try", "typeid", "typename", "using", "virtual", "wchar_t", "xor", "xor_eq"
#define IDENTIFIER_C_WORDS IDENTIFIER_ONLY_C_WORDS, IDENTIFIER_CPP_WORDS
/* clang-format on */

/* Whether the character may follow the first one of an identifier. */
bool identifier_has(char c);
bool identifier_is(const char *bytes, size_t size);
/* Whether the text is one of IDENTIFIER_C_WORDS. */
bool identifier_is_c_word(const char *name);
/* Whether it is one of IDENTIFIER_CPP_WORDS. */
bool identifier_is_cpp_word(const char *name);
/* A copy of the text with _ for every character that no identifier has; it may begin with a digit.
 * Release with free(). */
char *identifier_make(const char *bytes, size_t size);

/* ---- Misspelt names ---- */

/* Finds what was meant by a misspelt name. */

typedef struct {
  const char *given;
  const char *nearest; /* the most similar candidate; NULL: none is similar */
  size_t limit;        /* a candidate that differs in so many letters is another word */
} nearest_name;

/* `given` [borrow] */
nearest_name nearest_begin(const char *given, size_t limit);
/* The limit for names of any length. */
size_t nearest_limit(const char *given);
/* Compares it with one that exists. `candidate` [borrow] */
void nearest_offer(nearest_name *search, const char *candidate);

/* ---- Tables ---- */

/* Names with numbers from 0, in the order in which they were added; starts with zeros. */
typedef struct {
  char **names;
  size_t size;
  size_t *slots; /* a hash table: numbers + 1, 0 where none is */
  size_t num_slots;
} name_table;

/* The number of a name, which is added if it is new: then it is the last one. */
size_t name_table_add(name_table *table, const char *name);
/* The same without adding it; SIZE_MAX if it is not there. */
size_t name_table_find(const name_table *table, const char *name);
void name_table_free(name_table *table);

/* ---- Paths, by the system's rules ---- */

/* File paths as text, by the system's rules. */

/* What follows the folders and the drive; the whole path if it has none. */
const char *path_base(const char *path);
/* Whether the path names a folder or a drive, and not only a file. */
bool path_has_folder(const char *path);
/* Whether it does not depend on the current folder. */
bool path_is_absolute(const char *path);
/* Whether it ends like this. */
bool path_ends_in(const char *path, const char *ending);
/* `name` in the folder of `path`; `name` itself if it is absolute or has a drive. Release with
 * free(). */
char *path_beside(const char *path, const char *name);

#endif /* TVM_FFI_TOOL_NAMES_H_ */
