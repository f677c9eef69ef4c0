/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash of names: 64x64 to 128 bit multiply and fold, the same value on every machine. And two
 * of the ABI: that of type keys, and that of texts and bytes, which clients compute too.
 */
#ifndef TVMFFI_BASE_HASH_H_
#define TVMFFI_BASE_HASH_H_

#include <stddef.h>
#include <stdint.h>

/* data may be NULL when size is 0. Not for hostile keys: there is no secret in it. */
uint64_t tvmffi_hash_bytes(const char *data, size_t size);

/*
 * The ABI's: a type's type_key_hash, which is in the structural and recursive hashes that clients
 * store. It is 64-bit MurmurHash2 with the seed of libstdc++, so it equals std::hash<std::string>
 * of 64-bit Linux, but is the same value on every machine. data may be NULL when size is 0.
 */
uint64_t tvmffi_hash_type_key(const char *data, size_t size);

/* The ABI's: what keys of maps that are texts, bytes or integers of many words hash to. */
uint64_t tvmffi_hash_content(const void *data, size_t size);

#endif /* TVMFFI_BASE_HASH_H_ */
