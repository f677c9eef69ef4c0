/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/raised.h"

#include <stdio.h>
#include <stdlib.h>
#include <tvm/ffi/c.h>

#include "base/memory.h"
#include "base/report.h"

static const char kNoError[] = "it failed without an error";

char *raised_take_message(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  TVMFFIByteArray message;
  char *text;
  if (error == NULL) return tool_copy(kNoError, sizeof kNoError - 1);
  message = tvm_ffi_error_get_message(error);
  text = tool_copy(message.data, message.size);
  tvm_ffi_object_release(error);
  return text;
}

char *raised_take_line(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  TVMFFIByteArray kind, message;
  char *text;
  if (error == NULL) return tool_copy(kNoError, sizeof kNoError - 1);
  kind = tvm_ffi_error_get_kind(error);
  message = tvm_ffi_error_get_message(error);
  text = tool_format("%.*s: %.*s", (int)kind.size, kind.data, (int)message.size, message.data);
  tvm_ffi_object_release(error);
  return text;
}

void raised_report(const char *speaker, bool with_backtrace) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (stream != NULL) {
    tvm_ffi_error_print(error, stream);
    if (with_backtrace && error != NULL) tvm_ffi_error_print_backtrace(error, stream);
    fclose(stream);
  }
  report_said(speaker, text != NULL ? text : "", size);
  free(text);
  tvm_ffi_object_release(error);
}
