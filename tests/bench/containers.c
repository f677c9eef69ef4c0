/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on arrays and maps of integers, through their global functions. */
#include <stdlib.h>

#include "bench.h"

enum { kSmall = 10, kMiddle = 1000, kLarge = 1000000 };

/* Spread over the whole range, so that consecutive keys are not neighbours in a hash table. */
static int64_t key_of(size_t i) {
  return (int64_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> 1);
}

/* Pairs of a key and its index, for maps; an array takes both as elements. */
int bench_make_items(bench_state *s) {
  size_t i;
  s->items = malloc(2 * kLarge * sizeof *s->items);
  if (s->items == NULL) return -1;
  for (i = 0; i < kLarge; ++i) {
    s->items[2 * i] = bench_int(key_of(i));
    s->items[2 * i + 1] = bench_int((int64_t)i);
  }
  return bench_find_global(s, BENCH_BYTES("ffi.Array"), &s->make_array) != 0 ||
                 bench_find_global(s, BENCH_BYTES("ffi.ArrayGetItem"), &s->get_element) != 0 ||
                 bench_find_global(s, BENCH_BYTES("ffi.Map"), &s->make_map) != 0 ||
                 bench_find_global(s, BENCH_BYTES("ffi.MapGetItem"), &s->get_value) != 0
             ? -1
             : 0;
}

static int make(bench_state *s, TVMFFIObjectHandle function, size_t num_args, TVMFFIAny *out) {
  *out = bench_any(kTVMFFINone);
  return s->api.FunctionCall(function, s->items, (int32_t)num_args, out);
}

int bench_make_containers(bench_state *s) {
  static const size_t sizes[] = {kSmall, kMiddle, kLarge};
  int i, wrong = 0;
  for (i = 0; i < 3; ++i) {
    wrong |= make(s, s->make_array, sizes[i], &s->arrays[i]);
    wrong |= make(s, s->make_map, 2 * sizes[i], &s->maps[i]);
  }
  return wrong;
}

static int build(bench_state *s, TVMFFIObjectHandle function, size_t num_args, size_t calls) {
  TVMFFIAny built;
  int wrong = 0;
  for (; calls != 0; --calls) {
    wrong |= make(s, function, num_args, &built);
    wrong |= s->api.ObjectDecRef(built.v_obj);
  }
  return wrong;
}

int bench_build_small_array(bench_state *s, size_t calls) {
  return build(s, s->make_array, kSmall, calls);
}

int bench_build_middle_array(bench_state *s, size_t calls) {
  return build(s, s->make_array, kMiddle, calls);
}

/* Builds one array of `calls` elements, so that the time is per element. */
int bench_build_large_array(bench_state *s, size_t calls) {
  return build(s, s->make_array, calls, 1);
}

int bench_build_small_map(bench_state *s, size_t calls) {
  return build(s, s->make_map, 2 * kSmall, calls);
}

int bench_build_middle_map(bench_state *s, size_t calls) {
  return build(s, s->make_map, 2 * kMiddle, calls);
}

int bench_build_large_map(bench_state *s, size_t calls) {
  return build(s, s->make_map, 2 * calls, 1);
}

/*
 * Reads at pseudo-random indices, so that the large containers miss the caches. In an array only
 * keys are read: the expected result is then computed without touching the items.
 */
static int read(bench_state *s, TVMFFIObjectHandle function, const TVMFFIAny *container,
                size_t size, int is_map, size_t calls) {
  TVMFFIAny args[2], value = bench_any(kTVMFFINone);
  uint64_t position = s->position;
  size_t num_keys = is_map ? size : size / 2;
  int wrong = 0;
  args[0] = *container;
  for (; calls != 0; --calls) {
    size_t i;
    position = position * UINT64_C(6364136223846793005) + 1442695040888963407u;
    i = (size_t)((position >> 32) * num_keys >> 32);
    args[1] = bench_int(is_map ? key_of(i) : (int64_t)(2 * i));
    wrong |= s->api.FunctionCall(function, args, 2, &value);
    wrong |= value.v_int64 != (is_map ? (int64_t)i : key_of(i));
  }
  s->position = (size_t)position;
  return wrong;
}

int bench_index_small_array(bench_state *s, size_t calls) {
  return read(s, s->get_element, &s->arrays[0], kSmall, 0, calls);
}

int bench_index_middle_array(bench_state *s, size_t calls) {
  return read(s, s->get_element, &s->arrays[1], kMiddle, 0, calls);
}

int bench_index_large_array(bench_state *s, size_t calls) {
  return read(s, s->get_element, &s->arrays[2], kLarge, 0, calls);
}

int bench_look_up_small_map(bench_state *s, size_t calls) {
  return read(s, s->get_value, &s->maps[0], kSmall, 1, calls);
}

int bench_look_up_middle_map(bench_state *s, size_t calls) {
  return read(s, s->get_value, &s->maps[1], kMiddle, 1, calls);
}

int bench_look_up_large_map(bench_state *s, size_t calls) {
  return read(s, s->get_value, &s->maps[2], kLarge, 1, calls);
}
