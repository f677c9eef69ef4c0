/* SPDX-License-Identifier: Apache-2.0 */
#include "base/argument_scanner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"

/* The end of the value that begins at s->pos; NULL if a bracket or a quote is not closed. */
static const char *find_end(const scan *s) {
  const char *cursor = s->pos;
  int depth = 0;
  bool quoted = false;
  if (!s->nested) return s->end;
  for (; cursor < s->end; ++cursor) {
    if (quoted) {
      if (*cursor == '\\' && cursor + 1 < s->end)
        ++cursor;
      else if (*cursor == '"')
        quoted = false;
    } else if (*cursor == '"') {
      quoted = true;
    } else if (strchr("[{(", *cursor) != NULL) {
      ++depth;
    } else if (strchr("]})", *cursor) != NULL) {
      if (depth-- == 0) return cursor;
    } else if (*cursor == ',' && depth == 0) {
      return cursor;
    }
  }
  return depth > 0 || quoted ? NULL : cursor;
}

int scan_measure(const scan *s, const char *pos) {
  size_t size = pos < s->end ? tvmffi_utf8_measure(pos, (size_t)(s->end - pos)) : 0;
  return pos < s->end && size == 0 ? 1 : (int)size;
}

bool scan_fail(const scan *s, const char *format, ...) {
  enum { kShown = 60 };
  scan whole = *s;
  const char *end;
  size_t size, shown;
  text_buf message = {NULL, 0, 0};
  va_list values;
  whole.pos = s->begin;
  end = find_end(&whole);
  size = shown = (size_t)((end != NULL ? end : s->end) - s->begin);
  if (size > kShown) shown = tvmffi_utf8_cut(s->begin, kShown);
  text_add_bytes(&message, "", 0);
  va_start(values, format);
  text_add_list(&message, format, values);
  va_end(values);
  report_error("%s (`%.*s%s`): %s", s->label, (int)shown, s->begin, shown < size ? "..." : "",
               message.data);
  text_free(&message);
  return false;
}

bool scan_fail_raised(const scan *s) {
  char *message = runtime_error_take_message();
  scan_fail(s, "%s", message);
  free(message);
  return false;
}

void scan_skip_space(scan *s) {
  while (s->pos < s->end && isspace((unsigned char)*s->pos)) ++s->pos;
}

bool scan_take(scan *s, char c) {
  const char *start = s->pos;
  scan_skip_space(s);
  if (s->pos < s->end && *s->pos == c) {
    ++s->pos;
    return true;
  }
  s->pos = start;
  return false;
}

bool scan_take_prefix(scan *s, const char *prefix) {
  size_t size = strlen(prefix);
  if ((size_t)(s->end - s->pos) < size || memcmp(s->pos, prefix, size) != 0) return false;
  s->pos += size;
  return true;
}

bool scan_at_end(scan *s) {
  scan_skip_space(s);
  return s->pos == s->end;
}

char *scan_take_rest(scan *s) {
  const char *begin, *end = find_end(s), *next = end;
  if (end == NULL) {
    scan_fail(s, "a bracket or a quote is not closed");
    return NULL;
  }
  scan_skip_space(s);
  begin = s->pos < end ? s->pos : end;
  while (end > begin && isspace((unsigned char)end[-1])) --end;
  s->pos = next;
  return tool_copy(begin, (size_t)(end - begin));
}

static bool take_hex(scan *s, int digits, unsigned *out) {
  *out = 0;
  for (; digits > 0; --digits, ++s->pos) {
    int c = s->pos < s->end ? tolower((unsigned char)*s->pos) : 0;
    if (!isxdigit(c)) return scan_fail(s, "an escape sequence lacks hexadecimal digits");
    *out = *out * 16 + (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
  }
  return true;
}

static void add_utf8(text_buf *out, unsigned code) {
  char bytes[3];
  if (code < 0x80) {
    bytes[0] = (char)code;
    text_add_bytes(out, bytes, 1);
  } else if (code < 0x800) {
    bytes[0] = (char)(0xc0 | code >> 6);
    bytes[1] = (char)(0x80 | (code & 0x3f));
    text_add_bytes(out, bytes, 2);
  } else {
    bytes[0] = (char)(0xe0 | code >> 12);
    bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
    bytes[2] = (char)(0x80 | (code & 0x3f));
    text_add_bytes(out, bytes, 3);
  }
}

/* Appends the character of the escape sequence whose backslash was just read. */
static bool take_escape(scan *s, text_buf *out) {
  static const char kLetters[] = "\"\\/ntr0", kMeant[] = "\"\\/\n\t\r";
  const char *found;
  unsigned code;
  const char *begin = s->pos;
  char letter = s->pos < s->end ? *s->pos++ : '\0';
  if (letter == 'x' || letter == 'u') {
    if (!take_hex(s, letter == 'x' ? 2 : 4, &code)) return false;
    if (letter == 'u') {
      add_utf8(out, code);
    } else {
      char byte = (char)code;
      text_add_bytes(out, &byte, 1);
    }
    return true;
  }
  found = letter != '\0' ? strchr(kLetters, letter) : NULL;
  if (found == NULL) {
    return scan_fail(s, "`\\%.*s` is not an escape sequence", scan_measure(s, begin), begin);
  }
  text_add_bytes(out, kMeant + (found - kLetters), 1);
  return true;
}

char *scan_take_quoted(scan *s, size_t *out_size) {
  text_buf out = {NULL, 0, 0};
  if (!scan_take(s, '"')) {
    scan_fail(s, "a quote is missing");
    return NULL;
  }
  text_add_bytes(&out, "", 0);
  while (s->pos < s->end && *s->pos != '"') {
    if (*s->pos != '\\') {
      text_add_bytes(&out, s->pos++, 1);
    } else {
      ++s->pos;
      if (!take_escape(s, &out)) goto failed;
    }
  }
  if (s->pos == s->end) {
    scan_fail(s, "a quote is not closed");
    goto failed;
  }
  ++s->pos;
  *out_size = out.size;
  return out.data;
failed:
  text_free(&out);
  return NULL;
}
