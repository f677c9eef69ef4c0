/* SPDX-License-Identifier: Apache-2.0 */
/* Names valid in sources: ASCII letters, digits and _, not beginning with a digit. */
#ifndef TVM_FFI_TOOL_IDENTIFIER_H_
#define TVM_FFI_TOOL_IDENTIFIER_H_

#include <stdbool.h>
#include <stddef.h>

/* Keywords of C and of C++, which cannot be names in a source that is both. */
/* clang-format off */
#define IDENTIFIER_C_WORDS                                                                        \
  "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn",  \
  "_Static_assert", "_Thread_local", "alignas", "alignof", "and", "and_eq", "asm", "auto",        \
  "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", \
  "class", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast",        \
  "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do",       \
  "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float",     \
  "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new",          \
  "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected",      \
  "public", "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed",  \
  "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",     \
  "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof",              \
  "typeof_unqual", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",        \
  "while", "xor", "xor_eq"
/* clang-format on */

/* Whether the character may follow the first one of an identifier. */
bool identifier_has(char c);
bool identifier_is(const char *bytes, size_t size);
/* Whether the text is one of IDENTIFIER_C_WORDS. */
bool identifier_is_c_word(const char *name);
/* A copy of the text with _ for every character that no identifier has; it may begin with a digit.
 * Release with free(). */
char *identifier_make(const char *bytes, size_t size);

#endif /* TVM_FFI_TOOL_IDENTIFIER_H_ */
