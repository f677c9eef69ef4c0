/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns for names, as shells have them. A header, because the recorder, tools/record, includes
 * it too and links nothing of the tool. */
#ifndef TVM_FFI_TOOL_PATTERN_H_
#define TVM_FFI_TOOL_PATTERN_H_

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What isalpha() and the others say depends on the locale, as in shells. */
static const struct {
  const char *name;
  int (*has)(int letter);
} kPatternClasses[] = {
    {"[:alnum:]", isalnum}, {"[:alpha:]", isalpha}, {"[:blank:]", isblank},
    {"[:cntrl:]", iscntrl}, {"[:digit:]", isdigit}, {"[:graph:]", isgraph},
    {"[:lower:]", islower}, {"[:print:]", isprint}, {"[:punct:]", ispunct},
    {"[:space:]", isspace}, {"[:upper:]", isupper}, {"[:xdigit:]", isxdigit},
};

/* Skips a class at *cursor; false if there is none. */
static inline bool pattern_take_class(const char **cursor, unsigned char letter, bool *out_has) {
  size_t i;
  for (i = 0; i < sizeof kPatternClasses / sizeof *kPatternClasses; ++i) {
    const size_t size = strlen(kPatternClasses[i].name);
    if (strncmp(*cursor, kPatternClasses[i].name, size) != 0) continue;
    *cursor += size;
    *out_has = kPatternClasses[i].has(letter) != 0;
    return true;
  }
  return false;
}

/* Skips a byte of the set; 0 at the end of the pattern. */
static inline unsigned char pattern_take_byte(const char **cursor) {
  if (**cursor == '\\') ++*cursor;
  return **cursor != '\0' ? (unsigned char)*(*cursor)++ : 0;
}

/* Skips the set that begins after the [ at *cursor; false if no ] ends it. */
static inline bool pattern_take_set(const char **cursor, unsigned char letter, bool *out_has) {
  const char *at = *cursor + 1;
  const bool is_inverted = *at == '!' || *at == '^';
  bool has = false, is_first;
  if (is_inverted) ++at;
  for (is_first = true; is_first || *at != ']'; is_first = false) {
    bool has_this = false;
    if (!pattern_take_class(&at, letter, &has_this)) {
      const unsigned char low = pattern_take_byte(&at);
      unsigned char high = low;
      if (low == 0) return false;
      if (at[0] == '-' && at[1] != ']') {
        ++at;
        high = pattern_take_byte(&at);
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

/* Skips what stands for one byte; whether that may be `letter`. */
static inline bool pattern_take_one(const char **pattern, unsigned char letter) {
  bool has;
  if (**pattern == '?') {
    ++*pattern;
    return true;
  }
  if (**pattern == '[' && pattern_take_set(pattern, letter, &has)) return has;
  return pattern_take_byte(pattern) == letter;
}

/* Whether the pattern matches the whole of the text: * is any number of bytes, ? is one byte,
 * [a-z_] is one of these and [!a-z_] is another one, also with classes as in [[:digit:]]. \ takes
 * the special meaning from the next byte; so does [ have none without a ]. */
static inline bool pattern_matches(const char *pattern, const char *text) {
  const char *star = NULL, *covered = NULL; /* the last *, and the end of what it stands for */
  while (*text != '\0') {
    if (*pattern == '*') {
      star = ++pattern;
      covered = text;
    } else if (*pattern != '\0' && pattern_take_one(&pattern, (unsigned char)*text)) {
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

/* Whether one of the patterns does; without a pattern, every text is matched. */
static inline bool patterns_match(const char *const *patterns, size_t count, const char *text) {
  size_t i;
  for (i = 0; i < count; ++i) {
    if (pattern_matches(patterns[i], text)) return true;
  }
  return count == 0;
}

#endif /* TVM_FFI_TOOL_PATTERN_H_ */
