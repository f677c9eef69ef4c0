/* SPDX-License-Identifier: Apache-2.0 */
/* Names of data types, as IREE writes them ("f32", "bf16", "f8e4m3fn") and as DLPack's users do
 * ("float32"). */
#ifndef TVM_FFI_TOOL_DTYPE_TEXT_H_
#define TVM_FFI_TOOL_DTYPE_TEXT_H_

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>

/* Of either kind, with lanes behind ("f32x4"); false for what is none, with nothing raised. */
bool dtype_read(const char *name, size_t size, DLDataType *out);

enum { kDtypeTextSize = 64 };
/* IREE's name, or "bool", or where there is neither DLPack's; `buffer` of that size is returned. */
char *dtype_write(DLDataType dtype, char *buffer);

#endif /* TVM_FFI_TOOL_DTYPE_TEXT_H_ */
