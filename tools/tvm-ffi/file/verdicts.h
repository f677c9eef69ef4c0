/* SPDX-License-Identifier: Apache-2.0 */
/* The results of checking a library. */
#ifndef TVM_FFI_TOOL_VERDICTS_H_
#define TVM_FFI_TOOL_VERDICTS_H_

#include <stdbool.h>
#include <stddef.h>

typedef enum { kGood, kNote, kBad } level;

typedef struct {
  level severity;
  const char *check;
  char *symbol; /* the symbol, section or library concerned, safe to print; NULL */
  char *said;
} verdict;

typedef struct {
  const char *path;
  verdict *items;
  size_t count;
} verdicts;

/* The symbol's name is not trusted, and is made safe to print; `said` is the tool's own text
 * [take]. */
void verdicts_add(verdicts *list, level severity, const char *check, const char *symbol,
                  char *said);
/* The same with `said` [borrow]. */
void verdicts_say(verdicts *list, level severity, const char *check, const char *symbol,
                  const char *said);
bool verdicts_have_failed(const verdicts *list);
void verdicts_print(const verdicts *list);
/* Writes the JSON array "verdicts". */
void verdicts_write_json(const verdicts *list);
void verdicts_free(verdicts *list);

#endif /* TVM_FFI_TOOL_VERDICTS_H_ */
