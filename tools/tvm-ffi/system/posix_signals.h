/* SPDX-License-Identifier: Apache-2.0 */
/* What the keeper (posix_child.c) needs of the signals and the terminal, besides system.h. */
#ifndef TVM_FFI_TOOL_POSIX_SIGNALS_H_
#define TVM_FFI_TOOL_POSIX_SIGNALS_H_

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- The child's group: the child and the processes that it started ---- */

/* There is a child from now on, in a group of its own. Signals that stop this process stop the
 * group, too, and that time is added to *out_time_still, as child_fork() says. */
void child_group_begin(pid_t child, volatile uint64_t *out_time_still);
void child_group_end(void);
/* The number of the child, and of its group; 0: there is none. */
pid_t child_group_number(void);
/* Sends a signal to the child and its group; nothing if there is none. Safe in signal handlers. */
void child_group_signal(int signal_number);

/* ---- Signals ---- */

/* Lets the signals that stop this process wait. *out_before is the mask until now. */
void signals_block_stops(sigset_t *out_before);
/* In a copy of this process that began between signals_block() and signals_unblock(): all is as it
 * was before signals_catch() and signals_block(), but stops are ignored unless they were caught
 * before, those that wait are dropped, and the signal `blocked` waits. */
void signals_leave(int blocked);

/* ---- The terminal ---- */

/* Whether a terminal controls this process. */
bool terminal_is_there(void);
/* Gives the terminal to the child's group, which it has stopped, and lets that go on. In the
 * background the system stops this process, too, until it is in the foreground; false where no
 * shell can put it there. */
bool terminal_lend(void);
/* Takes the terminal for good: it is as it was, whatever the child has made of it. */
void terminal_end_lending(void);

/* Starts a process in the child's group that passes the signals of keys on to this process's group,
 * as long as the terminal is lent. It closes both ends of that pipe, so that whoever reads it still
 * finds its end when this process ends. False if it cannot be started. */
bool key_passer_start(const int *pipe_to_close);
/* Whether there is one that the child has not ended. */
bool key_passer_is_there(void);
/* Passes on what was pressed until now, and ends it; nothing if there is none. */
void key_passer_end(void);

#endif /* TVM_FFI_TOOL_POSIX_SIGNALS_H_ */
