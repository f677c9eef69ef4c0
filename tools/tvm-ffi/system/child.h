/* SPDX-License-Identifier: Apache-2.0 */
/* The child process, in which foreign code runs. There is one at a time. It is made by
 * child_fork.h or child_restart.h, and does not outlive this process, nor do the processes that it
 * started, as far as the system can do that. One implementation per system: child_<system>.c. */
#ifndef TVM_FFI_TOOL_CHILD_H_
#define TVM_FFI_TOOL_CHILD_H_

/* ---- In the parent ---- */

typedef enum { kChildRuns, kChildStopped, kChildExited, kChildCrashed } child_state;

/* How it is with the child. *out_code is its exit code, or the number of its crash. Once it has
 * ended, do not look again. */
child_state child_look(int *out_code);
/* Waits until the child ends, but not longer than that. */
void child_nap(int milliseconds);
/* Kills it, with the processes that it started; nothing if there is none. Safe in handlers of
 * endings.h. */
void child_kill(void);
/* After its end: kills the processes that it left behind. */
void child_forget(void);

/* What a crash is in words: "Segmentation fault"; lent until the next call. */
const char *child_crash_name(int code);
/* Ends this process in the same way if that was no crash: nobody reads the output any more, or
 * Ctrl-C was pressed. */
void child_end_alike(int code);

/* ---- In the child ---- */

/* Ends a copy of the child that foreign code made: it returns from that code as well, and must not
 * go on. */
void child_end_strays(int exit_code);
/* Ends this process at once, without the destructors of libraries. */
void child_exit(int exit_code);

#endif /* TVM_FFI_TOOL_CHILD_H_ */
