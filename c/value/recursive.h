/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing and hashing values by what they hold, as dataclasses of frontends do: abi/04 8.7.
 * Types may bring hooks of their own. Walks take no stack for nesting.
 */
#ifndef TVMFFI_VALUE_RECURSIVE_H_
#define TVMFFI_VALUE_RECURSIVE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* Whether two views are equal in *out. */
int tvmffi_recursive_equal(const TVMFFIAny *a, const TVMFFIAny *b, bool *out);

/* -1, 0 or 1 in *out. TypeError for values without an order. */
int tvmffi_recursive_compare(const TVMFFIAny *a, const TVMFFIAny *b, int *out);

/* What equal values have in common. */
int tvmffi_recursive_hash(const TVMFFIAny *value, uint64_t *out);

/* ---- compare_plain.c: values that hold no others ------------------------------------------------
 */

/* What plain values are to each other; the last: they hold others. */
typedef enum { kTvmffiLess = -1, kTvmffiSame, kTvmffiGreater, kTvmffiNested } tvmffi_relation;

/*
 * For equality alone (is_ordered false), anything but kTvmffiSame says that they differ. -1 with
 * the error raised for values without an order.
 */
int tvmffi_compare_plain(const TVMFFIAny *a, const TVMFFIAny *b, bool is_ordered,
                         tvmffi_relation *out);

#endif /* TVMFFI_VALUE_RECURSIVE_H_ */
