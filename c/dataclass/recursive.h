/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing and hashing values by what they hold, as dataclasses of frontends do:
 * docs/abi/objects.md#comparison-and-hash. Types may have hooks for both. Nesting does not use the
 * thread's stack.
 */
#ifndef TVMFFI_DATACLASS_RECURSIVE_H_
#define TVMFFI_DATACLASS_RECURSIVE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* Sets *out to whether two views are equal. */
int tvmffi_recursive_equal(const TVMFFIAny *a, const TVMFFIAny *b, bool *out);

/* Sets *out to -1, 0 or 1. TypeError for values without an order. */
int tvmffi_recursive_compare(const TVMFFIAny *a, const TVMFFIAny *b, int *out);

/* A hash that is the same for equal values. */
int tvmffi_recursive_hash(const TVMFFIAny *value, uint64_t *out);

/* ---- compare_plain.c: values that hold no others ---- */

/* The relation of two values. kTvmffiNested: they hold other values, which decide. */
typedef enum { kTvmffiLess = -1, kTvmffiSame, kTvmffiGreater, kTvmffiNested } tvmffi_relation;

/*
 * With is_ordered false, everything but kTvmffiSame means "different". -1 with the error raised for
 * values without an order.
 */
int tvmffi_compare_plain(const TVMFFIAny *a, const TVMFFIAny *b, bool is_ordered,
                         tvmffi_relation *out);

#endif /* TVMFFI_DATACLASS_RECURSIVE_H_ */
