/* SPDX-License-Identifier: Apache-2.0 */
/* The types of C that specs know, and those of their parameters. */
#include "wrap/spec_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
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
const spec_type kSpecChangeableText = {"char *", kTypeText, NULL, NULL, NULL};
const spec_type kSpecFunction = {"function", kTypeFunction, NULL, NULL, NULL};
static const spec_type kStruct = {"struct", kTypeStruct, NULL, NULL, NULL};
static const spec_type kHandle = {"void *", kTypeHandle, NULL, NULL, NULL};

/* NULL if there is none of that name. */
const spec_type *spec_find_type(const char *name) {
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

bool spec_is_spelt(const char *name, const char *word, size_t size) {
  return strlen(name) == size && memcmp(name, word, size) == 0;
}

/* What to do about a word that no spec has; NULL: it is another one. */
const char *spec_find_advice(const char *word, size_t size) {
  size_t i;
  for (i = 0; i < kNumRefusedWords; ++i) {
    if (spec_is_spelt(kRefusedWords[i].name, word, size)) return kRefusedWords[i].advice;
  }
  return NULL;
}

/* restrict of C99, and as compilers spell it in headers for C++ too. */
bool spec_is_restrict(const char *word, size_t size) {
  return spec_is_spelt("restrict", word, size) || spec_is_spelt("__restrict", word, size) ||
         spec_is_spelt("__restrict__", word, size);
}

bool spec_is_type_word(const char *word, size_t size) {
  static const char *const kParts[] = {"const", "signed", "unsigned", "_Bool", "enum", "_Complex"};
  size_t i;
  for (i = 0; i < kNumTypes; ++i) {
    if (spec_is_spelt(kTypes[i].name, word, size)) return true;
  }
  for (i = 0; i < sizeof kParts / sizeof *kParts; ++i) {
    if (spec_is_spelt(kParts[i], word, size)) return true;
  }
  return spec_is_restrict(word, size) || spec_find_advice(word, size) != NULL;
}

const char *spec_type_space(const spec_type *type) {
  return type->name[strlen(type->name) - 1] == '*' ? "" : " ";
}

/* ---- Types ---- */

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

/* Reads the fields of a structure behind the brace. */
static bool take_fields(spec_reader *r, spec *out) {
  out->name = tool_copy("", 0); /* of no function */
  do {
    spec_param *field;
    out->params = tool_realloc(out->params, (out->num_params + 1) * sizeof *out->params);
    field = &out->params[out->num_params++];
    memset(field, 0, sizeof *field);
    field->arg = out->num_args++;
    if (!spec_take_declared(r, field)) return false;
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
  type_words words;
  const char *end = r->pos;
  char *name;
  const size_t begin = spec_column_of(r, spec_peek_word(r).begin);
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
