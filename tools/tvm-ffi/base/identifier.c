/* SPDX-License-Identifier: Apache-2.0 */
#include "base/identifier.h"

#include <string.h>

#include "base/memory.h"

/* <ctype.h> depends on the locale. */
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool identifier_has(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

bool identifier_is(const char *bytes, size_t size) {
  size_t i;
  if (size == 0 || is_digit(*bytes)) return false;
  for (i = 0; i < size; ++i) {
    if (!identifier_has(bytes[i])) return false;
  }
  return true;
}

bool identifier_is_c_word(const char *name) {
  static const char *const kWords[] = {IDENTIFIER_C_WORDS};
  size_t i;
  for (i = 0; i < sizeof kWords / sizeof *kWords; ++i) {
    if (strcmp(name, kWords[i]) == 0) return true;
  }
  return false;
}

char *identifier_make(const char *bytes, size_t size) {
  char *made = tool_copy(bytes, size);
  size_t i;
  for (i = 0; i < size; ++i) {
    if (!identifier_has(made[i])) made[i] = '_';
  }
  return made;
}
