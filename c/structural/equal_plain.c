/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/plain.h"

#include <string.h>

#include "container/any_key.h"
#include "core/any.h"
#include "core/error.h"
#include "core/tensor.h"

bool tvmffi_plain_get_content(const TVMFFIAny *value, TVMFFIByteArray *out) {
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

int tvmffi_plain_get_tensor_content(const DLTensor *tensor, const char *verb,
                                    TVMFFIByteArray *out) {
  if (tensor->device.device_type != kDLCPU) {
    return tvmffi_fail("InternalError", "can only %s CPU tensor", verb);
  }
  if (!tvmffi_tensor_is_contiguous(tensor)) {
    return tvmffi_fail("InternalError", "Can only %s contiguous tensor", verb);
  }
  out->data = (const char *)tensor->data + tensor->byte_offset;
  return tvmffi_tensor_data_size(tensor, &out->size);
}

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
  TVMFFI_TRY(tvmffi_plain_get_tensor_content(a, "compare", &in_a));
  TVMFFI_TRY(tvmffi_plain_get_tensor_content(b, "compare", &in_b));
  *out = equal_bytes(in_a.data, in_a.size, in_b.data, in_b.size);
  return 1;
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
      if (tvmffi_plain_get_content(a, &in_a) && tvmffi_plain_get_content(b, &in_b)) {
        *out = equal_bytes(in_a.data, in_a.size, in_b.data, in_b.size);
        return 1;
      }
      *out = tvmffi_any_key_is_same(a, b) || (tvmffi_plain_is_nan(a) && tvmffi_plain_is_nan(b));
      return a->type_index < kTVMFFIStaticObjectBegin;
  }
}
