/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that grow, and their JSON: numbers and strings. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "record.h"

bool record_grow(record_text *out, size_t more) {
  const size_t wanted = (out->size + more) * 2 + 256;
  const bool is_lent = out->room != NULL && out->data == out->room;
  char *grown = is_lent ? malloc(wanted) : realloc(out->data, wanted);
  if (grown == NULL) {
    out->is_failed = true;
    return false;
  }
  if (is_lent) memcpy(grown, out->data, out->size);
  out->data = grown;
  out->capacity = wanted;
  return true;
}

void record_add_format(record_text *out, const char *format, ...) {
  char text[512];
  va_list values;
  int size;
  va_start(values, format);
  size = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (size >= 0 && (size_t)size < sizeof text) record_add(out, text, (size_t)size);
}

/* Writes decimal digits before `end`, four at a time; returns where they begin. 0 has none. */
static char *put_digits(char *end, uint64_t value) {
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
      "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  uint32_t rest;
  for (; value >= 10000; value /= 10000) {
    rest = (uint32_t)(value % 10000);
    end -= 4;
    memcpy(end, pairs + rest / 100 * 2, 2);
    memcpy(end + 2, pairs + rest % 100 * 2, 2);
  }
  for (rest = (uint32_t)value; rest >= 10; rest /= 100) {
    end -= 2;
    memcpy(end, pairs + rest % 100 * 2, 2);
  }
  if (rest != 0) *--end = (char)('0' + rest);
  return end;
}

void record_add_digits(record_text *out, uint64_t value, size_t least) {
  char text[64], *end = text + sizeof text, *at = put_digits(end, value);
  while ((size_t)(end - at) < least) *--at = '0';
  record_add(out, at, (size_t)(end - at));
}

/* At least 1. */
static int count_digits(uint64_t value) {
  static const uint64_t powers[] = {0,
                                    10,
                                    100,
                                    1000,
                                    10000,
                                    100000,
                                    1000000,
                                    10000000,
                                    100000000,
                                    1000000000,
                                    10000000000,
                                    100000000000,
                                    1000000000000,
                                    10000000000000,
                                    100000000000000,
                                    1000000000000000,
                                    10000000000000000,
                                    100000000000000000,
                                    1000000000000000000,
                                    10000000000000000000u};
  const int count = (64 - __builtin_clzll(value | 1)) * 1233 >> 12; /* bits * log10(2) */
  return count + (value >= powers[count] ? 1 : 0);
}

/* The digits are written where they belong: copying what was just written takes longer. */
char *record_put_large(char *at, uint64_t value, bool is_negative) {
  const bool is_text = value > 9007199254740991u; /* 2^53 - 1: JSON's */
  if (is_text) *at++ = '"';
  if (is_negative) *at++ = '-';
  at += count_digits(value);
  (void)put_digits(at, value);
  if (is_text) *at++ = '"';
  return at;
}

void record_add_uint(record_text *out, uint64_t value) {
  char *at = record_begin_put(out, kRecordNumber);
  if (at != NULL) record_end_put(out, record_put_uint(at, value));
}

void record_add_int(record_text *out, int64_t value) {
  char *at = record_begin_put(out, kRecordNumber);
  if (at != NULL) record_end_put(out, record_put_int(at, value));
}

/* What printf() made of a double, with a decimal point in place of the locale's. */
static void add_with_point(record_text *out, const char *at) {
  static const char kKept[] = "0123456789+-einfa ";
  while (*at != '\0') {
    const size_t size = strspn(at, kKept);
    record_add(out, at, size);
    at += size;
    if (*at != '\0') record_add(out, ".", 1);
    at += strcspn(at, kKept); /* some points have several bytes */
  }
}

void record_add_double(record_text *out, double value, int digits) {
  char text[64];
  (void)snprintf(text, sizeof text, "%.*g", digits, value);
  add_with_point(out, text);
}

void record_add_fixed(record_text *out, double value, int width, int decimals) {
  char text[352]; /* the largest double has 309 digits before the point */
  (void)snprintf(text, sizeof text, "%*.*f", width, decimals, value);
  add_with_point(out, text);
}

void record_add_string(record_text *out, const char *bytes, size_t size) {
  size_t i, length, begin = 0;
  record_add(out, "\"", 1);
  for (i = 0; i < size; i += length) {
    unsigned char c = (unsigned char)bytes[i];
    size_t valid = c < 0x80 ? 1 : tvmffi_utf8_measure(bytes + i, size - i);
    length = valid == 0 ? 1 : valid;
    if (valid != 0 && c >= 0x20 && c != '"' && c != '\\') continue;
    record_add(out, bytes + begin, i - begin);
    begin = i + length;
    if (valid == 0) {
      record_add(out, "\xef\xbf\xbd", 3);
    } else if (c == '"' || c == '\\') {
      record_add_format(out, "\\%c", c);
    } else {
      record_add_format(out, "\\u%04x", c);
    }
  }
  record_add(out, bytes + begin, size - begin);
  record_add(out, "\"", 1);
}

void record_add_hex(record_text *out, const void *bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  const unsigned char *at = bytes;
  char text[512];
  size_t used = 0, i;
  for (i = 0; i < size; ++i) {
    text[used++] = digits[at[i] >> 4];
    text[used++] = digits[at[i] & 15];
    if (used == sizeof text || i + 1 == size) {
      record_add(out, text, used);
      used = 0;
    }
  }
}

char *record_put_address(char *at, uint64_t address) {
  int shift = (63 - __builtin_clzll(address | 1)) / 4 * 4; /* of the first digit */
  at = record_put(at, "\"0x");
  for (; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[address >> shift & 15];
  *at++ = '"';
  return at;
}

void record_add_pointer(record_text *out, const void *pointer) {
  char *at = record_begin_put(out, kRecordNumber);
  if (at != NULL) record_end_put(out, record_put_address(at, (uintptr_t)pointer));
}

void record_free(record_text *text) {
  if (text->data != text->room) free(text->data);
  memset(text, 0, sizeof *text);
}
