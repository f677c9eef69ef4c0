/* SPDX-License-Identifier: Apache-2.0 */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"

/* ---- The types of C that specs know ---- */

#define SIZED(code, type) "tvm_ffi_dtype_make(" code ", 8 * sizeof(" type "), 1)"

/* An extent is no more than INT64_MAX, so that is the limit of unsigned types of 64 bits too: that
 * of those whose size differs between systems is WRAP_MAX. */
static const spec_type kTypes[] = {
    {"void", kTypeVoid, NULL, NULL, NULL},
    {"bool", kTypeBool, "TVM_FFI_C_BOOL", NULL, NULL},
    {"float", kTypeFloat, "TVM_FFI_C_FLOAT32", NULL, NULL},
    {"double", kTypeFloat, "TVM_FFI_C_FLOAT64", NULL, NULL},
    {"_Float16", kTypeHalf, "tvm_ffi_dtype_make(kDLFloat, 16, 1)", NULL, NULL},
    {"__bf16", kTypeHalf, "tvm_ffi_dtype_make(kDLBfloat, 16, 1)", NULL, NULL},
    {"float _Complex", kTypeComplex, "tvm_ffi_dtype_make(kDLComplex, 64, 1)", NULL, NULL},
    {"double _Complex", kTypeComplex, "tvm_ffi_dtype_make(kDLComplex, 128, 1)", NULL, NULL},
    {"int8_t", kTypeInt, "TVM_FFI_C_INT8", "INT8_MIN", "INT8_MAX"},
    {"int16_t", kTypeInt, "TVM_FFI_C_INT16", "INT16_MIN", "INT16_MAX"},
    {"int32_t", kTypeInt, "TVM_FFI_C_INT32", "INT32_MIN", "INT32_MAX"},
    {"int64_t", kTypeInt, "TVM_FFI_C_INT64", NULL, NULL},
    {"uint8_t", kTypeUint, "TVM_FFI_C_UINT8", "0", "UINT8_MAX"},
    {"uint16_t", kTypeUint, "TVM_FFI_C_UINT16", "0", "UINT16_MAX"},
    {"uint32_t", kTypeUint, "TVM_FFI_C_UINT32", "0", "UINT32_MAX"},
    {"uint64_t", kTypeWide, "TVM_FFI_C_UINT64", "0", "INT64_MAX"},
    {"signed char", kTypeInt, "TVM_FFI_C_INT8", "SCHAR_MIN", "SCHAR_MAX"},
    {"short", kTypeInt, SIZED("kDLInt", "short"), "SHRT_MIN", "SHRT_MAX"},
    {"int", kTypeInt, SIZED("kDLInt", "int"), "INT_MIN", "INT_MAX"},
    {"long", kTypeInt, SIZED("kDLInt", "long"), "LONG_MIN", "LONG_MAX"},
    {"long long", kTypeInt, SIZED("kDLInt", "long long"), NULL, NULL},
    {"unsigned char", kTypeUint, "TVM_FFI_C_UINT8", "0", "UCHAR_MAX"},
    {"unsigned short", kTypeUint, SIZED("kDLUInt", "unsigned short"), "0", "USHRT_MAX"},
    {"unsigned int", kTypeUint, SIZED("kDLUInt", "unsigned int"), "0", "UINT_MAX"},
    {"unsigned long", kTypeWide, SIZED("kDLUInt", "unsigned long"), "0", "WRAP_MAX(unsigned long)"},
    {"unsigned long long", kTypeWide, SIZED("kDLUInt", "unsigned long long"), "0", "INT64_MAX"},
    {"size_t", kTypeWide, SIZED("kDLUInt", "size_t"), "0", "WRAP_MAX(size_t)"},
    {"ptrdiff_t", kTypeInt, SIZED("kDLInt", "ptrdiff_t"), "PTRDIFF_MIN", "PTRDIFF_MAX"},
    {"intptr_t", kTypeInt, SIZED("kDLInt", "intptr_t"), "INTPTR_MIN", "INTPTR_MAX"},
    {"uintptr_t", kTypeWide, SIZED("kDLUInt", "uintptr_t"), "0", "WRAP_MAX(uintptr_t)"},
    {"char", kTypeChar, NULL, NULL, NULL},
    {"const char *", kTypeText, NULL, NULL, NULL},
    {"void *", kTypePointer, NULL, NULL, NULL},
    {"const void *", kTypePointer, NULL, NULL, NULL},
};

enum { kNumTypes = sizeof kTypes / sizeof *kTypes };

/* Of results only. */
static const spec_type kChangeableText = {"char *", kTypeText, NULL, NULL, NULL};
static const spec_type kFunction = {"function", kTypeFunction, NULL, NULL, NULL};
static const spec_type kStruct = {"struct", kTypeStruct, NULL, NULL, NULL};
static const spec_type kHandle = {"void *", kTypeHandle, NULL, NULL, NULL};

/* NULL if there is none of that name. */
static const spec_type *find_type(const char *name) {
  size_t i;
  for (i = 0; i < kNumTypes; ++i) {
    if (strcmp(kTypes[i].name, name) == 0) return &kTypes[i];
  }
  return NULL;
}

/* Words of C before a name that no spec has, and what to do about each. */
static const struct {
  const char *name, *advice;
} kRefusedWords[] = {
    {"extern", "it stands before the result only"},
    {"static", "leave it out"},
    {"inline", "leave it out"},
    {"__inline", "leave it out"},
    {"__inline__", "leave it out"},
    {"__extension__", "leave it out"},
    {"__attribute", "leave `__attribute((...))` out"},
    {"__attribute__", "leave `__attribute__((...))` out"},
    {"__declspec", "leave `__declspec(...)` out"},
    {"register", "leave it out"},
    {"volatile", "wrap a function without it"},
    {"struct", "write its fields, as in `struct point {double x;}`, or a pointer to it"},
    {"union", "a kernel takes tensors, numbers, text and addresses; that of a union is a void *"},
};

enum { kNumRefusedWords = sizeof kRefusedWords / sizeof *kRefusedWords };

static bool is_spelt(const char *name, const char *word, size_t size) {
  return strlen(name) == size && memcmp(name, word, size) == 0;
}

/* What to do about a word that no spec has; NULL: it is another one. */
static const char *find_advice(const char *word, size_t size) {
  size_t i;
  for (i = 0; i < kNumRefusedWords; ++i) {
    if (is_spelt(kRefusedWords[i].name, word, size)) return kRefusedWords[i].advice;
  }
  return NULL;
}

/* restrict of C99, and as compilers spell it in headers for C++ too. */
static bool is_restrict(const char *word, size_t size) {
  return is_spelt("restrict", word, size) || is_spelt("__restrict", word, size) ||
         is_spelt("__restrict__", word, size);
}

bool spec_is_type_word(const char *word, size_t size) {
  static const char *const kParts[] = {"const", "signed", "unsigned", "_Bool", "enum", "_Complex"};
  size_t i;
  for (i = 0; i < kNumTypes; ++i) {
    if (is_spelt(kTypes[i].name, word, size)) return true;
  }
  for (i = 0; i < sizeof kParts / sizeof *kParts; ++i) {
    if (is_spelt(kParts[i], word, size)) return true;
  }
  return is_restrict(word, size) || find_advice(word, size) != NULL;
}

const char *spec_type_space(const spec_type *type) {
  return type->name[strlen(type->name) - 1] == '*' ? "" : " ";
}

/* Reads the text of a spec. */

typedef struct {
  const spec_source *source;
  const char *pos, *end;
  bool in_callback; /* between the parentheses of a function that is a parameter */
} reader;

/* A part of the text. */
typedef struct {
  const char *begin;
  size_t size;
} word;

/* ---- Reports ---- */

/* The text in one line, safe to print. */
static char *show(const char *begin, size_t size) {
  char *line = tool_copy(begin, size), *shown;
  size_t i;
  for (i = 0; i < size; ++i) {
    if (line[i] == '\t' || line[i] == '\n' || line[i] == '\r') line[i] = ' ';
  }
  shown = text_escape(line, size);
  free(line);
  return shown;
}

/* The columns that a text takes on a terminal, if each character takes one. */
static int measure(const char *shown) {
  int columns = 0;
  for (; *shown != '\0'; ++shown) columns += ((unsigned char)*shown & 0xc0) != 0x80;
  return columns;
}

bool spec_fail(const spec_source *source, size_t column, const char *format, ...) {
  char *line, *before;
  text_buf message = {NULL, 0, 0};
  va_list values;
  text_add_bytes(&message, "", 0);
  va_start(values, format);
  text_add_list(&message, format, values);
  va_end(values);
  if (source->refusal != NULL) {
    free(*source->refusal);
    *source->refusal = message.data;
    return false;
  }
  line = show(source->begin, source->size);
  before = show(source->begin, column);
  report_error("%s:%zu: %s\n  %s\n  %*s", source->place, column + 1, message.data, line,
               measure(before) + 1, "^");
  text_free(&message);
  free(before);
  free(line);
  return false;
}

static size_t column_of(const reader *r, const char *at) {
  return (size_t)(at - r->source->begin);
}

static bool fail_expecting(const reader *r, const char *expected) {
  return spec_fail(r->source, column_of(r, r->pos), "expected %s%s", expected,
                   r->pos == r->end ? ", but the text ends" : "");
}

/* ---- Words ---- */

static void skip_space(reader *r) {
  while (r->pos < r->end && strchr(" \t\r\n\f\v", *r->pos) != NULL && *r->pos != '\0') ++r->pos;
}

static bool peek(reader *r, char c) {
  skip_space(r);
  return r->pos < r->end && *r->pos == c;
}

static bool take(reader *r, char c) {
  if (!peek(r, c)) return false;
  ++r->pos;
  return true;
}

static bool take_required(reader *r, char c, const char *expected) {
  return take(r, c) || fail_expecting(r, expected);
}

/* The identifier or number that follows; empty if there is none. */
static word peek_word(reader *r) {
  word found;
  skip_space(r);
  found.begin = r->pos;
  found.size = 0;
  while (found.begin + found.size < r->end && identifier_has(found.begin[found.size])) {
    ++found.size;
  }
  return found;
}

static bool word_is(word w, const char *expected) {
  return is_spelt(expected, w.begin, w.size);
}

static bool take_word(reader *r, const char *expected) {
  const word w = peek_word(r);
  if (!word_is(w, expected)) return false;
  r->pos += w.size;
  return true;
}

static bool take_restrict(reader *r) {
  const word w = peek_word(r);
  if (!is_restrict(w.begin, w.size)) return false;
  r->pos += w.size;
  return true;
}

/* Reports a word of C that no spec has. */
static bool fail_refused(const reader *r, word w) {
  return spec_fail(r->source, column_of(r, w.begin), "`%.*s` is not supported: %s",
                   tvmffi_shown_size(w.size), w.begin, find_advice(w.begin, w.size));
}

/* False after a report if such a word follows. */
static bool check_word(reader *r) {
  const word w = peek_word(r);
  return find_advice(w.begin, w.size) == NULL || fail_refused(r, w);
}

/* Reads a name of the user's; NULL after a report. */
static char *take_name(reader *r, const char *expected) {
  const word w = peek_word(r);
  char *name;
  if (!identifier_is(w.begin, w.size)) {
    fail_expecting(r, expected);
    return NULL;
  }
  name = tool_copy(w.begin, w.size);
  if (identifier_is_c_word(name) || spec_is_type_word(w.begin, w.size)) {
    spec_fail(r->source, column_of(r, w.begin), "expected %s, but `%s` is a keyword of %s",
              expected, name, identifier_is_cpp_word(name) ? "C++" : "C");
    free(name);
    return NULL;
  }
  r->pos += w.size;
  return name;
}

/* ---- Numbers ---- */

static bool is_digit(int byte) {
  return byte >= '0' && byte <= '9';
}

/* Reads a number that is not negative. */
static bool take_value(reader *r, int64_t *out) {
  const word w = peek_word(r);
  size_t i;
  *out = 0;
  for (i = 0; i < w.size; ++i) {
    const int digit = w.begin[i] - '0';
    if (!is_digit(w.begin[i])) break;
    if (*out > (INT64_MAX - digit) / 10) {
      return spec_fail(r->source, column_of(r, w.begin), "the number is larger than 2^63 - 1");
    }
    *out = *out * 10 + digit;
  }
  if (i < w.size || w.size == 0) return fail_expecting(r, "a decimal number");
  r->pos += w.size;
  return true;
}

/* ---- Types ---- */

/* The words of a type, in any order. */
typedef struct {
  bool is_const, is_restrict, is_signed, is_unsigned, is_char, is_short, is_int, is_complex;
  int num_longs;
  word other; /* any other type, of one word */
} type_words;

static bool add_type_word(reader *r, word w, type_words *out) {
  bool *flag = word_is(w, "const")            ? &out->is_const
               : is_restrict(w.begin, w.size) ? &out->is_restrict
               : word_is(w, "signed")         ? &out->is_signed
               : word_is(w, "unsigned")       ? &out->is_unsigned
               : word_is(w, "char")           ? &out->is_char
               : word_is(w, "short")          ? &out->is_short
               : word_is(w, "int")            ? &out->is_int
               : word_is(w, "_Complex")       ? &out->is_complex
                                              : NULL;
  if (find_advice(w.begin, w.size) != NULL) return fail_refused(r, w);
  if (word_is(w, "long") && out->num_longs < 2) {
    ++out->num_longs;
  } else if (flag != NULL && !*flag) {
    *flag = true;
  } else if (flag == NULL && !word_is(w, "long") && out->other.size == 0) {
    out->other = w;
  } else {
    return spec_fail(r->source, column_of(r, w.begin), "`%.*s` does not fit the type before it",
                     tvmffi_shown_size(w.size), w.begin);
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
  if (is_other && word_is(words->other, "_Bool")) return tool_format("bool");
  if (is_other && word_is(words->other, "enum")) return tool_format("int");
  if (is_other)
    return tool_format("%.*s", tvmffi_shown_size(words->other.size), words->other.begin);
  if (words->is_char) return tool_format("%schar", words->is_signed ? "signed " : sign);
  if (!has_sign && !has_size && !words->is_int) return tool_format("const alone");
  return tool_format("%s%s", sign, words->is_short ? "short" : size);
}

/* What stands around a type: const, restrict, and a * after it; what it is called in C. */
typedef struct {
  bool is_const, is_restrict, is_pointer;
  spec_c_type c_type; /* the caller's, also after a failure */
} type_marks;

/* Whether the words name a type: const and restrict alone do not. */
static bool has_type(const type_words *words) {
  return words->is_signed || words->is_unsigned || words->is_char || words->is_short ||
         words->is_int || words->is_complex || words->num_longs > 0 || words->other.size > 0;
}

/* Reads a number that may be negative. */
static bool take_signed_value(reader *r, int64_t *out) {
  const bool is_negative = take(r, '-');
  if (!take_value(r, out)) return false;
  if (is_negative) *out = -*out;
  return true;
}

/* Reads the constants of an enumeration, as C has them, behind the brace. */
static bool take_choices(reader *r, spec_c_type *out) {
  int64_t next = 0;
  do {
    spec_choice *choice;
    size_t column;
    if (out->num_choices > 0 && peek(r, '}')) break;
    out->choices = tool_realloc(out->choices, (out->num_choices + 1) * sizeof *out->choices);
    choice = &out->choices[out->num_choices];
    skip_space(r);
    column = column_of(r, r->pos);
    choice->name = take_name(r, "a constant of the enumeration");
    if (choice->name == NULL) return false;
    ++out->num_choices;
    if (take(r, '=') && !take_signed_value(r, &next)) return false;
    if (next < INT32_MIN || next > INT32_MAX) {
      return spec_fail(r->source, column, "`%s` does not fit int", choice->name);
    }
    choice->value = next++;
  } while (take(r, ','));
  return take_required(r, '}', "`,` or `}`");
}

/* Reads what follows the word enum: the name, and the constants. */
static bool take_enum(reader *r, spec_c_type *out) {
  const word w = peek_word(r);
  if (identifier_is(w.begin, w.size)) {
    if (spec_is_type_word(w.begin, w.size)) return fail_expecting(r, "the name of an enumeration");
    out->name = tool_format("enum %.*s", tvmffi_shown_size(w.size), w.begin);
    r->pos += w.size;
  }
  if (take(r, '{')) return take_choices(r, out);
  return out->name != NULL ||
         fail_expecting(r, "the name of an enumeration, or its constants in braces");
}

/* Reads the words of a type, up to *end. False after a report. */
static bool take_type_words(reader *r, type_words *out, spec_c_type *c_type, const char **end) {
  word w = peek_word(r);
  memset(out, 0, sizeof *out);
  if (!identifier_is(w.begin, w.size)) return fail_expecting(r, "a type");
  while (spec_is_type_word(w.begin, w.size)) {
    if (!add_type_word(r, w, out)) return false;
    if (word_is(w, "enum") && !take_enum(r, c_type)) return false;
    *end = r->pos;
    w = peek_word(r);
  }
  if (has_type(out) || !identifier_is(w.begin, w.size)) return true;
  return spec_fail(r->source, column_of(r, w.begin),
                   "`%.*s` is not a known type, such as float, double, bool, int, int8_t, "
                   "uint64_t or size_t",
                   tvmffi_shown_size(w.size), w.begin);
}

/* Reads a * and what belongs to it; const of the pointer itself changes nothing for a caller. */
static bool take_pointer(reader *r, type_marks *marks) {
  marks->is_pointer = take(r, '*');
  if (!marks->is_pointer) return true;
  while (true) {
    if (take_restrict(r)) {
      marks->is_restrict = true;
    } else if (!take_word(r, "const")) {
      break;
    }
  }
  if (!peek(r, '*')) return check_word(r);
  return spec_fail(r->source, column_of(r, r->pos),
                   "a pointer to a pointer is not supported: a tensor has its elements in one "
                   "array");
}

/* Reads a pointer to a type that no spec knows, up to and with its *. True with no report if it is
 * another type, which is not read then. */
static bool take_handle(reader *r, spec_c_type *out, bool *is_handle) {
  reader ahead = *r;
  const char *constant = take_word(&ahead, "const") ? "const " : "";
  const char *kind = take_word(&ahead, "struct") ? "struct " : "";
  const word w = peek_word(&ahead);
  *is_handle = false;
  if (!identifier_is(w.begin, w.size) || spec_is_type_word(w.begin, w.size)) return true;
  ahead.pos += w.size;
  if (take_word(&ahead, "const")) constant = "const ";
  if (!take(&ahead, '*')) return true;
  while (take_word(&ahead, "const") || take_restrict(&ahead)) continue;
  out->handle = tool_copy(w.begin, w.size);
  out->name = tool_format("%s%s%s *", constant, kind, out->handle);
  r->pos = ahead.pos;
  *is_handle = true;
  return true;
}

static bool take_declared(reader *r, spec_param *out);

/* Reads the fields of a structure behind the brace. */
static bool take_fields(reader *r, spec *out) {
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
    if (!take_required(r, ';', "`;`")) return false;
  } while (!peek(r, '}'));
  return take(r, '}');
}

/* Reads a structure with its fields, up to the brace. *is_struct: whether it is one. */
static bool take_struct(reader *r, type_marks *marks, bool *is_struct) {
  reader ahead = *r;
  word w;
  bool is_good;
  marks->is_const = take_word(&ahead, "const");
  *is_struct = false;
  if (!take_word(&ahead, "struct")) return true;
  w = peek_word(&ahead);
  ahead.pos += w.size;
  if (!take(&ahead, '{')) return true;
  *is_struct = true;
  if (r->in_callback) return fail_expecting(r, "a number, text or an address");
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
  if (take_word(r, "const")) marks->is_const = true;
  marks->is_pointer = take(r, '*');
  return true;
}

/* Reads a type with its marks. False after a report. */
static bool take_type(reader *r, const spec_type **out, type_marks *marks) {
  type_words words;
  const char *end = r->pos;
  char *name;
  const size_t begin = column_of(r, peek_word(r).begin);
  bool is_handle, is_struct;
  memset(marks, 0, sizeof *marks);
  if (!take_struct(r, marks, &is_struct)) return false;
  if (is_struct) {
    *out = &kStruct;
    return true;
  }
  if (!take_handle(r, &marks->c_type, &is_handle)) return false;
  if (is_handle) {
    *out = &kHandle;
    marks->is_pointer = take(r, '*');
    return true;
  }
  if (!take_type_words(r, &words, &marks->c_type, &end)) return false;
  marks->is_const = words.is_const;
  marks->is_restrict = words.is_restrict;
  if (!take_pointer(r, marks)) return false;
  name = spell(&words);
  *out = marks->is_pointer && words.is_const && strcmp(name, "char") == 0
             ? find_type("const char *")
         : marks->is_pointer && strcmp(name, "void") == 0
             ? find_type(words.is_const ? "const void *" : "void *")
             : find_type(name);
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

/* ---- Parameters ---- */

/* Reads a name, a number, or a name with the number that it stands for: `N=4`. */
static bool take_number(reader *r, const char *expected, spec_number *out) {
  const word w = peek_word(r);
  out->column = column_of(r, w.begin);
  if (w.size > 0 && is_digit(w.begin[0])) return take_value(r, &out->value);
  out->name = take_name(r, expected);
  if (out->name == NULL || !take(r, '=')) return out->name != NULL;
  out->constant = out->name;
  out->name = NULL;
  return take_value(r, &out->value);
}

/* Adds the dimensions between two brackets. */
static bool take_dims(reader *r, spec_param *out) {
  do {
    spec_dim *dim;
    out->dims = tool_realloc(out->dims, (out->num_dims + 1) * sizeof *out->dims);
    dim = &out->dims[out->num_dims];
    memset(dim, 0, sizeof *dim);
    ++out->num_dims;
    if (!take_number(r, "an extent: a name or a number", &dim->extent)) return false;
    if (dim->extent.name == NULL && dim->extent.value == 0) {
      return spec_fail(r->source, dim->extent.column, "an extent of 0 leaves no elements");
    }
    if (take(r, ':')) {
      if (!take_number(r, "a stride: a name or a number", &dim->stride)) return false;
      dim->has_stride = true;
      out->is_flat = true;
    }
    if (peek(r, ',')) out->is_flat = true;
  } while (take(r, ','));
  return take_required(r, ']', "`]`, `,` or `:` and a stride");
}

static bool check_count(const reader *r, const spec_param *param) {
  int64_t count = 1;
  size_t i;
  enum { kMaxElementSize = 16 };
  for (i = 0; i < param->num_dims; ++i) {
    const spec_number *extent = &param->dims[i].extent;
    if (extent->name == NULL && extent->value > INT64_MAX / kMaxElementSize / count) {
      return spec_fail(r->source, extent->column, "`%s` has too many elements", param->name);
    }
    if (extent->name == NULL) count *= extent->value;
  }
  return true;
}

/* Reads `align 16` behind a shape. */
static bool take_alignment(reader *r, spec_param *out) {
  enum { kMaxAlignment = 1 << 20 };
  size_t begin;
  skip_space(r);
  begin = column_of(r, r->pos);
  if (!take_value(r, &out->alignment)) return false;
  if (out->alignment > 0 && out->alignment <= kMaxAlignment &&
      (out->alignment & (out->alignment - 1)) == 0) {
    return true;
  }
  return spec_fail(r->source, begin, "an alignment is a power of two up to %d", kMaxAlignment);
}

bool spec_is_strided(const spec_param *param) {
  size_t i;
  for (i = 0; i < param->num_dims; ++i) {
    if (param->dims[i].has_stride) return true;
  }
  return false;
}

/* Reads the word of `strides any`. */
static bool take_strides(reader *r, spec_param *out) {
  static const char *const kWords[] = {
      [kStridesPositive] = "positive", [kStridesAny] = "any", [kStridesBlas] = "blas"};
  size_t i;
  for (i = 0; i < sizeof kWords / sizeof *kWords; ++i) {
    if (!take_word(r, kWords[i])) continue;
    out->strides = (spec_strides)i;
    return spec_is_strided(out) ||
           spec_fail(r->source, out->column, "`%s` has no stride, such as s in `%s[n:s]`",
                     out->name, out->name);
  }
  return fail_expecting(r, "positive, any or blas");
}

bool spec_has_stride_1(const spec_param *param, size_t dim) {
  const spec_dim *entry = &param->dims[dim];
  if (!entry->has_stride) return dim + 1 == param->num_dims;
  return entry->stride.name == NULL && entry->stride.value == 1;
}

/* BLAS has vectors with an increment, and matrices with a leading dimension. */
static bool check_blas(const reader *r, const spec_param *param) {
  if (param->num_dims > 2) {
    return spec_fail(r->source, param->column,
                     "`%s` has %zu dimensions, but BLAS has vectors and matrices", param->name,
                     param->num_dims);
  }
  if (param->num_dims == 2 && !spec_has_stride_1(param, 0) && !spec_has_stride_1(param, 1)) {
    return spec_fail(r->source, param->column,
                     "a matrix of BLAS has a stride of 1 in one dimension: write `%s[n:ld][m:1]` "
                     "or `%s[n:1][m:ld]`",
                     param->name, param->name);
  }
  if (param->num_dims == 1 && param->alignment > 0) {
    return spec_fail(r->source, param->column,
                     "`%s` begins at its last element if its increment is negative: BLAS has no "
                     "alignment",
                     param->name);
  }
  return true;
}

static bool check_strides(const reader *r, const spec_param *param) {
  size_t i;
  for (i = 0; i < param->num_dims; ++i) {
    const spec_dim *dim = &param->dims[i];
    if (!dim->has_stride || dim->stride.name != NULL || dim->stride.value > 0) continue;
    if (param->is_const && param->strides == kStridesAny) continue;
    return spec_fail(
        r->source, dim->stride.column,
        !param->is_const ? "a stride of 0 repeats an element, which an output cannot"
        : param->strides == kStridesBlas
            ? "BLAS takes no stride of 0: write `strides any` in its place"
            : "a stride of 0 repeats an element: it needs `strides any` after the shape");
  }
  return param->strides != kStridesBlas || check_blas(r, param);
}

/* Reads the name of `inplace x`. */
static bool take_in_place(reader *r, spec_param *out) {
  skip_space(r);
  out->in_place_column = column_of(r, r->pos);
  out->in_place = take_name(r, "the name of a tensor");
  return out->in_place != NULL;
}

/* Reads `bytes`: no tensor. */
static bool take_bytes(reader *r, spec_param *out) {
  (void)r;
  out->is_bytes = true;
  return true;
}

/* Reads the type of elements behind `dtype`, if it is not that of C. */
static bool take_dtype(reader *r, spec_param *out) {
  static const struct {
    const char *name, *dtype;
  } kDtypes[] = {{"bfloat16", "tvm_ffi_dtype_make(kDLBfloat, 16, 1)"},
                 {"float16", "tvm_ffi_dtype_make(kDLFloat, 16, 1)"},
                 {"float32", "TVM_FFI_C_FLOAT32"},
                 {"float64", "TVM_FFI_C_FLOAT64"},
                 {"complex64", "tvm_ffi_dtype_make(kDLComplex, 64, 1)"},
                 {"complex128", "tvm_ffi_dtype_make(kDLComplex, 128, 1)"}};
  word w;
  size_t i;
  if (!take_required(r, '=', "`=`")) return false;
  w = peek_word(r);
  for (i = 0; i < sizeof kDtypes / sizeof *kDtypes; ++i) {
    if (!word_is(w, kDtypes[i].name)) continue;
    r->pos += w.size;
    out->dtype = kDtypes[i].dtype;
    out->dtype_name = tool_format("%s", kDtypes[i].name);
    return true;
  }
  return fail_expecting(r, "float16, bfloat16, float32, float64, complex64 or complex128");
}

/* Reads where the size of a buffer is behind `size`: return, text, or a parameter. */
static bool take_size(reader *r, spec_param *out) {
  if (!take_required(r, '=', "`=`")) return false;
  skip_space(r);
  out->size_column = column_of(r, r->pos);
  if (take_word(r, "return")) {
    out->size = kSizeResult;
    return true;
  }
  if (take_word(r, "text")) {
    out->size = kSizeText;
    return true;
  }
  out->size = kSizeParam;
  out->size_name = take_name(r, "return, text or the name of a parameter");
  return out->size_name != NULL;
}

/* Reads what may stand after a shape: each once, in any order. */
static bool take_promises(reader *r, spec_param *out) {
  static const struct {
    const char *name;
    bool (*take)(reader *r, spec_param *out);
  } kPromises[] = {{"align", take_alignment}, {"strides", take_strides}, {"inplace", take_in_place},
                   {"bytes", take_bytes},     {"dtype", take_dtype},     {"size", take_size}};
  enum { kNumPromises = sizeof kPromises / sizeof *kPromises };
  bool is_taken[kNumPromises] = {false};
  while (true) {
    const word w = peek_word(r);
    size_t i = 0;
    while (i < kNumPromises && !word_is(w, kPromises[i].name)) ++i;
    if (i == kNumPromises) return true;
    if (is_taken[i]) {
      return spec_fail(r->source, column_of(r, w.begin), "`%s` is given twice", kPromises[i].name);
    }
    is_taken[i] = true;
    r->pos += w.size;
    if (!kPromises[i].take(r, out)) return false;
  }
}

/* Reads the words that C has before the first extent: `static`, that the array is not NULL, const
 * and restrict of the pointer. */
static bool take_qualifiers(reader *r, bool *is_static, spec_param *out) {
  *is_static = false;
  while (true) {
    if (take_restrict(r)) {
      out->is_restrict = true;
    } else if (!*is_static && take_word(r, "static")) {
      *is_static = true;
    } else if (!take_word(r, "const")) {
      return check_word(r);
    }
  }
}

/* Reads the name of the type in the user's headers, behind the word `as`: `const name *`. */
static bool take_c_name(reader *r, spec_c_type *out) {
  const char *begin, *end;
  word w;
  skip_space(r);
  begin = end = r->pos;
  for (w = peek_word(r); identifier_is(w.begin, w.size) || peek(r, '*'); w = peek_word(r)) {
    r->pos += w.size > 0 ? w.size : 1;
    end = r->pos;
  }
  if (begin == end) return fail_expecting(r, "the type's name in the header");
  free(out->name);
  out->name = tool_copy(begin, (size_t)(end - begin));
  return true;
}

/* Reads the brackets. */
static bool take_brackets(reader *r, spec_param *out) {
  const size_t begin = column_of(r, r->pos);
  bool is_static = false;
  while (take(r, '[')) {
    if (out->num_dims == 0 && !take_qualifiers(r, &is_static, out)) return false;
    if (out->num_dims == 0 && !is_static && take(r, ']')) break; /* [] has no dimensions */
    if (!take_dims(r, out)) return false;
  }
  return !peek(r, '[') ||
         spec_fail(r->source, begin, "a tensor without dimensions has only one []");
}

/* Whether the type is one of bytes. */
static bool is_byte(const spec_type *type) {
  static const char *const kNames[] = {"void",        "char",          "int8_t", "uint8_t",
                                       "signed char", "unsigned char", NULL};
  return text_find(type->name, kNames) != NULL;
}

/* Text or bytes with their length, or a buffer. */
static bool check_bytes(const reader *r, spec_param *out) {
  if (!is_byte(out->type)) {
    return spec_fail(r->source, out->column, "`%s` has elements of `%s`, which are not bytes",
                     out->name, out->type->name);
  }
  if (out->num_dims != 1 || spec_is_strided(out) || out->alignment > 0 || out->in_place != NULL ||
      out->dtype_name != NULL) {
    return spec_fail(r->source, out->column, "`%s` has bytes: it has one extent, and nothing else",
                     out->name);
  }
  if (!out->is_const && out->direction != kOut) {
    return spec_fail(r->source, out->column,
                     "`%s` has bytes: write `const %s %s[n]` for those that the function reads, "
                     "`out %s %s[n]` for those that it writes",
                     out->name, out->type->name, out->name, out->type->name, out->name);
  }
  if (out->is_const && (out->direction == kOut || out->size != kSizeAll)) {
    return spec_fail(r->source, out->column, "`%s` is const: the function does not write it",
                     out->name);
  }
  out->form = out->is_const ? kParamBytes : kParamBuffer;
  out->direction = out->is_const ? kByValue : kOut;
  return true;
}

/* A tensor or a work array. */
static bool check_elements(const reader *r, bool is_pointer, const spec_param *out) {
  if (out->direction == kIn && !out->is_const) {
    return spec_fail(r->source, out->column, "`%s` is `in`: write const for a tensor that is read",
                     out->name);
  }
  if (out->direction == kOut && (is_pointer || out->is_const)) {
    return spec_fail(r->source, out->column,
                     "`out` with a shape is a tensor that the kernel makes: write `out %s %s[n]`",
                     out->type->name, out->name);
  }
  if (is_pointer && out->is_const) {
    return spec_fail(r->source, out->column, "`%s` is a work array, which cannot be const",
                     out->name);
  }
  return out->size == kSizeAll ||
         spec_fail(r->source, out->column, "`%s` is a tensor: a size is for `out` bytes",
                   out->name);
}

static bool take_shape(reader *r, bool is_pointer, spec_param *out) {
  const size_t begin = column_of(r, r->pos);
  const spec_kind kind = out->type->kind;
  const char *end;
  if (kind == kTypePointer) {
    out->type = find_type("void");
    is_pointer = !out->is_const;
  } else if (out->type->dtype == NULL && kind != kTypeChar && kind != kTypeVoid) {
    return spec_fail(r->source, begin, "there are no tensors of `%s`", out->type->name);
  }
  if (out->c_type.fields == NULL && (out->c_type.name != NULL || out->c_type.num_choices > 0)) {
    return spec_fail(r->source, begin, "there are no tensors of enumerations: write int");
  }
  out->dtype = out->type->dtype;
  if (!take_brackets(r, out)) return false;
  end = r->pos;
  if (!take_promises(r, out) || !check_strides(r, out)) return false;
  if (out->is_bytes || out->dtype == NULL) {
    if (!check_bytes(r, out)) return false;
  } else if (!check_elements(r, is_pointer, out)) {
    return false;
  } else {
    out->form = is_pointer ? kParamWork : kParamTensor;
  }
  if (out->form == kParamWork && r->pos != end) {
    r->pos = end;
    return fail_expecting(r, "`,` or `)`");
  }
  if (take_word(r, "as") && !take_c_name(r, &out->c_type)) return false;
  return check_word(r) && check_count(r, out);
}

/* Moves behind the parenthesis that begins here; false: it does not end. */
static bool skip_parenthesis(reader *r) {
  int depth = 0;
  for (; r->pos < r->end; ++r->pos) {
    depth += (*r->pos == '(') - (*r->pos == ')');
    if (depth == 0) break;
  }
  return take(r, ')');
}

/* Whether a parenthesis is around the name of a parameter, as in (x)[4] and (x[4]). */
static bool is_around_name(const reader *r, word *out_name) {
  reader ahead = *r, whole = *r;
  take(&ahead, '(');
  *out_name = peek_word(&ahead);
  ahead.pos += out_name->size;
  return identifier_is(out_name->begin, out_name->size) &&
         !spec_is_type_word(out_name->begin, out_name->size) &&
         (peek(&ahead, ')') || peek(&ahead, '[')) && skip_parenthesis(&whole) && !peek(&whole, '(');
}

/* Reports a parenthesis where a name is expected, or after it: a function, or a pointer to an
 * array. */
static bool fail_parenthesis(reader *r) {
  const size_t column = column_of(r, r->pos);
  if (skip_parenthesis(r) && peek(r, '[')) {
    return spec_fail(r->source, column,
                     "a pointer to an array is not supported: write `x[n][m]` for a tensor");
  }
  return spec_fail(r->source, column,
                   r->in_callback ? "a function of a function is not supported"
                                  : "a function as a parameter is written `int (*name)(int x, void "
                                    "*data)`");
}

/* Reports a parenthesis after a type. */
static bool fail_before_name(reader *r) {
  word name;
  if (!is_around_name(r, &name)) return fail_parenthesis(r);
  return spec_fail(r->source, column_of(r, r->pos), "write `%.*s` without parentheses",
                   tvmffi_shown_size(name.size), name.begin);
}

/* restrict is of pointers, as which tensors are passed. */
static bool check_restrict(const reader *r, const spec_type *type, const type_marks *marks,
                           size_t column) {
  return !marks->is_restrict || marks->is_pointer || type->kind == kTypeText ||
         type->kind == kTypePointer ||
         spec_fail(r->source, column, "`restrict` is for pointers: leave it out");
}

/* The end of a parameter that is not a tensor. A macro before or after a name looks like another
 * name. */
static bool check_end(reader *r, const spec_param *param) {
  const word next = peek_word(r);
  if (peek(r, '(')) return fail_parenthesis(r);
  if (!check_word(r)) return false;
  return !identifier_is(next.begin, next.size) ||
         spec_fail(r->source, column_of(r, next.begin),
                   "expected `,`, `)` or a shape after `%s`, but met `%.*s`: of a macro write "
                   "what it stands for, such as restrict, or nothing",
                   param->name, tvmffi_shown_size(next.size), next.begin);
}

/* Reads a word of how the function takes a number: in, out, inout. */
static spec_direction take_direction(reader *r) {
  static const char *const kWords[] = {[kIn] = "in", [kOut] = "out", [kInOut] = "inout"};
  size_t i;
  for (i = kIn; i < sizeof kWords / sizeof *kWords; ++i) {
    if (take_word(r, kWords[i])) return (spec_direction)i;
  }
  return kByValue;
}

/* Reads the value that the function always gets, up to the end of the parameter. */
static bool take_constant(reader *r, spec_param *out) {
  const char *begin, *end;
  int depth = 0;
  skip_space(r);
  begin = end = r->pos;
  for (; r->pos < r->end && (depth > 0 || (*r->pos != ',' && *r->pos != ')')); ++r->pos) {
    if (!identifier_has(*r->pos) && (*r->pos == '\0' || strchr(" .+-*/~|&<>()", *r->pos) == NULL)) {
      return fail_expecting(r, "a constant, such as -1, NULL or (A | B)");
    }
    depth += (*r->pos == '(') - (*r->pos == ')');
    if (*r->pos != ' ') end = r->pos + 1;
  }
  if (begin == end) return fail_expecting(r, "a constant, such as -1, NULL or (A | B)");
  out->constant = tool_copy(begin, (size_t)(end - begin));
  out->form = kParamConstant;
  return true;
}

/* Reads a parameter of any type that is always NULL: `const char **tail = NULL`. True with no
 * report if it is another one, which is not read then. */
static bool take_null(reader *r, spec_param *out) {
  reader ahead = *r;
  const char *begin, *end;
  size_t count = 0, i;
  int depth = 0;
  word w, name = {NULL, 0};
  skip_space(&ahead);
  begin = end = ahead.pos;
  for (; ahead.pos < ahead.end && *ahead.pos != '='; ++ahead.pos) {
    depth += (*ahead.pos == '(') - (*ahead.pos == ')');
    if (depth < 0 || (depth == 0 && *ahead.pos == ',') || *ahead.pos == '\0' ||
        (!identifier_has(*ahead.pos) && strchr(" ,*()", *ahead.pos) == NULL)) {
      return true;
    }
    if (*ahead.pos != ' ') end = ahead.pos + 1;
  }
  if (!take(&ahead, '=') || !take_word(&ahead, "NULL") || end == begin) return true;
  for (i = 0; begin + i<end; i += w.size> 0 ? w.size : 1) {
    w.begin = begin + i;
    w.size = 0;
    while (w.begin + w.size < end && identifier_has(w.begin[w.size])) ++w.size;
    if (!identifier_is(w.begin, w.size) || word_is(w, "const")) continue;
    /* The name is the one that a pointer to a function has in its own parentheses, or the last. */
    if (name.size == 0 || memchr(begin, '(', (size_t)(name.begin - begin)) == NULL) name = w;
    ++count;
  }
  if (count < 2) return true;
  r->pos = ahead.pos;
  out->column = column_of(r, name.begin);
  out->name = tool_copy(name.begin, name.size);
  out->declaration = tool_copy(begin, (size_t)(end - begin));
  out->constant = tool_format("NULL");
  out->type = find_type("void *");
  out->form = kParamConstant;
  return true;
}

/* Reads `=` and the name of what ends a handle, or of the handle that it keeps alive. */
static bool take_named(reader *r, char **out, size_t *out_column, const char *expected) {
  if (*out != NULL) return fail_expecting(r, "each word once");
  if (!take_required(r, '=', "`=`")) return false;
  skip_space(r);
  if (out_column != NULL) *out_column = column_of(r, r->pos);
  *out = take_name(r, expected);
  return *out != NULL;
}

/* Reads what belongs to a new handle, `free=f` and `of=x`; *out_found tells whether one was there.
 */
static bool take_new_handle(reader *r, spec_c_type *out, bool *out_found) {
  *out_found = true;
  if (take_word(r, "free")) {
    return take_named(r, &out->release, NULL, "the function that ends the handle");
  }
  if (take_word(r, "of")) {
    return take_named(r, &out->owner, &out->owner_column, "the handle that is kept alive");
  }
  *out_found = false;
  return true;
}

static bool take_handle_end(reader *r, spec_param *out) {
  bool found = true;
  while (found) {
    if (out->direction == kOut) {
      if (!take_new_handle(r, &out->c_type, &found)) return false;
    } else if (take_word(r, "closes")) {
      out->is_closed = true;
    } else if (take_word(r, "optional")) {
      out->is_optional = true;
    } else {
      found = false;
    }
  }
  return true;
}

/* Reads what may stand after the name of a parameter without a shape. */
static bool take_scalar_end(reader *r, spec_param *out) {
  if (out->type->kind == kTypeHandle) return take_handle_end(r, out);
  if (out->type->kind == kTypePointer && out->direction != kByValue && take_word(r, "dtype")) {
    if (!take_dtype(r, out)) return false;
    out->type = strcmp(out->dtype_name, "complex64") == 0    ? find_type("float _Complex")
                : strcmp(out->dtype_name, "complex128") == 0 ? find_type("double _Complex")
                                                             : out->type;
    out->is_void = out->type->kind == kTypeComplex;
    if (out->is_void) return true;
  }
  if (take(r, '=')) return take_constant(r, out);
  if (out->type->kind == kTypeText && take_word(r, "optional")) out->is_optional = true;
  return !take_word(r, "as") || take_c_name(r, &out->c_type);
}

/* A number is passed as it is, or its address is. */
static bool check_address(const reader *r, const spec_param *param, const type_marks *marks) {
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

/* Whether (*name)( follows: a pointer to a function. */
static bool is_callback(const reader *r) {
  reader ahead = *r;
  word w;
  if (r->in_callback || !take(&ahead, '(') || !take(&ahead, '*')) return false;
  w = peek_word(&ahead);
  ahead.pos += w.size;
  return identifier_is(w.begin, w.size) && take(&ahead, ')') && peek(&ahead, '(');
}

static bool take_params(reader *r, spec *out);

/* What a function that is a parameter may return and take. */
static bool check_callback(const reader *r, const spec *callback) {
  size_t i;
  const spec_kind kind = callback->result->kind;
  if (kind > kTypeFloat) {
    return spec_fail(r->source, callback->column,
                     "`%s` is called by the function: it returns nothing, a number or a bool",
                     callback->name);
  }
  for (i = 0; i < callback->num_params; ++i) {
    const spec_param *param = &callback->params[i];
    const spec_kind of = param->type->kind;
    if (param->form == kParamScalar && param->direction == kByValue && of != kTypeComplex &&
        of != kTypeHandle) {
      continue;
    }
    return spec_fail(r->source, param->column,
                     "`%s` is a parameter of `%s`, which the function calls: it must be a number, "
                     "text or an address",
                     param->name, callback->name);
  }
  return true;
}

/* Reads a function from (*name) on; its result is read. */
static bool take_callback(reader *r, const type_marks *marks, spec_param *out) {
  spec *callback = tool_realloc(NULL, sizeof *callback);
  memset(callback, 0, sizeof *callback);
  out->callback = callback;
  out->form = kParamCallback;
  callback->result = out->type;
  out->type = &kFunction;
  take(r, '(');
  take(r, '*');
  skip_space(r);
  out->column = callback->column = column_of(r, r->pos);
  callback->name = take_name(r, "a name for the function");
  if (callback->name == NULL) return false;
  out->name = tool_format("%s", callback->name);
  take(r, ')');
  r->in_callback = true;
  if (!take_params(r, callback)) return false;
  r->in_callback = false;
  if (marks->is_pointer || marks->c_type.name != NULL || marks->c_type.num_choices > 0) {
    return spec_fail(r->source, out->column,
                     "`%s` is called by the function: it returns nothing, a number or a bool",
                     out->name);
  }
  if (!check_callback(r, callback)) return false;
  return !take_word(r, "fail") ||
         (take_required(r, '=', "`=`") && take_signed_value(r, &out->fail_value));
}

/* A structure is declared by its tag, or by the name of a type. */
static bool check_struct_name(const reader *r, const spec_c_type *type, size_t column) {
  return type->fields == NULL || type->name != NULL ||
         spec_fail(r->source, column,
                   "the structure has no name: write `struct name {...}` or `as name` at the end");
}

/* Reads a parameter from its type on. */
static bool take_declared(reader *r, spec_param *out) {
  type_marks marks;
  const bool is_good = take_type(r, &out->type, &marks);
  out->c_type = marks.c_type;
  if (!is_good) return false;
  if (is_callback(r)) return take_callback(r, &marks, out);
  if (peek(r, '(')) return fail_before_name(r);
  out->is_const = marks.is_const;
  out->is_restrict = marks.is_restrict;
  skip_space(r);
  out->column = column_of(r, r->pos);
  if (out->type->kind == kTypeVoid) {
    reader ahead = *r;
    ahead.pos += peek_word(r).size;
    if (!peek(&ahead, '[')) {
      return spec_fail(r->source, out->column, "expected a type other than void");
    }
  }
  if (r->in_callback && (peek(r, ',') || peek(r, ')'))) {
    out->name = tool_format("at_%zu", out->column);
    out->is_unnamed = true;
  } else {
    out->name = take_name(r, "a name for the parameter");
  }
  if (out->name == NULL) return false;
  if (peek(r, '[')) return take_shape(r, marks.is_pointer, out);
  if (out->type->kind == kTypeHalf) {
    return spec_fail(r->source, out->column, "a `%s` is an element of a tensor only",
                     out->type->name);
  }
  return take_scalar_end(r, out) && check_struct_name(r, &out->c_type, out->column) &&
         check_end(r, out) && check_restrict(r, out->type, &marks, out->column) &&
         check_address(r, out, &marks);
}

static bool take_param(reader *r, spec_param *out) {
  memset(out, 0, sizeof *out);
  skip_space(r);
  if (r->end - r->pos >= 3 && memcmp(r->pos, "...", 3) == 0) {
    return spec_fail(r->source, column_of(r, r->pos),
                     "`...` is not supported: a kernel passes the arguments that its SPEC has. "
                     "Wrap a function without it");
  }
  if (!take_null(r, out)) return false;
  if (out->form == kParamConstant) return true;
  out->direction = take_direction(r);
  return take_declared(r, out);
}

/* num_params: there is none. */
size_t spec_find_param(const spec *target, const char *name) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (strcmp(target->params[i].name, name) == 0) break;
  }
  return i;
}

static bool take_params(reader *r, spec *out) {
  if (!take_required(r, '(', "`(` and the parameters")) return false;
  if (take(r, ')')) return true;
  if (word_is(peek_word(r), "void")) {
    reader ahead = *r;
    ahead.pos += strlen("void");
    if (take(&ahead, ')')) {
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
  } while (take(r, ','));
  return take_required(r, ')', "`,` or `)`");
}

/* ---- Errors of the function ---- */

/* Reads `nonzero`, `negative:errno`, ... behind `error=`. */
static bool take_failure(reader *r, spec *out) {
  static const char *const kWords[] = {[kErrorNonzero] = "nonzero",
                                       [kErrorZero] = "zero",
                                       [kErrorNegative] = "negative",
                                       [kErrorNull] = "null"};
  size_t i;
  for (i = kErrorNonzero; i < sizeof kWords / sizeof *kWords; ++i) {
    if (!take_word(r, kWords[i])) continue;
    out->failure = (spec_failure)i;
    if (!take(r, ':')) return true;
    out->has_errno = true;
    return take_word(r, "errno") || fail_expecting(r, "errno");
  }
  return fail_expecting(r, "nonzero, zero, negative or null");
}

/* Reads `sqlite3_errmsg(db)` behind `error_text=`. */
static bool take_error_text(reader *r, spec *out) {
  spec_error_text *text = &out->error_text;
  skip_space(r);
  text->column = column_of(r, r->pos);
  text->function = take_name(r, "the function that has the error's text");
  if (text->function == NULL || !take_required(r, '(', "`(` and names of parameters")) return false;
  if (take(r, ')')) return true;
  do {
    const word w = peek_word(r);
    size_t i = 0;
    while (i < out->num_params && !word_is(w, out->params[i].name)) ++i;
    if (i == out->num_params && !word_is(w, "return")) {
      return fail_expecting(r, "the name of a parameter, or return");
    }
    text->args = tool_realloc(text->args, (text->num_args + 1) * sizeof *text->args);
    text->args[text->num_args++] = tool_copy(w.begin, w.size);
    r->pos += w.size;
  } while (take(r, ','));
  return take_required(r, ')', "`,` or `)`");
}

/* Which results may tell a failure. */
static bool check_failure(const reader *r, const spec *target) {
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
static bool take_result_end(reader *r, spec *out) {
  static const struct {
    const char *name;
    bool (*take)(reader *r, spec *out);
  } kWords[] = {{"error", take_failure}, {"error_text", take_error_text}};
  enum { kNumWords = sizeof kWords / sizeof *kWords };
  bool is_taken[kNumWords] = {false};
  while (true) {
    const word w = peek_word(r);
    size_t i = 0;
    bool found = out->result->kind == kTypeHandle || out->result->kind == kTypeText;
    if (found && !take_new_handle(r, &out->result_c_type, &found)) return false;
    if (found) continue;
    while (i < kNumWords && !word_is(w, kWords[i].name)) ++i;
    if (i == kNumWords) break;
    if (is_taken[i]) {
      return spec_fail(r->source, column_of(r, w.begin), "`%s` is given twice", kWords[i].name);
    }
    is_taken[i] = true;
    r->pos += w.size;
    if (!take_required(r, '=', "`=`") || !kWords[i].take(r, out)) return false;
  }
  if (take_word(r, "as") && !take_c_name(r, &out->result_c_type)) return false;
  return check_struct_name(r, &out->result_c_type, out->column) && check_failure(r, out);
}

/* ---- The whole ---- */

/* `name =` before the prototype, which is the kernel's name. */
static bool take_exported(reader *r, spec *out) {
  reader ahead = *r;
  const word w = peek_word(&ahead);
  ahead.pos += w.size;
  if (w.size == 0 || !peek(&ahead, '=')) return true;
  out->exported = take_name(r, "a name for the kernel");
  return out->exported != NULL && take(r, '=');
}

static bool check_exported(const spec_source *source, const spec *target, size_t column) {
  if (target->exported[0] != '_') return true;
  return spec_fail(source, column,
                   "a kernel's name must not begin with _; put another one before it: "
                   "`name = %s%s%s(...)`",
                   target->result->name, spec_type_space(target->result), target->name);
}

static bool take_doc(reader *r, spec *out) {
  if (!check_word(r)) return false;
  take(r, ';');
  skip_space(r);
  if (r->end - r->pos >= 2 && memcmp(r->pos, "//", 2) == 0) {
    const char *nul;
    r->pos += 2;
    skip_space(r);
    nul = r->pos < r->end ? memchr(r->pos, '\0', (size_t)(r->end - r->pos)) : NULL;
    if (nul != NULL) {
      return spec_fail(r->source, column_of(r, nul), "a description cannot contain a NUL");
    }
    while (r->end > r->pos && strchr(" \t\r\n", r->end[-1]) != NULL && r->end[-1] != '\0') --r->end;
    out->doc = tool_copy(r->pos, (size_t)(r->end - r->pos));
    r->pos = r->end;
  }
  return r->pos == r->end || fail_expecting(r, "the end, or // and a description");
}

/* extern before a prototype says nothing that it does not say without. */
static void skip_extern(reader *r) {
  static const char kLanguage[] = "\"C\"";
  const size_t size = sizeof kLanguage - 1;
  if (!take_word(r, "extern")) return;
  skip_space(r);
  if ((size_t)(r->end - r->pos) >= size && memcmp(r->pos, kLanguage, size) == 0) r->pos += size;
}

static bool take_spec(reader *r, spec *out) {
  type_marks marks;
  size_t first;
  bool is_good;
  skip_space(r);
  first = column_of(r, r->pos);
  if (!take_exported(r, out)) return false;
  skip_extern(r);
  is_good = take_type(r, &out->result, &marks);
  out->result_c_type = marks.c_type;
  if (!is_good) return false;
  skip_space(r);
  out->column = column_of(r, r->pos);
  if (marks.is_pointer && out->result->kind == kTypeChar) {
    out->result = &kChangeableText;
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
  if (!check_restrict(r, out->result, &marks, out->column)) return false;
  out->name = take_name(r, "the name of the function");
  if (out->name == NULL) return false;
  if (out->exported == NULL) {
    out->exported = tool_format("%s", out->name);
    first = out->column;
  }
  return check_exported(r->source, out, first) && take_params(r, out) && take_result_end(r, out) &&
         take_doc(r, out);
}

bool spec_read(const spec_source *source, spec *out) {
  reader r;
  r.source = source;
  r.pos = source->begin;
  r.end = source->begin + source->size;
  r.in_callback = false;
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
  free(type->owner);
  if (type->fields != NULL) spec_free(type->fields);
  free(type->fields);
}

void spec_free(spec *target) {
  size_t i, k;
  for (i = 0; i < target->num_params; ++i) {
    spec_param *param = &target->params[i];
    for (k = 0; k < param->num_dims; ++k) {
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

/* ---- Writing a parameter ---- */

static void write_number(text_buf *out, const spec_number *number) {
  if (number->name != NULL) {
    text_add(out, "%s", number->name);
  } else {
    text_add(out, "%lld", (long long)number->value);
  }
}

/* The type: an enumeration by its name, or by its constants if it has none. */
static void write_type(text_buf *out, const spec_param *param) {
  const char *type = param->type->name, *name = param->c_type.name;
  const bool is_pointer = type[strlen(type) - 1] == '*';
  const bool is_enum = name != NULL && text_begins(name, "enum ");
  const bool is_struct = name != NULL && text_begins(name, "struct ");
  size_t i;
  text_add(out, "%s", param->is_const && !is_pointer ? "const " : "");
  if (param->is_void) {
    text_add(out, "void ");
    return;
  }
  if (param->c_type.fields != NULL) {
    text_add(out, "%s {", is_struct ? name : "struct");
    for (i = 0; i < param->c_type.fields->num_params; ++i) {
      text_add(out, "%s", i > 0 ? " " : "");
      spec_write_param(out, &param->c_type.fields->params[i]);
      text_add(out, ";");
    }
    text_add(out, "} ");
    return;
  }
  if (name != NULL || param->c_type.num_choices == 0) {
    text_add(out, "%s%s", is_enum || param->c_type.handle != NULL ? name : type,
             spec_type_space(param->type));
    return;
  }
  for (i = 0; i < param->c_type.num_choices; ++i) {
    text_add(out, "%s%s = %lld", i > 0 ? ", " : "enum {", param->c_type.choices[i].name,
             (long long)param->c_type.choices[i].value);
  }
  text_add(out, "} ");
}

static void write_shape(text_buf *out, const spec_param *param) {
  size_t i;
  if (param->num_dims == 0) text_add(out, "[]");
  for (i = 0; i < param->num_dims; ++i) {
    text_add(out, i == 0 ? "[" : param->is_flat ? ", " : "][");
    write_number(out, &param->dims[i].extent);
    if (!param->dims[i].has_stride) continue;
    text_add(out, ":");
    write_number(out, &param->dims[i].stride);
  }
  if (param->num_dims > 0) text_add(out, "]");
}

void spec_write_param(text_buf *out, const spec_param *param) {
  static const char *const kDirections[] = {
      [kByValue] = "", [kIn] = "in ", [kOut] = "out ", [kInOut] = "inout "};
  const bool has_shape = param->form == kParamTensor || param->form == kParamWork ||
                         param->form == kParamBytes || param->form == kParamBuffer;
  const bool has_star = param->form == kParamWork || (!has_shape && param->direction != kByValue);
  if (param->declaration != NULL) {
    text_add(out, "%s = %s", param->declaration, param->constant);
    return;
  }
  if (param->callback != NULL) {
    size_t i;
    text_add(out, "%s (*%s)(", param->callback->result->name, param->name);
    for (i = 0; i < param->callback->num_params; ++i) {
      text_add(out, "%s", i > 0 ? ", " : "");
      spec_write_param(out, &param->callback->params[i]);
    }
    text_add(out, ")");
    return;
  }
  text_add(out, "%s", kDirections[param->direction]);
  write_type(out, param);
  text_add(out, "%s%s%s", param->form == kParamTensor && param->is_restrict ? "restrict " : "",
           has_star ? "*" : "", param->is_unnamed ? "" : param->name);
  if (has_shape) write_shape(out, param);
  if (param->constant != NULL) text_add(out, " = %s", param->constant);
  if (param->alignment > 0) text_add(out, " align %lld", (long long)param->alignment);
  if (param->strides != kStridesPositive) {
    text_add(out, " strides %s", param->strides == kStridesAny ? "any" : "blas");
  }
  if (param->in_place != NULL) text_add(out, " inplace %s", param->in_place);
  if (param->is_bytes) text_add(out, " bytes");
  if (param->dtype_name != NULL) text_add(out, " dtype=%s", param->dtype_name);
  if (param->size != kSizeAll) {
    text_add(out, " size=%s",
             param->size == kSizeResult ? "return"
             : param->size == kSizeText ? "text"
                                        : param->size_name);
  }
  if (param->is_optional) text_add(out, " optional");
  if (param->c_type.name != NULL && param->c_type.handle == NULL &&
      !(param->c_type.fields != NULL && text_begins(param->c_type.name, "struct ")) &&
      !text_begins(param->c_type.name, "enum ")) {
    text_add(out, " as %s", param->c_type.name);
  }
}
