/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a command line. */
#ifndef TVM_FFI_TOOL_WORDS_H_
#define TVM_FFI_TOOL_WORDS_H_

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

#endif /* TVM_FFI_TOOL_WORDS_H_ */
