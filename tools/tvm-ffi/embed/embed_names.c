/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and quotes names of files and sections, which may contain any character, for sources and
 * rules. */
#include <stdlib.h>
#include <string.h>

#include "base/identifier.h"
#include "base/report.h"
#include "base/shown.h"
#include "embed/embed.h"

/* Sections that every object file has already, or names that assemblers take for tables of
 * relocations. */
static bool is_own_section(const char *name) {
  static const char *const kOwn[] = {".symtab", ".strtab", ".shstrtab", ".note.GNU-stack",
                                     ".drectve"};
  size_t i;
  for (i = 0; i < sizeof kOwn / sizeof *kOwn; ++i) {
    if (strcmp(name, kOwn[i]) == 0) return true;
  }
  return strncmp(name, ".rel", strlen(".rel")) == 0;
}

static bool refuse(const char *subject, const char *expected, const char *name) {
  char *shown = shown_text(name, strlen(name));
  report_error("%s must be %s, not \"%s\"", subject, expected, shown);
  free(shown);
  return false;
}

/* Whether the name is "SEGMENT,SECTION", the two names that a section has in a Mach-O file. */
static bool is_pair(const char *name) {
  enum { kLongest = 16 };
  const char *comma = strchr(name, ',');
  const size_t length = comma != NULL ? strlen(comma + 1) : 0;
  return comma != NULL && comma > name && comma - name <= kLongest && length > 0 &&
         length <= kLongest && strchr(comma + 1, ',') == NULL;
}

bool embed_check_section(const char *name, embed_form form) {
  const char *cursor = name;
  if (is_own_section(name)) return refuse("--section", "a section for data", name);
  if (form == kFormElf || form == kFormCoff) {
    return *name != '\0' || refuse("--section", "a name", name);
  }
  if (form == kFormMachO) {
    return is_pair(name) || refuse("--section", "SEGMENT,SECTION of 1 to 16 bytes each", name);
  }
  /* Compilers copy the name unquoted into the assembler source. */
  while (*cursor != '\0' && (identifier_has(*cursor) || strchr("._$+/-", *cursor) != NULL)) {
    ++cursor;
  }
  if (cursor > name && *cursor == '\0') return true;
  return refuse("--section", "a name of letters, digits and . _ $ + / -", name);
}

/* Between these quotes there are no escape sequences. */
bool embed_check_quoted(const char *subject, const char *name) {
  const char *cursor;
  for (cursor = name; *cursor != '\0'; ++cursor) {
    const bool is_trigraph = cursor[0] == '?' && cursor[1] == '?'; /* or the beginning of one */
    if (is_trigraph || (unsigned char)*cursor < 0x20 || strchr("\"\\\177", *cursor) != NULL) {
      return refuse(subject, "a name without \" and \\, ?? and control characters", name);
    }
  }
  return true;
}

void embed_add_literal(text *out, const char *value, bool is_nested) {
  const char *quote = is_nested ? "\\\"" : "\"";
  text_add(out, "%s", quote);
  for (; *value != '\0'; ++value) {
    const unsigned char byte = (unsigned char)*value;
    if (byte == '"' || byte == '\\') {
      text_add(out, is_nested ? "\\\\\\%c" : "\\%c", byte);
    } else if (byte < 0x20 || byte >= 0x7f) {
      text_add(out, is_nested ? "\\\\%03o" : "\\%03o", (unsigned)byte);
    } else {
      /* \? prevents a trigraph. */
      text_add(out, byte == '?' ? "\\%c" : "%c", byte);
    }
  }
  text_add(out, "%s", quote);
}

/* Whether Make's rules can express the path: some characters have no escape. */
static bool can_rule(const char *path) {
  const size_t size = strlen(path);
  return path[strcspn(path, "\n\r;|=")] == '\0' && size > 0 &&
         strchr(" \t\\", path[size - 1]) == NULL;
}

/* Backslashes are escaped only before a character that itself needs one. */
bool embed_add_make_word(text *out, const char *path) {
  size_t backslashes = 0;
  const char *cursor;
  if (!can_rule(path)) {
    char *shown = shown_text(path, strlen(path));
    report_error(
        "--depfile: no rule can have a file with ; | = or a line's end in its name, or with "
        "a blank or \\ behind it: \"%s\"",
        shown);
    free(shown);
    return false;
  }
  for (cursor = path; *cursor != '\0'; ++cursor) {
    if (*cursor == '$') text_add(out, "$");
    if (strchr(" \t#:", *cursor) != NULL) {
      while (backslashes-- > 0) text_add(out, "\\");
      text_add(out, "\\");
    }
    backslashes = *cursor == '\\' ? backslashes + 1 : 0;
    text_add_bytes(out, cursor, 1);
  }
  return true;
}
