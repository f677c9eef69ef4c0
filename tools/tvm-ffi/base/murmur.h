/* SPDX-License-Identifier: Apache-2.0 */
/* The hash by which a recording names the bytes of memory: MurmurHash3, x64, 128 bits, seed 0
 * (docs/guide/record_format.md#files-in-tensors). A header, because the recorder, tools/record,
 * includes it too and links nothing of the tool. */
#ifndef TVM_FFI_TOOL_MURMUR_H_
#define TVM_FFI_TOOL_MURMUR_H_

#include <stddef.h>
#include <stdint.h>

enum { kMurmurDigits = 32 };

static inline uint64_t murmur_rotate(uint64_t x, int bits) {
  return x << bits | x >> (64 - bits);
}

/* Eight bytes, the lowest first; written out, because then compilers make one load of it. */
static inline uint64_t murmur_read(const unsigned char *bytes) {
  return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
         (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
         (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

/* Fewer than eight, or all. */
static inline uint64_t murmur_read_last(const unsigned char *bytes, size_t size) {
  uint64_t value = 0;
  size_t i;
  for (i = 0; i < size && i < 8; ++i) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static inline uint64_t murmur_mix_first(uint64_t k) {
  return murmur_rotate(k * UINT64_C(0x87c37b91114253d5), 31) * UINT64_C(0x4cf5ad432745937f);
}

static inline uint64_t murmur_mix_second(uint64_t k) {
  return murmur_rotate(k * UINT64_C(0x4cf5ad432745937f), 33) * UINT64_C(0x87c37b91114253d5);
}

static inline uint64_t murmur_finish(uint64_t k) {
  k = (k ^ k >> 33) * UINT64_C(0xff51afd7ed558ccd);
  k = (k ^ k >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return k ^ k >> 33;
}

static inline void murmur_write(uint64_t h, char *out) {
  int i;
  for (i = 0; i < 16; ++i) {
    out[i] = "0123456789abcdef"[h >> (8 * (i / 2) + 4 * (1 - i % 2)) & 15];
  }
}

/* A hash of bytes that come in pieces; begins with all zeros. */
typedef struct {
  uint64_t h1, h2, size;
} murmur;

/* Every piece but the last has a multiple of 16 bytes. */
static inline void murmur_add(murmur *state, const unsigned char *pos, size_t size) {
  uint64_t h1 = state->h1, h2 = state->h2;
  state->size += size;
  for (; size >= 16; size -= 16, pos += 16) {
    h1 = murmur_rotate(h1 ^ murmur_mix_first(murmur_read(pos)), 27) + h2;
    h1 = h1 * 5 + 0x52dce729;
    h2 = murmur_rotate(h2 ^ murmur_mix_second(murmur_read(pos + 8)), 31) + h1;
    h2 = h2 * 5 + 0x38495ab5;
  }
  if (size > 8) h2 ^= murmur_mix_second(murmur_read_last(pos + 8, size - 8));
  if (size > 0) h1 ^= murmur_mix_first(murmur_read_last(pos, size));
  state->h1 = h1;
  state->h2 = h2;
}

/* Writes the digits and a NUL. */
static inline void murmur_end(const murmur *state, char out[kMurmurDigits + 1]) {
  uint64_t h1 = state->h1 ^ state->size, h2 = state->h2 ^ state->size;
  h1 += h2;
  h2 += h1;
  h1 = murmur_finish(h1);
  h2 = murmur_finish(h2);
  h1 += h2;
  h2 += h1;
  murmur_write(h1, out);
  murmur_write(h2, out + 16);
  out[kMurmurDigits] = '\0';
}

#endif /* TVM_FFI_TOOL_MURMUR_H_ */
