/* SPDX-License-Identifier: Apache-2.0 */
/* String and Bytes objects. */
#ifndef TVMFFI_CORE_STRING_OBJECT_H_
#define TVMFFI_CORE_STRING_OBJECT_H_

#include <tvm/ffi/c_api.h>

/* The number of text bytes that fit into a value; the eighth byte stays NUL. */
enum { kTvmffiMaxSmallText = 7 };

/* A heap object of kTVMFFIStr or kTVMFFIBytes, whatever the length; NULL with MemoryError. */
TVMFFIObject *tvmffi_string_new(int32_t type_index, const char *data, size_t size);

/* An owned text value, small where it fits. */
int tvmffi_string_to_any(const char *data, size_t size, TVMFFIAny *out);

#endif /* TVMFFI_CORE_STRING_OBJECT_H_ */
