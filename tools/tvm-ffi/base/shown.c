/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void shown_add_bytes(text *to, uint64_t size) {
  char digits[24];
  size_t i, count = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, size);
  for (i = 0; i < count; ++i) {
    text_add(to, "%s%c", i > 0 && (count - i) % 3 == 0 ? "," : "", digits[i]);
  }
  text_add(to, " B");
}

void shown_add_size(text *to, uint64_t size) {
  static const char *const kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = (double)size;
  int unit = -1;
  if (size < 1024) {
    text_add(to, "%" PRIu64 " B", size);
    return;
  }
  while (value >= 1024) value /= 1024, ++unit;
  text_add(to, "%.1f %s", value, kUnits[unit]);
}

/* The length of the character there; 0 where there is none, or one that moves a cursor. */
static size_t measure_shown(const unsigned char *at, size_t size) {
  size_t length = utf8_measure(at, size);
  if (*at < 0x20 || *at == 0x7f || /* controls */
      (length == 2 && *at == 0xc2 && at[1] < 0xa0) ||
      (length == 3 && *at == 0xe2 && at[1] == 0x80 && at[2] >= 0xa8 && at[2] <= 0xae)) {
    return 0; /* the last of these: separators of lines, directions */
  }
  return length;
}

void shown_add_text(text *to, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  while (size > 0) {
    size_t length = measure_shown(at, size);
    if (length > 0) {
      text_add_bytes(to, at, length);
    } else {
      text_add(to, "\\x%02x", *at);
      length = 1;
    }
    at += length;
    size -= length;
  }
}

char *shown_text(const void *bytes, size_t size) {
  text shown = {NULL, 0, 0};
  shown_add_text(&shown, bytes, size);
  return shown.data != NULL ? shown.data : tool_copy("", 0);
}

int shown_print(FILE *to, const char *value) {
  char *shown = shown_text(value, strlen(value));
  int size = fprintf(to, "%s", shown);
  free(shown);
  return size;
}

char *shown_lines(const void *bytes, size_t size) {
  text shown = {NULL, 0, 0};
  const char *at = bytes, *end = at + size;
  while (at < end) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    shown_add_text(&shown, at, (size_t)((line_end != NULL ? line_end : end) - at));
    if (line_end != NULL) text_add_bytes(&shown, "\n", 1);
    at = line_end != NULL ? line_end + 1 : end;
  }
  return shown.data != NULL ? shown.data : tool_copy("", 0);
}

bool shown_is_plain(const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  while (size > 0) {
    size_t length = measure_shown(at, size);
    if (length == 0) return false;
    at += length;
    size -= length;
  }
  return true;
}
