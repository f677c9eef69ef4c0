/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of all built-in functions. */
#ifndef TESTS_C_BUILTINS_SUPPORT_H_
#define TESTS_C_BUILTINS_SUPPORT_H_

#include <stddef.h>
#include <string.h>

#include "c/builtin_table.h"
#include "core/builtins.h"

/* Returns the function's row in kBuiltins, or -1 if there is none. */
static inline int find_row(const char *name) {
  int row;
  for (row = 0; row < kNumBuiltins; ++row) {
    if (strcmp(kBuiltins[row].name, name) == 0) return row;
  }
  return -1;
}

/* Calls check(row) for every function that this build has. */
static inline void for_each(void (*check)(int row)) {
  const tvmffi_builtin_group *group;
  size_t number, i;
  for (number = 0; (group = tvmffi_parts_functions(number)) != NULL; ++number) {
    const char *texts = group->texts;
    for (i = 0; i < group->count; ++i) {
      tvmffi_builtin builtin;
      int row;
      texts = tvmffi_builtin_read(texts, &builtin);
      row = find_row(builtin.name);
      if (row >= 0) check(row);
    }
  }
}

#endif /* TESTS_C_BUILTINS_SUPPORT_H_ */
