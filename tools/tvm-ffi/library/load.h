/* SPDX-License-Identifier: Apache-2.0 */
/* Loading libraries into this process. */
#ifndef TVM_FFI_TOOL_LOAD_H_
#define TVM_FFI_TOOL_LOAD_H_

#include "base/command.h"

/* What a process of its own may take for it, in seconds. */
enum { kLoadSeconds = 60 };

/* Loads a library of kernels for as long as this process lives, after a process of its own could do
 * so; false when reported. */
bool load_library(const char *path);
/* Each that --lib names. */
bool load_asked(const arguments *args);

#endif /* TVM_FFI_TOOL_LOAD_H_ */
