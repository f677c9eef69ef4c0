/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of values with all that they hold: abi/04 8.5. */
#ifndef TVMFFI_VALUE_DEEP_COPY_H_
#define TVMFFI_VALUE_DEEP_COPY_H_

#include <tvm/ffi/c_api.h>

/*
 * A copy of a view, owned. What is shared in it is shared in the copy, cycles included. Walks
 * without the thread's stack, in memory linear in the number of objects.
 */
int tvmffi_deep_copy(const TVMFFIAny *value, TVMFFIAny *out);

#endif /* TVMFFI_VALUE_DEEP_COPY_H_ */
