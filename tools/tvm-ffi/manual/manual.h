/* SPDX-License-Identifier: Apache-2.0 */
/* Help, man page and shell completion, all generated from the table of commands. */
#ifndef TVM_FFI_TOOL_MANUAL_H_
#define TVM_FFI_TOOL_MANUAL_H_

#include <stdio.h>

#include "commands/commands.h"

void manual_print_usage(FILE *stream);
void manual_print_command(const command *cmd);

/* Writes a form to stdout: "man" (a page for man(1)), "markdown" (a page for the site), or
 * completion for "bash", "zsh" or "fish". Returns the exit code. */
int manual_write(const char *form);

#endif /* TVM_FFI_TOOL_MANUAL_H_ */
