/* SPDX-License-Identifier: Apache-2.0 */
#include "library/load.h"

#include <stdlib.h>
#include <string.h>

#include "library/library.h"
#include "library/library_file.h"
#include "process/isolate.h"

typedef struct {
  const arguments *args;
  int (*body)(const arguments *args);
} loading;

/* They stay loaded, for what they have registered. */
static library *loaded;

/* "a.so, b.so": whichever of them does something when nobody is asked any more. */
static char *join_names(const arguments *args) {
  char *all = tool_format("%s", arguments_at(args, "lib", 0));
  size_t count = arguments_count(args, "lib"), i;
  for (i = 1; i < count; ++i) {
    char *longer = tool_format("%s, %s", all, arguments_at(args, "lib", i));
    free(all);
    all = longer;
  }
  return all;
}

static int run_loaded(void *context) {
  const loading *l = context;
  size_t count = arguments_count(l->args, "lib"), i;
  char *all = join_names(l->args);
  loaded = tool_alloc(count * sizeof *loaded);
  for (i = 0; i < count && library_open(arguments_at(l->args, "lib", i), &loaded[i]);) ++i;
  isolate_enter(kStageOwn, all);
  free(all);
  return i < count ? kExitLoad : l->body(l->args);
}

int load_and_run(const arguments *args, int (*body)(const arguments *args)) {
  size_t count = arguments_count(args, "lib"), i;
  loading l;
  isolation how;
  memset(&how, 0, sizeof how);
  if (!isolate_read_timeout(args, &how.timeout)) return kExitUsage;
  if (count == 0) return body(args);
  for (i = 0; i < count; ++i) {
    if (!library_file_fetch(arguments_at(args, "lib", i))) return kExitLoad;
  }
  l.args = args;
  l.body = body;
  return isolate_run(run_loaded, &l, &how);
}
