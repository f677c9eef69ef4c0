/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of generated calls, which a second implementation judges: the reference. What differs is
 * made smaller, until it is a call that a person can look at. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "probe/python.h"
#include "probe/rows.h"
#include "value/number.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* Larger calls take long, and their results are large. */
enum { kMostElements = 1 << 19 };

/* ---- Numbers that no tolerance tells from 0 ---- */

/* The least number of a type that is not subnormal; 0: it is no real type. */
static double get_least(DLDataType dtype) {
  const small_float *narrow = small_float_find(dtype);
  if (narrow != NULL) return ldexp(1, 1 - narrow->bias);
  return dtype.code != kDLFloat ? 0 : dtype.bits >= 64 ? DBL_MIN : FLT_MIN;
}

static bool is_single(DLDataType dtype) {
  return numbers_known(dtype) && numbers_per_element(dtype) == 1;
}

/* If all elements of a tensor are subnormal, the least number that is not; else 0. */
static double find_subnormal(const attempt *a) {
  size_t i, k;
  for (i = 0; i < a->num_args; ++i) {
    const argument *arg = &a->args[i];
    const DLDataType dtype = arg->store != NULL ? arg->store->tensor.dtype : TVM_FFI_C_INT32;
    const double least = arg->before != NULL && is_single(dtype) ? get_least(dtype) : 0;
    size_t count = 0, all = least > 0 ? (size_t)tvm_ffi_tensor_get_numel(&arg->store->tensor) : 0;
    if (subject_fills(a->s, i)) continue;
    for (k = 0; k < all; ++k) {
      const double value = fabs(number_get(dtype, arg->before, k).real);
      count += value > 0 && value < least;
    }
    if (all > 0 && count == all) return least;
  }
  return 0;
}

/* Whether an input has a negative zero. */
static bool has_negative_zero(const attempt *a) {
  size_t i, k;
  for (i = 0; i < a->num_args; ++i) {
    const argument *arg = &a->args[i];
    if (arg->store == NULL || arg->before == NULL || !is_single(arg->store->tensor.dtype)) continue;
    for (k = 0; k < (size_t)tvm_ffi_tensor_get_numel(&arg->store->tensor); ++k) {
      const double value = number_get(arg->store->tensor.dtype, arg->before, k).real;
      if (value == 0 && signbit(value)) return true;
    }
  }
  return false;
}

typedef struct {
  size_t tiny, lost, signs; /* results that are tiny, of which others came; zeros of other signs */
} small_counts;

static void count_small(const DLTensor *got, const DLTensor *expected, double least,
                        small_counts *out) {
  const double share = 0.25; /* more than by rounding */
  size_t k;
  if (!is_single(got->dtype)) return;
  for (k = 0; k < (size_t)tvm_ffi_tensor_get_numel(got); ++k) {
    const double x = number_get(got->dtype, got->data, k).real;
    const double y = number_get(got->dtype, expected->data, k).real;
    out->signs += x == 0 && y == 0 && signbit(x) != signbit(y);
    if (y == 0 || fabs(y) > 8 * least) continue;
    ++out->tiny;
    out->lost += fabs(x - y) > share * fabs(y);
  }
}

/* After results that are the same within the tolerance. False if subnormal numbers of a narrow type
 * were lost, which no processor does by itself; notes what else differs. */
static bool look_at_small(const attempt *a, const effects *got, const effects *expected,
                          outcome *out, text_buf *wrong) {
  const double least = find_subnormal(a);
  small_counts counts = {0, 0, 0};
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    if (got->tensors[i] == NULL || expected->tensors[i] == NULL) continue;
    count_small(TVMFFITensorGetDLTensorPtr(got->tensors[i]),
                TVMFFITensorGetDLTensorPtr(expected->tensors[i]), least, &counts);
  }
  if (least > 0 && counts.tiny > 0 && counts.lost == counts.tiny) {
    text_add(wrong, "subnormal numbers are lost: %zu results are 0 or others than the reference's",
             counts.lost);
    if (least > FLT_MIN) return false;
  } else if (counts.signs > 0 && has_negative_zero(a)) {
    text_add(wrong, "zeros have other signs than the reference's: %zu", counts.signs);
  }
  out->is_note = wrong->size > 0;
  return true;
}

/* ---- Two calls with the same arguments ---- */

typedef enum { kNoDifference, kDifference, kNoReference } difference;

/* Makes both calls. `wrong` gets what differs, or why there is nothing to compare with. */
static difference compare_with_reference(attempt *a, attempt *reference, outcome *out,
                                         text_buf *wrong) {
  effects expected, got;
  difference found = kNoReference;
  memset(&expected, 0, sizeof expected);
  memset(&got, 0, sizeof got);
  reference->by_reference = true;
  judge(out, kLeftOut, "the reference crashes, or takes too long"); /* what holds if it does */
  if (!attempt_call(reference) || !attempt_take_effects(reference, &expected)) {
    leave_out(out);
    return found;
  }
  if (!reference->returned) {
    text_add(wrong, "the reference refuses it: ");
    attempt_describe_error(reference, wrong);
    judge(out, kLeftOut, "%s", wrong->data);
  } else {
    out->verdict = kVerdictNone;
    if (call_and_look(a, out) && !attempt_take_effects(a, &got)) {
      leave_out(out);
    } else if (out->verdict == kVerdictNone) {
      const bool is_same = effects_match(a, &got, &expected, false, wrong) &&
                           look_at_small(a, &got, &expected, out, wrong);
      found = is_same ? kNoDifference : kDifference;
    } else if (out->verdict == kRefused) {
      out->is_note = true; /* the reference takes it */
    }
  }
  effects_free(&got, a->num_args);
  effects_free(&expected, reference->num_args);
  return found;
}

/* ---- Making a failure smaller ---- */

/* The tensors of a call, of which copies are made. */
typedef struct {
  const subject *s;
  int64_t (*shapes)[kLayoutMaxDims];
  unsigned char **elements;
  size_t *items; /* bytes of an element; 0: it is not whole bytes */
  DLDataType *dtypes;
} plan;

static size_t count_elements(const plan *p, size_t i) {
  const DLTensor *tensor = subject_tensor(p->s, i);
  size_t count = 1;
  int32_t d;
  for (d = 0; d < tensor->ndim; ++d) count *= (size_t)p->shapes[i][d];
  return count;
}

static void plan_begin(plan *p, const attempt *a) {
  const size_t count = a->num_args + 1;
  size_t i;
  p->s = a->s;
  p->shapes = tool_alloc(count * sizeof *p->shapes);
  p->elements = tool_alloc(count * sizeof *p->elements);
  p->items = tool_alloc(count * sizeof *p->items);
  p->dtypes = tool_alloc(count * sizeof *p->dtypes);
  memset(p->elements, 0, count * sizeof *p->elements);
  for (i = 0; i < a->num_args; ++i) {
    const argument *arg = &a->args[i];
    if (arg->store == NULL) continue;
    memcpy(p->shapes[i], arg->store->shape, sizeof p->shapes[i]);
    p->dtypes[i] = arg->store->tensor.dtype;
    p->items[i] = element_size(p->dtypes[i]);
    p->elements[i] = tool_alloc(arg->size + 1);
    memcpy(p->elements[i], arg->before, arg->size);
  }
}

static void plan_free(plan *p) {
  size_t i;
  for (i = 0; i < p->s->inputs->size; ++i) free(p->elements[i]);
  free(p->elements);
  free(p->shapes);
  free(p->items);
  free(p->dtypes);
}

static bool plan_make(const plan *p, attempt *out) {
  size_t i;
  bool good = attempt_init(out, p->s, NULL);
  for (i = 0; good && i < p->s->inputs->size; ++i) {
    if (p->elements[i] == NULL) continue;
    good = attempt_set_tensor(out, i, p->dtypes[i], p->shapes[i], subject_tensor(p->s, i)->ndim,
                              &kLayoutPacked, p->elements[i]);
  }
  return good;
}

/* Whether the call of the plan still differs. */
static bool plan_differs(const plan *p, text_buf *wrong) {
  outcome *ignored = tool_alloc(sizeof *ignored);
  attempt a, reference;
  bool differs;
  memset(ignored, 0, sizeof *ignored);
  differs = plan_make(p, &a);
  if (plan_make(p, &reference) && differs) {
    differs = compare_with_reference(&a, &reference, ignored, wrong) == kDifference;
  }
  attempt_free(&a);
  attempt_free(&reference);
  free(ignored);
  return differs;
}

/* The elements of the tensor with a smaller extent wherever it has one: the first ones of each
 * dimension, or of the whole tensor if they are not whole bytes. */
static unsigned char *crop(const plan *p, size_t i, int64_t extent, int64_t other) {
  const DLTensor *tensor = subject_tensor(p->s, i);
  int64_t strides[kLayoutMaxDims], shape[kLayoutMaxDims], stride = 1;
  DLTensor part = *tensor;
  int32_t d;
  unsigned char *out;
  for (d = tensor->ndim - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= p->shapes[i][d];
    shape[d] = p->shapes[i][d] == extent ? other : p->shapes[i][d];
  }
  part.dtype = p->dtypes[i];
  part.data = p->elements[i];
  part.byte_offset = 0;
  part.shape = shape;
  part.strides = p->items[i] > 0 ? strides : NULL;
  out = tool_alloc(tensor_size(&part) + 1);
  tensor_gather(&part, out);
  return out;
}

/* The plan with a smaller extent in place of one, if it still differs. */
static bool try_extent(plan *p, int64_t extent, int64_t other) {
  plan tried = *p;
  const size_t count = p->s->inputs->size;
  text_buf ignored = {NULL, 0, 0};
  bool differs;
  size_t i;
  int32_t d;
  tried.shapes = tool_alloc((count + 1) * sizeof *tried.shapes);
  tried.elements = tool_alloc((count + 1) * sizeof *tried.elements);
  memcpy(tried.shapes, p->shapes, (count + 1) * sizeof *tried.shapes);
  memset(tried.elements, 0, (count + 1) * sizeof *tried.elements);
  for (i = 0; i < count; ++i) {
    if (p->elements[i] == NULL) continue;
    tried.elements[i] = crop(p, i, extent, other);
    for (d = 0; d < subject_tensor(p->s, i)->ndim; ++d) {
      if (p->shapes[i][d] == extent) tried.shapes[i][d] = other;
    }
  }
  differs = plan_differs(&tried, &ignored);
  for (i = 0; i < count; ++i) {
    unsigned char *unused = differs ? p->elements[i] : tried.elements[i];
    if (differs) p->elements[i] = tried.elements[i];
    free(unused);
  }
  if (differs) memcpy(p->shapes, tried.shapes, (count + 1) * sizeof *tried.shapes);
  free(tried.shapes);
  free(tried.elements);
  text_free(&ignored);
  return differs;
}

/* Tries 1, 2, 3, ... and then halves, for each extent. */
static void shrink_extents(plan *p) {
  enum { kFirst = 8 };
  size_t i;
  int32_t d;
  for (i = 0; i < p->s->inputs->size; ++i) {
    for (d = 0; p->elements[i] != NULL && d < subject_tensor(p->s, i)->ndim; ++d) {
      const int64_t extent = p->shapes[i][d];
      int64_t other;
      bool done = false;
      for (other = 1; other < extent && other <= kFirst && !done; ++other) {
        done = try_extent(p, extent, other);
      }
      for (other = extent / 2; other > kFirst && !done; other /= 2) {
        if (!try_extent(p, p->shapes[i][d], other)) break;
      }
    }
  }
}

/* Sets elements of an input to 1, all or one of them, if it still differs. */
static void try_ones(plan *p, size_t i, size_t begin, size_t end) {
  const size_t size = (end - begin) * p->items[i];
  unsigned char *at = p->elements[i] + begin * p->items[i];
  unsigned char *before = tool_alloc(size + 1);
  text_buf ignored = {NULL, 0, 0};
  size_t k;
  memcpy(before, at, size);
  for (k = begin; k < end; ++k) number_set_real(p->dtypes[i], p->elements[i], k, 1);
  if (!plan_differs(p, &ignored)) memcpy(at, before, size);
  free(before);
  text_free(&ignored);
}

static void shrink_elements(plan *p) {
  enum { kMost = 64 };
  size_t i, k;
  for (i = 0; i < p->s->inputs->size; ++i) {
    size_t count;
    if (p->elements[i] == NULL || subject_fills(p->s, i)) continue;
    if (!numbers_known(p->dtypes[i]) || numbers_per_element(p->dtypes[i]) != 1 ||
        tvm_ffi_dtype_get_bits(p->dtypes[i]) % 8 != 0) {
      continue;
    }
    count = count_elements(p, i);
    try_ones(p, i, 0, count);
    for (k = 0; k < count && count <= kMost; ++k) try_ones(p, i, k, k + 1);
  }
}

static void write_tensor(const plan *p, size_t i, text_buf *out) {
  DLTensor tensor = *subject_tensor(p->s, i);
  TVMFFIAny value;
  if (p->s->is_output[i]) text_add(out, "&");
  if (subject_fills(p->s, i)) {
    tensor_type_write(out, p->dtypes[i], p->shapes[i], tensor.ndim);
    return;
  }
  tensor.dtype = p->dtypes[i];
  tensor.shape = p->shapes[i];
  tensor.strides = NULL;
  tensor.data = p->elements[i];
  tensor.byte_offset = 0;
  value = tvm_ffi_any_view_tensor(&tensor);
  value_write(out, &value, &kTensorWhole);
}

typedef struct {
  const plan *p;
  text_buf *out;
} writing;

static bool write_inner(void *context, size_t i, TVMFFIAny *out) {
  const writing *w = context;
  write_tensor(w->p, i, w->out);
  return tvm_ffi_any_copy(&w->p->s->inputs->items[i].value, out) == 0;
}

/* Writes the call as it is given on a command line. */
static void write_call(const plan *p, text_buf *out) {
  writing w = {p, out};
  const input_visitor visitor = {write_inner, &w, out};
  size_t i;
  text_add(out, "%s(", p->s->name);
  for (i = 0; i < p->s->num_passed; ++i) {
    TVMFFIAny copied;
    if (i > 0) text_add(out, ", ");
    if (p->elements[i] != NULL) {
      write_tensor(p, i, out);
      continue;
    }
    (void)inner_copy_argument(p->s, i, &visitor, &copied);
    tvm_ffi_any_clear(&copied);
  }
  text_add(out, ")");
}

/* After a call that differed. The outcome says so already, should a smaller call crash. */
static void shrink(const attempt *a, outcome *out) {
  text_buf wrong = {NULL, 0, 0}, text = {NULL, 0, 0};
  plan p;
  plan_begin(&p, a);
  shrink_extents(&p);
  shrink_elements(&p);
  write_call(&p, &text);
  if (plan_differs(&p, &wrong) && text.size < sizeof out->call) {
    memcpy(out->call, text.data, text.size + 1);
    judge(out, kFailed, "%s", wrong.data);
  }
  text_free(&wrong);
  text_free(&text);
  plan_free(&p);
}

/* Makes the call again that was right, with tensors that end at memory that cannot be accessed. */
static void look_behind(const attempt *right, outcome *out) {
  const layout how = guard_end(right->s);
  attempt a;
  size_t i;
  bool good = how.guard == kGuardEnd && attempt_init(&a, right->s, NULL);
  for (i = 0; good && i < right->num_args; ++i) {
    const argument *arg = &right->args[i];
    const DLTensor *tensor = arg->store != NULL ? &arg->store->tensor : NULL;
    if (tensor == NULL || arg->before == NULL) continue;
    good = attempt_set_tensor(&a, i, tensor->dtype, tensor->shape, tensor->ndim, &how, arg->before);
  }
  if (good && !call_and_look(&a, out) && out->verdict == kRefused) {
    judge(out, kPassed, "as the reference"); /* it needs an alignment */
  }
  TVMFFIErrorSetRaised(NULL);
  if (how.guard == kGuardEnd) attempt_free(&a);
}

/* Makes the arguments of both calls; outputs with one extent have another in its place. */
static bool make_both(attempt *a, attempt *reference, const subject *s, const probe_case *which,
                      int64_t extent, int64_t other) {
  attempt *both[] = {a, reference};
  size_t c, i;
  for (c = 0; c < sizeof both / sizeof *both; ++c) {
    attempt_free(both[c]);
    if (!attempt_init(both[c], s, NULL) || !which->kind->make(both[c], which)) return false;
    for (i = 0; i < s->inputs->size; ++i) {
      const DLTensor *tensor = find_tensor(s, i);
      int64_t shape[kLayoutMaxDims];
      if (tensor == NULL || !s->is_output[i] || !replace_extent(tensor, extent, other, shape))
        continue;
      if (!attempt_set_tensor(both[c], i, tensor->dtype, shape, tensor->ndim, &kLayoutPacked, NULL))
        return false;
    }
  }
  return true;
}

/* After a length that the reference refused: outputs may have an extent that follows from it, such
 * as half of it, or two less. Tries those, until the reference takes one; false if there is none.
 */
static bool search_outputs(attempt *a, attempt *reference, const probe_case *which, outcome *out,
                           text_buf *wrong, difference *found) {
  const subject *s = a->s;
  const int64_t given = which->number, length = which->other;
  size_t i, k;
  int32_t d;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    for (d = 0; tensor != NULL && s->is_output[i] && d < tensor->ndim; ++d) {
      const int64_t extent = tensor->shape[d];
      const int64_t tried[] = {(extent * length + given - 1) / given, extent * length / given,
                               length + extent - given};
      for (k = 0; extent != given && k < sizeof tried / sizeof *tried; ++k) {
        if (tried[k] <= 0 || tried[k] == extent || tried[k] > kMostElements) continue;
        if (!make_both(a, reference, s, which, extent, tried[k])) return false;
        wrong->size = 0;
        *found = compare_with_reference(a, reference, out, wrong);
        if (*found != kNoReference || out->verdict != kLeftOut) return true;
      }
    }
  }
  return false;
}

/* What the reference refuses, the function may take: that is told. It may as well crash, or take
 * long. */
static void look_whether_taken(const subject *s, const probe_case *which, outcome *out) {
  text_buf ignored = {NULL, 0, 0};
  char *reason = tool_copy(out->detail, strlen(out->detail));
  attempt a;
  if (attempt_init(&a, s, NULL) && which->kind->make(&a, which) && attempt_call(&a) &&
      attempt_is_clean(&a, &ignored) && a.returned) {
    judge(out, kLeftOut, "it takes the call, and %s", reason);
    out->is_note = true;
  }
  TVMFFIErrorSetRaised(NULL);
  attempt_free(&a);
  text_free(&ignored);
  free(reason);
}

static void judge_against(attempt *a, const probe_case *which, outcome *out) {
  const subject *s = a->s;
  text_buf wrong = {NULL, 0, 0};
  attempt reference;
  bool good = attempt_init(&reference, s, NULL);
  if (good && which->kind->make != NULL) good = which->kind->make(&reference, which);
  if (!good) {
    leave_out(out);
  } else {
    difference found = compare_with_reference(a, &reference, out, &wrong);
    const bool is_refused = found == kNoReference && out->verdict == kLeftOut &&
                            reference.error != NULL &&
                            !tvm_ffi_error_is(reference.error, kReferenceError);
    if (found == kNoReference && out->verdict == kLeftOut && which->other > 0) {
      char *reason = tool_copy(out->detail, strlen(out->detail)); /* for the shapes as they are */
      if (!search_outputs(a, &reference, which, out, &wrong, &found)) {
        judge(out, kLeftOut, "%s", reason);
      }
      free(reason);
    }
    if (found == kNoDifference) {
      judge(out, kPassed, "%s", out->is_note ? wrong.data : "as the reference");
      if ((which->kind->flags & kRowOtherShapes) != 0) look_behind(a, out);
    }
    if ((which->kind->flags & (kRowOtherShapes | kRowAnyNumbers)) == 0) {
      if (out->verdict == kRefused) out->is_note = false; /* most take few types */
    } else if (is_refused && found == kNoReference && out->verdict == kLeftOut) {
      look_whether_taken(s, which, out);
    }
    if (found == kNoReference && which->kind->make == NULL && out->verdict == kLeftOut) {
      out->verdict = kFailed; /* it is to make the call that works */
    }
    if (found == kDifference) {
      judge(out, kFailed, "%s", wrong.data);
      if (which->kind->make != NULL && s->shrinks) shrink(a, out);
    }
  }
  attempt_free(&reference);
  text_free(&wrong);
}

/* ---- Other shapes ---- */

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
  x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
  return x ^ x >> 33;
}

/* The extent that takes the place of another. */
typedef int64_t replacing(const probe_case *which, int64_t extent);

static int64_t replace_one(const probe_case *which, int64_t extent) {
  return extent == which->number ? which->other : extent;
}

/* Equal extents stay equal, and the same number gives the same shapes. */
static int64_t replace_all(const probe_case *which, int64_t extent) {
  static const int64_t kChoice[] = {1,  2,  3,  4,  5,  7,  8,  9,  15,
                                    16, 17, 31, 32, 33, 63, 64, 65, 100};
  const uint64_t drawn = mix((uint64_t)(which->number * 1009 + extent));
  return kChoice[drawn % (sizeof kChoice / sizeof *kChoice)];
}

static bool is_small(const subject *s, const probe_case *which, replacing *how) {
  size_t i;
  int32_t d;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    int64_t count = 1;
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      count *= how(which, tensor->shape[d]);
      if (count > kMostElements) return false;
    }
  }
  return true;
}

/* Elements of the call that works, in another order: indices among them stay valid. Those that are
 * not whole bytes are repeated. */
static bool resize(attempt *a, const probe_case *which, replacing *how) {
  size_t i, k;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    int64_t shape[kLayoutMaxDims], count = 1;
    size_t item, given;
    unsigned char *values = NULL;
    int32_t d;
    bool good;
    if (tensor == NULL) continue;
    for (d = 0; d < tensor->ndim; ++d) count *= shape[d] = how(which, tensor->shape[d]);
    given = (size_t)tvm_ffi_tensor_get_numel(tensor);
    item = element_size(tensor->dtype);
    if (item > 0) values = tool_alloc((size_t)count * item + 1);
    for (k = 0; k < (size_t)count && item > 0; ++k) {
      const size_t from = k < given ? k : (size_t)(mix(k) % given);
      memcpy(values + k * item, (const char *)tensor->data + from * item, item);
    }
    good = attempt_set_tensor(a, i, tensor->dtype, shape, tensor->ndim, &kLayoutPacked, values);
    free(values);
    if (!good) return false;
  }
  return true;
}

static void add_length(const subject *s, const row *kind, int64_t extent, int64_t length,
                       case_list *out) {
  add_case(out, kind, -1, extent, ":%" PRId64 ":%" PRId64, extent, length);
  out->items[out->size - 1].other = length;
  if (extent == length || !is_small(s, &out->items[out->size - 1], replace_one)) --out->size;
}

static void list_lengths(const subject *s, const row *kind, case_list *out) {
  enum { kSmall = 33, kMost = 1 << 16 };
  case_list extents = {NULL, 0};
  size_t i;
  list_extents(s, kind, &extents);
  for (i = 0; i < extents.size; ++i) {
    int64_t length;
    for (length = 1; length <= kSmall; ++length) {
      add_length(s, kind, extents.items[i].number, length, out);
    }
    for (length = 2 * (kSmall - 1); length <= kMost; length *= 2) {
      int64_t off;
      for (off = -1; off <= 1; ++off) {
        add_length(s, kind, extents.items[i].number, length + off, out);
      }
    }
  }
  free(extents.items);
}

static bool make_length(attempt *a, const probe_case *which) {
  return resize(a, which, replace_one);
}

static void list_extents_drawn(const subject *s, const row *kind, case_list *out) {
  enum { kDrawn = 24 };
  case_list extents = {NULL, 0};
  int64_t i;
  list_extents(s, kind, &extents);
  for (i = 1; i <= kDrawn && extents.size > 1; ++i) {
    add_case(out, kind, -1, i, ":%" PRId64, i);
    if (!is_small(s, &out->items[out->size - 1], replace_all)) --out->size;
  }
  free(extents.items);
}

static bool make_extents_drawn(attempt *a, const probe_case *which) {
  return resize(a, which, replace_all);
}

/* ---- Other values ---- */

static const struct {
  const char *name;
  double real;
  bool is_for_integers, is_extreme, is_not_finite;
} kValues[] = {{"nan", NAN, false, false, true},        {"inf", HUGE_VAL, false, false, true},
               {"-inf", -HUGE_VAL, false, false, true}, {"-0", -0.0, false, false, false},
               {"tiny", 0, false, false, false},        {"subnormal", 0, false, false, false},
               {"large", 0, false, true, false},        {"largest", 0, true, true, false},
               {"lowest", 0, true, true, false},        {"0", 0, true, false, false},
               {"-1", -1, true, false, false},          {"odd", 0, true, false, false}};
enum { kNumValues = sizeof kValues / sizeof *kValues };

static bool is_little_endian(void) {
  const int word = 1;
  return *(const char *)&word == 1;
}

/* The bits of the largest and of the lowest number of an integer type, and of the least of a real
 * one, are simple; of real ones, numbers that are too large become the largest or infinity. */
static void set_value(DLDataType dtype, unsigned char *elements, size_t k, size_t item,
                      int64_t chosen) {
  const char *name = kValues[chosen].name;
  const bool is_real = dtype.code == kDLFloat || small_float_find(dtype) != NULL;
  unsigned char *at = elements + k * item;
  if (is_real && strcmp(name, "tiny") == 0) {
    memset(at, 0, item);
    at[0] = 1;
  } else if (is_real && strcmp(name, "subnormal") == 0) {
    number_set_real(dtype, elements, k, get_least(dtype) / 2);
  } else if (is_real && strcmp(name, "large") == 0) { /* its power overflows, and its sums do not */
    number_set_real(dtype, elements, k,
                    item == 1                             ? 32
                    : dtype.code == kDLFloat && item == 2 ? 200
                                                          : 1e4);
  } else if (is_real && (strcmp(name, "largest") == 0 || strcmp(name, "lowest") == 0)) {
    const double size = item == sizeof(double) ? DBL_MAX : item == sizeof(float) ? FLT_MAX : 448;
    number_set_real(dtype, elements, k, *name == 'l' && name[1] == 'a' ? size : -size);
  } else if (is_real) {
    number_set_real(dtype, elements, k, kValues[chosen].real);
  } else {
    const bool is_signed = dtype.code == kDLInt;
    const bool is_largest = strcmp(name, "largest") == 0, is_least = strcmp(name, "lowest") == 0;
    const bool is_zero = strcmp(name, "0") == 0;
    memset(at, is_largest || !(is_least || is_zero) ? 0xff : 0, item);
    if (strcmp(name, "odd") == 0) { /* which double, or float, cannot hold */
      number_set_real(dtype, elements, k,
                      item == 8   ? 9007199254740992.0
                      : item == 4 ? 16777216.0
                                  : 64.0);
      at[is_little_endian() ? 0 : item - 1] |= 1;
      return;
    }
    if (is_signed && is_largest) at[item - 1] = 0x7f;
    if (is_signed && is_least) at[item - 1] = 0x80;
  }
}

static bool takes_values(const subject *s, size_t i) {
  const DLTensor *tensor = find_tensor(s, i);
  return tensor != NULL && !subject_fills(s, i) && tensor->dtype.lanes == 1 &&
         tensor->dtype.bits % 8 == 0 && tensor->dtype.code != kDLBool &&
         tensor->dtype.code != kDLComplex && numbers_known(tensor->dtype);
}

/* Of each input, a few elements, and all of them; the last one alone, if a comparison with the
 * others matters. */
static void list_values(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int64_t k;
  for (i = 0; i < s->inputs->size; ++i) {
    if (!takes_values(s, i)) continue;
    for (k = 0; k < kNumValues; ++k) {
      const DLDataType dtype = subject_tensor(s, i)->dtype;
      const bool is_integer = dtype.code == kDLInt || dtype.code == kDLUInt;
      if (is_integer ? !kValues[k].is_for_integers : strcmp(kValues[k].name, "odd") == 0) continue;
      add_case(out, kind, (int)i, k, ":%s:%s", s->places[i].label, kValues[k].name);
      add_case(out, kind, (int)i, k + kNumValues, ":%s:%s:all", s->places[i].label,
               kValues[k].name);
      if (!kValues[k].is_extreme && !kValues[k].is_not_finite) continue;
      add_case(out, kind, (int)i, k + 2 * kNumValues, ":%s:%s:last", s->places[i].label,
               kValues[k].name);
    }
  }
}

/* How far elements that are changed are from each other: in other places of each row, also with
 * rows of three. */
static size_t find_step(const DLTensor *tensor) {
  static const size_t kSteps[] = {3, 5, 7, 11, 13};
  size_t i;
  int32_t d;
  for (i = 0; i < sizeof kSteps / sizeof *kSteps; ++i) {
    bool divides = false;
    for (d = 0; d < tensor->ndim; ++d) {
      divides = divides || tensor->shape[d] % (int64_t)kSteps[i] == 0;
    }
    if (!divides) return kSteps[i];
  }
  return kSteps[0];
}

static bool make_values(attempt *a, const probe_case *which) {
  const size_t i = (size_t)which->arg;
  const bool all = which->number / kNumValues == 1, is_last = which->number / kNumValues == 2;
  const DLTensor *tensor = subject_tensor(a->s, i);
  const size_t size = tensor_size(tensor), count = (size_t)tvm_ffi_tensor_get_numel(tensor);
  const size_t item = element_size(tensor->dtype);
  unsigned char *values = tool_alloc(size + 1);
  size_t k;
  bool good;
  memcpy(values, tensor->data, size);
  for (k = is_last ? count - 1 : 0; k < count; k += all ? 1 : find_step(tensor)) {
    set_value(tensor->dtype, values, k, item, which->number % kNumValues);
  }
  good =
      attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &kLayoutPacked, values);
  free(values);
  return good;
}

/* ---- Other types ---- */

static const char *const kTypes[] = {"i8",  "u8",  "i16", "u16", "i32",  "u32",     "i64",
                                     "u64", "f16", "f32", "f64", "bf16", "f8e4m3fn"};
enum { kNumTypes = sizeof kTypes / sizeof *kTypes };

static DLDataType find_type(int64_t i) {
  DLDataType out = TVM_FFI_C_FLOAT32;
  (void)dtype_read(kTypes[i], strlen(kTypes[i]), &out);
  return out;
}

static void list_types(const subject *s, const row *kind, case_list *out) {
  tensor_set sets[kMostSets];
  size_t count = find_sets(s, sets), i;
  int64_t k;
  for (k = 0; k < kNumTypes; ++k) {
    for (i = 0; i < count; ++i) add_set_case(out, kind, &sets[i], k, kTypes[k]);
    for (i = 0; count == 0 && i < s->inputs->size; ++i) {
      if (find_tensor(s, i) != NULL)
        add_case(out, kind, (int)i, k, ":%s:%s", s->places[i].label, kTypes[k]);
    }
  }
}

/* The numbers of the call that works, a little smaller, or eight times as large if they are to be
 * integers. */
static bool make_type(attempt *a, const probe_case *which) {
  const DLDataType dtype = find_type(which->number);
  const bool is_real = dtype.code == kDLFloat || small_float_find(dtype) != NULL;
  size_t i, k;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    const size_t count = tensor != NULL ? (size_t)tvm_ffi_tensor_get_numel(tensor) : 0;
    unsigned char *values;
    bool good;
    if (tensor == NULL || !case_changes(which, i) || !numbers_known(tensor->dtype) ||
        numbers_per_element(tensor->dtype) != 1) {
      continue;
    }
    values = tool_alloc(count * sizeof(double) + 1);
    memset(values, 0, count * sizeof(double) + 1);
    for (k = 0; k < count; ++k) {
      const double value = number_get(tensor->dtype, tensor->data, k).real, most = 100;
      const double fraction = 0.9; /* a narrower type cannot hold the product */
      const double rounded = floor(fabs(value) * (tensor->dtype.code == kDLFloat ? 8 : 1));
      number_set_real(dtype, values, k,
                      is_real              ? fraction * value
                      : rounded > most     ? most
                      : rounded == rounded ? rounded
                                           : 0);
    }
    good = attempt_set_tensor(a, i, dtype, tensor->shape, tensor->ndim, &kLayoutPacked, values);
    free(values);
    if (!good) return false;
  }
  return true;
}

/* ---- The table ---- */

static const row kRows[] = {
    {{"given", "the call as it was given", NULL, "it was never right"},
     list_once,
     0,
     NULL,
     judge_against,
     NULL,
     kRowNeedsReference},
    {{"lengths", "each extent is 1 to 33, and up to 2^16 around powers of two", NULL,
      "the rest behind whole vectors, blocks or unrolled loops; a buffer of fixed size"},
     list_lengths,
     0,
     make_length,
     judge_against,
     NULL,
     kRowNeedsReference | kRowOtherShapes},
    {{"extents", "other extents, where equal ones stay equal", NULL,
      "one extent is used for another; a tile that does not divide them"},
     list_extents_drawn,
     0,
     make_extents_drawn,
     judge_against,
     NULL,
     kRowNeedsReference | kRowOtherShapes},
    {{"values",
      "NaN, infinities, -0, subnormal, large, the largest and the lowest, in a few elements and in "
      "all",
      NULL,
      "comparisons that are false for NaN; sums in a type that is too narrow; a maximum that "
      "begins at 0 or FLT_MIN"},
     list_values,
     0,
     make_values,
     judge_against,
     NULL,
     kRowNeedsReference | kRowAnyNumbers},
    {{"dtypes", "all tensors have another type of elements", NULL, "a branch for one of the types"},
     list_types,
     0,
     make_type,
     judge_against,
     NULL,
     kRowNeedsReference},
};
const row_group kNumberRows = {"numbers",
                               {"numbers:", "generated calls, with --against=LIB",
                                "other numbers than the reference", WHY_KERNELS_FAIL},
                               "as the reference",
                               "unlike the reference:",
                               kRows,
                               sizeof kRows / sizeof *kRows};
