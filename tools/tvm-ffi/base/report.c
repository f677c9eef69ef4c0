/* SPDX-License-Identifier: Apache-2.0 */
#include "base/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/command.h"
#include "base/text.h"
#include "base/utf8.h"
#include "system/system.h"

/* ---- Streams ---- */

static FILE *results, *errors;        /* NULL: stdout, stderr */
static int failure;                   /* errno of the first failed write of results; 0 */
static void (*wait_for_others)(void); /* NULL: what others print is shown at once */

FILE *streams_results(void) {
  return results != NULL ? results : stdout;
}

FILE *streams_errors(void) {
  return errors != NULL ? errors : stderr;
}

void streams_part(bool others_print, bool others_read) {
  fflush(stdout);
  results = descriptor_copy_stream(kDescriptorOutput);
  errors = descriptor_copy_stream(kDescriptorErrors);
  if (errors != NULL) setvbuf(errors, NULL, _IONBF, 0);
  if (!others_print && results != NULL) {
    descriptor_replace(kDescriptorOutput, kDescriptorErrors);
  }
  if (!others_read) descriptor_end_input();
}

void streams_keep(stream_copies *out) {
  out->input = descriptor_copy(kDescriptorInput);
  out->output = descriptor_copy(kDescriptorOutput);
}

/* Makes a standard stream what a copy stands for, which is closed. */
static void put_back(int target, int copy) {
  if (copy < 0) return;
  descriptor_replace(target, copy);
  descriptor_close(copy);
}

void streams_join(const stream_copies *kept) {
  fflush(stdout);
  streams_flush();
  put_back(kDescriptorInput, kept->input);
  put_back(kDescriptorOutput, kept->output);
  if (results != NULL) fclose(results);
  if (errors != NULL) fclose(errors);
  results = errors = NULL;
}

void streams_follow(void (*wait)(void)) {
  wait_for_others = wait;
}

void streams_flush(void) {
  if (wait_for_others != NULL) wait_for_others();
  errno = 0;
  if (fflush(streams_results()) != 0 && failure == 0) failure = errno;
}

int streams_finish(int exit_code) {
  streams_flush();
  /* The output is incomplete, for instance because the disk is full. */
  if ((failure != 0 || ferror(streams_results())) && exit_code == kExitOk) {
    return report_fail(kExitUsage, "standard output: %s",
                       failure != 0 ? strerror(failure) : "it cannot be written");
  }
  return exit_code;
}

static bool colored;
static bool progress_shown;

/* ---- Errors ---- */

static const char *archive_folder, *archive_name; /* NULL */

void report_set_archive(const char *folder, const char *archive) {
  archive_folder = folder;
  archive_name = archive;
}

/* Where the folder is named next, or the end. */
static const char *find_folder(const char *at, const char *end) {
  const size_t size = archive_folder != NULL ? strlen(archive_folder) : 0;
  for (; size > 0 && (size_t)(end - at) >= size; ++at) {
    const char *behind = at + size;
    if (memcmp(at, archive_folder, size) != 0) continue;
    if (behind == end || (strchr)("/:,;'\")\n ", *behind) != NULL) return at;
  }
  return end;
}

text_buf report_name_members(const char *text, size_t size) {
  const char *end = text + size, *found;
  text_buf out = {NULL, 0, 0};
  while ((found = find_folder(text, end)) != end) {
    text_add_bytes(&out, text, (size_t)(found - text));
    text_add(&out, "%s", archive_name);
    text = found + strlen(archive_folder);
    if (text != end && *text == '/') text_add(&out, ": ");
    while (text != end && *text == '/') ++text;
  }
  text_add_bytes(&out, text, (size_t)(end - text));
  return out;
}

static void print_lines(const char *said, size_t size) {
  text_buf named = report_name_members(said, size);
  char *shown = text_escape_lines(named.data, named.size);
  fputs(shown, streams_errors());
  free(shown);
  text_free(&named);
}

/* Prints "speaker: " and a text from elsewhere, which may have many lines. */
static void print_said(const char *speaker, const char *said, size_t size) {
  report_progress_end();
  streams_flush();
  print_lines(speaker, strlen(speaker));
  fputs(": ", streams_errors());
  print_lines(said, size);
  if (size == 0 || said[size - 1] != '\n') fputc('\n', streams_errors());
}

static void print_error(const char *kind, const char *format, va_list values) {
  text_buf line = {NULL, 0, 0};
  text_add(&line, "%s", kind);
  text_add_list(&line, format, values);
  print_said("tvm-ffi", line.data, line.size);
  text_free(&line);
}

void report_error_line(const char *format, ...) {
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
  text_buf line = {NULL, 0, 0};
  va_list values;
  if (!descriptor_is_terminal(kDescriptorErrors)) return false;
  va_start(values, format);
  text_add_list(&line, format, values);
  va_end(values);
  fputs("\r\033[K", stderr);
  text_print_escaped(stderr, line.data);
  fflush(stderr);
  text_free(&line);
  progress_shown = true;
  return true;
}

void report_progress_end(void) {
  if (progress_shown) fputs("\r\033[K", stderr);
  progress_shown = false;
}

/* ---- The runtime's error ---- */

static const char kNoError[] = "it failed without an error";

char *runtime_error_take_message(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  TVMFFIByteArray message;
  char *said;
  if (error == NULL) return tool_copy(kNoError, sizeof kNoError - 1);
  message = tvm_ffi_error_get_message(error);
  said = tool_copy(message.data, message.size);
  tvm_ffi_object_release(error);
  return said;
}

char *runtime_error_take_line(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  TVMFFIByteArray kind, message;
  char *said;
  if (error == NULL) return tool_copy(kNoError, sizeof kNoError - 1);
  kind = tvm_ffi_error_get_kind(error);
  message = tvm_ffi_error_get_message(error);
  said = tool_format("%.*s: %.*s", tvmffi_shown_size(kind.size), kind.data,
                     tvmffi_shown_size(message.size), message.data);
  tvm_ffi_object_release(error);
  return said;
}

/* Adds the backtrace, most recent call last: its lines in the opposite order. */
static void add_backtrace(text_buf *out, TVMFFIObjectHandle error) {
  const TVMFFIByteArray lines = tvm_ffi_error_get_backtrace(error);
  size_t begin, end;
  for (end = lines.size; end > 0; end = begin) {
    begin = end - 1;
    while (begin > 0 && lines.data[begin - 1] != '\n') --begin;
    text_add_bytes(out, lines.data + begin, end - begin);
    if (lines.data[end - 1] != '\n') text_add(out, "\n");
  }
}

void runtime_error_report(const char *speaker, bool with_backtrace) {
  enum { kMostCauses = 16 };
  TVMFFIObjectHandle error = tvm_ffi_error_take(), cause = error;
  text_buf said = {NULL, 0, 0};
  int depth;
  if (error == NULL) text_add(&said, "(no error)\n");
  for (depth = 0; cause != NULL && depth < kMostCauses; ++depth) {
    const TVMFFIByteArray kind = tvm_ffi_error_get_kind(cause);
    const TVMFFIByteArray message = tvm_ffi_error_get_message(cause);
    text_add(&said, depth > 0 ? "caused by " : "");
    text_add_bytes(&said, kind.data, kind.size);
    text_add(&said, message.size > 0 ? ": " : "");
    text_add_bytes(&said, message.data, message.size);
    text_add(&said, "\n");
    if (with_backtrace) add_backtrace(&said, cause);
    cause = tvm_ffi_error_get_cause(cause);
  }
  print_said(speaker, said.data, said.size);
  text_free(&said);
  tvm_ffi_object_release(error);
}
