/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers for all languages share: names that no keyword has, and texts. */
#include "stub/stub.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"

bool stub_is_wrapped(const stub_function *function) {
  return identifier_is(function->name, strlen(function->name));
}

bool stub_is_typed(const stub_function *function) {
  return function->type != NULL && schema_is_typed(function->type);
}

/* ---- Names ---- */

static char *append(char *name) {
  char *longer = tool_format("%s_", name);
  free(name);
  return longer;
}

/* Appends "_" until the name is neither reserved nor taken; takes `name`. */
static char *make_own(char *name, const char *const *reserved, const char *const *taken) {
  while (text_find(name, reserved) != NULL || text_find(name, taken) != NULL) name = append(name);
  return name;
}

/* Another name for one that the language reserves by how it is written; takes `name`. What begins
 * with "_" is still reserved with another "_" at its end. */
static char *make_unreserved(char *name, const stub_language *language, bool is_param) {
  char *other;
  if (language->is_reserved == NULL || !language->is_reserved(name, is_param)) return name;
  if (name[0] != '_') return append(name);
  other = tool_format("x%s", name);
  free(name);
  return other;
}

static void name_params(stub_function *function, const stub_language *language) {
  size_t count = schema_num_params(function->type), i;
  function->params = tool_alloc((count + 1) * sizeof *function->params);
  for (i = 0; i <= count; ++i) function->params[i] = NULL;
  for (i = 0; i < count; ++i) {
    const char *given = schema_param(function->type, i)->parameter;
    char *name = given != NULL ? tool_format("%s", given) : tool_format("arg%zu", i);
    name = make_unreserved(name, language, true);
    function->params[i] = make_own(name, language->reserved, (const char *const *)function->params);
  }
}

static void name_all(stub_library *library, const stub_language *language) {
  char **taken = tool_alloc((library->num_functions + 1) * sizeof *taken);
  size_t count = 0, i;
  for (i = 0; i < library->num_functions; ++i) {
    stub_function *function = &library->functions[i];
    if (!stub_is_wrapped(function)) continue;
    taken[count] = NULL;
    function->word = make_unreserved(tool_format("%s", function->name), language, false);
    function->word =
        make_own(function->word, language->reserved_functions, (const char *const *)taken);
    taken[count++] = function->word;
    if (stub_is_typed(function)) name_params(function, language);
  }
  free(taken);
}

/* "scale_v2" for "libscale-v2.so" */
static char *make_prefix(const char *file) {
  const char *name = strncmp(file, "lib", 3) == 0 ? file + 3 : file;
  char *prefix = identifier_make(name, strcspn(name, "."));
  if (*prefix >= '0' && *prefix <= '9') *prefix = '_';
  if (*prefix != '\0') return prefix;
  free(prefix);
  return tool_format("library");
}

void stub_name(stub_library *library, const stub_language *language, const char *prefix) {
  static const char *const kNone[] = {NULL};
  library->prefix = prefix != NULL ? tool_format("%s", prefix) : make_prefix(library->file);
  library->prefix = make_own(library->prefix, language->reserved, kNone);
  name_all(library, language);
}

/* ---- Texts ---- */

void stub_write_doc(text_buf *out, const stub_function *function, const char *indent) {
  const char *cursor = function->doc;
  if (cursor == NULL || *cursor == '\0') return;
  text_add(out, "%s", indent);
  for (; *cursor != '\0'; ++cursor) {
    if (*cursor == '\n') {
      if (cursor[1] != '\0') text_add(out, "\n%s", indent);
    } else {
      text_add_bytes(out, cursor, 1);
      if (strncmp(cursor, "*/", 2) == 0 || strncmp(cursor, "/*", 2) == 0 ||
          strncmp(cursor, "??", 2) == 0) {
        text_add(out, " ");
      }
    }
  }
  text_add(out, "\n");
}

void stub_write_signature(text_buf *out, const stub_function *function) {
  text_add(out, "%s", function->name);
  if (function->type != NULL) {
    schema_write_signature(out, function->type);
  } else {
    text_add(out, "(...) -> Any");
  }
}

void stub_write_remarks(text_buf *out, const stub_library *library, const char *indent) {
  bool any_untold = false;
  size_t i;
  for (i = 0; i < library->num_functions; ++i) {
    const stub_function *function = &library->functions[i];
    if (!stub_is_wrapped(function)) {
      text_add(out, "%sNot wrapped: ", indent);
      text_add_escaped(out, function->name, strlen(function->name));
      text_add(out, ", which is not an identifier in this language.\n");
    } else if (function->type == NULL) {
      text_add(out, "%sNot typed: %s, whose types are not in the library.\n", indent,
               function->name);
      any_untold = true;
    }
  }
  if (any_untold && !library->is_unreadable) {
    text_add(out, "%sFor types: %s.\n", indent, SCHEMA_HINT);
  }
}
