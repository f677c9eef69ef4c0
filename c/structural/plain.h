/* SPDX-License-Identifier: Apache-2.0 */
/* Structural equality and hash of values that hold no others, tensors among them. */
#ifndef TVMFFI_STRUCTURAL_PLAIN_H_
#define TVMFFI_STRUCTURAL_PLAIN_H_

#include "structural/structural.h"

/* Keys of maps that are found by what they are alone: no foreign code is asked about them. */
static inline bool tvmffi_plain_is_key(const TVMFFIAny *key) {
  return key->type_index < kTVMFFIStaticObjectBegin || key->type_index == kTVMFFIStr ||
         key->type_index == kTVMFFIBytes || key->type_index == kTVMFFIBigInt;
}

/*
 * 1 and the result in *out, 0 where both are objects of one type that may hold others, -1 with the
 * error raised: only the content of tensors in this process's memory is looked at.
 */
int tvmffi_plain_equal(const TVMFFIAny *a, const TVMFFIAny *b,
                       const tvmffi_structural_options *options, bool *out);
int tvmffi_plain_hash(const TVMFFIAny *value, const tvmffi_structural_options *options,
                      uint64_t *out);

#endif /* TVMFFI_STRUCTURAL_PLAIN_H_ */
