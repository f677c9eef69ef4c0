/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural equality (equal_plain.c) and hash (hash_plain.c) of values that hold no others,
 * including tensors.
 */
#ifndef TVMFFI_STRUCTURAL_PLAIN_H_
#define TVMFFI_STRUCTURAL_PLAIN_H_

#include "structural/structural.h"

/* Keys of maps that are found by their content alone, without running foreign code. */
static inline bool tvmffi_plain_is_key(const TVMFFIAny *key) {
  return key->type_index < kTVMFFIStaticObjectBegin || key->type_index == kTVMFFIStr ||
         key->type_index == kTVMFFIBytes || key->type_index == kTVMFFIBigInt;
}

/*
 * 1 and the result in *out, 0 for objects (of one type) that may hold others, or -1 with the error
 * raised: the content of a tensor is only accessible if it is on the CPU and contiguous.
 */
int tvmffi_plain_equal(const TVMFFIAny *a, const TVMFFIAny *b,
                       const tvmffi_structural_options *options, bool *out);
int tvmffi_plain_hash(const TVMFFIAny *value, const tvmffi_structural_options *options,
                      uint64_t *out);

/* All NaNs are equal, whatever their bits. */
static inline bool tvmffi_plain_is_nan(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIFloat && value->v_float64 != value->v_float64;
}

/* The content of texts, bytes and integers of any size; false for other values. */
bool tvmffi_plain_get_content(const TVMFFIAny *value, TVMFFIByteArray *out);

/* InternalError, which contains the verb, unless the tensor is contiguous and on the CPU. */
int tvmffi_plain_get_tensor_content(const DLTensor *tensor, const char *verb, TVMFFIByteArray *out);

#endif /* TVMFFI_STRUCTURAL_PLAIN_H_ */
