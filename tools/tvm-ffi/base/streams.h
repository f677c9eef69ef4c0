/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps results and errors apart from foreign code in this process, which prints too, and may close
 * or redirect stdout and stderr. */
#ifndef TVM_FFI_TOOL_STREAMS_H_
#define TVM_FFI_TOOL_STREAMS_H_

#include <stdbool.h>
#include <stdio.h>

/* stdout and stderr, until streams_part() has been called. */
FILE *streams_results(void);
FILE *streams_errors(void);

/* Call before foreign code is loaded: gives results and errors descriptors of their own. What
 * others print to stdout still goes there, or to stderr; what they read is stdin, or empty. */
void streams_part(bool others_print, bool others_read);

/* Flushes the results; a failure is reported by streams_finish(). */
void streams_flush(void);
/* Flushes the results for the last time. Returns `exit_code`, or kExitUsage after a report if that
 * is kExitOk and results were lost. */
int streams_finish(int exit_code);

/* Duplicates a descriptor to a high number, which code that closes every low one is unlikely to
 * hit; -1. */
int streams_copy_descriptor(int descriptor);

#endif /* TVM_FFI_TOOL_STREAMS_H_ */
