/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/utf8.h"
#include "system/system.h"

/* ---- Memory ---- */

void *tool_realloc(void *block, size_t size) {
  void *result = realloc(block, size > 0 ? size : 1);
  if (result == NULL) {
    fprintf(stderr, "tvm-ffi: out of memory, asking for %zu bytes\n", size);
    exit(kExitRaised);
  }
  return result;
}

void *tool_grow(void *items, size_t count, size_t item_size) {
  const size_t room = count > 0 ? 2 * count : 1;
  if ((count & (count - 1)) != 0) return items; /* there is room up to the next power of two */
  return tool_realloc(items, room * item_size);
}

void *tool_alloc(size_t size) {
  return tool_realloc(NULL, size);
}

char *tool_copy(const char *text, size_t size) {
  char *copy = tool_alloc(size + 1);
  memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

char *tool_format(const char *format, ...) {
  va_list values, again;
  char *text;
  int size;
  va_start(values, format);
  va_copy(again, values);
  size = vsnprintf(NULL, 0, format, values);
  va_end(values);
  text = tool_alloc((size_t)(size > 0 ? size : 0) + 1);
  *text = '\0';
  if (size > 0) vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  return text;
}

/* ---- Growable texts ---- */

static void reserve(text_buf *buffer, size_t more) {
  if (buffer->capacity - buffer->size > more) return;
  buffer->capacity = 2 * (buffer->size + more) + 64;
  buffer->data = tool_realloc(buffer->data, buffer->capacity);
}

void text_add_bytes(text_buf *buffer, const void *bytes, size_t size) {
  reserve(buffer, size);
  if (size > 0) memcpy(buffer->data + buffer->size, bytes, size);
  buffer->size += size;
  buffer->data[buffer->size] = '\0';
}

uint64_t text_hash(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  size_t i;
  for (i = 0; i < size; ++i) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return hash;
}

void text_cut(text_buf *buffer, size_t size) {
  if (size >= buffer->size) return;
  buffer->size = size;
  buffer->data[size] = '\0';
}

void text_add_lines(text_buf *buffer, const char *const *lines) {
  for (; *lines != NULL; ++lines) text_add(buffer, "%s\n", *lines);
}

void text_add_list(text_buf *buffer, const char *format, va_list values) {
  va_list again;
  int size;
  va_copy(again, values);
  size = vsnprintf(NULL, 0, format, values);
  if (size > 0) {
    reserve(buffer, (size_t)size);
    vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, again);
    buffer->size += (size_t)size;
  }
  va_end(again);
}

void text_add(text_buf *buffer, const char *format, ...) {
  va_list values;
  va_start(values, format);
  /* Tensors have millions of numbers: what is only copied need not be formatted. */
  if (strcmp(format, "%s") == 0) {
    const char *text = va_arg(values, const char *);
    text_add_bytes(buffer, text, strlen(text));
  } else if (strchr(format, '%') == NULL) {
    text_add_bytes(buffer, format, strlen(format));
  } else {
    text_add_list(buffer, format, values);
  }
  va_end(values);
}

static void set_reason(tvmffi_dl_reason *self, const char *format, ...) {
  static text_buf newest;
  text_buf text = {NULL, 0, 0};
  va_list values;
  va_start(values, format);
  text_add_list(&text, format, values);
  va_end(values);
  text_free(&newest); /* only now: it may be among the values */
  newest = text;
  self->text = text.data != NULL ? text.data : "";
}

const tvmffi_dl_reason kNoReason = {"", set_reason};

void text_free(text_buf *buffer) {
  free(buffer->data);
  buffer->data = NULL;
  buffer->size = buffer->capacity = 0;
}

bool text_begins(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *text_find(const char *text, const char *const *words) {
  while (*words != NULL && strcmp(text, *words) != 0) ++words;
  return *words;
}

const char *text_find_prefix(const char *text, const char *const *prefixes) {
  while (*prefixes != NULL && !text_begins(text, *prefixes)) ++prefixes;
  return *prefixes;
}

/* ---- Lists of words ---- */

/* Takes the word. */
static void append(word_list *words, char *word) {
  words->items = tool_grow(words->items, words->size + 1, sizeof *words->items);
  words->items[words->size++] = word;
  words->items[words->size] = NULL;
}

void words_add(word_list *words, const char *word) {
  append(words, tool_copy(word, strlen(word)));
}

static bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n';
}

/* Whether a \ takes its special meaning from the next letter: from any, or only from a " where \
 * separates the folders of paths. */
static bool is_escape(const char *at, char quote) {
  const bool is_separator = strchr(kSystem.path_separators, '\\') != NULL;
  if (*at != '\\' || quote == '\'' || at[1] == '\0') return false;
  return !is_separator || at[1] == '"';
}

void words_add_text(word_list *words, const char *line) {
  while (true) {
    text_buf word = {NULL, 0, 0};
    char quote = '\0';
    while (is_blank(*line)) ++line;
    if (*line == '\0') return;
    for (; *line != '\0' && (quote != '\0' || !is_blank(*line)); ++line) {
      if (*line == quote) {
        quote = '\0';
      } else if (quote == '\0' && (*line == '\'' || *line == '"')) {
        quote = *line;
      } else {
        if (is_escape(line, quote)) ++line;
        text_add_bytes(&word, line, 1);
      }
    }
    append(words, tool_copy(word.data != NULL ? word.data : "", word.size));
    text_free(&word);
  }
}

void words_free(word_list *words) {
  size_t i;
  for (i = 0; i < words->size; ++i) free(words->items[i]);
  free(words->items);
  words->items = NULL;
  words->size = 0;
}

int words_compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ---- Characters of UTF-8 ---- */

void text_end_whole(char *text) {
  text[tvmffi_utf8_cut(text, strlen(text))] = '\0';
}

/* ---- Numbers with a decimal point ---- */

const char *text_write_real(real_text *out, char style, int precision, double value) {
  static const char kLetters[] = "0123456789+-e";
  size_t before, point;
  snprintf(out->text, sizeof out->text, style == 'f' ? "%.*f" : "%.*g", precision, value);
  if (!isfinite(value)) return out->text;
  before = strspn(out->text, kLetters);
  point = strcspn(out->text + before, kLetters);
  if (point > 0) {
    char *rest = out->text + before;
    *rest = '.';
    memmove(rest + 1, rest + point, strlen(rest + point) + 1);
  }
  return out->text;
}

/* The number as the C library reads it: its point is that of the locale. Ends before what would be
 * a point there only. NULL if the locale has "." or the word has no point. Release with free(). */
static char *localize(const char *word) {
  const char *point = localeconv()->decimal_point, *dot = strchr(word, '.');
  const char *other = strcmp(point, ".") != 0 ? strstr(word, point) : NULL;
  if (strcmp(point, ".") == 0 || (dot == NULL && other == NULL)) return NULL;
  if (other != NULL && (dot == NULL || other < dot)) return tool_copy(word, (size_t)(other - word));
  return tool_format("%.*s%s%.*s", tvmffi_shown_size((size_t)(dot - word)), word, point,
                     tvmffi_shown_size(other != NULL ? (size_t)(other - dot - 1) : strlen(dot + 1)),
                     dot + 1);
}

double text_read_real(const char *word, char **end) {
  char *local = localize(word), *local_end;
  size_t used;
  double value;
  if (local == NULL) return strtod(word, end);
  value = strtod(local, &local_end);
  used = (size_t)(local_end - local);
  if (end != NULL) {
    const char *dot = strchr(word, '.');
    if (dot != NULL && used > (size_t)(dot - word)) {
      used -= strlen(localeconv()->decimal_point) - 1;
    }
    *end = (char *)(uintptr_t)word + used;
  }
  free(local);
  return value;
}

float text_read_real32(const char *word) {
  char *local = localize(word);
  const float value = strtof(local != NULL ? local : word, NULL);
  free(local);
  return value;
}

/* ---- Base64 ---- */

void text_add_base64(text_buf *out, const void *content, size_t size) {
  static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *bytes = content;
  size_t i;
  for (i = 0; i < size; i += 3) {
    const unsigned second = i + 1 < size ? bytes[i + 1] : 0,
                   third = i + 2 < size ? bytes[i + 2] : 0;
    const unsigned bits = (unsigned)bytes[i] << 16 | second << 8 | third;
    char digits[4];
    digits[0] = kDigits[bits >> 18];
    digits[1] = kDigits[bits >> 12 & 63];
    digits[2] = i + 1 < size ? kDigits[bits >> 6 & 63] : '=';
    digits[3] = i + 2 < size ? kDigits[bits & 63] : '=';
    text_add_bytes(out, digits, 4);
  }
}

/* ---- Readable numbers, and bytes made safe for a terminal ---- */

void text_add_byte_count(text_buf *out, uint64_t size) {
  char digits[24];
  size_t i, count = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, size);
  for (i = 0; i < count; ++i) {
    text_add(out, "%s%c", i > 0 && (count - i) % 3 == 0 ? "," : "", digits[i]);
  }
  text_add(out, " B");
}

void text_add_size(text_buf *out, uint64_t size) {
  static const char *const kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = (double)size;
  int unit = -1;
  if (size < 1024) {
    text_add(out, "%" PRIu64 " B", size);
    return;
  }
  while (value >= 1024) value /= 1024, ++unit;
  text_add(out, "%s %s", REAL_F(1, value), kUnits[unit]);
}

/* The length of the character there; 0 if there is none, or if it moves a cursor. */
static size_t measure_printable(const unsigned char *bytes, size_t size) {
  size_t length = tvmffi_utf8_measure(bytes, size);
  if (*bytes < 0x20 || *bytes == 0x7f || /* controls */
      (length == 2 && *bytes == 0xc2 && bytes[1] < 0xa0) ||
      (length == 3 && *bytes == 0xe2 && bytes[1] == 0x80 && bytes[2] >= 0xa8 && bytes[2] <= 0xae)) {
    return 0; /* the last of these: line separators and marks of text direction */
  }
  return length;
}

void text_add_escaped(text_buf *out, const void *bytes, size_t size) {
  const unsigned char *cursor = bytes;
  while (size > 0) {
    size_t length = measure_printable(cursor, size);
    if (length > 0) {
      text_add_bytes(out, cursor, length);
    } else {
      text_add(out, "\\x%02x", *cursor);
      length = 1;
    }
    cursor += length;
    size -= length;
  }
}

char *text_escape(const void *bytes, size_t size) {
  text_buf shown = {NULL, 0, 0};
  text_add_escaped(&shown, bytes, size);
  return shown.data != NULL ? shown.data : tool_copy("", 0);
}

int text_print_escaped(FILE *stream, const char *value) {
  char *shown = text_escape(value, strlen(value));
  int size = fprintf(stream, "%s", shown);
  free(shown);
  return size;
}

char *text_escape_lines(const void *bytes, size_t size) {
  text_buf shown = {NULL, 0, 0};
  const char *cursor = bytes, *end = cursor + size;
  while (cursor < end) {
    const char *line_end = memchr(cursor, '\n', (size_t)(end - cursor));
    text_add_escaped(&shown, cursor, (size_t)((line_end != NULL ? line_end : end) - cursor));
    if (line_end != NULL) text_add_bytes(&shown, "\n", 1);
    cursor = line_end != NULL ? line_end + 1 : end;
  }
  return shown.data != NULL ? shown.data : tool_copy("", 0);
}

bool text_is_printable(const void *bytes, size_t size) {
  const unsigned char *cursor = bytes;
  while (size > 0) {
    size_t length = measure_printable(cursor, size);
    if (length == 0) return false;
    cursor += length;
    size -= length;
  }
  return true;
}

void text_add_xml(text_buf *out, const char *bytes, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    const char c = bytes[i];
    if (c == '&') {
      text_add(out, "&amp;");
    } else if (c == '<') {
      text_add(out, "&lt;");
    } else if (c == '>') {
      text_add(out, "&gt;");
    } else if (c == '"') {
      text_add(out, "&quot;");
    } else if (c == '\'') {
      text_add(out, "&#39;");
    } else if (size - i >= 3 && memcmp(bytes + i, "\xef\xbf\xbe", 2) == 0 &&
               (unsigned char)bytes[i + 2] >= 0xbe) {
      text_add(out, "&#xfffd;"); /* XML has no U+FFFE and U+FFFF */
      i += 2;
    } else {
      text_add_bytes(out, &bytes[i], 1);
    }
  }
}
