/* SPDX-License-Identifier: Apache-2.0 */
/* What the helper wants of a system beyond POSIX: limits, crashes, and the end of its host. */
#ifndef TVM_FFI_ISOLATED_HELPER_SYSTEM_H_
#define TVM_FFI_ISOLATED_HELPER_SYSTEM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "channel.h"

enum { kExitStart = 122 };
/* Says by errno what failed, and ends the helper with that code. */
void fail(const char *action);

/* Leaves the session of the host, and closes the files that it has left open. */
void leave_host(void);

/* Sets the limits that the host has asked for, or fails. In a sandbox there are more; `parts` are
 * what sandbox_get_parts() returns. */
void set_limits(const channel_header *header, bool is_in_sandbox, uint32_t parts);

/* ---- In handlers of signals ---- */

/* Private memory in bytes; 0: the system does not say. */
uint64_t read_data_size(void);
/* Lets SIGALRM come, by a call that no sanitizer wraps. */
void unblock_alarm(void);

/* ---- Output ---- */

/* Writes to the host's standard error. That nobody reads it any more is no reason to end. */
void write_to_host(const char *bytes, size_t size);

/* ---- Waiting for the end of the host and for output ---- */

/* Bits of what watch_next has seen. */
enum { kSeenHostEnd = 1, kSeenOutput = 2, kSeenClosedFile = 4 };

/* Begins to watch the files of the channel and of the output, in one thread. */
void watch_begin(void);
/* Waits; what is sent to the main thread is left to it. */
int watch_next(void);
/* The output has ended. */
void watch_end_output(void);

#endif /* TVM_FFI_ISOLATED_HELPER_SYSTEM_H_ */
