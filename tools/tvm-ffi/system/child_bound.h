/* SPDX-License-Identifier: Apache-2.0 */
/* For child_posix.c. Where the system can bind a process to its parent: child_bound_linux.c, else
 * child_bound_none.c. */
#ifndef TVM_FFI_TOOL_CHILD_BOUND_H_
#define TVM_FFI_TOOL_CHILD_BOUND_H_

/* From now on, this process is killed when its parent ends in any way. */
void child_die_with_parent(void);

#endif /* TVM_FFI_TOOL_CHILD_BOUND_H_ */
