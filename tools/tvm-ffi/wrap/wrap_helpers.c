/* SPDX-License-Identifier: Apache-2.0 */
/* Copies functions of wrap_runtime.h into files that use them. */
#include <stdlib.h>
#include <string.h>

#include "base/identifier.h"
#include "wrap/wrap.h"

static const char kPrefix[] = "wrap_";

/* A function of the runtime, with the comment above it. */
typedef struct {
  const char *const *lines;
  size_t num_lines;
  char *name;
  bool is_used;
} helper;

/* The name of a function that begins in this line; NULL. */
static char *find_name(const char *line) {
  const char *begin =
      strncmp(line, "static ", strlen("static ")) == 0 ? strstr(line, kPrefix) : NULL;
  size_t size = 0;
  if (begin == NULL) return NULL;
  while (identifier_has(begin[size])) ++size;
  return tool_copy(begin, size);
}

static helper read_helper(const char *const *lines) {
  helper found;
  found.lines = lines;
  found.name = NULL;
  found.is_used = false;
  for (found.num_lines = 0; lines[found.num_lines] != NULL && *lines[found.num_lines] != '\0';
       ++found.num_lines) {
    if (found.name == NULL) found.name = find_name(lines[found.num_lines]);
  }
  return found;
}

static bool is_used_by(const helper *user, const char *name) {
  size_t i;
  for (i = 0; user->is_used && i < user->num_lines; ++i) {
    if (strstr(user->lines[i], name) != NULL) return true;
  }
  return false;
}

void wrap_write_helpers(text *out, const char *kernels) {
  enum { kMaxHelpers = 16 };
  helper helpers[kMaxHelpers];
  const char *const *lines = kWrapRuntime;
  size_t count = 0, i, k;
  while (*lines != NULL) {
    helpers[count] = read_helper(lines);
    lines += helpers[count].num_lines;
    if (helpers[count].name != NULL) ++count; /* the first lines are about the file */
    if (*lines != NULL) ++lines;
  }
  for (i = count; i-- > 0;) { /* a function uses earlier ones only */
    helpers[i].is_used = strstr(kernels, helpers[i].name) != NULL;
    for (k = i + 1; k < count; ++k) {
      if (is_used_by(&helpers[k], helpers[i].name)) helpers[i].is_used = true;
    }
  }
  for (i = 0; i < count; ++i) {
    if (helpers[i].is_used) text_add(out, "\n");
    for (k = 0; helpers[i].is_used && k < helpers[i].num_lines; ++k) {
      text_add(out, "%s\n", helpers[i].lines[k]);
    }
    free(helpers[i].name);
  }
}
