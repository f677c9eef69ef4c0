/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing JSON documents of a kilobyte and of a megabyte, with typical records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { kRecords = 6, kMaxRecord = 256 };

/* An array of kRecords records for each kilobyte. */
static char *make_text(size_t kilobytes) {
  size_t i, count = kilobytes * kRecords, size = 0;
  char *text = malloc(count * kMaxRecord + 2);
  if (text == NULL) return NULL;
  text[size++] = '[';
  for (i = 0; i < count; ++i) {
    double fraction = (double)((uint32_t)i * 2654435769u) / 4294967296.0;
    size += (size_t)snprintf(
        text + size, kMaxRecord,
        "%s{\"name\": \"matmul_kernel_%zu\", \"block\": [%zu, %zu, 1], \"scale\": %.4f, \"time\": "
        "%.17g, \"tags\": [\"float16\", \"tiled\"], \"enabled\": %s, \"parent\": null, \"path\": "
        "\"build\\/x%zu\\n\"}",
        i == 0 ? "" : ", ", i, 32 * (i % 8 + 1), i % 4 + 1, fraction, fraction / 3,
        i % 2 == 0 ? "true" : "false", i);
  }
  text[size++] = ']';
  text[size] = '\0';
  return text;
}

static int parse(bench_state *s, TVMFFIAny *text, TVMFFIAny *out) {
  *out = bench_any(kTVMFFINone);
  return s->api.FunctionCall(s->parse_json, text, 1, out);
}

static int write(bench_state *s, const TVMFFIAny *value, TVMFFIAny *out) {
  TVMFFIAny args[2];
  args[0] = *value;
  args[1] = bench_any(kTVMFFINone);
  *out = bench_any(kTVMFFINone);
  return s->api.FunctionCall(s->write_json, args, 2, out);
}

static int drop(bench_state *s, TVMFFIAny *value) {
  return value->type_index < kTVMFFIStaticObjectBegin ? 0 : s->api.ObjectDecRef(value->v_obj);
}

static int make_document(bench_state *s, int slot, size_t kilobytes) {
  char *source = make_text(kilobytes);
  TVMFFIAny text, value;
  int wrong;
  if (source == NULL) return -1;
  if (drop(s, &s->json_texts[slot]) != 0 || drop(s, &s->json_values[slot]) != 0) return -1;
  free(s->json_pin[slot]);
  text = bench_text(source);
  wrong = parse(s, &text, &s->json_values[slot]);
  wrong |= write(s, &s->json_values[slot], &s->json_texts[slot]);
  /* Parse once more, and allocate a block before releasing the value: the heap cannot shrink
   * below that block, so the timed calls reuse these pages and fault in no new ones. */
  wrong |= parse(s, &s->json_texts[slot], &value);
  s->json_pin[slot] = malloc(100000);
  wrong |= s->api.ObjectDecRef(value.v_obj);
  free(source);
  return wrong;
}

int bench_make_json(bench_state *s) {
  if (bench_find_global(s, BENCH_BYTES("ffi.json.Parse"), &s->parse_json) != 0 ||
      bench_find_global(s, BENCH_BYTES("ffi.json.Stringify"), &s->write_json) != 0) {
    return -1;
  }
  return make_document(s, 0, 1) != 0 ? -1 : bench_grow_json(s, kBenchKilobytes);
}

int bench_grow_json(bench_state *s, size_t kilobytes) {
  s->json_kilobytes = kilobytes;
  return make_document(s, 1, kilobytes);
}

/* One call is counted for each kilobyte. */
static int read_all(bench_state *s, int slot, size_t kilobytes, size_t calls) {
  TVMFFIAny value;
  int wrong = 0;
  for (; calls >= kilobytes; calls -= kilobytes) {
    wrong |= parse(s, &s->json_texts[slot], &value);
    wrong |= TVMFFISeqGetCellPtr(value.v_obj)->size != (int64_t)(kilobytes * kRecords);
    wrong |= s->api.ObjectDecRef(value.v_obj);
  }
  return wrong;
}

static int write_all(bench_state *s, int slot, size_t kilobytes, size_t calls) {
  const TVMFFIByteArray *expected = TVMFFIBytesGetByteArrayPtr(s->json_texts[slot].v_obj);
  TVMFFIAny text;
  int wrong = 0;
  for (; calls >= kilobytes; calls -= kilobytes) {
    wrong |= write(s, &s->json_values[slot], &text);
    wrong |= TVMFFIBytesGetByteArrayPtr(text.v_obj)->size != expected->size;
    wrong |= s->api.ObjectDecRef(text.v_obj);
  }
  return wrong;
}

int bench_parse_small_json(bench_state *s, size_t calls) {
  return read_all(s, 0, 1, calls);
}

int bench_parse_large_json(bench_state *s, size_t calls) {
  return read_all(s, 1, s->json_kilobytes, calls);
}

int bench_parse_grown_json(bench_state *s, size_t calls) {
  return read_all(s, 1, s->json_kilobytes, calls * s->json_kilobytes);
}

int bench_write_small_json(bench_state *s, size_t calls) {
  return write_all(s, 0, 1, calls);
}

int bench_write_large_json(bench_state *s, size_t calls) {
  return write_all(s, 1, s->json_kilobytes, calls);
}

int bench_write_grown_json(bench_state *s, size_t calls) {
  return write_all(s, 1, s->json_kilobytes, calls * s->json_kilobytes);
}
