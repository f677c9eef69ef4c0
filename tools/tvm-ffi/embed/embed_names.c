/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files and sections, which may have anything in them, as sources and rules take them. */
#include <stdlib.h>
#include <string.h>

#include "base/identifier.h"
#include "base/report.h"
#include "base/shown.h"
#include "embed/embed.h"

/* Sections that object files have of their own, or that assemblers make tables of relocations of.
 */
static bool is_own_section(const char *name) {
  static const char *const kOwn[] = {".symtab", ".strtab", ".shstrtab", ".note.GNU-stack"};
  size_t i;
  for (i = 0; i < sizeof kOwn / sizeof *kOwn; ++i) {
    if (strcmp(name, kOwn[i]) == 0) return true;
  }
  return strncmp(name, ".rel", strlen(".rel")) == 0;
}

static bool refuse(const char *what, const char *expected, const char *name) {
  char *shown = shown_text(name, strlen(name));
  report_error("%s must be %s, not \"%s\"", what, expected, shown);
  free(shown);
  return false;
}

bool embed_check_section(const char *name, embed_form form) {
  const char *at = name;
  if (is_own_section(name)) return refuse("--section", "a section for data", name);
  if (form == kFormObject) return *name != '\0' || refuse("--section", "a name", name);
  /* Compilers write it into the assembler's source as it is. */
  while (*at != '\0' && (identifier_has(*at) || strchr("._$+/-", *at) != NULL)) ++at;
  if (at > name && *at == '\0') return true;
  return refuse("--section", "a name of letters, digits and . _ $ + / -", name);
}

/* There are no escapes between those quotes. */
bool embed_check_quoted(const char *what, const char *name) {
  const char *at;
  for (at = name; *at != '\0'; ++at) {
    const bool is_trigraph = at[0] == '?' && at[1] == '?'; /* or nearly */
    if (is_trigraph || (unsigned char)*at < 0x20 || strchr("\"\\\177", *at) != NULL) {
      return refuse(what, "a name without \" and \\, ?? and control characters", name);
    }
  }
  return true;
}

void embed_add_literal(text *to, const char *value, bool is_nested) {
  const char *quote = is_nested ? "\\\"" : "\"";
  text_add(to, "%s", quote);
  for (; *value != '\0'; ++value) {
    const unsigned char byte = (unsigned char)*value;
    if (byte == '"' || byte == '\\') {
      text_add(to, is_nested ? "\\\\\\%c" : "\\%c", byte);
    } else if (byte < 0x20 || byte >= 0x7f) {
      text_add(to, is_nested ? "\\\\%03o" : "\\%03o", (unsigned)byte);
    } else {
      /* ?? begins a trigraph. */
      text_add(to, byte == '?' ? "\\%c" : "%c", byte);
    }
  }
  text_add(to, "%s", quote);
}

/* Whether a rule can say it, to Make at least: some characters have no escape. */
static bool can_rule(const char *path) {
  const size_t size = strlen(path);
  return path[strcspn(path, "\n\r;|=")] == '\0' && size > 0 &&
         strchr(" \t\\", path[size - 1]) == NULL;
}

/* Backslashes count where something comes behind them that needs one. */
bool embed_add_make_word(text *to, const char *path) {
  size_t backslashes = 0;
  const char *at;
  if (!can_rule(path)) {
    char *shown = shown_text(path, strlen(path));
    report_error(
        "--depfile: no rule can have a file with ; | = or a line's end in its name, or with "
        "a blank or \\ behind it: \"%s\"",
        shown);
    free(shown);
    return false;
  }
  for (at = path; *at != '\0'; ++at) {
    if (*at == '$') text_add(to, "$");
    if (strchr(" \t#:", *at) != NULL) {
      while (backslashes-- > 0) text_add(to, "\\");
      text_add(to, "\\");
    }
    backslashes = *at == '\\' ? backslashes + 1 : 0;
    text_add_bytes(to, at, 1);
  }
  return true;
}
