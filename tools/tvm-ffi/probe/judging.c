/* SPDX-License-Identifier: Apache-2.0 */
/* How calls are made and judged, for the rows of all groups. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "library/library.h"
#include "probe/rows.h"
#include "system/system.h"
#include "value/number.h"
#include "value/tensor.h"

/* ---- Verdicts ---- */

void judge(outcome *out, verdict how, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(out->detail, sizeof out->detail - 1, format, values);
  va_end(values);
  text_end_whole(out->detail);
  out->verdict = (int)how;
}

/* The call could not be made, for a reason that the runtime has raised. */
void leave_out(outcome *out) {
  char *reason = runtime_error_take_line();
  judge(out, kLeftOut, "%s", reason);
  free(reason);
}

static void refuse(const attempt *a, outcome *out) {
  text_buf line = {NULL, 0, 0};
  attempt_describe_error(a, &line);
  judge(out, kRefused, "%s", line.data);
  text_free(&line);
}

/* Makes the call. True if it returned, and did no harm; else it has been judged. */
bool call_and_look(attempt *a, outcome *out) {
  text_buf wrong = {NULL, 0, 0};
  bool good = false;
  if (!attempt_call(a)) {
    leave_out(out);
  } else if (!attempt_is_clean(a, &wrong)) {
    judge(out, kFailed, "%s", wrong.data);
    out->changed_host = (a->host_changes & ~a->s->after.host_changes) != 0;
  } else if (!a->returned) {
    refuse(a, out);
  } else {
    good = true;
  }
  text_free(&wrong);
  return good;
}

/* The same for the call that works, which is not to be refused either. */
bool call_again_and_look(attempt *a, outcome *out) {
  text_buf line = {NULL, 0, 0};
  const bool good = call_and_look(a, out);
  if (!good && out->verdict == kRefused) {
    attempt_describe_error(a, &line);
    judge(out, kFailed, "the call that works raised %s", line.data);
    text_free(&line);
  }
  return good;
}

/* Whether the call had these effects; else it has been judged. */
bool look_at_effects(const attempt *a, const effects *expected, bool exact, outcome *out) {
  text_buf wrong = {NULL, 0, 0};
  effects got;
  bool same = false;
  if (!attempt_take_effects(a, &got)) {
    leave_out(out);
  } else {
    same = effects_match(a, &got, expected, exact, &wrong);
    if (!same) judge(out, kFailed, "%s", wrong.data);
  }
  effects_free(&got, a->num_args);
  text_free(&wrong);
  return same;
}

/* The call is to have the effects of the call that works, or to be refused. */
void expect_same(attempt *a, const probe_case *which, outcome *out) {
  (void)which;
  if (call_and_look(a, out) && look_at_effects(a, &a->s->after, false, out)) {
    judge(out, kPassed, "%s", "the same");
  }
}

/* The call is to do no harm, whatever it computes. */
void expect_clean(attempt *a, const probe_case *which, outcome *out) {
  (void)which;
  if (call_and_look(a, out)) judge(out, kPassed, "%s", "it did no harm");
}

/* Makes two calls with the same values, the first with packed tensors: the second is to have the
 * effects of the first, or to be refused. */
void compare_calls(attempt *packed, attempt *other, outcome *out) {
  effects expected;
  memset(&expected, 0, sizeof expected);
  if (call_and_look(packed, out)) {
    if (!attempt_take_effects(packed, &expected)) {
      leave_out(out);
    } else if (call_and_look(other, out) && look_at_effects(other, &expected, false, out)) {
      judge(out, kPassed, "%s", "the same");
    }
  } else if (out->verdict == kRefused) {
    out->verdict = kLeftOut; /* the values are refused in any layout */
  }
  effects_free(&expected, packed->num_args);
}

/* Calls again and again; false if a call failed, which has been judged. */
bool call_often(attempt *a, int count, outcome *out) {
  int i;
  for (i = 0; i < count; ++i) {
    if (!call_again_and_look(a, out)) return false;
    if (!attempt_reset(a)) {
      leave_out(out);
      return false;
    }
  }
  return true;
}

/* The call as it was given, in new arguments, after others. */
void look_again(const subject *s, const char *after, outcome *out) {
  outcome *seen = tool_alloc(sizeof *seen);
  attempt given;
  memset(seen, 0, sizeof *seen);
  if (!attempt_init(&given, s, NULL)) {
    leave_out(out);
  } else if (!call_again_and_look(&given, seen) ||
             !look_at_effects(&given, &s->after, !s->may_vary, seen)) {
    judge(out, seen->verdict == kFailed ? kFailed : kLeftOut, "after %s: %s", after, seen->detail);
  }
  attempt_free(&given);
  free(seen);
}

/* Reads the state, makes `warm` calls before and `count` in between; false if it has been judged.
 */
bool read_states(attempt *a, int warm, int count, process_state *before, process_state *after,
                 outcome *out) {
  bool good = call_often(a, warm, out);
  process_state_read(before);
  good = good && call_often(a, count, out);
  process_state_read(after);
  return good;
}

/* ---- Arguments of several rows ---- */

/* Each element becomes the next one, and the last stays: an index stays one that the call has, and
 * what is sorted stays so. Of floating-point numbers they are half as large, so that their sum is
 * another, and their sign and order are the same. */
static void change_elements(DLDataType dtype, unsigned char *elements, size_t size) {
  const size_t item = element_size(dtype);
  size_t k;
  if (item == 0 || size < item) return;
  memmove(elements, elements + item, size - item);
  for (k = 0; dtype.code == kDLFloat && dtype.lanes == 1 && k < size / item; ++k) {
    number_set_real(dtype, elements, k, number_get(dtype, elements, k).real / 2);
  }
}

bool turn_inputs(attempt *a, bool keeps_ends) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    argument *arg = &a->args[i];
    size_t item;
    if (arg->before == NULL || arg->store == NULL || subject_fills(a->s, i)) continue;
    item = keeps_ends ? element_size(arg->store->tensor.dtype) : 0;
    if (arg->size > 2 * item) {
      change_elements(arg->store->tensor.dtype, arg->before + item, arg->size - 2 * item);
    }
  }
  return attempt_reset(a);
}

bool change_inputs(attempt *a) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    const size_t size = tensor != NULL ? tensor_size(tensor) : 0;
    unsigned char *changed;
    bool good;
    if (tensor == NULL || a->s->is_output[i] || element_size(tensor->dtype) == 0) continue;
    changed = tool_alloc(size + 1);
    memcpy(changed, tensor->data, size);
    change_elements(tensor->dtype, changed, size);
    good = attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &kLayoutPacked,
                              changed);
    free(changed);
    if (!good) return false;
  }
  return true;
}

/* Row-major strides, each of them `factor` times as large. */
void set_strides(const DLTensor *tensor, int64_t factor, int64_t *strides) {
  int32_t d;
  for (d = tensor->ndim - 1; d >= 0; --d) {
    strides[d] = factor;
    factor *= tensor->shape[d] > 1 ? tensor->shape[d] : 1;
  }
}

/* Where the CPU's memory is used, a function that uses more than it has crashes. */
layout guard_end(const subject *s) {
  layout how = kLayoutPacked;
  if (s->device.device_type == kDLCPU) how.guard = kGuardEnd;
  return how;
}

/* Copies the shape with another extent in all dimensions that have the first. */
bool replace_extent(const DLTensor *tensor, int64_t extent, int64_t other, int64_t *shape) {
  bool has_it = false;
  int32_t d;
  for (d = 0; d < tensor->ndim; ++d) {
    shape[d] = tensor->shape[d] == extent ? other : tensor->shape[d];
    has_it = has_it || tensor->shape[d] == extent;
  }
  return has_it;
}

/* Gives all tensors another extent in place of one; `stride`, unless 0, is that of each dimension
 * of one element. False with an error raised. */
bool set_extent(attempt *a, int64_t extent, int64_t other, int64_t stride, const layout *how) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = subject_tensor(a->s, i);
    int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
    layout chosen = *how;
    DLTensor changed;
    int32_t d;
    if (tensor == NULL) continue;
    (void)replace_extent(tensor, extent, other, shape);
    changed = *tensor;
    changed.shape = shape;
    set_strides(&changed, 1, strides);
    for (d = 0; d < tensor->ndim; ++d) {
      if (shape[d] == 1 && stride != 0) strides[d] = stride;
    }
    if (stride != 0) chosen.strides = strides;
    if (!attempt_set_tensor(a, i, tensor->dtype, shape, tensor->ndim, &chosen, NULL)) return false;
  }
  return true;
}

/* Makes the argument a tensor of that shape without memory, of which the first `opened` bytes stay.
 * False with an error raised. */
bool take_memory(attempt *a, size_t i, const int64_t *shape, size_t opened) {
  const DLTensor *tensor = subject_tensor(a->s, i);
  layout how = kLayoutPacked;
  how.has_no_memory = true;
  how.device = a->s->device;
  if (!attempt_set_tensor(a, i, tensor->dtype, shape, tensor->ndim, &how, NULL)) return false;
  return opened == 0 || pages_open(a->args[i].store->block->low, opened);
}

/* After a verdict that only holds for functions that use the elements: makes the call as it was
 * given, with tensors that nobody may use. If it returns, the verdict is taken back;
 * rows_judge_end() sees the crash. */
void look_whether_used(const subject *s, const probe_case *which, outcome *out) {
  attempt a;
  bool good = attempt_init(&a, s, NULL);
  size_t i;
  for (i = 0; i < s->inputs->size && good; ++i) {
    if (find_tensor(s, i) == NULL || !case_changes(which, i)) continue;
    good = take_memory(&a, i, find_tensor(s, i)->shape, 0);
  }
  if (!good || !attempt_call(&a)) {
    leave_out(out);
  } else if (a.returned) {
    judge(out, kPassed, "it uses no elements");
  }
  attempt_free(&a);
}
