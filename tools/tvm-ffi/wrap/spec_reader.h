/* SPDX-License-Identifier: Apache-2.0 */
/* What the files share that read a spec. */
#ifndef TVM_FFI_TOOL_SPEC_READER_H_
#define TVM_FFI_TOOL_SPEC_READER_H_

#include "wrap/wrap.h"

/* Reads the text of a spec. */
typedef struct {
  const spec_source *source;
  const char *pos, *end;
  bool in_callback; /* between the parentheses of a function that is a parameter */
  int depth;        /* of parentheses in an expression */
} spec_reader;

/* A part of the text. */
typedef struct {
  const char *begin;
  size_t size;
} spec_word;

/* What stands around a type: const, restrict, and a * after it; what it is called in C. */
typedef struct {
  bool is_const, is_restrict, is_pointer;
  spec_c_type c_type; /* the caller's, also after a failure */
} spec_marks;

/* ---- Words and numbers: spec_reader.c ---- */

size_t spec_column_of(const spec_reader *r, const char *at);
/* Reports that something else is expected here; returns false. */
bool spec_fail_expecting(const spec_reader *r, const char *expected);

void spec_skip_space(spec_reader *r);
/* Whether this character follows, after spaces. */
bool spec_peek(spec_reader *r, char c);
/* The same, and moves behind it. */
bool spec_take(spec_reader *r, char c);
/* The same; false after a report. */
bool spec_take_required(spec_reader *r, char c, const char *expected);

/* The identifier or number that follows; empty if there is none. */
spec_word spec_peek_word(spec_reader *r);
bool spec_word_is(spec_word w, const char *expected);
/* Whether this word follows; then moves behind it. */
bool spec_take_word(spec_reader *r, const char *expected);
bool spec_take_restrict(spec_reader *r);
/* Reports a word of C that no spec has; returns false. */
bool spec_fail_refused(const spec_reader *r, spec_word w);
/* False after a report if such a word follows. */
bool spec_check_word(spec_reader *r);
/* Reads a name of the user's; NULL after a report. */
char *spec_take_name(spec_reader *r, const char *expected);

bool spec_is_digit(int byte);
/* Reads a number that is not negative. False after a report. */
bool spec_take_value(spec_reader *r, int64_t *out);
/* Reads a number that may be negative. */
bool spec_take_signed_value(spec_reader *r, int64_t *out);
/* Reads the name of the type in the user's headers, behind the word `as`: `const name *`. */
bool spec_take_c_name(spec_reader *r, spec_c_type *out);

/* ---- Types and words of C: spec_words.c ---- */

/* Of results only, and of parameters that are functions. */
extern const spec_type kSpecChangeableText, kSpecFunction;

/* The type of that name; NULL if there is none. */
const spec_type *spec_find_type(const char *name);
/* What to do about a word that no spec has; NULL: it is another one. */
const char *spec_find_advice(const char *word, size_t size);
/* Whether the word is this name. */
bool spec_is_spelt(const char *name, const char *word, size_t size);
/* restrict of C99, and as compilers spell it in headers for C++ too. */
bool spec_is_restrict(const char *word, size_t size);

/* ---- Types of parameters and results: spec_types.c ---- */

/* Reads a type other than a structure, with its marks, which are zero before. False after a
 * report. */
bool spec_take_plain_type(spec_reader *r, const spec_type **out, spec_marks *marks);

/* ---- Extents and strides: spec_number.c ---- */

/* Reads a name, a number, or a name with the number that it stands for: `N=4`. */
bool spec_take_number(spec_reader *r, const char *expected, spec_number *out);
/* The same, or an expression of them: `n/2+1`. False after a report. */
bool spec_take_extent(spec_reader *r, spec_number *out);

/* ---- Tensors, work arrays and bytes: spec_shape.c ---- */

/* Reads a shape and what may stand after it. False after a report. */
bool spec_take_shape(spec_reader *r, bool is_pointer, spec_param *out);

/* Reads the type of elements behind `dtype`, if it is not that of C. False after a report. */
bool spec_take_dtype(spec_reader *r, spec_param *out);

/* ---- Parameters: spec_params.c ---- */

/* restrict is of pointers, as which tensors are passed. False after a report. */
bool spec_check_restrict(const spec_reader *r, const spec_type *type, const spec_marks *marks,
                         size_t column);
/* A structure is declared by its tag, or by the name of a type. False after a report. */
bool spec_check_struct_name(const spec_reader *r, const spec_c_type *type, size_t column);
/* Reads what belongs to a new handle, `free=f` and `of=x`; *out_found tells whether one was there.
 */
bool spec_take_new_handle(spec_reader *r, spec_c_type *out, bool *out_found);
/* Reads a type with its marks. False after a report. */
bool spec_take_type(spec_reader *r, const spec_type **out, spec_marks *marks);
/* Reads the parameters in their parentheses. False after a report. */
bool spec_take_params(spec_reader *r, spec *out);

#endif /* TVM_FFI_TOOL_SPEC_READER_H_ */
