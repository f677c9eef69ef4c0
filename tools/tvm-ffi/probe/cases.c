/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls a row has, for the rows of all groups. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/rows.h"
#include "value/number.h"

void add_case(case_list *out, const row *kind, int arg, int64_t what, const char *format, ...) {
  probe_case *added;
  va_list values;
  int size;
  out->items = tool_realloc(out->items, (out->size + 1) * sizeof *out->items);
  added = &out->items[out->size++];
  memset(added, 0, sizeof *added);
  added->kind = kind;
  added->arg = arg;
  memset(&added->set, 0xff, sizeof added->set);
  added->number = what;
  size = snprintf(added->name, sizeof added->name, "%s", kind->told.name);
  va_start(values, format);
  vsnprintf(added->name + size, sizeof added->name - (size_t)size, format, values);
  va_end(values);
}

const DLTensor *find_tensor(const subject *s, size_t i) {
  const DLTensor *tensor = subject_tensor(s, i);
  return tensor != NULL && tvm_ffi_tensor_get_numel(tensor) > 0 ? tensor : NULL;
}

static bool has_larger_extents(const DLTensor *tensor, int32_t least) {
  int32_t d, count = 0;
  for (d = 0; d < tensor->ndim; ++d) count += tensor->shape[d] > 1;
  return count >= least;
}

void list_once(const subject *s, const row *kind, case_list *out) {
  (void)s;
  add_case(out, kind, -1, kind->choice, "%s", "");
}

void list_each_tensor(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    if (tensor == NULL || !has_larger_extents(tensor, (int32_t)kind->choice)) continue;
    add_case(out, kind, (int)i, 0, ":%s", s->places[i].label);
  }
}

void list_tensors(const subject *s, const row *kind, case_list *out) {
  const size_t before = out->size;
  list_each_tensor(s, kind, out);
  if (out->size > before + 1) add_case(out, kind, -1, 0, "%s", ":all");
}

void list_inputs(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    if (find_tensor(s, i) != NULL && !s->is_output[i])
      add_case(out, kind, (int)i, kind->choice, ":%s", s->places[i].label);
  }
}

static bool has_extent(const subject *s, size_t num_args, int64_t extent) {
  size_t i;
  int32_t d;
  for (i = 0; i < num_args; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      if (tensor->shape[d] == extent) return true;
    }
  }
  return false;
}

void list_extents(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int32_t d, e;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      const int64_t extent = tensor->shape[d];
      bool is_known = has_extent(s, i, extent);
      for (e = 0; e < d; ++e) is_known = is_known || tensor->shape[e] == extent;
      if (!is_known && extent != kind->choice) add_case(out, kind, -1, extent, ":%" PRId64, extent);
    }
  }
}

bool case_changes(const probe_case *which, size_t i) {
  return which->arg >= 0 ? which->arg == (int)i : input_set_has(&which->set, i);
}

/* ---- Sets of tensors ---- */

enum { kWordBits = 64 };

static void input_set_add(input_set *set, size_t i) {
  set->words[i / kWordBits] |= UINT64_C(1) << i % kWordBits;
}

bool input_set_has(const input_set *set, size_t i) {
  return (set->words[i / kWordBits] >> i % kWordBits & 1) != 0;
}

/* Whether there are two or more. */
static bool has_several(const input_set *set) {
  size_t count = 0, i;
  for (i = 0; i < kMaxInputs && count < 2; ++i) count += input_set_has(set, i);
  return count == 2;
}

/* Adds a set, unless there is one with the same tensors, or there are too many. */
static size_t add_set(tensor_set *sets, size_t count, const char *name, const input_set *set) {
  size_t i;
  if (!has_several(set) || count == kMostSets) return count;
  for (i = 0; i < count; ++i) {
    if (memcmp(&sets[i].set, set, sizeof *set) == 0) return count;
  }
  snprintf(sets[count].name, sizeof sets[count].name, "%s", name);
  sets[count].set = *set;
  return count + 1;
}

size_t find_sets(const subject *s, tensor_set *out) {
  char name[kDtypeTextSize];
  input_set all, inputs, outputs;
  size_t count, i, j;
  memset(&all, 0, sizeof all);
  inputs = outputs = all;
  for (i = 0; i < s->inputs->size; ++i) {
    if (find_tensor(s, i) == NULL) continue;
    input_set_add(&all, i);
    input_set_add(s->is_output[i] ? &outputs : &inputs, i);
  }
  count = add_set(out, 0, "all", &all);
  count = add_set(out, count, "inputs", &inputs);
  count = add_set(out, count, "outputs", &outputs);
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    input_set alike;
    memset(&alike, 0, sizeof alike);
    for (j = 0; tensor != NULL && j < s->inputs->size; ++j) {
      const DLTensor *other = find_tensor(s, j);
      if (other != NULL && tvm_ffi_dtype_equal(tensor->dtype, other->dtype)) {
        input_set_add(&alike, j);
      }
    }
    if (tensor != NULL) count = add_set(out, count, dtype_write(tensor->dtype, name), &alike);
  }
  return count;
}

void add_set_case(case_list *out, const row *kind, const tensor_set *set, int64_t what,
                  const char *word) {
  add_case(out, kind, -1, what, ":%s%s%s", set->name, *word != '\0' ? ":" : "", word);
  out->items[out->size - 1].set = set->set;
}
