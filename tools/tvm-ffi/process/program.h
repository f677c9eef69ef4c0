/* SPDX-License-Identifier: Apache-2.0 */
/* Runs other programs, such as compilers, by the words of their command lines. */
#ifndef TVM_FFI_TOOL_PROGRAM_H_
#define TVM_FFI_TOOL_PROGRAM_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char **items; /* ends with NULL once something was added */
  size_t size;
} word_list;

void words_add(word_list *words, const char *word);
/* Adds the words of a text: separated by blanks, those with blanks between ' or " or after \. On
 * Windows, where paths have \, it stands for itself except before a ". */
void words_add_text(word_list *words, const char *line);
void words_free(word_list *words);

/* Runs a program to its end. It reads nothing, and all that it prints goes to stderr. False after a
 * report about `subject`: that it cannot be run, or did not end with 0. */
bool program_run(const word_list *words, const char *subject);

#endif /* TVM_FFI_TOOL_PROGRAM_H_ */
