/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/raised.h"
#include "base/report.h"
#include "base/utf8.h"

/* Where the value that begins at s->at ends; NULL: a bracket or a quote stays open. */
static const char *find_end(const scan *s) {
  const char *at = s->at;
  int depth = 0;
  bool quoted = false;
  if (!s->nested) return s->end;
  for (; at < s->end; ++at) {
    if (quoted) {
      if (*at == '\\' && at + 1 < s->end)
        ++at;
      else if (*at == '"')
        quoted = false;
    } else if (*at == '"') {
      quoted = true;
    } else if (strchr("[{(", *at) != NULL) {
      ++depth;
    } else if (strchr("]})", *at) != NULL) {
      if (depth-- == 0) return at;
    } else if (*at == ',' && depth == 0) {
      return at;
    }
  }
  return depth > 0 || quoted ? NULL : at;
}

int scan_measure(const scan *s, const char *at) {
  size_t size = at < s->end ? utf8_measure(at, (size_t)(s->end - at)) : 0;
  return at < s->end && size == 0 ? 1 : (int)size;
}

bool scan_fail(const scan *s, const char *format, ...) {
  enum { kShown = 60 };
  scan whole = *s;
  const char *end;
  size_t size, shown;
  text message = {NULL, 0, 0};
  va_list values;
  whole.at = s->begin;
  end = find_end(&whole);
  size = shown = (size_t)((end != NULL ? end : s->end) - s->begin);
  if (size > kShown) shown = utf8_cut(s->begin, kShown);
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
  char *message = raised_take_message();
  scan_fail(s, "%s", message);
  free(message);
  return false;
}

void scan_skip_space(scan *s) {
  while (s->at < s->end && isspace((unsigned char)*s->at)) ++s->at;
}

bool scan_take(scan *s, char c) {
  const char *before = s->at;
  scan_skip_space(s);
  if (s->at < s->end && *s->at == c) {
    ++s->at;
    return true;
  }
  s->at = before;
  return false;
}

bool scan_take_prefix(scan *s, const char *prefix) {
  size_t size = strlen(prefix);
  if ((size_t)(s->end - s->at) < size || memcmp(s->at, prefix, size) != 0) return false;
  s->at += size;
  return true;
}

bool scan_at_end(scan *s) {
  scan_skip_space(s);
  return s->at == s->end;
}

char *scan_take_rest(scan *s) {
  const char *begin, *end = find_end(s), *next = end;
  if (end == NULL) {
    scan_fail(s, "a bracket or a quote stays open");
    return NULL;
  }
  scan_skip_space(s);
  begin = s->at < end ? s->at : end;
  while (end > begin && isspace((unsigned char)end[-1])) --end;
  s->at = next;
  return tool_copy(begin, (size_t)(end - begin));
}

static bool take_hex(scan *s, int digits, unsigned *out) {
  *out = 0;
  for (; digits > 0; --digits, ++s->at) {
    int c = s->at < s->end ? tolower((unsigned char)*s->at) : 0;
    if (!isxdigit(c)) return scan_fail(s, "an escape in a text lacks hexadecimal digits");
    *out = *out * 16 + (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
  }
  return true;
}

static void add_utf8(text *to, unsigned code) {
  char bytes[3];
  if (code < 0x80) {
    bytes[0] = (char)code;
    text_add_bytes(to, bytes, 1);
  } else if (code < 0x800) {
    bytes[0] = (char)(0xc0 | code >> 6);
    bytes[1] = (char)(0x80 | (code & 0x3f));
    text_add_bytes(to, bytes, 2);
  } else {
    bytes[0] = (char)(0xe0 | code >> 12);
    bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
    bytes[2] = (char)(0x80 | (code & 0x3f));
    text_add_bytes(to, bytes, 3);
  }
}

/* What stands behind a backslash. */
static bool take_escape(scan *s, text *to) {
  static const char kLetters[] = "\"\\/ntr0", kMeant[] = "\"\\/\n\t\r";
  const char *found;
  unsigned code;
  const char *begin = s->at;
  char letter = s->at < s->end ? *s->at++ : '\0';
  if (letter == 'x' || letter == 'u') {
    if (!take_hex(s, letter == 'x' ? 2 : 4, &code)) return false;
    if (letter == 'u') {
      add_utf8(to, code);
    } else {
      char byte = (char)code;
      text_add_bytes(to, &byte, 1);
    }
    return true;
  }
  found = letter != '\0' ? strchr(kLetters, letter) : NULL;
  if (found == NULL) {
    return scan_fail(s, "`\\%.*s` is no escape in a text", scan_measure(s, begin), begin);
  }
  text_add_bytes(to, kMeant + (found - kLetters), 1);
  return true;
}

char *scan_take_quoted(scan *s, size_t *out_size) {
  text out = {NULL, 0, 0};
  text_add_bytes(&out, "", 0);
  if (!scan_take(s, '"')) return NULL;
  while (s->at < s->end && *s->at != '"') {
    if (*s->at != '\\') {
      text_add_bytes(&out, s->at++, 1);
    } else {
      ++s->at;
      if (!take_escape(s, &out)) goto failed;
    }
  }
  if (s->at == s->end) {
    scan_fail(s, "a quote stays open");
    goto failed;
  }
  ++s->at;
  *out_size = out.size;
  return out.data;
failed:
  text_free(&out);
  return NULL;
}
