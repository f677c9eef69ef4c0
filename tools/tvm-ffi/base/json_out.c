/* SPDX-License-Identifier: Apache-2.0 */
/* Results as JSON, declared in report.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"

enum { kMaxDepth = 32 };
static char closers[kMaxDepth];
static int depth;
static bool has_items;

static void write_escaped(const char *text, size_t size) {
  FILE *stream = streams_results();
  size_t i, step;
  putc('"', stream);
  for (i = 0; i < size; i += step) {
    unsigned char byte = (unsigned char)text[i];
    size_t length = tvmffi_utf8_measure(text + i, size - i);
    step = length > 0 ? length : 1;
    if (byte == '"' || byte == '\\') {
      fprintf(stream, "\\%c", byte);
    } else if (byte == '\n') {
      fputs("\\n", stream);
    } else if (byte < 0x20 || byte == 0x7f || length == 0) {
      fprintf(stream, "\\u%04x", byte);
    } else {
      fwrite(text + i, 1, length, stream);
    }
  }
  putc('"', stream);
}

/* Writes the comma, indentation and key before a value. */
static void begin_item(const char *key) {
  FILE *stream = streams_results();
  if (depth > 0) fprintf(stream, "%s\n%*s", has_items ? "," : "", 2 * depth, "");
  if (key != NULL) {
    write_escaped(key, strlen(key));
    fputs(": ", stream);
  }
  has_items = true;
}

static void end_item(void) {
  if (depth == 0) {
    putc('\n', streams_results());
    has_items = false;
  }
}

static void begin(const char *key, char opener, char closer) {
  begin_item(key);
  putc(opener, streams_results());
  closers[depth++] = closer;
  has_items = false;
}

void json_begin_object(const char *key) {
  begin(key, '{', '}');
}
void json_begin_array(const char *key) {
  begin(key, '[', ']');
}

void json_end(void) {
  --depth;
  if (has_items) fprintf(streams_results(), "\n%*s", 2 * depth, "");
  putc(closers[depth], streams_results());
  has_items = true;
  end_item();
}

void json_bytes(const char *key, const char *text, size_t size) {
  begin_item(key);
  write_escaped(text, size);
  end_item();
}

void json_text(const char *key, const char *text) {
  if (text != NULL) {
    json_bytes(key, text, strlen(text));
  } else {
    json_null(key);
  }
}

static void write_word(const char *key, const char *word) {
  begin_item(key);
  fputs(word, streams_results());
  end_item();
}

void json_bool(const char *key, bool value) {
  write_word(key, value ? "true" : "false");
}
void json_null(const char *key) {
  write_word(key, "null");
}

void json_int(const char *key, int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, number);
  write_word(key, text);
}

void json_uint(const char *key, uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, number);
  write_word(key, text);
}

void json_real(const char *key, double number) {
  if (isnan(number) || isinf(number)) {
    json_text(key, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
    return;
  }
  write_word(key, REAL_G(17, number));
}
