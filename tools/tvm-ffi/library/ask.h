/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a library itself what its functions take, in a process of its own. */
#ifndef TVM_FFI_TOOL_ASK_H_
#define TVM_FFI_TOOL_ASK_H_

#include "file/listing.h"

/* Adds what the library says of the functions that were collected. kExitOk, or what came of it,
 * reported: then those that it had no time to answer for have that as what is wrong. */
int ask_library(const char *name, listing *of, double timeout);

/* Whether a library loads that is named by its place, or for the system's loader to find. An exit
 * code other than kExitOk where it does harm, which is reported. */
int ask_to_load(const char *name, bool *out_loads);

#endif /* TVM_FFI_TOOL_ASK_H_ */
