/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors inside arrays and maps: rows change them as they change tensors that are arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "probe/probe.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* ---- Copies of containers ---- */

enum { kMaxDepth = 16 }; /* a List may hold itself */

typedef struct {
  const inner_visitor *visitor;
  int depth;
  TVMFFIAny *items; /* of the container that is copied; of a map keys, each with its value */
  size_t size;
} copying;

bool inner_is_map(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIMap || value->type_index == kTVMFFIDict;
}

static bool copy_value(copying *c, const TVMFFIAny *value, TVMFFIAny *out);

static bool add_copy(copying *c, const TVMFFIAny *value) {
  copying inside = {c->visitor, c->depth, NULL, 0};
  c->items = tool_grow(c->items, c->size, sizeof *c->items);
  c->items[c->size] = tvm_ffi_any_none();
  return copy_value(&inside, value, &c->items[c->size++]);
}

static bool add_pair(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  copying *c = context;
  text_buf *text = c->visitor->text;
  bool good;
  if (text != NULL) {
    if (c->size > 0) text_add(text, ", ");
    value_write(text, key, &kTensorWhole);
    text_add(text, ": ");
  }
  c->items = tool_grow(c->items, c->size, sizeof *c->items);
  good = tvm_ffi_any_copy(key, &c->items[c->size++]) == 0;
  return good && add_copy(c, value);
}

static bool add_items(copying *c, const TVMFFIAny *list) {
  int64_t i;
  for (i = 0; i < tvm_ffi_array_get_size(list->v_obj); ++i) {
    if (c->visitor->text != NULL && i > 0) text_add(c->visitor->text, ", ");
    if (!add_copy(c, tvm_ffi_array_get_data(list->v_obj) + i)) return false;
  }
  return true;
}

const char *inner_maker(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIShape   ? "ffi.Shape"
         : value->type_index == kTVMFFIArray ? "ffi.Array"
         : value->type_index == kTVMFFIList  ? "ffi.List"
         : value->type_index == kTVMFFIMap   ? "ffi.Map"
                                             : "ffi.Dict";
}

static bool copy_container(const inner_visitor *visitor, int depth, const TVMFFIAny *value,
                           TVMFFIAny *out) {
  copying c = {visitor, depth, NULL, 0};
  const bool has_keys = inner_is_map(value);
  size_t i;
  bool good;
  if (visitor->text != NULL) text_add(visitor->text, has_keys ? "{" : "[");
  good = has_keys ? value_visit_map(value, add_pair, &c) : add_items(&c, value);
  if (visitor->text != NULL) text_add(visitor->text, has_keys ? "}" : "]");
  good =
      good && tvm_ffi_function_call_global(inner_maker(value), c.items, (int32_t)c.size, out) == 0;
  for (i = 0; i < c.size; ++i) tvm_ffi_any_clear(&c.items[i]);
  free(c.items);
  return good;
}

static bool copy_value(copying *c, const TVMFFIAny *value, TVMFFIAny *out) {
  const inner_visitor *visitor = c->visitor;
  DLTensor *tensor;
  if (tvm_ffi_any_try_tensor(value, &tensor)) return visitor->visit(visitor->context, value, out);
  if ((value_is_list(value) || inner_is_map(value)) && c->depth < kMaxDepth) {
    return copy_container(visitor, c->depth + 1, value, out);
  }
  if (visitor->text != NULL) value_write(visitor->text, value, &kTensorWhole);
  return tvm_ffi_any_copy(value, out) == 0;
}

bool inner_copy(const TVMFFIAny *container, const inner_visitor *visitor, TVMFFIAny *out) {
  copying c = {visitor, 0, NULL, 0};
  *out = tvm_ffi_any_none();
  return copy_value(&c, container, out);
}

/* ---- References ---- */

static uint64_t count_references(const TVMFFIAny *value, int depth);

typedef struct {
  uint64_t sum;
  int depth;
} reference_sum;

static bool count_pair_references(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  reference_sum *sum = context;
  sum->sum += count_references(key, sum->depth) + count_references(value, sum->depth);
  return true;
}

static uint64_t count_references(const TVMFFIAny *value, int depth) {
  reference_sum sum = {0, depth + 1};
  int64_t i;
  if (value->type_index < kTVMFFIStaticObjectBegin) return 0;
  sum.sum = (uint32_t)((const TVMFFIObject *)value->v_obj)->combined_ref_count;
  if (depth == kMaxDepth) return sum.sum;
  if (inner_is_map(value)) {
    (void)value_visit_map(value, count_pair_references, &sum);
  } else if (value_is_list(value)) {
    for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
      sum.sum += count_references(tvm_ffi_array_get_data(value->v_obj) + i, sum.depth);
    }
  }
  return sum.sum;
}

uint64_t inner_count_references(const TVMFFIAny *value) {
  return count_references(value, 0);
}

/* ---- Which there are ---- */

typedef struct {
  input_list *inputs;
  input_place **places;
  size_t argument, count; /* how many it has */
} finding;

/* How the tensor was written in the list; NULL: it was recorded. */
static const inner_input *find_written(const input *item, TVMFFIObjectHandle tensor) {
  size_t i;
  for (i = 0; i < item->num_inner; ++i) {
    if (item->inner[i].tensor == tensor) return &item->inner[i];
  }
  return NULL;
}

static bool add_tensor(void *context, const TVMFFIAny *value, TVMFFIAny *out) {
  finding *f = context;
  input_list *inputs = f->inputs;
  const inner_input *written = find_written(&inputs->items[f->argument], value->v_obj);
  TVMFFIObjectHandle packed;
  DLTensor *tensor;
  input *added;
  input_place *where;
  if (!tvm_ffi_any_try_tensor(value, &tensor)) return false;
  if (tvm_ffi_any_copy(value, out) != 0) return false;
  packed = tensor_copy(tensor);
  if (packed == NULL) return false;
  inputs->items = tool_realloc(inputs->items, (inputs->size + 1) * sizeof *inputs->items);
  *f->places = tool_realloc(*f->places, (inputs->size + 1) * sizeof **f->places);
  added = &inputs->items[inputs->size];
  memset(added, 0, sizeof *added);
  added->value = tvm_ffi_any_take_object(packed);
  added->is_storage = written != NULL && written->is_storage;
  added->has_values = written != NULL && written->has_values;
  where = &(*f->places)[inputs->size++];
  where->argument = f->argument;
  snprintf(where->label, sizeof where->label, "%zu.%zu", f->argument, f->count++);
  return true;
}

bool inner_find(input_list *inputs, input_place **out) {
  const size_t count = inputs->size;
  finding f;
  size_t i;
  bool good = true;
  *out = tool_alloc((count + 1) * sizeof **out);
  for (i = 0; i < count; ++i) {
    (*out)[i].argument = i;
    snprintf((*out)[i].label, sizeof(*out)[i].label, "%zu", i);
  }
  for (i = 0; good && i < count; ++i) {
    const inner_visitor visitor = {add_tensor, &f, NULL};
    const TVMFFIAny value = inputs->items[i].value;
    TVMFFIAny copied;
    if (!value_is_list(&value) && !inner_is_map(&value)) continue;
    f.inputs = inputs;
    f.places = out;
    f.argument = i;
    f.count = 0;
    good = inner_copy(&value, &visitor, &copied);
    tvm_ffi_any_clear(&copied);
  }
  inputs->capacity = inputs->size;
  return good;
}

/* ---- Copies of arguments ---- */

size_t inner_first(const subject *s, size_t parent) {
  size_t i = s->num_passed;
  while (i < s->inputs->size && s->places[i].argument != parent) ++i;
  return i;
}

typedef struct {
  const input_visitor *visitor;
  size_t next;
} counting;

static bool visit_input(void *context, const TVMFFIAny *tensor, TVMFFIAny *out) {
  counting *c = context;
  (void)tensor;
  return c->visitor->visit(c->visitor->context, c->next++, out);
}

bool inner_copy_argument(const subject *s, size_t parent, const input_visitor *visitor,
                         TVMFFIAny *out) {
  counting c = {visitor, inner_first(s, parent)};
  const inner_visitor each = {visit_input, &c, visitor->text};
  return inner_copy(&s->inputs->items[parent].value, &each, out);
}
