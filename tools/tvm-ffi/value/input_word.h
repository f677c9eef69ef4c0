/* SPDX-License-Identifier: Apache-2.0 */
/* Values from a single word, by what it looks like, by a parameter's type, or by the prefix before
 * it. All but input_parse_real return false after a report. */
#ifndef TVM_FFI_TOOL_INPUT_WORD_H_
#define TVM_FFI_TOOL_INPUT_WORD_H_

#include <tvm/ffi/c.h>

#include "base/scan.h"
#include "value/schema.h"

typedef enum {
  kFormInt,
  kFormFloat,
  kFormBool,
  kFormText,
  kFormBytes,
  kFormDataType,
  kFormDevice,
  kFormFunction /* "echo", which returns its argument, or a global function */
} input_form;

bool input_parse_real(const char *word, TVMFFIAny *out);

bool input_make_text(scan *s, const char *data, size_t size, bool is_bytes, TVMFFIAny *out);
/* Parses a bare word for a parameter of this type, which may be NULL. */
bool input_make_word(scan *s, const char *word, const schema_type *type, TVMFFIAny *out);
/* Parses a bare key of a map: an integer if it is one, otherwise a text. */
bool input_make_key(scan *s, const char *word, TVMFFIAny *out);
bool input_make_form(scan *s, input_form form, const char *word, size_t size, TVMFFIAny *out);
/* Makes a Shape from a list of integers. */
bool input_make_shape(scan *s, const TVMFFIAny *list, TVMFFIAny *out);

#endif /* TVM_FFI_TOOL_INPUT_WORD_H_ */
