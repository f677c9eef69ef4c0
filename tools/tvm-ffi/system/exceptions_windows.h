/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions of Windows: what ended a process, in place of signals. */
#ifndef TVM_FFI_TOOL_EXCEPTIONS_WINDOWS_H_
#define TVM_FFI_TOOL_EXCEPTIONS_WINDOWS_H_

#include <stdbool.h>
#include <stdint.h>

/* Whether a process with this exit code was ended by an exception. */
bool exception_is_code(uint32_t code);
/* "access violation"; lent until the next call. */
const char *exception_name(uint32_t code);

#endif /* TVM_FFI_TOOL_EXCEPTIONS_WINDOWS_H_ */
