/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.ContainerFindFirstNonCPUDevice: a depth-first search of nested containers, without recursion.
 * It enters each container once, so that it ends for a list that holds itself.
 */
#include <string.h>

#include "base/pointer_map.h"
#include "base/stack.h"
#include "container/array.h"
#include "container/container.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"

/* A container being searched, and the position in it (of a sequence or of a map). */
typedef struct {
  TVMFFIObject *obj;
  uint64_t position;
} level;

typedef struct {
  tvmffi_stack levels;     /* the containers being searched */
  tvmffi_pointer_map seen; /* containers entered: 1 */
} search;

/* Enters a container unless it was entered before. -1 if out of memory. */
static int enter(search *s, TVMFFIObject *obj) {
  tvmffi_pointer_entry *entry = tvmffi_pointer_map_ensure(&s->seen, obj);
  level *top;
  if (entry == NULL) return -1;
  if (entry->value.number != 0) return 0;
  entry->value.number = 1;
  top = tvmffi_stack_push(&s->levels);
  if (top == NULL) return -1;
  top->obj = obj;
  top->position = tvmffi_is_sequence(obj->type_index) ? 0 : tvmffi_map_first(obj);
  return 0;
}

/* The next value of the innermost container, or NULL. */
static const TVMFFIAny *next_value(level *top) {
  uint64_t position = top->position;
  if (tvmffi_is_sequence(top->obj->type_index)) {
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
  return tvmffi_is_container(value->type_index) ? enter(s, value->v_obj) : 0;
}

int tvmffi_container_find_device(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const TVMFFIAny *value = &args[0];
  DLDevice device = {kDLCPU, 0};
  level *top;
  search s;
  int rc = 0;
  (void)num_args;
  tvmffi_stack_init(&s.levels, sizeof(level));
  memset(&s.seen, 0, sizeof s.seen);
  while (rc == 0) {
    if (value == NULL) {
      tvmffi_stack_pop(&s.levels);
    } else {
      rc = visit(&s, value, &device);
    }
    top = tvmffi_stack_top(&s.levels);
    if (top == NULL) break;
    value = next_value(top);
  }
  tvmffi_stack_fini(&s.levels);
  tvmffi_pointer_map_fini(&s.seen);
  if (rc < 0) return tvmffi_fail_memory();
  *result = tvmffi_any_int(0);
  result->type_index = kTVMFFIDevice;
  result->v_device = device;
  return 0;
}
