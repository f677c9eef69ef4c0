/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a subcommand, parsed by its table. */
#ifndef TVM_FFI_TOOL_ARGUMENTS_H_
#define TVM_FFI_TOOL_ARGUMENTS_H_

#include "base/command.h"

/* `words` follow the subcommand's name. NULL after a report of what is wrong. Takes "--name=value",
 * "--name value", "-n value", "-nvalue" and letters behind each other, "-ub"; - and _ in a name are
 * the same; "--" ends the options, "-" alone is an operand, standard input, and that once. A value
 * that is to be a word is one. */
arguments *arguments_parse(const command *of, int num_words, char **words);
void arguments_free(arguments *args);

#endif /* TVM_FFI_TOOL_ARGUMENTS_H_ */
