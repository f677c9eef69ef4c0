/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include "base/integers.h"

/* Odd 64-bit constants without structure: the fractions of the square roots of 2, 3 and 5. */
static const uint64_t kFirst = UINT64_C(0x6a09e667f3bcc909);
static const uint64_t kSecond = UINT64_C(0xbb67ae8584caa73b);
static const uint64_t kThird = UINT64_C(0x3c6ef372fe94f82b);

static uint64_t multiply_fold(uint64_t a, uint64_t b) {
  return tvmffi_multiply_high(a, b) ^ (a * b);
}

/* The last 1 to 8 bytes of a key, zero-extended. */
static uint64_t load_tail(const unsigned char *p, size_t n) {
  uint64_t value = 0;
  size_t i;
  for (i = 0; i < n; ++i) value |= (uint64_t)p[i] << (8 * i);
  return value;
}

uint64_t tvmffi_hash_bytes(const char *data, size_t size) {
  const unsigned char *p = (const unsigned char *)data;
  uint64_t state = kFirst ^ (uint64_t)size;
  size_t left = size;
  if (size >= 8) {
    for (; left > 16; left -= 16, p += 16) {
      state = multiply_fold(tvmffi_load_le64(p) ^ kSecond, tvmffi_load_le64(p + 8) ^ state);
    }
    if (left > 8) {
      /* The last 16 bytes; they overlap bytes that are hashed already. */
      if (size >= 16) {
        const unsigned char *end = p + left - 16;
        state = multiply_fold(tvmffi_load_le64(end) ^ kThird, tvmffi_load_le64(end + 8) ^ state);
      } else {
        state = multiply_fold(tvmffi_load_le64(p) ^ kThird, tvmffi_load_le64(p + left - 8) ^ state);
      }
    } else {
      state = multiply_fold(tvmffi_load_le64(p + left - 8) ^ kThird, state ^ kSecond);
    }
  } else if (size >= 4) {
    uint64_t low = load_tail(p, 4), high = load_tail(p + size - 4, 4);
    state = multiply_fold((low | (high << 32)) ^ kThird, state ^ kSecond);
  } else if (size != 0) {
    state = multiply_fold(load_tail(p, size) ^ kThird, state ^ kSecond);
  }
  return multiply_fold(state ^ kFirst, kSecond);
}

static uint64_t xor_high_bits(uint64_t value) {
  return value ^ value >> 47;
}

uint64_t tvmffi_hash_type_key(const char *data, size_t size) {
  static const uint64_t kSeed = UINT64_C(0xc70f6907), kFactor = UINT64_C(0xc6a4a7935bd1e995);
  const unsigned char *p = (const unsigned char *)data;
  uint64_t hash = kSeed ^ (uint64_t)size * kFactor;
  for (; size >= 8; size -= 8, p += 8) {
    hash = (hash ^ xor_high_bits(tvmffi_load_le64(p) * kFactor) * kFactor) * kFactor;
  }
  if (size != 0) hash = (hash ^ load_tail(p, size)) * kFactor;
  return xor_high_bits(xor_high_bits(hash) * kFactor);
}

uint64_t tvmffi_hash_content(const void *data, size_t size) {
  const unsigned char *p = (const unsigned char *)data;
  uint64_t hash = 0;
  for (; size >= 8; size -= 8, p += 8) {
    hash = (hash * UINT64_C(1099511628211) + tvmffi_load_le64(p)) % UINT64_C(2147483647);
  }
  if (size != 0) {
    hash = (hash * UINT64_C(1099511628211) + load_tail(p, size)) % UINT64_C(2147483647);
  }
  return hash;
}
