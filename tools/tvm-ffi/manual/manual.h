/* SPDX-License-Identifier: Apache-2.0 */
/* Help, man page and shell completion, all made of the table of commands. */
#ifndef TVM_FFI_TOOL_MANUAL_H_
#define TVM_FFI_TOOL_MANUAL_H_

#include <stdio.h>

#include "base/command.h"

void manual_print_usage(FILE *to);
void manual_print_command(const command *of);

/* "man" (a page for man(1)), "bash", "zsh" or "fish" (completion) to stdout; the exit code. */
int manual_write(const char *form);

/* Calls that with each command. */
void manual_each_command(void (*visit)(const command *));
/* Calls that with each option of a command, those of all commands behind its own. */
void manual_each_option(const command *of, void (*visit)(const command *, const option *));

/* Each of the forms. */
void manual_write_man(void);
void manual_write_bash(void);
void manual_write_zsh(void);
void manual_write_fish(void);

#endif /* TVM_FFI_TOOL_MANUAL_H_ */
