/* SPDX-License-Identifier: Apache-2.0 */
/* The command line that a program of Windows gets as one text, and takes apart itself. */
#ifndef TVM_FFI_TOOL_COMMAND_LINE_H_
#define TVM_FFI_TOOL_COMMAND_LINE_H_

/* The text that CommandLineToArgvW and the C libraries take apart into these words, which end with
 * NULL. The first one, the program, has no ". Release with free(); NULL if memory runs out. */
char *command_line_write(char *const *words);

#endif /* TVM_FFI_TOOL_COMMAND_LINE_H_ */
