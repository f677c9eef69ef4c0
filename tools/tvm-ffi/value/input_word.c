/* SPDX-License-Identifier: Apache-2.0 */
#include "value/input_word.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "value/dtype_text.h"
#include "value/tensor_text.h"

bool input_make_text(scan *s, const char *data, size_t size, bool is_bytes, TVMFFIAny *out) {
  TVMFFIByteArray bytes;
  bytes.data = data;
  bytes.size = size;
  if ((is_bytes ? TVMFFIBytesFromByteArray : TVMFFIStringFromByteArray)(&bytes, out) != 0) {
    return scan_fail_raised(s);
  }
  return true;
}

/* ---- Words: without spaces or brackets ---- */

static bool is_kind(const schema_type *type, schema_kind kind) {
  return type != NULL && type->kind == kind;
}

static bool parse_int(const char *word, TVMFFIAny *out) {
  char *end;
  long long value;
  errno = 0;
  value = strtoll(word, &end, number_base(word));
  if (end == word || *end != '\0' || errno == ERANGE) return false;
  *out = tvm_ffi_any_from_int64(value);
  return true;
}

/* Whether it is an integer that does not fit 64 bits; such a word must not silently become a
 * float. */
static bool is_too_large(const char *word) {
  char *end;
  errno = 0;
  strtoll(word, &end, number_base(word));
  return end != word && *end == '\0' && errno == ERANGE;
}

bool input_make_key(scan *s, const char *word, TVMFFIAny *out) {
  if (parse_int(word, out)) return true;
  if (is_too_large(word)) return scan_fail(s, "`%s` is no integer of 64 bits", word);
  return *word != '\0' ? input_make_text(s, word, strlen(word), false, out)
                       : scan_fail(s, "a map lacks a key");
}

bool input_parse_real(const char *word, TVMFFIAny *out) {
  char *end;
  double value = strtod(word, &end);
  if (end == word || *end != '\0') return false;
  *out = tvm_ffi_any_from_double(value);
  return true;
}

static bool parse_bool(const char *word, TVMFFIAny *out) {
  bool yes = strcmp(word, "true") == 0 || strcmp(word, "True") == 0;
  if (!yes && strcmp(word, "false") != 0 && strcmp(word, "False") != 0) return false;
  *out = tvm_ffi_any_from_bool(yes);
  return true;
}

static bool is_none(const char *word) {
  return strcmp(word, "none") == 0 || strcmp(word, "None") == 0 || strcmp(word, "null") == 0 ||
         strcmp(word, "(null)") == 0;
}

static bool make_dtype(scan *s, const char *word, TVMFFIAny *out) {
  DLDataType dtype;
  if (!dtype_read(word, strlen(word), &dtype)) return scan_fail(s, "`%s` is no data type", word);
  *out = tvm_ffi_any_from_dtype(dtype);
  return true;
}

static bool make_device(scan *s, const char *word, TVMFFIAny *out) {
  DLDevice device;
  if (!tvm_ffi_device_parse(word, strlen(word), &device)) {
    return scan_fail(s, "`%s` is no device, such as cpu or cuda:0", word);
  }
  *out = tvm_ffi_any_from_device(device);
  return true;
}

/* Parses a bare word for a parameter of this type, which may be NULL. */
bool input_make_word(scan *s, const char *word, const schema_type *type, TVMFFIAny *out) {
  const schema_type *wanted = schema_required(type);
  if (is_kind(wanted, kSchemaStr) && (type != wanted || !is_none(word))) {
    return input_make_text(s, word, strlen(word), false, out);
  }
  if (is_none(word)) {
    *out = tvm_ffi_any_none();
    return true;
  }
  if (is_kind(wanted, kSchemaDataType)) return make_dtype(s, word, out);
  if (is_kind(wanted, kSchemaDevice)) return make_device(s, word, out);
  if (is_kind(wanted, kSchemaBytes)) return input_make_text(s, word, strlen(word), true, out);
  if (is_kind(wanted, kSchemaFloat) && input_parse_real(word, out)) return true;
  if (is_kind(wanted, kSchemaBool) && (strcmp(word, "0") == 0 || strcmp(word, "1") == 0)) {
    *out = tvm_ffi_any_from_bool(*word == '1');
    return true;
  }
  if (parse_int(word, out)) return true;
  if (is_too_large(word)) {
    return scan_fail(s, "`%s` is no integer of 64 bits; a float is written f:%s", word, word);
  }
  if (input_parse_real(word, out) || parse_bool(word, out)) return true;
  if (*word == '\0') return scan_fail(s, "a value is missing");
  return scan_fail(s, "`%s` is no value; a tensor is written 4xf32=1, a text s:\"...\"", word);
}

TVM_FFI_C_FUNCTION(echo, "(...: Any) -> Any") {
  if (args->num_args == 0) return 0;
  return tvm_ffi_any_copy(&args->args[0], args->result);
}

static bool make_function(scan *s, const char *name, TVMFFIAny *out) {
  TVMFFIObjectHandle function = NULL;
  int code = strcmp(name, "echo") == 0 ? TVMFFIFunctionCreate(NULL, echo, NULL, &function)
                                       : tvm_ffi_function_find_global(name, &function);
  if (code != 0) return scan_fail_raised(s);
  if (function == NULL) {
    return scan_fail(s, "there is no global function `%s`; fn:echo gives back its argument", name);
  }
  *out = tvm_ffi_any_take_object(function);
  return true;
}

bool input_make_shape(scan *s, const TVMFFIAny *list, TVMFFIAny *out) {
  int64_t buffer[64];
  TVMFFIShapeCell cell;
  TVMFFIObjectHandle shape;
  int found = tvm_ffi_detail_read_shape(list, buffer, 64, &cell);
  if (found != 1) return scan_fail(s, "a shape is a list of integers, at most 64");
  if (tvm_ffi_shape_create(cell.data, (int32_t)cell.size, &shape) != 0) return scan_fail_raised(s);
  *out = tvm_ffi_any_take_object(shape);
  return true;
}

bool input_make_form(scan *s, input_form form, const char *word, size_t size, TVMFFIAny *out) {
  if (size == 0 && form != kFormText && form != kFormBytes) {
    return scan_fail(s, "a value is missing");
  }
  switch (form) {
    case kFormInt:
      return parse_int(word, out) || scan_fail(s, "`%s` is no integer of 64 bits", word);
    case kFormFloat:
      return input_parse_real(word, out) || scan_fail(s, "`%s` is no number", word);
    case kFormBool:
      return parse_bool(word, out) || scan_fail(s, "`%s` is neither true nor false", word);
    case kFormText:
      return input_make_text(s, word, size, false, out);
    case kFormBytes:
      return input_make_text(s, word, size, true, out);
    case kFormDataType:
      return make_dtype(s, word, out);
    case kFormDevice:
      return make_device(s, word, out);
    default:
      return make_function(s, word, out);
  }
}
