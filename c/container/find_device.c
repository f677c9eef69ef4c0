/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.ContainerFindFirstNonCPUDevice: a depth-first search of nested containers, without recursion.
 * It enters each container once, so that it ends for a list that holds itself.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"

/* A container being searched, and the position in it (of a sequence or of a map). */
typedef struct {
  TVMFFIObject *obj;
  uint64_t position;
} level;

typedef struct {
  level *levels; /* stack of the containers being searched */
  size_t num_levels, max_levels;
  TVMFFIObject **seen; /* containers entered: hash set with open addressing, half free */
  size_t num_seen, num_slots;
} search;

static bool is_sequence(const TVMFFIObject *obj) {
  return obj->type_index == kTVMFFIArray || obj->type_index == kTVMFFIList;
}

static bool is_container(const TVMFFIObject *obj) {
  return is_sequence(obj) || obj->type_index == kTVMFFIMap || obj->type_index == kTVMFFIDict;
}

/*
 * A copy of a block with twice the capacity; num elements are in use. NULL if out of memory. The
 * old block stays.
 */
static void *double_block(void *block, size_t num, size_t *capacity, size_t element_size) {
  size_t bytes, grown_capacity = *capacity != 0 ? 2 * *capacity : 16;
  void *grown;
  if (!tvmffi_checked_mul_size(grown_capacity, element_size, &bytes)) return NULL;
  grown = tvmffi_alloc(bytes);
  if (grown == NULL) return NULL;
  memset(grown, 0, bytes);
  if (num != 0) memcpy(grown, block, num * element_size);
  *capacity = grown_capacity;
  return grown;
}

static TVMFFIObject **find_seen(TVMFFIObject **seen, size_t num_slots, const TVMFFIObject *obj) {
  uint64_t mixed = (uint64_t)(uintptr_t)obj * UINT64_C(0x9e3779b97f4a7c15);
  size_t i = (size_t)(mixed >> 32) & (num_slots - 1);
  while (seen[i] != NULL && seen[i] != obj) i = (i + 1) & (num_slots - 1);
  return &seen[i];
}

/* Remembers a container. 1 if it is new, 0 if not, -1 if out of memory. */
static int add_seen(search *s, TVMFFIObject *obj) {
  TVMFFIObject **place;
  if (2 * (s->num_seen + 1) > s->num_slots) {
    size_t num_slots = s->num_slots, i;
    TVMFFIObject **grown = double_block(NULL, 0, &num_slots, sizeof(TVMFFIObject *));
    if (grown == NULL) return -1;
    for (i = 0; i < s->num_slots; ++i) {
      if (s->seen[i] != NULL) *find_seen(grown, num_slots, s->seen[i]) = s->seen[i];
    }
    tvmffi_free(s->seen);
    s->seen = grown;
    s->num_slots = num_slots;
  }
  place = find_seen(s->seen, s->num_slots, obj);
  if (*place != NULL) return 0;
  *place = obj;
  ++s->num_seen;
  return 1;
}

/* Enters a container unless it was entered before. -1 if out of memory. */
static int enter(search *s, TVMFFIObject *obj) {
  int is_new = add_seen(s, obj);
  if (is_new <= 0) return is_new;
  if (s->num_levels == s->max_levels) {
    level *grown = double_block(s->levels, s->num_levels, &s->max_levels, sizeof *grown);
    if (grown == NULL) return -1;
    tvmffi_free(s->levels);
    s->levels = grown;
  }
  s->levels[s->num_levels].obj = obj;
  s->levels[s->num_levels++].position = is_sequence(obj) ? 0 : tvmffi_map_first(obj);
  return 0;
}

/* The next value of the innermost container, or NULL. */
static const TVMFFIAny *next_value(level *top) {
  uint64_t position = top->position;
  if (is_sequence(top->obj)) {
    if (position >= (uint64_t)tvmffi_array_size(top->obj)) return NULL;
    top->position = position + 1;
    return &tvmffi_array_items(top->obj)[position];
  }
  if (position == TVMFFI_MAP_NONE) return NULL;
  top->position = tvmffi_map_next(top->obj, position);
  return &tvmffi_map_at(top->obj, position)->value;
}

/* 1 if the value ends the search, else 0; -1 if out of memory. */
static int visit(search *s, const TVMFFIAny *value, DLDevice *device) {
  if (value->type_index < kTVMFFIStaticObjectBegin || value->v_obj == NULL) return 0;
  if (value->type_index == kTVMFFITensor) {
    const DLTensor *tensor = TVMFFITensorGetDLTensorPtr(value->v_obj);
    if (tensor->device.device_type == kDLCPU) return 0;
    *device = tensor->device;
    return 1;
  }
  return is_container(value->v_obj) ? enter(s, value->v_obj) : 0;
}

int tvmffi_container_find_device(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  DLDevice device = {kDLCPU, 0};
  search s;
  int rc;
  (void)num_args;
  memset(&s, 0, sizeof s);
  rc = visit(&s, &args[0], &device);
  while (rc == 0 && s.num_levels != 0) {
    const TVMFFIAny *value = next_value(&s.levels[s.num_levels - 1]);
    if (value == NULL) {
      --s.num_levels;
    } else {
      rc = visit(&s, value, &device);
    }
  }
  tvmffi_free(s.levels);
  tvmffi_free(s.seen);
  if (rc < 0) return tvmffi_fail_memory();
  *result = tvmffi_any_int(0);
  result->type_index = kTVMFFIDevice;
  result->v_device = device;
  return 0;
}
