/* SPDX-License-Identifier: Apache-2.0 */
/* Help, man page and shell completion, all generated from the table of commands. */
#ifndef TVM_FFI_TOOL_MANUAL_H_
#define TVM_FFI_TOOL_MANUAL_H_

#include <stdio.h>

#include "base/command.h"

void manual_print_usage(FILE *stream);
void manual_print_command(const command *cmd);

/* Writes a form to stdout: "man" (a page for man(1)), "markdown" (a page for the site), or
 * completion for "bash", "zsh" or "fish". Returns the exit code. */
int manual_write(const char *form);

/* Calls `visit` with each command. */
void manual_each_command(void (*visit)(const command *));
/* Calls `visit` with each option of a command, its own before the common ones. */
void manual_each_option(const command *cmd, void (*visit)(const command *, const option *));

/* A table about the whole program: words, and what they mean. */
typedef struct {
  const char *name, *text;
} manual_entry;
typedef struct {
  const char *title;
  const manual_entry *entries;
  size_t num_entries;
} manual_section;
/* Ends with a section without a title. */
extern const manual_section kManualSections[];

/* The forms of manual_write(). */
void manual_write_man(void);
void manual_write_markdown(void);
void manual_write_bash(void);
void manual_write_zsh(void);
void manual_write_fish(void);

#endif /* TVM_FFI_TOOL_MANUAL_H_ */
