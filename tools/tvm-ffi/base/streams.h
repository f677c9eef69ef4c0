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

/* Undoes streams_part(): call streams_keep() before that, and streams_join() with what it wrote. */
typedef struct {
  int input, output;
} stream_copies;
void streams_keep(stream_copies *out);
void streams_join(const stream_copies *kept);

/* Flushes the results; a failure is reported by streams_finish(). */
void streams_flush(void);
/* Flushes the results for the last time. Returns `exit_code`, or kExitUsage after a report if that
 * is kExitOk and results were lost. */
int streams_finish(int exit_code);

#endif /* TVM_FFI_TOOL_STREAMS_H_ */
