/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on strings, data types and types. */
#include <stdlib.h>

#include "bench.h"

/* volatile, so that the compiler cannot remove the pairs of malloc and free. */
static void *(*volatile allocate)(size_t) = malloc;
static void (*volatile release)(void *) = free;

/* Not an operation of a runtime: the least that one which allocates twice can take. */
int bench_malloc_twice(bench_state *s, size_t calls) {
  (void)s;
  for (; calls != 0; --calls) {
    void *first = allocate(64), *second = allocate(64);
    if (first == NULL || second == NULL) return -1;
    release(second);
    release(first);
  }
  return 0;
}

/* A small string has nothing to release. */
static int release_string(bench_state *s, const TVMFFIAny *any) {
  return any->type_index >= kTVMFFIStaticObjectBegin ? s->api.ObjectDecRef(any->v_obj) : 0;
}

static int make_string(bench_state *s, size_t calls, TVMFFIByteArray bytes, int32_t type_index) {
  TVMFFIAny any = bench_any(kTVMFFINone);
  int wrong = 0;
  for (; calls != 0; --calls) {
    wrong |= s->api.StringFromByteArray(&bytes, &any);
    wrong |= release_string(s, &any);
  }
  return wrong != 0 || any.type_index != type_index;
}

int bench_small_string(bench_state *s, size_t calls) {
  return make_string(s, calls, BENCH_BYTES("sixsix"), kTVMFFISmallStr);
}

int bench_heap_string(bench_state *s, size_t calls) {
  return make_string(s, calls, BENCH_BYTES("thirty-two bytes of text, or so."), kTVMFFIStr);
}

int bench_own_raw_string(bench_state *s, size_t calls) {
  TVMFFIAny view = bench_text("thirty-two bytes of text, or so."), any = bench_any(kTVMFFINone);
  int wrong = 0;
  for (; calls != 0; --calls) {
    wrong |= s->api.AnyViewToOwnedAny(&view, &any);
    wrong |= release_string(s, &any);
  }
  return wrong != 0 || any.type_index != kTVMFFIStr;
}

static int dtype_from_text(bench_state *s, size_t calls, TVMFFIByteArray text,
                           DLDataType expected) {
  DLDataType dtype = {0, 0, 0};
  int wrong = 0;
  for (; calls != 0; --calls) wrong |= s->api.DataTypeFromString(&text, &dtype);
  return wrong != 0 || dtype.code != expected.code || dtype.bits != expected.bits ||
         dtype.lanes != expected.lanes;
}

int bench_dtype_from_float32(bench_state *s, size_t calls) {
  DLDataType expected = {kDLFloat, 32, 1};
  return dtype_from_text(s, calls, BENCH_BYTES("float32"), expected);
}

int bench_dtype_from_float8(bench_state *s, size_t calls) {
  DLDataType expected = {kDLFloat8_e4m3fn, 8, 4};
  return dtype_from_text(s, calls, BENCH_BYTES("float8_e4m3fnx4"), expected);
}

int bench_dtype_to_text(bench_state *s, size_t calls) {
  DLDataType dtype = {kDLFloat, 32, 1};
  TVMFFIAny any = bench_any(kTVMFFINone);
  int wrong = 0;
  for (; calls != 0; --calls) {
    wrong |= s->api.DataTypeToString(&dtype, &any);
    wrong |= release_string(s, &any);
  }
  return wrong != 0 || (any.type_index != kTVMFFIStr && any.type_index != kTVMFFISmallStr);
}

int bench_register_type(bench_state *s, size_t calls) {
  int wrong = 0;
  for (; calls != 0; --calls) {
    const bench_name *text = &s->types.all[s->types.num_known++];
    TVMFFIByteArray key = bench_bytes(text->text, text->size);
    wrong |= s->api.TypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject) < kTVMFFIDynObjectBegin;
  }
  return wrong;
}

int bench_type_key_to_index(bench_state *s, size_t calls) {
  TVMFFIByteArray key = BENCH_BYTES("ffi.Function");
  int32_t index = 0;
  int wrong = 0;
  for (; calls != 0; --calls) wrong |= s->api.TypeKeyToIndex(&key, &index);
  return wrong != 0 || index != kTVMFFIFunction;
}

int bench_type_key_among_many(bench_state *s, size_t calls) {
  int32_t index = 0;
  size_t i = s->position % s->types.num_known;
  int wrong = 0;
  for (; calls != 0; --calls) {
    const bench_name *text = &s->types.all[i];
    TVMFFIByteArray key = bench_bytes(text->text, text->size);
    if (++i == s->types.num_known) i = 0;
    wrong |= s->api.TypeKeyToIndex(&key, &index);
  }
  s->position = i;
  return wrong != 0 || index < kTVMFFIDynObjectBegin;
}

int bench_type_info(bench_state *s, size_t calls) {
  const TVMFFITypeInfo *info = NULL;
  int wrong = 0;
  for (; calls != 0; --calls) {
    info = s->api.GetTypeInfo(kTVMFFITensor);
    wrong |= info == NULL;
  }
  return wrong != 0 || info->type_index != kTVMFFITensor;
}
