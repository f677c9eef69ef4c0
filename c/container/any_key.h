/* SPDX-License-Identifier: Apache-2.0 */
/* Hash and equality of owned values, as inline code of clients computes them too. */
#ifndef TVMFFI_CONTAINER_ANY_KEY_H_
#define TVMFFI_CONTAINER_ANY_KEY_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

uint64_t tvmffi_any_key_hash(const TVMFFIAny *key);
bool tvmffi_any_key_equal(const TVMFFIAny *a, const TVMFFIAny *b);

#endif /* TVMFFI_CONTAINER_ANY_KEY_H_ */
