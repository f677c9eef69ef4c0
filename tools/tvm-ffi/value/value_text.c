/* SPDX-License-Identifier: Apache-2.0 */
#include "value/value_text.h"

#include <inttypes.h>

#include "base/json_out.h"
#include "base/shown.h"
#include "value/dtype_text.h"
#include "value/tensor_memory.h"
#include "value/tensor_text.h"

/* Writes the runtime's repr of the value. */
static void write_repr(text *out, const TVMFFIAny *value) {
  TVMFFIAny repr;
  TVMFFIByteArray bytes;
  if (tvm_ffi_function_call_global("ffi.ReprPrint", value, 1, &repr) != 0) {
    TVMFFIErrorSetRaised(NULL); /* the core profile has no such function */
    if (tvm_ffi_any_try_string(value, &bytes)) {
      text_add(out, "\"");
      shown_add_text(out, bytes.data, bytes.size);
      text_add(out, "\"");
    } else {
      text_add(out, "<%s>", tvm_ffi_any_get_type_name(value));
    }
    return;
  }
  if (tvm_ffi_any_try_string(&repr, &bytes)) text_add_bytes(out, bytes.data, bytes.size);
  tvm_ffi_any_clear(&repr);
}

static void write_real(text *out, double value) {
  size_t start = out->size;
  number_write(out, TVM_FFI_C_FLOAT64, &value, 0);
  if (strpbrk(out->data + start, ".einf") == NULL) text_add(out, ".0"); /* not an integer */
}

static void write_tensor(text *out, const DLTensor *tensor, const tensor_detail *detail) {
  TVMFFIObjectHandle copy =
      tensor->ndim >= 0 && numbers_known(tensor->dtype) ? tensor_copy(tensor) : NULL;
  char device[48];
  if (copy != NULL) {
    const DLTensor *packed = TVMFFITensorGetDLTensorPtr(copy);
    tensor_write(out, packed->dtype, packed->shape, packed->ndim, packed->data, detail);
    TVMFFIObjectDecRef(copy);
    return;
  }
  TVMFFIErrorSetRaised(NULL);
  tensor_type_write(out, tensor->dtype, tensor->shape, tensor->ndim);
  text_add(out, " on %s", tvm_ffi_device_print(tensor->device, device, sizeof device));
}

/* Deeper lists are written by the runtime, to limit the stack and json_out's depth. */
enum { kMaxDepth = 8 };

static void write_value(text *out, const TVMFFIAny *value, const tensor_detail *detail, int depth) {
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

void value_write(text *out, const TVMFFIAny *value, const tensor_detail *detail) {
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
  text repr = {NULL, 0, 0};
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
