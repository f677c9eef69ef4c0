/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on errors and on the slot of raised ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

static void raise_text(const operands *inputs) {
  const char *kind, *message;
  if (!read_opt_text(inputs, 0, &kind) || !read_opt_text(inputs, 1, &message)) return;
  api.TVMFFIErrorSetRaisedFromCStr(kind, message);
  say("raised");
}

static void raise_parts(const operands *inputs) {
  const char *parts[kMaxOperands];
  const char *kind;
  int64_t count;
  int i;
  if (!read_text(inputs, 0, &kind) || !read_int(inputs, 1, -2, inputs->count - 2, &count)) return;
  for (i = 0; i < count; ++i) {
    if (!read_opt_text(inputs, 2 + i, &parts[i])) return;
  }
  api.TVMFFIErrorSetRaisedFromCStrParts(kind, count > 0 ? parts : NULL, (int32_t)count);
  say("raised");
}

static void raise_object(const operands *inputs) {
  TVMFFIObject *error;
  if (!read_opt_object(inputs, 0, kTVMFFIError, &error)) return;
  api.TVMFFIErrorSetRaised(error);
  say("raised");
}

static void take(const operands *inputs) {
  TVMFFIObjectHandle error = NULL;
  int target;
  if (!read_register(inputs, 0, 'v', kNumValues, &target)) return;
  api.TVMFFIErrorMoveFromRaised(&error);
  give_object(0, target, error);
}

/* Prefixes the backtrace with "bt:"; say_backtrace() prints only from that mark on. */
static bool read_texts(const operands *inputs, TVMFFIByteArray *out) {
  static char backtrace[256];
  if (!read_bytes(inputs, 1, &out[0]) || !read_bytes(inputs, 2, &out[1]) ||
      !read_bytes(inputs, 3, &out[2])) {
    return false;
  }
  if (out[2].size > sizeof backtrace - 4) return skip("a backtrace is too long");
  memcpy(backtrace, "bt:", 3);
  if (out[2].size > 0) memcpy(backtrace + 3, out[2].data, out[2].size);
  out[2].data = backtrace;
  out[2].size += 3;
  return true;
}

static void make_error(const operands *inputs) {
  TVMFFIByteArray texts[3];
  TVMFFIObjectHandle error = NULL;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_texts(inputs, texts)) return;
  rc = api.TVMFFIErrorCreate(&texts[0], &texts[1], &texts[2], &error);
  give_object(rc, target, error);
}

static void make_error_with(const operands *inputs) {
  TVMFFIByteArray texts[3];
  TVMFFIObjectHandle error = NULL;
  TVMFFIObject *cause, *context;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_texts(inputs, texts) ||
      !read_opt_object(inputs, 4, kTVMFFIError, &cause) ||
      !read_opt_object(inputs, 5, kTVMFFIObject, &context)) {
    return;
  }
  rc = api.TVMFFIErrorCreateWithCauseAndExtraContext(&texts[0], &texts[1], &texts[2], cause,
                                                     context, &error);
  give_object(rc, target, error);
}

static void update_backtrace(const operands *inputs) {
  TVMFFIByteArray text;
  TVMFFIObject *error;
  TVMFFIAny any;
  int32_t mode;
  if (!read_object(inputs, 0, kTVMFFIError, &error) || !read_bytes(inputs, 1, &text) ||
      !read_int32(inputs, 2, &mode)) {
    return;
  }
  TVMFFIErrorGetCellPtr(error)->update_backtrace(error, &text, mode);
  any = make_object(error);
  say_value(&any);
}

/* Prints the requested line if the backtrace begins with it; the frames are this process's own. */
static void backtrace(const operands *inputs) {
  const TVMFFIByteArray *text;
  const char *file, *function;
  char wanted[1024];
  int64_t line, cross;
  int size;
  if (!read_text(inputs, 0, &file) || !read_int(inputs, 1, 0, 1000000, &line) ||
      !read_text(inputs, 2, &function) || !read_int(inputs, 3, 0, 1, &cross)) {
    return;
  }
  size =
      snprintf(wanted, sizeof wanted, "  File \"%s\", line %d, in %s\n", file, (int)line, function);
  text = api.TVMFFIBacktrace(file, (int)line, function, (int)cross);
  if (text == NULL) {
    say("NULL");
  } else if (text->size >= (size_t)size && memcmp(text->data, wanted, (size_t)size) == 0) {
    say_bytes(text->data, (size_t)size);
  } else {
    say("without the line");
  }
}

const operation error_operations[] = {
    {"raise", raise_text},
    {"raise_parts", raise_parts},
    {"raise_object", raise_object},
    {"take", take},
    {"error", make_error},
    {"error_with", make_error_with},
    {"update_backtrace", update_backtrace},
    {"backtrace", backtrace},
    {NULL, NULL},
};
