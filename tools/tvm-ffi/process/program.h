/* SPDX-License-Identifier: Apache-2.0 */
/* Runs other programs, such as compilers. */
#ifndef TVM_FFI_TOOL_PROGRAM_H_
#define TVM_FFI_TOOL_PROGRAM_H_

#include <stdbool.h>

#include "process/words.h"

/* Runs a program to its end. It reads nothing, and all that it prints goes to stderr. False after a
 * report about `subject`: that it cannot be run, or did not end with 0. */
bool program_run(const word_list *words, const char *subject);

#endif /* TVM_FFI_TOOL_PROGRAM_H_ */
