/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers for all languages share. */
#include "stub/stub.h"

#include <string.h>

#include "base/names.h"

bool stub_is_wrapped(const stub_function *function) {
  return identifier_is(function->name, strlen(function->name));
}

bool stub_is_typed(const stub_function *function) {
  return function->type != NULL && schema_is_typed(function->type);
}

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
