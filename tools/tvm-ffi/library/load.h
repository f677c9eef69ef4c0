/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command in a process that has loaded the libraries named by --lib. */
#ifndef TVM_FFI_TOOL_LOAD_H_
#define TVM_FFI_TOOL_LOAD_H_

#include "base/command.h"

/* Runs the body, in a child with the libraries loaded if there are any; returns its exit code. */
int load_and_run(const arguments *args, int (*body)(const arguments *args));

#endif /* TVM_FFI_TOOL_LOAD_H_ */
