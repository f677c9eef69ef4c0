/* SPDX-License-Identifier: Apache-2.0 */
/* The parent of the child of isolate.h: waits for it, keeps its time limits, shows its progress and
 * says how it ended. */
#ifndef TVM_FFI_TOOL_SUPERVISE_H_
#define TVM_FFI_TOOL_SUPERVISE_H_

#include "process/isolate.h"

/* What has to be done before a signal ends the parent; for endings_catch(). */
void supervise_clean(void);

/* Waits for the child, which was started, and which uses the shared board. Returns the exit code,
 * after a report of how the child ended unless it returned its own code normally. */
int supervise_child(const isolation *options);

#endif /* TVM_FFI_TOOL_SUPERVISE_H_ */
