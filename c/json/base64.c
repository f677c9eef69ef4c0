/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "core/error.h"
#include "core/string_object.h"
#include "json/json_graph.h"

static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int tvmffi_base64_encode(const char *data, size_t size, TVMFFIAny *out) {
  size_t groups = size / 3 + (size % 3 != 0), bytes, i;
  char *text, *p;
  int rc;
  if (!tvmffi_checked_mul_size(groups, 4, &bytes) || (p = text = tvmffi_alloc(bytes)) == NULL) {
    return tvmffi_fail_memory();
  }
  for (i = 0; i < size; i += 3) {
    size_t left = size - i;
    uint32_t group = (uint32_t)(unsigned char)data[i] << 16;
    if (left > 1) group |= (uint32_t)(unsigned char)data[i + 1] << 8;
    if (left > 2) group |= (unsigned char)data[i + 2];
    *p++ = kDigits[group >> 18];
    *p++ = kDigits[group >> 12 & 63];
    *p++ = left > 1 ? kDigits[group >> 6 & 63] : '=';
    *p++ = left > 2 ? kDigits[group & 63] : '=';
  }
  rc = tvmffi_string_to_any(text, bytes, out);
  tvmffi_free(text);
  return rc;
}

static int invalid(void) {
  return tvmffi_fail("InternalError",
                     "Check failed: (bytes.size %% 4 == 0) is false: invalid base64 encoding");
}

/* The value of a digit, or 64. */
static uint32_t value_of(char digit) {
  const char *found = digit != '\0' ? strchr(kDigits, digit) : NULL;
  return found != NULL ? (uint32_t)(found - kDigits) : 64;
}

/* Decodes whole groups; false when they contain anything but digits, or padding before the end. */
static bool decode(const char *text, size_t size, char *out, size_t *out_size) {
  size_t i, written = 0;
  for (i = 0; i < size; i += 4) {
    size_t padding = 0, j;
    uint32_t group = 0;
    if (i + 4 == size) padding = (size_t)(text[i + 3] == '=') + (text[i + 2] == '=');
    for (j = 0; j < 4; ++j) {
      uint32_t digit = j < 4 - padding ? value_of(text[i + j]) : 0;
      if (digit == 64) return false;
      group = group << 6 | digit;
    }
    out[written++] = (char)(group >> 16);
    if (padding < 2) out[written++] = (char)(group >> 8);
    if (padding < 1) out[written++] = (char)group;
  }
  *out_size = written;
  return true;
}

int tvmffi_base64_decode(const char *text, size_t size, TVMFFIAny *out) {
  TVMFFIByteArray bytes;
  char *data;
  int rc;
  if (size % 4 != 0) return invalid();
  data = tvmffi_alloc(size / 4 * 3);
  if (data == NULL) return tvmffi_fail_memory();
  bytes.data = data;
  rc = decode(text, size, data, &bytes.size) ? TVMFFIBytesFromByteArray(&bytes, out) : invalid();
  tvmffi_free(data);
  return rc;
}
