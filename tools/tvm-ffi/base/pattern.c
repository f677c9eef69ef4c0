/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pattern.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* ---- Sets in brackets ---- */

static const struct {
  const char *name;
  int (*has)(int letter);
} kClasses[] = {
    {"[:alnum:]", isalnum}, {"[:alpha:]", isalpha}, {"[:blank:]", isblank},
    {"[:cntrl:]", iscntrl}, {"[:digit:]", isdigit}, {"[:graph:]", isgraph},
    {"[:lower:]", islower}, {"[:print:]", isprint}, {"[:punct:]", ispunct},
    {"[:space:]", isspace}, {"[:upper:]", isupper}, {"[:xdigit:]", isxdigit},
};
enum { kNumClasses = sizeof kClasses / sizeof *kClasses };

/* Skips a class at *cursor; false if there is none. */
static bool take_class(const char **cursor, unsigned char letter, bool *out_has) {
  size_t i;
  for (i = 0; i < kNumClasses; ++i) {
    const size_t size = strlen(kClasses[i].name);
    if (strncmp(*cursor, kClasses[i].name, size) != 0) continue;
    *cursor += size;
    *out_has = kClasses[i].has(letter) != 0;
    return true;
  }
  return false;
}

/* Skips a byte of the set; 0 at the end of the pattern. */
static unsigned char take_byte(const char **cursor) {
  if (**cursor == '\\') ++*cursor;
  return **cursor != '\0' ? (unsigned char)*(*cursor)++ : 0;
}

/* Skips the set that begins after the [ at *cursor; false if it does not end, and is no set. */
static bool take_set(const char **cursor, unsigned char letter, bool *out_has) {
  const char *at = *cursor + 1;
  const bool is_inverted = *at == '!' || *at == '^';
  bool has = false, is_first;
  if (is_inverted) ++at;
  for (is_first = true; is_first || *at != ']'; is_first = false) {
    bool has_this = false;
    if (!take_class(&at, letter, &has_this)) {
      const unsigned char low = take_byte(&at);
      unsigned char high = low;
      if (low == 0) return false;
      if (at[0] == '-' && at[1] != ']') {
        ++at;
        high = take_byte(&at);
        if (high == 0) return false;
      }
      has_this = low <= letter && letter <= high;
    }
    has = has || has_this;
  }
  *cursor = at + 1;
  *out_has = has != is_inverted;
  return true;
}

/* ---- Patterns ---- */

/* Skips what stands for one byte; whether that may be `letter`. */
static bool take_one(const char **pattern, unsigned char letter) {
  bool has;
  if (**pattern == '?') {
    ++*pattern;
    return true;
  }
  if (**pattern == '[' && take_set(pattern, letter, &has)) return has;
  return take_byte(pattern) == letter;
}

bool pattern_matches(const char *pattern, const char *text) {
  const char *star = NULL, *covered = NULL; /* the last *, and the end of what it stands for */
  while (*text != '\0') {
    if (*pattern == '*') {
      star = ++pattern;
      covered = text;
    } else if (*pattern != '\0' && take_one(&pattern, (unsigned char)*text)) {
      ++text;
    } else if (star != NULL) {
      pattern = star;
      text = ++covered;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == '\0';
}
