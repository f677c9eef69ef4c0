/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings. Up to the first NUL the input is a file of events, the rest are the bytes of every
 * storage. One that is refused has one report; of another all calls are described, and made again.
 * Zeros after the events, as a process leaves them that dies, change nothing.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "recording/recording.h"
#include "value/npy.h"

static void make(const recording *r, const recorded_call *c, recorded_moment when, bool leniently) {
  const DLDevice cpu = {kDLCPU, 0};
  text_buf why = {NULL, 0, 0};
  call_values values;
  size_t i;
  making made;
  quiet_num_reports = 0;
  made = recording_make(r, c, when, cpu, &values, leniently ? NULL : &why);
  fuzz_require((made == kDamaged) == (quiet_num_reports > 0));
  fuzz_require((made == kCannotRepeat) == (why.size > 0) || leniently);
  for (i = 0; made == kMade && i < values.num_tensors; ++i) {
    const recorded_tensor *t = &values.tensors[i];
    fuzz_require(t->tensor->data != NULL || t->storage == SIZE_MAX);
  }
  call_values_free(&values);
  text_free(&why);
}

static void describe(const recording *r, const recorded_call *c, recorded_moment when) {
  word_list items = recording_describe(r, c, when, true);
  words_free(&items);
}

/* Whether the events with zeros after them are read as they are without. */
static void require_same(const recording *r, const uint8_t *events, size_t size) {
  const size_t calls = r != NULL ? recording_num_calls(r) : 0;
  char *longer = malloc(size + 3);
  recording *again;
  fuzz_require(longer != NULL);
  if (size > 0) memcpy(longer, events, size);
  memset(longer + size, 0, 3);
  quiet_num_reports = 0;
  again = recording_open_bytes("calls.jsonl", longer, size + 3);
  fuzz_require((again == NULL) == (r == NULL) && quiet_num_reports == (r == NULL ? 1 : 0));
  if (again != NULL) {
    fuzz_require(recording_num_calls(again) == calls);
    fuzz_require(recording_notes(again)->size == recording_notes(r)->size);
  }
  recording_free(again);
  free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
  const size_t events = end != NULL ? (size_t)(end - data) : size;
  const int64_t rest = end != NULL ? (int64_t)(size - events - 1) : 0;
  const DLDataType byte = {kDLUInt, 8, 1};
  text_buf file = {NULL, 0, 0};
  recording *r;
  size_t i;
  fuzz_begin();
  npy_write(&file, byte, &rest, 1, data + size - rest, (size_t)rest);
  quiet_file = (const uint8_t *)file.data;
  quiet_file_size = file.size;
  quiet_num_reports = 0;
  r = recording_open_bytes("calls.jsonl", (const char *)data, events);
  fuzz_require(quiet_num_reports == (r == NULL ? 1 : 0));
  require_same(r, data, events);
  for (i = 0; r != NULL && i < recording_num_calls(r); ++i) {
    const recorded_call *c = recording_call(r, i);
    describe(r, c, kBefore);
    describe(r, c, kAfter);
    make(r, c, kBefore, false);
    make(r, c, kBefore, true);
    make(r, c, kAfter, true);
  }
  recording_free(r);
  text_free(&file);
  fuzz_end();
  return 0;
}
