/* SPDX-License-Identifier: Apache-2.0 */
/* Deep copies of values: docs/abi/objects.md#deep-copies. */
#ifndef TVMFFI_DATACLASS_DEEP_COPY_H_
#define TVMFFI_DATACLASS_DEEP_COPY_H_

#include <tvm/ffi/c_api.h>

/*
 * An owned deep copy of a view. Objects that are shared in the value are shared in the copy, and
 * cycles are kept. Does not recurse; its memory is linear in the number of objects.
 */
int tvmffi_deep_copy(const TVMFFIAny *value, TVMFFIAny *out);

#endif /* TVMFFI_DATACLASS_DEEP_COPY_H_ */
