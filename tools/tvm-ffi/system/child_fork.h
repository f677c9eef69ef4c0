/* SPDX-License-Identifier: Apache-2.0 */
/* A child that is a copy of this process, on POSIX systems: child_posix.c. */
#ifndef TVM_FFI_TOOL_CHILD_FORK_H_
#define TVM_FFI_TOOL_CHILD_FORK_H_

#include <stdbool.h>

typedef enum { kForkFailed, kForkParent, kForkChild } fork_side;

/* Copies this process; kForkFailed sets errno. A child that may read from the terminal stays in the
 * terminal's foreground group, where not all processes that it starts can be killed with it.
 * Call it between endings_hold() and endings_release(), so that child_kill() never misses it. */
fork_side child_fork(bool may_read);

#endif /* TVM_FFI_TOOL_CHILD_FORK_H_ */
