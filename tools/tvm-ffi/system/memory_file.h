/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory. Where the system has them: memory_file_linux.c, else memory_file_none.c. */
#ifndef TVM_FFI_TOOL_MEMORY_FILE_H_
#define TVM_FFI_TOOL_MEMORY_FILE_H_

#include <stdbool.h>
#include <stddef.h>

enum { kMemoryFilePath = 32 };

/* Creates a file in memory, and writes its path. It disappears with the processes that have it
 * open: this one, and copies of it. False if that does not work. */
bool memory_file_create(const void *bytes, size_t size, char out_path[kMemoryFilePath]);

#endif /* TVM_FFI_TOOL_MEMORY_FILE_H_ */
