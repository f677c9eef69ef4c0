/* SPDX-License-Identifier: Apache-2.0 */
/* What checking a library has found. */
#ifndef TVM_FFI_TOOL_VERDICTS_H_
#define TVM_FFI_TOOL_VERDICTS_H_

#include <stdbool.h>
#include <stddef.h>

typedef enum { kGood, kNote, kBad } level;

typedef struct {
  level how;
  const char *check;
  char *symbol; /* or section, or library, that says so; shown as it is; NULL */
  char *said;
} verdict;

typedef struct {
  const char *path;
  verdict *items;
  size_t count;
} verdicts;

/* Of the symbol's name no byte is trusted; `said` is the tool's own text, which is taken. */
void verdicts_add(verdicts *to, level how, const char *check, const char *symbol, char *said);
/* The same of a text that stays. */
void verdicts_say(verdicts *to, level how, const char *check, const char *symbol, const char *said);
bool verdicts_have_failed(const verdicts *of);
void verdicts_print(const verdicts *of);
/* The array "verdicts" of an object. */
void verdicts_write_json(const verdicts *of);
void verdicts_free(verdicts *of);

#endif /* TVM_FFI_TOOL_VERDICTS_H_ */
