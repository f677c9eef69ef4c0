/* SPDX-License-Identifier: Apache-2.0 */
#include "base/raised.h"

#include <stdlib.h>
#include <tvm/ffi/c.h>

#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"

static const char kNoError[] = "it failed without an error";

char *raised_take_message(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  TVMFFIByteArray message;
  char *said;
  if (error == NULL) return tool_copy(kNoError, sizeof kNoError - 1);
  message = tvm_ffi_error_get_message(error);
  said = tool_copy(message.data, message.size);
  tvm_ffi_object_release(error);
  return said;
}

char *raised_take_line(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  TVMFFIByteArray kind, message;
  char *said;
  if (error == NULL) return tool_copy(kNoError, sizeof kNoError - 1);
  kind = tvm_ffi_error_get_kind(error);
  message = tvm_ffi_error_get_message(error);
  said = tool_format("%.*s: %.*s", (int)kind.size, kind.data, (int)message.size, message.data);
  tvm_ffi_object_release(error);
  return said;
}

/* Adds the backtrace, most recent call last: its lines in the opposite order. */
static void add_backtrace(text *out, TVMFFIObjectHandle error) {
  const TVMFFIByteArray lines = tvm_ffi_error_get_backtrace(error);
  size_t begin, end;
  for (end = lines.size; end > 0; end = begin) {
    begin = end - 1;
    while (begin > 0 && lines.data[begin - 1] != '\n') --begin;
    text_add_bytes(out, lines.data + begin, end - begin);
    if (lines.data[end - 1] != '\n') text_add(out, "\n");
  }
}

void raised_report(const char *speaker, bool with_backtrace) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  const size_t size = tvm_ffi_error_format(error, NULL, 0);
  char *message = tool_alloc(size + 1);
  text said = {NULL, 0, 0};
  tvm_ffi_error_format(error, message, size + 1);
  text_add_bytes(&said, message, size);
  text_add(&said, "\n");
  if (with_backtrace && error != NULL) add_backtrace(&said, error);
  report_said(speaker, said.data, said.size);
  text_free(&said);
  free(message);
  tvm_ffi_object_release(error);
}
