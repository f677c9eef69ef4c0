/* SPDX-License-Identifier: Apache-2.0 */
/* What dataclasses of Python have, for any value. */
#ifndef TVMFFI_DATACLASS_DATACLASS_H_
#define TVMFFI_DATACLASS_DATACLASS_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/buf.h"
#include "reflect/builtin_objects.h"

/* ---- Comparison and hash ---- */

/*
 * Comparing and hashing values by what they hold, as dataclasses of frontends do:
 * docs/abi/objects.md#comparison-and-hash. Types may have hooks for both. Nesting does not use the
 * thread's stack.
 */

/* Sets *out to whether two views are equal. */
int tvmffi_recursive_equal(const TVMFFIAny *a, const TVMFFIAny *b, bool *out);

/* Sets *out to -1, 0 or 1. TypeError for values without an order. */
int tvmffi_recursive_compare(const TVMFFIAny *a, const TVMFFIAny *b, int *out);

/* A hash that is the same for equal values. */
int tvmffi_recursive_hash(const TVMFFIAny *value, uint64_t *out);

/* The relation of two values. kTvmffiNested: they hold other values, which decide. */
typedef enum { kTvmffiLess = -1, kTvmffiSame, kTvmffiGreater, kTvmffiNested } tvmffi_relation;

/* Readable text for values: docs/abi/objects.md#text. */

/* The text of a view as an owned str, in time linear in its length. */
int tvmffi_repr(const TVMFFIAny *value, TVMFFIAny *out);

/* Deep copies of values: docs/abi/objects.md#deep-copies. */

/*
 * An owned deep copy of a view. Objects that are shared in the value are shared in the copy, and
 * cycles are kept. Does not recurse; its memory is linear in the number of objects.
 */
int tvmffi_deep_copy(const TVMFFIAny *value, TVMFFIAny *out);

/* ---- The tables of this layer ---- */

extern const tvmffi_builtin_group tvmffi_dataclass_builtins;
extern const tvmffi_builtin_attr_group tvmffi_dataclass_attrs;

#endif /* TVMFFI_DATACLASS_DATACLASS_H_ */
