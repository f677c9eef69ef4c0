/* SPDX-License-Identifier: Apache-2.0 */
#include "value/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/raised.h"
#include "value/small_float.h"
#include "value/tensor_memory.h"
#include "value/tensor_text.h"
#include "value/value_text.h"

/* Default tolerances: two units in the last place for narrow types; for wide ones, what adding in a
 * different order can change a sum by. */
static tolerance choose(DLDataType dtype, const tolerance *asked) {
  const small_float *narrow = small_float_find(dtype);
  bool real = narrow != NULL || dtype.code == kDLFloat || dtype.code == kDLComplex;
  bool wide = real && narrow == NULL && dtype.bits >= (dtype.code == kDLComplex ? 128 : 64);
  bool exact = asked->absolute < 0 && asked->relative < 0;
  tolerance chosen = {0, 0};
  if (real && exact) {
    chosen.relative = narrow != NULL ? ldexp(2, -narrow->mantissa) : wide ? 1e-9 : 1e-5;
    chosen.absolute = wide ? 1e-12 : 1e-6;
  }
  if (asked->absolute >= 0) chosen.absolute = asked->absolute;
  if (asked->relative >= 0) chosen.relative = asked->relative;
  return chosen;
}

static DLDataType make_dtype(int code) {
  return tvm_ffi_dtype_make(code, 64, 1);
}

/* Compares two numbers and updates out->max_error. */
static bool numbers_match(double a, double b, const tolerance *allowed, comparison *out) {
  double error = fabs(a - b);
  out->has_numbers = true;
  if ((isnan(a) && isnan(b)) || a == b) return true;
  if (isnan(error)) error = HUGE_VAL; /* only one of them is NaN */
  if (error > out->max_error) out->max_error = error;
  return !isinf(error) && error <= allowed->absolute + allowed->relative * fabs(b);
}

/* Integers beyond 2^53 may differ although their doubles are equal. */
static bool elements_match(DLDataType dtype, const void *a, const void *b, size_t i,
                           const tolerance *allowed, comparison *out) {
  number x = number_get(dtype, a, i), y = number_get(dtype, b, i);
  if (x.kind != kNumberReal && x.real == y.real && x.u != y.u) {
    double error = x.u > y.u ? (double)(x.u - y.u) : (double)(y.u - x.u);
    out->has_numbers = true;
    if (error > out->max_error) out->max_error = error;
    return error <= allowed->absolute + allowed->relative * fabs(y.real);
  }
  return numbers_match(x.real, y.real, allowed, out);
}

static void write_index(text *out, const DLTensor *tensor, size_t element) {
  size_t stride = 1;
  int32_t d;
  for (d = 0; d < tensor->ndim; ++d) stride *= (size_t)tensor->shape[d];
  for (d = 0; d < tensor->ndim; ++d) {
    stride /= (size_t)tensor->shape[d];
    text_add(out, "[%zu]", element / stride);
    element %= stride;
  }
}

static void compare_elements(const DLTensor *value, const DLTensor *expected,
                             const tolerance *asked, comparison *out) {
  DLDataType dtype = value->dtype;
  tolerance allowed = choose(dtype, asked);
  size_t per_element = numbers_per_element(dtype), wrong = 0, i;
  size_t count = (size_t)tvm_ffi_tensor_get_numel(value) * per_element;
  for (i = 0; i < count; ++i) {
    if (elements_match(dtype, value->data, expected->data, i, &allowed, out)) continue;
    if (wrong++ == 0) {
      text_add(&out->difference, "element ");
      write_index(&out->difference, value, i / per_element);
      if (per_element > 1) text_add(&out->difference, " number %zu", i % per_element);
      text_add(&out->difference, " is ");
      number_write(&out->difference, dtype, value->data, i);
      text_add(&out->difference, ", expected ");
      number_write(&out->difference, dtype, expected->data, i);
    }
  }
  out->has_numbers = true;
  if (wrong > 1) text_add(&out->difference, "; %zu of %zu differ", wrong, count);
}

static void compare_tensors(const DLTensor *value, const DLTensor *expected, const tolerance *asked,
                            comparison *out) {
  TVMFFIObjectHandle packed = NULL, wanted = NULL;
  if (!tvm_ffi_dtype_equal(value->dtype, expected->dtype) ||
      !tvm_ffi_tensor_has_same_shape(value, expected)) {
    text_add(&out->difference, "is ");
    tensor_type_write(&out->difference, value->dtype, value->shape, value->ndim);
    text_add(&out->difference, ", expected ");
    tensor_type_write(&out->difference, expected->dtype, expected->shape, expected->ndim);
    return;
  }
  if (!numbers_known(value->dtype)) {
    text_add(&out->difference, "is of a data type that is not compared here");
    return;
  }
  packed = tensor_copy(value);
  wanted = packed != NULL ? tensor_copy(expected) : NULL;
  if (wanted != NULL) {
    compare_elements(TVMFFITensorGetDLTensorPtr(packed), TVMFFITensorGetDLTensorPtr(wanted), asked,
                     out);
  } else {
    char *reason = raised_take_message();
    text_add(&out->difference, "is no tensor to compare: %s", reason);
    free(reason);
  }
  tvm_ffi_object_release(packed);
  tvm_ffi_object_release(wanted);
}

static void compare_any(const TVMFFIAny *value, const TVMFFIAny *expected, const tolerance *asked,
                        int depth, comparison *out);

static void compare_lists(const TVMFFIAny *value, const TVMFFIAny *expected, const tolerance *asked,
                          int depth, comparison *out) {
  int64_t size = tvm_ffi_array_get_size(value->v_obj), i;
  int64_t wanted = tvm_ffi_array_get_size(expected->v_obj);
  if (size != wanted) {
    text_add(&out->difference, "has %" PRId64 " items, expected %" PRId64, size, wanted);
  }
  for (i = 0; i < size && out->difference.size == 0; ++i) {
    text inner = {NULL, 0, 0};
    compare_any(tvm_ffi_array_get_data(value->v_obj) + i,
                tvm_ffi_array_get_data(expected->v_obj) + i, asked, depth + 1, out);
    if (out->difference.size > 0) {
      text_add(&inner, "item [%" PRId64 "] %s", i, out->difference.data);
      text_free(&out->difference);
      out->difference = inner;
    }
  }
}

static bool is_list(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIArray || value->type_index == kTVMFFIList;
}

static bool same_for_runtime(const TVMFFIAny *value, const TVMFFIAny *expected) {
  TVMFFIAny pair[2], same;
  pair[0] = *value;
  pair[1] = *expected;
  if (tvm_ffi_function_call_global("ffi.RecursiveEq", pair, 2, &same) == 0) {
    return same.v_int64 != 0;
  }
  TVMFFIErrorSetRaised(NULL);
  return false;
}

static void compare_any(const TVMFFIAny *value, const TVMFFIAny *expected, const tolerance *asked,
                        int depth, comparison *out) {
  enum { kMaxDepth = 64 }; /* the runtime compares deeper lists */
  static const tensor_detail kShown = {64, SIZE_MAX};
  DLTensor *tensor, *wanted;
  double a, b;
  bool same;
  if (tvm_ffi_any_try_tensor(value, &tensor) && tvm_ffi_any_try_tensor(expected, &wanted)) {
    compare_tensors(tensor, wanted, asked, out);
    return;
  }
  if (is_list(value) && is_list(expected) && depth < kMaxDepth) {
    compare_lists(value, expected, asked, depth, out);
    return;
  }
  if (tvm_ffi_any_try_double(value, &a) && tvm_ffi_any_try_double(expected, &b)) {
    bool real = value->type_index == kTVMFFIFloat || expected->type_index == kTVMFFIFloat;
    tolerance allowed = choose(make_dtype(real ? kDLFloat : kDLInt), asked);
    same = real ? numbers_match(a, b, &allowed, out)
                : elements_match(make_dtype(kDLInt), &value->v_int64, &expected->v_int64, 0,
                                 &allowed, out);
  } else {
    same = same_for_runtime(value, expected);
  }
  if (same) return;
  text_add(&out->difference, "is ");
  value_write(&out->difference, value, &kShown);
  text_add(&out->difference, ", expected ");
  value_write(&out->difference, expected, &kShown);
}

void compare_values(const TVMFFIAny *value, const TVMFFIAny *expected, const tolerance *allowed,
                    comparison *out) {
  memset(out, 0, sizeof *out);
  compare_any(value, expected, allowed, 0, out);
  out->is_same = out->difference.size == 0;
}

void comparison_free(comparison *result) {
  text_free(&result->difference);
}
