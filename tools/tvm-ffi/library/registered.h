/* SPDX-License-Identifier: Apache-2.0 */
/* What is registered in this process: types, and functions by name. */
#ifndef TVM_FFI_TOOL_REGISTERED_H_
#define TVM_FFI_TOOL_REGISTERED_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* The first type from this index on; NULL after the last. */
const TVMFFITypeInfo *registered_next_type(int32_t from);
int64_t registered_count_types(void);

/* These are false with the error raised. */
bool registered_count_functions(int64_t *out);
/* Names in the order of the alphabet, each of free() and the list too. */
bool registered_list_functions(char ***out_names, size_t *out_count);
/* The metadata, to be cleared; None where there is none. Nothing stays raised. */
TVMFFIAny registered_get_metadata(const char *function_name);

#endif /* TVM_FFI_TOOL_REGISTERED_H_ */
