/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8 (RFC 3629). The tool, the recorder and isolated modules use this too. */
#ifndef TVMFFI_BASE_UTF8_H_
#define TVMFFI_BASE_UTF8_H_

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* A digit of ASCII, whatever the locale. */
static inline bool tvmffi_is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* The length of a character by its first byte, which may be none. */
static inline size_t tvmffi_utf8_announced(unsigned char first) {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* The length of the character that the bytes begin with; 0 if they begin with none. */
static inline size_t tvmffi_utf8_measure(const void *bytes, size_t size) {
  const unsigned char *octets = (const unsigned char *)bytes;
  const unsigned char first = octets[0];
  const size_t length = tvmffi_utf8_announced(first);
  size_t i;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || length > size) return 0;
  for (i = 1; i < length; ++i) {
    if ((octets[i] & 0xc0) != 0x80) return 0;
  }
  /* Longer than need be; surrogates; beyond U+10FFFF. */
  if (first == 0xe0 && octets[1] < 0xa0) return 0;
  if (first == 0xed && octets[1] >= 0xa0) return 0;
  if (first == 0xf0 && octets[1] < 0x90) return 0;
  if (first == 0xf4 && octets[1] >= 0x90) return 0;
  return length;
}

static inline bool tvmffi_utf8_is_valid(const void *bytes, size_t size) {
  const char *text = (const char *)bytes;
  size_t i = 0, length;
  for (; i < size; i += length) {
    length = tvmffi_utf8_measure(text + i, size - i);
    if (length == 0) return false;
  }
  return true;
}

/* The size of the first `size` bytes of a longer text without a character that is cut off there. */
static inline size_t tvmffi_utf8_cut(const void *bytes, size_t size) {
  const unsigned char *octets = (const unsigned char *)bytes;
  size_t last = size;
  while (last > 0 && size - last < 4) {
    const unsigned char c = octets[--last];
    if ((c & 0xc0) != 0x80) return tvmffi_utf8_announced(c) > size - last ? last : size;
  }
  return size;
}

/*
 * A size as the precision of `%.*s`, which is an int: a longer text is cut. Of a size that an int
 * does not hold, a conversion would make a negative precision, which is none.
 */
static inline int tvmffi_shown_size(size_t size) {
  const size_t most = INT_MAX / 4; /* several fit into what vsnprintf can count */
  return (int)(size < most ? size : most);
}

#endif /* TVMFFI_BASE_UTF8_H_ */
