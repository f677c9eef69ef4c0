/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/integers.h"
#include "base/stack.h"
#include "base/utf8.h"
#include "container/array.h"
#include "container/container.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/string_object.h"

/* ---- Reading ---- */

/*
 * The parser, with its own stack instead of recursion. Values stay on the stack until their
 * container is complete; below the values of each container lies a mark, which saves the parser's
 * state for the container around it.
 */

typedef struct {
  const char *begin, *end, *cursor;
  TVMFFIAny *values;
  size_t num_values, max_values;
  size_t first; /* index of the innermost container's first value; 0 outside of containers */
  bool is_map;  /* that container is a map: keys and values alternate */
  tvmffi_buf text;
} parser;

/* ---- Errors ---- */

TVMFFI_COLD static int fail_at(const parser *p, const char *message, const char *cursor) {
  size_t line = 1, position = (size_t)(cursor - p->begin);
  const char *line_begin = p->begin, *c;
  for (c = p->begin; c < cursor; ++c) {
    if (*c != '\n') continue;
    line_begin = c + 1;
    ++line;
  }
  return tvmffi_fail("ValueError", "%s: line %zu column %zu (char %zu)", message, line,
                     (size_t)(cursor - line_begin) + 1, position);
}

TVMFFI_COLD static int fail_json(const parser *p, const char *message) {
  return fail_at(p, message, p->cursor);
}

/* ---- The stack ---- */

TVMFFI_COLD static int grow_values(parser *p) {
  size_t max = p->max_values != 0 ? 2 * p->max_values : 64, bytes;
  TVMFFIAny *grown;
  if (!tvmffi_checked_mul_size(max, sizeof *grown, &bytes)) return tvmffi_fail_memory();
  grown = tvmffi_alloc(bytes);
  if (grown == NULL) return tvmffi_fail_memory();
  if (p->num_values != 0) memcpy(grown, p->values, p->num_values * sizeof *grown);
  tvmffi_free(p->values);
  p->values = grown;
  p->max_values = max;
  return 0;
}

/* Adds a value to the stack, None until the caller sets *out. */
static int push_value(parser *p, TVMFFIAny **out) {
  if (TVMFFI_UNLIKELY(p->num_values == p->max_values)) TVMFFI_TRY(grow_values(p));
  *out = &p->values[p->num_values++];
  **out = tvmffi_any_none();
  return 0;
}

static void release_values(parser *p) {
  while (p->num_values > 0) tvmffi_any_release(&p->values[--p->num_values]);
  tvmffi_free(p->values);
  tvmffi_buf_fini(&p->text);
}

/* ---- Containers ---- */

/* The mark saves first and is_map of the outer container, which close_container restores. */
static int open_container(parser *p, bool is_map) {
  TVMFFIAny *mark;
  TVMFFI_TRY(push_value(p, &mark));
  *mark = tvmffi_any_int((int64_t)(2 * p->first + p->is_map));
  p->first = p->num_values;
  p->is_map = is_map;
  return 0;
}

static TVMFFIObject *make_json_array(parser *p, size_t num) {
  TVMFFIObject *array = tvmffi_array_new((int64_t)num);
  if (array == NULL) return NULL;
  if (num != 0) memcpy(tvmffi_array_items(array), &p->values[p->first], num * sizeof(TVMFFIAny));
  TVMFFISeqGetCellPtr(array)->size = (int64_t)num;
  p->num_values = p->first;
  return array;
}

/*
 * Of equal keys, the last one determines both value and position. A dense map moves an existing
 * entry to the end itself; a map of four pairs is told to erase it first; in maps of up to three
 * pairs the entry happens to keep its position. A dense map starts with half of its slots free.
 */
static TVMFFIObject *make_json_map(parser *p, size_t num_pairs) {
  bool is_small = num_pairs <= kTvmffiMapMaxSmallSlots;
  TVMFFIObject *map = tvmffi_map_new_for(kTVMFFIMap, is_small ? num_pairs : 2 * num_pairs);
  TVMFFIAny *pair = &p->values[p->first], *end = pair + 2 * num_pairs;
  for (; map != NULL && pair < end; pair += 2) {
    if (num_pairs == kTvmffiMapMaxSmallSlots) (void)tvmffi_map_erase(map, pair);
    if (tvmffi_map_insert(&map, pair, pair + 1) != 0) {
      tvmffi_object_release(map);
      return NULL;
    }
    pair[0] = pair[1] = tvmffi_any_none();
  }
  if (map != NULL) p->num_values = p->first;
  return map;
}

/* Replaces the mark and the values above it by the container made of those values. */
static int close_container(parser *p) {
  size_t num = p->num_values - p->first;
  TVMFFIObject *container = p->is_map ? make_json_map(p, num / 2) : make_json_array(p, num);
  TVMFFIAny *mark = &p->values[p->first - 1];
  if (container == NULL) return tvmffi_fail_memory();
  p->first = (size_t)(mark->v_int64 / 2);
  p->is_map = mark->v_int64 % 2 != 0;
  *mark = tvmffi_any_object(container);
  return 0;
}

/* ---- Texts ---- */

/* Reads four hexadecimal digits; false when they are not. */
static bool read_code(const parser *p, const char *digits, uint32_t *out) {
  uint32_t code = 0;
  int i;
  if (p->end - digits < 4) return false;
  for (i = 0; i < 4; ++i) {
    char c = digits[i], lower = (char)(c | 0x20);
    if (tvmffi_is_digit(c)) {
      code = 16 * code + (uint32_t)(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      code = 16 * code + (uint32_t)(lower - 'a' + 10);
    } else {
      return false;
    }
  }
  *out = code;
  return true;
}

static void append_utf8(tvmffi_buf *text, uint32_t code) {
  char bytes[4];
  size_t num = 1, i;
  if (code < 0x80) {
    bytes[0] = (char)code;
  } else {
    num = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (i = num - 1; i > 0; --i, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)((0xF00 >> num & 0xFF) | code);
  }
  tvmffi_buf_append(text, bytes, num);
}

/*
 * Parses \uXXXX from the u on, with the second escape of a surrogate pair. Errors in the second
 * escape give the position of its digits, errors in the first that of its u, as in the reference.
 */
TVMFFI_COLD static int parse_code(parser *p) {
  static const char kInvalid[] = "Invalid \\uXXXX escape";
  static const char kInvalidPair[] = "Invalid surrogate pair of \\uXXXX escapes";
  const char *cursor = p->cursor;
  uint32_t code, low;
  if (!read_code(p, cursor + 1, &code)) return fail_json(p, kInvalid);
  if (code >= 0xD800 && code < 0xE000) {
    bool is_pair = code < 0xDC00 && p->end - cursor > 6 && cursor[5] == '\\' && cursor[6] == 'u';
    if (!is_pair) return fail_json(p, kInvalidPair);
    cursor += 6;
    if (!read_code(p, cursor + 1, &low)) return fail_at(p, kInvalid, cursor + 1);
    if (low < 0xDC00 || low >= 0xE000) return fail_at(p, kInvalidPair, cursor + 1);
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  p->cursor = cursor + 5;
  append_utf8(&p->text, code);
  return 0;
}

/* Skips to the next quote, escape, control character, or the end of the text. */
static void skip_plain(parser *p) {
  const char *cursor = p->cursor, *end = p->end;
  while (cursor < end && *cursor != '"' && *cursor != '\\' && (unsigned char)*cursor >= 0x20) {
    ++cursor;
  }
  p->cursor = cursor;
}

/* Parses an escape, from the character after the backslash on. */
static int parse_escape(parser *p) {
  static const char kLetters[] = "\"\\/bfnrt", kMeanings[] = "\"\\/\b\f\n\r\t";
  const char *letter;
  if (p->cursor == p->end) return fail_json(p, "Invalid \\escape");
  if (*p->cursor == 'u') return parse_code(p);
  letter = memchr(kLetters, *p->cursor, sizeof kLetters - 1);
  if (letter == NULL) return fail_json(p, "Invalid \\escape");
  ++p->cursor;
  tvmffi_buf_append(&p->text, &kMeanings[letter - kLetters], 1);
  return 0;
}

/*
 * Parses a string from its opening quote on. One with escapes becomes an object, however short it
 * is, as in the reference.
 */
static int parse_text(parser *p) {
  const char *quote = p->cursor, *run = ++p->cursor;
  bool has_escapes = false;
  TVMFFIAny *value;
  TVMFFI_TRY(push_value(p, &value));
  for (;; run = p->cursor) {
    skip_plain(p);
    if (p->cursor == p->end) return fail_at(p, "Unterminated string starting at", quote);
    if (*p->cursor == '"') break;
    if (*p->cursor != '\\') return fail_json(p, "Invalid control character at");
    if (!has_escapes) tvmffi_buf_clear(&p->text);
    has_escapes = true;
    tvmffi_buf_append(&p->text, run, (size_t)(p->cursor++ - run));
    TVMFFI_TRY(parse_escape(p));
  }
  if (!has_escapes) return tvmffi_string_to_any(run, (size_t)(p->cursor++ - run), value);
  tvmffi_buf_append(&p->text, run, (size_t)(p->cursor++ - run));
  if (p->text.failed) return tvmffi_fail_memory();
  return tvmffi_any_give(tvmffi_string_new(kTVMFFIStr, p->text.data, p->text.size), value);
}

/* ---- Values ---- */

static bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static char skip_space(parser *p) {
  while (p->cursor < p->end && is_space(*p->cursor)) ++p->cursor;
  return p->cursor < p->end ? *p->cursor : '\0';
}

/* The next byte that is not white space. At the end of the text a NUL, which is not valid JSON. */
static inline char peek(parser *p) {
  bool is_here = p->cursor != p->end && (unsigned char)*p->cursor > ' ';
  return is_here ? *p->cursor : skip_space(p);
}

/*
 * Fails because something expected is missing. A text that ends after a comma gets its own message.
 */
TVMFFI_COLD static int fail_missing(const parser *p, const char *message) {
  const char *last = p->cursor;
  if (p->cursor != p->end) return fail_json(p, message);
  while (last > p->begin && is_space(last[-1])) --last;
  return fail_json(p, last > p->begin && last[-1] == ',' ? "Syntax error near" : message);
}

static bool skip_word(parser *p, const char *word, size_t size) {
  if ((size_t)(p->end - p->cursor) < size || memcmp(p->cursor, word, size) != 0) return false;
  p->cursor += size;
  return true;
}

#define SKIP_WORD(p, word) skip_word(p, word, sizeof(word) - 1)

/* False when it is not a known word. */
TVMFFI_COLD static bool read_word(parser *p, TVMFFIAny *value) {
  switch (*p->cursor) {
    case 'n':
      return SKIP_WORD(p, "null");
    case 't':
      *value = tvmffi_any_bool(1);
      return SKIP_WORD(p, "true");
    case 'f':
      *value = tvmffi_any_bool(0);
      return SKIP_WORD(p, "false");
    case 'N':
      *value = tvmffi_any_float(NAN);
      return SKIP_WORD(p, "NaN");
    case 'I':
      *value = tvmffi_any_float(INFINITY);
      return SKIP_WORD(p, "Infinity");
    default:
      *value = tvmffi_any_float(-INFINITY);
      return SKIP_WORD(p, "-Infinity");
  }
}

/* Parses a value that is not a container. */
static int parse_plain(parser *p) {
  TVMFFIAny *value;
  if (p->cursor == p->end) return fail_missing(p, "Expecting value");
  if (*p->cursor == '"') return parse_text(p);
  TVMFFI_TRY(push_value(p, &value));
  if (tvmffi_json_read_number(&p->cursor, p->end, value) || read_word(p, value)) return 0;
  return fail_json(p, "Expecting value");
}

static int parse_key(parser *p) {
  if (peek(p) != '"') return fail_missing(p, "Expecting property name enclosed in double quotes");
  TVMFFI_TRY(parse_text(p));
  if (peek(p) != ':') return fail_json(p, "Expecting ':' delimiter");
  ++p->cursor;
  return 0;
}

static char end_of_container(const parser *p) {
  return p->is_map ? '}' : ']';
}

/* Opens containers until it has parsed one plain value or closed an empty container. */
static int parse_value(parser *p) {
  for (;;) {
    char letter = peek(p);
    if (letter != '[' && letter != '{') return parse_plain(p);
    ++p->cursor;
    TVMFFI_TRY(open_container(p, letter == '{'));
    if (peek(p) == end_of_container(p)) {
      ++p->cursor;
      return close_container(p);
    }
    if (p->is_map) TVMFFI_TRY(parse_key(p));
  }
}

/* Closes the containers that end here and stops where the next value must be. */
static int parse_ends(parser *p) {
  while (p->first != 0) {
    char letter = peek(p);
    if (letter == ',') {
      ++p->cursor;
      return p->is_map ? parse_key(p) : 0;
    }
    if (letter != end_of_container(p)) return fail_json(p, "Expecting ',' delimiter");
    ++p->cursor;
    TVMFFI_TRY(close_container(p));
  }
  return 0;
}

static int parse_document(parser *p, TVMFFIAny *out) {
  do {
    TVMFFI_TRY(parse_value(p));
    TVMFFI_TRY(parse_ends(p));
  } while (p->first != 0);
  (void)peek(p);
  if (p->cursor != p->end) return fail_json(p, "Extra data");
  *out = p->values[--p->num_values];
  return 0;
}

int tvmffi_json_parse(const char *data, size_t size, TVMFFIAny *out) {
  parser p;
  int rc;
  memset(&p, 0, sizeof p);
  p.begin = p.cursor = data;
  p.end = data + size;
  rc = parse_document(&p, out);
  release_values(&p);
  return rc;
}

/* ---- Writing ---- */

/* The writer: an iterative walk through nested containers, with its own stack. */

/* A container on the stack, and the position in it: an index, or a position in a map. */
typedef struct {
  TVMFFIObject *obj;
  uint64_t position;
  bool has_values; /* one was written */
} json_level;

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
static int enter_container(writer *w, TVMFFIObject *obj) {
  json_level *top;
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

static void leave_container(writer *w, const json_level *top) {
  bool is_sequence = tvmffi_is_sequence(top->obj->type_index);
  tvmffi_stack_pop(&w->levels);
  write_line(w, w->levels.size);
  tvmffi_buf_append(&w->text, is_sequence ? "]" : "}", 1);
}

/* Writes the separator, the line break and the key, if any, in front of a value. */
static int write_front(writer *w, json_level *top, const TVMFFIAny *key) {
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
static int next_to_write(writer *w, json_level *top, const TVMFFIAny **out) {
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
      return enter_container(w, value->v_obj);
    default:
      if (!tvmffi_any_get_text(value, &text)) break;
      write_text(w, text);
      return 0;
  }
  return tvmffi_fail("ValueError", "Unsupported type: `%s`", tvmffi_any_type_name(value));
}

/* The buffer remembers that memory ran out and ignores what is appended later. */
static int write_document(writer *w, const TVMFFIAny *value) {
  json_level *top;
  TVMFFI_TRY(write_value(w, value));
  while ((top = tvmffi_stack_top(&w->levels)) != NULL) {
    TVMFFI_TRY(next_to_write(w, top, &value));
    if (w->text.failed) break;
    if (value == NULL) {
      leave_container(w, top);
    } else {
      TVMFFI_TRY(write_value(w, value));
    }
  }
  return w->text.failed ? tvmffi_text_limit_fail("ffi.json.Stringify", &w->text) : 0;
}

int tvmffi_json_write(const TVMFFIAny *value, int32_t indent, size_t max_size, TVMFFIAny *out) {
  writer w;
  int rc;
  memset(&w, 0, sizeof w);
  w.indent = indent;
  w.text.max_size = max_size;
  tvmffi_stack_init(&w.levels, sizeof(json_level));
  rc = write_document(&w, value);
  if (rc == 0) rc = tvmffi_any_give(tvmffi_string_new(kTVMFFIStr, w.text.data, w.text.size), out);
  tvmffi_buf_fini(&w.text);
  tvmffi_stack_fini(&w.levels);
  return rc;
}

/* ---- The functions ffi.json.* ---- */

static int parse_json(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIByteArray text = tvmffi_builtin_text(&args[0]);
  return tvmffi_json_parse(text.data, text.size, result);
}

/* The indent is cut to 32 bits, as in the reference, where it is an int. */
static int stringify(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIAny value;
  int rc;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[0], &value));
  rc = tvmffi_json_write(&value, (int32_t)args[1].v_int64, tvmffi_text_limit_get(), result);
  tvmffi_any_release(&value);
  return rc;
}

#define FUNCTIONS(F)                     \
  F("ffi.json.Parse", "s>a", parse_json) \
  F("ffi.json.Stringify", "an>s", stringify)

TVMFFI_BUILTIN_GROUP(tvmffi_json_builtins, FUNCTIONS);
