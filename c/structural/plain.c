/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/plain.h"

#include <string.h>

#include "base/hash.h"
#include "container/any_key.h"
#include "core/any.h"
#include "core/error.h"
#include "core/tensor.h"
#include "core/type.h"

/* ---- Content ---- */

/* The content of texts, bytes and integers of any size. */
static bool get_content(const TVMFFIAny *value, TVMFFIByteArray *out) {
  switch (value->type_index) {
    case kTVMFFISmallStr:
    case kTVMFFISmallBytes:
      *out = TVMFFISmallBytesGetContentByteArray(value);
      return true;
    case kTVMFFIStr:
    case kTVMFFIBytes:
      *out = *TVMFFIBytesGetByteArrayPtr(value->v_obj);
      return true;
    case kTVMFFIBigInt:
      *out = TVMFFIBigIntGetContentByteArray(value);
      return true;
    default:
      return false;
  }
}

static int get_tensor_content(const DLTensor *tensor, const char *verb, TVMFFIByteArray *out) {
  if (tensor->device.device_type != kDLCPU) {
    return tvmffi_fail("InternalError", "can only %s CPU tensor", verb);
  }
  if (!tvmffi_tensor_is_contiguous(tensor)) {
    return tvmffi_fail("InternalError", "Can only %s contiguous tensor", verb);
  }
  out->data = (const char *)tensor->data + tensor->byte_offset;
  return tvmffi_tensor_data_size(tensor, &out->size);
}

/* ---- Equality ---- */

static bool equal_bytes(const void *a, size_t size_a, const void *b, size_t size_b) {
  return size_a == size_b && (size_a == 0 || memcmp(a, b, size_a) == 0);
}

static bool equal_dims(const int64_t *a, size_t size_a, const int64_t *b, size_t size_b) {
  return equal_bytes(a, size_a * sizeof *a, b, size_b * sizeof *b);
}

static int equal_tensors(const DLTensor *a, const DLTensor *b,
                         const tvmffi_structural_options *options, bool *out) {
  TVMFFIByteArray in_a, in_b;
  *out = a == b || (equal_dims(a->shape, (size_t)a->ndim, b->shape, (size_t)b->ndim) &&
                    memcmp(&a->dtype, &b->dtype, sizeof a->dtype) == 0);
  if (a == b || !*out || options->skip_tensor_content) return 1;
  TVMFFI_TRY(get_tensor_content(a, "compare", &in_a));
  TVMFFI_TRY(get_tensor_content(b, "compare", &in_b));
  *out = equal_bytes(in_a.data, in_a.size, in_b.data, in_b.size);
  return 1;
}

static bool is_nan(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIFloat && value->v_float64 != value->v_float64;
}

int tvmffi_plain_equal(const TVMFFIAny *a, const TVMFFIAny *b,
                       const tvmffi_structural_options *options, bool *out) {
  TVMFFIByteArray in_a, in_b;
  *out = false;
  if (a->type_index != b->type_index && !tvmffi_any_key_may_equal(a, b)) return 1;
  switch (a->type_index) {
    case kTVMFFIShape: {
      const TVMFFIShapeCell *x = TVMFFIShapeGetCellPtr(a->v_obj),
                            *y = TVMFFIShapeGetCellPtr(b->v_obj);
      *out = equal_dims(x->data, x->size, y->data, y->size);
      return 1;
    }
    case kTVMFFITensor:
      return equal_tensors(TVMFFITensorGetDLTensorPtr(a->v_obj),
                           TVMFFITensorGetDLTensorPtr(b->v_obj), options, out);
    default:
      if (get_content(a, &in_a) && get_content(b, &in_b)) {
        *out = equal_bytes(in_a.data, in_a.size, in_b.data, in_b.size);
        return 1;
      }
      *out = tvmffi_any_key_is_same(a, b) || (is_nan(a) && is_nan(b));
      return a->type_index < kTVMFFIStaticObjectBegin;
  }
}

/* ---- Hash ---- */

static uint64_t combine(uint64_t a, uint64_t b) {
  return tvmffi_any_key_combine(a, b);
}

static uint64_t hash_dims(uint64_t hash, const int64_t *dims, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) hash = combine(hash, (uint64_t)dims[i]);
  return hash;
}

static uint64_t hash_beginning(int32_t type_index, uint64_t size) {
  return combine(tvmffi_type_find(type_index)->info.type_key_hash, size);
}

static int hash_tensor(const DLTensor *tensor, const tvmffi_structural_options *options,
                       uint64_t *out) {
  TVMFFIByteArray content;
  uint32_t dtype;
  memcpy(&dtype, &tensor->dtype, sizeof dtype);
  *out = hash_beginning(kTVMFFITensor, (uint64_t)tensor->ndim);
  *out = combine(hash_dims(*out, tensor->shape, (size_t)tensor->ndim), dtype);
  if (options->skip_tensor_content) return 1;
  TVMFFI_TRY(get_tensor_content(tensor, "hash", &content));
  *out = combine(*out, tvmffi_hash_content(content.data, content.size));
  return 1;
}

int tvmffi_plain_hash(const TVMFFIAny *value, const tvmffi_structural_options *options,
                      uint64_t *out) {
  TVMFFIByteArray content;
  int32_t type_index = value->type_index;
  switch (type_index) {
    case kTVMFFIFloat:
      *out = combine(kTVMFFIFloat, is_nan(value) ? UINT64_C(0x7ff8000000000000) : value->v_uint64);
      return 1;
    case kTVMFFIShape: {
      const TVMFFIShapeCell *shape = TVMFFIShapeGetCellPtr(value->v_obj);
      *out = hash_dims(hash_beginning(kTVMFFIShape, shape->size), shape->data, shape->size);
      return 1;
    }
    case kTVMFFITensor:
      return hash_tensor(TVMFFITensorGetDLTensorPtr(value->v_obj), options, out);
    default:
      /*
       * Small texts hash like those on the heap. Small bytes do not, although they may equal bytes
       * on the heap: the package hashes them like this, and clients store its hashes.
       */
      if (type_index != kTVMFFISmallBytes && get_content(value, &content)) {
        if (type_index == kTVMFFISmallStr) type_index = kTVMFFIStr;
        *out = combine((uint64_t)type_index, tvmffi_hash_content(content.data, content.size));
        return 1;
      }
      *out = combine((uint64_t)type_index, value->v_uint64);
      return type_index < kTVMFFIStaticObjectBegin;
  }
}
