/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: an iterative walk through nested containers, with its own stack. */
#include <string.h>

#include "base/buf.h"
#include "base/checked.h"
#include "base/stack.h"
#include "container/array.h"
#include "container/container.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/string_object.h"
#include "json/json.h"

/* A container on the stack, and the position in it: an index, or a position in a map. */
typedef struct {
  TVMFFIObject *obj;
  uint64_t position;
  bool has_values; /* one was written */
} level;

typedef struct {
  tvmffi_buf text;
  int32_t indent;
  tvmffi_stack levels; /* the containers around the current value */
} writer;

/* ---- Plain values ---- */

/* The character after the backslash in a byte's escape: u for \uXXXX, 0 for no escape. */
static char find_escape(unsigned char byte) {
  static const char kControls[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";
  if (byte < 0x20) return kControls[byte];
  if (byte == '"' || byte == '\\' || byte == '/') return (char)byte;
  return byte == 0x7F ? 'u' : '\0';
}

/* kind: what find_escape gave. */
static void write_escape(writer *w, unsigned char byte, char kind) {
  static const char kHex[] = "0123456789abcdef";
  char escape[6] = "\\?00";
  escape[1] = kind;
  escape[4] = kHex[byte >> 4];
  escape[5] = kHex[byte & 15];
  tvmffi_buf_append(&w->text, escape, kind == 'u' ? 6 : 2);
}

static void write_text(writer *w, TVMFFIByteArray text) {
  const char *cursor = text.data, *end = text.data + text.size, *run = cursor;
  tvmffi_buf_append(&w->text, "\"", 1);
  for (; cursor < end; ++cursor) {
    unsigned char byte = (unsigned char)*cursor;
    char kind = find_escape(byte);
    if (kind == '\0') continue;
    tvmffi_buf_append(&w->text, run, (size_t)(cursor - run));
    write_escape(w, byte, kind);
    run = cursor + 1;
  }
  tvmffi_buf_append(&w->text, run, (size_t)(cursor - run));
  tvmffi_buf_append(&w->text, "\"", 1);
}

/* Starts a new line, indented for this many enclosing containers. */
static void write_line(writer *w, size_t depth) {
  static const char kSpaces[] = "                                ";
  size_t left = 0;
  if (w->indent == 0) return;
  tvmffi_buf_append(&w->text, "\n", 1);
  if (w->indent < 0) return;
  if (!tvmffi_checked_mul_size(depth, (size_t)w->indent, &left)) w->text.failed = true;
  while (left != 0 && !w->text.failed) {
    size_t num = left < sizeof kSpaces - 1 ? left : sizeof kSpaces - 1;
    tvmffi_buf_append(&w->text, kSpaces, num);
    left -= num;
  }
}

/* ---- Containers ---- */

/*
 * Cycle detection after Brent: compares with the container at the last power-of-two depth. On a
 * cycle this finds it once that depth lies on the cycle and is at least the cycle's length. Only
 * Lists can form cycles.
 */
static int enter(writer *w, TVMFFIObject *obj) {
  level *top;
  size_t checkpoint = 1;
  bool is_sequence = tvmffi_is_sequence(obj->type_index);
  while (checkpoint <= w->levels.size / 2) checkpoint *= 2;
  if (w->levels.size != 0) {
    top = tvmffi_stack_at(&w->levels, checkpoint - 1);
    if (top->obj == obj) return tvmffi_fail("ValueError", "Cycle detected: List contains itself");
  }
  top = tvmffi_stack_push(&w->levels);
  if (top == NULL) return tvmffi_fail_memory();
  top->obj = obj;
  top->position = is_sequence ? 0 : tvmffi_map_first(obj);
  tvmffi_buf_append(&w->text, is_sequence ? "[" : "{", 1);
  return 0;
}

static void leave(writer *w, const level *top) {
  bool is_sequence = tvmffi_is_sequence(top->obj->type_index);
  tvmffi_stack_pop(&w->levels);
  write_line(w, w->levels.size);
  tvmffi_buf_append(&w->text, is_sequence ? "]" : "}", 1);
}

/* Writes the separator, the line break and the key, if any, in front of a value. */
static int write_front(writer *w, level *top, const TVMFFIAny *key) {
  TVMFFIByteArray text;
  if (top->has_values) tvmffi_buf_append(&w->text, ",", 1);
  top->has_values = true;
  write_line(w, w->levels.size);
  if (key == NULL) return 0;
  if (!tvmffi_any_get_text(key, &text)) {
    return tvmffi_fail("ValueError", "Expect key to be string, got `%s`",
                       tvmffi_any_type_name(key));
  }
  write_text(w, text);
  tvmffi_buf_append(&w->text, ": ", w->indent != 0 ? 2 : 1);
  return 0;
}

/* Sets *out to the next value of the innermost container, or to NULL at its end. */
static int next_value(writer *w, level *top, const TVMFFIAny **out) {
  uint64_t position = top->position;
  const tvmffi_map_pair *pair;
  *out = NULL;
  if (tvmffi_is_sequence(top->obj->type_index)) {
    if (position >= (uint64_t)tvmffi_array_size(top->obj)) return 0;
    top->position = position + 1;
    *out = &tvmffi_array_items(top->obj)[position];
    return write_front(w, top, NULL);
  }
  if (position == TVMFFI_MAP_NONE) return 0;
  top->position = tvmffi_map_next(top->obj, position);
  pair = tvmffi_map_at(top->obj, position);
  *out = &pair->value;
  return write_front(w, top, &pair->key);
}

static int write_value(writer *w, const TVMFFIAny *value) {
  char number[kTvmffiJsonMaxNumber];
  TVMFFIByteArray text;
  switch (value->type_index) {
    case kTVMFFINone:
      tvmffi_buf_append(&w->text, "null", 4);
      return 0;
    case kTVMFFIBool:
      tvmffi_buf_append_text(&w->text, value->v_int64 != 0 ? "true" : "false");
      return 0;
    case kTVMFFIInt:
      tvmffi_buf_append(&w->text, number, tvmffi_json_write_int(value->v_int64, number));
      return 0;
    case kTVMFFIFloat:
      tvmffi_buf_append(&w->text, number, tvmffi_json_write_float(value->v_float64, number));
      return 0;
    case kTVMFFIArray:
    case kTVMFFIList:
    case kTVMFFIMap:
      if (value->v_obj == NULL) break;
      return enter(w, value->v_obj);
    default:
      if (!tvmffi_any_get_text(value, &text)) break;
      write_text(w, text);
      return 0;
  }
  return tvmffi_fail("ValueError", "Unsupported type: `%s`", tvmffi_any_type_name(value));
}

/* The buffer remembers that memory ran out and ignores what is appended later. */
static int write_document(writer *w, const TVMFFIAny *value) {
  level *top;
  TVMFFI_TRY(write_value(w, value));
  while ((top = tvmffi_stack_top(&w->levels)) != NULL) {
    TVMFFI_TRY(next_value(w, top, &value));
    if (w->text.failed) break;
    if (value == NULL) {
      leave(w, top);
    } else {
      TVMFFI_TRY(write_value(w, value));
    }
  }
  return w->text.failed ? tvmffi_text_limit_fail("ffi.json.Stringify", &w->text) : 0;
}

int tvmffi_json_write(const TVMFFIAny *value, int32_t indent, size_t max_size, TVMFFIAny *out) {
  TVMFFIObject *string = NULL;
  writer w;
  int rc;
  memset(&w, 0, sizeof w);
  w.indent = indent;
  w.text.max_size = max_size;
  tvmffi_stack_init(&w.levels, sizeof(level));
  rc = write_document(&w, value);
  if (rc == 0) {
    string = tvmffi_string_new(kTVMFFIStr, w.text.data, w.text.size);
    if (string == NULL) rc = -1;
  }
  tvmffi_buf_fini(&w.text);
  tvmffi_stack_fini(&w.levels);
  if (rc == 0) *out = tvmffi_any_object(string);
  return rc;
}
