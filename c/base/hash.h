/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash functions: one for names (64x64 to 128 bit multiply and fold), and two that the ABI
 * prescribes, for type keys and for the contents of strings and bytes, which clients compute too.
 * All give the same value on every machine.
 */
#ifndef TVMFFI_BASE_HASH_H_
#define TVMFFI_BASE_HASH_H_

#include <stddef.h>
#include <stdint.h>

/* data may be NULL when size is 0. Unkeyed, so not safe against chosen keys (hash flooding). */
uint64_t tvmffi_hash_bytes(const char *data, size_t size);

/*
 * A type's type_key_hash, prescribed by the ABI: it is part of the structural and recursive hashes
 * that clients store. It is 64-bit MurmurHash2 with the seed of libstdc++, so it equals
 * std::hash<std::string> of 64-bit Linux, but is the same value on every machine. data may be NULL
 * when size is 0.
 */
uint64_t tvmffi_hash_type_key(const char *data, size_t size);

/* The hash of map keys that are strings, bytes or multi-word integers, prescribed by the ABI. */
uint64_t tvmffi_hash_content(const void *data, size_t size);

/* Of a type's index or another hash, and of what follows it: prescribed by the ABI, too. */
static inline uint64_t tvmffi_hash_combine(uint64_t hash, uint64_t value) {
  return hash ^ (value + UINT64_C(0x9e3779b9) + (hash << 6) + (hash >> 2));
}

#endif /* TVMFFI_BASE_HASH_H_ */
