/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of other shapes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "probe/rows.h"
#include "system/system.h"
#include "value/number.h"
#include "value/tensor.h"

/* ---- Which calls ---- */

static int32_t find_most_dims(const subject *s) {
  int32_t most = 0;
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    if (tensor != NULL && tensor->ndim > most) most = tensor->ndim;
  }
  return most;
}

/* One more dimension: first, or last; of extent 1, or 2. */
enum { kLastDim = 1, kTwice = 2, kUpToNine = 4, kNine = 9, kAlone = 16 };
/* No dimension at all; all but the first, or the last one. */
enum { kNoDims = 1, kNotFirst, kNotLast };

/* Each dimension whose extent another argument has as well. */
static void list_unequal(const subject *s, const row *kind, case_list *out) {
  size_t i, j;
  int32_t d, e;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      bool is_shared = false;
      for (j = 0; j < s->inputs->size; ++j) {
        const DLTensor *other = j != i ? find_tensor(s, j) : NULL;
        for (e = 0; other != NULL && e < other->ndim; ++e) {
          is_shared = is_shared || other->shape[e] == tensor->shape[d];
        }
      }
      if (!is_shared) continue;
      add_case(out, kind, (int)i, d + 1, ":%s:%d:more", s->places[i].label, (int)d);
      add_case(out, kind, (int)i, -(d + 1), ":%s:%d:less", s->places[i].label, (int)d);
    }
  }
}

/* Whether nobody could mean a call with twice as many elements of one input to give the same,
 * unless they do not matter: they are real numbers, an output is filled, and no indices choose some
 * of them. */
static bool can_be_ignored(const subject *s, size_t i) {
  bool has_output = false;
  size_t j;
  if (s->is_output[i] || find_tensor(s, i)->dtype.code != kDLFloat ||
      find_tensor(s, i)->dtype.lanes != 1 || !numbers_known(find_tensor(s, i)->dtype)) {
    return false;
  }
  for (j = 0; j < s->inputs->size; ++j) {
    const DLTensor *tensor = find_tensor(s, j);
    if (tensor == NULL) continue;
    if (!s->is_output[j] && tensor->dtype.code != kDLFloat) return false;
    has_output = has_output || (subject_fills(s, j) && tvm_ffi_tensor_get_numel(tensor) > 1);
  }
  return has_output;
}

static void list_more_dims(const subject *s, const row *kind, case_list *out) {
  tensor_set sets[kMostSets];
  size_t num_sets, i;
  bool has_any = false;
  for (i = 0; i < s->inputs->size; ++i) {
    if (find_tensor(s, i) == NULL) continue;
    has_any = true;
    add_case(out, kind, (int)i, 0, ":%s:first", s->places[i].label);
    add_case(out, kind, (int)i, kLastDim, ":%s:last", s->places[i].label);
    if (can_be_ignored(s, i)) {
      add_case(out, kind, (int)i, kAlone | kTwice | kLastDim, ":%s:twice", s->places[i].label);
    }
  }
  num_sets = find_sets(s, sets);
  for (i = 0; i < num_sets; ++i) {
    add_set_case(out, kind, &sets[i], kTwice, "first");
    add_set_case(out, kind, &sets[i], kTwice | kLastDim, "last");
  }
  if (has_any && find_most_dims(s) < kNine) add_case(out, kind, -1, kUpToNine, "%s", ":nine");
}

static void list_fewer_dims(const subject *s, const row *kind, case_list *out) {
  tensor_set sets[kMostSets];
  size_t num_sets, i;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    if (tensor != NULL && tensor->ndim > 0)
      add_case(out, kind, (int)i, 0, ":%s", s->places[i].label);
    if (tensor != NULL && tensor->ndim > 1) {
      add_case(out, kind, (int)i, kNotFirst, ":%s:first", s->places[i].label);
      add_case(out, kind, (int)i, kNotLast, ":%s:last", s->places[i].label);
    }
  }
  num_sets = find_sets(s, sets);
  for (i = 0; i < num_sets; ++i) add_set_case(out, kind, &sets[i], 0, "");
  if (find_most_dims(s) > 1) add_case(out, kind, -1, kNoDims, "%s", ":none");
}
/* ---- One extent, one shape ---- */

static bool make_extent(attempt *a, const probe_case *which) {
  const layout how = guard_end(a->s);
  return set_extent(a, which->number, which->kind->choice, 0, &how);
}

static bool make_unequal(attempt *a, const probe_case *which) {
  const subject *s = a->s;
  const DLTensor *tensor = subject_tensor(s, (size_t)which->arg);
  const int64_t d = (which->number < 0 ? -which->number : which->number) - 1;
  int64_t shape[kLayoutMaxDims];
  const layout how = guard_end(s);
  memcpy(shape, tensor->shape, (size_t)tensor->ndim * sizeof *shape);
  shape[d] += which->number < 0 ? -1 : 1;
  attempt_free(a); /* to have all tensors there */
  return attempt_init(a, s, &how) &&
         attempt_set_tensor(a, (size_t)which->arg, tensor->dtype, shape, tensor->ndim, &how, NULL);
}

/* Compares only the elements of outputs: a result may well depend on the shape. */
static void expect_same_elements(attempt *a, const probe_case *which, outcome *out) {
  effects expected = a->s->after;
  effects got;
  text_buf wrong = {NULL, 0, 0};
  size_t i;
  (void)which;
  if (!call_and_look(a, out)) return;
  if (!attempt_take_effects(a, &got)) {
    leave_out(out);
  } else {
    expected.text = got.text;
    expected.result = got.result;
    expected.has_result = got.has_result;
    for (i = 0; i < a->num_args; ++i) { /* the shape of one of them differs */
      DLTensor *x = got.tensors[i] != NULL ? TVMFFITensorGetDLTensorPtr(got.tensors[i]) : NULL;
      if (x == NULL || expected.tensors[i] == NULL) continue;
      x->ndim = TVMFFITensorGetDLTensorPtr(expected.tensors[i])->ndim;
      x->shape = TVMFFITensorGetDLTensorPtr(expected.tensors[i])->shape;
      x->strides = TVMFFITensorGetDLTensorPtr(expected.tensors[i])->strides;
    }
    if (effects_match(a, &got, &expected, false, &wrong)) {
      judge(out, kPassed, "%s", "the same elements");
    } else {
      judge(out, kFailed, "%s", wrong.data);
    }
  }
  effects_free(&got, a->num_args);
  text_free(&wrong);
}

/* Whether the only tensor is changed in place. A function of any rank that works along the last
 * dimension rightly computes other numbers of it in another shape. */
static bool is_in_place(const subject *s) {
  size_t i, num_tensors = 0, num_outputs = 0;
  for (i = 0; i < s->inputs->size; ++i) {
    num_tensors += subject_tensor(s, i) != NULL;
    num_outputs += s->is_output[i];
  }
  return num_tensors == 1 && num_outputs == 1;
}

/* ---- More dimensions, and fewer ---- */

/* The shape of a tensor in these rows; returns the number of dimensions. */
typedef int32_t reshaping(const DLTensor *tensor, int64_t chosen, int64_t *shape);

static int32_t add_dim(const DLTensor *tensor, int64_t chosen, int64_t *shape) {
  const bool is_last = (chosen & kLastDim) != 0;
  memcpy(shape + (is_last ? 0 : 1), tensor->shape, (size_t)tensor->ndim * sizeof *shape);
  shape[is_last ? tensor->ndim : 0] = (chosen & kTwice) != 0 ? 2 : 1;
  return tensor->ndim + 1;
}

/* Dimensions of extent 1 behind the others, so that there are nine. */
static int32_t add_many_dims(const DLTensor *tensor, int64_t chosen, int64_t *shape) {
  int32_t d;
  (void)chosen;
  for (d = 0; d < kNine; ++d) shape[d] = d < tensor->ndim ? tensor->shape[d] : 1;
  return kNine;
}

/* The first two dimensions become one; of a single dimension the first element stays. Or one is
 * left out, or all. */
static int32_t merge_dims(const DLTensor *tensor, int64_t chosen, int64_t *shape) {
  if (chosen == kNoDims) return 0;
  if (chosen != 0) {
    memcpy(shape, tensor->shape + (chosen == kNotFirst),
           (size_t)(tensor->ndim - 1) * sizeof *shape);
    return tensor->ndim - 1;
  }
  if (tensor->ndim > 1) {
    memcpy(shape, tensor->shape + 1, (size_t)(tensor->ndim - 1) * sizeof *shape);
    shape[0] *= tensor->shape[0];
  }
  return tensor->ndim > 0 ? tensor->ndim - 1 : 0;
}

/* Makes all tensors, of which the chosen ones have another shape. */
static bool reshape(attempt *a, const probe_case *which, reshaping *how, bool as_view) {
  const subject *s = a->s;
  const layout guarded = guard_end(s);
  int64_t shape[kLayoutMaxDims + 1];
  size_t i;
  attempt_free(a);
  if (!attempt_init(a, s, &guarded)) return false;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    if (tensor == NULL || !case_changes(which, i)) continue;
    if (!attempt_set_tensor(a, i, tensor->dtype, shape, how(tensor, which->number, shape), &guarded,
                            NULL) ||
        (as_view && i < s->num_passed && !attempt_pass_view(a, i))) {
      return false;
    }
  }
  return true;
}

/* Passes the same elements in another shape, as Tensors and then, if those are taken, as DLTensors
 * whose extents end where nobody may read. */
static void judge_shape(attempt *a, const probe_case *which, reshaping *how, bool same_elements,
                        outcome *out) {
  int as_view;
  for (as_view = 0; as_view < 2; ++as_view) {
    if (!reshape(a, which, how, as_view != 0)) {
      leave_out(out);
    } else {
      (same_elements ? expect_same_elements : expect_clean)(a, which, out);
    }
    if (out->verdict != kPassed) return;
  }
}

/* How many elements of outputs are as they were, of a call that fills them; counts all, too. Those
 * that are not whole bytes are not counted. */
static size_t count_untouched(const attempt *a, size_t *out_all) {
  size_t untouched = 0, i, k;
  *out_all = 0;
  for (i = 0; i < a->num_args; ++i) {
    const argument *arg = &a->args[i];
    const size_t item = arg->store != NULL && arg->is_output && arg->size > 0
                            ? element_size(arg->store->tensor.dtype)
                            : 0;
    const size_t count = item > 0 ? arg->size / item : 0;
    unsigned char *now;
    if (count == 0) continue;
    now = tool_alloc(arg->size + 1);
    storage_read(arg->store, now);
    for (k = 0; k < count; ++k) {
      untouched += memcmp(now + k * item, arg->before + k * item, item) == 0;
    }
    *out_all += count;
    free(now);
  }
  return untouched;
}

/* Fills the outputs that hold nothing yet with bytes that no function computes. */
static bool fill_outputs(attempt *a) {
  enum { kUnlikely = 0xa5 };
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    argument *arg = &a->args[i];
    if (arg->store == NULL || arg->before == NULL || !subject_fills(a->s, i)) continue;
    memset(arg->before, kUnlikely, arg->size);
  }
  return attempt_reset(a);
}

/* Twice as many elements, in one more dimension of all tensors: a function that takes them is to
 * fill all of its outputs, if it fills them otherwise. */
static void judge_twice(attempt *a, const probe_case *which, outcome *out) {
  const subject *s = a->s;
  attempt given;
  size_t untouched, all;
  bool good = attempt_init(&given, s, NULL) && fill_outputs(&given) && attempt_call(&given);
  const bool fills = good && given.returned && count_untouched(&given, &all) == 0 && all > 0;
  attempt_free(&given);
  good = good && reshape(a, which, add_dim, false) && fill_outputs(a);
  if (!good) {
    leave_out(out);
    return;
  }
  if (!call_and_look(a, out)) return;
  untouched = count_untouched(a, &all);
  if (fills && untouched >= all / 2) {
    judge(out, kFailed, "it returned, and left %zu of %zu elements of its outputs unwritten",
          untouched, all);
  } else {
    judge(out, kPassed, "it did no harm");
  }
}

/* One input has one more dimension, of extent 2, and the elements of the call that works before
 * others, which are large: a function that gives the same ignores the dimension. */
static void judge_twice_alone(attempt *a, const probe_case *which, outcome *out) {
  const double large = 1e4;
  const subject *s = a->s;
  const DLTensor *tensor = find_tensor(s, (size_t)which->arg);
  const size_t count = (size_t)tvm_ffi_tensor_get_numel(tensor);
  text_buf ignored = {NULL, 0, 0};
  argument *arg = &a->args[which->arg];
  effects got;
  size_t k;
  memset(&got, 0, sizeof got);
  if (!reshape(a, which, add_dim, false)) {
    leave_out(out);
    return;
  }
  arg = &a->args[which->arg];
  for (k = count; k < 2 * count; ++k) {
    number_set_real(tensor->dtype, arg->before, k, k % 2 == 0 ? large : -large);
  }
  if (!attempt_reset(a)) {
    leave_out(out);
  } else if (call_and_look(a, out)) {
    judge(out, kPassed, "it did no harm");
    if (attempt_take_effects(a, &got) && effects_match(a, &got, &s->after, true, &ignored)) {
      judge(out, kFailed,
            "argument %s has one more dimension, of extent 2, and the result is the same: half of "
            "its elements are ignored",
            s->places[which->arg].label);
      look_whether_used(s, which, out);
    }
  }
  effects_free(&got, s->inputs->size);
  text_free(&ignored);
}

static void judge_more_dims(attempt *a, const probe_case *which, outcome *out) {
  if (which->number == kUpToNine) {
    judge_shape(a, which, add_many_dims, false, out);
  } else if ((which->number & kAlone) != 0) {
    judge_twice_alone(a, which, out);
  } else if ((which->number & kTwice) != 0) {
    judge_twice(a, which, out);
  } else {
    judge_shape(a, which, add_dim, !is_in_place(a->s), out);
  }
}

/* With one tensor the elements are to stay the same. Of all that are changed alike, a function of
 * any rank may rightly compute others. */
static void judge_fewer_dims(attempt *a, const probe_case *which, outcome *out) {
  const bool is_one = which->arg >= 0;
  const DLTensor *tensor = is_one ? subject_tensor(a->s, (size_t)which->arg) : NULL;
  judge_shape(a, which, merge_dims,
              is_one && which->number == 0 && tensor->ndim > 1 && !is_in_place(a->s), out);
}

/* ---- Extents that 32 bits cannot hold ---- */

/* The numbers of elements that 32 bits cannot hold: as a negative number, and as a small one. */
static const int64_t kHuge[] = {(INT64_C(1) << 31) + 8, (INT64_C(1) << 32) + 8};
/* And as the product of all extents, or of two: that one is 2^32, of which 32 bits are 0. */
enum { kProduct = -1, kPair = -2, kPairExtent = 1 << 16 };

static int64_t get_first(int64_t pair) {
  return pair >> 32;
}

static int64_t get_second(int64_t pair) {
  return pair & INT32_MAX;
}

/* Whether a tensor has both extents, in two dimensions. */
static bool has_pair(const DLTensor *tensor, int64_t pair) {
  int32_t d, e;
  for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
    for (e = d + 1; e < tensor->ndim; ++e) {
      const int64_t x = tensor->shape[d], y = tensor->shape[e];
      if ((x == get_first(pair) && y == get_second(pair)) ||
          (y == get_first(pair) && x == get_second(pair)))
        return true;
    }
  }
  return false;
}

/* Two extents of one tensor, whose product a function may keep in 32 bits. */
static void list_pairs(const subject *s, const row *kind, const case_list *extents,
                       case_list *out) {
  size_t i, j, k;
  for (i = 0; i < extents->size; ++i) {
    for (j = i; j < extents->size; ++j) {
      const int64_t first = extents->items[i].number, second = extents->items[j].number;
      const int64_t pair = first << 32 | second;
      bool is_there = false;
      if (first <= 1 || second <= 1 || first > INT32_MAX || second > INT32_MAX) continue;
      for (k = 0; k < s->inputs->size; ++k) is_there |= has_pair(find_tensor(s, k), pair);
      if (!is_there) continue;
      add_case(out, kind, -1, kPair, ":%" PRId64 ":%" PRId64 ":product", first, second);
      out->items[out->size - 1].other = pair;
    }
  }
}

static void list_huge(const subject *s, const row *kind, case_list *out) {
  case_list extents = {NULL, 0};
  size_t i;
  if (sizeof(size_t) < 8) return;
  list_extents(s, kind, &extents);
  for (i = 0; i < extents.size; ++i) {
    const int64_t extent = extents.items[i].number;
    add_case(out, kind, -1, extent, ":%" PRId64 ":31", extent);
    out->items[out->size - 1].other = kHuge[0];
    add_case(out, kind, -1, extent, ":%" PRId64 ":32", extent);
    out->items[out->size - 1].other = kHuge[1];
  }
  if (extents.size > 0 && find_most_dims(s) > 1)
    add_case(out, kind, -1, kProduct, "%s", ":product");
  list_pairs(s, kind, &extents, out);
  free(extents.items);
}

/* The least extent with which a tensor of so many dimensions has as many elements. */
static int64_t find_root(int32_t ndim, int64_t count) {
  int64_t root = 1, product;
  int32_t d;
  do {
    ++root;
    for (d = 0, product = 1; d < ndim && product < count; ++d) product *= root;
  } while (product < count);
  return root;
}

/* For all tensors with the extent, which becomes `other`; or of all extents, of which the product
 * becomes that; or with one of a pair, which both become that. */
static bool take_all_memory(attempt *a, const probe_case *which, int64_t other, size_t opened) {
  const int64_t extent = which->number;
  const int32_t most = find_most_dims(a->s);
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = subject_tensor(a->s, i);
    int64_t shape[kLayoutMaxDims];
    int32_t d;
    if (tensor == NULL) continue;
    if (extent == kProduct) {
      for (d = 0; d < tensor->ndim; ++d) shape[d] = find_root(most, other);
    } else if (extent == kPair) {
      for (d = 0; d < tensor->ndim; ++d) {
        const bool is_one = tensor->shape[d] == get_first(which->other) ||
                            tensor->shape[d] == get_second(which->other);
        shape[d] = is_one ? other : tensor->shape[d];
      }
    } else if (!replace_extent(tensor, extent, other, shape)) {
      continue;
    }
    if (!take_memory(a, i, shape, opened)) return false;
  }
  return true;
}

/* Whether the extent alone decides how much there is to do: outputs have it, or there is no
 * other. The product of all does so if an output, or the only tensor, has as many dimensions. */
static bool is_decisive(const subject *s, const probe_case *which) {
  const int64_t extent = which->number;
  const int32_t most = find_most_dims(s);
  size_t i, num_tensors = 0;
  int32_t d;
  bool is_only = true;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    num_tensors += tensor != NULL;
    if (extent == kProduct && tensor != NULL && tensor->ndim == most && s->is_output[i])
      return true;
    if (extent == kPair && s->is_output[i] && has_pair(tensor, which->other)) return true;
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      if (tensor->shape[d] == extent && s->is_output[i]) return true;
      is_only = is_only && (tensor->shape[d] == extent || tensor->shape[d] == 1);
    }
  }
  return extent < 0 ? num_tensors == 1 : is_only;
}

/* Makes the call with other extents, of which only the first page has memory, too. False if it does
 * not return; it crashes if it goes on beyond the page. */
static bool returns_early(const subject *s, const probe_case *which, int64_t other, outcome *out) {
  attempt a;
  bool returned = false;
  if (!attempt_init(&a, s, NULL) || !take_all_memory(&a, which, other, pages_size()) ||
      !attempt_call(&a)) {
    leave_out(out);
  } else {
    returned = a.returned;
  }
  attempt_free(&a);
  return returned;
}

/* After the verdict that a function returned too early. One that does so with a million cuts off to
 * fewer bits, unless it also does with a number that 16 bits hold: then it may need no more of any
 * extent. rows_judge_end() sees the crash of one that does not. */
static void look_whether_needed(const subject *s, const probe_case *which, outcome *out) {
  enum { kModerate = 30000, kModerateOfPair = 128, kMillion = (1 << 20) + 8, kOfPair = 1 << 10 };
  const bool is_pair = which->number == kPair;
  if (!returns_early(s, which, is_pair ? kOfPair : kMillion, out)) return;
  judge(out, kFailed,
        "it returned, but did not get beyond the first elements: %s of a million is cut off, as "
        "to 16 bits",
        which->number < 0 ? "a number of elements" : "an extent");
  if (returns_early(s, which, is_pair ? kModerateOfPair : kModerate, out)) {
    judge(out, kPassed, "it may need no more than the first elements");
  }
}

/* Of tensors that are huge, the first page alone has memory. A function that goes on from there
 * uses all of the extent: rows_judge_end() lets that pass. One that ends before has cut it off,
 * unless it never uses more. */
static bool make_huge(attempt *a, const probe_case *which) {
  enum { kMoreMemory = 1 << 30 };
  process_limit_memory(kMoreMemory); /* a function may ask for as much memory for itself */
  return take_all_memory(a, which,
                         which->number == kProduct ? kHuge[0]
                         : which->number == kPair  ? kPairExtent
                                                   : which->other,
                         pages_size());
}

static void judge_huge(attempt *a, const probe_case *which, outcome *out) {
  const bool is_pair = which->number == kPair;
  if (!call_and_look(a, out)) return;
  if (!is_decisive(a->s, which)) {
    judge(out, kPassed, "it may need no more than other extents say");
    return;
  }
  judge(out, kFailed,
        "it returned, but did not get beyond the first elements: %s %" PRId64
        " may be cut off, as to 32 bits",
        which->number < 0 ? "a number of elements of at least" : "an extent of",
        is_pair                     ? INT64_C(1) << 32
        : which->number == kProduct ? kHuge[0]
                                    : which->other);
  look_whether_needed(a->s, which, out);
}

/* ---- The table ---- */

static const row kRows[] = {
    {{"extent-0", "an extent is 0, wherever the call has it", NULL,
      "dividing by it, or `do ... while`; a grid of 0 blocks. Return early"},
     list_extents,
     0,
     make_extent,
     expect_clean,
     NULL,
     0},
    {{"extent-1", "an extent is 1, wherever the call has it", NULL,
      "a loop that begins at element 1"},
     list_extents,
     1,
     make_extent,
     expect_clean,
     NULL,
     0},
    {{"unequal", "an extent that another tensor also has is one more, and one less", NULL,
      "one tensor's extents are used for all. C: `tvm_ffi_args_check_same`, `check_shape`; C++: "
      "compare `shape()`; `wrap`: the same name for both extents"},
     list_unequal,
     0,
     make_unequal,
     expect_clean,
     NULL,
     0},
    {{"more-dims", "there is one more dimension, of extent 1; there are nine", "other numbers",
      "`ndim` is ignored, or more than an array of fixed size has. C: `tvm_ffi_args_check_ndim`; "
      "C++: `ndim()`"},
     list_more_dims,
     0,
     NULL,
     judge_more_dims,
     NULL,
     0},
    {{"fewer-dims", "two dimensions become one; one is left out, or all", "other numbers",
      "the same: `shape[1]` is read past the end"},
     list_fewer_dims,
     0,
     NULL,
     judge_fewer_dims,
     NULL,
     kRowVariesSets},
    {{"huge", "extents are above 2^31 and 2^32, or their product is",
      "it returns without using them",
      "`int n = shape[0]`. Use `int64_t`, or refuse what does not fit"},
     list_huge,
     0,
     make_huge,
     judge_huge,
     NULL,
     kRowNeedsHost | kRowEndsAtMemory},
};
const row_group kShapeRows = {
    "shapes",
    {"shapes:", "what a function may take or refuse", NULL, WHY_KERNELS_FAIL},
    "unharmed by other shapes",
    "fails with other shapes:",
    kRows,
    sizeof kRows / sizeof *kRows};
