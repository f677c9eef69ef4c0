/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of JSON: its global functions, called with C strings. */
#ifndef TESTS_C_JSON_SUPPORT_H_
#define TESTS_C_JSON_SUPPORT_H_

#include "core/any.h"
#include "json/json.h"
#include "module_support.h"

static inline int parse(const char *text, TVMFFIAny *out) {
  TVMFFIAny arg = tvmffi_any_raw_str(text);
  return call_global("ffi.json.Parse", &arg, 1, out);
}

static inline TVMFFIAny parse_ok(const char *text) {
  TVMFFIAny value;
  check_ok(parse(text, &value));
  return value;
}

static inline int stringify(TVMFFIAny value, TVMFFIAny indent, TVMFFIAny *out) {
  TVMFFIAny args[2];
  args[0] = value;
  args[1] = indent;
  return call_global("ffi.json.Stringify", args, 2, out);
}

/* Checks the JSON text of a value, and releases the value. */
static inline void check_written(TVMFFIAny value, TVMFFIAny indent, const char *expected) {
  TVMFFIAny result;
  check_ok(stringify(value, indent, &result));
  assert_int_equal(result.type_index, kTVMFFIStr);
  check_str(&result, expected);
  check_release(&value);
}

/* Checks the text that results from reading a JSON text and writing the value again. */
static inline void check_again(const char *text, const char *expected) {
  check_written(parse_ok(text), tvmffi_any_none(), expected);
}

#endif /* TESTS_C_JSON_SUPPORT_H_ */
