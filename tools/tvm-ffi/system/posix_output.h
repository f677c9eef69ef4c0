/* SPDX-License-Identifier: Apache-2.0 */
/* What the keeper (posix_child.c) needs of the pipe for what the child prints, besides system.h:
 * child_cap_output() opens it. */
#ifndef TVM_FFI_TOOL_POSIX_OUTPUT_H_
#define TVM_FFI_TOOL_POSIX_OUTPUT_H_

/* Nothing where the ends are closed already. */
void printed_close(void);
void printed_close_writer(void);

/* The end that is read, for poll(); -1: there is none. */
int printed_reader(void);
/* When it can be read: shows or drops a part, and closes it at its end. If the reader of stderr
 * takes nothing for so long, the child waits, too, and its time goes on. */
void printed_pass(int milliseconds);
/* Shows what was printed until now, as far as that is shown, and closes it. */
void printed_pass_rest(void);

#endif /* TVM_FFI_TOOL_POSIX_OUTPUT_H_ */
