/* SPDX-License-Identifier: Apache-2.0 */
/* The types and global functions registered in this process, after loading the libraries of --lib.
 */
#ifndef TVM_FFI_TOOL_REGISTERED_H_
#define TVM_FFI_TOOL_REGISTERED_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/command.h"

/* ---- Loading ---- */

/* Runs the body: if there are libraries, in a child with all of them loaded. Returns its exit
 * code. */
int registered_load(text_list libraries, double timeout, int (*body)(void *context), void *context);

/* ---- What is registered ---- */

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
