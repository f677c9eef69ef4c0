/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a process that has loaded the libraries that --lib names. */
#ifndef TVM_FFI_TOOL_LOAD_H_
#define TVM_FFI_TOOL_LOAD_H_

#include "base/command.h"

/* The body's exit code: in a child, with the libraries loaded, where there are any. */
int load_and_run(const arguments *args, int (*body)(const arguments *args));

#endif /* TVM_FFI_TOOL_LOAD_H_ */
