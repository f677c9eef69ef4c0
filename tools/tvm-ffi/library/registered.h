/* SPDX-License-Identifier: Apache-2.0 */
/* The types and global functions registered in this process. */
#ifndef TVM_FFI_TOOL_REGISTERED_H_
#define TVM_FFI_TOOL_REGISTERED_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* The first type with this index or a higher one; NULL after the last. */
const TVMFFITypeInfo *registered_next_type(int32_t first);
int64_t registered_count_types(void);

/* These are false with the error raised. */
bool registered_count_functions(int64_t *out);
/* The sorted names; release each of them and the list with free(). */
bool registered_list_functions(char ***out_names, size_t *out_count);
/* The metadata, to be cleared; None if there is none. Leaves no error raised. */
TVMFFIAny registered_get_metadata(const char *function_name);

#endif /* TVM_FFI_TOOL_REGISTERED_H_ */
