/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/hash.h"
#include "container/any_key.h"
#include "core/any.h"
#include "core/error.h"
#include "core/tensor.h"
#include "core/type.h"
#include "structural/structural.h"

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
  TVMFFI_TRY(tvmffi_plain_get_tensor_content(tensor, "hash", &content));
  *out = combine(*out, tvmffi_hash_content(content.data, content.size));
  return 1;
}

int tvmffi_plain_hash(const TVMFFIAny *value, const tvmffi_structural_options *options,
                      uint64_t *out) {
  TVMFFIByteArray content;
  int32_t type_index = value->type_index;
  switch (type_index) {
    case kTVMFFIFloat: /* by its bits, so that -0.0 and 0.0 differ; but all NaNs are equal */
      *out = combine(kTVMFFIFloat,
                     tvmffi_plain_is_nan(value) ? UINT64_C(0x7ff8000000000000) : value->v_uint64);
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
      if (type_index != kTVMFFISmallBytes && tvmffi_plain_get_content(value, &content)) {
        if (type_index == kTVMFFISmallStr) type_index = kTVMFFIStr;
        *out = combine((uint64_t)type_index, tvmffi_hash_content(content.data, content.size));
        return 1;
      }
      *out = combine((uint64_t)type_index, value->v_uint64);
      return type_index < kTVMFFIStaticObjectBegin;
  }
}
