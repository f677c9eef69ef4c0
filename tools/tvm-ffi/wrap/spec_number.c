/* SPDX-License-Identifier: Apache-2.0 */
/* Extents and strides: names, numbers, and expressions of them. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "wrap/spec_reader.h"

bool spec_take_number(spec_reader *r, const char *expected, spec_number *out) {
  const spec_word w = spec_peek_word(r);
  out->column = spec_column_of(r, w.begin);
  if (w.size > 0 && spec_is_digit(w.begin[0])) return spec_take_value(r, &out->value);
  out->name = spec_take_name(r, expected);
  if (out->name == NULL || !spec_take(r, '=')) return out->name != NULL;
  out->constant = out->name;
  out->name = NULL;
  return spec_take_value(r, &out->value);
}

/* ---- Expressions ---- */

static spec_term *add_term(spec_number *out, size_t column) {
  spec_term *term;
  out->terms = tool_grow(out->terms, out->num_terms, sizeof *out->terms);
  term = &out->terms[out->num_terms++];
  memset(term, 0, sizeof *term);
  term->column = column;
  return term;
}

static bool take_operand(spec_reader *r, spec_number *out) {
  const spec_word w = spec_peek_word(r);
  spec_term *term = add_term(out, spec_column_of(r, w.begin));
  if (w.size > 0 && spec_is_digit(w.begin[0])) return spec_take_value(r, &term->value);
  term->name = spec_take_name(r, "an extent: a name or a number");
  return term->name != NULL;
}

enum { kMaxTerms = 64, kLevels = 2 };

/* Reads operands with operators of a level, which bind more the higher it is. */
static bool take_level(spec_reader *r, int level, spec_number *out);

/* Whether `min(` or `max(` follows. */
static bool is_choice(const spec_reader *r) {
  spec_reader ahead = *r;
  const spec_word w = spec_peek_word(&ahead);
  ahead.pos = w.begin + w.size;
  return (spec_word_is(w, "min") || spec_word_is(w, "max")) && spec_peek(&ahead, '(');
}

/* Reads `min(a, b)` or `max(a, b)`. */
static bool take_choice(spec_reader *r, spec_number *out) {
  const spec_word w = spec_peek_word(r);
  const char kind = spec_word_is(w, "min") ? '<' : '>';
  r->pos = w.begin + w.size;
  if (!spec_take(r, '(') || !take_level(r, 0, out) ||
      !spec_take_required(r, ',', "`,`: min and max have two values") || !take_level(r, 0, out) ||
      !spec_take_required(r, ')', "`)` or an operator: + - * /")) {
    return false;
  }
  add_term(out, spec_column_of(r, w.begin))->operator_ = kind;
  return true;
}

static bool take_factor(spec_reader *r, spec_number *out) {
  if (out->num_terms >= kMaxTerms) return spec_fail_expecting(r, "a shorter expression");
  if (is_choice(r)) return take_choice(r, out);
  if (!spec_take(r, '(')) return take_operand(r, out);
  return take_level(r, 0, out) && spec_take_required(r, ')', "`)` or an operator: + - * /");
}

static bool take_part(spec_reader *r, int level, spec_number *out) {
  return level + 1 < kLevels ? take_level(r, level + 1, out) : take_factor(r, out);
}

static bool take_level(spec_reader *r, int level, spec_number *out) {
  static const char kOperators[kLevels][2] = {{'+', '-'}, {'*', '/'}};
  if (++r->depth > kMaxTerms) return spec_fail_expecting(r, "a shorter expression");
  if (!take_part(r, level, out)) return false;
  while (spec_peek(r, kOperators[level][0]) || spec_peek(r, kOperators[level][1])) {
    const size_t column = spec_column_of(r, r->pos);
    const char found = *r->pos++;
    if (!take_part(r, level, out)) return false;
    add_term(out, column)->operator_ = found;
  }
  --r->depth;
  return true;
}

/* Whether the extent that begins here is an expression, not a single name or number. */
static bool is_expression(const spec_reader *r) {
  spec_reader ahead = *r;
  if (spec_peek(&ahead, '(') || is_choice(r)) return true;
  ahead.pos += spec_peek_word(&ahead).size;
  return spec_peek(&ahead, '+') || spec_peek(&ahead, '-') || spec_peek(&ahead, '*') ||
         spec_peek(&ahead, '/');
}

bool spec_take_extent(spec_reader *r, spec_number *out) {
  const char *begin;
  if (!is_expression(r)) {
    return spec_take_number(r, "an extent: a name or a number", out);
  }
  spec_skip_space(r);
  begin = r->pos;
  out->column = spec_column_of(r, begin);
  r->depth = 0;
  if (!take_level(r, 0, out)) return false;
  out->text = tool_copy(begin, (size_t)(r->pos - begin));
  return true;
}
