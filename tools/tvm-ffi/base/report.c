/* SPDX-License-Identifier: Apache-2.0 */
#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/streams.h"
#include "system/system.h"

static bool colored;
static bool progress_shown;

/* ---- Errors ---- */

static void print_lines(const char *said, size_t size) {
  char *shown = shown_lines(said, size);
  fputs(shown, streams_errors());
  free(shown);
}

static void print_error(const char *kind, const char *format, va_list values) {
  text line = {NULL, 0, 0};
  text_add(&line, "%s", kind);
  text_add_list(&line, format, values);
  report_said("tvm-ffi", line.data, line.size);
  text_free(&line);
}

void report_error(const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_error("", format, values);
  va_end(values);
}

void report_note(const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_error("note: ", format, values);
  va_end(values);
}

int report_fail(int exit_code, const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_error("", format, values);
  va_end(values);
  return exit_code;
}

void report_said(const char *speaker, const char *said, size_t size) {
  report_progress_end();
  streams_flush();
  print_lines(speaker, strlen(speaker));
  fputs(": ", streams_errors());
  print_lines(said, size);
  if (size == 0 || said[size - 1] != '\n') fputc('\n', streams_errors());
}

/* ---- Colours and progress ---- */

void report_set_color(color_mode mode) {
  const char *no_color = getenv("NO_COLOR");
  if (mode == kColorAuto) {
    colored = descriptor_is_terminal(kDescriptorOutput) && (no_color == NULL || *no_color == '\0');
  } else {
    colored = mode == kColorAlways;
  }
}

const char *report_color(color role) {
  static const char *const kCodes[] = {"\033[0m", "\033[1m", "\033[32m", "\033[31m", "\033[2m"};
  return colored ? kCodes[role] : "";
}

bool report_progress(const char *format, ...) {
  text line = {NULL, 0, 0};
  va_list values;
  if (!descriptor_is_terminal(kDescriptorErrors)) return false;
  va_start(values, format);
  text_add_list(&line, format, values);
  va_end(values);
  fputs("\r\033[K", stderr);
  shown_print(stderr, line.data);
  fflush(stderr);
  text_free(&line);
  progress_shown = true;
  return true;
}

void report_progress_end(void) {
  if (progress_shown) fputs("\r\033[K", stderr);
  progress_shown = false;
}
