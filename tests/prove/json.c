/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of JSON (c/json/json.c): each step alone, on any text at the end of the memory that
 * there is.
 */
#include <string.h>

#include "core/any.h"
#include "core/error.h"
#include "core/string_object.h"
#include "prove.h"
#include "stubs.h"

static size_t num_failures;

void tvmffi_error_raisef(const char *kind, const char *format, ...) {
  (void)kind, (void)format;
  ++num_failures;
}

void tvmffi_error_raise_memory(void) {
  ++num_failures;
}

/* ---- What the parser calls ---- */

static size_t num_strings;

/* Any byte of a text stands for all of them. */
static int take_string(const char *data, size_t size, TVMFFIAny *out) {
  volatile char seen;
  if (size != 0) {
    seen = data[choose_up_to(size - 1)];
    (void)seen;
  }
  if (choose_bool()) return tvmffi_fail_memory();
  *out = tvmffi_any_none();
  out->type_index = kTVMFFISmallStr;
  ++num_strings;
  return 0;
}

int tvmffi_string_to_any(const char *data, size_t size, TVMFFIAny *out) {
  return take_string(data, size, out);
}

static char appended[16];
static size_t num_appended;

void tvmffi_buf_append(tvmffi_buf *buf, const void *bytes, size_t size) {
  size_t i;
  (void)buf;
  PROVE(size <= 8 && num_appended <= sizeof appended - 8);
  for (i = 0; i < 8; ++i) {
    if (i < size) appended[num_appended + i] = ((const char *)bytes)[i];
  }
  num_appended += size;
}

void tvmffi_buf_clear(tvmffi_buf *buf) {
  (void)buf;
  num_appended = 0;
}

TVMFFIObject *tvmffi_string_new(int32_t type_index, const char *data, size_t size) {
  static TVMFFIObject made;
  (void)type_index, (void)data, (void)size;
  return choose_bool() ? &made : NULL;
}

#include "json/json.c"

enum { kMost = 16 };
static char bytes[kMost];
static TVMFFIAny values[4];

/* A parser of any text of up to `most` bytes, at any place in it. */
static parser choose_parser(size_t most) {
  parser p;
  memset(&p, 0, sizeof p);
  choose_bytes(bytes + kMost - most, most);
  p.end = bytes + kMost;
  p.begin = p.end - choose_up_to(most);
  p.cursor = p.begin + choose_up_to((size_t)(p.end - p.begin));
  p.values = values;
  p.max_values = 4;
  return p;
}

static void prove_cursor(const parser *p, const char *before) {
  PROVE(p->cursor >= before && p->cursor <= p->end);
}

void prove_json_read_code(void) {
  parser p = choose_parser(5);
  uint32_t code = 0;
  if (read_code(&p, p.cursor, &code)) PROVE(p.end - p.cursor >= 4 && code <= 0xffff);
}

void prove_json_read_word(void) {
  parser p = choose_parser(10);
  const char *before = p.cursor;
  TVMFFIAny value = tvmffi_any_none();
  ASSUME(p.cursor < p.end);
  if (read_word(&p, &value)) {
    PROVE(p.cursor - before >= 3 && value.type_index <= kTVMFFIFloat);
  } else {
    PROVE(p.cursor == before);
  }
  prove_cursor(&p, before);
}

void prove_json_grow_values(void) {
  parser p;
  TVMFFIAny *value;
  const size_t i = choose_up_to(3), num = 4 * choose_up_to(1);
  int code;
  memset(&p, 0, sizeof p);
  p.num_values = p.max_values = num;
  if (num != 0) {
    p.values = malloc(4 * sizeof *p.values);
    ASSUME(p.values != NULL);
    ++num_allocated;
    p.values[i] = tvmffi_any_int(7);
  }
  code = push_value(&p, &value);
  PROVE((code != 0) == (num_failures == 1));
  if (num != 0) PROVE(p.values[i].v_int64 == 7);
  if (code == 0) PROVE(p.num_values == num + 1 && value == &p.values[num]);
  tvmffi_free(p.values);
  PROVE(num_allocated == 0);
}
