/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the same values in other layouts. */
#include <stdlib.h>
#include <string.h>

#include "probe/rows.h"
#include "value/tensor.h"

/* ---- Which calls ---- */

/* No extent is larger than that in a short call. */
enum { kShort = 2 };

static bool has_extent_above(const subject *s, int64_t least) {
  size_t i;
  int32_t d;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      if (tensor->shape[d] > least) return true;
    }
  }
  return false;
}

static void list_misaligned(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    int32_t bytes = tensor != NULL ? tvm_ffi_dtype_get_bytes(tensor->dtype) : 0;
    if (tensor == NULL) continue;
    if (bytes > 1 && bytes < kMemoryAlignment) {
      add_case(out, kind, (int)i, bytes, ":%s:element", s->places[i].label);
      if (has_extent_above(s, kShort)) {
        add_case(out, kind, (int)i, bytes, ":%s:short", s->places[i].label);
        out->items[out->size - 1].other = kShort;
      }
    }
    add_case(out, kind, (int)i, 1, ":%s:byte", s->places[i].label);
  }
}

static void list_broadcast(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int32_t d;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    for (d = 0; tensor != NULL && !s->is_output[i] && d < tensor->ndim; ++d) {
      if (tensor->shape[d] > 1)
        add_case(out, kind, (int)i, d, ":%s:%d", s->places[i].label, (int)d);
    }
  }
}
/* ---- Arranging a tensor ---- */

/* Passes the tensors of the case as its row arranges them. */
static bool make_arranged(attempt *a, const probe_case *which) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    int64_t strides[kLayoutMaxDims];
    layout how = kLayoutPacked;
    if (tensor == NULL || !case_changes(which, i)) continue;
    which->kind->arrange(tensor, which->number, &how, strides);
    if (!attempt_place(a, i, &how)) return false;
  }
  return true;
}

#define ARRANGE(name) \
  static void arrange_##name(const DLTensor *tensor, int64_t chosen, layout *how, int64_t *strides)

ARRANGE(offset) {
  (void)tensor, (void)chosen, (void)strides;
  how->before = how->byte_offset = 256;
}

ARRANGE(misaligned) {
  (void)tensor, (void)strides;
  how->misaligned = (size_t)chosen;
}

ARRANGE(strided) {
  (void)chosen;
  set_strides(tensor, 2, strides);
  how->strides = strides;
}

ARRANGE(transposed) {
  int64_t stride = 1;
  int32_t d;
  (void)chosen;
  for (d = 0; d < tensor->ndim; ++d) {
    strides[d] = stride;
    stride *= tensor->shape[d];
  }
  how->strides = strides;
}

ARRANGE(negative) {
  (void)chosen;
  set_strides(tensor, -1, strides);
  how->strides = strides;
}

ARRANGE(page_end) {
  (void)tensor, (void)chosen, (void)strides;
  how->guard = kGuardEnd;
}

ARRANGE(page_begin) {
  (void)tensor, (void)chosen, (void)strides;
  how->guard = kGuardStart;
}

ARRANGE(read_only) {
  (void)tensor, (void)chosen, (void)strides;
  how->is_read_only = how->has_read_only_pages = true;
}

ARRANGE(pinned) {
  (void)tensor, (void)chosen, (void)strides;
  how->device = tvm_ffi_device_make(kDLCUDAHost, 0);
}

ARRANGE(managed) {
  (void)tensor, (void)chosen, (void)strides;
  how->device = tvm_ffi_device_make(kDLCUDAManaged, 0);
}

/* ---- A few elements off their alignment ---- */

/* All tensors with no extent above that of the case; those of the case are misaligned, if that is
 * asked for. */
static bool shorten(attempt *a, const probe_case *which, bool is_misaligned) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    layout how = kLayoutPacked;
    int64_t shape[kLayoutMaxDims];
    int32_t d;
    if (tensor == NULL) continue;
    for (d = 0; d < tensor->ndim; ++d) {
      shape[d] = tensor->shape[d] > which->other ? which->other : tensor->shape[d];
    }
    if (is_misaligned && case_changes(which, i)) how.misaligned = (size_t)which->number;
    if (!attempt_set_tensor(a, i, tensor->dtype, shape, tensor->ndim, &how, NULL)) return false;
  }
  return true;
}

/* A loop up to the next aligned element may be longer than the tensor. */
static void judge_misaligned(attempt *a, const probe_case *which, outcome *out) {
  const subject *s = a->s;
  attempt other;
  if (which->other == 0) {
    expect_same(a, which, out);
    return;
  }
  attempt_free(a);
  memset(&other, 0, sizeof other);
  if (attempt_init(a, s, NULL) && attempt_init(&other, s, NULL) && shorten(a, which, false) &&
      shorten(&other, which, true)) {
    compare_calls(a, &other, out);
  } else {
    leave_out(out);
  }
  attempt_free(&other);
}

/* ---- Others ---- */

/* NULL, which means that the elements are contiguous. */
enum { kNoStrides = 1 };

/* An Array or a Map cannot hold a DLTensor *. */
static void list_views(const subject *s, const row *kind, case_list *out) {
  size_t i, count = 0;
  for (i = 0; i < s->num_passed; ++i) {
    if (find_tensor(s, i) == NULL) continue;
    add_case(out, kind, (int)i, 0, ":%s", s->places[i].label);
    add_case(out, kind, (int)i, kNoStrides, ":%s:no-strides", s->places[i].label);
    ++count;
  }
  if (count > 1) add_case(out, kind, -1, 0, "%s", ":all");
}

static bool make_view(attempt *a, const probe_case *which) {
  size_t i;
  for (i = 0; i < a->num_passed; ++i) {
    if (a->args[i].store == NULL || !case_changes(which, i)) continue;
    if (!attempt_pass_view(a, i)) return false;
    if (which->number == kNoStrides) a->args[i].view.strides = NULL;
  }
  return true;
}

/* The elements of one slice, for each index of a dimension. */
static void repeat_slice(const DLTensor *tensor, int32_t dim, void *out) {
  DLTensor slice = *tensor;
  int64_t strides[kLayoutMaxDims];
  set_strides(tensor, 1, strides);
  strides[dim] = 0;
  slice.strides = strides;
  tensor_gather(&slice, out);
}

static void judge_broadcast(attempt *a, const probe_case *which, outcome *out) {
  const DLTensor *tensor = subject_tensor(a->s, (size_t)which->arg);
  const size_t i = (size_t)which->arg;
  unsigned char *values = tool_alloc(tensor_size(tensor) + 1);
  int64_t strides[kLayoutMaxDims];
  layout how = kLayoutPacked;
  attempt other;
  bool good;
  repeat_slice(tensor, (int32_t)which->number, values);
  set_strides(tensor, 1, strides);
  strides[which->number] = 0;
  how.strides = strides;
  good = attempt_init(&other, a->s, NULL) &&
         attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &kLayoutPacked,
                            values) &&
         attempt_set_tensor(&other, i, tensor->dtype, tensor->shape, tensor->ndim, &how, values);
  if (good) {
    compare_calls(a, &other, out);
  } else {
    leave_out(out);
  }
  attempt_free(&other);
  free(values);
}

/* The strides of dimensions of one element are arbitrary: where the call has none, an extent is
 * made 1. */
static void judge_unit(attempt *a, const probe_case *which, outcome *out) {
  attempt other;
  const bool good = attempt_init(&other, a->s, NULL) &&
                    set_extent(a, which->number, 1, 0, &kLayoutPacked) &&
                    set_extent(&other, which->number, 1, 1021, &kLayoutPacked);
  if (good) {
    compare_calls(a, &other, out);
  } else {
    leave_out(out);
  }
  attempt_free(&other);
}

/* ---- The order of addresses ---- */

/* With two tensors or more. */
static void list_order(const subject *s, const row *kind, case_list *out) {
  size_t i, count = 0;
  for (i = 0; i < s->inputs->size; ++i) count += find_tensor(s, i) != NULL;
  if (count > 1) list_once(s, kind, out);
}

static void judge_order(attempt *a, const probe_case *which, outcome *out) {
  const subject *s = a->s;
  text_buf wrong = {NULL, 0, 0};
  int is_descending;
  for (is_descending = 0; is_descending < 2; ++is_descending) {
    if (is_descending != 0) attempt_free(a);
    if ((is_descending != 0 && !attempt_init(a, s, NULL)) ||
        !attempt_order(a, is_descending != 0)) {
      leave_out(out);
    } else {
      expect_same(a, which, out);
    }
    if (out->verdict != kPassed) break;
  }
  if (out->verdict != kFailed) return;
  text_add(&wrong, "%s, with %s arguments at lower addresses; other failures may have this cause",
           out->detail, is_descending != 0 ? "later" : "earlier");
  judge(out, kFailed, "%s", wrong.data);
  text_free(&wrong);
}

/* ---- The table ---- */

static const row kRows[] = {
    {{"order", "tensors are in one memory, in the order of the arguments and in the other",
      "other numbers",
      "it compares addresses, as to copy from the end, where memory overlaps. Compare ranges"},
     list_order,
     0,
     NULL,
     judge_order,
     NULL,
     kRowNeedsHost},
    {{"offset", "data begins after byte_offset", NULL,
      "`data` is used alone. C: `tvm_ffi_tensor_get_data(t)`; C++: `data_ptr()` of these headers "
      "includes it, with the reference's add `byte_offset()`"},
     list_tensors,
     0,
     make_arranged,
     expect_same,
     arrange_offset,
     0},
    {{"misaligned",
      "data begins one element, and one byte, off its alignment; of few elements, too", NULL,
      "wide loads (`float4`, AVX) round the address or crash. C: `tvm_ffi_args_check_aligned(args, "
      "i, 16)`; C++: `CheckAligned`; `wrap`: `x[n] align 16`"},
     list_misaligned,
     0,
     make_arranged,
     judge_misaligned,
     arrange_misaligned,
     0},
    {{"strided", "every stride is doubled", NULL,
      "strides are ignored. C: `tvm_ffi_args_check_contiguous`, or accept any with "
      "`tvm_ffi_tensor_runs_begin`; C++: `IsContiguous()`, or `ForEach`; `wrap` checks it, and "
      "accepts strides in `x[n:s][m:1]`"},
     list_tensors,
     0,
     make_arranged,
     expect_same,
     arrange_strided,
     0},
    {{"transposed", "elements are in column-major order", NULL,
      "only one of the strides is used, as a leading dimension"},
     list_tensors,
     2,
     make_arranged,
     expect_same,
     arrange_transposed,
     0},
    {{"negative", "strides are negative", NULL,
      "strides in unsigned or 32-bit variables; a BLAS function, which expects the lowest address "
      "(`wrap`: `x[n:s] strides blas`)"},
     list_tensors,
     1,
     make_arranged,
     expect_same,
     arrange_negative,
     0},
    {{"broadcast", "a dimension of an input has stride 0", NULL,
      "0 is taken to mean \"not given\""},
     list_broadcast,
     0,
     NULL,
     judge_broadcast,
     NULL,
     0},
    {{"unit", "dimensions of extent 1 have arbitrary strides", NULL,
      "it is passed on as a leading dimension, or used in a loop over all elements. Ignore it, and "
      "use a contiguous tensor's stride"},
     list_extents,
     0,
     NULL,
     judge_unit,
     NULL,
     0},
    {{"page-end", "no memory follows the elements", NULL,
      "loops that read whole vectors. Handle the rest separately"},
     list_tensors,
     0,
     make_arranged,
     expect_same,
     arrange_page_end,
     kRowNeedsHost},
    {{"page-begin", "no memory precedes the elements", NULL, "the same, from the other end"},
     list_tensors,
     0,
     make_arranged,
     expect_same,
     arrange_page_begin,
     kRowNeedsHost},
    {{"read-only", "inputs are in memory that cannot be written", NULL,
      "an input is used as a buffer, even if its values are restored"},
     list_inputs,
     0,
     make_arranged,
     expect_same,
     arrange_read_only,
     kRowNeedsHost},
    {{"pinned", "host memory claims the device cuda_host", NULL,
      "an unknown device is taken to mean \"nothing to do\". C: "
      "`tvm_ffi_args_check_readable_by(args, i, kDLCPU)`; C++: `DeviceCanRead`"},
     list_tensors,
     0,
     make_arranged,
     expect_same,
     arrange_pinned,
     kRowNeedsHost},
    {{"managed", "host memory claims the device cuda_managed", NULL, "the same"},
     list_tensors,
     0,
     make_arranged,
     expect_same,
     arrange_managed,
     kRowNeedsHost},
    {{"view", "a DLTensor is passed in place of the Tensor, also without strides", NULL,
      "the argument's type index is ignored; `strides[0]` is read where `strides` is NULL, as it "
      "may "
      "be of a contiguous tensor. C: `tvm_ffi_tensor_read_stride`"},
     list_views,
     0,
     make_view,
     expect_same,
     NULL,
     0},
};
const row_group kLayoutRows = {"layouts",
                               {"layouts:", "the same values, laid out differently in memory",
                                "other numbers", WHY_KERNELS_FAIL},
                               "safe for any layout",
                               "fails in other layouts:",
                               kRows,
                               sizeof kRows / sizeof *kRows};
