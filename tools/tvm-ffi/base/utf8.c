/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

/* The length of a character by its first byte; 0 if no character begins with this byte. */
static size_t measure_announced(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

size_t utf8_measure(const void *bytes, size_t size) {
  const unsigned char *octets = bytes;
  size_t length = measure_announced(octets[0]), i;
  if (length > size) return 0;
  for (i = 1; i < length; ++i) {
    if ((octets[i] & 0xc0) != 0x80) return 0;
  }
  if ((octets[0] == 0xe0 && octets[1] < 0xa0) ||
      (octets[0] == 0xf0 && octets[1] < 0x90) || /* overlong forms */
      (octets[0] == 0xed && octets[1] >= 0xa0) ||
      (octets[0] == 0xf4 && octets[1] >= 0x90)) { /* surrogates, beyond U+10FFFF */
    return 0;
  }
  return length;
}

size_t utf8_cut(const void *bytes, size_t size) {
  const unsigned char *octets = bytes;
  size_t last = size, length;
  while (last > 0 && size - last < 4) {
    length = measure_announced(octets[--last]);
    if (length > 0) return length > size - last ? last : size;
  }
  return size;
}
