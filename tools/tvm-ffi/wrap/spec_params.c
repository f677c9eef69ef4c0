/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a spec. */
#include "wrap/spec_reader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "base/utf8.h"

/* ---- What may stand around a name ---- */

/* Moves behind the parenthesis that begins here; false: it does not end. */
static bool skip_parenthesis(spec_reader *r) {
  int depth = 0;
  for (; r->pos < r->end; ++r->pos) {
    depth += (*r->pos == '(') - (*r->pos == ')');
    if (depth == 0) break;
  }
  return spec_take(r, ')');
}

/* Whether a parenthesis is around the name of a parameter, as in (x)[4] and (x[4]). */
static bool is_around_name(const spec_reader *r, spec_word *out_name) {
  spec_reader ahead = *r, whole = *r;
  spec_take(&ahead, '(');
  *out_name = spec_peek_word(&ahead);
  ahead.pos += out_name->size;
  return identifier_is(out_name->begin, out_name->size) &&
         !spec_is_type_word(out_name->begin, out_name->size) &&
         (spec_peek(&ahead, ')') || spec_peek(&ahead, '[')) && skip_parenthesis(&whole) &&
         !spec_peek(&whole, '(');
}

/* Reports a parenthesis where a name is expected, or after it: a function, or a pointer to an
 * array. */
static bool fail_parenthesis(spec_reader *r) {
  const size_t column = spec_column_of(r, r->pos);
  if (skip_parenthesis(r) && spec_peek(r, '[')) {
    return spec_fail(r->source, column,
                     "a pointer to an array is not supported: write `x[n][m]` for a tensor");
  }
  return spec_fail(r->source, column,
                   r->in_callback ? "a function of a function is not supported"
                                  : "a function as a parameter is written `int (*name)(int x, void "
                                    "*data)`");
}

/* Reports a parenthesis after a type. */
static bool fail_before_name(spec_reader *r) {
  spec_word name;
  if (!is_around_name(r, &name)) return fail_parenthesis(r);
  return spec_fail(r->source, spec_column_of(r, r->pos), "write `%.*s` without parentheses",
                   tvmffi_shown_size(name.size), name.begin);
}

/* restrict is of pointers, as which tensors are passed. */
bool spec_check_restrict(const spec_reader *r, const spec_type *type, const spec_marks *marks,
                         size_t column) {
  return !marks->is_restrict || marks->is_pointer || type->kind == kTypeText ||
         type->kind == kTypePointer ||
         spec_fail(r->source, column, "`restrict` is for pointers: leave it out");
}

/* The end of a parameter that is not a tensor. A macro before or after a name looks like another
 * name. */
static bool check_end(spec_reader *r, const spec_param *param) {
  const spec_word next = spec_peek_word(r);
  if (spec_peek(r, '(')) return fail_parenthesis(r);
  if (!spec_check_word(r)) return false;
  return !identifier_is(next.begin, next.size) ||
         spec_fail(r->source, spec_column_of(r, next.begin),
                   "expected `,`, `)` or a shape after `%s`, but met `%.*s`: of a macro write "
                   "what it stands for, such as restrict, or nothing",
                   param->name, tvmffi_shown_size(next.size), next.begin);
}

/* Reads a word of how the function takes a number: in, out, inout. */
static spec_direction take_direction(spec_reader *r) {
  static const char *const kWords[] = {[kIn] = "in", [kOut] = "out", [kInOut] = "inout"};
  size_t i;
  for (i = kIn; i < sizeof kWords / sizeof *kWords; ++i) {
    if (spec_take_word(r, kWords[i])) return (spec_direction)i;
  }
  return kByValue;
}

/* Whether a letter or digit follows, as C writes it: 'L'. */
static bool is_letter_constant(const spec_reader *r) {
  return r->end - r->pos >= 3 && r->pos[0] == '\'' && identifier_has(r->pos[1]) &&
         r->pos[2] == '\'';
}

/* Reads the value that the function always gets, up to the end of the parameter. */
static bool take_constant(spec_reader *r, spec_param *out) {
  const char *begin, *end;
  int depth = 0;
  spec_skip_space(r);
  begin = end = r->pos;
  for (; r->pos < r->end && (depth > 0 || (*r->pos != ',' && *r->pos != ')')); ++r->pos) {
    if (is_letter_constant(r)) {
      r->pos += 2;
    } else if (!identifier_has(*r->pos) &&
               (*r->pos == '\0' || strchr(" .+-*/~|&<>()", *r->pos) == NULL)) {
      return spec_fail_expecting(r, "a constant, such as -1, NULL or (A | B)");
    }
    depth += (*r->pos == '(') - (*r->pos == ')');
    if (*r->pos != ' ') end = r->pos + 1;
  }
  if (begin == end) return spec_fail_expecting(r, "a constant, such as -1, NULL or (A | B)");
  out->constant = tool_copy(begin, (size_t)(end - begin));
  out->form = kParamConstant;
  return true;
}

/* Reads a parameter of any type that is always NULL: `const char **tail = NULL`. True with no
 * report if it is another one, which is not read then. */
static bool take_null(spec_reader *r, spec_param *out) {
  spec_reader ahead = *r;
  const char *begin, *end;
  size_t count = 0, i;
  int depth = 0;
  spec_word w, name = {NULL, 0};
  spec_skip_space(&ahead);
  begin = end = ahead.pos;
  for (; ahead.pos < ahead.end && *ahead.pos != '='; ++ahead.pos) {
    depth += (*ahead.pos == '(') - (*ahead.pos == ')');
    if (depth < 0 || (depth == 0 && *ahead.pos == ',') || *ahead.pos == '\0' ||
        (!identifier_has(*ahead.pos) && strchr(" ,*()", *ahead.pos) == NULL)) {
      return true;
    }
    if (*ahead.pos != ' ') end = ahead.pos + 1;
  }
  if (!spec_take(&ahead, '=') || !spec_take_word(&ahead, "NULL") || end == begin) return true;
  for (i = 0; begin + i<end; i += w.size> 0 ? w.size : 1) {
    w.begin = begin + i;
    w.size = 0;
    while (w.begin + w.size < end && identifier_has(w.begin[w.size])) ++w.size;
    if (!identifier_is(w.begin, w.size) || spec_word_is(w, "const")) continue;
    /* The name is the one that a pointer to a function has in its own parentheses, or the last. */
    if (name.size == 0 || memchr(begin, '(', (size_t)(name.begin - begin)) == NULL) name = w;
    ++count;
  }
  if (count < 2) return true;
  r->pos = ahead.pos;
  out->column = spec_column_of(r, name.begin);
  out->name = tool_copy(name.begin, name.size);
  out->declaration = tool_copy(begin, (size_t)(end - begin));
  out->constant = tool_format("NULL");
  out->type = spec_find_type("void *");
  out->form = kParamConstant;
  return true;
}

/* Reads `=` and the name of what ends a handle. */
static bool take_release(spec_reader *r, spec_c_type *out) {
  if (out->release != NULL) return spec_fail_expecting(r, "`free` once");
  if (!spec_take_required(r, '=', "`=`")) return false;
  out->release = spec_take_name(r, "the function that ends the handle");
  return out->release != NULL;
}

/* Reads `=` and the name of what a handle keeps alive. */
static bool take_owner(spec_reader *r, spec_c_type *out) {
  spec_owner *owner;
  if (!spec_take_required(r, '=', "`=`")) return false;
  spec_skip_space(r);
  out->owners = tool_grow(out->owners, out->num_owners, sizeof *out->owners);
  owner = &out->owners[out->num_owners];
  owner->is_instead = false;
  owner->column = spec_column_of(r, r->pos);
  owner->name = spec_take_name(r, "the handle, tensor or text that is kept alive");
  if (owner->name == NULL) return false;
  ++out->num_owners;
  return true;
}

/* Reads what belongs to a new handle, `free=f` and `of=x`; *out_found tells whether one was there.
 */
bool spec_take_new_handle(spec_reader *r, spec_c_type *out, bool *out_found) {
  *out_found = true;
  if (spec_take_word(r, "free")) return take_release(r, out);
  if (spec_take_word(r, "of")) return take_owner(r, out);
  *out_found = false;
  return true;
}

static bool fail_several(const spec_reader *r) {
  return spec_fail_expecting(r, "one of closes, ends, takes and alone");
}

/* Reads what becomes of a handle that is passed. */
static bool take_passed_handle(spec_reader *r, spec_param *out, bool *out_found) {
  *out_found = true;
  if (spec_take_word(r, "of")) {
    if (!take_owner(r, &out->c_type)) return false;
    out->c_type.owners[out->c_type.num_owners - 1].is_instead = spec_take_word(r, "instead");
    return true;
  }
  if (spec_take_word(r, "optional")) {
    out->is_optional = true;
  } else if (spec_take_word(r, "closes")) {
    if (out->is_closed || out->is_alone) return fail_several(r);
    out->is_closed = true;
  } else if (spec_take_word(r, "ends")) {
    if (out->is_closed || out->is_alone) return fail_several(r);
    out->is_closed = out->is_on_success = true;
  } else if (spec_take_word(r, "takes")) {
    if (out->is_closed || out->is_alone) return fail_several(r);
    out->is_closed = out->is_on_success = out->is_taken = true;
  } else if (spec_take_word(r, "alone")) {
    if (out->is_closed || out->is_alone) return fail_several(r);
    out->is_alone = true;
  } else {
    *out_found = false;
  }
  return true;
}

static bool take_handle_end(spec_reader *r, spec_param *out) {
  bool found = true;
  while (found) {
    if (out->direction == kOut) {
      if (!spec_take_new_handle(r, &out->c_type, &found)) return false;
    } else if (!take_passed_handle(r, out, &found)) {
      return false;
    }
  }
  return true;
}

/* Reads what may stand after the name of a parameter without a shape. */
static bool take_scalar_end(spec_reader *r, spec_param *out) {
  if (out->type->kind == kTypeHandle) return take_handle_end(r, out);
  if (out->type->kind == kTypePointer && out->direction != kByValue && spec_take_word(r, "dtype")) {
    if (!spec_take_dtype(r, out)) return false;
    out->type = strcmp(out->dtype_name, "complex64") == 0    ? spec_find_type("float _Complex")
                : strcmp(out->dtype_name, "complex128") == 0 ? spec_find_type("double _Complex")
                                                             : out->type;
    out->is_void = out->type->kind == kTypeComplex;
    if (out->is_void) return true;
  }
  if (spec_take(r, '=')) return take_constant(r, out);
  if (out->type->kind == kTypeText && spec_take_word(r, "optional")) out->is_optional = true;
  return !spec_take_word(r, "as") || spec_take_c_name(r, &out->c_type);
}

/* A number is passed as it is, or its address is. */
static bool check_address(const spec_reader *r, const spec_param *param, const spec_marks *marks) {
  const char *constant = param->is_const ? "const " : "";
  const bool is_value = param->type->kind == kTypeText || param->type->kind == kTypePointer;
  if (param->type->kind == kTypeHandle) {
    if (marks->is_pointer == (param->direction == kOut) &&
        (param->direction == kByValue || param->direction == kOut)) {
      return true;
    }
    return spec_fail(r->source, param->column,
                     "a handle is `%sx`, or `out %s*x` if the function makes it",
                     param->c_type.name, param->c_type.name);
  }
  if (param->direction == kByValue && marks->is_pointer && param->c_type.fields != NULL) {
    return spec_fail(r->source, param->column,
                     "`%s` has no shape: write `in const %s *%s` for a structure that the function "
                     "reads, `out` for one that it writes, `inout` for both",
                     param->name, param->c_type.name, param->name);
  }
  if (param->direction == kByValue && marks->is_pointer) {
    return spec_fail(r->source, param->column,
                     "`%s` has no shape: write `%s%s %s[n]` for a tensor, `%s *%s[n]` for a work "
                     "array, `in %s%s *%s` for a number that the function reads%s",
                     param->name, constant, param->type->name, param->name, param->type->name,
                     param->name, constant, param->type->name, param->name,
                     param->is_const ? "" : ", `out` for one that it writes, `inout` for both");
  }
  if (param->direction == kByValue) return true;
  if (is_value || (!marks->is_pointer && !param->is_void)) {
    return spec_fail(r->source, param->column,
                     "`in`, `out` and `inout` are for the address of a number, such as `int *%s`",
                     param->name);
  }
  if (param->is_const && param->direction != kIn) {
    return spec_fail(r->source, param->column,
                     "`%s` is const: the function cannot write it, so it is `in`", param->name);
  }
  return true;
}

/* ---- Functions ---- */

/* Whether (*name)( follows: a pointer to a function. */
static bool is_callback(const spec_reader *r) {
  spec_reader ahead = *r;
  spec_word w;
  if (r->in_callback || !spec_take(&ahead, '(') || !spec_take(&ahead, '*')) return false;
  w = spec_peek_word(&ahead);
  ahead.pos += w.size;
  return identifier_is(w.begin, w.size) && spec_take(&ahead, ')') && spec_peek(&ahead, '(');
}

/* What a function that is a parameter may return and take. */
static bool check_callback(const spec_reader *r, const spec *callback) {
  size_t i;
  const spec_kind kind = callback->result->kind;
  if (kind > kTypeFloat) {
    return spec_fail(r->source, callback->column,
                     "`%s` is called by the function: it returns nothing, a number or a bool",
                     callback->name);
  }
  for (i = 0; i < callback->num_params; ++i) {
    const spec_param *param = &callback->params[i];
    const spec_kind param_kind = param->type->kind;
    if (param->form == kParamScalar && param->direction == kByValue && param_kind != kTypeComplex &&
        param_kind != kTypeHandle) {
      continue;
    }
    return spec_fail(r->source, param->column,
                     "`%s` is a parameter of `%s`, which the function calls: it must be a number, "
                     "text or an address",
                     param->name, callback->name);
  }
  return true;
}

/* Whether a callback can return the number, with the sizes that types have here. */
static bool can_return(const spec_type *type, int64_t value) {
  static const struct {
    const char *high;
    int64_t low_value, high_value;
  } kLimits[] = {{"INT8_MAX", INT8_MIN, INT8_MAX},
                 {"INT16_MAX", INT16_MIN, INT16_MAX},
                 {"INT32_MAX", INT32_MIN, INT32_MAX},
                 {"UINT8_MAX", 0, UINT8_MAX},
                 {"UINT16_MAX", 0, UINT16_MAX},
                 {"UINT32_MAX", 0, UINT32_MAX},
                 {"SCHAR_MAX", SCHAR_MIN, SCHAR_MAX},
                 {"SHRT_MAX", SHRT_MIN, SHRT_MAX},
                 {"INT_MAX", INT_MIN, INT_MAX},
                 {"LONG_MAX", LONG_MIN, LONG_MAX},
                 {"UCHAR_MAX", 0, UCHAR_MAX},
                 {"USHRT_MAX", 0, USHRT_MAX},
                 {"UINT_MAX", 0, UINT_MAX}};
  size_t i;
  if (type->kind == kTypeBool) return value == 0 || value == 1;
  if (type->kind == kTypeWide) return value >= 0;
  for (i = 0; type->high != NULL && i < sizeof kLimits / sizeof *kLimits; ++i) {
    if (strcmp(kLimits[i].high, type->high) != 0) continue;
    return value >= kLimits[i].low_value && value <= kLimits[i].high_value;
  }
  return type->kind != kTypeVoid;
}

/* Reads what a callback returns after an error, behind `fail`. */
static bool take_fail_value(spec_reader *r, spec_param *out) {
  const spec_type *type = out->callback->result;
  size_t column;
  if (!spec_take_required(r, '=', "`=`")) return false;
  spec_skip_space(r);
  column = spec_column_of(r, r->pos);
  return spec_take_signed_value(r, &out->fail_value) &&
         (can_return(type, out->fail_value) ||
          spec_fail(r->source, column, "`%s` returns `%s`, which cannot be %lld", out->name,
                    type->name, (long long)out->fail_value));
}

/* Reads a function from (*name) on; its result is read. */
static bool take_callback(spec_reader *r, const spec_marks *marks, spec_param *out) {
  spec *callback = tool_realloc(NULL, sizeof *callback);
  memset(callback, 0, sizeof *callback);
  out->callback = callback;
  out->form = kParamCallback;
  callback->result = out->type;
  out->type = &kSpecFunction;
  spec_take(r, '(');
  spec_take(r, '*');
  spec_skip_space(r);
  out->column = callback->column = spec_column_of(r, r->pos);
  callback->name = spec_take_name(r, "a name for the function");
  if (callback->name == NULL) return false;
  out->name = tool_format("%s", callback->name);
  spec_take(r, ')');
  r->in_callback = true;
  if (!spec_take_params(r, callback)) return false;
  r->in_callback = false;
  if (marks->is_pointer || marks->c_type.name != NULL || marks->c_type.num_choices > 0) {
    return spec_fail(r->source, out->column,
                     "`%s` is called by the function: it returns nothing, a number or a bool",
                     out->name);
  }
  if (!check_callback(r, callback)) return false;
  return !spec_take_word(r, "fail") || take_fail_value(r, out);
}

/* ---- Parameters ---- */

/* A structure is declared by its tag, or by the name of a type. */
bool spec_check_struct_name(const spec_reader *r, const spec_c_type *type, size_t column) {
  return type->fields == NULL || type->name != NULL ||
         spec_fail(r->source, column,
                   "the structure has no name: write `struct name {...}` or `as name` at the end");
}

/* ---- Structures ---- */

/* num_params: there is none. */
size_t spec_find_param(const spec *target, const char *name) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (strcmp(target->params[i].name, name) == 0) break;
  }
  return i;
}

static bool take_declared(spec_reader *r, spec_param *out);

/* Reads the fields of a structure behind the brace. */
static bool take_fields(spec_reader *r, spec *out) {
  out->name = tool_copy("", 0); /* of no function */
  do {
    spec_param *field;
    out->params = tool_realloc(out->params, (out->num_params + 1) * sizeof *out->params);
    field = &out->params[out->num_params++];
    memset(field, 0, sizeof *field);
    field->arg = out->num_args++;
    if (!take_declared(r, field)) return false;
    if (field->form != kParamScalar || field->type->kind > kTypeChar ||
        field->type->kind == kTypeComplex) {
      return spec_fail(r->source, field->column, "`%s` is a field, which must be a number",
                       field->name);
    }
    if (spec_find_param(out, field->name) + 1 < out->num_params) {
      return spec_fail(r->source, field->column, "`%s` is the name of an earlier field",
                       field->name);
    }
    field->local = tool_format("f_%s", field->name);
    if (!spec_take_required(r, ';', "`;`")) return false;
  } while (!spec_peek(r, '}'));
  return spec_take(r, '}');
}

/* Reads a structure with its fields, up to the brace. *is_struct: whether it is one. */
static bool take_struct(spec_reader *r, spec_marks *marks, bool *is_struct) {
  spec_reader ahead = *r;
  spec_word w;
  bool is_good;
  marks->is_const = spec_take_word(&ahead, "const");
  *is_struct = false;
  if (!spec_take_word(&ahead, "struct")) return true;
  w = spec_peek_word(&ahead);
  ahead.pos += w.size;
  if (!spec_take(&ahead, '{')) return true;
  *is_struct = true;
  if (r->in_callback) return spec_fail_expecting(r, "a number, text or an address");
  if (w.size > 0) {
    marks->c_type.name = tool_format("struct %.*s", tvmffi_shown_size(w.size), w.begin);
  }
  marks->c_type.fields = tool_realloc(NULL, sizeof *marks->c_type.fields);
  memset(marks->c_type.fields, 0, sizeof *marks->c_type.fields);
  *r = ahead;
  r->in_callback = true; /* nothing of it may have a structure or a function */
  is_good = take_fields(r, marks->c_type.fields);
  r->in_callback = false;
  if (!is_good) return false;
  if (spec_take_word(r, "const")) marks->is_const = true;
  marks->is_pointer = spec_take(r, '*');
  return true;
}

/* Reads a type with its marks. False after a report. */
bool spec_take_type(spec_reader *r, const spec_type **out, spec_marks *marks) {
  static const spec_type kStruct = {"struct", kTypeStruct, NULL, NULL, NULL};
  bool is_struct;
  memset(marks, 0, sizeof *marks);
  if (!take_struct(r, marks, &is_struct)) return false;
  if (!is_struct) return spec_take_plain_type(r, out, marks);
  *out = &kStruct;
  return true;
}

/* ---- A parameter ---- */

/* Reads a parameter from its type on. */
static bool take_declared(spec_reader *r, spec_param *out) {
  spec_marks marks;
  const bool is_good = spec_take_type(r, &out->type, &marks);
  out->c_type = marks.c_type;
  if (!is_good) return false;
  if (is_callback(r)) return take_callback(r, &marks, out);
  if (spec_peek(r, '(')) return fail_before_name(r);
  out->is_const = marks.is_const;
  out->is_restrict = marks.is_restrict;
  spec_skip_space(r);
  out->column = spec_column_of(r, r->pos);
  if (out->type->kind == kTypeVoid) {
    spec_reader ahead = *r;
    ahead.pos += spec_peek_word(r).size;
    if (!spec_peek(&ahead, '[')) {
      return spec_fail(r->source, out->column, "expected a type other than void");
    }
  }
  if (r->in_callback && (spec_peek(r, ',') || spec_peek(r, ')'))) {
    out->name = tool_format("at_%zu", out->column);
    out->is_unnamed = true;
  } else {
    out->name = spec_take_name(r, "a name for the parameter");
  }
  if (out->name == NULL) return false;
  if (spec_peek(r, '[')) return spec_take_shape(r, marks.is_pointer, out);
  if (out->type->kind == kTypeHalf) {
    return spec_fail(r->source, out->column, "a `%s` is an element of a tensor only",
                     out->type->name);
  }
  return take_scalar_end(r, out) && spec_check_struct_name(r, &out->c_type, out->column) &&
         check_end(r, out) && spec_check_restrict(r, out->type, &marks, out->column) &&
         check_address(r, out, &marks);
}

static bool take_param(spec_reader *r, spec_param *out) {
  memset(out, 0, sizeof *out);
  spec_skip_space(r);
  if (r->end - r->pos >= 3 && memcmp(r->pos, "...", 3) == 0) {
    return spec_fail(r->source, spec_column_of(r, r->pos),
                     "`...` is not supported: a kernel passes the arguments that its SPEC has. "
                     "Wrap a function without it");
  }
  if (!take_null(r, out)) return false;
  if (out->form == kParamConstant) return true;
  out->direction = take_direction(r);
  return take_declared(r, out);
}

bool spec_take_params(spec_reader *r, spec *out) {
  if (!spec_take_required(r, '(', "`(` and the parameters")) return false;
  if (spec_take(r, ')')) return true;
  if (spec_word_is(spec_peek_word(r), "void")) {
    spec_reader ahead = *r;
    ahead.pos += strlen("void");
    if (spec_take(&ahead, ')')) {
      *r = ahead;
      return true;
    }
  }
  do {
    spec_param *param;
    out->params = tool_realloc(out->params, (out->num_params + 1) * sizeof *out->params);
    param = &out->params[out->num_params++];
    if (!take_param(r, param)) return false;
    if (spec_find_param(out, param->name) + 1 < out->num_params) {
      return spec_fail(r->source, param->column, "`%s` is the name of an earlier parameter",
                       param->name);
    }
  } while (spec_take(r, ','));
  return spec_take_required(r, ')', "`,` or `)`");
}
