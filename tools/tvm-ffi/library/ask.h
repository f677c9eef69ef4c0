/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a library itself for the types of its functions, in a child process. */
#ifndef TVM_FFI_TOOL_ASK_H_
#define TVM_FFI_TOOL_ASK_H_

#include "file/listing.h"

/* isolate_command() for a command that calls the functions below. */
bool ask_command(double timeout, int *exit_code);

/* Adds the library's answers to the collected functions. Returns kExitOk, or another exit code
 * after a report; then functions that got no answer have an error instead. */
int ask_library(const char *name, listing *exports, double timeout);

/* Whether a library loads, named by its path or for the system's loader to search. The exit code is
 * not kExitOk if loading it crashes or hangs, which is reported. */
int ask_to_load(const char *name, bool *out_loads);

#endif /* TVM_FFI_TOOL_ASK_H_ */
