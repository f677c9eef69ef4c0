/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls a row has, for the rows of all groups. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/rows.h"

void add_case(case_list *out, const row *kind, int arg, int64_t what, const char *format, ...) {
  probe_case *added;
  va_list values;
  int size;
  out->items = tool_realloc(out->items, (out->size + 1) * sizeof *out->items);
  added = &out->items[out->size++];
  memset(added, 0, sizeof *added);
  added->kind = kind;
  added->arg = arg;
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
    add_case(out, kind, (int)i, 0, ":%zu", i);
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
      add_case(out, kind, (int)i, kind->choice, ":%zu", i);
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
