/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buf.h"
#include "core/any.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/function.h"
#include "core/string_object.h"

#define NAME(text) \
  { text, sizeof text - 1 }

const tvmffi_dtype_name tvmffi_dtype_names[kDTypeNumNames] = {
    NAME("int"),
    NAME("uint"),
    NAME("float"),
    NAME("handle"),
    NAME("bfloat"),
    NAME("complex"),
    NAME("bool"),
    NAME("float8_e3m4"),
    NAME("float8_e4m3"),
    NAME("float8_e4m3b11fnuz"),
    NAME("float8_e4m3fn"),
    NAME("float8_e4m3fnuz"),
    NAME("float8_e5m2"),
    NAME("float8_e5m2fnuz"),
    NAME("float8_e8m0fnu"),
    NAME("float6_e2m3fn"),
    NAME("float6_e3m2fn"),
    NAME("float4_e2m1fn"),
};

/* The longest text of a built-in type: 18 letters of name, "xvscalex", 5 digits; and a NUL. */
enum { kMaxText = 32, kMaxLanesText = 14 };

/* Writes a number below 100000. Returns the end. */
static char *write_number(char *p, unsigned n) {
  char digits[5];
  int count = 0;
  do {
    digits[count++] = (char)('0' + n % 10);
    n /= 10;
  } while (n != 0);
  while (count != 0) *p++ = digits[--count];
  return p;
}

/* Writes at most kMaxLanesText - 1 characters; nothing for one lane. Returns the end. */
static char *write_lanes(char *p, unsigned lanes) {
  if (lanes <= 1) return p;
  if (lanes > kDTypeMaxLanes) {
    memcpy(p, "xvscalex", 8);
    return write_number(p + 8, UINT16_MAX + 1u - lanes);
  }
  *p++ = 'x';
  return write_number(p, lanes);
}

static int store(const char *text, size_t size, TVMFFIAny *out) {
  TVMFFIObject *string = tvmffi_string_new(kTVMFFIStr, text, size);
  if (string == NULL) return -1;
  *out = tvmffi_any_object(string);
  return 0;
}

int tvmffi_dtype_call_custom(const char *function_name, TVMFFIAny arg, TVMFFIAny *result) {
  TVMFFIByteArray name;
  TVMFFIObjectHandle function;
  int rc;
  name.data = function_name;
  name.size = strlen(function_name);
  TVMFFI_TRY(TVMFFIFunctionGetGlobal(&name, &function));
  if (function == NULL) return tvmffi_fail("ValueError", "Function %s not found", function_name);
  rc = tvmffi_function_call(function, &arg, 1, result);
  tvmffi_object_release(function);
  return rc;
}

TVMFFI_COLD static int print_custom(const DLDataType *dtype, TVMFFIAny *out) {
  tvmffi_buf text = TVMFFI_BUF_INIT;
  TVMFFIAny result;
  TVMFFIByteArray name;
  char lanes[kMaxLanesText];
  int rc;
  TVMFFI_TRY(
      tvmffi_dtype_call_custom("dtype.get_custom_type_name", tvmffi_any_int(dtype->code), &result));
  if (!tvmffi_any_get_text(&result, &name)) {
    rc = tvmffi_any_fail_conversion(&result, "str");
  } else {
    tvmffi_buf_append_text(&text, "custom[");
    tvmffi_buf_append(&text, name.data, name.size);
    tvmffi_buf_append_text(&text, "]");
    tvmffi_buf_append(&text, lanes, (size_t)(write_lanes(lanes, dtype->lanes) - lanes));
    rc = text.failed ? tvmffi_fail_memory() : store(text.data, text.size, out);
  }
  tvmffi_buf_fini(&text);
  tvmffi_any_release(&result);
  return rc;
}

int TVMFFIDataTypeToString(const DLDataType *dtype, TVMFFIAny *out) {
  const tvmffi_dtype_name *name;
  char text[kMaxText], *end;
  TVMFFI_REQUIRE(dtype);
  TVMFFI_REQUIRE(out);
  if (TVMFFI_UNLIKELY(dtype->code >= kDTypeNumNames)) {
    if (dtype->code >= kDTypeFirstCustom) return print_custom(dtype, out);
    return tvmffi_fail("ValueError", "DLDataType contains unknown type_code=%d", dtype->code);
  }
  name = &tvmffi_dtype_names[dtype->code];
  memcpy(text, name->text, sizeof name->text);
  end = text + name->size;
  if (dtype->code == kDLOpaqueHandle) {
    /* Bits and lanes of handles are not shown; void, which has none, is the empty text. */
    if (dtype->bits == 0 && dtype->lanes == 0) end = text;
  } else {
    if (dtype->code < kDLBool || (dtype->code == kDLBool && dtype->bits != 8)) {
      end = write_number(end, dtype->bits);
    }
    end = write_lanes(end, dtype->lanes);
  }
  return store(text, (size_t)(end - text), out);
}
