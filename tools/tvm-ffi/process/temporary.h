/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a file, for what takes nothing else. As memory it goes with the processes that have it;
 * where that cannot be had, the parent that isolate.h speaks of takes the file away. */
#ifndef TVM_FFI_TOOL_TEMPORARY_H_
#define TVM_FFI_TOOL_TEMPORARY_H_

#include <stddef.h>

/* The name of one file a process, of free(); NULL when reported. It is memory where the system can
 * do that, else a file in TMPDIR. */
char *temporary_file(const void *bytes, size_t size);

/* Takes it away before its process ends by a signal. Safe in signal handlers. */
void temporary_remove(void);

#endif /* TVM_FFI_TOOL_TEMPORARY_H_ */
