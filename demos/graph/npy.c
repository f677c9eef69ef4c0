/* SPDX-License-Identifier: Apache-2.0 */
/* A .npy file: \x93NUMPY, a version, the length of a header, and the header, which is a Python dict
 * as text, then the elements. */
#include "npy.h"

#include <tvm/ffi/c.h>

enum { kMaxHeader = 255, kElementSize = 4 };

static int fail(const char *reason) {
  return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "the .npy file %s", reason);
}

/* The header as text, and where the elements begin. */
static int read_header(const unsigned char *bytes, size_t size, char *header, size_t *out_start) {
  size_t start, length;
  if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return fail("does not begin as one");
  if (bytes[6] == 1) {
    start = 10;
    length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
  } else {
    start = 12;
    length = (size_t)bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 |
             (size_t)bytes[11] << 24;
  }
  if (length > size - start || length > kMaxHeader) return fail("has too long a header");
  memcpy(header, bytes + start, length);
  header[length] = '\0';
  *out_start = start + length;
  return 0;
}

/* The product of the numbers in `'shape': (3, 4)`; no more than max. */
static int read_count(const char *header, size_t max, size_t *out) {
  static const char key[] = "'shape': (";
  const char *at = strstr(header, key);
  size_t count = 1;
  if (at == NULL) return fail("has no shape");
  at += sizeof key - 1;
  while (*at != ')') {
    char *end;
    unsigned long length = strtoul(at, &end, 10);
    if (end == at || (length != 0 && count > max / length))
      return fail("has a shape that is wrong");
    count *= length;
    at = end + strspn(end, ", ");
  }
  *out = count;
  return 0;
}

static float decode(const unsigned char *bytes) {
  uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                  (uint32_t)bytes[3] << 24;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

int npy_read_float32(const unsigned char *bytes, size_t size, float **out, int64_t *out_count) {
  char header[kMaxHeader + 1];
  size_t start = 0, count = 0, i;
  float *values;
  TVM_FFI_C_TRY(read_header(bytes, size, header, &start));
  if (strstr(header, "'descr': '<f4'") == NULL) return fail("is not of little-endian float32");
  if (strstr(header, "'fortran_order': False") == NULL) return fail("is not in row-major order");
  TVM_FFI_C_TRY(read_count(header, (size - start) / kElementSize, &count));
  if (count * kElementSize != size - start) return fail("has another size than its shape");
  values = (float *)malloc(count > 0 ? count * sizeof *values : 1);
  if (values == NULL) return tvm_ffi_error_raise_memory();
  for (i = 0; i < count; ++i) values[i] = decode(bytes + start + kElementSize * i);
  *out = values;
  *out_count = (int64_t)count;
  return 0;
}
