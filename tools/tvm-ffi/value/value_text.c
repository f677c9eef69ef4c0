/* SPDX-License-Identifier: Apache-2.0 */
#include "value/value_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "value/number.h"
#include "value/tensor.h"

/* ---- Tensors ---- */

void tensor_type_write(text_buf *out, DLDataType dtype, const int64_t *shape, int32_t ndim) {
  char name[kDtypeTextSize];
  int32_t i;
  for (i = 0; i < ndim; ++i) text_add(out, "%" PRId64 "x", shape[i]);
  text_add(out, "%s", dtype_write(dtype, name));
}

static void repeat(text_buf *out, const char *piece, int32_t count) {
  while (count-- > 0) text_add(out, "%s", piece);
}

/* A position in a tensor that is written. Dimensions count lanes as the last one. */
typedef struct {
  const int64_t *extents;
  int32_t ndim;
  int32_t num_elided; /* the first dimensions, which may be elided */
  int64_t edge;       /* how much of these is written at either end; 0: all */
  int64_t *index;
  size_t number; /* the position in memory */
} position;

static bool is_elided(const position *at, int32_t dim) {
  return at->edge > 0 && dim < at->num_elided && at->extents[dim] > 2 * at->edge;
}

/* Moves to the next number that is written. Returns the number of innermost dimensions that begin
 * anew, or ndim at the end; *out_skips says whether numbers were left out. */
static int32_t advance(position *at, bool *out_skips) {
  int32_t dim;
  size_t block = 1;
  *out_skips = false;
  for (dim = at->ndim - 1; dim >= 0; --dim) {
    const size_t extent = (size_t)at->extents[dim];
    ++at->index[dim];
    at->number += block;
    if (is_elided(at, dim) && at->index[dim] == at->edge) {
      const int64_t last = at->extents[dim] - at->edge;
      at->number += (size_t)(last - at->index[dim]) * block;
      at->index[dim] = last;
      *out_skips = true;
    }
    if (at->index[dim] < at->extents[dim]) break;
    at->index[dim] = 0;
    at->number -= extent * block;
    block *= extent;
  }
  return at->ndim - 1 - dim;
}

/* How many numbers are written with this edge; SIZE_MAX if there are more. */
static size_t count_written(const position *at) {
  size_t count = 1;
  int32_t dim;
  for (dim = 0; dim < at->ndim; ++dim) {
    const size_t extent = (size_t)(is_elided(at, dim) ? 2 * at->edge : at->extents[dim]);
    if (extent == 0) return 0;
    count = count > SIZE_MAX / extent ? SIZE_MAX : count * extent;
  }
  return count;
}

/* IREE's format: one dimension without brackets; of several, brackets around every row but not
 * around the whole. */
static void write_numbers(text_buf *out, DLDataType dtype, position *at, const void *data,
                          size_t max_numbers) {
  const int32_t outer = at->ndim > 1 ? at->ndim - 1 : 0;
  size_t num_written = 0;
  int32_t borders = 0;
  bool skips;
  if (count_written(at) == 0) return;
  repeat(out, max_numbers > 0 ? "[" : "", outer);
  for (;;) {
    if (num_written++ == max_numbers) {
      text_add(out, "...");
      return;
    }
    number_write(out, dtype, data, at->number);
    borders = advance(at, &skips);
    if (borders == at->ndim) break;
    repeat(out, "]", borders);
    if (num_written == max_numbers) continue;
    if (borders > 0) {
      text_add(out, skips ? "..." : "");
      repeat(out, "[", borders);
    } else {
      text_add(out, skips ? " ... " : " ");
    }
  }
  repeat(out, "]", outer);
}

const tensor_detail kTensorWhole = {SIZE_MAX, SIZE_MAX}, kTensorElided = {1000, 1000};

/* "2x2xf32=[1 2][3 4]" */
static void write_packed(text_buf *out, const DLTensor *packed, const tensor_detail *detail) {
  enum { kEdge = 3 }; /* as NumPy has it */
  const DLDataType dtype = packed->dtype;
  const int64_t *shape = packed->shape;
  const int32_t ndim = packed->ndim;
  const size_t per_element = numbers_per_element(dtype);
  int64_t *extents = tool_alloc(2 * ((size_t)ndim + 1) * sizeof *extents);
  position at;
  int32_t i;
  memset(&at, 0, sizeof at);
  for (i = 0; i < ndim; ++i) extents[i] = shape[i];
  at.extents = extents;
  at.ndim = at.num_elided = ndim;
  if (per_element > 1) extents[at.ndim++] = (int64_t)per_element;
  at.index = extents + at.ndim;
  memset(at.index, 0, (size_t)at.ndim * sizeof *at.index);
  tensor_type_write(out, dtype, shape, ndim);
  text_add(out, "=");
  if (count_written(&at) / per_element > detail->max_unelided) {
    at.edge = kEdge;
    while (at.edge > 1 && count_written(&at) / per_element > detail->max_unelided) --at.edge;
  }
  write_numbers(out, dtype, &at, packed->data,
                detail->max_elements > SIZE_MAX / per_element ? SIZE_MAX
                                                              : detail->max_elements * per_element);
  free(extents);
}

/* ---- Values ---- */

/* Writes the runtime's repr of the value. */
static void write_repr(text_buf *out, const TVMFFIAny *value) {
  TVMFFIAny repr;
  TVMFFIByteArray bytes;
  if (tvm_ffi_function_call_global("ffi.ReprPrint", value, 1, &repr) != 0) {
    TVMFFIErrorSetRaised(NULL); /* the core profile has no such function */
    if (tvm_ffi_any_try_string(value, &bytes)) {
      text_add(out, "\"");
      text_add_escaped(out, bytes.data, bytes.size);
      text_add(out, "\"");
    } else {
      text_add(out, "<%s>", tvm_ffi_any_get_type_name(value));
    }
    return;
  }
  if (tvm_ffi_any_try_string(&repr, &bytes)) text_add_bytes(out, bytes.data, bytes.size);
  tvm_ffi_any_clear(&repr);
}

static void write_real(text_buf *out, double value) {
  size_t start = out->size;
  number_write(out, TVM_FFI_C_FLOAT64, &value, 0);
  if (strpbrk(out->data + start, ".einf") == NULL) text_add(out, ".0"); /* not an integer */
}

static void write_tensor(text_buf *out, const DLTensor *tensor, const tensor_detail *detail) {
  TVMFFIObjectHandle copy =
      tensor->ndim >= 0 && numbers_known(tensor->dtype) ? tensor_copy(tensor) : NULL;
  char device[48];
  if (copy != NULL) {
    write_packed(out, TVMFFITensorGetDLTensorPtr(copy), detail);
    TVMFFIObjectDecRef(copy);
    return;
  }
  TVMFFIErrorSetRaised(NULL);
  tensor_type_write(out, tensor->dtype, tensor->shape, tensor->ndim);
  text_add(out, " on %s", tvm_ffi_device_print(tensor->device, device, sizeof device));
}

/* Deeper lists are written by the runtime, to limit the stack and the depth of JSON. */
enum { kMaxDepth = 8 };

static void write_value(text_buf *out, const TVMFFIAny *value, const tensor_detail *detail,
                        int depth) {
  DLTensor *tensor;
  char name[kDtypeTextSize];
  int64_t i;
  if (tvm_ffi_any_try_tensor(value, &tensor)) {
    write_tensor(out, tensor, detail);
    return;
  }
  switch (value->type_index) {
    case kTVMFFINone:
      text_add(out, "none");
      break;
    case kTVMFFIBool:
      text_add(out, value->v_int64 != 0 ? "true" : "false");
      break;
    case kTVMFFIFloat:
      write_real(out, value->v_float64);
      break;
    case kTVMFFIDataType:
      text_add(out, "dtype:%s", dtype_write(value->v_dtype, name));
      break;
    case kTVMFFIDevice:
      text_add(out, "dev:%s", tvm_ffi_device_print(value->v_device, name, sizeof name));
      break;
    case kTVMFFIShape: {
      const TVMFFIShapeCell *cell = TVMFFIShapeGetCellPtr(value->v_obj);
      text_add(out, "shape:[");
      for (i = 0; i < (int64_t)cell->size; ++i) {
        text_add(out, "%s%" PRId64, i > 0 ? ", " : "", cell->data[i]);
      }
      text_add(out, "]");
      break;
    }
    case kTVMFFIArray:
    case kTVMFFIList:
      if (depth == kMaxDepth) {
        write_repr(out, value);
        break;
      }
      text_add(out, "[");
      for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
        text_add(out, "%s", i > 0 ? ", " : "");
        write_value(out, tvm_ffi_array_get_data(value->v_obj) + i, detail, depth + 1);
      }
      text_add(out, "]");
      break;
    default:
      write_repr(out, value);
  }
}

bool value_is_list(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIArray || value->type_index == kTVMFFIList;
}

void value_write(text_buf *out, const TVMFFIAny *value, const tensor_detail *detail) {
  write_value(out, value, detail, 0);
}

static void write_tensor_json(const DLTensor *tensor, size_t max_elements) {
  TVMFFIObjectHandle copy =
      tensor->ndim >= 0 && numbers_known(tensor->dtype) ? tensor_copy(tensor) : NULL;
  char name[kDtypeTextSize];
  int32_t d;
  json_text("dtype", tvm_ffi_dtype_print(tensor->dtype, name, sizeof name));
  json_text("device", tvm_ffi_device_print(tensor->device, name, sizeof name));
  json_begin_array("shape");
  for (d = 0; d < tensor->ndim; ++d) json_int(NULL, tensor->shape[d]);
  json_end();
  TVMFFIErrorSetRaised(NULL);
  if (copy == NULL) {
    json_null("data");
    return;
  }
  json_begin_array("data");
  if (max_elements > 0) {
    const DLTensor *packed = TVMFFITensorGetDLTensorPtr(copy);
    size_t count = (size_t)tvm_ffi_tensor_get_numel(packed), i;
    if (count > max_elements) count = max_elements;
    count *= numbers_per_element(packed->dtype);
    for (i = 0; i < count; ++i) {
      number value = number_get(packed->dtype, packed->data, i);
      if (packed->dtype.code == kDLBool) {
        json_bool(NULL, value.u != 0);
      } else if (value.kind == kNumberReal) {
        json_real(NULL, value.real);
      } else if (value.kind == kNumberInt) {
        json_int(NULL, value.i);
      } else {
        json_uint(NULL, value.u);
      }
    }
  }
  json_end();
  TVMFFIObjectDecRef(copy);
}

static void write_value_json(const char *key, const char *name, const TVMFFIAny *value,
                             size_t max_elements, int depth);

static void write_plain_json(const TVMFFIAny *value, size_t max_elements, int depth) {
  TVMFFIByteArray bytes;
  text_buf repr = {NULL, 0, 0};
  int64_t i;
  if (tvm_ffi_any_try_string(value, &bytes)) {
    json_bytes("value", bytes.data, bytes.size);
    return;
  }
  switch (depth < kMaxDepth ? value->type_index : kTVMFFIObject) {
    case kTVMFFINone:
      json_null("value");
      break;
    case kTVMFFIInt:
      json_int("value", value->v_int64);
      break;
    case kTVMFFIBool:
      json_bool("value", value->v_int64 != 0);
      break;
    case kTVMFFIFloat:
      json_real("value", value->v_float64);
      break;
    case kTVMFFIArray:
    case kTVMFFIList:
      json_begin_array("value");
      for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
        write_value_json(NULL, NULL, tvm_ffi_array_get_data(value->v_obj) + i, max_elements,
                         depth + 1);
      }
      json_end();
      break;
    default:
      value_write(&repr, value, &kTensorElided);
      json_bytes("value", repr.data, repr.size);
      text_free(&repr);
  }
}

static void write_value_json(const char *key, const char *name, const TVMFFIAny *value,
                             size_t max_elements, int depth) {
  DLTensor *tensor;
  json_begin_object(key);
  if (name != NULL) json_text("name", name);
  if (tvm_ffi_any_try_tensor(value, &tensor)) {
    json_text("type", "ffi.Tensor");
    write_tensor_json(tensor, max_elements);
  } else {
    TVMFFIByteArray bytes;
    bool is_text = tvm_ffi_any_try_string(value, &bytes);
    json_text("type", is_text ? "ffi.String" : tvm_ffi_any_get_type_name(value));
    write_plain_json(value, max_elements, depth);
  }
  json_end();
}

void value_write_json(const char *key, const char *name, const TVMFFIAny *value,
                      size_t max_elements) {
  write_value_json(key, name, value, max_elements, 0);
}

/* ---- Maps ---- */

bool value_visit_map(const TVMFFIAny *map,
                     bool (*body)(void *context, const TVMFFIAny *key, const TVMFFIAny *value),
                     void *context) {
  const char *name =
      map->type_index == kTVMFFIDict ? "ffi.DictForwardIterFunctor" : "ffi.MapForwardIterFunctor";
  TVMFFIAny iterator = tvm_ffi_any_none(), pair[2], more, step;
  int64_t count = 0, i, k;
  bool good;
  if (tvm_ffi_map_read_size(map->v_obj, &count) != 0 ||
      (count > 0 && tvm_ffi_function_call_global(name, map, 1, &iterator) != 0)) {
    TVMFFIErrorSetRaised(NULL);
    return false;
  }
  if (count == 0) return true;
  for (i = 0, good = true; i < count && good; ++i) {
    for (k = 0; k < 2 && good; ++k) {
      pair[k] = tvm_ffi_any_none();
      step = tvm_ffi_any_from_int64(k);
      good = tvm_ffi_function_call(iterator.v_obj, &step, 1, &pair[k]) == 0;
    }
    good = good && body(context, &pair[0], &pair[1]);
    while (k > 0) tvm_ffi_any_clear(&pair[--k]);
    step = tvm_ffi_any_from_int64(2); /* to the next */
    good = good && tvm_ffi_function_call(iterator.v_obj, &step, 1, &more) == 0;
  }
  tvm_ffi_any_clear(&iterator);
  if (!good) TVMFFIErrorSetRaised(NULL);
  return good;
}
