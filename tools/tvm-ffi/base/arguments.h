/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the command line of a subcommand by the subcommand's table of options. */
#ifndef TVM_FFI_TOOL_ARGUMENTS_H_
#define TVM_FFI_TOOL_ARGUMENTS_H_

#include "base/command.h"

/* `words` are those after the subcommand's name. Returns NULL after reporting what is wrong.
 * Accepts "--name=value", "--name value", "-n value", "-nvalue" and combined letters, "-ub"; '-'
 * and '_' in a name are equivalent. "--" ends the options; "-" alone is an operand, standard input,
 * allowed once. The value of an option with a choice of words must be one of them. */
arguments *arguments_parse(const command *subcommand, int num_words, char **words);
void arguments_free(arguments *args);

#endif /* TVM_FFI_TOOL_ARGUMENTS_H_ */
