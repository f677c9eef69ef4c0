/* SPDX-License-Identifier: Apache-2.0 */
#include "value/boxed_value.h"

#include <stdlib.h>
#include <string.h>

#include "value/tensor.h"
#include "value/value_text.h"

/* ---- Tensors ---- */

static bool put_packed(box *b, const DLTensor *tensor) {
  return box_put(b, &tensor->dtype, sizeof tensor->dtype) &&
         box_put(b, &tensor->ndim, sizeof tensor->ndim) &&
         box_put(b, tensor->shape, (size_t)tensor->ndim * sizeof *tensor->shape) &&
         box_put(b, tensor->data, tensor_size(tensor));
}

/* [own] NULL if it is not whole. */
static TVMFFIObjectHandle get_packed(box *b) {
  int64_t shape[kLayoutMaxDims];
  TVMFFIObjectHandle made = NULL;
  DLTensor tensor;
  size_t size;
  memset(&tensor, 0, sizeof tensor);
  tensor.shape = shape;
  if (!box_get(b, &tensor.dtype, sizeof tensor.dtype) ||
      !box_get(b, &tensor.ndim, sizeof tensor.ndim) || tensor.ndim < 0 ||
      tensor.ndim > kLayoutMaxDims || !box_get(b, shape, (size_t)tensor.ndim * sizeof *shape)) {
    return NULL;
  }
  if (tvm_ffi_tensor_compute_size(&tensor, &size) == 0 && size <= box_left(b)) {
    made = tensor_new(tensor.dtype, shape, tensor.ndim);
  }
  if (made == NULL) {
    TVMFFIErrorSetRaised(NULL);
  } else {
    (void)box_get(b, TVMFFITensorGetDLTensorPtr(made)->data, size);
  }
  return made;
}

/* [own] NULL if it cannot be read, or has more dimensions than get_packed() takes. */
static TVMFFIObjectHandle try_pack(const DLTensor *tensor) {
  return tensor->ndim <= kLayoutMaxDims ? tensor_try_copy(tensor) : NULL;
}

bool box_put_tensor(box *b, const DLTensor *tensor) {
  TVMFFIObjectHandle copy = tensor != NULL ? try_pack(tensor) : NULL;
  const unsigned char is_there = copy != NULL;
  const bool fits =
      box_put(b, &is_there, 1) && (copy == NULL || put_packed(b, TVMFFITensorGetDLTensorPtr(copy)));
  tvm_ffi_object_release(copy);
  return fits;
}

bool box_get_tensor(box *b, TVMFFIObjectHandle *out) {
  unsigned char is_there = 0;
  *out = NULL;
  if (!box_get(b, &is_there, 1)) return false;
  if (is_there != 0) *out = get_packed(b);
  return is_there == 0 || *out != NULL;
}

/* ---- Values ---- */

enum { kBoxPlain, kBoxText, kBoxBytes, kBoxTensor, kBoxList, kBoxShown };
enum { kMaxDepth = 64 };

/* Whether such a value has no address that another process would follow. */
static bool is_plain(int32_t type_index) {
  switch (type_index) {
    case kTVMFFINone:
    case kTVMFFIInt:
    case kTVMFFIBool:
    case kTVMFFIFloat:
    case kTVMFFIOpaquePtr:
    case kTVMFFIDataType:
    case kTVMFFIDevice:
      return true;
    default:
      return false;
  }
}

static bool put_kind(box *b, int kind) {
  const unsigned char byte = (unsigned char)kind;
  return box_put(b, &byte, 1);
}

static bool put_shown(box *b, const TVMFFIAny *value) {
  text_buf shown = {NULL, 0, 0};
  bool fits;
  value_write(&shown, value, &kTensorWhole);
  fits = put_kind(b, kBoxShown) && box_put_bytes(b, shown.data, shown.size);
  text_free(&shown);
  return fits;
}

static bool put_nested(box *b, const TVMFFIAny *value, int depth);

static bool put_list(box *b, const TVMFFIAny *list, int depth) {
  const int64_t count = tvm_ffi_array_get_size(list->v_obj);
  bool fits = put_kind(b, kBoxList) && box_put(b, &count, sizeof count);
  int64_t i;
  for (i = 0; i < count && fits; ++i) {
    fits = put_nested(b, tvm_ffi_array_get_data(list->v_obj) + i, depth + 1);
  }
  return fits;
}

static bool put_nested(box *b, const TVMFFIAny *value, int depth) {
  TVMFFIByteArray text;
  TVMFFIObjectHandle copy;
  DLTensor *tensor;
  bool fits;
  if (tvm_ffi_any_try_tensor(value, &tensor) && (copy = try_pack(tensor)) != NULL) {
    fits = put_kind(b, kBoxTensor) && put_packed(b, TVMFFITensorGetDLTensorPtr(copy));
    TVMFFIObjectDecRef(copy);
    return fits;
  }
  if (tvm_ffi_any_try_string(value, &text)) {
    return put_kind(b, kBoxText) && box_put_bytes(b, text.data, text.size);
  }
  if (tvm_ffi_any_try_bytes(value, &text)) {
    return put_kind(b, kBoxBytes) && box_put_bytes(b, text.data, text.size);
  }
  if (value_is_list(value) && depth < kMaxDepth) return put_list(b, value, depth);
  if (is_plain(value->type_index)) {
    return put_kind(b, kBoxPlain) && box_put(b, value, sizeof *value);
  }
  return put_shown(b, value);
}

bool box_put_value(box *b, const TVMFFIAny *value) {
  return put_nested(b, value, 0);
}

/* The text or bytes of a value. */
static bool get_text(box *b, bool is_bytes, TVMFFIAny *out) {
  TVMFFIByteArray bytes;
  char *text = box_get_bytes(b, &bytes.size);
  int code;
  if (text == NULL) return false;
  bytes.data = text;
  code = is_bytes ? TVMFFIBytesFromByteArray(&bytes, out) : TVMFFIStringFromByteArray(&bytes, out);
  free(text);
  return code == 0;
}

static bool get_nested(box *b, TVMFFIAny *out, bool *shown, int depth);

static bool get_list(box *b, TVMFFIAny *out, bool *shown, int depth) {
  TVMFFIObjectHandle list;
  int64_t i, count;
  if (depth == kMaxDepth || !box_get(b, &count, sizeof count) || count < 0) return false;
  if (tvm_ffi_list_create(NULL, 0, &list) != 0) return false;
  *out = tvm_ffi_any_take_object(list);
  for (i = 0; i < count; ++i) {
    TVMFFIAny item;
    const bool good =
        get_nested(b, &item, shown, depth + 1) && tvm_ffi_list_append(list, item) == 0;
    tvm_ffi_any_clear(&item);
    if (!good) return false;
  }
  return true;
}

static bool get_nested(box *b, TVMFFIAny *out, bool *shown, int depth) {
  TVMFFIObjectHandle tensor;
  TVMFFIAny plain;
  unsigned char kind;
  *out = tvm_ffi_any_none();
  if (!box_get(b, &kind, 1)) return false;
  switch (kind) {
    case kBoxPlain:
      if (!box_get(b, &plain, sizeof plain) || !is_plain(plain.type_index)) return false;
      *out = plain;
      return true;
    case kBoxTensor:
      tensor = get_packed(b);
      if (tensor != NULL) *out = tvm_ffi_any_take_object(tensor);
      return tensor != NULL;
    case kBoxList:
      return get_list(b, out, shown, depth);
    case kBoxText:
    case kBoxBytes:
    case kBoxShown:
      *shown = *shown || kind == kBoxShown;
      return get_text(b, kind == kBoxBytes, out);
    default:
      return false;
  }
}

bool box_get_value(box *b, TVMFFIAny *out, bool *shown) {
  return get_nested(b, out, shown, 0);
}
