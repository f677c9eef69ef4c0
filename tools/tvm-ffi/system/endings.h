/* SPDX-License-Identifier: Apache-2.0 */
/* Signals by which others end the program, and what is cleaned up before. On Windows: Ctrl-C, and a
 * console window that is closed. One implementation per system: endings_<system>.c. */
#ifndef TVM_FFI_TOOL_ENDINGS_H_
#define TVM_FFI_TOOL_ENDINGS_H_

#include <stdbool.h>

/* Calls `clean` before such a signal ends the program, as it would without. It may do only what is
 * safe in a signal handler. On Windows the program goes on meanwhile. There is one at a time. */
void endings_catch(void (*clean)(void));
/* Undoes endings_catch(). */
void endings_leave(void);

/* Lets these signals wait until endings_release(), so that `clean` does not see what is half
 * done. */
void endings_hold(void);
void endings_release(void);

/* Makes writing fail beyond a limit of the file size, instead of ending the program; with_pipes:
 * also to a pipe whose reader has gone. */
void endings_ignore_writes(bool with_pipes);
void endings_restore_writes(void);

#endif /* TVM_FFI_TOOL_ENDINGS_H_ */
