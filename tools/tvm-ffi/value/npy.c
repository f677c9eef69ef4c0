/* SPDX-License-Identifier: Apache-2.0 */
#include "value/npy.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kMagic[] = "\x93NUMPY";
enum { kMagicSize = 6 };

/* ---- The header's dict: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ------------
 */

typedef struct {
  const char *at, *end;
} header;

static void skip_space(header *h) {
  while (h->at < h->end && isspace((unsigned char)*h->at)) ++h->at;
}

static bool take(header *h, char c) {
  skip_space(h);
  if (h->at == h->end || *h->at != c) return false;
  ++h->at;
  return true;
}

static bool take_word(header *h, const char *word) {
  size_t size = strlen(word);
  skip_space(h);
  if ((size_t)(h->end - h->at) < size || memcmp(h->at, word, size) != 0) return false;
  h->at += size;
  return true;
}

/* A quoted text without escapes. */
static bool take_text(header *h, char *out, size_t capacity) {
  size_t size = 0;
  char quote;
  skip_space(h);
  if (h->at == h->end || (*h->at != '\'' && *h->at != '"')) return false;
  quote = *h->at++;
  while (h->at < h->end && *h->at != quote) {
    if (size + 1 == capacity || *h->at == '\\') return false;
    out[size++] = *h->at++;
  }
  out[size] = '\0';
  return h->at++ < h->end;
}

static const char *read_shape(header *h, npy_array *out) {
  out->ndim = 0;
  if (!take(h, '(')) return "its shape is no tuple";
  while (!take(h, ')')) {
    uint64_t extent = 0;
    if (out->ndim == kNpyMaxDims) return "it has more than 32 dimensions";
    if (h->at == h->end || !isdigit((unsigned char)*h->at)) return "its shape is no tuple of sizes";
    while (h->at < h->end && isdigit((unsigned char)*h->at)) {
      extent = extent * 10 + (uint64_t)(*h->at++ - '0');
      if (extent > INT64_MAX / 16) return "its shape is too large";
    }
    if (h->at < h->end && *h->at == 'L') ++h->at; /* written by Python 2 */
    out->shape[out->ndim++] = (int64_t)extent;
    if (!take(h, ',') && (h->at == h->end || *h->at != ')'))
      return "its shape is no tuple of sizes";
  }
  return NULL;
}

/* "<f4": the byte order, the kind, the bytes of an element. */
static const char *read_descr(const char *descr, npy_array *out) {
  const uint16_t one = 1;
  bool little = *(const unsigned char *)&one == 1;
  char order = *descr, kind = order != '\0' ? descr[1] : '\0', *end;
  unsigned long size =
      kind != '\0' && isdigit((unsigned char)descr[2]) ? strtoul(descr + 2, &end, 10) : 0;
  static const char kNot[] = "its descr is no type of numbers";
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
  if (!take(h, '{')) return "its header is no dict";
  while (!take(h, '}')) {
    if (!take_text(h, key, sizeof key) || !take(h, ':')) return "its header is no dict";
    if (strcmp(key, "descr") == 0) {
      descr = true;
      if (!take_text(h, value, sizeof value)) return "its descr is no type of numbers";
      if ((wrong = read_descr(value, out)) != NULL) return wrong;
    } else if (strcmp(key, "fortran_order") == 0) {
      order = true;
      out->fortran_order = take_word(h, "True");
      if (!out->fortran_order && !take_word(h, "False")) return "its fortran_order is no bool";
    } else if (strcmp(key, "shape") == 0) {
      shape = true;
      if ((wrong = read_shape(h, out)) != NULL) return wrong;
    } else {
      return "its header has a key that .npy files have not";
    }
    if (!take(h, ',') && (h->at == h->end || *h->at != '}')) return "its header is no dict";
  }
  return descr && order && shape ? NULL : "its header lacks descr, fortran_order or shape";
}

/* ---- Arrays ------------------------------------------------------------------------------------
 */

const char *npy_read(const unsigned char *file, size_t file_size, size_t *at, npy_array *out) {
  static char truncated[96];
  const unsigned char *bytes = file + *at;
  size_t left = file_size - *at, length_size, length = 0, count = 1, i;
  header h;
  const char *wrong;
  if (left < kMagicSize + 2 || memcmp(bytes, kMagic, kMagicSize) != 0) {
    return *at == 0 ? "it does not begin as .npy files do" : "there is no further array";
  }
  if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
    snprintf(truncated, sizeof truncated, "its format %d.%d is none of 1.0, 2.0, 3.0", bytes[6],
             bytes[7]);
    return truncated;
  }
  length_size = bytes[6] == 1 ? 2 : 4;
  bytes += kMagicSize + 2;
  left -= kMagicSize + 2;
  if (left < length_size) return "it ends inside its header";
  for (i = length_size; i > 0; --i) length = length << 8 | bytes[i - 1];
  bytes += length_size;
  left -= length_size;
  if (left < length) return "it ends inside its header";
  h.at = (const char *)bytes;
  h.end = h.at + length;
  if ((wrong = read_dict(&h, out)) != NULL) return wrong;
  bytes += length;
  left -= length;
  for (i = 0; i < (size_t)out->ndim; ++i) {
    if (out->shape[i] != 0 && count > SIZE_MAX / 16 / (size_t)out->shape[i]) {
      count = SIZE_MAX / 16 + 1; /* stays so, unless an extent of 0 follows */
    } else {
      count *= (size_t)out->shape[i];
    }
  }
  if (count > SIZE_MAX / 16) return "its shape is too large";
  out->data = bytes;
  out->size = count * out->item_size;
  if (left < out->size) {
    snprintf(truncated, sizeof truncated, "it ends after %zu of %zu bytes of data", left,
             out->size);
    return truncated;
  }
  *at = (size_t)(bytes - file) + out->size;
  return NULL;
}

static void copy_item(const npy_array *array, const unsigned char *from, unsigned char *to) {
  size_t unit = array->dtype.code == kDLComplex ? array->item_size / 2 : array->item_size, i;
  if (!array->swapped || array->dtype.code == kDLOpaqueHandle) {
    memcpy(to, from, array->item_size);
    return;
  }
  for (i = 0; i < array->item_size; ++i) to[i] = from[i / unit * unit + (unit - 1 - i % unit)];
}

void npy_copy(const npy_array *array, void *to) {
  size_t count = array->size / array->item_size, i, from = 0;
  size_t index[kNpyMaxDims] = {0}, stride[kNpyMaxDims], next = 1;
  unsigned char *out = to;
  int32_t d;
  for (d = 0; d < array->ndim; ++d) { /* Fortran's: the first dimension is the dense one */
    stride[d] = next;
    next *= (size_t)array->shape[d];
  }
  for (i = 0; i < count; ++i) {
    size_t item = array->fortran_order ? from : i;
    copy_item(array, array->data + item * array->item_size, out + i * array->item_size);
    for (d = array->ndim - 1; d >= 0; --d) {
      from += stride[d];
      if (++index[d] < (size_t)array->shape[d]) break;
      from -= index[d] * stride[d];
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

bool npy_write(text *to, DLDataType dtype, const int64_t *shape, int32_t ndim, const void *data,
               size_t size) {
  const uint16_t one = 1;
  char little = *(const unsigned char *)&one == 1 ? '<' : '>';
  char kind = dtype.lanes == 1 ? get_kind(dtype) : 'V';
  unsigned bits = (unsigned)dtype.bits * dtype.lanes;
  size_t start = to->size, padding, length;
  unsigned char prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};
  int32_t i;
  if (bits % 8 != 0) return false;
  text_add_bytes(to, prefix, sizeof prefix);
  text_add(to, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
           bits == 8 || kind == 'V' ? '|' : little, kind, bits / 8);
  for (i = 0; i < ndim; ++i)
    text_add(to, "%" PRId64 "%s", shape[i], i + 1 < ndim ? ", " : ndim == 1 ? "," : "");
  text_add(to, "), }");
  padding = 63 - (to->size - start) % 64;
  text_add(to, "%*s\n", (int)padding, "");
  length = to->size - start - sizeof prefix;
  to->data[start + 8] = (char)(length & 0xff);
  to->data[start + 9] = (char)(length >> 8);
  text_add_bytes(to, data, size);
  return true;
}
