/* SPDX-License-Identifier: Apache-2.0 */
/* The row of calls after others: with other values, scalars, shapes and types. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "probe/rows.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* What is called between two calls that are to do the same. */
enum {
  kOtherValues,
  kLarger,
  kSmaller,
  kFirst,
  kFirstMiddle, /* the first and the last element of each input stay */
  kScalar,
  kFirstSwapped,
  kFirstExtent,
  kFirstDtype
};

static bool is_scalar(const TVMFFIAny *value) {
  TVMFFIByteArray text;
  return value->type_index == kTVMFFIInt || value->type_index == kTVMFFIFloat ||
         value->type_index == kTVMFFIBool || tvm_ffi_any_try_string(value, &text);
}

/* Whether an input has elements between its ends that can differ from each other. */
static bool has_middle(const subject *s) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    if (tensor != NULL && !subject_fills(s, i) && tvm_ffi_tensor_get_numel(tensor) > 3) return true;
  }
  return false;
}

void list_sequences(const subject *s, const row *kind, case_list *out) {
  case_list extents = {NULL, 0};
  size_t i;
  add_case(out, kind, -1, kOtherValues, "%s", ":values");
  add_case(out, kind, -1, kFirst, "%s", ":first");
  if (has_middle(s)) add_case(out, kind, -1, kFirstMiddle, "%s", ":first:middle");
  for (i = 0; i < s->num_passed; ++i) {
    if (!is_scalar(&s->inputs->items[i].value)) continue;
    add_case(out, kind, (int)i, kScalar, ":scalar:%s", s->places[i].label);
  }
  list_extents(s, kind, &extents);
  if (extents.size > 0) {
    add_case(out, kind, -1, kLarger, "%s", ":larger");
    add_case(out, kind, -1, kSmaller, "%s", ":smaller");
  }
  for (i = 0; i < extents.size; ++i) {
    const int64_t extent = extents.items[i].number;
    size_t k;
    add_case(out, kind, -1, kFirstExtent, ":first:%" PRId64, extent);
    out->items[out->size - 1].other = extent;
    for (k = i + 1; k < extents.size; ++k) {
      const int64_t other = extents.items[k].number;
      if (extent > INT32_MAX || other > INT32_MAX) continue;
      add_case(out, kind, -1, kFirstSwapped, ":first:%" PRId64 ":%" PRId64, extent, other);
      out->items[out->size - 1].other = extent << 32 | other;
    }
  }
  if (extents.size > 0) add_case(out, kind, -1, kFirstDtype, "%s", ":first:dtype");
  free(extents.items);
}

/* All extents of the call, one after the other, are others. */
static bool call_with_others(const subject *s, const probe_case *which) {
  case_list extents = {NULL, 0};
  bool good = true;
  size_t i;
  list_extents(s, which->kind, &extents);
  for (i = 0; good && i < extents.size; ++i) {
    const int64_t extent = extents.items[i].number;
    attempt a;
    good = attempt_init(&a, s, NULL) &&
           set_extent(&a, extent, which->number == kLarger ? 3 * extent + 1 : (extent + 1) / 2, 0,
                      &kLayoutPacked) &&
           attempt_call(&a);
    attempt_free(&a);
  }
  free(extents.items);
  return good;
}

/* Gives inputs the elements of the call that works again. */
static bool turn_back(attempt *a) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    if (tensor != NULL && a->args[i].before != NULL) {
      memcpy(a->args[i].before, tensor->data, a->args[i].size);
    }
  }
  return attempt_reset(a);
}

typedef struct {
  const attempt *a;
  bool is_found;
} argument_search;

static bool look_in_arguments(void *context, const TVMFFIAny *value, TVMFFIAny *out) {
  argument_search *search = context;
  const attempt *a = search->a;
  DLTensor *tensor;
  size_t i;
  *out = tvm_ffi_any_none();
  if (!tvm_ffi_any_try_tensor(value, &tensor)) return false;
  for (i = 0; i < a->num_args; ++i) {
    const char *at = tvm_ffi_tensor_get_data(tensor);
    const storage *store = a->args[i].store;
    search->is_found |= a->args[i].on_device != NULL || /* it may be */
                        (store != NULL && at >= store->block->low && at < store->block->high);
  }
  return true;
}

/* Whether a tensor that is the result, or in it, is in memory of the arguments, where the next call
 * finds it again. */
static bool is_in_arguments(const attempt *a) {
  argument_search search = {a, false};
  const inner_visitor visitor = {look_in_arguments, &search, NULL};
  TVMFFIAny copied;
  const bool good = inner_copy(&a->result, &visitor, &copied);
  tvm_ffi_any_clear(&copied);
  return search.is_found || !good;
}

/* Whether a call with other values did no harm; else it has been judged. */
static bool look_at_others(const attempt *other, outcome *out) {
  text_buf wrong = {NULL, 0, 0};
  const bool good = attempt_is_clean(other, &wrong);
  if (!good) judge(out, kFailed, "with other values: %s", wrong.data);
  text_free(&wrong);
  return good;
}

/* A new process makes the call with other values first, then the one that works: in the same
 * memory, and in others. What is kept of the first by its shape or address shows. Its result is to
 * stay. */
static void judge_first(attempt *a, bool keeps_ends, outcome *out) {
  text_buf kept = {NULL, 0, 0}, now = {NULL, 0, 0}, wrong = {NULL, 0, 0};
  TVMFFIAny result = tvm_ffi_any_none();
  judge(out, kLeftOut, "other calls crash, which other rows judge"); /* what holds if they do */
  if (!turn_inputs(a, keeps_ends) || !attempt_call(a)) {
    leave_out(out);
    return;
  }
  if (!look_at_others(a, out)) return;
  if (a->returned && !is_in_arguments(a)) {
    result = a->result;
    a->result = tvm_ffi_any_none();
    value_write(&kept, &result, &kTensorWhole);
  }
  if (!turn_back(a)) {
    leave_out(out);
    return;
  }
  out->verdict = kVerdictNone;
  if (call_again_and_look(a, out) && look_at_effects(a, &a->s->after, !a->s->may_vary, out)) {
    value_write(&now, &result, &kTensorWhole);
    if (kept.data != NULL && strcmp(kept.data, now.data) != 0) {
      judge(out, kFailed, "the result of the call before changed, from %.200s to %.200s", kept.data,
            now.data);
    } else if (!turn_inputs(a, keeps_ends)) { /* which stay as they are while others are passed */
      leave_out(out);
    } else {
      look_again(a->s, "a call with other values", out);
      if (out->verdict == kVerdictNone) judge(out, kPassed, "as in a new process");
    }
  } else if (out->verdict == kFailed) {
    text_add(&wrong, "after a call with other values in the same memory: %s", out->detail);
    judge(out, kFailed, "%s", wrong.data);
  }
  tvm_ffi_any_clear(&result);
  text_free(&kept);
  text_free(&now);
  text_free(&wrong);
}

/* Another number near it, which a function may as well take; of a text one of the same length, or,
 * unless it is to be another, the same in new memory. */
static TVMFFIAny make_scalar(const TVMFFIAny *given, bool is_other) {
  TVMFFIAny out = tvm_ffi_any_none();
  TVMFFIByteArray text;
  if (tvm_ffi_any_try_string(given, &text)) {
    char *bytes = tool_copy(text.data, text.size);
    if (is_other && text.size > 0) bytes[text.size - 1] = bytes[text.size - 1] == 'x' ? 'y' : 'x';
    text.data = bytes;
    if (TVMFFIStringFromByteArray(&text, &out) != 0) TVMFFIErrorSetRaised(NULL);
    free(bytes);
    return out;
  }
  if (!is_other) return *given;
  if (given->type_index == kTVMFFIFloat) return tvm_ffi_any_from_double(given->v_float64 / 2);
  if (given->type_index == kTVMFFIBool) return tvm_ffi_any_from_bool(given->v_int64 == 0);
  return tvm_ffi_any_from_int64(given->v_int64 == 0 ? 1 : given->v_int64 - 1);
}

/* A new process makes the call with another scalar first, then the one that works, in the same
 * memory: also that of a text, which malloc gives out again. */
static void judge_other_scalar(attempt *a, const probe_case *which, outcome *out) {
  const size_t i = (size_t)which->arg;
  const TVMFFIAny *given = &a->s->inputs->items[i].value;
  judge(out, kLeftOut, "other calls crash, which other rows judge"); /* what holds if they do */
  if (!attempt_set_value(a, i, make_scalar(given, true)) || !attempt_call(a)) {
    leave_out(out);
    return;
  }
  if (!look_at_others(a, out)) return;
  out->verdict = kVerdictNone;
  if (!attempt_reset(a) || !attempt_set_value(a, i, tvm_ffi_any_none()) ||
      !attempt_set_value(a, i, make_scalar(given, false))) {
    leave_out(out);
  } else if (call_again_and_look(a, out) &&
             look_at_effects(a, &a->s->after, !a->s->may_vary, out)) {
    judge(out, kPassed, "as in a new process");
  } else if (out->verdict == kFailed) {
    text_buf wrong = {NULL, 0, 0};
    text_add(&wrong, "after a call with another value of argument %s: %s", a->s->places[i].label,
             out->detail);
    judge(out, kFailed, "%s", wrong.data);
    text_free(&wrong);
  }
}

/* Another type of as many bytes, or of twice as many: it may have a table of its own. */
static DLDataType find_other_dtype(DLDataType dtype) {
  const bool is_wide = dtype.bits > 32;
  if (dtype.code == kDLFloat) return is_wide ? TVM_FFI_C_FLOAT32 : TVM_FFI_C_FLOAT64;
  return is_wide ? TVM_FFI_C_INT32 : TVM_FFI_C_INT64;
}

/* Gives all tensors the shape or type of another call that may be as right: two extents change
 * their places, or one of them is one more. */
static bool make_first_shape(attempt *a, const probe_case *which) {
  const int64_t first = which->other >> 32, second = which->other & INT32_MAX;
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    int64_t shape[kLayoutMaxDims];
    int32_t d;
    if (tensor == NULL) continue;
    for (d = 0; d < tensor->ndim; ++d) {
      const int64_t extent = tensor->shape[d];
      shape[d] = which->number == kFirstDtype    ? extent
                 : which->number == kFirstExtent ? extent + (extent == which->other)
                                                 : (extent == first    ? second
                                                    : extent == second ? first
                                                                       : extent);
    }
    if (!attempt_set_tensor(
            a, i, which->number == kFirstDtype ? find_other_dtype(tensor->dtype) : tensor->dtype,
            shape, tensor->ndim, &kLayoutPacked, NULL)) {
      return false;
    }
  }
  return true;
}

/* A new process makes a call with another shape or type first, then the one that works: what is
 * kept of the first by too little, such as the number of elements, shows. */
static void judge_first_shape(attempt *a, const probe_case *which, outcome *out) {
  static const char *const kAfter[] = {"a call with two extents exchanged",
                                       "a call with one extent more",
                                       "a call with another type of elements"};
  judge(out, kLeftOut, "other calls crash, which other rows judge"); /* what holds if they do */
  if (!make_first_shape(a, which) || !attempt_call(a)) {
    leave_out(out);
    return;
  }
  TVMFFIErrorSetRaised(NULL);
  if (!look_at_others(a, out)) return;
  out->verdict = kVerdictNone;
  look_again(a->s, kAfter[which->number - kFirstSwapped], out);
  if (out->verdict == kVerdictNone) judge(out, kPassed, "as in a new process");
}

void judge_sequence(attempt *a, const probe_case *which, outcome *out) {
  static const char *const kAfter[] = {"a call with other values", "calls with larger tensors",
                                       "calls with smaller tensors"};
  attempt other;
  bool good;
  if (which->number == kFirst || which->number == kFirstMiddle) {
    judge_first(a, which->number == kFirstMiddle, out);
    return;
  }
  if (which->number == kScalar) {
    judge_other_scalar(a, which, out);
    return;
  }
  if (which->number >= kFirstSwapped) {
    judge_first_shape(a, which, out);
    return;
  }
  if (!call_again_and_look(a, out)) return;
  if (!look_at_effects(a, &a->s->after, !a->s->may_vary, out)) return;
  judge(out, kLeftOut, "other calls crash, which other rows judge"); /* what holds if they do */
  if (which->number == kOtherValues) {
    bool is_clean;
    good = attempt_init(&other, a->s, NULL) && change_inputs(&other) && attempt_call(&other);
    is_clean = !good || look_at_others(&other, out);
    attempt_free(&other);
    if (!is_clean) return;
  } else {
    good = call_with_others(a->s, which);
  }
  if (!good) {
    leave_out(out);
    return;
  }
  out->verdict = kVerdictNone;
  TVMFFIErrorSetRaised(NULL);
  look_again(a->s, kAfter[which->number], out);
  if (out->verdict == kVerdictNone) judge(out, kPassed, "the same as before");
}
