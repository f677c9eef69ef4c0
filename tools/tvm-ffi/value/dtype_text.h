/* SPDX-License-Identifier: Apache-2.0 */
/* Names of data types, as IREE writes them ("f32", "bf16", "f8e4m3fn") and as DLPack's users do
 * ("float32"). */
#ifndef TVM_FFI_TOOL_DTYPE_TEXT_H_
#define TVM_FFI_TOOL_DTYPE_TEXT_H_

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>

/* Parses a name of either kind, optionally with lanes ("f32x4"); false if it is none, with no error
 * raised. */
bool dtype_read(const char *name, size_t size, DLDataType *out);

enum { kDtypeTextSize = 64 };
/* Writes IREE's name, or "bool", or DLPack's name if there is neither, to a buffer of that size,
 * and returns it. */
char *dtype_write(DLDataType dtype, char *buffer);

#endif /* TVM_FFI_TOOL_DTYPE_TEXT_H_ */
