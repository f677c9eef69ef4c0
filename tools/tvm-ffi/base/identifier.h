/* SPDX-License-Identifier: Apache-2.0 */
/* Names that may stand in sources: ASCII letters, digits and _, a digit not first. */
#ifndef TVM_FFI_TOOL_IDENTIFIER_H_
#define TVM_FFI_TOOL_IDENTIFIER_H_

#include <stdbool.h>
#include <stddef.h>

/* Words of C and of C++: no names in a source for both. */
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

/* Whether it may stand behind the first character. */
bool identifier_has(char c);
bool identifier_is(const char *bytes, size_t size);
/* Whether the text is one of IDENTIFIER_C_WORDS. */
bool identifier_is_c_word(const char *name);
/* The same with _ for what no identifier has; a digit may be first. Of free(). */
char *identifier_make(const char *bytes, size_t size);

#endif /* TVM_FFI_TOOL_IDENTIFIER_H_ */
