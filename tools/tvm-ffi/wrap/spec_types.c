/* SPDX-License-Identifier: Apache-2.0 */
/* The types of parameters and results, but for structures. */
#include "wrap/spec_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "base/utf8.h"

static const spec_type kHandle = {"void *", kTypeHandle, NULL, NULL, NULL};

/* The words of a type, in any order. */
typedef struct {
  bool is_const, is_restrict, is_signed, is_unsigned, is_char, is_short, is_int, is_complex;
  int num_longs;
  spec_word other; /* any other type, of one word */
} type_words;

static bool add_type_word(spec_reader *r, spec_word w, type_words *out) {
  bool *flag = spec_word_is(w, "const")            ? &out->is_const
               : spec_is_restrict(w.begin, w.size) ? &out->is_restrict
               : spec_word_is(w, "signed")         ? &out->is_signed
               : spec_word_is(w, "unsigned")       ? &out->is_unsigned
               : spec_word_is(w, "char")           ? &out->is_char
               : spec_word_is(w, "short")          ? &out->is_short
               : spec_word_is(w, "int")            ? &out->is_int
               : spec_word_is(w, "_Complex")       ? &out->is_complex
                                                   : NULL;
  if (spec_find_advice(w.begin, w.size) != NULL) return spec_fail_refused(r, w);
  if (spec_word_is(w, "long") && out->num_longs < 2) {
    ++out->num_longs;
  } else if (flag != NULL && !*flag) {
    *flag = true;
  } else if (flag == NULL && !spec_word_is(w, "long") && out->other.size == 0) {
    out->other = w;
  } else {
    return spec_fail(r->source, spec_column_of(r, w.begin),
                     "`%.*s` does not fit the type before it", tvmffi_shown_size(w.size), w.begin);
  }
  r->pos = w.begin + w.size;
  return true;
}

/* The type's name as the table has it, or another that it does not have; release with free(). */
static char *spell(const type_words *words) {
  const char *sign = words->is_unsigned ? "unsigned " : "";
  const char *size = words->num_longs > 1 ? "long long" : words->num_longs > 0 ? "long" : "int";
  const bool has_sign = words->is_signed || words->is_unsigned;
  const bool has_size = words->is_short || words->num_longs > 0;
  const bool is_other = words->other.size > 0;
  if ((words->is_signed && words->is_unsigned) || (words->is_short && words->num_longs > 0) ||
      (words->is_char && (has_size || words->is_int)) ||
      (words->is_complex && (has_sign || has_size || words->is_char || words->is_int)) ||
      (is_other && (has_sign || has_size || words->is_char || words->is_int))) {
    return tool_format("a mixture");
  }
  if (words->is_complex) {
    return tool_format("%.*s _Complex", tvmffi_shown_size(words->other.size),
                       is_other ? words->other.begin : "");
  }
  if (is_other && spec_word_is(words->other, "_Bool")) return tool_format("bool");
  if (is_other && spec_word_is(words->other, "enum")) return tool_format("int");
  if (is_other)
    return tool_format("%.*s", tvmffi_shown_size(words->other.size), words->other.begin);
  if (words->is_char) return tool_format("%schar", words->is_signed ? "signed " : sign);
  if (!has_sign && !has_size && !words->is_int) return tool_format("const alone");
  return tool_format("%s%s", sign, words->is_short ? "short" : size);
}

/* Whether the words name a type: const and restrict alone do not. */
static bool has_type(const type_words *words) {
  return words->is_signed || words->is_unsigned || words->is_char || words->is_short ||
         words->is_int || words->is_complex || words->num_longs > 0 || words->other.size > 0;
}

/* Reads the constants of an enumeration, as C has them, behind the brace. */
static bool take_choices(spec_reader *r, spec_c_type *out) {
  int64_t next = 0;
  do {
    spec_choice *choice;
    size_t column;
    if (out->num_choices > 0 && spec_peek(r, '}')) break;
    out->choices = tool_realloc(out->choices, (out->num_choices + 1) * sizeof *out->choices);
    choice = &out->choices[out->num_choices];
    spec_skip_space(r);
    column = spec_column_of(r, r->pos);
    choice->name = spec_take_name(r, "a constant of the enumeration");
    if (choice->name == NULL) return false;
    ++out->num_choices;
    if (spec_take(r, '=') && !spec_take_signed_value(r, &next)) return false;
    if (next < INT32_MIN || next > UINT32_MAX) {
      return spec_fail(r->source, column, "`%s` fits neither int nor unsigned int", choice->name);
    }
    choice->value = next++;
  } while (spec_take(r, ','));
  return spec_take_required(r, '}', "`,` or `}`");
}

/* Reads what follows the word enum: the name, and the constants. */
static bool take_enum(spec_reader *r, spec_c_type *out) {
  const spec_word w = spec_peek_word(r);
  if (identifier_is(w.begin, w.size)) {
    if (spec_is_type_word(w.begin, w.size))
      return spec_fail_expecting(r, "the name of an enumeration");
    out->name = tool_format("enum %.*s", tvmffi_shown_size(w.size), w.begin);
    r->pos += w.size;
  }
  if (spec_take(r, '{')) return take_choices(r, out);
  return out->name != NULL ||
         spec_fail_expecting(r, "the name of an enumeration, or its constants in braces");
}

/* Reads the words of a type, up to *end. False after a report. */
static bool take_type_words(spec_reader *r, type_words *out, spec_c_type *c_type,
                            const char **end) {
  spec_word w = spec_peek_word(r);
  memset(out, 0, sizeof *out);
  if (!identifier_is(w.begin, w.size)) return spec_fail_expecting(r, "a type");
  while (spec_is_type_word(w.begin, w.size)) {
    if (!add_type_word(r, w, out)) return false;
    if (spec_word_is(w, "enum") && !take_enum(r, c_type)) return false;
    *end = r->pos;
    w = spec_peek_word(r);
  }
  if (has_type(out) || !identifier_is(w.begin, w.size)) return true;
  return spec_fail(r->source, spec_column_of(r, w.begin),
                   "`%.*s` is not a known type, such as float, double, bool, int, int8_t, "
                   "uint64_t or size_t",
                   tvmffi_shown_size(w.size), w.begin);
}

/* Reads a * and what belongs to it; const of the pointer itself changes nothing for a caller. */
static bool take_pointer(spec_reader *r, spec_marks *marks) {
  marks->is_pointer = spec_take(r, '*');
  if (!marks->is_pointer) return true;
  while (true) {
    if (spec_take_restrict(r)) {
      marks->is_restrict = true;
    } else if (!spec_take_word(r, "const")) {
      break;
    }
  }
  if (!spec_peek(r, '*')) return spec_check_word(r);
  return spec_fail(r->source, spec_column_of(r, r->pos),
                   "a pointer to a pointer is not supported: a tensor has its elements in one "
                   "array");
}

/* Reads a pointer to a type that no spec knows, up to and with its *. True with no report if it is
 * another type, which is not read then. */
static bool take_handle(spec_reader *r, spec_c_type *out, bool *is_handle) {
  spec_reader ahead = *r;
  const char *constant = spec_take_word(&ahead, "const") ? "const " : "";
  const char *kind = spec_take_word(&ahead, "struct") ? "struct " : "";
  const spec_word w = spec_peek_word(&ahead);
  *is_handle = false;
  if (!identifier_is(w.begin, w.size) || spec_is_type_word(w.begin, w.size)) return true;
  ahead.pos += w.size;
  if (spec_take_word(&ahead, "const")) constant = "const ";
  if (!spec_take(&ahead, '*')) return true;
  while (spec_take_word(&ahead, "const") || spec_take_restrict(&ahead)) continue;
  out->handle = tool_copy(w.begin, w.size);
  out->name = tool_format("%s%s%s *", constant, kind, out->handle);
  r->pos = ahead.pos;
  *is_handle = true;
  return true;
}

/* Reads a type with its marks, which are zero before. False after a report. */
bool spec_take_plain_type(spec_reader *r, const spec_type **out, spec_marks *marks) {
  type_words words;
  const char *end = r->pos;
  char *name;
  const size_t begin = spec_column_of(r, spec_peek_word(r).begin);
  bool is_handle;
  if (!take_handle(r, &marks->c_type, &is_handle)) return false;
  if (is_handle) {
    *out = &kHandle;
    marks->is_pointer = spec_take(r, '*');
    return true;
  }
  if (!take_type_words(r, &words, &marks->c_type, &end)) return false;
  marks->is_const = words.is_const;
  marks->is_restrict = words.is_restrict;
  if (!take_pointer(r, marks)) return false;
  name = spell(&words);
  *out = marks->is_pointer && words.is_const && strcmp(name, "char") == 0
             ? spec_find_type("const char *")
         : marks->is_pointer && strcmp(name, "void") == 0
             ? spec_find_type(words.is_const ? "const void *" : "void *")
             : spec_find_type(name);
  if (*out == NULL) {
    spec_fail(r->source, begin, "`%.*s` is not a type of elements or of numbers",
              tvmffi_shown_size((size_t)(end - (r->source->begin + begin))),
              r->source->begin + begin);
  } else if ((*out)->kind == kTypeText || (*out)->kind == kTypePointer) {
    marks->is_pointer = false;
  }
  free(name);
  return *out != NULL;
}
