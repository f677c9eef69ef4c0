/* SPDX-License-Identifier: Apache-2.0 */
#include "value/dtype_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

/* IREE's letters before the number of bits. The first entry of a code is the one used for
 * writing. */
static const struct {
  const char *prefix;
  uint8_t code;
} kPrefixes[] = {
    {"i", kDLInt},   {"si", kDLInt},    {"ui", kDLUInt},   {"u", kDLUInt},
    {"f", kDLFloat}, {"bf", kDLBfloat}, {"c", kDLComplex},
};

/* Parses "32" or "32x4", but not "8e4m3". */
static bool read_bits(const char *text, DLDataType *out) {
  char *end;
  long bits = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0, lanes = 1;
  if (bits < 1 || bits > 255) return false;
  if (*end == 'x' && isdigit((unsigned char)end[1])) lanes = strtol(end + 1, &end, 10);
  if (*end != '\0' || lanes < 1 || lanes > INT16_MAX) return false;
  out->bits = (uint8_t)bits;
  out->lanes = (uint16_t)lanes;
  return true;
}

static bool parse(const char *name, DLDataType *out) {
  if (tvm_ffi_dtype_parse(name, out) == 0 && out->lanes != 0 && out->bits != 0) return true;
  TVMFFIErrorSetRaised(NULL);
  return false;
}

bool dtype_read(const char *name, size_t size, DLDataType *out) {
  char lower[kDtypeTextSize], longer[kDtypeTextSize + 8];
  size_t i;
  if (size == 0 || size >= sizeof lower) return false;
  for (i = 0; i < size; ++i) lower[i] = (char)tolower((unsigned char)name[i]);
  lower[size] = '\0';
  for (i = 0; i < sizeof kPrefixes / sizeof *kPrefixes; ++i) {
    size_t length = strlen(kPrefixes[i].prefix);
    if (strncmp(lower, kPrefixes[i].prefix, length) == 0 && read_bits(lower + length, out)) {
      out->code = kPrefixes[i].code;
      if (i == 0 && out->bits == 1) { /* i1 is MLIR's bool, one byte in memory */
        out->code = kDLBool;
        out->bits = 8;
      }
      return true;
    }
  }
  if (lower[0] == 'f' && isdigit((unsigned char)lower[1]) && lower[2] == 'e') {
    snprintf(longer, sizeof longer, "float%c_%s", lower[1], lower + 2); /* f8e4m3fn */
    return parse(longer, out);
  }
  return parse(lower, out);
}

char *dtype_write(DLDataType dtype, char *buffer) {
  size_t i;
  int size = 0;
  if (dtype.code == kDLBool && dtype.bits == 8) {
    size = snprintf(buffer, kDtypeTextSize, "bool");
  } else {
    for (i = 0; i < sizeof kPrefixes / sizeof *kPrefixes; ++i) {
      if (kPrefixes[i].code != dtype.code || (dtype.code == kDLInt && dtype.bits == 1)) continue;
      size = snprintf(buffer, kDtypeTextSize, "%s%d", kPrefixes[i].prefix, (int)dtype.bits);
      break;
    }
  }
  if (size > 0) {
    if (dtype.lanes != 1) {
      snprintf(buffer + size, kDtypeTextSize - (size_t)size, "x%d", (int)dtype.lanes);
    }
    return buffer;
  }
  tvm_ffi_dtype_print(dtype, buffer, kDtypeTextSize);
  if (strncmp(buffer, "float", 5) == 0 && strchr(buffer, '_') != NULL) { /* float8_e4m3fn */
    char *rest = strchr(buffer, '_') + 1;
    buffer[1] = buffer[5];
    memmove(buffer + 2, rest, strlen(rest) + 1);
  }
  return buffer;
}
