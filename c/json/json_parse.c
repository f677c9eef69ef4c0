/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser. Values wait on a stack of its own until the container that they are in ends; what is
 * below them there is a mark of the container.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/checked.h"
#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/string.h"
#include "json/json.h"

typedef struct {
  const char *begin, *end, *at;
  TVMFFIAny *values;
  size_t num_values, max_values;
  size_t first; /* the number of the first value of the innermost container; 0: there is none */
  bool is_map;  /* that container is one: keys and values in turn */
  tvmffi_buf text;
} parser;

/* ---- Errors ---------------------------------------------------------------------------------- */

TVMFFI_COLD static int fail_at(const parser *p, const char *what, const char *at) {
  size_t line = 1, position = (size_t)(at - p->begin);
  const char *line_begin = p->begin, *c;
  for (c = p->begin; c < at; ++c) {
    if (*c != '\n') continue;
    line_begin = c + 1;
    ++line;
  }
  return tvmffi_fail("ValueError", "%s: line %zu column %zu (char %zu)", what, line,
                     (size_t)(at - line_begin) + 1, position);
}

TVMFFI_COLD static int fail(const parser *p, const char *what) {
  return fail_at(p, what, p->at);
}

/* ---- The stack ------------------------------------------------------------------------------- */

TVMFFI_COLD static int grow(parser *p) {
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

/* Room for another value, which *out is until then. */
static int push(parser *p, TVMFFIAny **out) {
  if (TVMFFI_UNLIKELY(p->num_values == p->max_values)) TVMFFI_TRY(grow(p));
  *out = &p->values[p->num_values++];
  **out = tvmffi_any_none();
  return 0;
}

static void release_all(parser *p) {
  while (p->num_values > 0) tvmffi_any_release(&p->values[--p->num_values]);
  tvmffi_free(p->values);
  tvmffi_buf_fini(&p->text);
}

/* ---- Containers ------------------------------------------------------------------------------ */

/* The mark says what is to be when the container has ended. */
static int open_container(parser *p, bool is_map) {
  TVMFFIAny *mark;
  TVMFFI_TRY(push(p, &mark));
  *mark = tvmffi_any_int((int64_t)(2 * p->first + p->is_map));
  p->first = p->num_values;
  p->is_map = is_map;
  return 0;
}

static TVMFFIObject *make_array(parser *p, size_t num) {
  TVMFFIObject *array = tvmffi_array_new((int64_t)num);
  if (array == NULL) return NULL;
  if (num != 0) memcpy(tvmffi_array_items(array), &p->values[p->first], num * sizeof(TVMFFIAny));
  TVMFFISeqGetCellPtr(array)->size = (int64_t)num;
  p->num_values = p->first;
  return array;
}

/*
 * Of keys that are equal the last counts, and its place. For that a map of four pairs gives up the
 * entry that is there; larger ones do so themselves, and in those of up to three, as it happens,
 * the entry keeps its place. Of the slots of a table half are free at first.
 */
static TVMFFIObject *make_map(parser *p, size_t num_pairs) {
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

/* Its values give way to the container, which takes the place of the mark. */
static int close_container(parser *p) {
  size_t num = p->num_values - p->first;
  TVMFFIObject *container = p->is_map ? make_map(p, num / 2) : make_array(p, num);
  TVMFFIAny *mark = &p->values[p->first - 1];
  if (container == NULL) return tvmffi_fail_memory();
  p->first = (size_t)(mark->v_int64 / 2);
  p->is_map = mark->v_int64 % 2 != 0;
  *mark = tvmffi_any_object(container);
  return 0;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Four hexadecimal digits; false when they are not. */
static bool read_code(const parser *p, const char *at, uint32_t *out) {
  uint32_t code = 0;
  int i;
  if (p->end - at < 4) return false;
  for (i = 0; i < 4; ++i) {
    char c = at[i], lower = (char)(c | 0x20);
    if (c >= '0' && c <= '9') {
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
 * At the u of an escape; goes behind its digits, and those of the second if it takes two. What is
 * wrong with the second is said of its digits, unlike of the first, as the reference has it.
 */
TVMFFI_COLD static int parse_code(parser *p) {
  static const char kInvalid[] = "Invalid \\uXXXX escape";
  static const char kInvalidPair[] = "Invalid surrogate pair of \\uXXXX escapes";
  const char *at = p->at;
  uint32_t code, low;
  if (!read_code(p, at + 1, &code)) return fail(p, kInvalid);
  if (code >= 0xD800 && code < 0xE000) {
    bool is_pair = code < 0xDC00 && p->end - at > 6 && at[5] == '\\' && at[6] == 'u';
    if (!is_pair) return fail(p, kInvalidPair);
    at += 6;
    if (!read_code(p, at + 1, &low)) return fail_at(p, kInvalid, at + 1);
    if (low < 0xDC00 || low >= 0xE000) return fail_at(p, kInvalidPair, at + 1);
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  p->at = at + 5;
  append_utf8(&p->text, code);
  return 0;
}

/* Up to what is not simply part of the text: a quote, an escape, a control character, the end. */
static void skip_plain(parser *p) {
  const char *at = p->at, *end = p->end;
  while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20) ++at;
  p->at = at;
}

/* Behind a backslash. */
static int parse_escape(parser *p) {
  static const char kLetters[] = "\"\\/bfnrt", kMeanings[] = "\"\\/\b\f\n\r\t";
  const char *letter;
  if (p->at == p->end) return fail(p, "Invalid \\escape");
  if (*p->at == 'u') return parse_code(p);
  letter = memchr(kLetters, *p->at, sizeof kLetters - 1);
  if (letter == NULL) return fail(p, "Invalid \\escape");
  ++p->at;
  tvmffi_buf_append(&p->text, &kMeanings[letter - kLetters], 1);
  return 0;
}

/* At the quote. Texts with escapes are objects, however short, as the reference has them. */
static int parse_text(parser *p) {
  const char *quote = p->at, *run = ++p->at;
  bool has_escapes = false;
  TVMFFIAny *value;
  TVMFFIObject *string;
  TVMFFI_TRY(push(p, &value));
  for (;; run = p->at) {
    skip_plain(p);
    if (p->at == p->end) return fail_at(p, "Unterminated string starting at", quote);
    if (*p->at == '"') break;
    if (*p->at != '\\') return fail(p, "Invalid control character at");
    if (!has_escapes) tvmffi_buf_clear(&p->text);
    has_escapes = true;
    tvmffi_buf_append(&p->text, run, (size_t)(p->at++ - run));
    TVMFFI_TRY(parse_escape(p));
  }
  if (!has_escapes) return tvmffi_string_to_any(run, (size_t)(p->at++ - run), value);
  tvmffi_buf_append(&p->text, run, (size_t)(p->at++ - run));
  if (p->text.failed) return tvmffi_fail_memory();
  string = tvmffi_string_new(kTVMFFIStr, p->text.data, p->text.size);
  if (string == NULL) return -1;
  *value = tvmffi_any_object(string);
  return 0;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static char skip_space(parser *p) {
  while (p->at < p->end && is_space(*p->at)) ++p->at;
  return p->at < p->end ? *p->at : '\0';
}

/* The next byte that is not space; a NUL, which is nothing of JSON, at the end of the text. */
static inline char peek(parser *p) {
  bool is_here = p->at != p->end && (unsigned char)*p->at > ' ';
  return is_here ? *p->at : skip_space(p);
}

/* There is not what was to come. Where the text ends behind a comma, that is what is said. */
TVMFFI_COLD static int fail_missing(const parser *p, const char *what) {
  const char *last = p->at;
  if (p->at != p->end) return fail(p, what);
  while (last > p->begin && is_space(last[-1])) --last;
  return fail(p, last > p->begin && last[-1] == ',' ? "Syntax error near" : what);
}

static bool skip_word(parser *p, const char *word, size_t size) {
  if ((size_t)(p->end - p->at) < size || memcmp(p->at, word, size) != 0) return false;
  p->at += size;
  return true;
}

#define SKIP_WORD(p, word) skip_word(p, word, sizeof(word) - 1)

/* False when it is none that has a meaning. */
TVMFFI_COLD static bool read_word(parser *p, TVMFFIAny *value) {
  switch (*p->at) {
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

/* A value that is no container. */
static int parse_plain(parser *p) {
  TVMFFIAny *value;
  if (p->at == p->end) return fail_missing(p, "Expecting value");
  if (*p->at == '"') return parse_text(p);
  TVMFFI_TRY(push(p, &value));
  if (tvmffi_json_read_number(&p->at, p->end, value) || read_word(p, value)) return 0;
  return fail(p, "Expecting value");
}

static int parse_key(parser *p) {
  if (peek(p) != '"') return fail_missing(p, "Expecting property name enclosed in double quotes");
  TVMFFI_TRY(parse_text(p));
  if (peek(p) != ':') return fail(p, "Expecting ':' delimiter");
  ++p->at;
  return 0;
}

static char end_of_container(const parser *p) {
  return p->is_map ? '}' : ']';
}

/* Goes into containers up to a value that is none, or up to the end of one that is empty. */
static int parse_value(parser *p) {
  for (;;) {
    char letter = peek(p);
    if (letter != '[' && letter != '{') return parse_plain(p);
    ++p->at;
    TVMFFI_TRY(open_container(p, letter == '{'));
    if (peek(p) == end_of_container(p)) {
      ++p->at;
      return close_container(p);
    }
    if (p->is_map) TVMFFI_TRY(parse_key(p));
  }
}

/* Goes out of the containers that end here, up to where another value is. */
static int parse_ends(parser *p) {
  while (p->first != 0) {
    char letter = peek(p);
    if (letter == ',') {
      ++p->at;
      return p->is_map ? parse_key(p) : 0;
    }
    if (letter != end_of_container(p)) return fail(p, "Expecting ',' delimiter");
    ++p->at;
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
  if (p->at != p->end) return fail(p, "Extra data");
  *out = p->values[--p->num_values];
  return 0;
}

int tvmffi_json_parse(const char *data, size_t size, TVMFFIAny *out) {
  parser p;
  int rc;
  memset(&p, 0, sizeof p);
  p.begin = p.at = data;
  p.end = data + size;
  rc = parse_document(&p, out);
  release_all(&p);
  return rc;
}
