/* SPDX-License-Identifier: Apache-2.0 */
/* Writes text with indentation. */
#include <stdarg.h>

#include "emitter.h"

static FILE *out;
static int depth;

void begin_text(FILE *file) {
  out = file;
}

void begin(void) {
  fprintf(out, "%*s", 2 * depth, "");
}
void begin_block(void) {
  ++depth;
}
void end_block(void) {
  --depth;
}

void put(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(out, format, values);
  va_end(values);
}

void line(const char *format, ...) {
  va_list values;
  begin();
  va_start(values, format);
  vfprintf(out, format, values);
  va_end(values);
  fputc('\n', out);
}
