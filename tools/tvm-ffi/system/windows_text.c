/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the Windows port that call no function of Windows. */
#include "system/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Command lines ---- */

static char *repeat(char *out, char letter, size_t count) {
  memset(out, letter, count);
  return out + count;
}

/* Within quotes, backslashes stand for themselves, except before a ": there \\ is a backslash, and
 * \" a ". */
static char *write_quoted(char *out, const char *word) {
  *out++ = '"';
  while (true) {
    const size_t slashes = strspn(word, "\\");
    word += slashes;
    if (*word == '\0') { /* before the closing quote */
      out = repeat(out, '\\', 2 * slashes);
      *out++ = '"';
      return out;
    }
    out = repeat(out, '\\', *word == '"' ? 2 * slashes + 1 : slashes);
    *out++ = *word++;
  }
}

/* Quotes also keep programs from replacing * and ? by names of files. */
static bool needs_quotes(const char *word) {
  return *word == '\0' || strpbrk(word, " \t\n\v\"*?") != NULL;
}

char *command_line_write(char *const *words) {
  size_t size = 1, i;
  char *line, *end;
  for (i = 0; words[i] != NULL; ++i) size += 2 * strlen(words[i]) + 3; /* at most */
  line = malloc(size);
  if (line == NULL) return NULL;
  end = line;
  for (i = 0; words[i] != NULL; ++i) {
    if (i > 0) *end++ = ' ';
    if (needs_quotes(words[i])) {
      end = write_quoted(end, words[i]);
    } else {
      end = strcpy(end, words[i]) + strlen(words[i]);
    }
  }
  *end = '\0';
  return line;
}

/* ---- Exceptions ---- */

/* By number, as not all of them are in windows.h. */
static const struct {
  uint32_t code;
  const char *name;
} kNames[] = {
    {0x40000015, "Aborted"}, /* a fatal exit of the program */
    {0x80000002, "misaligned access"},
    {0x80000003, "breakpoint"},
    {0x80000004, "single step"},
    {0xC0000005, "access violation"},
    {0xC0000006, "a page could not be read from its file"},
    {0xC000001D, "illegal instruction"},
    {0xC0000025, "an exception that cannot be continued"},
    {0xC000008C, "array bounds exceeded"},
    {0xC000008D, "denormal floating-point operand"},
    {0xC000008E, "floating-point division by zero"},
    {0xC000008F, "inexact floating-point result"},
    {0xC0000090, "invalid floating-point operation"},
    {0xC0000091, "floating-point overflow"},
    {0xC0000092, "floating-point stack check"},
    {0xC0000093, "floating-point underflow"},
    {0xC0000094, "integer division by zero"},
    {0xC0000095, "integer overflow"},
    {0xC0000096, "privileged instruction"},
    {0xC00000FD, "stack overflow"},
    {0xC0000135, "a library was not found"},
    {0xC0000139, "a symbol was not found in a library"},
    {0xC000013A, "Ctrl-C"},
    {0xC0000142, "a library could not be initialized"},
    {0xC0000374, "damaged heap"},
    {0xC0000409, "Aborted"}, /* abort() of the newer C library, and damaged stacks */
    {0xE06D7363, "uncaught C++ exception"},
};
enum { kNumNames = sizeof kNames / sizeof *kNames };

static const char *find_name(uint32_t code) {
  size_t i;
  for (i = 0; i < kNumNames; ++i) {
    if (kNames[i].code == code) return kNames[i].name;
  }
  return NULL;
}

/* All others have the severity of errors in the two highest bits. The next but one is never set,
 * but is in the exit codes from -1 downwards, which programs choose. */
bool exception_is_code(uint32_t code) {
  const uint32_t kMask = 0xD0000000, kErrors = 0xC0000000;
  return (code & kMask) == kErrors || find_name(code) != NULL;
}

const char *exception_name(uint32_t code) {
  static char number[32];
  const char *name = find_name(code);
  if (name != NULL) return name;
  snprintf(number, sizeof number, "exception 0x%08lX", (unsigned long)code);
  return number;
}
