/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/report.h"
#include "base/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <tvm/ffi/c.h>
#include <unistd.h>

static bool colored;
static bool progress_shown;
static double progress_since;

/* ---- Errors ------------------------------------------------------------------------------------
 */

static void print_error(const char *format, va_list values) {
  report_progress_end();
  fflush(stdout);
  fputs("tvm-ffi: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
}

void report_error(const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_error(format, values);
  va_end(values);
}

int report_fail(int exit_code, const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_error(format, values);
  va_end(values);
  return exit_code;
}

void report_raised(const char *who) {
  report_progress_end();
  fflush(stdout);
  fprintf(stderr, "%s: ", who);
  tvm_ffi_error_print_raised(stderr);
}

/* ---- Colours and progress ----------------------------------------------------------------------
 */

bool report_set_color(const char *when) {
  const char *no_color = getenv("NO_COLOR");
  if (strcmp(when, "auto") == 0) {
    colored = isatty(STDOUT_FILENO) && (no_color == NULL || *no_color == '\0');
  } else if (strcmp(when, "always") == 0 || strcmp(when, "never") == 0) {
    colored = *when == 'a';
  } else {
    report_error("--color must be auto, always or never, not \"%s\"", when);
    return false;
  }
  return true;
}

const char *report_color(color which) {
  static const char *const kCodes[] = {"\033[0m", "\033[1m", "\033[32m", "\033[31m", "\033[2m"};
  return colored ? kCodes[which] : "";
}

double report_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void report_progress(const char *format, ...) {
  va_list values;
  double now = report_now();
  if (progress_since == 0) progress_since = now;
  if (now - progress_since < 1 || !isatty(STDERR_FILENO)) return;
  va_start(values, format);
  fputs("\r\033[K", stderr);
  vfprintf(stderr, format, values);
  fflush(stderr);
  va_end(values);
  progress_shown = true;
}

void report_progress_end(void) {
  if (progress_shown) fputs("\r\033[K", stderr);
  progress_shown = false;
  progress_since = 0;
}

/* ---- Memory ------------------------------------------------------------------------------------
 */

void *tool_realloc(void *block, size_t size) {
  void *result = realloc(block, size > 0 ? size : 1);
  if (result == NULL) {
    fprintf(stderr, "tvm-ffi: out of memory, asking for %zu bytes\n", size);
    exit(kExitRaised);
  }
  return result;
}

void *tool_alloc(size_t size) {
  return tool_realloc(NULL, size);
}

char *tool_copy(const char *text, size_t size) {
  char *copy = tool_alloc(size + 1);
  memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

char *tool_format(const char *format, ...) {
  va_list values, again;
  char *text;
  int size;
  va_start(values, format);
  va_copy(again, values);
  size = vsnprintf(NULL, 0, format, values);
  va_end(values);
  text = tool_alloc((size_t)(size > 0 ? size : 0) + 1);
  *text = '\0';
  if (size > 0) vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  return text;
}

/* ---- Files -------------------------------------------------------------------------------------
 */

char *tool_read_file(const char *path, size_t *out_size) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  size_t capacity = 1 << 16, size = 0, got;
  char *bytes;
  if (file == NULL) {
    report_error("%s: %s", path, strerror(errno));
    return NULL;
  }
  bytes = tool_alloc(capacity);
  errno = 0;
  while ((got = fread(bytes + size, 1, capacity - 1 - size, file)) > 0) {
    size += got;
    if (size == capacity - 1) bytes = tool_realloc(bytes, capacity *= 2);
  }
  bytes[size] = '\0';
  if (ferror(file)) {
    report_error("%s: %s", path, strerror(errno));
    free(bytes);
    bytes = NULL;
  }
  if (file != stdin) fclose(file);
  *out_size = size;
  return bytes;
}

bool tool_write_file(const char *path, const void *bytes, size_t size) {
  bool to_stdout = strcmp(path, "-") == 0;
  FILE *file = to_stdout ? stdout : fopen(path, "wb");
  struct stat about;
  bool good;
  if (file == NULL) {
    report_error("%s: %s", path, strerror(errno));
    return false;
  }
  good = fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
  if (!good) report_error("%s: %s", path, strerror(errno));
  if (!to_stdout) {
    bool is_file = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode);
    good = fclose(file) == 0 && good;
    if (!good && is_file) remove(path);
  }
  return good;
}
