/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include "support/check.h"

/* The same source compiled again, as on machines without a 128-bit product. */
uint64_t hash_in_64_bits(const char *data, size_t size);
uint64_t type_key_in_64_bits(const char *data, size_t size);
uint64_t content_in_64_bits(const void *data, size_t size);
#undef __SIZEOF_INT128__
#define tvmffi_hash_bytes hash_in_64_bits
#define tvmffi_hash_type_key type_key_in_64_bits
#define tvmffi_hash_content content_in_64_bits
#include "base/hash.c"
#undef tvmffi_hash_bytes
#undef tvmffi_hash_type_key
#undef tvmffi_hash_content

enum { kMaxSize = 64 };

static void fill(char *data) {
  int i;
  for (i = 0; i < kMaxSize; ++i) data[i] = (char)((i * 37 + 11) & 255);
}

/* If the hash is changed on purpose, take the new numbers from a 64-bit machine. */
TEST(test_the_same_value_on_every_machine) {
  static const struct {
    size_t size;
    uint64_t hash;
  } kKnown[] = {
      {0, UINT64_C(0x0000000000000000)},  {1, UINT64_C(0x473a65f0948cb538)},
      {3, UINT64_C(0x814f0d5485128c01)},  {4, UINT64_C(0x50a7be9267d31de9)},
      {7, UINT64_C(0xd02d2f4920edd2cd)},  {8, UINT64_C(0xc8ca9928813f63fe)},
      {9, UINT64_C(0xb83653f2f65e4bfc)},  {16, UINT64_C(0xf05e638b0c01fba3)},
      {17, UINT64_C(0x0205c56fdcd5c021)}, {24, UINT64_C(0x52641ca11a8e8993)},
      {25, UINT64_C(0x296854e22ad3ca09)}, {33, UINT64_C(0x9cb0a1babeb91ba1)},
      {64, UINT64_C(0xcd9ca3b91ac8532d)},
  };
  char data[kMaxSize];
  size_t i;
  fill(data);
  for (i = 0; i < sizeof kKnown / sizeof kKnown[0]; ++i) {
    assert_true(tvmffi_hash_bytes(data, kKnown[i].size) == kKnown[i].hash);
    assert_true(hash_in_64_bits(data, kKnown[i].size) == kKnown[i].hash);
  }
}

TEST(test_every_bit_counts) {
  char data[kMaxSize];
  size_t size, bit;
  fill(data);
  for (size = 1; size <= kMaxSize; ++size) {
    uint64_t hash = tvmffi_hash_bytes(data, size);
    for (bit = 0; bit < size * 8; ++bit) {
      data[bit / 8] = (char)(data[bit / 8] ^ (1 << bit % 8));
      assert_true(tvmffi_hash_bytes(data, size) != hash);
      data[bit / 8] = (char)(data[bit / 8] ^ (1 << bit % 8));
    }
    assert_true(tvmffi_hash_bytes(data, size) == hash);
  }
}

TEST(test_the_size_counts) {
  static const char zeros[kMaxSize];
  size_t a, b;
  for (a = 0; a <= kMaxSize; ++a) {
    for (b = 0; b < a; ++b) {
      assert_true(tvmffi_hash_bytes(zeros, a) != tvmffi_hash_bytes(zeros, b));
    }
  }
}

TEST(test_F_19_no_data_when_size_is_zero) {
  assert_true(tvmffi_hash_bytes(NULL, 0) == tvmffi_hash_bytes("", 0));
}

/* Blocks of exactly the size, at any alignment, so that memory checkers see reads past the end. */
TEST(test_reads_the_key_and_nothing_else) {
  char data[kMaxSize];
  size_t size, offset;
  fill(data);
  for (size = 1; size <= kMaxSize; ++size) {
    for (offset = 0; offset < 8; ++offset) {
      char *block = malloc(offset + size);
      assert_non_null(block);
      memcpy(block + offset, data, size);
      assert_true(tvmffi_hash_bytes(block + offset, size) == tvmffi_hash_bytes(data, size));
      free(block);
    }
  }
}

/* Similar names must not collide in a table that uses the lowest bits of the hash. */
TEST(test_names_spread) {
  enum { kBuckets = 1024, kPerBucket = 16 };
  static int buckets[kBuckets];
  int i, fullest = 0;
  for (i = 0; i < kBuckets * kPerBucket; ++i) {
    char name[32];
    int size = snprintf(name, sizeof name, "ffi.function_%d", i);
    int *bucket = &buckets[tvmffi_hash_bytes(name, (size_t)size) % kBuckets];
    if (++*bucket > fullest) fullest = *bucket;
  }
  assert_in_range(fullest, kPerBucket, 3 * kPerBucket);
}

/* Type keys have the hash of std::hash of libstdc++ with a 64-bit size_t, on every machine. */
TEST(test_type_keys) {
  static const struct {
    const char *key;
    uint64_t hash;
  } kKeys[] = {
      {"", UINT64_C(0x553e93901e462a6e)},
      {"a", UINT64_C(0x454ddee488c1ed6b)},
      {"ffi.Map", UINT64_C(0x66acedc0a716b876)},
      {"ffi.Array", UINT64_C(0x811300c104284401)},
      {"ffi.Function", UINT64_C(0xb3b21b94552cae3d)},
      {"ffi.reflection.AccessPath", UINT64_C(0xfb8603ce4a2bd6e1)},
  };
  /* Hashes of the first i bytes of data. */
  static const uint64_t kBySize[] = {
      UINT64_C(0x553e93901e462a6e), UINT64_C(0x5c80a99b56e3dd25), UINT64_C(0xf7ae8865a2b86037),
      UINT64_C(0x4421a2d007dd66af), UINT64_C(0xa520ae05a33beb39), UINT64_C(0xd25521f0cd8cc670),
      UINT64_C(0x3212c28a7531ff32), UINT64_C(0xad5cb946bda9c11e), UINT64_C(0x578bf262b7f63af1),
      UINT64_C(0xce88faec79713950), UINT64_C(0xf5cd6b7eae010abd), UINT64_C(0xa75c1bd8f0e071a4),
      UINT64_C(0x43a7b58b68f2f97f), UINT64_C(0x5069146c1ea1956c), UINT64_C(0xd659852633a2470d),
      UINT64_C(0x0f74917226d365be), UINT64_C(0x3253e7c1036d3b29), UINT64_C(0xb478d4b7a37e64e7),
      UINT64_C(0x78e49059c4b70ede), UINT64_C(0x7ff4cd569cbaae03), UINT64_C(0xb38276503bb7cd0a),
      UINT64_C(0xf2edb3b888d3b46b), UINT64_C(0xcb6aed420b789663), UINT64_C(0x680e51c1e4c196cd),
      UINT64_C(0x2085be0eb19ce4fb), UINT64_C(0x1157a1008e32033f), UINT64_C(0x0606dbc6b115010a),
      UINT64_C(0x36736e13159930c5), UINT64_C(0x663a8702926f7f62), UINT64_C(0x47f61abf032dcaae),
      UINT64_C(0x73b2948d28043229), UINT64_C(0x5a0b07058fb1b746), UINT64_C(0xf8b0ebb17889e597),
      UINT64_C(0xfd3aeb4592e57049), UINT64_C(0xf6e9c763d67a577f), UINT64_C(0x9fc404d8ca3606c2),
      UINT64_C(0x8d885d1589fea1a9), UINT64_C(0x73500f755947e540), UINT64_C(0x107a3b81d87ecdd6),
      UINT64_C(0x038a4e64e40afb96), UINT64_C(0x85e41be36aa76344),
  };
  char data[kMaxSize];
  size_t i;
  for (i = 0; i < sizeof kKeys / sizeof kKeys[0]; ++i) {
    assert_true(tvmffi_hash_type_key(kKeys[i].key, strlen(kKeys[i].key)) == kKeys[i].hash);
  }
  fill(data);
  for (i = 0; i < sizeof kBySize / sizeof kBySize[0]; ++i) {
    char *block = malloc(1 + i); /* memory checkers see reads past the end */
    assert_non_null(block);
    memcpy(block + 1, data, i);
    assert_true(tvmffi_hash_type_key(block + 1, i) == kBySize[i]);
    assert_true(type_key_in_64_bits(block + 1, i) == kBySize[i]);
    free(block);
  }
  assert_true(tvmffi_hash_type_key(NULL, 0) == kBySize[0]);
}

/* The ABI's content hash, from its definition: little-endian chunks of 8 bytes, modulo a prime. */
TEST(test_content) {
  char data[kMaxSize];
  size_t size, i, k;
  fill(data);
  for (size = 0; size <= kMaxSize; ++size) {
    uint64_t expected = 0;
    for (i = 0; i < size; i += 8) {
      uint64_t chunk = 0;
      for (k = i; k < size && k < i + 8; ++k) {
        chunk += (uint64_t)(unsigned char)data[k] << 8 * (k - i);
      }
      expected = (expected * UINT64_C(1099511628211) + chunk) % UINT64_C(2147483647);
    }
    assert_true(tvmffi_hash_content(data, size) == expected);
    assert_true(content_in_64_bits(data, size) == expected);
  }
  assert_true(tvmffi_hash_content(NULL, 0) == 0);
}

RUN_TESTS({
    cmocka_unit_test(test_the_same_value_on_every_machine),
    cmocka_unit_test(test_every_bit_counts),
    cmocka_unit_test(test_the_size_counts),
    cmocka_unit_test(test_F_19_no_data_when_size_is_zero),
    cmocka_unit_test(test_reads_the_key_and_nothing_else),
    cmocka_unit_test(test_names_spread),
    cmocka_unit_test(test_type_keys),
    cmocka_unit_test(test_content),
})
