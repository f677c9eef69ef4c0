/* SPDX-License-Identifier: Apache-2.0 */
#include "library/load.h"

#include <string.h>
#include <tvm/ffi/c.h>

#include "base/text.h"
#include "library/library.h"
#include "library/library_file.h"
#include "process/isolate.h"

typedef struct {
  const arguments *args;
  int (*body)(const arguments *args);
} loading;

/* Never unloaded, since what they registered is in use. */
static library *loaded;

static int run_loaded(void *context) {
  const loading *l = context;
  size_t count = arguments_count(l->args, kOptionLib), i;
  text_buf names = {NULL, 0, 0}; /* named together if one of them crashes from now on */
  loaded = tool_alloc(count * sizeof *loaded);
  for (i = 0; i < count; ++i) {
    if (!library_open(arguments_at(l->args, kOptionLib, i), &loaded[i])) return kExitLoad;
  }
  for (i = 0; i < count; ++i) {
    text_add(&names, "%s%s", i > 0 ? ", " : "", arguments_at(l->args, kOptionLib, i));
  }
  isolate_enter(kStageOwn, names.data);
  text_free(&names);
  return l->body(l->args);
}

int load_and_run(const arguments *args, int (*body)(const arguments *args)) {
  size_t count = arguments_count(args, kOptionLib), i;
  loading l;
  isolation settings;
  int code;
  memset(&settings, 0, sizeof settings);
  if (!isolate_read_timeout(args, &settings.timeout)) return kExitUsage;
  if (count == 0) return body(args);
  if (isolate_command(&settings, &code)) return code;
  for (i = 0; i < count; ++i) {
    if (!library_file_fetch(arguments_at(args, kOptionLib, i))) return kExitLoad;
  }
  l.args = args;
  l.body = body;
  return isolate_run(run_loaded, &l, &settings);
}
