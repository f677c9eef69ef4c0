/* SPDX-License-Identifier: Apache-2.0 */
/* A spec as a whole: its result, what follows the parameters, and its release. */
#include "wrap/spec_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- Errors of the function ---- */

/* Reads `nonzero`, `negative:errno`, ... behind `error=`. */
static bool take_failure(spec_reader *r, spec *out) {
  static const char *const kWords[] = {[kErrorNonzero] = "nonzero",
                                       [kErrorZero] = "zero",
                                       [kErrorNegative] = "negative",
                                       [kErrorNull] = "null"};
  size_t i;
  for (i = kErrorNonzero; i < sizeof kWords / sizeof *kWords; ++i) {
    if (!spec_take_word(r, kWords[i])) continue;
    out->failure = (spec_failure)i;
    if (!spec_take(r, ':')) return true;
    out->has_errno = true;
    return spec_take_word(r, "errno") || spec_fail_expecting(r, "errno");
  }
  return spec_fail_expecting(r, "nonzero, zero, negative or null");
}

/* Reads `sqlite3_errmsg(db)` behind `error_text=`. */
static bool take_error_text(spec_reader *r, spec *out) {
  spec_error_text *text = &out->error_text;
  spec_skip_space(r);
  text->column = spec_column_of(r, r->pos);
  text->function = spec_take_name(r, "the function that has the error's text");
  if (text->function == NULL || !spec_take_required(r, '(', "`(` and names of parameters"))
    return false;
  if (spec_take(r, ')')) return true;
  do {
    const spec_word w = spec_peek_word(r);
    size_t i = 0;
    while (i < out->num_params && !spec_word_is(w, out->params[i].name)) ++i;
    if (i == out->num_params && !spec_word_is(w, "return")) {
      return spec_fail_expecting(r, "the name of a parameter, or return");
    }
    text->args = tool_realloc(text->args, (text->num_args + 1) * sizeof *text->args);
    text->args[text->num_args++] = tool_copy(w.begin, w.size);
    r->pos += w.size;
  } while (spec_take(r, ','));
  return spec_take_required(r, ')', "`,` or `)`");
}

/* Which results may tell a failure. */
static bool check_failure(const spec_reader *r, const spec *target) {
  static const char *const kWords[] = {[kErrorNone] = "",
                                       [kErrorNonzero] = "nonzero",
                                       [kErrorZero] = "zero",
                                       [kErrorNegative] = "negative",
                                       [kErrorNull] = "null"};
  const spec_kind kind = target->result->kind;
  const bool is_pointer = kind == kTypeText || kind == kTypePointer || kind == kTypeHandle;
  const bool is_integer =
      kind == kTypeBool || kind == kTypeInt || kind == kTypeUint || kind == kTypeWide;
  if (target->failure == kErrorNone) {
    return target->error_text.function == NULL ||
           spec_fail(r->source, target->error_text.column,
                     "error_text=%s(...) needs error=", target->error_text.function);
  }
  if (target->failure == kErrorNull       ? is_pointer
      : target->failure == kErrorNegative ? kind == kTypeInt
                                          : is_integer) {
    return true;
  }
  return spec_fail(r->source, target->column, "with error=%s `%s` must return %s, not `%s`",
                   kWords[target->failure], target->name,
                   target->failure == kErrorNull       ? "an address or text"
                   : target->failure == kErrorNegative ? "a signed integer"
                                                       : "an integer",
                   target->result->name);
}

/* Reads what may stand behind the parameters, each once. */
static bool take_result_end(spec_reader *r, spec *out) {
  static const struct {
    const char *name;
    bool (*take)(spec_reader *r, spec *out);
  } kWords[] = {{"error", take_failure}, {"error_text", take_error_text}};
  enum { kNumWords = sizeof kWords / sizeof *kWords };
  bool is_taken[kNumWords] = {false};
  while (true) {
    const spec_word w = spec_peek_word(r);
    size_t i = 0;
    bool found = out->result->kind == kTypeHandle || out->result->kind == kTypeText;
    if (found && !spec_take_new_handle(r, &out->result_c_type, &found)) return false;
    if (found) continue;
    while (i < kNumWords && !spec_word_is(w, kWords[i].name)) ++i;
    if (i == kNumWords) break;
    if (is_taken[i]) {
      return spec_fail(r->source, spec_column_of(r, w.begin), "`%s` is given twice",
                       kWords[i].name);
    }
    is_taken[i] = true;
    r->pos += w.size;
    if (!spec_take_required(r, '=', "`=`") || !kWords[i].take(r, out)) return false;
  }
  if (spec_take_word(r, "as") && !spec_take_c_name(r, &out->result_c_type)) return false;
  return spec_check_struct_name(r, &out->result_c_type, out->column) && check_failure(r, out);
}

/* ---- The whole ---- */

/* `name =` before the prototype, which is the kernel's name. */
static bool take_exported(spec_reader *r, spec *out) {
  spec_reader ahead = *r;
  const spec_word w = spec_peek_word(&ahead);
  ahead.pos += w.size;
  if (w.size == 0 || !spec_peek(&ahead, '=')) return true;
  out->exported = spec_take_name(r, "a name for the kernel");
  return out->exported != NULL && spec_take(r, '=');
}

static bool check_exported(const spec_source *source, const spec *target, size_t column) {
  if (target->exported[0] != '_') return true;
  return spec_fail(source, column,
                   "a kernel's name must not begin with _; put another one before it: "
                   "`name = %s%s%s(...)`",
                   target->result->name, spec_type_space(target->result), target->name);
}

static bool take_doc(spec_reader *r, spec *out) {
  if (!spec_check_word(r)) return false;
  spec_take(r, ';');
  spec_skip_space(r);
  if (r->end - r->pos >= 2 && memcmp(r->pos, "//", 2) == 0) {
    const char *nul;
    r->pos += 2;
    spec_skip_space(r);
    nul = r->pos < r->end ? memchr(r->pos, '\0', (size_t)(r->end - r->pos)) : NULL;
    if (nul != NULL) {
      return spec_fail(r->source, spec_column_of(r, nul), "a description cannot contain a NUL");
    }
    while (r->end > r->pos && strchr(" \t\r\n", r->end[-1]) != NULL && r->end[-1] != '\0') --r->end;
    out->doc = tool_copy(r->pos, (size_t)(r->end - r->pos));
    r->pos = r->end;
  }
  return r->pos == r->end || spec_fail_expecting(r, "the end, or // and a description");
}

/* extern before a prototype says nothing that it does not say without. */
static void skip_extern(spec_reader *r) {
  static const char kLanguage[] = "\"C\"";
  const size_t size = sizeof kLanguage - 1;
  if (!spec_take_word(r, "extern")) return;
  spec_skip_space(r);
  if ((size_t)(r->end - r->pos) >= size && memcmp(r->pos, kLanguage, size) == 0) r->pos += size;
}

static bool take_spec(spec_reader *r, spec *out) {
  spec_marks marks;
  size_t first;
  bool is_good;
  spec_skip_space(r);
  first = spec_column_of(r, r->pos);
  if (!take_exported(r, out)) return false;
  skip_extern(r);
  is_good = spec_take_type(r, &out->result, &marks);
  out->result_c_type = marks.c_type;
  if (!is_good) return false;
  spec_skip_space(r);
  out->column = spec_column_of(r, r->pos);
  if (marks.is_pointer && out->result->kind == kTypeChar) {
    out->result = &kSpecChangeableText;
    marks.is_pointer = marks.is_restrict = false;
  }
  if (marks.is_pointer) {
    return spec_fail(r->source, out->column, "the result must not be a pointer to `%s`",
                     out->result->name);
  }
  if (out->result->kind == kTypeHalf) {
    return spec_fail(r->source, out->column, "a `%s` is an element of a tensor only",
                     out->result->name);
  }
  if (!spec_check_restrict(r, out->result, &marks, out->column)) return false;
  out->name = spec_take_name(r, "the name of the function");
  if (out->name == NULL) return false;
  if (out->exported == NULL) {
    out->exported = tool_format("%s", out->name);
    first = out->column;
  }
  return check_exported(r->source, out, first) && spec_take_params(r, out) &&
         take_result_end(r, out) && take_doc(r, out);
}

bool spec_read(const spec_source *source, spec *out) {
  spec_reader r;
  r.source = source;
  r.pos = source->begin;
  r.end = source->begin + source->size;
  r.in_callback = false;
  r.depth = 0;
  memset(out, 0, sizeof *out);
  if (take_spec(&r, out)) return true;
  spec_free(out);
  return false;
}

static void free_c_type(spec_c_type *type) {
  size_t i;
  for (i = 0; i < type->num_choices; ++i) free(type->choices[i].name);
  free(type->choices);
  free(type->name);
  free(type->handle);
  free(type->release);
  for (i = 0; i < type->num_owners; ++i) free(type->owners[i].name);
  free(type->owners);
  if (type->fields != NULL) spec_free(type->fields);
  free(type->fields);
}

static void free_terms(spec_number *number) {
  size_t i;
  for (i = 0; i < number->num_terms; ++i) free(number->terms[i].name);
  free(number->terms);
  free(number->text);
}

void spec_free(spec *target) {
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    spec_param *param = &target->params[i];
    for (k = 0; k < param->num_dims; ++k) {
      free_terms(&param->dims[k].extent);
      free(param->dims[k].extent.name);
      free(param->dims[k].extent.constant);
      free(param->dims[k].stride.name);
      free(param->dims[k].stride.constant);
    }
    free_c_type(&param->c_type);
    if (param->callback != NULL) spec_free(param->callback);
    free(param->callback);
    free(param->constant);
    free(param->declaration);
    free(param->dtype_name);
    free(param->size_name);
    free(param->dims);
    free(param->in_place);
    free(param->local);
    free(param->name);
  }
  for (i = 0; i < target->num_symbols; ++i) free(target->symbols[i].local);
  for (i = 0; i < target->error_text.num_args; ++i) free(target->error_text.args[i]);
  free(target->error_text.args);
  free(target->error_text.function);
  free_c_type(&target->result_c_type);
  free(target->symbols);
  free(target->constants);
  free(target->params);
  free(target->exported);
  free(target->name);
  free(target->doc);
  memset(target, 0, sizeof *target);
}
