/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash of names: 64x64 to 128 bit multiply and fold, the same value on every machine. And that
 * of the ABI for texts and bytes, which clients compute too.
 */
#ifndef TVMFFI_BASE_HASH_H_
#define TVMFFI_BASE_HASH_H_

#include <stddef.h>
#include <stdint.h>

/* data may be NULL when size is 0. Not for hostile keys: there is no secret in it. */
uint64_t tvmffi_hash_bytes(const char *data, size_t size);

/* The ABI's: what keys of maps that are texts, bytes or integers of many words hash to. */
uint64_t tvmffi_hash_content(const void *data, size_t size);

#endif /* TVMFFI_BASE_HASH_H_ */
