/* SPDX-License-Identifier: Apache-2.0 */
/* Files read and written whole. */
#ifndef TVM_FFI_TOOL_FILES_H_
#define TVM_FFI_TOOL_FILES_H_

#include <stdbool.h>
#include <stddef.h>

/* All of a file ("-": stdin), with a NUL behind; NULL when reported. */
char *tool_read_file(const char *path, size_t *out_size);
/* false when reported; the file is whole or not there. "-": stdout. */
bool tool_write_file(const char *path, const void *bytes, size_t size);

#endif /* TVM_FFI_TOOL_FILES_H_ */
