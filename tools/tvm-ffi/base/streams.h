/* SPDX-License-Identifier: Apache-2.0 */
/* Where results and errors go when foreign code is in this process, which prints too, and may close
 * or redirect what it prints to. */
#ifndef TVM_FFI_TOOL_STREAMS_H_
#define TVM_FFI_TOOL_STREAMS_H_

#include <stdbool.h>
#include <stdio.h>

/* stdout and stderr, until streams_part() has been called. */
FILE *streams_results(void);
FILE *streams_errors(void);

/* Before foreign code is loaded: results and errors get descriptors of their own. What others print
 * to stdout goes on doing so, or goes to stderr; what they read is stdin, or nothing. */
void streams_part(bool others_print, bool others_read);

/* Writes what is pending of the results; streams_finish() says so if that fails. */
void streams_flush(void);
/* All results are written; the exit code, which is kExitUsage after a report that they are not. */
int streams_finish(int exit_code);

/* A copy of a descriptor, out of the way of code that closes all those it can think of; -1. */
int streams_copy_descriptor(int descriptor);

#endif /* TVM_FFI_TOOL_STREAMS_H_ */
