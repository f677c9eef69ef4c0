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

/* ---- What the parser calls ---- */

static char appended[16];
static size_t num_appended;

void tvmffi_buf_append(tvmffi_buf *buf, const char *data, size_t size) {
  size_t i;
  (void)buf;
  PROVE(size <= 8 && num_appended <= sizeof appended - 8);
  for (i = 0; i < 8; ++i) {
    if (i < size) appended[num_appended + i] = data[i];
  }
  num_appended += size;
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

/* What an escape stands for is a character. */
void prove_json_parse_code(void) {
  parser p = choose_parser(12);
  const char *before = p.cursor;
  int code;
  ASSUME(p.cursor < p.end && *p.cursor == 'u');
  code = parse_code(&p);
  prove_cursor(&p, before);
  PROVE((code != 0) == (num_failures == 1));
  if (code == 0) PROVE(p.cursor - before == 5 || p.cursor - before == 11);
  if (code == 0) PROVE(tvmffi_utf8_measure(appended, num_appended) == num_appended);
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

/* What is closed restores what was open around it. */
void prove_json_open_container(void) {
  parser p = choose_parser(1);
  parser before;
  TVMFFIAny mark;
  p.num_values = 2;
  p.first = choose_up_to(SIZE_MAX / 4);
  p.is_map = choose_bool();
  before = p;
  PROVE(open_container(&p, choose_bool()) == 0);
  PROVE(p.first == before.num_values + 1 && p.num_values == p.first);
  mark = p.values[p.first - 1];
  PROVE(mark.v_uint64 >> 1 == before.first && (mark.v_uint64 & 1) == before.is_map);
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
