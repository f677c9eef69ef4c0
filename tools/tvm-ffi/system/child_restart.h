/* SPDX-License-Identifier: Apache-2.0 */
/* A child that runs this program again, with the same command line and standard streams, on
 * Windows: child_windows.c. */
#ifndef TVM_FFI_TOOL_CHILD_RESTART_H_
#define TVM_FFI_TOOL_CHILD_RESTART_H_

#include <stddef.h>

/* Starts the child. Returns zeros that both processes share until they end; NULL with the reason as
 * text. */
void *child_restart(size_t shared_size, char *out_reason, size_t reason_size);

/* In such a child, the memory that it shares with its parent; NULL in other processes. Call it
 * once. From then on a crash shows no windows, and abort() ends the process as a crash does. */
void *child_find_shared(size_t shared_size);

#endif /* TVM_FFI_TOOL_CHILD_RESTART_H_ */
