/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void shown_add_bytes(text *out, uint64_t size) {
  char digits[24];
  size_t i, count = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, size);
  for (i = 0; i < count; ++i) {
    text_add(out, "%s%c", i > 0 && (count - i) % 3 == 0 ? "," : "", digits[i]);
  }
  text_add(out, " B");
}

void shown_add_size(text *out, uint64_t size) {
  static const char *const kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = (double)size;
  int unit = -1;
  if (size < 1024) {
    text_add(out, "%" PRIu64 " B", size);
    return;
  }
  while (value >= 1024) value /= 1024, ++unit;
  text_add(out, "%.1f %s", value, kUnits[unit]);
}

/* The length of the character there; 0 if there is none, or if it moves a cursor. */
static size_t measure_shown(const unsigned char *bytes, size_t size) {
  size_t length = utf8_measure(bytes, size);
  if (*bytes < 0x20 || *bytes == 0x7f || /* controls */
      (length == 2 && *bytes == 0xc2 && bytes[1] < 0xa0) ||
      (length == 3 && *bytes == 0xe2 && bytes[1] == 0x80 && bytes[2] >= 0xa8 && bytes[2] <= 0xae)) {
    return 0; /* the last of these: line separators and marks of text direction */
  }
  return length;
}

void shown_add_text(text *out, const void *bytes, size_t size) {
  const unsigned char *cursor = bytes;
  while (size > 0) {
    size_t length = measure_shown(cursor, size);
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

char *shown_text(const void *bytes, size_t size) {
  text shown = {NULL, 0, 0};
  shown_add_text(&shown, bytes, size);
  return shown.data != NULL ? shown.data : tool_copy("", 0);
}

int shown_print(FILE *stream, const char *value) {
  char *shown = shown_text(value, strlen(value));
  int size = fprintf(stream, "%s", shown);
  free(shown);
  return size;
}

char *shown_lines(const void *bytes, size_t size) {
  text shown = {NULL, 0, 0};
  const char *cursor = bytes, *end = cursor + size;
  while (cursor < end) {
    const char *line_end = memchr(cursor, '\n', (size_t)(end - cursor));
    shown_add_text(&shown, cursor, (size_t)((line_end != NULL ? line_end : end) - cursor));
    if (line_end != NULL) text_add_bytes(&shown, "\n", 1);
    cursor = line_end != NULL ? line_end + 1 : end;
  }
  return shown.data != NULL ? shown.data : tool_copy("", 0);
}

bool shown_is_plain(const void *bytes, size_t size) {
  const unsigned char *cursor = bytes;
  while (size > 0) {
    size_t length = measure_shown(cursor, size);
    if (length == 0) return false;
    cursor += length;
    size -= length;
  }
  return true;
}
