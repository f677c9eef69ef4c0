/* SPDX-License-Identifier: Apache-2.0 */
#include "value/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"
#include "base/report.h"
#include "value/npy.h"
#include "value/number.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* ---- Collecting ---- */

void snapshot_take(const input_list *inputs, snapshot *out) {
  size_t i;
  DLTensor *tensor;
  out->size = inputs->size;
  out->copies = tool_alloc((inputs->size + 1) * sizeof *out->copies);
  for (i = 0; i < inputs->size; ++i) {
    out->copies[i] = NULL;
    if (inputs->items[i].is_storage) continue;
    if (!tvm_ffi_any_try_tensor(&inputs->items[i].value, &tensor)) continue;
    out->copies[i] = tensor_copy(tensor);
    if (out->copies[i] == NULL) TVMFFIErrorSetRaised(NULL);
  }
}

void snapshot_free(snapshot *initial) {
  size_t i;
  for (i = 0; i < initial->size; ++i) tvm_ffi_object_release(initial->copies[i]);
  free(initial->copies);
}

static bool is_changed(const TVMFFIAny *value, TVMFFIObjectHandle initial) {
  DLTensor *current, *old;
  TVMFFIObjectHandle copy;
  size_t size = 0;
  bool changed;
  if (initial == NULL || !tvm_ffi_any_try_tensor(value, &current)) return false;
  old = TVMFFITensorGetDLTensorPtr(initial);
  if (tvm_ffi_tensor_compute_size(old, &size) != 0 || size == 0) return false;
  if (current->device.device_type == kDLCPU && tvm_ffi_tensor_is_contiguous(current)) {
    return memcmp(tvm_ffi_tensor_get_data(current), old->data, size) != 0;
  }
  copy = tensor_copy(current);
  changed = copy != NULL && memcmp(TVMFFITensorGetDLTensorPtr(copy)->data, old->data, size) != 0;
  if (copy == NULL) TVMFFIErrorSetRaised(NULL);
  tvm_ffi_object_release(copy);
  return changed;
}

static void add(output_list *list, const char *kind, size_t i, const TVMFFIAny *value) {
  output *item;
  list->items = tool_grow(list->items, list->size, sizeof *list->items);
  item = &list->items[list->size++];
  snprintf(item->name, sizeof item->name, "%s[%zu]", kind, i);
  if (value->type_index == kTVMFFIDLTensorPtr) {
    item->value = *value; /* the argument's, which outlives this list */
  } else if (tvm_ffi_any_copy(value, &item->value) != 0) {
    TVMFFIErrorSetRaised(NULL);
    item->value = tvm_ffi_any_none();
  }
}

static bool has_tensors(const TVMFFIAny *value) {
  DLTensor *tensor;
  int64_t i;
  if (!value_is_list(value)) return false;
  for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
    if (tvm_ffi_any_try_tensor(tvm_ffi_array_get_data(value->v_obj) + i, &tensor)) return true;
  }
  return false;
}

void output_collect(TVMFFIAny result, const input_list *inputs, const snapshot *initial,
                    output_list *out) {
  size_t i;
  out->items = NULL;
  out->size = 0;
  if (has_tensors(&result)) {
    for (i = 0; i < (size_t)tvm_ffi_array_get_size(result.v_obj); ++i) {
      add(out, "result", i, tvm_ffi_array_get_data(result.v_obj) + i);
    }
  } else if (!tvm_ffi_any_is_none(&result)) {
    add(out, "result", 0, &result);
  }
  tvm_ffi_any_clear(&result);
  for (i = 0; i < inputs->size; ++i) {
    const input *item = &inputs->items[i];
    if (item->is_storage || is_changed(&item->value, initial->copies[i])) {
      add(out, "arg", i, &item->value);
    }
  }
}

void output_list_free(output_list *list) {
  size_t i;
  for (i = 0; i < list->size; ++i) tvm_ffi_any_clear(&list->items[i].value);
  free(list->items);
}

/* ---- Writing ---- */

void output_print(const output *item, const tensor_detail *detail) {
  text_buf line = {NULL, 0, 0};
  value_write(&line, &item->value, detail);
  fprintf(streams_results(), "%s%s%s: ", report_color(kColorName), item->name,
          report_color(kColorNone));
  fwrite(line.data, 1, line.size, streams_results());
  putc('\n', streams_results());
  text_free(&line);
}

static bool write_bytes(const char *path, bool append, const void *bytes, size_t size) {
  FILE *file;
  bool good;
  if (!append) return tool_write_file(path, bytes, size);
  file = fopen(path, "ab");
  if (file == NULL) return report_error("%s: %s", path, strerror(errno));
  good = fwrite(bytes, 1, size, file) == size;
  good = fclose(file) == 0 && good;
  if (!good) report_error("%s: %s", path, strerror(errno));
  return good;
}

/* Converts the value to a tensor; a number becomes one without dimensions. NULL with an error
 * raised. */
static TVMFFIObjectHandle make_tensor(const TVMFFIAny *value) {
  DLTensor *tensor;
  TVMFFIObjectHandle made;
  DLDataType dtype = value->type_index == kTVMFFIFloat ? TVM_FFI_C_FLOAT64
                     : value->type_index == kTVMFFIInt ? TVM_FFI_C_INT64
                                                       : TVM_FFI_C_BOOL;
  if (tvm_ffi_any_try_tensor(value, &tensor)) return tensor_copy(tensor);
  if (value->type_index != kTVMFFIFloat && value->type_index != kTVMFFIInt &&
      value->type_index != kTVMFFIBool) {
    tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "a %s is neither a tensor nor a number",
                        tvm_ffi_any_get_type_name(value));
    return NULL;
  }
  made = tensor_new(dtype, NULL, 0);
  if (made == NULL) return NULL;
  if (value->type_index == kTVMFFIBool) {
    *(uint8_t *)TVMFFITensorGetDLTensorPtr(made)->data = value->v_int64 != 0;
  } else {
    memcpy(TVMFFITensorGetDLTensorPtr(made)->data, &value->v_int64, 8);
  }
  return made;
}

static bool write_file(const output *item, const char *path, bool append) {
  TVMFFIObjectHandle made = make_tensor(&item->value);
  const DLTensor *tensor;
  text_buf bytes = {NULL, 0, 0};
  size_t size = 0;
  bool good;
  if (made == NULL || tvm_ffi_tensor_compute_size(TVMFFITensorGetDLTensorPtr(made), &size) != 0) {
    char *reason = runtime_error_take_message();
    report_error("%s: cannot write %s: %s", path, item->name, reason);
    free(reason);
    tvm_ffi_object_release(made);
    return false;
  }
  tensor = TVMFFITensorGetDLTensorPtr(made);
  if (!path_ends_in(path, ".npy")) {
    good = write_bytes(path, append, tensor->data, size);
  } else if (npy_write(&bytes, tensor->dtype, tensor->shape, tensor->ndim, tensor->data, size)) {
    good = write_bytes(path, append, bytes.data, bytes.size);
  } else {
    report_error("%s: cannot write %s: its elements are not whole bytes", path, item->name);
    good = false;
  }
  text_free(&bytes);
  TVMFFIObjectDecRef(made);
  return good;
}

bool output_write(const output *item, const char *spec, const tensor_detail *detail) {
  if (*spec == '\0') return true;
  if (*spec != '-') return write_file(item, spec + 1, *spec == '+');
  output_print(item, detail);
  return true;
}

bool output_check(text_list specs, bool as_json) {
  size_t i;
  for (i = 0; i < specs.count; ++i) {
    const char *spec = specs.items[i];
    if (*spec == '\0' || strcmp(spec, "-") == 0) continue;
    if ((*spec == '@' || *spec == '+') && spec[1] != '\0') {
      if (!as_json || !tool_is_same_file(spec + 1, "-", false)) continue;
      return report_error("--json prints all outputs: --output must be another file, not \"%s\"",
                          spec);
    }
    return report_error("--output must be empty, -, @FILE or +FILE, not \"%s\"", spec);
  }
  return true;
}

/* ---- Comparing ---- */

/* Default tolerances: two units in the last place for narrow types; for wide ones, what adding in a
 * different order can change a sum by. */
static tolerance choose(DLDataType dtype, const tolerance *asked) {
  const small_float *narrow = small_float_find(dtype);
  bool real = narrow != NULL || dtype.code == kDLFloat || dtype.code == kDLComplex;
  bool wide = real && narrow == NULL && dtype.bits >= (dtype.code == kDLComplex ? 128 : 64);
  bool exact = asked->absolute < 0 && asked->relative < 0;
  tolerance chosen = {0, 0, 0};
  if (real && exact) {
    chosen.relative = narrow != NULL ? ldexp(2, -narrow->mantissa) : wide ? 1e-9 : 1e-5;
    chosen.absolute = wide ? 1e-12 : 1e-6;
  }
  if (asked->absolute >= 0) chosen.absolute = asked->absolute;
  if (asked->relative >= 0) chosen.relative = asked->relative;
  chosen.overflow = asked->overflow;
  return chosen;
}

static DLDataType make_dtype(int code) {
  return tvm_ffi_dtype_make(code, 64, 1);
}

/* Whether one has overflowed on the way, and the other only just not. */
static bool may_overflow(double a, double b, const tolerance *allowed) {
  const double finite = isinf(a) ? b : a;
  if (allowed->overflow <= 0) return false;
  if (isnan(a) || isnan(b)) return true; /* infinities of both signs were added */
  return isinf(a) != isinf(b) && (a < 0) == (b < 0) && fabs(finite) >= allowed->overflow;
}

/* Compares two numbers and updates out->max_error. */
static bool numbers_match(double a, double b, const tolerance *allowed, comparison *out) {
  double error = fabs(a - b);
  out->has_numbers = true;
  if ((isnan(a) && isnan(b)) || a == b || may_overflow(a, b, allowed)) return true;
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

static void write_index(text_buf *out, const DLTensor *tensor, size_t element) {
  size_t stride = 1;
  int32_t d;
  for (d = 0; d < tensor->ndim; ++d) stride *= (size_t)tensor->shape[d];
  for (d = 0; d < tensor->ndim; ++d) {
    stride /= (size_t)tensor->shape[d];
    text_add(out, "[%zu]", element / stride);
    element %= stride;
  }
}

/* The place of a number: "[1]". */
static void write_place(text_buf *out, const DLTensor *value, size_t i) {
  const size_t per_element = numbers_per_element(value->dtype);
  write_index(out, value, i / per_element);
  if (per_element > 1) text_add(out, " number %zu", i % per_element);
}

/* Both numbers: "5, expected 6". */
static void write_pair(text_buf *out, const DLTensor *value, const DLTensor *expected, size_t i) {
  number_write(out, value->dtype, value->data, i);
  text_add(out, ", expected ");
  number_write(out, value->dtype, expected->data, i);
}

/* How far the two numbers are apart, beside the difference. */
static void write_distance(text_buf *out, const DLTensor *value, const DLTensor *expected,
                           size_t i) {
  const number a = number_get(value->dtype, value->data, i),
               b = number_get(value->dtype, expected->data, i);
  const double relative = b.real != 0 ? fabs(a.real - b.real) / fabs(b.real) : INFINITY;
  uint64_t steps;
  if (isfinite(relative)) text_add(out, ", relative %s", REAL_G(3, relative));
  if (!number_count_steps(value->dtype, value->data, expected->data, i, &steps)) return;
  text_add(out, ", %" PRIu64 " ULP", steps);
}

static void compare_elements(const DLTensor *value, const DLTensor *expected,
                             const tolerance *asked, comparison *out) {
  DLDataType dtype = value->dtype;
  tolerance allowed = choose(dtype, asked);
  size_t count = (size_t)tvm_ffi_tensor_get_numel(value) * numbers_per_element(dtype);
  size_t wrong = 0, first = 0, largest = 0, i;
  double before = out->max_error;
  for (i = 0; i < count; ++i) {
    const bool match = elements_match(dtype, value->data, expected->data, i, &allowed, out);
    if (out->max_error > before) largest = i;
    before = out->max_error;
    if (match) continue;
    if (wrong++ == 0) first = i;
  }
  out->has_numbers = true;
  if (wrong == 0) return;
  text_add(&out->difference, "element ");
  write_place(&out->difference, value, first);
  text_add(&out->difference, " is ");
  write_pair(&out->difference, value, expected, first);
  if (wrong > 1) text_add(&out->difference, "; %zu of %zu differ", wrong, count);
  write_place(&out->largest, value, largest);
  if (largest != first) {
    text_add(&out->largest, ": ");
    write_pair(&out->largest, value, expected, largest);
  }
  write_distance(&out->largest, value, expected, largest);
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
    text_add(&out->difference, "has a data type that cannot be compared");
    return;
  }
  packed = tensor_copy(value);
  wanted = packed != NULL ? tensor_copy(expected) : NULL;
  if (wanted != NULL) {
    compare_elements(TVMFFITensorGetDLTensorPtr(packed), TVMFFITensorGetDLTensorPtr(wanted), asked,
                     out);
  } else {
    char *reason = runtime_error_take_message();
    text_add(&out->difference, "cannot be compared as a tensor: %s", reason);
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
    text_buf inner = {NULL, 0, 0};
    compare_any(tvm_ffi_array_get_data(value->v_obj) + i,
                tvm_ffi_array_get_data(expected->v_obj) + i, asked, depth + 1, out);
    if (out->difference.size > 0) {
      text_add(&inner, "item [%" PRId64 "] %s", i, out->difference.data);
      text_free(&out->difference);
      out->difference = inner;
    }
  }
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

/* Keys and values, one after the other. */
typedef struct {
  TVMFFIAny *items;
  size_t count;
} map_items;

static bool add_pair(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  map_items *out = context;
  out->items = tool_grow(out->items, out->count, sizeof *out->items);
  if (tvm_ffi_any_copy(key, &out->items[out->count]) != 0) return false;
  ++out->count;
  out->items = tool_grow(out->items, out->count, sizeof *out->items);
  if (tvm_ffi_any_copy(value, &out->items[out->count]) != 0) return false;
  ++out->count;
  return true;
}

static void free_items(map_items *map) {
  while (map->count > 0) tvm_ffi_any_clear(&map->items[--map->count]);
  free(map->items);
}

/* Keys that are objects may be other objects with the same content. */
static bool keys_match(const TVMFFIAny *key, const TVMFFIAny *wanted, int depth) {
  static const tolerance kExact = {0, 0, 0};
  comparison result;
  bool same;
  if (key->type_index < kTVMFFIStaticObjectBegin || key->type_index != wanted->type_index) {
    return same_for_runtime(key, wanted);
  }
  memset(&result, 0, sizeof result);
  compare_any(key, wanted, &kExact, depth, &result);
  same = result.difference.size == 0;
  comparison_free(&result);
  return same;
}

/* The entry of a map with this key, looked for at `at` first, because equal maps mostly have one
 * order. SIZE_MAX: there is none. */
static size_t find_key(const map_items *map, size_t at, const TVMFFIAny *wanted, int depth,
                       const bool *is_used) {
  size_t i;
  if (!is_used[at] && keys_match(&map->items[at], wanted, depth)) return at;
  for (i = 0; i < map->count; i += 2) {
    if (i != at && !is_used[i] && keys_match(&map->items[i], wanted, depth)) return i;
  }
  return SIZE_MAX;
}

static void compare_maps(const TVMFFIAny *value, const TVMFFIAny *expected, const tolerance *asked,
                         int depth, comparison *out) {
  static const tensor_detail kShown = {64, SIZE_MAX};
  map_items map = {NULL, 0}, wanted = {NULL, 0};
  bool *is_used = NULL;
  size_t i, found;
  if (!value_visit_map(value, add_pair, &map) || !value_visit_map(expected, add_pair, &wanted)) {
    text_add(&out->difference, "is a map that cannot be read");
  } else if (map.count != wanted.count) {
    text_add(&out->difference, "has %zu entries, expected %zu", map.count / 2, wanted.count / 2);
  } else {
    is_used = tool_alloc(map.count + 1);
    memset(is_used, 0, map.count + 1);
  }
  for (i = 0; is_used != NULL && i < wanted.count && out->difference.size == 0; i += 2) {
    text_buf inner = {NULL, 0, 0};
    found = find_key(&map, i, &wanted.items[i], depth + 1, is_used);
    if (found == SIZE_MAX) {
      text_add(&out->difference, "lacks the key ");
      value_write(&out->difference, &wanted.items[i], &kShown);
      break;
    }
    is_used[found] = true;
    compare_any(&map.items[found + 1], &wanted.items[i + 1], asked, depth + 1, out);
    if (out->difference.size == 0) continue;
    text_add(&inner, "entry [");
    value_write(&inner, &wanted.items[i], &kShown);
    text_add(&inner, "] %s", out->difference.data);
    text_free(&out->difference);
    out->difference = inner;
  }
  free(is_used);
  free_items(&map);
  free_items(&wanted);
}

static bool is_map(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIMap || value->type_index == kTVMFFIDict;
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
  if (value_is_list(value) && value_is_list(expected) && depth < kMaxDepth) {
    compare_lists(value, expected, asked, depth, out);
    return;
  }
  if (is_map(value) && value->type_index == expected->type_index && depth < kMaxDepth) {
    if (!same_for_runtime(value, expected)) compare_maps(value, expected, asked, depth, out);
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
  text_free(&result->largest);
}
