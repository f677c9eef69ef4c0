/* SPDX-License-Identifier: Apache-2.0 */
#include "value/npy.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kMagic[] = "\x93NUMPY";
enum { kMagicSize = 6, kMaxHeader = 1 << 20 };
static const char kNoMagic[] = "it does not begin like an .npy file";

/* ---- The header's dict: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ---- */

typedef struct {
  const char *pos, *end;
} header;

static void skip_space(header *h) {
  while (h->pos < h->end && isspace((unsigned char)*h->pos)) ++h->pos;
}

static bool take(header *h, char c) {
  skip_space(h);
  if (h->pos == h->end || *h->pos != c) return false;
  ++h->pos;
  return true;
}

static bool take_word(header *h, const char *word) {
  size_t size = strlen(word);
  skip_space(h);
  if ((size_t)(h->end - h->pos) < size || memcmp(h->pos, word, size) != 0) return false;
  h->pos += size;
  return true;
}

/* A quoted text without escapes. */
static bool take_text(header *h, char *out, size_t capacity) {
  size_t size = 0;
  char quote;
  skip_space(h);
  if (h->pos == h->end || (*h->pos != '\'' && *h->pos != '"')) return false;
  quote = *h->pos++;
  while (h->pos < h->end && *h->pos != quote) {
    if (size + 1 == capacity || *h->pos == '\\') return false;
    out[size++] = *h->pos++;
  }
  out[size] = '\0';
  if (h->pos == h->end) return false;
  ++h->pos;
  return true;
}

static const char *read_shape(header *h, npy_array *out) {
  out->ndim = 0;
  if (!take(h, '(')) return "its shape is not a tuple";
  while (!take(h, ')')) {
    uint64_t extent = 0;
    if (out->ndim == kNpyMaxDims) return "it has more than 32 dimensions";
    if (h->pos == h->end || !isdigit((unsigned char)*h->pos))
      return "its shape is not a tuple of sizes";
    while (h->pos < h->end && isdigit((unsigned char)*h->pos)) {
      extent = extent * 10 + (uint64_t)(*h->pos++ - '0');
      if (extent > INT64_MAX / 16) return "its shape is too large";
    }
    if (h->pos < h->end && *h->pos == 'L') ++h->pos; /* written by Python 2 */
    out->shape[out->ndim++] = (int64_t)extent;
    if (!take(h, ',') && (h->pos == h->end || *h->pos != ')'))
      return "its shape is not a tuple of sizes";
  }
  return NULL;
}

/* "<f4": the byte order, the kind, the bytes of an element. */
static const char *read_descr(const char *descr, npy_array *out) {
  const uint16_t probe = 1;
  bool little = *(const unsigned char *)&probe == 1;
  char order = *descr, kind = order != '\0' ? descr[1] : '\0', *end;
  unsigned long size =
      kind != '\0' && isdigit((unsigned char)descr[2]) ? strtoul(descr + 2, &end, 10) : 0;
  static const char kNot[] = "its descr is not a type of numbers";
  if (strchr("<>=|", order) == NULL || size < 1 || size > 16 || *end != '\0') return kNot;
  out->swapped = (order == '<' && !little) || (order == '>' && little);
  out->item_size = size;
  out->dtype.bits = (uint8_t)(8 * size);
  out->dtype.lanes = 1;
  switch (kind) {
    case 'b':
      out->dtype.code = kDLBool;
      return size == 1 ? NULL : kNot;
    case 'i':
    case 'u':
      out->dtype.code = kind == 'i' ? kDLInt : kDLUInt;
      return size == 1 || size == 2 || size == 4 || size == 8 ? NULL : kNot;
    case 'f':
      out->dtype.code = kDLFloat;
      return size == 2 || size == 4 || size == 8 ? NULL : kNot;
    case 'c':
      out->dtype.code = kDLComplex;
      return size == 8 || size == 16 ? NULL : kNot;
    case 'V':
      out->dtype.code = kDLOpaqueHandle;
      return NULL;
    default:
      return kNot;
  }
}

static const char *read_dict(header *h, npy_array *out) {
  bool descr = false, order = false, shape = false;
  char key[16], value[24];
  const char *wrong;
  if (!take(h, '{')) return "its header is not a dict";
  while (!take(h, '}')) {
    if (!take_text(h, key, sizeof key) || !take(h, ':')) return "its header is not a dict";
    if (strcmp(key, "descr") == 0) {
      descr = true;
      if (!take_text(h, value, sizeof value)) return "its descr is not a type of numbers";
      if ((wrong = read_descr(value, out)) != NULL) return wrong;
    } else if (strcmp(key, "fortran_order") == 0) {
      order = true;
      out->fortran_order = take_word(h, "True");
      if (!out->fortran_order && !take_word(h, "False")) return "its fortran_order is not a bool";
    } else if (strcmp(key, "shape") == 0) {
      shape = true;
      if ((wrong = read_shape(h, out)) != NULL) return wrong;
    } else {
      return "its header has a key that .npy files do not have";
    }
    if (!take(h, ',') && (h->pos == h->end || *h->pos != '}')) return "its header is not a dict";
  }
  return descr && order && shape ? NULL : "its header lacks descr, fortran_order or shape";
}

/* ---- Arrays ---- */

/* The size of the header with all that is before it: as much of it as the bytes tell. */
static size_t measure_header(const unsigned char *bytes, size_t size) {
  size_t length_size = size > kMagicSize && bytes[kMagicSize] == 1 ? 2 : 4, length = 0, i;
  size_t before = kMagicSize + 2 + length_size;
  if (size < before) return before;
  for (i = 1; i <= length_size; ++i) length = length << 8 | bytes[before - i];
  return length <= kMaxHeader ? before + length : SIZE_MAX;
}

/* Reads all but the data, which needs to be there only up to out->data. */
static const char *read_header(const unsigned char *bytes, size_t size, npy_array *out) {
  static char format[48];
  size_t header_size, count = 1, i;
  header h;
  const char *wrong;
  if (size < kMagicSize + 2 || memcmp(bytes, kMagic, kMagicSize) != 0) {
    return kNoMagic;
  }
  if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
    snprintf(format, sizeof format, "its format %d.%d is not 1.0, 2.0 or 3.0", bytes[6], bytes[7]);
    return format;
  }
  header_size = measure_header(bytes, size);
  if (header_size == SIZE_MAX) return "its header is larger than a megabyte";
  if (size < header_size) return "it ends inside its header";
  h.pos = (const char *)bytes + kMagicSize + (bytes[6] == 1 ? 4 : 6);
  h.end = (const char *)bytes + header_size;
  if ((wrong = read_dict(&h, out)) != NULL) return wrong;
  for (i = 0; i < (size_t)out->ndim; ++i) {
    const uint64_t extent = (uint64_t)out->shape[i]; /* may be more than fits into size_t */
    if (extent != 0 && count > SIZE_MAX / 16 / extent) {
      count = SIZE_MAX / 16 + 1; /* saturates, unless an extent of 0 follows */
    } else {
      count *= (size_t)extent;
    }
  }
  if (count > SIZE_MAX / 32) return "its shape is too large";
  out->data = bytes + header_size;
  out->size = count * out->item_size;
  return NULL;
}

size_t npy_measure(const unsigned char *bytes, size_t size) {
  npy_array array;
  size_t header_size = measure_header(bytes, size);
  if (size >= kMagicSize && memcmp(bytes, kMagic, kMagicSize) != 0) return 0;
  if (size < header_size && header_size != SIZE_MAX) return header_size;
  return read_header(bytes, size, &array) == NULL ? header_size + array.size : 0;
}

const char *npy_read(const unsigned char *file, size_t file_size, size_t *pos, npy_array *out) {
  static char truncated[96];
  const unsigned char *end = file + file_size;
  const char *wrong = read_header(file + *pos, file_size - *pos, out);
  if (wrong == kNoMagic && *pos > 0) return "there are no more arrays";
  if (wrong != NULL) return wrong;
  if ((size_t)(end - out->data) < out->size) {
    snprintf(truncated, sizeof truncated, "it ends after %zu of %zu bytes of data",
             (size_t)(end - out->data), out->size);
    return truncated;
  }
  *pos = (size_t)(out->data - file) + out->size;
  return NULL;
}

static void copy_item(const npy_array *array, const unsigned char *source, unsigned char *dest) {
  size_t unit = array->dtype.code == kDLComplex ? array->item_size / 2 : array->item_size, i;
  if (!array->swapped || array->dtype.code == kDLOpaqueHandle) {
    memcpy(dest, source, array->item_size);
    return;
  }
  for (i = 0; i < array->item_size; ++i) dest[i] = source[i / unit * unit + (unit - 1 - i % unit)];
}

void npy_copy(const npy_array *array, void *dest) {
  size_t count = array->size / array->item_size, i, source = 0;
  size_t index[kNpyMaxDims] = {0}, stride[kNpyMaxDims], next = 1;
  unsigned char *out = dest;
  int32_t d;
  for (d = 0; d < array->ndim; ++d) { /* Fortran order: the first dimension is contiguous */
    stride[d] = next;
    next *= (size_t)array->shape[d];
  }
  for (i = 0; i < count; ++i) {
    size_t item = array->fortran_order ? source : i;
    copy_item(array, array->data + item * array->item_size, out + i * array->item_size);
    for (d = array->ndim - 1; d >= 0; --d) {
      source += stride[d];
      if (++index[d] < (size_t)array->shape[d]) break;
      source -= index[d] * stride[d];
      index[d] = 0;
    }
  }
}

static char get_kind(DLDataType dtype) {
  switch (dtype.code) {
    case kDLInt:
      return 'i';
    case kDLUInt:
      return 'u';
    case kDLFloat:
      return dtype.bits >= 16 ? 'f' : 'V';
    case kDLComplex:
      return 'c';
    case kDLBool:
      return 'b';
    default:
      return 'V';
  }
}

bool npy_write(text_buf *out, DLDataType dtype, const int64_t *shape, int32_t ndim,
               const void *data, size_t size) {
  const uint16_t probe = 1;
  char little = *(const unsigned char *)&probe == 1 ? '<' : '>';
  char kind = dtype.lanes == 1 ? get_kind(dtype) : 'V';
  unsigned bits = (unsigned)dtype.bits * dtype.lanes;
  size_t start = out->size, padding, length;
  unsigned char prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};
  int32_t i;
  if (bits % 8 != 0) return false;
  text_add_bytes(out, prefix, sizeof prefix);
  text_add(out, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
           bits == 8 || kind == 'V' ? '|' : little, kind, bits / 8);
  for (i = 0; i < ndim; ++i)
    text_add(out, "%" PRId64 "%s", shape[i], i + 1 < ndim ? ", " : ndim == 1 ? "," : "");
  text_add(out, "), }");
  padding = 63 - (out->size - start) % 64;
  text_add(out, "%*s\n", (int)padding, "");
  length = out->size - start - sizeof prefix;
  out->data[start + 8] = (char)(length & 0xff);
  out->data[start + 9] = (char)(length >> 8);
  text_add_bytes(out, data, size);
  return true;
}
